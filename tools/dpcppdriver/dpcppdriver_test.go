package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/interrupt"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps"
)

func runTest(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = tool().Run(context.Background(), &cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}, args)
	if out.Len() > 0 {
		t.Errorf("standard output: %q", out.String())
	}
	return code, errs.String()
}

// calls returns what a program was called with since the last time, with the names of
// temporary folders as T, those beside outputs as S, and that of the installation as D.
func calls(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs("dpcpp")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("dpcpp", "bin", name+".calls")
	text := strings.ReplaceAll(testkit.ReadFile(t, file), dir, "D")
	os.Remove(file)
	words := strings.Fields(text)
	for i, w := range words {
		if at := strings.Index(w, filepath.Join(os.TempDir(), interrupt.ScratchPrefix)); at >= 0 {
			words[i] = w[:at] + "T/" + filepath.Base(w)
		} else if at := strings.Index(w, interrupt.ScratchPrefix); at >= 0 {
			_, rest, _ := strings.Cut(w[at:], "/")
			words[i] = w[:at] + "S/" + rest
		}
	}
	return strings.Join(words, " ")
}

const extensions = "-spirv-ext=-all,+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_KHR_no_integer_wrap_decoration,+SPV_KHR_float_controls,+SPV_KHR_expect_assume,+SPV_KHR_linkonce_odr,+SPV_INTEL_subgroups,+SPV_INTEL_media_block_io,+SPV_INTEL_device_side_avc_motion_estimation,+SPV_INTEL_fpga_loop_controls,+SPV_INTEL_unstructured_loop_controls,+SPV_INTEL_fpga_reg,+SPV_INTEL_blocking_pipes,+SPV_INTEL_function_pointers,+SPV_INTEL_kernel_attributes,+SPV_INTEL_io_pipes,+SPV_INTEL_inline_assembly,+SPV_INTEL_arbitrary_precision_integers,+SPV_INTEL_float_controls2,+SPV_INTEL_vector_compute,+SPV_INTEL_fast_composite,+SPV_INTEL_arbitrary_precision_fixed_point,+SPV_INTEL_arbitrary_precision_floating_point,+SPV_INTEL_variable_length_array,+SPV_INTEL_fp_fast_math_mode,+SPV_INTEL_long_composites,+SPV_INTEL_arithmetic_fence,+SPV_INTEL_global_variable_decorations,+SPV_INTEL_cache_controls,+SPV_INTEL_fpga_buffer_location,+SPV_INTEL_fpga_argument_interfaces,+SPV_INTEL_fpga_invocation_pipelining_attributes,+SPV_INTEL_fpga_latency_control,+SPV_KHR_shader_clock,+SPV_INTEL_bindless_images,+SPV_INTEL_task_sequence,+SPV_INTEL_bfloat16_conversion,+SPV_INTEL_joint_matrix,+SPV_INTEL_hw_thread_queries,+SPV_KHR_uniform_group_instructions,+SPV_INTEL_masked_gather_scatter,+SPV_INTEL_tensor_float32_conversion,+SPV_INTEL_optnone,+SPV_KHR_non_semantic_info,+SPV_KHR_cooperative_matrix,+SPV_EXT_shader_atomic_float16_add,+SPV_INTEL_fp_max_error"

// TestCommandLines: what the programs are called with, word for word.
func TestCommandLines(t *testing.T) {
	t.Chdir(t.TempDir())
	library := install(t, "dpcpp")
	testkit.WriteFile(t, "k.cpp", "int k;\n")
	testkit.WriteFile(t, "k.bc", "bitcode")
	testkit.WriteFile(t, "headers", "used.hpp\n")
	const compile = "-fsycl -fsycl-device-only -fsycl-targets=spir64 -fno-sycl-instrument-device-code -Qunused-arguments -c -emit-llvm "
	for _, test := range []struct{ args, want string }{
		{"k.cpp", "-o S/1_ k.cpp"},
		{"k.cpp -- -std=c++20 -Iinclude -Xclang -emit-llvm -I", "-o S/1_ k.cpp -std=c++20 -Iinclude -Xclang -emit-llvm -I"},
		{"--header k.h --footer f.h k.cpp --", "-Xclang -fsycl-int-header=S/1_ -Xclang -fsycl-int-footer=S/2_ -o S/3_ k.cpp"},
		{"--depfile k.d k.cpp -- -O1", "-MD -MF S/1_ -MT k.bc -o S/2_ k.cpp -O1"},
		{"--unused k.unused --candidates=headers k.cpp", "-MD -MF S/1_ -MT k.bc -o S/2_ k.cpp"},
		{"--unused k.unused --candidates=headers --depfile k.d k.cpp", "-MD -MF S/1_ -MT k.bc -o S/3_ k.cpp"},
	} {
		if code, stderr := runTest(t, append([]string{"compile", "--library", library, "--output", "k.bc"}, strings.Fields(test.args)...)...); code != 0 || stderr != "" {
			t.Fatalf("%s: exit %d: %s", test.args, code, stderr)
		}
		if got := calls(t, "clang++"); got != compile+test.want {
			t.Errorf("%s: clang++ %s\nwant %s", test.args, got, compile+test.want)
		}
	}

	const metadata = "-emit-param-info -emit-program-metadata -emit-kernel-names -symbols -emit-exported-symbols -emit-imported-symbols -split-esimd -lower-esimd -o T/images.table T/linked.bc"
	const libraries = "D/lib/libsycl-crt.bc D/lib/libsycl-complex.bc D/lib/libsycl-complex-fp64.bc D/lib/libsycl-cmath.bc D/lib/libsycl-cmath-fp64.bc D/lib/libsycl-imf.bc D/lib/libsycl-imf-fp64.bc D/lib/libsycl-imf-bf16.bc"
	for _, test := range []struct{ args, files, libraries, want string }{
		{"k.bc --", "", libraries, "-O2 -device-globals -properties -spec-const=native -split=auto -emit-only-kernels-as-entry-points " + metadata},
		{"k.bc -- -fsycl-device-code-split=per_source", "", libraries, "-O2 -device-globals -properties -spec-const=native -split=source -emit-only-kernels-as-entry-points " + metadata},
		{"k.bc -- -fsycl-device-code-split=off -fsycl-device-code-split=per_kernel", "", libraries, "-O2 -device-globals -properties -spec-const=native -split=kernel -emit-only-kernels-as-entry-points " + metadata},
		{"k.bc -- -fsycl-device-code-split=off -fsycl-allow-device-image-dependencies", "fallback-bfloat16 native-bfloat16 fallback-cstring", libraries + " D/lib/libsycl-fallback-cstring.bc",
			"-O2 -device-globals --device-lib-dir=D/lib -properties -spec-const=native -split=none -allow-device-image-dependencies " + metadata},
	} {
		for _, name := range strings.Fields(test.files) {
			testkit.WriteFile(t, "dpcpp/lib/libsycl-"+name+".bc", "library")
		}
		if code, stderr := runTest(t, append([]string{"post-link", "--library", library, "--output-dir", "images"}, strings.Fields(test.args)...)...); code != 0 || stderr != "" {
			t.Fatalf("%s: exit %d: %s", test.args, code, stderr)
		}
		if got, want := calls(t, "llvm-link"), "-only-needed --suppress-warnings k.bc "+test.libraries+" -o T/linked.bc"; got != want {
			t.Errorf("%s: llvm-link %s\nwant %s", test.args, got, want)
		}
		if got := calls(t, "sycl-post-link"); got != test.want {
			t.Errorf("%s: sycl-post-link %s\nwant %s", test.args, got, test.want)
		}
		const want = "-spirv-max-version=1.5 -spirv-debug-info-version=nonsemantic-shader-200 -spirv-allow-unknown-intrinsics=llvm.genx. " + extensions + " -o S/1_/0.spv T/images_0.bc"
		if got := calls(t, "llvm-spirv"); got != want {
			t.Errorf("%s: llvm-spirv %s\nwant %s", test.args, got, want)
		}
	}
}

// TestImagesAtOnce translates two images, each of which waits for the other.
func TestImagesAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	t.Chdir(t.TempDir())
	library := install(t, "dpcpp")
	for name, commands := range map[string]string{
		"sycl-post-link": `for last; do :; done
dir=$(dirname "$last")
for i in 0 1; do echo code >"$dir/$i.bc"; echo >"$dir/$i.prop"; echo >"$dir/$i.sym"; done
printf '[Code|Properties|Symbols]\n0.bc|0.prop|0.sym\n1.bc|1.prop|1.sym\n' >"$dir/images.table"`,
		"llvm-spirv": `for last; do previous=$out; out=$last; done
mkdir "$(basename "$last").begun"
for i in $(seq 100); do test -d 0.bc.begun && test -d 1.bc.begun && echo "of $last" | sed 's/ .*[/]/ /' >&2 && cp "$last" "$previous" && exit 0; sleep 0.1; done
exit 1`,
	} {
		if err := os.Remove("dpcpp/bin/" + name); err != nil {
			t.Fatal(err)
		}
		testkit.Script(t, "dpcpp/bin/"+name, commands)
	}
	testkit.WriteFile(t, "k.bc", "BC\xc0\xde")
	code, stderr := runTest(t, "post-link", "--library", library, "--output-dir", "images", "k.bc", "--")
	if code != 0 || stderr != "of 0.bc\nof 1.bc\n" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := testkit.ReadFile(t, "images/images.table") + testkit.ReadFile(t, "images/1.spv"); got != "[Code|Properties|Symbols]\n0.spv|0.prop|0.sym\n1.spv|1.prop|1.sym\ncode\n" {
		t.Errorf("got %q", got)
	}
}

func TestOutputs(t *testing.T) {
	t.Chdir(t.TempDir())
	library := install(t, "dpcpp")
	testkit.WriteFile(t, "k.cpp", "int k;\n")
	testkit.WriteFile(t, "headers", "./used.hpp\nmore.hpp\n\nlist.txt\nk.cpp")
	if code, stderr := runTest(t, "compile", "--library", library, "--output", "k.bc", "--header", "k.h", "--footer", "f.h",
		"--candidates=headers", "--unused", "k.unused", "k.cpp", "--", "-fsanitize-ignorelist=list.txt"); code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stderr := runTest(t, "post-link", "--library", library, "--output-dir", "images/", "k.bc", "--"); code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	const kernel = "_ZTSZ5checkE16rules_sycl_check"
	for name, want := range map[string]string{
		"k.bc": "bitcode", "k.h": "header", "f.h": "footer", "k.unused": "more.hpp\n",
		"images/images.table": "[Code|Properties|Symbols]\n0.spv|0.prop|0.sym\n",
		"images/0.spv":        "\x03\x02\x23\x07code", "images/0.prop": "[SYCL/kernel names]\n" + kernel + "=1|1\n", "images/0.sym": kernel + "\n",
	} {
		if got := testkit.ReadFile(t, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if code, stderr := runTest(t, "check", "--library", library, "--", "-O1"); code != 0 || stderr != "" {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if left, _ := filepath.Glob(interrupt.ScratchPrefix + "*"); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// TestFailures: what goes wrong is said, and the outputs stay as they were.
func TestFailures(t *testing.T) {
	compile := []string{"compile", "--output", "k.out", "k.cpp", "--"}
	postLink := []string{"post-link", "--output-dir", "k.out", "k.bc", "--"}
	for name, test := range map[string]struct {
		program, script string // in place of a stand-in; "-" for none
		args            []string
		code            int
		want            string
	}{
		"a source":            {args: []string{"compile", "--output", "k.out", "bad.cpp", "--"}, code: 1, want: "bad.cpp:1:2: error: no\n"},
		"no source":           {args: []string{"compile", "--output", "k.out", "no.cpp", "--"}, code: 3, want: "no.cpp: no such file"},
		"no bitcode":          {args: []string{"post-link", "--output-dir", "k.out", "no.bc", "--"}, code: 3, want: "no.bc: no such file"},
		"a crash of clang":    {program: "clang++", script: "echo PLEASE submit >&2; exit 139", args: compile, code: 4, want: "k.cpp: clang++ failed with exit code 139:\nPLEASE submit\nnote: this is a fault of the program"},
		"bad bitcode":         {program: "llvm-link", script: "echo 'error: expected top-level entity' >&2; exit 1", args: postLink, code: 3, want: "k.bc: llvm-link failed with exit code 1:\nerror: expected"},
		"a gone clang":        {program: "clang++", script: "-", args: compile, code: 4, want: "/dpcpp/bin/clang++ is not there anymore: install DPC++ again"},
		"a gone translator":   {program: "llvm-spirv", script: "-", args: postLink, code: 4, want: "/dpcpp/bin/llvm-spirv is not there anymore"},
		"an old post-link":    {program: "sycl-post-link", script: `echo "sycl-post-link: Unknown command line argument '-emit-kernel-names'.  Try: '--help'" >&2; exit 1`, args: postLink, code: 3, want: "/dpcpp/bin/sycl-post-link does not take -emit-kernel-names: it is of a release that rules_sycl does not know, which knows 2025.3 to 2026.2. It says:\nsycl-post-link: Unknown command line"},
		"an old value":        {program: "sycl-post-link", script: `echo "sycl-post-link: for the --split option: Cannot find option named 'none'!" >&2; exit 1`, args: append(slices.Clone(postLink), "-fsycl-device-code-split=off"), code: 3, want: "sycl-post-link does not take -split=none: "},
		"an old translator":   {program: "llvm-spirv", script: `echo "llvm-spirv: Unknown extension 'SPV_INTEL_fp_max_error' was specified via --spirv-ext option" >&2; exit 1`, args: postLink, code: 3, want: "llvm-spirv does not take SPV_INTEL_fp_max_error: "},
		"no table":            {program: "sycl-post-link", script: "exit 0", args: postLink, code: 3, want: "images.table: no such file"},
		"no columns":          {program: "sycl-post-link", script: `while [ "$1" != -o ]; do shift; done; echo '[Code]' > "$2"`, args: postLink, code: 3, want: "k.bc: the table that "},
		"no image":            {program: "sycl-post-link", script: `while [ "$1" != -o ]; do shift; done; echo '[Code|Properties|Symbols]' > "$2"`, args: []string{"check"}, code: 3, want: "the programs do not make a kernel's image as the driver expects it"},
		"what is compiled":    {args: append(slices.Clone(compile), "-fsycl-targets=nvptx64"), code: 2, want: "the option '-fsycl-targets=nvptx64' says what is compiled or where it goes"},
		"an unknown option":   {args: append(slices.Clone(postLink), "-O2"), code: 2, want: "there is no option '-O2'"},
		"an unknown split":    {args: append(slices.Clone(postLink), "-fsycl-device-code-split=kernel"), code: 2, want: "there is no option '-fsycl-device-code-split=kernel'"},
		"candidates alone":    {args: []string{"compile", "--output", "k.out", "--candidates", "headers", "k.cpp"}, code: 2, want: "--candidates and --unused go together"},
		"no output":           {args: []string{"compile", "k.cpp"}, code: 2, want: "--output is missing"},
		"no folder":           {args: []string{"post-link", "k.bc"}, code: 2, want: "--output-dir is missing"},
		"no input":            {args: []string{"compile", "--output", "k.out"}, code: 2, want: "the input file is missing"},
		"no installation":     {args: []string{"check", "--library", "gone.json"}, code: 3, want: "gone.json: no such file"},
		"odd installation":    {args: []string{"check", "--library", "bad.cpp"}, code: 3, want: "bad.cpp: this does not say where an installed DPC++ is: "},
		"part of one":         {args: []string{"check", "--library", "part.json"}, code: 3, want: "part.json: there is no path for llvm-link"},
		"no device libraries": {args: []string{"check", "--library", "bare.json"}, code: 3, want: "/nonexistent/libsycl-crt.bc is not there: install all of DPC++, with its device libraries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			library := install(t, "dpcpp")
			testkit.WriteFile(t, "k.cpp", "int k;\n")
			testkit.WriteFile(t, "bad.cpp", "#error\n")
			testkit.WriteFile(t, "k.bc", "bitcode")
			testkit.WriteFile(t, "part.json", `{"clang++": "/nonexistent/clang++"}`)
			testkit.WriteFile(t, "bare.json", strings.Replace(testkit.ReadFile(t, library), `dpcpp/lib"`, `dpcpp/nonexistent"`, 1))
			if test.program != "" {
				program := filepath.Join("dpcpp", "bin", test.program)
				if err := os.Remove(program); err != nil {
					t.Fatal(err)
				}
				if test.script != "-" {
					if err := os.WriteFile(program, []byte("#!/bin/sh\n"+test.script+"\n"), 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			args := slices.Insert(slices.Clone(test.args), 1, "--library", library)
			code, stderr := runTest(t, args...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d: %swant %d: %s", code, stderr, test.code, test.want)
			}
			left, _ := filepath.Glob(interrupt.ScratchPrefix + "*")
			if _, err := os.Stat("k.out"); err == nil || len(left) > 0 {
				t.Errorf("k.out is there: %t, and %q", err == nil, left)
			}
		})
	}
}

const kernels = `#include <sycl/sycl.hpp>
#include "used.hpp"

class One;
class Two;

void kernels(sycl::queue &q, float *f, double *d) {
  q.parallel_for<One>(sycl::range<1>(64), [=](sycl::id<1> i) { f[i] = twice(f[i]) + sycl::sin(f[i]); });
  q.single_task<Two>([=] { d[0] = twice(f[0]); });
}
`

// TestLikeLibrary: programs that do what libsycl-jit does give what its driver gives.
func TestLikeLibrary(t *testing.T) {
	driver, jit := testkit.DPCPP(t)
	t.Setenv(driverVariable, driver)
	t.Setenv(libraryVariable, jit)
	t.Chdir(t.TempDir())
	library := install(t, "dpcpp")
	testkit.WriteFile(t, "k.cpp", kernels)
	testkit.WriteFile(t, "used.hpp", "inline float twice(float x) { return 2 * x; }\n")
	testkit.WriteFile(t, "headers", "used.hpp\nunused.hpp\n")
	files := func(dir string) map[string]string {
		t.Helper()
		all := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				all[strings.TrimPrefix(path, dir)] = testkit.ReadFile(t, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, option := range []string{"-fsycl-device-code-split=per_kernel", "-fsycl-device-code-split=off"} {
		arguments := func(dir, library string) (compile, postLink []string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			return []string{"compile", "--library", library, "--output", dir + "/k.bc", "--header", dir + "/k.h", "--footer", dir + "/f.h",
					"--unused", dir + "/unused", "--candidates=headers", "k.cpp", "--", "-std=c++17", "-O2"},
				[]string{"post-link", "--library", library, "--output-dir", dir + "/images", dir + "/k.bc", "--", option}
		}
		compile, postLink := arguments("driver", jit)
		for _, args := range [][]string{compile, postLink} {
			if out, err := exec.Command(driver, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		compile, postLink = arguments("installed", library)
		for _, args := range [][]string{compile, postLink} {
			if code, stderr := runTest(t, args...); code != 0 || stderr != "" {
				t.Fatalf("exit %d: %s", code, stderr)
			}
		}
		want, got := files("driver"), files("installed")
		if len(want) < 8 || want["/unused"] != "unused.hpp\n" {
			t.Errorf("the driver's files: %d, %q", len(want), want["/unused"])
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the files differ", option)
			for name := range want {
				t.Logf("%s: equal: %t", name, got[name] == want[name])
			}
		}
	}
	if code, stderr := runTest(t, "check", "--library", library, "--"); code != 0 || stderr != "" {
		t.Errorf("exit %d: %s", code, stderr)
	}

	// The step of a build takes one for the other.
	images := func(dir, driver, library string) map[string]string {
		t.Helper()
		step := steps.ImagesOptions{Bitcode: "driver/k.bc", DPCPP: steps.DPCPP{Driver: driver, Library: library}, Split: "auto", CodeDir: dir + "/spv", PropertiesDir: dir + "/prop", Table: dir + "/k.table"}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := steps.Images(t.Context(), os.Stderr, step); err != nil {
			t.Fatal(err)
		}
		all := files(dir)
		delete(all, "/k.table") // has the folder's name
		return all
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, "dpcppdriver"); err != nil {
		t.Fatal(err)
	}
	want, got := images("a", driver, jit), images("b", "./dpcppdriver", library)
	if len(want) < 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("devicec images: %d files, equal: %t", len(want), reflect.DeepEqual(got, want))
	}

	testkit.WriteFile(t, "bad.cpp", "#include <sycl/sycl.hpp>\nint f() { return x; }\n")
	code, stderr := runTest(t, "compile", "--library", library, "--output", "bad.bc", "bad.cpp", "--")
	if code != 1 || !strings.Contains(stderr, "bad.cpp:2:18: error: use of undeclared identifier 'x'") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
