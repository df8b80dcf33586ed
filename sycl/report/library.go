package report

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// tags matches wheel tags in a label.
	tags = regexp.MustCompile(` \([^()/]*\)`)
	// pythonDirectory matches the name of a directory for one Python version.
	pythonDirectory = regexp.MustCompile(`^python[0-9.]+$`)
	// libraryEnd matches platform-specific and Python-specific parts of a file name.
	libraryEnd = regexp.MustCompile(`(\.(cpython|cp|pypy|graalpy)[0-9-][^.]*|\.abi3)?(-[0-9a-f]{8,})?(\.[0-9]+)*(\.so(\.[0-9]+)*|\.dll|\.pyd|\.dylib|\.lib|\.a|\.exe)$`)
)

// directories are the names of directories that only some platforms use.
var directories = []string{"lib", "lib64", "bin", "library", "site-packages"}

// LibraryName returns a label without the parts that differ between platforms and Python versions:
// for "lib/libx.so.2" and "Library/bin/x.dll", it returns "x".
func LibraryName(label string) string {
	parts := strings.Split(strings.ToLower(tags.ReplaceAllString(label, "")), "/")
	kept := parts[:0]
	for i, part := range parts {
		isLast := i == len(parts)-1
		if isLast || !slices.Contains(directories, part) && !pythonDirectory.MatchString(part) {
			kept = append(kept, part)
		}
	}
	last := &kept[len(kept)-1]
	*last = strings.TrimPrefix(libraryEnd.ReplaceAllString(*last, ""), "lib")
	return strings.Join(kept, "/")
}
