package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// ScratchPrefix is the prefix of scratch directory names.
const ScratchPrefix = ".rules_sycl-tmp-"

// lockName is the name of a file in each scratch directory. The program that uses the directory
// holds a lock on it, which ends with the program, even if it is killed.
const lockName = "lock"

// scratchDirs are the directories that an interrupted program removes.
var scratchDirs = struct {
	mu       sync.Mutex
	list     map[string]bool
	searched map[string]bool // directories already searched for abandoned scratch directories
}{list: map[string]bool{}, searched: map[string]bool{}}

// RemoveScratch removes all scratch directories of the program, which is about to end.
func RemoveScratch() {
	scratchDirs.mu.Lock()
	defer scratchDirs.mu.Unlock()
	for dir := range scratchDirs.list {
		os.RemoveAll(dir)
	}
}

// ScratchDir creates a directory for unfinished files in another directory. It is removed by
// remove, or by [RemoveScratch]. Directories that killed programs left there are removed.
func ScratchDir(parent string) (dir string, remove func(), err error) {
	removeAbandoned(parent)
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
		if !errors.Is(err, errRemoved) {
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

// removeAbandoned removes the abandoned scratch directories in a directory, once per process.
func removeAbandoned(parent string) {
	scratchDirs.mu.Lock()
	done := scratchDirs.searched[parent]
	scratchDirs.searched[parent] = true
	scratchDirs.mu.Unlock()
	if done {
		return
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // creating a directory there reports the error
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), ScratchPrefix) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		lock := lockAbandoned(filepath.Join(dir, lockName))
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
			err = path.Err // a generated name does not help the reader
		}
		// Not %w: a missing directory is not an input error.
		err = fmt.Errorf("cannot create a temporary directory in %s: %v; set TMPDIR", parent, err)
	}
	return dir, remove, err
}

// errRemoved is returned if a different program treated a scratch directory as abandoned, because it
// looked between two steps of its creation.
var errRemoved = errors.New("another program removed the temporary directory; run the command again")
