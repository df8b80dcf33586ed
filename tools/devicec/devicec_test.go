package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// These functions run the tool in the current directory.
var (
	program  = testkit.Tool(func() *cli.Tool { return tool(nil) })
	run      = program.Exit
	mustRun  = program.MustRun
	checkRun = program.CheckRun
)

func TestTranslateNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	translate := func(in string) (int, string) {
		return run(t, "translate", "--llvm-spirv", "/nonexistent", "--spirv-val", "/nonexistent",
			"--code-dir", "spv", "--properties-dir", "prop", "--table", "out.table", in)
	}
	testkit.WriteFile(t, "k.table", "[Code|Symbols]\n")
	if code, stderr := translate("k.table"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "out.table"); got != "[Code|Properties|Symbols]\n" {
		t.Errorf("table: %q", got)
	}
	for _, dir := range []string{"spv", "prop"} {
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%s: %v, %v", dir, files, err)
		}
	}
	testkit.WriteFile(t, "k.bc", "")
	if code, stderr := translate("k.bc"); code != cli.ExitBadInput || !strings.Contains(stderr, "k.bc: the module is empty") {
		t.Errorf("exit %d: %s", code, stderr)
	}

	testkit.WriteFile(t, "lost.table", "[Code|Properties|Symbols]\ngone.bc|k.prop|k.sym\n")
	if code, stderr := translate("lost.table"); code != cli.ExitBadInput || !strings.Contains(stderr, "lost.table: gone.bc: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}

	// An empty module is an error if the property file lists a kernel.
	testkit.WriteFile(t, "empty.table", "[Code|Properties|Symbols]\nk.bc|k.prop|k.sym\n")
	const none = "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n"
	testkit.WriteFile(t, "k.prop", none)
	if code, stderr := translate("empty.table"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "out.table"); got != "[Code|Properties|Symbols]\nspv/k.spv|prop/k.prop|prop/k.sym\n" {
		t.Errorf("table: %q", got)
	}
	if code, properties, symbols := testkit.ReadFile(t, "spv/k.spv"), testkit.ReadFile(t, "prop/k.prop"), testkit.ReadFile(t, "prop/k.sym"); code != "" || properties != none || symbols != "" {
		t.Errorf("the image is %q, %q, %q", code, properties, symbols)
	}
	testkit.WriteFile(t, "k.prop", "[SYCL/kernel names]\n_ZTS4Axpy=1|1\n")
	if code, stderr := translate("empty.table"); code != cli.ExitBadInput || !strings.Contains(stderr, "k.bc: the module is empty, but k.prop lists the kernel 'Axpy'") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// ir is a module with a kernel that uses double, as clang prints it.
const ir = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS4Axpy(ptr addrspace(1) %x) #0 {
  %v = load double, ptr addrspace(1) %x
  %w = fadd double %v, %v
  store double %w, ptr addrspace(1) %x
  ret void
}

define i32 @main() #0 {
  ret i32 0
}

attributes #0 = { nounwind }
`

func TestKernelsWithSameName(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.ll", ir)
	testkit.WriteFile(t, "other.ll", strings.Replace(ir, "fadd double %v, %v", "fmul double %v, %v", 1))
	dis := testkit.Script(t, "dis", `cat "$1"`)
	link := testkit.Script(t, "link", `cat "$1" "$2" > all.txt; for last; do :; done; echo linked > "$last"`)
	checkRun(t, cli.ExitBadInput, "b.cpp: kernel 'Axpy' is also defined in a.cpp, and differently", "link", "--llvm-dis", dis, "--llvm-link", link, "--output", "all.bc", "a.cpp=k.ll", "b.cpp=other.ll")
	// Both sources include a header with the kernel.
	mustRun(t, "link", "--llvm-dis", dis, "--llvm-link", link, "--output", "all.bc", "a.cpp=k.ll", "b.cpp=k.ll")
	if n := strings.Count(testkit.ReadFile(t, "all.txt"), "define spir_kernel void @_ZTS4Axpy"); n != 1 {
		t.Errorf("the kernel is there %d times", n)
	}
}

// TestRealCompilers runs the steps of a build.
func TestRealCompilers(t *testing.T) {
	dis, link, translator, val := testkit.Program(t, "llvm-dis"), testkit.Program(t, "llvm-link"), testkit.Program(t, "llvm-spirv"), testkit.Program(t, "spirv-val")
	as := testkit.Program(t, "llvm-as")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "a.ll", ir)
	// Two sources may each have a main function, which stock clang includes in the device code.
	testkit.WriteFile(t, "b.ll", strings.ReplaceAll(ir, "4Axpy", "5Other"))
	for _, name := range []string{"a", "b"} {
		if out, err := exec.Command(as, name+".ll", "-o", name+".bc").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	mustRun(t, "link", "--llvm-dis", dis, "--llvm-link", link, "--output", "all.bc", "a.cpp=a.bc", "b.cpp=b.bc")
	translate := func(in string) (int, string) {
		return run(t, "translate", "--llvm-spirv", translator, "--spirv-val", val,
			"--code-dir", ".", "--properties-dir", ".", "--table", "k.table", in)
	}
	if code, stderr := translate("all.bc"); code != 0 {
		t.Fatalf("translate: exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "all.sym"); got != "_ZTS4Axpy\n_ZTS5Other\n" {
		t.Errorf("symbols: %q", got)
	}
	// fp64 is aspect 6; the kernel names are for the runtime.
	want := "[SYCL/device requirements]\naspects=2|gAAAAAAAAAgBAAAA\n[SYCL/kernel names]\n_ZTS4Axpy=1|1\n_ZTS5Other=1|1\n"
	got, digests, _ := strings.Cut(testkit.ReadFile(t, "all.prop"), "["+propset.KernelDigests+"]\n")
	if got != want || strings.Count(digests, "\n") != 2 {
		t.Errorf("properties:\n%s\nwant\n%s\nand two digests, not\n%s", got, want, digests)
	}

	testkit.WriteFile(t, "k.table", "old")
	testkit.WriteFile(t, "cut.bc", testkit.ReadFile(t, "all.bc")[:100])
	if code, stderr := translate("cut.bc"); code != cli.ExitBadInput || !strings.Contains(stderr, "llvm-spirv") {
		t.Errorf("truncated bitcode: exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "k.table"); got != "old" {
		t.Errorf("after a failure the table holds %q", got)
	}
}
