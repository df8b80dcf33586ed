package gating

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// An openError says why a file cannot be read. It is bad input.
type openError struct {
	name string
	err  error
}

func (e *openError) Error() string { return fmt.Sprintf("%s %v", e.name, e.err) }
func (e *openError) Unwrap() error { return e.err }

// BadInput marks the error as caused by an input file.
func (*openError) BadInput() {}

// opener opens files. Names in the workspace, if there is one, are of files that
// are in it or in the output folders of Bazel that it has links to.
type opener struct {
	root    *os.Root // nil without a workspace
	dir     string   // absolute, as it was given
	real    string   // absolute, without links
	outputs []string // absolute, without links
}

// newOpener returns the opener for a workspace; an empty name is none.
func newOpener(workspace string) (*opener, error) {
	if workspace == "" {
		return &opener{}, nil
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, cli.Usagef("workspace: %v", err)
	}
	o := &opener{root: root}
	if o.dir, err = filepath.Abs(workspace); err != nil {
		return nil, err
	}
	if o.real, err = filepath.EvalSymlinks(o.dir); err != nil {
		return nil, err
	}
	o.outputs = bazelOutputs(o.real)
	return o, nil
}

// bazelOutputs returns where the links lead that Bazel makes in a workspace:
// bazel-out, bazel-bin and others. A link of such a name that leads elsewhere was
// not made by Bazel.
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
		if out, ok := outputFolder(to); ok {
			list = append(list, out)
		}
	}
	return list
}

// outputFolder returns the folder ".../execroot/NAME/bazel-out" of a path in it.
func outputFolder(path string) (string, bool) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := 0; i+2 < len(parts); i++ {
		if parts[i] == "execroot" && parts[i+2] == "bazel-out" {
			return filepath.FromSlash(strings.Join(parts[:i+3], "/")), true
		}
	}
	return "", false
}

// resolve returns the path of a file without links, and the folder that it has
// to stay in, "" for any.
func (o *opener) resolve(name string) (path, within string, err error) {
	path, err = filepath.EvalSymlinks(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		var why *fs.PathError
		if errors.As(err, &why) {
			err = why.Err // the name is in front of it already
		}
		return "", "", &openError{name, fmt.Errorf("cannot be read: %w", err)}
	}
	if o.dir == "" {
		return path, "", nil
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	if !isBelow(abs, o.dir) && !isBelow(abs, o.real) {
		return path, "", nil // the user has named a file elsewhere
	}
	for _, folder := range append([]string{o.real}, o.outputs...) {
		if isBelow(path, folder) {
			return path, folder, nil
		}
	}
	return "", "", &openError{name, errors.New("is a link that leads out of the workspace")}
}

func isBelow(path, folder string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}

// open opens a regular file, and nothing that would never end.
func (o *opener) open(name string) (*os.File, error) {
	path, within, err := o.resolve(name)
	if err != nil {
		return nil, err
	}
	f, err := openWithin(path, within)
	if err != nil {
		var why *fs.PathError
		if errors.As(err, &why) {
			err = why.Err
		}
		return nil, &openError{name, fmt.Errorf("cannot be read: %w", err)}
	}
	// It is looked at after it was opened, so that it cannot change in between.
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &openError{name, errors.New("is not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openFlags open also pipes that nobody writes to, at once.
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

// read reads a file, or the content of it that is known already.
func read[T any](o *opener, f File, decode func(name string, r io.Reader) (T, error)) (v T, err error) {
	if f.Data != nil {
		return decode(f.Name, bytes.NewReader(f.Data))
	}
	file, err := o.open(f.Name)
	if err != nil {
		return v, err
	}
	defer file.Close()
	return decode(f.Name, file)
}
