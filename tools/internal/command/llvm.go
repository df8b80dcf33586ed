package command

import (
	"fmt"
	"os/exec"
	"strings"
)

// llvmVersions are what the names of LLVM's programs end in, in order of preference.
var llvmVersions = []string{"", "-22", "-21"}

// FindLLVM looks in PATH for programs of LLVM, all of one version, and returns their paths.
func FindLLVM(names ...string) ([]string, error) {
	var best []string // what the version lacks that lacks least
	for i, version := range llvmVersions {
		var missing []string
		paths := make([]string, len(names))
		for i, name := range names {
			var err error
			if paths[i], err = exec.LookPath(name + version); err != nil {
				missing = append(missing, name)
			}
		}
		if len(missing) == 0 {
			return paths, nil
		}
		if i == 0 || len(missing) < len(best) {
			best = missing
		}
	}
	return nil, fmt.Errorf("%s of one version of LLVM is not in PATH: install it (Debian: llvm-21 and llvm-spirv-21), or give --%s",
		strings.Join(best, ", "), best[0])
}
