// Package outfile writes the outputs of programs. It writes an output completely or not at all,
// and the outputs of a [Group] together or not at all, even if the program is killed.
//
// An output is written in a scratch directory next to its destination, and then renamed. Symbolic
// links are followed: their target is replaced, and they stay. A replaced file keeps its mode, and
// its owner if the system permits; the umask applies to other files. A device, a pipe, or
// the target of /dev/stdout is written to and never replaced.
//
// A group with several outputs first removes its main outputs, then moves the others to their
// destinations, and the main ones last. A main output therefore exists only if the others exist
// and are from the same run. Two outputs of a group cannot have the same destination. Programs
// that run at the same time must have different outputs; Bazel, Make and Ninja ensure that.
//
// [ScratchDir] and [TempDir] create scratch directories, which are also for other unfinished
// files. A killed program leaves them behind. The next program that creates one in the same
// directory removes those that no running program uses.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An outputError reports that an output cannot be written. It is not an input error, even if the
// output's directory is missing.
type outputError struct {
	Name string
	why  error
}

func (e *outputError) Error() string { return e.Name + ": cannot be written: " + e.why.Error() }

// A conflictError reports that an output conflicts with another output, or with existing unrelated
// files. It is not a system error.
type conflictError struct{ text string }

func (e *conflictError) Error() string { return e.text }

// WrongUsage marks the command line as the cause.
func (*conflictError) WrongUsage() {}

func failed(name string, err error) error {
	if err == nil {
		return nil
	}
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &outputError{name, err}
}

// Write calls write to produce the content of an output.
func Write(name string, write func(w io.Writer) error) error {
	t, err := find(name)
	if err != nil {
		return failed(name, err)
	}
	if t.isStream() {
		return t.stream(name, write)
	}
	var g Group
	defer g.Close()
	if err := g.Write(name, write); err != nil {
		return err
	}
	return g.Commit()
}

// A Group is a set of outputs that appear together when it is committed. It must be closed.
type Group struct {
	mu           sync.Mutex
	scratchDirs  map[string]*scratchDir // by their directories
	items        []*item
	directories  map[string]*item // the items that are directories
	destinations map[string]bool  // the destinations of outputs, without links
}

// A scratchDir is the scratch directory next to outputs.
type scratchDir struct {
	dir    string
	files  int
	remove func()
}

// An item is an output.
type item struct {
	name      string // as passed by the caller
	place     target
	scratch   string
	main      bool
	mainFiles []string // for a directory: the main files in it
	isDir     bool
	real      string // the path of a directory without links
}

// File returns the path to write an output to.
func (g *Group) File(name string) (scratch string, err error) { return g.file(name, false) }

// Main is File for a main output.
func (g *Group) Main(name string) (scratch string, err error) { return g.file(name, true) }

func (g *Group) file(name string, main bool) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if parent := g.directories[filepath.Dir(name)]; parent != nil {
		base := filepath.Base(name)
		if err := g.reserve(name, filepath.Join(parent.real, base)); err != nil {
			return "", err
		}
		if main {
			parent.mainFiles = append(parent.mainFiles, base)
		}
		return filepath.Join(parent.scratch, base), nil
	}
	t, err := find(name)
	if err != nil {
		return "", failed(name, err)
	}
	if !t.isStream() {
		if err := g.reserve(name, realPath(t.path)); err != nil {
			return "", err
		}
	}
	i := &item{name: name, place: t, main: main}
	if t.isStream() {
		err = g.copied(i)
	} else if i.scratch, err = g.scratchFile(filepath.Dir(t.path)); err != nil && t.info != nil {
		// The directory does not allow new files, so write to the existing file.
		i.place.copied, err = true, g.copied(i)
	}
	if err != nil {
		return "", failed(name, err)
	}
	g.items = append(g.items, i)
	return i.scratch, nil
}

// reserve reserves a destination for an output, so no other output gets it.
func (g *Group) reserve(name, place string) error {
	if g.destinations[place] {
		return &conflictError{fmt.Sprintf("'%s' is used for two outputs; choose a different path for one of them", name)}
	}
	if g.destinations == nil {
		g.destinations = map[string]bool{}
	}
	g.destinations[place] = true
	return nil
}

// realPath returns the absolute path of a file, with the links in its directory resolved.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	dir, base := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Join(dir, base)
}

// copied arranges for an output to be written to a scratch file and copied to its destination.
func (g *Group) copied(i *item) (err error) {
	i.scratch, err = g.scratchFile(os.TempDir())
	return err
}

// scratchFile returns a new name in the scratch directory for a directory. No name is a prefix of another
// name, so [Group.Relabel] can tell them apart.
func (g *Group) scratchFile(dir string) (string, error) {
	h := g.scratchDirs[dir]
	if h == nil {
		scratch, remove, err := ScratchDir(dir)
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("directory %s does not exist", dir)
		}
		if err != nil {
			return "", err
		}
		if g.scratchDirs == nil {
			g.scratchDirs = map[string]*scratchDir{}
		}
		h = &scratchDir{dir: scratch, remove: remove}
		g.scratchDirs[dir] = h
	}
	h.files++
	return filepath.Join(h.dir, strconv.Itoa(h.files)+"_"), nil
}

// Directory returns a directory to write the content of an output directory to. It creates missing
// parent directories. Main outputs in it are moved in the order in which they were named. Existing
// content stays, unless it has the name of a new file.
func (g *Group) Directory(name string) (scratch string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	name = filepath.Clean(name)
	i := &item{name: name, isDir: true, place: target{path: name}}
	i.place.info, err = os.Stat(name)
	switch {
	case err == nil && !i.place.info.IsDir():
		return "", failed(name, errors.New("it is a file; expected a directory"))
	case err == nil:
		i.place.path, err = filepath.EvalSymlinks(name)
	case errors.Is(err, os.ErrNotExist):
		err = os.MkdirAll(filepath.Dir(name), 0o777)
	}
	if err != nil {
		return "", failed(name, err)
	}
	i.real = realPath(i.place.path)
	if err := g.reserve(name, i.real); err != nil {
		return "", err
	}
	if err := g.addScratchDir(i); err != nil {
		return "", failed(name, err)
	}
	if g.directories == nil {
		g.directories = map[string]*item{}
	}
	g.directories[name] = i
	g.items = append(g.items, i)
	return i.scratch, nil
}

// addScratchDir creates the scratch directory of an output directory next to it. If the parent
// directory is on a different disk or does not allow new files, addScratchDir creates it in the
// output directory.
func (g *Group) addScratchDir(i *item) (err error) {
	beside := filepath.Dir(i.place.path)
	if i.place.info != nil && !sameDisk(beside, i.place.info) {
		beside = i.place.path
	}
	if i.scratch, err = g.scratchFile(beside); err != nil && i.place.info != nil {
		i.scratch, err = g.scratchFile(i.place.path)
	}
	if err != nil {
		return err
	}
	return os.Mkdir(i.scratch, 0o777)
}

// Write writes an output of the group.
func (g *Group) Write(name string, write func(w io.Writer) error) error {
	scratch, err := g.File(name)
	if err != nil {
		return err
	}
	return writeScratch(name, scratch, write)
}

// WriteMain is Write for a main output.
func (g *Group) WriteMain(name string, write func(w io.Writer) error) error {
	scratch, err := g.Main(name)
	if err != nil {
		return err
	}
	return writeScratch(name, scratch, write)
}

func writeScratch(name, scratch string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(scratch, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return failed(name, err)
	}
	if err := write(f); err != nil {
		f.Close()
		return relabel(err, scratch, name)
	}
	return failed(name, f.Close())
}

// relabel returns an error with the name of the output instead of the name of its scratch file.
func relabel(err error, scratch, name string) error {
	if !strings.Contains(err.Error(), scratch) {
		return err
	}
	return &relabeledError{err, strings.ReplaceAll(err.Error(), scratch, name)}
}

type relabeledError struct {
	err  error
	text string
}

func (e *relabeledError) Error() string { return e.text }
func (e *relabeledError) Unwrap() error { return e.err }

// Relabel returns an error with the names of outputs instead of the names of scratch files.
func (g *Group) Relabel(err error) error {
	if err == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, i := range g.items {
		err = relabel(err, i.scratch, i.name)
	}
	return err
}

// Close removes everything that was not committed.
func (g *Group) Close() {
	for _, h := range g.scratchDirs {
		h.remove()
	}
	g.scratchDirs, g.items, g.directories, g.destinations = nil, nil, nil, nil
}

// Commit moves all outputs to their destinations.
func (g *Group) Commit() error {
	defer g.Close()
	for _, i := range g.items {
		if _, err := os.Lstat(i.scratch); errors.Is(err, os.ErrNotExist) {
			return failed(i.name, errors.New("the compiler produced no output"))
		}
	}
	// The main outputs come last.
	slices.SortStableFunc(g.items, func(a, b *item) int { return a.rank() - b.rank() })
	if len(g.items) > 1 {
		for _, i := range slices.Backward(g.items) {
			if err := i.clear(); err != nil {
				return failed(i.name, err)
			}
		}
	}
	for _, i := range g.items {
		if err := i.put(); err != nil {
			return failed(i.name, err)
		}
	}
	return nil
}

// rank returns the order in which an output is moved.
func (i *item) rank() int {
	switch {
	case i.main:
		return 2
	case len(i.mainFiles) > 0:
		return 1
	}
	return 0
}

// clear removes a main output, and the main outputs in a directory.
func (i *item) clear() error {
	if i.main {
		return i.place.clear()
	}
	for _, head := range slices.Backward(i.mainFiles) {
		t, err := find(filepath.Join(i.place.path, head))
		if err == nil {
			err = t.clear()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", head, err)
		}
	}
	return nil
}

// put moves an output to its destination.
func (i *item) put() error {
	switch {
	case i.isDir:
		return i.putDirectory()
	case i.place.isStream():
		return i.place.stream(i.name, func(w io.Writer) error { return copyFrom(w, i.scratch) })
	}
	return i.place.put(i.scratch)
}

func copyFrom(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

var errManyLinks = errors.New("too many links")

// A target is the destination of an output.
type target struct {
	path   string // without a link as its last element
	info   os.FileInfo
	copied bool // the file cannot be replaced, and is written to
}

// find follows the links of a name.
func find(name string) (target, error) {
	if name == "" {
		return target{}, errors.New("empty file name")
	}
	t := target{path: name}
	for range 40 {
		info, err := os.Lstat(t.path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return t, nil
		case err != nil:
			return t, err
		case info.IsDir():
			return t, errors.New("it is a directory")
		case info.Mode()&os.ModeSymlink == 0:
			t.info = info
			return t, nil
		case isDescriptor(t.path):
			// The name of an open file is not a location that another file can be moved to.
			t.info, t.copied = info, true
			return t, nil
		}
		to, err := os.Readlink(t.path)
		if err != nil {
			return t, err
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(t.path)
			to = dir + to
		}
		t.path = to
	}
	return t, errManyLinks
}

// Destination returns the file that [Write] changes or creates, with all symbolic links resolved. The file may
// not exist.
func Destination(name string) (string, error) {
	t, err := find(name)
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(t.path))
	return filepath.Join(dir, filepath.Base(t.path)), err
}

// isDescriptor reports whether a link is the name of an open file of a process.
func isDescriptor(path string) bool {
	return strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/dev/fd/") || path == "/dev/stdout" || path == "/dev/stderr"
}

// isStream reports whether the output is written to the existing file.
func (t target) isStream() bool { return t.copied || t.info != nil && !t.info.Mode().IsRegular() }

// stream writes to the existing file.
func (t target) stream(name string, write func(w io.Writer) error) error {
	flags := os.O_WRONLY
	switch {
	case t.info.Mode().IsRegular():
		flags |= os.O_TRUNC
	case t.copied:
		flags |= os.O_APPEND // after what the process has written
	}
	f, err := os.OpenFile(t.path, flags, 0)
	if err != nil {
		return failed(name, err)
	}
	// Hide the file's other methods, because write must not seek.
	if err := write(struct{ io.Writer }{f}); err != nil {
		f.Close()
		return relabel(err, t.path, name)
	}
	return failed(name, f.Close())
}

// clear removes a file.
func (t target) clear() error {
	if t.isStream() {
		return nil
	}
	if err := os.Remove(t.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// replace moves a file to its destination. A replaced file's mode and owner are kept.
func (t target) replace(scratch string) error {
	if t.info != nil {
		keepOwner(scratch, t.info)
		if err := os.Chmod(scratch, t.info.Mode().Perm()); err != nil {
			return err
		}
	}
	return os.Rename(scratch, t.path)
}

// put moves a file to its destination, like replace. A mount point cannot be replaced, so put
// writes to it.
func (t target) put(scratch string) error {
	err := t.replace(scratch)
	if t.info == nil || !isMount(err) {
		return err
	}
	t.copied = true
	return t.stream(t.path, func(w io.Writer) error { return copyFrom(w, scratch) })
}

// putDirectory moves a directory to its destination.
func (i *item) putDirectory() error {
	if i.place.info != nil {
		keepOwner(i.scratch, i.place.info)
		if err := os.Chmod(i.scratch, i.place.info.Mode()&(os.ModePerm|os.ModeSetgid|os.ModeSticky)); err != nil {
			return err
		}
	}
	if !i.isCurrentDirectory() && os.Rename(i.scratch, i.place.path) == nil {
		return nil // the destination did not exist or was empty
	}
	return i.merge()
}

// isCurrentDirectory reports whether the directory is the current one, which is not replaced.
func (i *item) isCurrentDirectory() bool {
	here, err := os.Stat(".")
	return err == nil && i.place.info != nil && os.SameFile(here, i.place.info)
}

// merge moves the files of a directory into the existing one, the main ones last.
func (i *item) merge() error {
	if err := os.MkdirAll(i.place.path, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(i.scratch)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if !slices.Contains(i.mainFiles, e.Name()) {
			names = append(names, e.Name())
		}
	}
	if err := i.clear(); err != nil {
		return err
	}
	for _, name := range append(names, i.mainFiles...) {
		if err := i.mergeFile(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (i *item) mergeFile(name string) error {
	scratch := filepath.Join(i.scratch, name)
	t, err := find(filepath.Join(i.place.path, name))
	if err != nil {
		return err
	}
	if !t.isStream() && t.replace(scratch) == nil {
		return nil
	}
	// The destination is a device, or a link to a different location, such as a different disk.
	var there Group
	defer there.Close()
	if err := there.Write(t.path, func(w io.Writer) error { return copyFrom(w, scratch) }); err != nil {
		return err
	}
	return there.Commit()
}
