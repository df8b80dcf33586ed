package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// ScratchPrefix is how the names of scratch directories begin.
const ScratchPrefix = ".rules_sycl-tmp-"

// lockName is a file in each scratch directory that the program locks which has the directory.
// A lock ends with its program, however that ends.
const lockName = "lock"

// scratchDirs are what a program that is stopped removes.
var scratchDirs = struct {
	mu    sync.Mutex
	list  map[string]bool
	swept map[string]bool // folders in which was looked for what others left
}{list: map[string]bool{}, swept: map[string]bool{}}

// RemoveScratch removes all scratch directories of the program, which is about to end.
func RemoveScratch() {
	scratchDirs.mu.Lock()
	defer scratchDirs.mu.Unlock()
	for dir := range scratchDirs.list {
		os.RemoveAll(dir)
	}
}

// ScratchDir makes a directory in another one for files that are not done yet. It is removed
// by remove, or by [RemoveScratch]. Directories that killed programs left in the same
// place are removed.
func ScratchDir(parent string) (dir string, remove func(), err error) {
	sweep(parent)
	for {
		dir, err = os.MkdirTemp(parent, ScratchPrefix)
		if err != nil {
			return "", nil, err
		}
		scratchDirs.mu.Lock()
		scratchDirs.list[dir] = true
		scratchDirs.mu.Unlock()
		lock, err := lockNew(filepath.Join(dir, lockName))
		if err == nil {
			return dir, func() { drop(dir, lock) }, nil
		}
		drop(dir, nil)
		if !errors.Is(err, errSwept) {
			return "", nil, err
		}
	}
}

func drop(dir string, lock *os.File) {
	os.RemoveAll(dir)
	if lock != nil {
		lock.Close()
	}
	scratchDirs.mu.Lock()
	defer scratchDirs.mu.Unlock()
	delete(scratchDirs.list, dir)
}

// sweep removes the scratch directories in a directory that no program has, once in the life of
// this one.
func sweep(parent string) {
	scratchDirs.mu.Lock()
	done := scratchDirs.swept[parent]
	scratchDirs.swept[parent] = true
	scratchDirs.mu.Unlock()
	if done {
		return
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // making a directory there says why
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), ScratchPrefix) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		lock := lockLeft(filepath.Join(dir, lockName))
		if lock == nil {
			continue
		}
		os.RemoveAll(dir)
		lock.Close()
	}
}

// TempDir is [ScratchDir] in the directory for temporary files.
func TempDir() (dir string, remove func(), err error) {
	parent := os.TempDir()
	dir, remove, err = ScratchDir(parent)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err // a name that is made up says nothing
		}
		// Not %w: that the directory is missing is no fault of an input.
		err = fmt.Errorf("there can be no scratch folder in %s: %v; set TMPDIR to another folder", parent, err)
	}
	return dir, remove, err
}

// errSwept says that another program takes a scratch directory for one that was left: it
// looked between two steps of making it.
var errSwept = errors.New("the scratch folder is taken for one that was left")
