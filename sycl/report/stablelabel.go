package report

import (
	"regexp"
	"strings"
)

// Parts of file names that vary between releases of Python, a platform or a library.
var (
	// soVersion is the version suffix of a shared library's name.
	soVersion = regexp.MustCompile(`\.so(\.[0-9]+)+$`)
	// vendored is the hash that auditwheel (8 digits) and delvewheel (32) add to the names of
	// libraries copied into a wheel.
	vendored = regexp.MustCompile(`(\.libs/[^/]*?)-(?:[0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(\.[^/]*)$`)
	// moduleTag is the tag in the name of a Python extension module, such as
	// ".cpython-311-x86_64-linux-gnu", ".cp312-win_amd64", ".pypy39-pp73-darwin" and ".abi3". In
	// policy patterns, part of it may be "*".
	moduleTag = regexp.MustCompile(`\.(?:cpython-[0-9*]+[a-z]*|cp[0-9*]+[a-z]*|pypy[0-9*]+-pp[0-9*]+|graalpy[0-9*]*-[0-9*]+|abi[0-9]+t?)(?:-[0-9A-Za-z_*-]+)?(\.(?:so|pyd|dll))$`)
	// buildDir is a setuptools build directory, such as "lib.linux-x86_64-cpython-311".
	buildDir = regexp.MustCompile(`(^|/)(lib|temp|bdist)\.(?:linux|macosx|win)[^/]*/`)
	// tagDir is a directory named by wheel tags, such as "cp311-cp311-linux_x86_64".
	tagDir = regexp.MustCompile(`(^|/)(?:cp|pp)[0-9]+t?(?:-[0-9A-Za-z_]+)*/`)
	// pythonDir is the module directory of one Python release.
	pythonDir = regexp.MustCompile(`(^|/)python[0-9]\.[0-9]+t?(/)`)
)

// StableLabel returns a label without the parts that vary between releases of Python, a platform or
// a library: Python and platform tags, the hashes of auditwheel and delvewheel, and the versions of
// shared libraries.
func StableLabel(label string) string {
	s := WithoutVersion(label)
	if strings.Contains(s, ".libs/") {
		s = vendored.ReplaceAllString(s, "$1$2")
	}
	s = moduleTag.ReplaceAllString(s, "$1")
	if strings.Contains(s, "/") {
		s = buildDir.ReplaceAllString(s, "$1$2/")
		s = tagDir.ReplaceAllString(s, "$1")
		s = pythonDir.ReplaceAllString(s, "${1}python$2")
	}
	return s
}

// WithoutVersion returns a label without the version of a shared library: libk.so for libk.so.8.0.0.
func WithoutVersion(label string) string { return soVersion.ReplaceAllString(label, ".so") }
