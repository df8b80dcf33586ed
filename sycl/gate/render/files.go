package render

import (
	"path"
	"path/filepath"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A fileLocation is a location in a file of the repository. Line and column are 0 if it refers to
// the whole file.
type fileLocation struct {
	path         string
	line, column int
}

// fileOf returns the location of a finding: the line in the source, the BUILD file, the policy or
// the baseline if it is known, or else the checked binary, or else the report on the binary. ok is
// false for a finding that is not about a file.
func fileOf(r *gate.Result, f *gate.Finding) (at fileLocation, ok bool) {
	if safetext.IsPath(f.Path) {
		return fileLocation{f.Path, f.Line, f.Column}, true
	}
	i := slices.IndexFunc(r.Targets, func(t gate.TargetSummary) bool { return t.Label == f.Target })
	if i >= 0 {
		for _, name := range r.Targets[i].Reports {
			if name, ok := inRepository(name); ok {
				return fileLocation{path: name}, true
			}
		}
	}
	return fileLocation{path: r.Policy.File}, f.Target == "" && safetext.IsPath(r.Policy.File)
}

// inRepository returns a path relative to the repository. For a file outside of it, the path is the
// base name.
func inRepository(name string) (string, bool) {
	if name = filepath.ToSlash(name); !safetext.IsPath(name) {
		name = path.Base(name)
	}
	return name, safetext.IsPath(name)
}
