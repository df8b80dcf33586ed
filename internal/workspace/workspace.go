// Package workspace reads the files of a Bazel workspace, finds them by patterns, and edits BUILD
// files.
//
// Any file may have been written by an attacker. Files are opened once, must be regular, and must
// be located where their names state: a symbolic link in the workspace cannot point outside of it.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/bazelbuild/buildtools/build"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// An OpenError reports why a file cannot be read. It is bad input.
type OpenError struct {
	name string
	err  error
}

func (e *OpenError) Error() string { return fmt.Sprintf("%s: %v", e.name, e.err) }
func (e *OpenError) Unwrap() error { return e.err }

// BadInput marks the error as caused by an input file.
func (*OpenError) BadInput() {}

// Reason returns why a file cannot be opened, without its name.
func Reason(err error) error {
	if why, ok := errors.AsType[*fs.PathError](err); ok {
		return why.Err
	}
	if err != nil && err.Error() == "EvalSymlinks: too many links" { // path/filepath exports no variable for this error
		return syscall.ELOOP
	}
	return err
}

// A Directory opens files. If there is a workspace, names in it must refer to files in it or in the
// Bazel output directories that it links to.
type Directory struct {
	root    *os.Root // nil if there is no workspace
	dir     string   // absolute, as passed
	real    string   // absolute, without links
	outputs []string // absolute, without links
}

// Open returns the directory of a workspace. If the name is empty there is no workspace, files may
// be anywhere, and links may point anywhere.
func Open(workspace string) (*Directory, error) {
	if workspace == "" {
		return &Directory{}, nil
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, cli.Usagef("cannot use the workspace %q: %v; name a directory", workspace, Reason(err))
	}
	o := &Directory{root: root}
	if o.dir, err = filepath.Abs(workspace); err != nil {
		return nil, err
	}
	if o.real, err = filepath.EvalSymlinks(o.dir); err != nil {
		return nil, err
	}
	o.outputs = bazelOutputs(o.real)
	return o, nil
}

// bazelOutputs returns the targets of the links that Bazel creates in a workspace: bazel-out,
// bazel-bin and others. A link with such a name but a different target was not created by Bazel.
func bazelOutputs(workspace string) (list []string) {
	entries, err := os.ReadDir(workspace)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 || !strings.HasPrefix(e.Name(), "bazel-") {
			continue
		}
		to, err := filepath.EvalSymlinks(filepath.Join(workspace, e.Name()))
		if err != nil {
			continue
		}
		if out, ok := outputDir(to); ok {
			list = append(list, out)
		}
	}
	return list
}

// outputDir returns the directory ".../execroot/NAME/bazel-out" that contains a path.
func outputDir(path string) (string, bool) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := 0; i+2 < len(parts); i++ {
		if parts[i] == "execroot" && parts[i+2] == "bazel-out" {
			return filepath.FromSlash(strings.Join(parts[:i+3], "/")), true
		}
	}
	return "", false
}

// Close closes the directory.
func (f *Directory) Close() error {
	if f.root == nil {
		return nil
	}
	return f.root.Close()
}

// Sources returns the files of the workspace, or nil if there is none.
func (f *Directory) Sources() *Sources {
	if f.root == nil {
		return nil
	}
	return &Sources{f.root, map[string]*build.File{}}
}

// Path returns the path of a file without links, which is the same for all names of the file.
func (f *Directory) Path(name string) (string, error) {
	path, _, err := f.resolve(name)
	return path, err
}

// resolve returns the path of a file without links, and the directory that it must stay in, or ""
// for any.
func (f *Directory) resolve(name string) (path, within string, err error) {
	path, err = filepath.EvalSymlinks(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		// The name of a pipe, such as /dev/stdin, may lead nowhere.
		if info, statErr := os.Stat(name); statErr == nil && !info.Mode().IsRegular() {
			return "", "", &OpenError{name, cli.NotRegular(info.Mode())}
		}
		return "", "", &OpenError{name, fmt.Errorf("cannot read the file: %w", Reason(err))}
	}
	if f.dir == "" {
		return path, "", nil
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	if !isBelow(abs, f.dir) && !isBelow(abs, f.real) {
		return path, "", nil // the user has named a file outside of the workspace
	}
	for _, dir := range append([]string{f.real}, f.outputs...) {
		if isBelow(path, dir) {
			return path, dir, nil
		}
	}
	return "", "", &OpenError{name, errors.New("symbolic link that leads out of the workspace")}
}

func isBelow(path, dir string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// Open opens a regular file. It rejects endless files, such as devices.
func (f *Directory) Open(name string) (*os.File, error) {
	path, within, err := f.resolve(name)
	if err != nil {
		return nil, err
	}
	file, err := openWithin(path, within)
	if err != nil {
		return nil, &OpenError{name, fmt.Errorf("cannot read the file: %w", Reason(err))}
	}
	// Check the opened file, so that it cannot change in between.
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &OpenError{name, cli.NotRegular(info.Mode())}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// With openFlags, opening a pipe without a writer does not block.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

func openWithin(path, within string) (*os.File, error) {
	if within == "" {
		return os.OpenFile(path, openFlags, 0)
	}
	root, err := os.OpenRoot(within)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	rest, err := filepath.Rel(within, path)
	if err != nil {
		return nil, err
	}
	return root.OpenFile(rest, openFlags, 0)
}
