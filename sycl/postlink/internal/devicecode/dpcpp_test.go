package devicecode

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// kinds returns the metadata kinds that properties are lowered to.
func kinds() []string {
	list := []string{decorationsMD, parameterDecorationsMD, "work_group_num_dim"}
	for _, p := range kernelProperties {
		list = append(list, p.metadata)
	}
	return list
}

// TestAsDPCPP compares the metadata from DPC++'s front end with this package's. It runs only if
// these environment variables are set:
//
//	SYCL_JIT_LIBRARY  libsycl-jit.so, with the libraries that it needs in the same directory
//	SYCL_JIT_DRIVER   the program //rules/dpcpp:driver
//	SYCL_JIT_DIS      an llvm-dis that reads the library's bitcode
func TestAsDPCPP(t *testing.T) {
	driver, library, dis := os.Getenv("SYCL_JIT_DRIVER"), os.Getenv("SYCL_JIT_LIBRARY"), os.Getenv("SYCL_JIT_DIS")
	if driver == "" || library == "" || dis == "" {
		t.Skip("SYCL_JIT_DRIVER, SYCL_JIT_LIBRARY and SYCL_JIT_DIS do not name DPC++'s compiler")
	}
	if !filepath.IsAbs(driver) { // in a Bazel test
		driver = filepath.Join(os.Getenv("TEST_SRCDIR"), driver)
	}
	dir := t.TempDir()
	bitcode, text := filepath.Join(dir, "a.bc"), filepath.Join(dir, "a.ll")
	for _, args := range [][]string{
		{driver, "compile", "--library", library, "--output", bitcode, "properties.cpp", "--", "-std=c++20", "-w"},
		{dis, bitcode, "-o", text},
	} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Dir(library))
		if args[0] == driver {
			cmd.Dir = "testdata"
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
	}
	m := parse(t, testkit.ReadFile(t, text))
	want := described(m)
	for _, symbol := range m.Functions() {
		for _, kind := range kinds() {
			symbol.RemoveMetadata(kind)
		}
	}
	for _, symbol := range m.Globals() {
		symbol.RemoveMetadata(decorationsMD)
	}
	m.SetNamed(executionModeMD)
	m = parse(t, write(t, m))
	if before := described(m); len(before) > 0 || len(want) < 15 {
		t.Fatalf("left over: %q\nof %q", before, want)
	}
	diagnostics, err := LowerProperties(m, PropertyOptions{DPCPP: true})
	if err != nil || len(diagnostics) > 0 {
		t.Fatal(diagnostics, err)
	}
	got := described(m)
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("DPC++ does not make %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("only DPC++ makes %s", line)
		}
	}
}

// described returns a line for each piece of metadata from properties.
func described(m *llvmir.Module) []string {
	var lines []string
	add := func(name string, list []llvmir.Attachment) {
		for _, a := range list {
			if slices.Contains(kinds(), a.Kind) {
				lines = append(lines, name+" "+attached(m, []llvmir.Attachment{a}))
			}
		}
	}
	for _, f := range m.Kernels() {
		add(f.Name(), f.Attachments())
	}
	for _, g := range m.Globals() {
		add(g.Name(), g.Attachments())
	}
	for mode := range strings.Lines(named(m, executionModeMD)) {
		lines = append(lines, strings.TrimSpace(mode))
	}
	slices.Sort(lines)
	return lines
}
