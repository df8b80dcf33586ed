// Package srcloc has places in the source of a program: where a kernel is, and what
// makes it need an aspect of a device.
//
// Device code has them as debug information, which a build does not ship. They stay
// in a property set of the device image ([Set]), which package propset reads and
// DPC++'s runtime ignores, and they are part of compatibility reports.
package srcloc

import (
	"cmp"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
)

// A Location is a place in the source. The zero Location is none.
type Location struct {
	Column uint32 `json:"column,omitempty"` // 0 when not known
	Line   uint32 `json:"line"`             // 0 when not known
	Path   string `json:"path"`             // with "/"; relative to the workspace, see [WorkspacePath], where nothing else is said
}

// IsZero reports whether there is no place.
func (l Location) IsZero() bool { return l == Location{} }

// String returns path:line:column, without what is not known.
func (l Location) String() string {
	s := l.Path
	if l.Line > 0 {
		s += ":" + strconv.FormatUint(uint64(l.Line), 10)
		if l.Column > 0 {
			s += ":" + strconv.FormatUint(uint64(l.Column), 10)
		}
	}
	return s
}

// Compare orders places by path, line and column. No place comes first.
func (l Location) Compare(o Location) int {
	return cmp.Or(strings.Compare(l.Path, o.Path), cmp.Compare(l.Line, o.Line), cmp.Compare(l.Column, o.Column))
}

// An Origin is what makes a kernel need an aspect: the function that uses the
// feature, and the place there.
type Origin struct {
	Aspect   aspect.Named `json:"aspect"`
	Function string       `json:"function,omitempty"` // "" for the kernel's own code
	Location Location     `json:"location,omitzero"`
}

// Compare orders origins by aspect, function and place.
func (o Origin) Compare(p Origin) int {
	return cmp.Or(cmp.Compare(o.Aspect.Value, p.Aspect.Value), strings.Compare(o.Aspect.Name, p.Aspect.Name),
		strings.Compare(o.Function, p.Function), o.Location.Compare(p.Location))
}

// A Kernel is what is known of the source of one kernel.
type Kernel struct {
	Location Location
	Origins  []Origin // at most one for each aspect
}

// IsZero reports whether nothing is known.
func (k Kernel) IsZero() bool { return k.Location.IsZero() && len(k.Origins) == 0 }

// WorkspacePath returns the path of a source, as a compiler wrote it down,
// relative to the workspace and with "/". It fails for files outside of the
// workspace: those of other repositories and of the system, and links that a
// build makes for the time of a compilation. The folders in which Bazel runs a
// compiler and puts generated sources are no part of the path.
func WorkspacePath(file string) (string, bool) {
	if len(file) > maxPath || !utf8.ValidString(file) || strings.ContainsFunc(file, unicode.IsControl) {
		return "", false
	}
	file = strings.ReplaceAll(file, `\`, "/")
	const execroot = "/execroot/"
	if at := strings.LastIndex(file, execroot); at >= 0 {
		_, file, _ = strings.Cut(file[at+len(execroot):], "/")
	}
	file = path.Clean(strings.TrimPrefix(file, "/proc/self/cwd/"))
	if output, ok := strings.CutPrefix(file, "bazel-out/"); ok {
		parts := strings.SplitN(output, "/", 3) // configuration, bin, path
		if len(parts) < 3 || strings.Contains(file, "/_virtual_includes/") {
			return "", false
		}
		file = parts[2]
	}
	root, _, _ := strings.Cut(file, "/")
	if root == "" || root == "." || root == ".." || root == "external" || root == "bazel-out" || strings.ContainsAny(file, ":<>") {
		return "", false
	}
	return file, true
}

// Below returns a path from a folder on when it is an absolute one below one of the folders,
// which are absolute, and the path as it is otherwise. Compilers that are called with an
// absolute path, as CMake calls them, write that down.
func Below(file string, folders []string) string {
	clean := path.Clean(strings.ReplaceAll(file, `\`, "/"))
	for _, folder := range folders {
		folder = strings.TrimSuffix(strings.ReplaceAll(folder, `\`, "/"), "/")
		if rest, ok := strings.CutPrefix(clean, folder+"/"); ok && folder != "" {
			return rest
		}
	}
	return file
}

const maxPath = 4096
