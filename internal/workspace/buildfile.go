package workspace

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"github.com/bazelbuild/buildtools/build"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Builds holds the BUILD files of a workspace for programs that edit them. It does not read or
// write anything outside of the workspace.
type Builds struct {
	dir     string // without links
	sources *Sources
	files   map[string]*BuildFile
}

// A BuildFile is a BUILD file.
type BuildFile struct {
	Path   string // relative to the workspace, with "/"
	Before []byte
	Parsed *build.File // may be modified
}

// After returns the new content of the file, formatted like buildifier.
func (f *BuildFile) After() []byte { return build.Format(f.Parsed) }

// OpenBuilds opens a workspace.
func OpenBuilds(workspace string) (*Builds, error) {
	dir, err := Open(workspace)
	if err != nil {
		return nil, safetext.Error(err)
	}
	sources := dir.Sources()
	if sources == nil {
		return nil, cli.Usagef("the workspace is empty; name a directory")
	}
	return &Builds{dir.real, sources, map[string]*BuildFile{}}, nil
}

// Close closes the workspace.
func (b *Builds) Close() error { return b.sources.root.Close() }

// Find returns the BUILD file of a label and the rule in it, or nil if there is no call with that
// name.
func (b *Builds) Find(label string) (*BuildFile, *build.Rule, error) {
	pkg, name, ok := gate.SplitLabel(label)
	if !ok {
		return nil, nil, fmt.Errorf("%q is not a target in this workspace; only BUILD files in the workspace can be edited", label)
	}
	where, _, ok := b.sources.Target(label)
	if !ok {
		return nil, nil, fmt.Errorf("no BUILD file for %s in the workspace", "//"+pkg)
	}
	f, err := b.file(where)
	if err != nil {
		return nil, nil, err
	}
	return f, ruleNamed(f.Parsed, name), nil
}

func (b *Builds) file(where string) (*BuildFile, error) {
	if f := b.files[where]; f != nil {
		return f, nil
	}
	data, parsed, err := b.sources.parse(where)
	if err != nil {
		return nil, err
	}
	f := &BuildFile{where, data, parsed}
	b.files[where] = f
	return f, nil
}

// maxNesting is the maximum bracket depth of a BUILD file. With thousands of brackets, the
// formatting library takes minutes.
const maxNesting = 500

// parseBuild parses a BUILD file. Brackets in strings and comments count toward the limit.
func parseBuild(where string, data []byte) (*build.File, error) {
	open, line := 0, 1
	for _, c := range data {
		switch c {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open = max(open-1, 0)
		case '\n':
			line++
		}
		if open > maxNesting {
			return nil, fmt.Errorf("%s:%d: brackets are nested too deeply (limit %d)", where, line, maxNesting)
		}
	}
	return build.ParseBuild(where, data)
}

// Write replaces the files that were read, either all of them or none. It returns an error if one
// of them has changed in the meantime.
func (b *Builds) Write(files []*BuildFile) error {
	var g outfile.Group
	defer g.Close()
	for _, f := range files {
		if err := b.unchanged(f); err != nil {
			return err
		}
		if err := g.Write(filepath.Join(b.dir, filepath.FromSlash(f.Path)), func(w io.Writer) error {
			_, err := w.Write(f.After())
			return err
		}); err != nil {
			return err
		}
	}
	return g.Commit()
}

// unchanged returns an error if a file differs from the file that was read.
func (b *Builds) unchanged(f *BuildFile) error {
	root := b.sources.root
	info, err := root.Lstat(f.Path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: symbolic link; refusing to write to it", f.Path)
	}
	now, err := root.ReadFile(f.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, f.Before) {
		return fmt.Errorf("%s: the file changed while it was being read; run the command again", f.Path)
	}
	return nil
}
