// Package srcloc represents source locations of a program: the location of a kernel, and the
// locations that make it require a device aspect.
//
// They come from the debug information of device code, which builds do not ship. They are stored in
// a property set of the device image ([Set]), which DPC++'s runtime ignores, and they are part of
// compatibility reports.
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

// A Location is a location in a source file. The zero Location means that the location is unknown.
type Location struct {
	Column uint32 `json:"column,omitempty"` // 0 if unknown
	Line   uint32 `json:"line"`             // 0 if unknown
	Path   string `json:"path"`             // with "/"; relative to the workspace, see [WorkspacePath], unless stated otherwise
}

// IsZero reports whether the location is unknown.
func (l Location) IsZero() bool { return l == Location{} }

// String returns path:line:column, without unknown parts.
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

// Compare orders locations by path, line and column. Unknown locations come first.
func (l Location) Compare(o Location) int {
	return cmp.Or(strings.Compare(l.Path, o.Path), cmp.Compare(l.Line, o.Line), cmp.Compare(l.Column, o.Column))
}

// An Origin is the cause of a kernel's aspect requirement: the function that uses the feature, and
// the location of the use.
type Origin struct {
	Aspect   aspect.Named `json:"aspect"`
	Function string       `json:"function,omitempty"` // "" for the kernel's own code
	Location Location     `json:"location,omitzero"`
}

// Compare orders origins by aspect, function and location.
func (o Origin) Compare(p Origin) int {
	return cmp.Or(cmp.Compare(o.Aspect.Value, p.Aspect.Value), strings.Compare(o.Aspect.Name, p.Aspect.Name),
		strings.Compare(o.Function, p.Function), o.Location.Compare(p.Location))
}

// A Kernel holds the source information about one kernel.
type Kernel struct {
	Location Location
	Origins  []Origin // at most one per aspect
}

// IsZero reports whether there is no information.
func (k Kernel) IsZero() bool { return k.Location.IsZero() && len(k.Origins) == 0 }

// WorkspacePath returns the path of a source, as recorded by a compiler, relative to the workspace
// and with "/". It fails for files outside of the workspace: files of other repositories and of the
// system, and temporary links that a build creates for a compilation. The path does not include the
// directories in which Bazel runs a compiler or puts generated sources.
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
		parts := strings.SplitN(output, "/", 3) // configuration, "bin" and path
		if len(parts) < 3 || strings.Contains(file, "/_virtual_includes/") {
			return "", false
		}
		file = parts[2]
	}
	root, _, _ := strings.Cut(file, "/")
	if root == "" || root == "." || root == ".." || root == "external" || root == "bazel-out" ||
		len(root) > 1 && root[1] == ':' || strings.HasPrefix(file, "<") && strings.HasSuffix(file, ">") {
		return "", false
	}
	return file, true
}

// RelativeTo returns file relative to one of dirs, which are absolute, if file is an absolute path
// below that directory, or else file unchanged. Compilers that are called with absolute paths, for
// example by CMake, record absolute paths.
func RelativeTo(file string, dirs []string) string {
	clean := path.Clean(strings.ReplaceAll(file, `\`, "/"))
	for _, dir := range dirs {
		dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
		if rest, ok := strings.CutPrefix(clean, dir+"/"); ok && dir != "" {
			return rest
		}
	}
	return file
}

const maxPath = 4096
