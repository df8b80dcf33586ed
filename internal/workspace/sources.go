package workspace

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bazelbuild/buildtools/build"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

// Sources gives access to the files of a workspace by path. It does not read files outside of it.
type Sources struct {
	root  *os.Root
	files map[string]*build.File // by path, nil for paths without a file
}

// HasFile reports whether there is a regular file.
func (w *Sources) HasFile(path string) bool {
	info, err := w.root.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Open opens a regular file.
func (w *Sources) Open(path string) (io.ReadCloser, error) {
	f, err := w.root.OpenFile(path, openFlags, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	return f, nil
}

// maxBuildFile is the maximum size of BUILD files that are read.
const maxBuildFile = 4 << 20

// Target returns the BUILD file of a label and the line where the target starts, or 1 if unknown.
func (w *Sources) Target(label string) (path string, line int, ok bool) {
	pkg, name, ok := gate.SplitLabel(label)
	if !ok {
		return "", 0, false
	}
	for _, base := range []string{"BUILD.bazel", "BUILD"} {
		path := strings.TrimPrefix(pkg+"/"+base, "/")
		if !w.HasFile(path) {
			continue
		}
		return path, w.line(path, name), true
	}
	return "", 0, false
}

// line returns the line of a BUILD file where a target starts, or 1 if unknown.
func (w *Sources) line(path, name string) int {
	f, known := w.files[path]
	if !known {
		_, f, _ = w.parse(path)
		w.files[path] = f
	}
	if f == nil {
		return 1
	}
	if r := ruleNamed(f, name); r != nil {
		start, _ := r.Call.Span()
		return cmp.Or(start.Line, 1)
	}
	return 1
}

// ruleNamed returns the rule with a name, or nil if there is none.
func ruleNamed(f *build.File, name string) *build.Rule {
	for _, r := range f.Rules("") {
		if r.Name() == name {
			return r
		}
	}
	return nil
}

// parse reads a BUILD file.
func (w *Sources) parse(path string) (data []byte, parsed *build.File, err error) {
	f, err := w.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, maxBuildFile+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > maxBuildFile {
		return nil, nil, fmt.Errorf("%s: file too large (limit %d MiB)", path, maxBuildFile>>20)
	}
	if parsed, err = parseBuild(path, data); err != nil {
		return nil, nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return data, parsed, nil
}
