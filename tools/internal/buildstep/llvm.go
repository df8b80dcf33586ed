package buildstep

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// llvmReleases are what the names of LLVM's programs end in, in order of preference: 0 is for names
// without a release.
var llvmReleases = []int{0, 24, 23, 22, 21}

var llvmVersion = regexp.MustCompile(`LLVM version (\d+)\.`)

// FindLLVM looks in PATH for programs of LLVM, all of one release that is not older than `oldest`, and
// returns their paths. The error names `oldest` and what is missing.
func FindLLVM(oldest int, names ...string) ([]string, error) {
	var best []string // what the release lacks that lacks least
	for i, release := range llvmReleases {
		if release != 0 && release < oldest {
			continue
		}
		var missing []string
		paths := make([]string, len(names))
		for i, name := range names {
			if release != 0 {
				name = fmt.Sprintf("%s-%d", name, release)
			}
			var err error
			if paths[i], err = exec.LookPath(name); err != nil || release == 0 && !notOlder(paths[i], oldest) {
				missing = append(missing, names[i])
			}
		}
		if len(missing) == 0 {
			return paths, nil
		}
		if i == 0 || len(missing) < len(best) {
			best = missing
		}
	}
	return nil, fmt.Errorf("%s of LLVM %d or newer, all of one release, is not in PATH (Debian: llvm-%[2]d)", strings.Join(best, ", "), oldest)
}

// notOlder reports whether a program is of some release of LLVM or newer, as it says itself.
func notOlder(path string, oldest int) bool {
	out, err := exec.Command(path, "--version").Output()
	m := llvmVersion.FindSubmatch(out)
	if err != nil || m == nil {
		return false
	}
	release, err := strconv.Atoi(string(m[1]))
	return err == nil && release >= oldest
}
