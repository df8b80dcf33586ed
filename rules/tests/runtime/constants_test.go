package runtime

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var constants = flag.String("constants", "", "`path` of set_constants, linked to that runtime and to the file constant")

// set runs set_constants, and returns its output.
func (d device) set(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(*constants, args...)
	cmd.Env = append(os.Environ(), d.environment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestFileConstants checks that a program can set values in a SYCLBIN in input state, but not in
// other states.
func TestFileConstants(t *testing.T) {
	const want = "default: 7\nbundle has: 7\nbundle: 42\ncompiled and linked: 43\nexecutable: 7\nhandler: 7\n"
	input, executable := convert(t, "constant", "input"), convert(t, "constant", "executable")
	if got := cpu(t).set(t, input, executable); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}

	// If there is native code for the device, the runtime of 2025.3 uses it, regardless of the
	// values that are set.
	native := want
	if strings.HasPrefix(*release, "2025") {
		native = strings.NewReplacer("42", "7", "43", "7").Replace(want)
	}
	if got := fake(t, gpuNamed(t, "intel_gpu_pvc"), extract(t, executable)).set(t, input, executable); got != native {
		t.Errorf("beside native code: got\n%swant\n%s", got, native)
	}
}

// TestConstantsSetAhead checks that kernels read the values that were set ahead of time unless a
// program sets other values, and that a bundle returns the default value in the program's source.
func TestConstantsSetAhead(t *testing.T) {
	var files []string
	for _, state := range []string{"input", "executable"} {
		file := filepath.Join(t.TempDir(), "specialized.syclbin")
		mustPack(t, "specialize", "--set=size=12", "--drop-fixed", "--output="+file, convert(t, "constant", state))
		files = append(files, file)
	}
	const want = "default: 12\nbundle has: 7\nbundle: 42\ncompiled and linked: 43\nexecutable: 12\nhandler: 12\n"
	if got := cpu(t).set(t, files...); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestProgramConstants checks that the runtime uses native code until a program sets a constant,
// and SPIR-V afterwards.
func TestProgramConstants(t *testing.T) {
	const want = "default: 7\nhandler: 42\nbundle: 43\ndefault again: 7\n"
	if got := cpu(t).set(t); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	d := fake(t, gpuNamed(t, "intel_gpu_pvc"), extract(t, convert(t, "constant", "executable")))
	if got := d.set(t); got != want {
		t.Errorf("beside native code: got\n%swant\n%s", got, want)
	}
	given := d.logged(t).given
	if first := given[0]; !strings.HasPrefix(first, "native ") || !slices.ContainsFunc(given, func(s string) bool { return strings.HasPrefix(s, "ir ") }) {
		t.Errorf("the device was given %q, want native code and then SPIR-V", given)
	}
}
