package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// runAs runs the tool as DPC++'s post-link step, with a file as standard input.
func runAs(t *testing.T, stdin string, args ...string) (code int, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	env := &cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	if stdin != "" {
		f := testkit.Must(os.Open(stdin))(t)
		defer f.Close()
		env.Stdin = f
	}
	code = dpcppTool().Run(t.Context(), env, args)
	return code, errs.String()
}

// mustRunAs runs the tool like runAs. It must succeed and write nothing to standard error.
func mustRunAs(t *testing.T, stdin string, args ...string) {
	t.Helper()
	if code, stderr := runAs(t, stdin, args...); code != 0 || stderr != "" {
		t.Fatalf("%q: exit code %d\n%s", args, code, stderr)
	}
}

// simd is a module of one source with an explicit SIMD kernel and an ordinary kernel.
const simd = `target triple = "spir64-unknown-unknown"
define spir_kernel void @_ZTS6Vector() #0 !sycl_explicit_simd !0 {
  ret void
}
define spir_kernel void @_ZTS6Scalar() #0 {
  ret void
}
attributes #0 = { "sycl-module-id"="a.cpp" }
!0 = !{}
`

// constants is a module with a kernel that reads a specialization constant, and a kernel that does
// not.
const constants = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"
@name = private addrspace(1) constant [5 x i8] c"size\00"
@size = internal addrspace(1) constant { i32 } { i32 7 }
define spir_kernel void @reads(ptr addrspace(1) %p) #0 {
  %v = call i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @name to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @size to ptr addrspace(4)), ptr addrspace(4) null)
  store i32 %v, ptr addrspace(1) %p
  ret void
}
define spir_kernel void @other() #0 {
  ret void
}
declare i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
attributes #0 = { "sycl-module-id"="a.cpp" }
`

// TestSpelling runs command lines as DPC++'s driver and its users write them, and checks which
// files they create.
func TestSpelling(t *testing.T) {
	for name, test := range map[string]struct {
		args  string // the word after "<" is the file for standard input
		table string // of the file after "#"
		files string // all new files
	}{
		"only code": {"-split=auto -S -o out.table in.ll",
			"[Code]#out.table|out_0.ll|out_1.ll", "out.table out_0.ll out_1.ll"},
		"aspects that are found in code": {"-split=auto -keep-aspects=false -S -o out.table in.ll",
			"[Code]#out.table|out_0.ll|out_1.ll|out_2.ll", "out.table out_0.ll out_1.ll out_2.ll"},
		"all columns, a kernel a module": {"-properties -split=kernel -symbols -S -emit-only-kernels-as-entry-points -o out.table in.ll",
			"[Code|Properties|Symbols]#out.table|out_0.ll|out_0.prop|out_0.sym|out_1.ll|out_1.prop|out_1.sym",
			"out.table out_0.ll out_0.prop out_0.sym out_1.ll out_1.prop out_1.sym"},
		"two dashes and values apart": {"--symbols --split kernel --S --o out.table in.ll --emit-only-kernels-as-entry-points=true",
			"[Code|Symbols]#out.table|out_0.ll|out_0.sym|out_1.ll|out_1.sym", "out.table out_0.ll out_0.sym out_1.ll out_1.sym"},
		"standard input": {"-properties -S -o out.table <in.ll",
			"[Code|Properties]#out.table|out_0.ll|out_0.prop", "out.table out_0.ll out_0.prop"},
		"a dash for standard input": {"-properties -S -o out.table - <in.ll",
			"[Code|Properties]#out.table|out_0.ll|out_0.prop", "out.table out_0.ll out_0.prop"},
		"no split": {"-symbols -S -o out.table in.ll",
			"[Code|Symbols]#out.table|out_0.ll|out_0.sym", "out.table out_0.ll out_0.sym"},
		"no -o":           {"-split=none -S in.ll", "[Code]#in.files|in_0.ll", "in.files in_0.ll"},
		"no -o, of stdin": {"-split=none -S <in.ll", "[Code]#-.files|-_0.ll", "-.files -_0.ll"},
		"no -o, only IR":  {"-ir-output-only -split=auto -S in.ll", "", "in.out"},
		"only IR":         {"-ir-output-only -split=auto -S in.ll -o out.ll", "", "out.ll"},
		"only the last extension of -o is not in names": {"-symbols -S -o all.files.table in.ll",
			"[Code|Symbols]#all.files.table|all.files_0.ll|all.files_0.sym", "all.files.table all.files_0.ll all.files_0.sym"},
		"-o with another extension": {"-symbols -S -o all.txt in.ll",
			"[Code|Symbols]#all.txt|all_0.ll|all_0.sym", "all.txt all_0.ll all_0.sym"},
		"a directory": {"-properties -S -out-dir=there -o out.table in.ll",
			"[Code|Properties]#out.table|there/out_0.ll|there/out_0.prop", "out.table there there/out_0.ll there/out_0.prop"},
		"a table for a target": {"-properties -S -o intel_gpu_pvc,out.table in.ll",
			"[Code|Properties]#out.table|out_0.ll|out_0.intel_gpu_pvc.prop", "out.table out_0.intel_gpu_pvc.prop out_0.ll"},
		"explicit SIMD code apart": {"-split=none -split-esimd -symbols -S -o out.table simd.ll",
			"[Code|Symbols]#out.table|out_esimd_0.ll|out_esimd_0.sym|out_0.ll|out_0.sym", "out.table out_0.ll out_0.sym out_esimd_0.ll out_esimd_0.sym"},
		"what the driver passes": {"-O2 -device-globals -properties -symbols -emit-only-kernels-as-entry-points -emit-param-info -emit-exported-symbols -emit-imported-symbols -split-esimd -lower-esimd -split=none -device-lib-dir=lib -f -S -o out.table plain.ll",
			"[Code|Properties|Symbols]#out.table|out_0.ll|out_0.prop|out_0.sym", "out.table out_0.ll out_0.prop out_0.sym"},
		"specialization constants": {"-spec-const=native -properties -split=kernel -S -o out.table constants.ll",
			"[Code|Properties]#out.table|out_0.ll|out_0.prop|out_1.ll|out_1.prop", "out.table out_0.ll out_0.prop out_1.ll out_1.prop"},
		"copies with default values": {"-spec-const=native -properties -split=kernel -S -generate-device-image-default-spec-consts -o out.table constants.ll",
			"[Code|Properties]#out.table|out_0.ll|out_0.prop|out_1.ll|out_1.prop|out_2.ll|out_2.prop", "out.table out_0.ll out_0.prop out_1.ll out_1.prop out_2.ll out_2.prop"},
		"a function that no source defines": {"-symbols -split=none -S -o out.table undefined.ll",
			"[Code|Symbols]#out.table|out_0.ll|out_0.sym", "out.table out_0.ll out_0.sym"},
		"no kernels": {"-properties -split=auto -S -o out.table none.ll",
			"[Code|Properties]#out.table|out_0.ll|out_0.prop", "out.table out_0.ll out_0.prop"},
		"no kernels, and no image of them": {"-properties -split=auto -S --allow-no-kernels -o out.table none.ll", "[Code|Properties]#out.table", "out.table"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeInputs(t)
			args, stdin := words(test.args)
			if code, stderr := runAs(t, stdin, args...); code != 0 {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			if got, want := newFiles(t), strings.Fields(test.files); !slices.Equal(got, want) {
				t.Errorf("files %q, want %q", got, want)
			}
			if columns, rest, ok := strings.Cut(test.table, "#"); ok {
				if got, want := testkit.ReadFile(t, strings.Split(rest, "|")[0]), tableOf(columns, strings.Split(rest, "|")[1:]); got != want {
					t.Errorf("table %q, want %q", got, want)
				}
			}
		})
	}
}

// TestWithoutKernels runs the step on device code without kernels. Host code finds the device
// globals by their properties.
func TestWithoutKernels(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", `target triple = "spir64-unknown-unknown"
@counter = internal addrspace(1) constant { i32 } zeroinitializer #0
define internal spir_func i32 @count() {
  %v = load i32, ptr addrspace(1) @counter
  ret i32 %v
}
attributes #0 = { "sycl-device-global-size"="4" "sycl-unique-id"="1____counter" }
`)
	mustRunAs(t, "", "-properties", "-device-globals", "-S", "-o", "out.table", "in.ll")
	for file, words := range map[string][]string{
		"out_0.ll":   {"@counter = addrspace(1) constant { i32 } zeroinitializer", "define internal spir_func i32 @count()"},
		"out_0.prop": {"[SYCL/device globals]\n1____counter=2|ABAAAAAAAAABAAAAAAAAAA\n"},
	} {
		for _, want := range words {
			if text := testkit.ReadFile(t, file); !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", file, want, text)
			}
		}
	}
}

// TestDeviceGlobalsWithoutKernels checks that an image of device globals is kept even if there are
// no kernels, in the directory of the first source if there are several.
func TestDeviceGlobalsWithoutKernels(t *testing.T) {
	t.Chdir(t.TempDir())
	const variable = "target triple = \"spir64-unknown-unknown\"\n@counter = addrspace(1) global i32 0"
	testkit.WriteFile(t, "global.ll", variable+` "sycl-device-global-size"="4" "sycl-unique-id"="id"`+"\n")
	testkit.WriteFile(t, "ordinary.ll", variable+"\n")
	for _, test := range []struct {
		args     string
		code     int
		row      string // row of the table, "" for none
		property string
	}{
		{"--output out.table global.ll", 0, "out_0.ll|out_0.prop|out_0.sym", "out_0.prop"},
		{"--allow-no-kernels --output out.table global.ll", 0, "out_0.ll|out_0.prop|out_0.sym", "out_0.prop"},
		{"--module a.cpp=out --module b.cpp=other global.ll", 0, "out/0.ll|out/0.prop|out/0.sym", "out/0.prop"},
		{"--allow-no-kernels --output out.table ordinary.ll", 0, "", ""},
		{"--output out.table ordinary.ll", cli.ExitBadInput, "", ""},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, stderr := run(t, strings.Fields(test.args)...)
			if code != test.code {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			if code != 0 {
				if want := "ordinary.ll: the sources have neither kernels nor device globals"; !strings.Contains(stderr, want) {
					t.Errorf("error %q, want %q", stderr, want)
				}
				return
			}
			want := "[Code|Properties|Symbols]\n"
			if test.row != "" {
				want += test.row + "\n"
				if text := testkit.ReadFile(t, test.property); !strings.Contains(text, "[SYCL/device globals]\nid=") {
					t.Errorf("%s lacks the device global:\n%s", test.property, text)
				}
			}
			if got := testkit.ReadFile(t, "out.table"); got != want {
				t.Errorf("table %q, want %q", got, want)
			}
		})
	}
}

// TestIRToStandardOutput writes the module to standard output.
func TestIRToStandardOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", simd)
	var out, errs strings.Builder
	env := &cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	if code := dpcppTool().Run(t.Context(), env, []string{"-ir-output-only", "-split=auto", "-S", "-o", "-", "in.ll"}); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if want := "define spir_kernel void @_ZTS6Scalar()"; !strings.Contains(out.String(), want) {
		t.Errorf("standard output lacks %q:\n%s", want, out.String())
	}
	if got := newFiles(t); len(got) > 0 {
		t.Errorf("there are the files %q", got)
	}
}

// writeInputs writes the input files. plain.ll needs no library and is not explicit SIMD.
func writeInputs(t *testing.T) {
	t.Helper()
	plain := strings.ReplaceAll(flagged, "call spir_func void @__devicelib_ConvertFToBF16INTEL()", "")
	testkit.WriteFile(t, "in.ll", flagged)
	testkit.WriteFile(t, "plain.ll", plain)
	testkit.WriteFile(t, "simd.ll", simd)
	testkit.WriteFile(t, "constants.ll", constants)
	testkit.WriteFile(t, "none.ll", "target triple = \"spir64-unknown-unknown\"\n")
	testkit.WriteFile(t, "undefined.ll", simd+"declare spir_func void @missing()\ndefine spir_kernel void @caller() {\n  call spir_func void @missing()\n  ret void\n}\n")
}

// words returns the arguments of a command line, and its standard input.
func words(line string) (args []string, stdin string) {
	for w := range strings.FieldsSeq(line) {
		if file, ok := strings.CutPrefix(w, "<"); ok {
			stdin = file
		} else {
			args = append(args, w)
		}
	}
	return args, stdin
}

// newFiles returns all files and directories that writeInputs did not write.
func newFiles(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err == nil && path != "." && !slices.Contains([]string{"in.ll", "plain.ll", "simd.ll", "constants.ll", "none.ll", "undefined.ll"}, path) {
			list = append(list, filepath.ToSlash(path))
		}
		return err
	})
	testkit.NoError(t, err)
	return list
}

// tableOf returns the text of a table.
func tableOf(columns string, fields []string) string {
	text := columns + "\n"
	for row := range slices.Chunk(fields, strings.Count(columns, "|")+1) {
		text += strings.Join(row, "|") + "\n"
	}
	return text
}

// TestSpellingAsked tests that property files contain exactly what was requested.
func TestSpellingAsked(t *testing.T) {
	for option, set := range map[string]string{
		"-emit-param-info": "SYCL/kernel param opt", "-emit-kernel-names": "SYCL/kernel names", "-device-globals": "SYCL/device globals",
		"-emit-exported-symbols": "SYCL/exported symbols", "-emit-imported-symbols": "SYCL/imported symbols", "-emit-program-metadata": "SYCL/program metadata",
	} {
		t.Run(option, func(t *testing.T) {
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "in.ll", flagged)
			for _, asked := range []bool{false, true} {
				args := []string{"-properties", "-S", "-o", "out.table", "in.ll"}
				if asked {
					args = append(args, option)
				}
				mustRunAs(t, "", args...)
				if text := testkit.ReadFile(t, "out_0.prop"); strings.Contains(text, "["+set+"]") != asked {
					t.Errorf("%v: asked for: %v\n%s", args, asked, text)
				}
			}
		})
	}
}

// TestSpellingNone checks that a single module of all kernels does not require a work-group size.
func TestSpellingNone(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", flagged)
	for split, size := range map[string]bool{"none": false, "auto": true} {
		mustRunAs(t, "", "-split="+split, "-properties", "-S", "-o", "out.table", "in.ll")
		if text := testkit.ReadFile(t, "out_0.prop"); strings.Contains(text, "reqd_work_group_size") != size {
			t.Errorf("%s: a required size: %v\n%s", split, size, text)
		}
	}
}

// TestSpellingLinkage checks that a copy of a function that another module defines keeps its
// linkage. Under the name postlink, the image may be the only one, so the copy becomes a
// definition.
func TestSpellingLinkage(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", `target triple = "spir64-unknown-unknown"
define available_externally spir_func void @copy() {
  ret void
}
define spir_kernel void @k() "sycl-module-id"="a.cpp" {
  call spir_func void @copy()
  ret void
}
`)
	for _, split := range []string{"none", "source"} {
		mustRunAs(t, "", "-split="+split, "-S", "-o", "out.table", "in.ll")
		if text := testkit.ReadFile(t, "out_0.ll"); !strings.Contains(text, "define available_externally spir_func void @copy()") {
			t.Errorf("%s:\n%s", split, text)
		}
	}
	mustRun(t, "--output", "own.table", "in.ll")
	if text := testkit.ReadFile(t, "own_0.ll"); !strings.Contains(text, "define internal spir_func void @copy()") {
		t.Errorf("by its own name:\n%s", text)
	}
}

// TestSpecConstSpelling checks that the mode names used until 2022 are still accepted.
func TestSpecConstSpelling(t *testing.T) {
	for old, mode := range map[string]string{"rt": "native", "default": "emulation"} {
		t.Chdir(t.TempDir())
		writeInputs(t)
		for _, name := range []string{old, mode} {
			mustRunAs(t, "", "-spec-const="+name, "-ir-output-only", "-S", "-o", name+".ll", "constants.ll")
		}
		if was, is := testkit.ReadFile(t, old+".ll"), testkit.ReadFile(t, mode+".ll"); was != is {
			t.Errorf("-spec-const=%s:\n%s\n-spec-const=%s:\n%s", old, was, mode, is)
		}
	}
}

func TestSpellingRefused(t *testing.T) {
	for name, test := range map[string]struct {
		args string
		code int
		want string
	}{
		"nothing to do":         {"in.ll -S -o out.table", cli.ExitUsage, "no actions specified"},
		"targets of the code":   {"-split=auto -fixed-targets=intel_gpu_pvc -S in.ll", cli.ExitUsage, "--fixed-targets requires --keep-aspects=false"},
		"an unknown option":     {"-reduce-memory-usage -split=auto in.ll", cli.ExitUsage, "unknown flag --reduce-memory-usage"},
		"an unknown mode":       {"-spec-const=real -S in.ll", cli.ExitUsage, "unknown mode; expected one of [native emulation]"},
		"copies of only IR":     {"-ir-output-only -generate-device-image-default-spec-consts -spec-const=native -S in.ll", cli.ExitUsage, "cannot be combined with --ir-output-only"},
		"an unknown split":      {"-split=per-kernel in.ll", cli.ExitUsage, "unknown mode 'per-kernel'"},
		"explicit SIMD code":    {"-split=auto -lower-esimd -S esimd.ll", cli.ExitBadInput, "esimd.ll: --lower-esimd cannot lower '__esimd_barrier()'"},
		"a built-in of SPIR-V":  {"-split=auto -lower-esimd -S builtin.ll", cli.ExitBadInput, "builtin.ll: --lower-esimd cannot lower '__spirv_BuiltInGlobalSize'"},
		"invoke_simd":           {"-split=auto -lower-esimd -S invoke.ll", cli.ExitBadInput, "invoke.ll: --lower-esimd cannot lower '__builtin_invoke_simd()'"},
		"bfloat16":              {"-split=auto -device-lib-dir=lib -S in.ll", cli.ExitBadInput, "in.ll: --device-lib-dir is not supported for code that calls '__devicelib_ConvertFToBF16INTEL'"},
		"an empty input":        {"-split=auto -S", cli.ExitBadInput, "<stdin>: empty file"},
		"standard input is bad": {"-split=auto -S -o out.table <bad.ll", cli.ExitBadInput, "<stdin>:1:1: "},
		"two tables of all":     {"-split=auto -S -o a.table -o b.table in.ll", cli.ExitUsage, "duplicate table of all modules"},
		"symbols of only IR":    {"-ir-output-only -symbols -S in.ll", cli.ExitUsage, "--symbols cannot be combined with --ir-output-only"},
		"properties of only IR": {"-ir-output-only -properties -S in.ll", cli.ExitUsage, "--properties cannot be combined with --ir-output-only"},
		"other files":           {"-ir-output-only -emit-imported-symbols -S in.ll", cli.ExitUsage, "--emit-imported-symbols cannot be combined with --ir-output-only"},
		"kernels of only IR":    {"-ir-output-only -split=kernel -S in.ll", cli.ExitUsage, "--split=kernel cannot be combined with --ir-output-only"},
		"no opt for bitcode":    {"-split=auto in.ll", cli.ExitFailure, "opt of LLVM 21 or newer, all of one release, not found in PATH"},
		"no llvm-dis":           {"-split=auto -S in.bc", cli.ExitFailure, "llvm-dis of LLVM 21 or newer, all of one release, not found in PATH"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("PATH", t.TempDir())
			writeInputs(t)
			testkit.WriteFile(t, "bad.ll", "define void @f() {\n")
			vector := "define spir_kernel void @_ZTS6Vector() !sycl_explicit_simd !0 {\n  %s\n  ret void\n}\n!0 = !{}\n"
			testkit.WriteFile(t, "esimd.ll", fmt.Sprintf(vector, "call void @_Z15__esimd_barrierv()")+"declare void @_Z15__esimd_barrierv()\n")
			testkit.WriteFile(t, "builtin.ll", fmt.Sprintf(vector, "%x = load i64, ptr @__spirv_BuiltInGlobalSize")+"@__spirv_BuiltInGlobalSize = external constant i64\n")
			testkit.WriteFile(t, "invoke.ll", "define spir_kernel void @_ZTS6Scalar() {\n  call void @_Z21__builtin_invoke_simdv()\n  ret void\n}\ndeclare void @_Z21__builtin_invoke_simdv()\n")
			testkit.WriteFile(t, "in.bc", "BC\xc0\xde0000")
			args, stdin := words(test.args)
			code, stderr := runAs(t, stdin, args...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, %q; want %d, %q", code, stderr, test.code, test.want)
			}
			if got := newFiles(t); !slices.Equal(got, []string{"bad.ll", "builtin.ll", "esimd.ll", "in.bc", "invoke.ll"}) {
				t.Errorf("files %q", got)
			}
		})
	}
}

// TestBitcodeSpelling reads and writes bitcode with the programs in PATH.
func TestBitcodeSpelling(t *testing.T) {
	dis, as := testkit.Program(t, "llvm-dis"), testkit.Program(t, "llvm-as")
	t.Chdir(t.TempDir())
	path := t.TempDir()
	for _, name := range []string{"llvm-dis", "opt"} {
		testkit.NoError(t, os.Symlink(testkit.Program(t, name), filepath.Join(path, name)))
	}
	t.Setenv("PATH", path)
	testkit.WriteFile(t, "linked.ll", flagged)
	runProgram(t, as, "linked.ll", "-o", "linked.bc")
	for _, stdin := range []string{"", "linked.bc"} {
		args := []string{"-split=kernel", "-emit-only-kernels-as-entry-points", "-o", "k.table"}
		if stdin == "" {
			args = append(args, "linked.bc")
		}
		mustRunAs(t, stdin, args...)
		if got, want := testkit.ReadFile(t, "k.table"), "[Code]\nk_0.bc\nk_1.bc\n"; got != want {
			t.Errorf("table %q, want %q", got, want)
		}
		text, err := exec.Command(dis, "k_1.bc", "-o", "-").Output()
		if err != nil || !strings.Contains(string(text), "void @_ZTS4Adds(") || strings.Contains(string(text), "void @_ZTS8Converts(") {
			t.Errorf("k_1.bc: %v\n%s", err, text)
		}
		testkit.NoError(t, os.Remove("k_1.bc"))
	}
}

// TestSpellingSubcommand checks that the subcommand is equivalent to the program with that name,
// and that its help lists each option of DPC++'s post-link step.
func TestSpellingSubcommand(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", flagged)
	mustRun(t, "sycl-post-link", "-symbols", "-S", "in.ll")
	if got, want := testkit.ReadFile(t, "in.files"), "[Code|Symbols]\nin_0.ll|in_0.sym\n"; got != want {
		t.Errorf("table %q, want %q", got, want)
	}
	var help strings.Builder
	if code := dpcppTool().Run(t.Context(), &cli.Env{Stdout: &help, Stderr: &help}, []string{"-help"}); code != 0 {
		t.Fatalf("exit %d", code)
	}
	long, _, _ := strings.Cut(help.String(), "\nFlags:\n")
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	dpcppCommand("").Setup(fs)
	for _, option := range []string{
		"o", "out-dir", "device-lib-dir", "f", "S", "ir-output-only", "split", "split-esimd", "lower-esimd", "symbols", "properties",
		"emit-param-info", "emit-program-metadata", "emit-kernel-names", "emit-exported-symbols", "emit-imported-symbols",
		"emit-only-kernels-as-entry-points", "device-globals", "allow-device-image-dependencies", "spec-const", "generate-device-image-default-spec-consts",
	} {
		if fs.Lookup(option) == nil || !strings.Contains(long, "-"+option) {
			t.Errorf("-%s is not in the table of --help, or no flag", option)
		}
	}
}

// TestPropertyTranslator checks that the form of some properties depends on the translator.
func TestPropertyTranslator(t *testing.T) {
	const ir = `target triple = "spir64-unknown-unknown"
@g = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-host-access"="0" "sycl-unique-id"="id"
define spir_kernel void @_ZTS1K() "sycl-module-id"="a.cpp" {
  store i32 1, ptr addrspace(1) @g
  ret void
}
`
	for name, test := range map[string]struct {
		as   func(*testing.T, string, ...string) (int, string)
		args string
		want string
	}{
		"instead of DPC++'s step":       {runAs, "-split=auto -S -o out.table in.ll", `!{i32 6147, i32 0, !"id"}`},
		"instead of the step, for LLVM": {runAs, "-split=auto -S -dpcpp-translator=false -o out.table in.ll", `!{i32 6188, i32 1, !"id"}`},
		"LLVM":                          {nil, "--split=auto --output out.table in.ll", `!{i32 6188, i32 1, !"id"}`},
		"DPC++":                         {nil, "--split=auto --dpcpp-translator --output out.table in.ll", `!{i32 6147, i32 0, !"id"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "in.ll", ir)
			var code int
			var stderr string
			if args := strings.Fields(test.args); test.as != nil {
				code, stderr = test.as(t, "", args...)
			} else {
				var errs strings.Builder
				code = tool(nil).Run(t.Context(), &cli.Env{Stdout: new(strings.Builder), Stderr: &errs}, args)
				stderr = errs.String()
			}
			if code != 0 || stderr != "" {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			if text := testkit.ReadFile(t, "out_0.ll"); !strings.Contains(text, test.want) {
				t.Errorf("no %s in\n%s", test.want, text)
			}
		})
	}
}
