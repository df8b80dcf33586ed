package gate

import (
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// locator finds the places of findings in the source, and keeps what it found.
type locator struct {
	Workspace
	files   map[string]bool
	targets map[string]place
}

type place struct {
	path string
	line int
}

// find returns where a problem is: in the function that needs what the device
// lacks, else at the kernel, else where the target is declared. It also returns
// the functions.
func (l *locator) find(label string, k *kernel, p *problem) (path string, line int, functions []string) {
	if k != nil {
		for _, o := range k.origins {
			if o.Aspect.Name != p.required || p.rule != "missing-aspect" && p.cause != "missing-aspect" {
				continue
			}
			if o.Function != "" && !slices.Contains(functions, o.Function) {
				functions = append(functions, o.Function)
			}
			if path == "" && l.hasFile(o.Location.Path) {
				path, line = o.Location.Path, int(o.Location.Line)
			}
		}
		if path == "" && l.hasFile(k.location.Path) {
			path, line = k.location.Path, int(k.location.Line)
		}
	}
	if path == "" {
		at := l.target(label)
		path, line = at.path, at.line
	}
	return path, line, functions
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
		if l.files == nil {
			l.files = map[string]bool{}
		}
		known = l.HasFile(path)
		l.files[path] = known
	}
	return known
}

func (l *locator) target(label string) place {
	if at, ok := l.targets[label]; ok {
		return at
	}
	var at place
	if l.Workspace == nil {
		at.path = BuildFile(label)
		at.line = min(len(at.path), 1)
	} else if path, line, ok := l.Target(label); ok && safetext.IsPath(path) {
		at = place{path, line}
	}
	if l.targets == nil {
		l.targets = map[string]place{}
	}
	l.targets[label] = at
	return at
}

// SplitLabel returns the package and the name of a target of the main
// repository.
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

// BuildFile returns where a target of the main repository is probably declared,
// "" for other labels.
func BuildFile(label string) string {
	pkg, _, ok := SplitLabel(label)
	switch {
	case !ok:
		return ""
	case pkg == "":
		return "BUILD.bazel"
	}
	return pkg + "/BUILD.bazel"
}
