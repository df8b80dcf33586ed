package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// flagged is a module with a kernel that only converts to double and back, a kernel that adds, and
// a device global.
const flagged = `target triple = "spir64-unknown-unknown"
@dg = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="id_of_dg"

define spir_kernel void @_ZTS8Converts(i32 %n) #0 !reqd_work_group_size !3 !sycl_kernel_omit_args !4 {
  %d = sitofp i32 %n to double
  %i = fptosi double %d to i32
  store i32 %i, ptr addrspace(1) @dg
  ret void
}

define spir_kernel void @_ZTS4Adds(ptr addrspace(1) %p) #0 {
  %x = load double, ptr addrspace(1) %p
  %y = fadd double %x, %x
  store double %y, ptr addrspace(1) %p
  ret void
}

define spir_func void @_Z8externalv() #0 {
  call spir_func void @__devicelib_ConvertFToBF16INTEL()
  ret void
}

declare spir_func void @__devicelib_ConvertFToBF16INTEL()

attributes #0 = { "sycl-module-id"="a.cpp" }
!sycl_aspects = !{!1, !2}
!1 = !{!"fp64", i32 6}
!2 = !{!"fp16", i32 5}
!3 = !{i32 8, i32 1, i32 1}
!4 = !{i1 true}
`

func TestFlags(t *testing.T) {
	const (
		fp64, none = "aspects=2|gAAAAAAAAAgBAAAA\n", "aspects=2|AAAAAAAAAAA\n"
		omitted    = "[SYCL/kernel param opt]\n_ZTS8Converts=2|BAAAAAAAAAQA\n"
		perKernel  = "[Code|Properties|Symbols]\nout_0.ll|out_0.prop|out_0.sym\nout_1.ll|out_1.prop|out_1.sym\nout_2.ll|out_2.prop|out_2.sym\n"
	)
	for name, test := range map[string]struct {
		args  []string
		file  string
		has   []string
		not   []string
		table string
		dir   string
	}{
		// With per_kernel, the images are _ZTS8Converts, _ZTS4Adds and the external function.
		"per kernel":                           {args: []string{"--split=per_kernel"}, table: perKernel, file: "out_0.sym", has: []string{"_ZTS8Converts\n"}},
		"aspects that code uses":               {args: []string{"--split=per_kernel"}, file: "out_1.prop", has: []string{fp64}},
		"aspects that are excluded":            {args: []string{"--split=per_kernel", "--sycl-propagate-aspects-usage-exclude-aspects=fp16, fp64"}, file: "out_1.prop", has: []string{none}},
		"conversions":                          {args: []string{"--split=per_kernel"}, file: "out_0.prop", has: []string{fp64}},
		"conversions that are emulated":        {args: []string{"--split=per_kernel", "--fsycl-fp64-conv-emu"}, file: "out_0.prop", has: []string{none}},
		"emulated conversions of a source":     {args: []string{"--split=per_kernel", "--source=a.cpp", "--fsycl-fp64-conv-emu"}, file: "out_0.prop", has: []string{none}},
		"arithmetic next to them":              {args: []string{"--split=per_kernel", "--fsycl-fp64-conv-emu"}, file: "out_1.prop", has: []string{fp64}},
		"kernels as the only entry points":     {args: []string{"--split=per_kernel", "--emit-only-kernels-as-entry-points"}, file: "out.table", has: []string{"out_1.ll"}, not: []string{"out_2.ll"}},
		"a separate directory":                 {args: []string{"--split=per_kernel", "--out-dir=new/folder"}, dir: "new/folder", table: strings.ReplaceAll(perKernel, "out_", "new/folder/out_")},
		"no symbol files":                      {args: []string{"--split=off", "--symbols=false"}, file: "out.table", has: []string{"[Code|Properties]\nout_0.ll|out_0.prop\n"}},
		"no property files":                    {args: []string{"--split=off", "--properties=false"}, file: "out.table", has: []string{"[Code|Symbols]\nout_0.ll|out_0.sym\n"}},
		"removed parameters":                   {args: []string{"--split=per_kernel"}, file: "out_0.prop", has: []string{omitted}},
		"no removed parameters":                {args: []string{"--split=per_kernel", "--emit-param-info=false"}, file: "out_0.prop", not: []string{"param opt"}},
		"kernel names":                         {args: []string{"--split=per_kernel"}, file: "out_0.prop", has: []string{"[SYCL/kernel names]\n_ZTS8Converts=1|1\n"}},
		"no kernel names":                      {args: []string{"--split=per_kernel", "--emit-kernel-names=false"}, file: "out_0.prop", not: []string{"kernel names"}},
		"device globals":                       {args: []string{"--split=per_kernel"}, file: "out_0.prop", has: []string{"[SYCL/device globals]\nid_of_dg="}},
		"no device globals":                    {args: []string{"--split=per_kernel", "--device-globals=false"}, file: "out_0.prop", not: []string{"device globals"}},
		"exported and imported symbols":        {args: []string{"--split=per_kernel"}, file: "out_2.prop", has: []string{"[SYCL/exported symbols]\n_Z8externalv=1|1\n", "[SYCL/imported symbols]\n__devicelib_ConvertFToBF16INTEL=1|1\n"}},
		"no exported symbols":                  {args: []string{"--split=per_kernel", "--emit-exported-symbols=false"}, file: "out_2.prop", not: []string{"exported"}, has: []string{"imported"}},
		"no imported symbols":                  {args: []string{"--split=per_kernel", "--emit-imported-symbols=false"}, file: "out_2.prop", not: []string{"imported"}, has: []string{"exported"}},
		"no program metadata without the flag": {args: []string{"--split=per_kernel"}, file: "out_0.prop", not: []string{"program metadata"}},
		"program metadata":                     {args: []string{"--split=per_kernel", "--emit-program-metadata"}, file: "out_0.prop", has: []string{"[SYCL/program metadata]\n", "_ZTS8Converts@reqd_work_group_size=", "id_of_dg@global_id_mapping="}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "in.ll", flagged)
			mustRun(t, append([]string{"--output=out.table", "in.ll"}, test.args...)...)
			if table := testkit.ReadFile(t, "out.table"); test.table != "" && table != test.table {
				t.Errorf("table %q, want %q", table, test.table)
			}
			// Exactly the files in the table exist.
			columns := strings.Count(strings.SplitN(testkit.ReadFile(t, "out.table"), "\n", 2)[0], "|") + 1
			dir, besides := ".", 2
			if test.dir != "" {
				dir, besides = test.dir, 0
			}
			files, err := os.ReadDir(dir)
			if rows := strings.Count(testkit.ReadFile(t, "out.table"), "\n") - 1; err != nil || len(files) != rows*columns+besides {
				t.Errorf("files %v, %v", files, err)
			}
			if test.file == "" {
				return
			}
			text := testkit.ReadFile(t, test.file)
			for _, s := range test.has {
				if !strings.Contains(text, s) {
					t.Errorf("%s lacks %q:\n%s", test.file, s, text)
				}
			}
			for _, s := range test.not {
				if strings.Contains(text, s) {
					t.Errorf("%s has %q:\n%s", test.file, s, text)
				}
			}
		})
	}
}

// TestNeeds checks that blanks around names in lists are ignored, and that invalid names are usage
// errors.
func TestNeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", flagged)
	for _, test := range []struct {
		arg    string
		code   int
		stderr string
	}{
		{"--fixed-targets=intel_gpu_pvc, intel_gpu_acm_g10", 0, ""},
		{"--fixed-targets=", 2, "--fixed-targets is empty; remove it if the kernels are for any target"},
		{"--fixed-targets=,", 2, "--fixed-targets is empty"},
		{"--sycl-propagate-aspects-usage-exclude-aspects=fp65", 2, `error: --sycl-propagate-aspects-usage-exclude-aspects: unknown aspect "fp65"; did you mean fp64?`},
	} {
		code, stderr := run(t, "--split=off", "--output=out.table", test.arg, "in.ll")
		if code != test.code || !strings.Contains(stderr, test.stderr) || strings.Contains(stderr, "not in the device configuration") {
			t.Errorf("%s: exit %d, %s", test.arg, code, stderr)
		}
	}
}

func TestSplitModes(t *testing.T) {
	kernel := func(name, source string) string {
		return fmt.Sprintf("define spir_kernel void @%s() \"sycl-module-id\"=%q {\n  ret void\n}\n", name, source)
	}
	for mode, images := range map[string]int{
		"auto": 2, "per_kernel": 3, "per_source": 2, "off": 1,
		"kernel": 3, "source": 2, "none": 1, // DPC++'s names
	} {
		t.Run(mode, func(t *testing.T) {
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "in.ll", kernel("a", "1.cpp")+kernel("b", "1.cpp")+kernel("c", "2.cpp"))
			mustRun(t, "--output=out.table", "-split="+mode, "in.ll")
			if got := strings.Count(testkit.ReadFile(t, "out.table"), "\n") - 1; got != images {
				t.Errorf("%d images, want %d", got, images)
			}
		})
	}
}

// TestTargetOutputs writes one table for each of several targets, including one without fp64 and an
// unknown one.
func TestTargetOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", flagged+strings.NewReplacer("_ZTS8Converts", "_ZTS5Plain", "double", "float", "@dg", "@other").Replace(
		"define spir_kernel void @_ZTS8Converts(ptr addrspace(1) %p) #0 {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"))
	testkit.WriteFile(t, "devices.yaml", "has_it:\n  aspects: [gpu, fp64]\n  sub-group-sizes: [16]\nlacks_it:\n  aspects: [gpu]\n  sub-group-sizes: [16]\n")
	code, stderr := run(t, "--split=per_kernel", "--emit-only-kernels-as-entry-points", "--device-config-file=devices.yaml",
		"-o", "all.table", "-o", "has_it,yes.table", "-o=lacks_it,no.table", "-o=nowhere,unknown.table", "in.ll")
	if code != 0 || stderr != "warning: the target 'nowhere' is not in the device configuration, so its table has all modules\n" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	table := func(target string, rows ...int) string {
		text := "[Code|Properties|Symbols]\n"
		for _, row := range rows {
			text += fmt.Sprintf("all_%d.ll|all_%[1]d%s.prop|all_%[1]d.sym\n", row, target)
		}
		return text
	}
	for name, want := range map[string]string{
		"all.table": table("", 0, 1, 2), "yes.table": table(".has_it", 0, 1, 2),
		"no.table": table(".lacks_it", 1), "unknown.table": table(".nowhere", 0, 1, 2),
	} {
		if got := testkit.ReadFile(t, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := testkit.ReadFile(t, "all_1.sym"); got != "_ZTS5Plain\n" {
		t.Errorf("the module for all targets contains %q", got)
	}
	for name, want := range map[string]string{"all_0.prop": "", "all_0.has_it.prop": "has_it", "all_0.lacks_it.prop": "lacks_it"} {
		r := testkit.Must(propset.Parse(name, []byte(testkit.ReadFile(t, name))))(t)
		q, err := requirement.FromProperties(r)
		if err != nil || q.CompileTarget != want {
			t.Errorf("%s is for %q, %v", name, q.CompileTarget, err)
		}
	}

	// Files are named after the first table. Without a table for all targets, there are no property
	// files for all targets.
	mustRun(t, "--split=off", "-o=spir64,only.table", "in.ll")
	if _, err := os.Stat("only_0.prop"); err == nil || !strings.Contains(testkit.ReadFile(t, "only_0.spir64.prop"), "[SYCL/kernel names]") {
		t.Errorf("property files of a table of one target: %v", err)
	}

	for _, args := range [][]string{
		{"-o=a.table", "-o=b.table"}, {"-o=a.table", "--output=b.table"}, {"-o=,b.table"}, {"-o=a/b,c.table"}, {"--ir-output-only", "-o=spir64,b.table"},
		{"--output=-"}, {"-o=-"}, {"-o=spir64,-"},
	} {
		if code, stderr := run(t, append(args, "in.ll")...); code != cli.ExitUsage {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
	}
}

// TestRuntime checks that aspects are written with the numbers of the requested release, whatever
// numbers the compiler used.
func TestRuntime(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, number := range []string{"27", "28"} { // of atomic64 in 2026 and in earlier releases
		testkit.WriteFile(t, "in.ll", `
define spir_kernel void @_ZTS5Total() "sycl-module-id"="total.cpp" !sycl_used_aspects !0 {
  ret void
}
!0 = !{!1}
!1 = !{!"atomic64", i32 `+number+`}
!sycl_aspects = !{!1}
`)
		for flag, want := range map[string]uint32{"": 27, "--runtime=2025.3": 28, "--runtime=2026.0": 27} {
			args := []string{"--output=out.table", "in.ll"}
			if flag != "" {
				args = append([]string{flag}, args...)
			}
			mustRun(t, args...)
			if text := "aspects=" + propset.Uint32s(want).String() + "\n"; !strings.Contains(testkit.ReadFile(t, "out_0.prop"), text) {
				t.Errorf("%s: there is no %s in %s", flag, text, testkit.ReadFile(t, "out_0.prop"))
			}
		}
	}
	if code, stderr := run(t, "--runtime=2024.1", "--output=out.table", "in.ll"); code != cli.ExitUsage || !strings.Contains(stderr, "expected one of 2025.3, 2026.0, 2026.2") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestOnlyIR(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", "@llvm.used = appending global [1 x ptr] [ptr @_ZTS4Adds]\n"+flagged)
	mustRun(t, "--ir-output-only", "--output=out.ll", "in.ll")
	text := testkit.ReadFile(t, "out.ll")
	for _, s := range []string{"void @_ZTS8Converts(", "void @_ZTS4Adds(", "void @_Z8externalv(", "@dg = ", "!sycl_used_aspects"} {
		if !strings.Contains(text, s) {
			t.Errorf("no %s in\n%s", s, text)
		}
	}
	if strings.Contains(text, "llvm.used") {
		t.Errorf("llvm.used in\n%s", text)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 2 {
		t.Errorf("files %v, %v", files, err)
	}
	for _, flag := range []string{"--split=per_kernel", "--split=source", "--split-esimd", "--out-dir=x", "--module=a=b"} {
		name, _, _ := strings.Cut(flag, "=")
		args := []string{"--ir-output-only", "--output=again.ll", flag, "in.ll"}
		if strings.HasPrefix(flag, "--module") {
			args[1] = "--output="
		}
		if code, stderr := run(t, args...); code != cli.ExitUsage || !strings.Contains(stderr, name) || !strings.Contains(stderr, "cannot be combined with --ir-output-only") {
			t.Errorf("%s: exit %d, %s", flag, code, stderr)
		}
	}
}

func TestTextFromOpt(t *testing.T) {
	opt := testkit.Program(t, "opt")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", flagged)
	if code, stderr := run(t, "--output=out.table", "--opt="+opt, "-S", "--split=per_kernel", "in.ll"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if text := testkit.ReadFile(t, "out_0.ll"); !strings.Contains(text, "; ModuleID = '<stdin>'") || !strings.Contains(text, "@_ZTS8Converts(") {
		t.Errorf("opt did not write it:\n%s", text)
	}
}

func TestBadInput(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		text string
		code int
		want string
	}{
		"a word that starts nothing":        {nil, "target triple = \"x\"\n\n  hello there\n", cli.ExitBadInput, "in.ll:3:3: unexpected text in a target"},
		"a header that goes wrong":          {nil, "define void @f(i32 %x {\n}\n", cli.ExitBadInput, "in.ll:1:23: expected a comma or the end of the parameter list"},
		"unterminated string":               {nil, "@a = global i32 0\n@b = global [1 x i8] c\"x\n", cli.ExitBadInput, "in.ll:2:"},
		"invalid aspects":                   {nil, strings.Replace(flagged, "!reqd_work_group_size !3", "!sycl_used_aspects !1", 1), cli.ExitBadInput, "in.ll: function _ZTS8Converts: !sycl_used_aspects: !1 is not a list of aspects"},
		"bitcode":                           {nil, "BC\xc0\xde0000", cli.ExitUsage, "in.ll is LLVM bitcode; set --llvm-dis to the path of llvm-dis"},
		"--out-dir with modules of sources": {[]string{"--output=", "--module=a=b", "--out-dir=c"}, flagged, cli.ExitUsage, "--out-dir requires --output"},
		"DPC++'s name in upper case":        {[]string{"--split=Kernel"}, flagged, cli.ExitUsage, "unknown mode 'Kernel'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "in.ll", test.text)
			code, stderr := run(t, append([]string{"--output=out.table", "in.ll"}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, %q; want %d, %q", code, stderr, test.code, test.want)
			}
			if files, err := os.ReadDir("."); err != nil || len(files) != 1 {
				t.Errorf("files %v, %v", files, err)
			}
		})
	}
}

// TestHelp checks that --help describes each flag and contains an example that works.
func TestHelp(t *testing.T) {
	var help strings.Builder
	if code := tool(nil).Run(t.Context(), &cli.Env{Stdout: &help, Stderr: &help}, []string{"--help"}); code != 0 {
		t.Fatalf("exit %d", code)
	}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	command := tool(nil).Commands[0]
	command.Setup(fs)
	fs.VisitAll(func(f *flag.Flag) {
		if f.Usage == "" || !strings.Contains(help.String(), "  --"+f.Name) {
			t.Errorf("--%s is not described", f.Name)
		}
	})
	words := strings.Fields(command.Example)
	if !strings.Contains(help.String(), "Example:\n  "+command.Example+"\n") || words[0] != "postlink" {
		t.Errorf("no example:\n%s", help.String())
	}
	dis, opt, as := testkit.Program(t, "llvm-dis"), testkit.Program(t, "opt"), testkit.Program(t, "llvm-as")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "linked.ll", flagged)
	runProgram(t, as, "linked.ll", "-o", "linked.bc")
	for i, word := range words {
		words[i] = map[string]string{"llvm-dis-21": dis, "opt-21": opt}[word]
		if words[i] == "" {
			words[i] = word
		}
	}
	if code, stderr := run(t, words[1:]...); code != 0 || !slices.Contains(strings.Split(testkit.ReadFile(t, "k.table"), "\n"), "k_0.bc|k_0.prop|k_0.sym") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
