package aot

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// loaderCache is the loader's cache of library names. It changes when a package with a library is
// installed.
const loaderCache = "/etc/ld.so.cache"

// compilerLibraries are the name prefixes of the compiler's libraries.
var compilerLibraries = []string{"libocloc", "libigc", "libigdfcl", "libopencl-clang"}

// libraries returns the libraries of ocloc's compiler that the dynamic loader may find: in the
// system's directories, in LD_LIBRARY_PATH and next to the program. ocloc loads them by name at run
// time, so the compiler can change without the program.
func libraries(ocloc string) []string {
	list := []string{loaderCache}
	if cache, err := os.ReadFile(loaderCache); err == nil {
		for path := range strings.SplitSeq(string(cache), "\x00") {
			if filepath.IsAbs(path) && isCompilerLibrary(filepath.Base(path)) {
				list = append(list, path)
			}
		}
	}
	dirs := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	if real, err := filepath.EvalSymlinks(ocloc); err == nil {
		for _, below := range []string{".", "../lib", "../lib64", "../lib/x86_64-linux-gnu"} {
			dirs = append(dirs, filepath.Join(filepath.Dir(real), below))
		}
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // missing directories have no libraries
		for _, e := range entries {
			if isCompilerLibrary(e.Name()) {
				list = append(list, filepath.Join(dir, e.Name()))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func isCompilerLibrary(name string) bool {
	return slices.ContainsFunc(compilerLibraries, func(begin string) bool { return strings.HasPrefix(name, begin) })
}
