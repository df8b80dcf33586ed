package buildstep

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// llvmReleases lists the suffixes of LLVM's program names in order of preference. 0 means no
// suffix.
var llvmReleases = []int{0, 24, 23, 22, 21}

var llvmVersion = regexp.MustCompile(`LLVM version (\d+)\.`)

// OldestLLVM is the oldest LLVM release that the steps support.
const OldestLLVM = 21

// FindLLVM searches PATH for LLVM programs of one release, which must be at least oldest, and
// returns their paths. The error lists the missing programs.
func FindLLVM(oldest int, names ...string) ([]string, error) {
	return FindLLVMIn(filepath.SplitList(os.Getenv("PATH")), oldest, names...)
}

// FindLLVMIn is like FindLLVM but searches the given directories. A release that is too old does
// not hide a suitable release in a later directory.
func FindLLVMIn(dirs []string, oldest int, names ...string) ([]string, error) {
	var best []string // programs that the most complete release lacks
	for _, release := range llvmReleases {
		if release != 0 && release < oldest {
			continue
		}
		suffix := ""
		if release != 0 {
			suffix = fmt.Sprintf("-%d", release)
		}
		for _, dir := range dirs {
			var missing []string
			paths := make([]string, len(names))
			for i, name := range names {
				var err error
				if paths[i], err = exec.LookPath(filepath.Join(cmp.Or(dir, "."), name+suffix)); err != nil || release == 0 && !notOlder(paths[i], oldest) {
					missing = append(missing, name)
				}
			}
			if len(missing) == 0 {
				return paths, nil
			}
			if best == nil || len(missing) < len(best) {
				best = missing
			}
		}
	}
	if best == nil {
		best = names
	}
	return nil, fmt.Errorf("%s of LLVM %d or newer, all of one release, not found in PATH (Debian: llvm-%[2]d)", strings.Join(best, ", "), oldest)
}

// notOlder reports whether the version that a program prints is at least oldest.
func notOlder(path string, oldest int) bool {
	out, err := exec.Command(path, "--version").Output()
	m := llvmVersion.FindSubmatch(out)
	if err != nil || m == nil {
		return false
	}
	release, err := strconv.Atoi(string(m[1]))
	return err == nil && release >= oldest
}
