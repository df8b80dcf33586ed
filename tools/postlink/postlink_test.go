package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// These functions run the tool in the current directory.
var (
	run     = testkit.Tool(func() *cli.Tool { return tool(nil) }).Exit
	mustRun = testkit.Tool(func() *cli.Tool { return tool(nil) }).MustRun
)

func runProgram(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// ir is a module with two kernels of two sources that share a function, a host function that a
// static constructor keeps alive, and a kernel that calls an undefined function.
const ir = `target triple = "spirv64-unknown-unknown"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @host, ptr null }]
@shared = addrspace(1) constant i32 1

define spir_kernel void @_ZTS1A(ptr addrspace(1) %x) #0 {
  %v = call i32 @_Z4helpv()
  store i32 %v, ptr addrspace(1) %x
  ret void
}

define spir_kernel void @_ZTSN9sycl_lite11kernel_withI1BLj64ELj1ELj1ELj16EEE(ptr addrspace(1) %x) #1 {
  %v = call i32 @_Z4helpv()
  store i32 %v, ptr addrspace(1) %x
  ret void
}

define i32 @_Z4helpv() #2 {
  %v = load i32, ptr addrspace(1) @shared
  ret i32 %v
}

define void @host() {
  call void @_Z5printv()
  ret void
}

declare void @_Z5printv()

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="dir/b.cpp" }
attributes #2 = { noinline }
`

func TestSplitWithRealCompilers(t *testing.T) {
	dis, opt := testkit.Program(t, "llvm-dis"), testkit.Program(t, "opt")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", ir)
	code, stderr := run(t, "--llvm-dis", dis, "--opt", opt,
		"--module=a.cpp=a.cpp.split", "--module=dir/b.cpp=b", "--module=c.cpp=c", "in.ll")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	disassemble := func(name string) string {
		out := testkit.Must(exec.Command(dis, name, "-o", "-").Output())(t)
		return string(out)
	}
	a, b := disassemble("a.cpp.split/0.bc"), disassemble("b/0.bc")
	for _, test := range []struct{ in, text, has, not string }{
		{"a.cpp", a, "spir_kernel void @_ZTS1A(", "kernel_with"},
		{"a.cpp", a, "@shared = addrspace(1) constant i32 1", "@host"},
		{"b.cpp", b, "!reqd_work_group_size", "_ZTS1A"},
		{"b.cpp", b, "!{i32 64, i32 1, i32 1}", "global_ctors"},
		{"b.cpp", b, "!{i32 16}", "_Z5print"},
		{"b.cpp", b, "define internal i32 @_Z4helpv()", "declare i32 @_Z4helpv()"},
	} {
		if !strings.Contains(test.text, test.has) {
			t.Errorf("the module of %s lacks %q:\n%s", test.in, test.has, test.text)
		}
		if strings.Contains(test.text, test.not) {
			t.Errorf("the module of %s has %q:\n%s", test.in, test.not, test.text)
		}
	}
	if files, err := os.ReadDir("c"); err != nil || len(files) != 0 {
		t.Errorf("modules of a source without kernels: %v, %v", files, err)
	}
	for name, want := range map[string]string{
		"a.cpp.split.table": "[Code|Properties|Symbols]\na.cpp.split/0.bc|a.cpp.split/0.prop|a.cpp.split/0.sym\n",
		"c.table":           "[Code|Properties|Symbols]\n",
		"b/0.sym":           "_ZTSN9sycl_lite11kernel_withI1BLj64ELj1ELj1ELj16EEE\n",
	} {
		if got, _ := os.ReadFile(name); string(got) != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}

	// The same input gives the same bytes.
	first, _ := os.ReadFile("b/0.bc")
	mustRun(t, "--llvm-dis", dis, "--opt", opt, "--output", "again.table", "in.ll")
	if again, err := os.ReadFile("again_0.bc"); err != nil || string(again) != string(first) {
		t.Errorf("a second run wrote another module (%v)", err)
	}
}

// TestKernelNamesWithRealCompilers checks that entry points of SPIR-V have the prefix.
func TestKernelNamesWithRealCompilers(t *testing.T) {
	dis, opt, translator := testkit.Program(t, "llvm-dis"), testkit.Program(t, "opt"), testkit.Program(t, "llvm-spirv")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", ir)
	mustRun(t, "--syclbin-kernel-names", "--llvm-dis", dis, "--opt", opt, "--split=off", "--output", "out.table", "in.ll")
	for image, want := range map[string]string{
		"out_0": "__sycl_kernel__ZTSN9sycl_lite11kernel_withI1BLj64ELj1ELj1ELj16EEE",
		"out_1": "__sycl_kernel__ZTS1A",
	} {
		runProgram(t, translator, image+".bc", "-o", "out.spv")
		data := testkit.Must(os.ReadFile("out.spv"))(t)
		m := testkit.Must(spirv.Parse(data))(t)
		if len(m.Kernels) != 1 || m.Kernels[0].Name != want || len(m.Exports) > 0 {
			t.Errorf("%s: kernels %+v, exports %v; want %s alone", image, m.Kernels, m.Exports, want)
		}
		if got, _ := os.ReadFile(image + ".sym"); string(got) != want+"\n" {
			t.Errorf("%s: symbols %q", image, got)
		}
		if sets, _ := os.ReadFile(image + ".prop"); !strings.Contains(string(sets), "[SYCL/kernel names]\n"+want+"=1|1\n") {
			t.Errorf("%s: properties\n%s", image, sets)
		}
	}
}

func TestRefusals(t *testing.T) {
	dis, opt := testkit.Program(t, "llvm-dis"), testkit.Program(t, "opt")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "undefined.ll", strings.Replace(ir, "define i32 @_Z4helpv() #2 {\n  %v = load i32, ptr addrspace(1) @shared\n  ret i32 %v\n}", "declare i32 @_Z4helpv()", 1))
	testkit.WriteFile(t, "started.ll", strings.NewReplacer("@shared = addrspace(1) constant", "@shared = addrspace(1) global", "call void @_Z5printv()", "store i32 1, ptr addrspace(1) @shared").Replace(ir))
	testkit.WriteFile(t, "none.ll", "define void @f() {\n  ret void\n}\n")
	testkit.WriteFile(t, "cut.ll", "define void @f() {\n")
	testkit.WriteFile(t, "cut.bc", "BC\xc0\xde5\x14\x00\x00\x05\x00")
	testkit.WriteFile(t, "good.ll", ir)
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"an undefined device function":   {[]string{"undefined.ll"}, cli.ExitBadInput, "a.cpp: device function 'help()' is used but no source defines it; it is called by kernel 'A'"},
		"a variable for hosts":           {[]string{"started.ll"}, cli.ExitBadInput, "error: variable 'shared' is initialized when the program starts"},
		"all errors are counted":         {[]string{"started.ll"}, cli.ExitBadInput, "postlink: error: started.ll: errors in the device code: 1"},
		"no kernel":                      {[]string{"none.ll"}, cli.ExitBadInput, "none.ll: the sources have neither kernels"},
		"truncated text":                 {[]string{"cut.ll"}, cli.ExitBadInput, "cut.ll:1:1: unterminated body of function @f"},
		"truncated bitcode":              {[]string{"cut.bc"}, cli.ExitBadInput, "llvm-dis"},
		"missing file":                   {[]string{"lost.bc"}, cli.ExitBadInput, "lost.bc"},
		"a source that no module names":  {[]string{"--output=", "--module=a.cpp=a", "good.ll"}, cli.ExitBadInput, "source 'dir/b.cpp', but there is no --module for it"},
		"an unknown split":               {[]string{"--split=whole", "good.ll"}, cli.ExitUsage, "unknown mode 'whole'; expected one of [auto per_kernel per_source off]"},
		"a module twice":                 {[]string{"--output=", "--module=a=1", "--module=a=2", "good.ll"}, cli.ExitUsage, "duplicate source 'a'"},
		"one directory for two modules":  {[]string{"--output=", "--module=a.cpp=d", "--module=dir/b.cpp=./d", "good.ll"}, cli.ExitUsage, "'d' is used for two outputs"},
		"two tables of one name":         {[]string{"-o", "intel_gpu_pvc,./out.table", "good.ll"}, cli.ExitUsage, "'out.table' is used for two outputs"},
		"a table that is a module":       {[]string{"-o", "intel_gpu_pvc,out_0.bc", "good.ll"}, cli.ExitUsage, "'out_0.bc' is used for two outputs"},
		"no disassembler":                {[]string{"--llvm-dis=/nonexistent/llvm-dis", "cut.bc"}, cli.ExitFailure, "cannot run /nonexistent/llvm-dis"},
		"bitcode without a disassembler": {[]string{"--llvm-dis=", "cut.bc"}, cli.ExitUsage, "cut.bc is LLVM bitcode; set --llvm-dis"},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.WriteFile(t, "out.table", "old")
			args := append([]string{"--llvm-dis", dis, "--opt", opt, "--output", "out.table"}, test.args...)
			code, stderr := run(t, args...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, %q; want %d, %q", code, stderr, test.code, test.want)
			}
			if table, _ := os.ReadFile("out.table"); string(table) != "old" {
				t.Errorf("the old table is gone: %q", table)
			}
		})
	}
}
