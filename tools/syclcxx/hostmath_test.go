package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestHostMath links a program that refers to a function of the missing library, and runs it with
// and without calling the function.
func TestHostMath(t *testing.T) {
	gcc := testkit.Program(t, "gcc")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "main.c", "float __imf_sqrtf(float);\nint main(int argc, char **argv) { return argc > 1 ? (int)__imf_sqrtf(4) : 0; }\n")
	testkit.WriteFile(t, "math.s", ".section .note.GNU-stack,\"\",@progbits\n")
	run := func(name string, args ...string) (string, error) {
		out, err := exec.Command(name, args...).CombinedOutput()
		return string(out), err
	}
	if out, err := run(gcc, "-c", "main.c"); err != nil {
		t.Fatal(out)
	}
	names := testkit.Must(hostMath("main.o"))(t)
	if strings.Join(names, " ") != "__imf_sqrtf" {
		t.Fatalf("got %q", names)
	}
	testkit.NoError(t, addHostMath("math.s", names))
	if out, err := run(gcc, "main.o", "math.s", "-o", "main"); err != nil {
		t.Fatal(out)
	}
	if out, err := run("./main"); err != nil {
		t.Error(out, err)
	}
	if out, err := run("./main", "call"); err == nil || out != "rules_sycl: the host calls __imf_sqrtf of sycl::ext::intel::math, which only kernels can call; use a function of <cmath>\n" {
		t.Errorf("got %q, %v", out, err)
	}
	testkit.NoError(t, os.WriteFile("lib.c", []byte("float __imf_sqrtf(float x) { return x / 2; }\n"), 0o666))
	if out, err := run(gcc, "main.o", "math.s", "lib.c", "-o", "main"); err != nil {
		t.Fatal(out)
	}
	if out, _ := run("./main", "call"); out != "" {
		t.Errorf("the program's own function is not called: %q", out)
	}
}
