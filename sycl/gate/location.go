package gate

import (
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A locator finds the source locations of findings, and caches them.
type locator struct {
	Workspace
	files   map[string]bool
	targets map[string]srcloc.Location
}

// find returns the location of a problem: the function that needs the missing feature, or else the
// kernel, or else the declaration of the target. It also returns the functions.
func (l *locator) find(label string, k *kernel, p *problem) (at srcloc.Location, functions []string) {
	if k != nil {
		at, functions = l.uses(k, p)
		if at.IsZero() && l.hasFile(k.location.Path) {
			at = k.location
		}
	}
	if at.IsZero() {
		at = l.target(label)
	}
	return at, functions
}

// uses returns the functions that use a missing aspect, and the first known location in them.
func (l *locator) uses(k *kernel, p *problem) (at srcloc.Location, functions []string) {
	if p.rule != compat.MissingAspect && p.cause != compat.MissingAspect {
		return at, nil
	}
	for _, o := range k.origins {
		if o.Aspect.Name != p.required {
			continue
		}
		if o.Function != "" && !slices.Contains(functions, o.Function) {
			functions = append(functions, o.Function)
		}
		if at.IsZero() && l.hasFile(o.Location.Path) {
			at = o.Location
		}
	}
	return at, functions
}

func (l *locator) hasFile(path string) bool {
	if !safetext.IsPath(path) {
		return false
	}
	if l.Workspace == nil {
		return true
	}
	known, ok := l.files[path]
	if !ok {
		known = l.HasFile(path)
		l.files[path] = known
	}
	return known
}

// target returns the location where a target is declared.
func (l *locator) target(label string) srcloc.Location {
	if at, ok := l.targets[label]; ok {
		return at
	}
	var at srcloc.Location
	if l.Workspace == nil {
		if file := buildFile(label); file != "" {
			at = srcloc.Location{Path: file, Line: 1}
		}
	} else if file, line, ok := l.Target(label); ok && safetext.IsPath(file) {
		at = srcloc.Location{Path: file, Line: uint32(line)}
	}
	l.targets[label] = at
	return at
}

// SplitLabel splits the label of a target in the main repository into package and name.
func SplitLabel(label string) (pkg, name string, ok bool) {
	rest := strings.TrimPrefix(strings.TrimPrefix(label, "@"), "@")
	rest, ok = strings.CutPrefix(rest, "//")
	if !ok {
		return "", "", false
	}
	pkg, name, ok = strings.Cut(rest, ":")
	if !ok {
		name = pkg[strings.LastIndexByte(pkg, '/')+1:]
	}
	if pkg != "" && !safetext.IsPath(pkg) || !safetext.IsPath(name) {
		return "", "", false
	}
	return pkg, name, true
}

// buildFile returns the file that probably declares a target of the main repository, or "" for
// other labels.
func buildFile(label string) string {
	pkg, _, ok := SplitLabel(label)
	switch {
	case !ok:
		return ""
	case pkg == "":
		return "BUILD.bazel"
	}
	return pkg + "/BUILD.bazel"
}
