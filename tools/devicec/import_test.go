package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/stepstest"
)

// callers is the source of kernels with different requirements. Two kernels call functions of
// another file.
const callers = `SYCL_EXTERNAL float weight(unsigned long i);
template <class T>
__attribute__((noinline)) inline T twice(T x) { return x + x; }

class Plain;
class Wide;
class Sized;
class Counter;

void kernels(float *f, double *d, long *l, int *n) {
  parallel_for<Plain>([=](int i) {
    f[i] = twice(f[i]) * weight(i) - 1; n[i] = -n[i];
  });
  parallel_for<Wide>([=](int i) {
    d[i] = twice(d[i]) + weight(i);
  });
  parallel_for<sycl_lite::kernel_with<Sized, 64, 2, 1, 16>>([=](int i) {
    f[i] = -f[i];
  });
  parallel_for<Counter>([=](int i) {
    __atomic_fetch_add(l, i, 0);
  });
}
`

// library is the source of an exported function, a helper with a name that is also in other
// sources, and a kernel.
const library = `template <class T>
__attribute__((noinline)) inline T twice(T x) { return x + x; }
SYCL_EXTERNAL float weight(unsigned long i) { static constexpr float scale[] = {0.5f, 1, 2, 3}; return scale[i & 3] * twice(float(i)); }

class Own;
void own(double *d) {
  parallel_for<Own>([=](int i) { d[i] = d[i] * 3; });
}
`

// imports runs the tool on SYCLBINs, and the remaining build steps on the result.
func imports(t *testing.T, syclbinNames bool, names ...string) (properties []*propset.Registry, modules []*spirv.Module) {
	t.Helper()
	dis, link, opt := testkit.Program(t, "llvm-dis"), testkit.Program(t, "llvm-link"), testkit.Program(t, "opt")
	translator, val := testkit.Program(t, "llvm-spirv"), testkit.Program(t, "spirv-val")
	args := []string{"link", "--llvm-dis", dis, "--llvm-link", link, "--output", "all.bc"}
	for _, name := range names {
		mustRun(t, "import", "--llvm-spirv", translator, "--llvm-dis", dis, "--llvm-link", link, "--output", name+".bc", name)
		args = append(args, name+"="+name+".bc")
	}
	mustRun(t, args...)
	var stderr strings.Builder
	err := splitir.Run(t.Context(), &stderr, splitir.Options{
		Input: "all.bc", LLVMDis: dis, Opt: opt, Output: "split.table",
		Run: postlink.Options{Split: postlink.SplitOptions{Mode: postlink.SplitAuto, KernelsOnly: true}, SYCLBINKernelNames: syclbinNames},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	mustRun(t, "translate", "--llvm-spirv", translator, "--spirv-val", val, "--code-dir", "spv", "--properties-dir", "prop", "--table", "spv.table", "split.table")
	files := testkit.Must(filepath.Glob("prop/*.prop"))(t)
	for _, file := range files {
		r := testkit.Must(propset.Parse(file, []byte(testkit.ReadFile(t, file))))(t)
		m := testkit.Must(spirv.Parse([]byte(testkit.ReadFile(t, "spv/"+strings.TrimSuffix(filepath.Base(file), ".prop")+".spv"))))(t)
		properties, modules = append(properties, r), append(modules, m)
	}
	return properties, modules
}

// TestImportRealCompilers checks that the requirements and locations of kernels are preserved by a
// SYCLBIN, and that calls between modules stay calls.
func TestImportRealCompilers(t *testing.T) {
	sized := "_ZTSN9sycl_lite11kernel_withI5SizedLj64ELj2ELj1ELj16EEE"
	for name, test := range map[string]struct {
		options []string
		version int
		bitcode bool
		names   bool // whether one input file, and the output, have the kernel names of a SYCLBIN
	}{
		"optimized":                     {options: []string{"-O2"}},
		"not optimized":                 {options: []string{"-O0"}},
		"not optimized, version 2":      {options: []string{"-O0", "-g"}, version: 2},
		"fast mathematics":              {options: []string{"-O2", "-ffast-math"}},
		"bitcode":                       {options: []string{"-O2"}, bitcode: true},
		"bitcode, not opt., version 2":  {options: []string{"-O0"}, bitcode: true, version: 2},
		"contracted, version 2, SPIR-V": {options: []string{"-O2", "-ffp-contract=fast"}, version: 2},
		"kernel names of a SYCLBIN":     {options: []string{"-O2"}, names: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			stepstest.Build(t, stepstest.Binary{Name: "callers", Source: callers, Options: test.options, State: syclbin.Object, Version: test.version, Bitcode: test.bitcode, Names: test.names})
			stepstest.Build(t, stepstest.Binary{Name: "library", Source: library, Options: test.options, State: syclbin.Input, Version: test.version, Bitcode: test.bitcode})
			properties, modules := imports(t, test.names, "callers.syclbin", "library.syclbin")

			files, err := filepath.Glob("spv/*.spv")
			if err != nil || len(files) != len(modules) {
				t.Fatalf("%d files of SPIR-V, %v", len(files), err)
			}
			for _, file := range files {
				text := testkit.Must(exec.Command(testkit.Program(t, "spirv-dis"), file).Output())(t)
				if want := "OpSource OpenCL_CPP 100000\n"; !strings.Contains(string(text), want) {
					t.Errorf("%s: no %q", file, want)
				}
			}

			type facts struct {
				Aspects   []aspect.Aspect
				SubGroups []uint32
				WorkGroup []uint64
				Line      uint32 // of the kernel
				Because   uint32 // line of the code that requires its first aspect
			}
			want := map[string]facts{
				"_ZTS5Plain":   {Line: 11},
				"_ZTS4Wide":    {Aspects: []aspect.Aspect{aspect.FP64}, Line: 14, Because: 15},
				sized:          {SubGroups: []uint32{16}, WorkGroup: []uint64{64, 2}, Line: 17},
				"_ZTS7Counter": {Aspects: []aspect.Aspect{aspect.Atomic64}, Line: 20, Because: 21},
				"_ZTS3Own":     {Aspects: []aspect.Aspect{aspect.FP64}, Line: 7, Because: 7},
			}
			got := map[string]facts{}
			for i, r := range properties {
				q := testkit.Must(requirement.FromProperties(r))(t)
				for _, set := range []string{propset.ImportedSymbols, propset.ExportedSymbols} {
					if r.Set(set).Len() > 0 {
						t.Errorf("module %d has [%s]", i, set)
					}
				}
				if len(modules[i].Imports) > 0 || len(modules[i].Exports) > 0 {
					t.Errorf("module %d imports %q, exports %v", i, modules[i].Imports, modules[i].Exports)
				}
				for _, k := range modules[i].Kernels {
					f := facts{Aspects: q.Aspects, SubGroups: q.SubGroupSizes, WorkGroup: q.WorkGroupSize}
					for len(f.WorkGroup) > 0 && f.WorkGroup[len(f.WorkGroup)-1] == 1 {
						f.WorkGroup = f.WorkGroup[:len(f.WorkGroup)-1]
					}
					places, _ := srcloc.ReadKernel(r, k.Name)
					f.Line = places.Location.Line
					if len(places.Origins) > 0 {
						f.Because = places.Origins[0].Location.Line
					}
					if _, ok := r.Set(propset.KernelNames).Get(k.Name); !ok {
						t.Errorf("%s is no kernel name", k.Name)
					}
					symbol, prefixed := strings.CutPrefix(k.Name, kernelname.Prefix)
					if prefixed != test.names {
						t.Errorf("the kernel is called %s", k.Name)
					}
					got[symbol] = f
				}
			}
			// Without inlining, the first aspect comes from a helper.
			if slices.Contains(test.options, "-O0") {
				w := want["_ZTS4Wide"]
				w.Because = got["_ZTS4Wide"].Because
				want["_ZTS4Wide"] = w
				if w.Because != 3 && w.Because != 15 {
					t.Errorf("Wide needs fp64 because of line %d", w.Because)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}

			if test.version == 2 || test.bitcode {
				return // testing determinism with one format is enough
			}
			before := testkit.ReadFile(t, "callers.syclbin.bc")
			imports(t, test.names, "callers.syclbin", "library.syclbin")
			if testkit.ReadFile(t, "callers.syclbin.bc") != before {
				t.Error("a second import wrote another file")
			}
		})
	}
}

// TestImportTwice checks that a function that two SYCLBINs define is an error.
func TestImportTwice(t *testing.T) {
	dis, link, translator := testkit.Program(t, "llvm-dis"), testkit.Program(t, "llvm-link"), testkit.Program(t, "llvm-spirv")
	t.Chdir(t.TempDir())
	args := []string{"link", "--llvm-dis", dis, "--llvm-link", link, "--output", "all.bc"}
	for _, name := range []string{"one", "two"} {
		stepstest.Build(t, stepstest.Binary{Name: name, Source: library, State: syclbin.Object})
		mustRun(t, "import", "--llvm-spirv", translator, "--llvm-dis", dis, "--llvm-link", link, "--output", name+".bc", name+".syclbin")
		args = append(args, name+".syclbin="+name+".bc")
	}
	code, stderr := run(t, args...)
	if want := "two.syclbin: function 'weight(unsigned long)' is also defined in one.syclbin"; code != cli.ExitBadInput || !strings.Contains(stderr, want) {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if strings.Contains(stderr, "twice") {
		t.Errorf("unexpected message about a helper function that both files define: %s", stderr)
	}
}

// TestImportSameKernel checks that a kernel in a source and the same kernel in a SYCLBIN get one
// name, regardless of their current names.
func TestImportSameKernel(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "source.ll", ir)
	testkit.WriteFile(t, "syclbin.ll", strings.ReplaceAll(ir, "@_ZTS4Axpy", "@__sycl_kernel__ZTS4Axpy"))
	dis, link := testkit.Script(t, "dis", `cat "$1"`), testkit.Script(t, "link", "exit 1")
	checkRun(t, cli.ExitBadInput, "b.syclbin: kernel 'Axpy' is also defined in a.cpp, and differently", "link", "--llvm-dis", dis, "--llvm-link", link, "--output", "all.bc", "a.cpp=source.ll", "b.syclbin=syclbin.ll")
}

func TestImportRefusals(t *testing.T) {
	const triple = "spir64-unknown-unknown"
	ir := func(triple string) *syclbin.Image {
		return syclbin.NewIR(syclbin.SPIRV, triple, strings.NewReader("?"))
	}
	spv := func() *syclbin.Image {
		return syclbin.NewIR(syclbin.SPIRV, triple, strings.NewReader("\x03\x02\x23\x07\x00\x00\x01\x00"))
	}
	native := func() *syclbin.Image {
		return syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("\x7fELF"))
	}
	for name, test := range map[string]struct {
		state  syclbin.State
		images []*syclbin.Image
		want   string
	}{
		"executable state":       {syclbin.Executable, []*syclbin.Image{spv()}, "is in executable state; only SYCLBIN files in input or object state can be linked. Build it with -fsyclbin=object"},
		"no state":               {syclbin.NoState, []*syclbin.Image{spv()}, "does not specify its state"},
		"native code alone":      {syclbin.Object, []*syclbin.Image{native()}, "contains native device code images, which cannot be linked: abstract module 0 only has native code for spir64_gen-unknown-unknown=intel_gpu_pvc. Also build the file for spir64-unknown-unknown"},
		"IR without a target":    {syclbin.Object, []*syclbin.Image{ir("")}, "contains an IR module without a target, in abstract module 0"},
		"IR that is nothing":     {syclbin.Object, []*syclbin.Image{ir(triple)}, "contains an IR module of unknown type, in abstract module 0: its bytes are neither SPIR-V nor LLVM bitcode"},
		"IR for another machine": {syclbin.Input, []*syclbin.Image{ir("spirv64-unknown-unknown"), ir("nvptx64-nvidia-cuda")}, "contains no device code that can be linked for target 'spir64-unknown-unknown'"},
		"no module":              {syclbin.Object, nil, "contains no device code that can be linked for target 'spir64-unknown-unknown'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			f := &syclbin.File{State: test.state, Global: new(propset.Registry)}
			if len(test.images) > 0 {
				m := &syclbin.Module{Metadata: new(propset.Registry)}
				for _, i := range test.images {
					if i.Kind == syclbin.NativeImage {
						m.Native = append(m.Native, i)
					} else {
						m.IR = append(m.IR, i)
					}
				}
				f.Modules = append(f.Modules, m)
			}
			stepstest.Write(t, "a.syclbin", f, 0)
			testkit.WriteFile(t, "a.bc", "old")
			code, stderr := run(t, "import", "--llvm-spirv", "/nonexistent", "--llvm-dis", "/nonexistent", "--llvm-link", "/nonexistent", "--output", "a.bc", "a.syclbin")
			if want := "devicec: error: SYCLBIN file 'a.syclbin' " + test.want + "\n"; code != cli.ExitBadInput || stderr != want {
				t.Errorf("exit %d, got\n%swant\n%s", code, stderr, want)
			}
			if testkit.ReadFile(t, "a.bc") != "old" {
				t.Error("the old output is gone")
			}
		})
	}

	t.Chdir(t.TempDir())
	var b syclbin.Builder
	testkit.NoError(t, b.Add("k", new(propset.Registry), spv()))
	stepstest.Write(t, "whole.syclbin", b.File(syclbin.Object), 0)
	for file, kernel := range map[string]string{"native_of_k.syclbin": "k", "native_of_other.syclbin": "other"} {
		named := func(kernel string) *propset.Registry {
			metadata := new(propset.Registry)
			metadata.Add(propset.KernelNames).Put(kernel, propset.Uint(1))
			return metadata
		}
		var b syclbin.Builder
		testkit.NoError(t, errors.Join(b.Add("k", named("k"), spv()), b.Add(kernel, named(kernel), native())))
		stepstest.Write(t, file, b.File(syclbin.Object), 0)
	}
	testkit.WriteFile(t, "cut.syclbin", testkit.ReadFile(t, "whole.syclbin")[:200])
	programs := []string{"--llvm-spirv", "/nonexistent/llvm-spirv", "--llvm-dis", "d", "--llvm-link", "l", "--output", "a.bc"}
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a truncated file":              {[]string{"cut.syclbin"}, cli.ExitBadInput, "only 200 bytes"},
		"truncated SPIR-V":              {[]string{"whole.syclbin"}, cli.ExitBadInput, "whole.syclbin: abstract module 0: "},
		"a missing file":                {[]string{"lost.syclbin"}, cli.ExitBadInput, "lost.syclbin"},
		"native code beside its SPIR-V": {[]string{"native_of_k.syclbin"}, cli.ExitBadInput, "native_of_k.syclbin: abstract module 1: "}, // the error is about the SPIR-V
		"native code of another kernel": {[]string{"native_of_other.syclbin"}, cli.ExitBadInput, "contains native device code images, which cannot be linked: abstract module 0 only has native code for spir64_gen-unknown-unknown=intel_gpu_pvc"},
		"two files":                     {[]string{"whole.syclbin", "cut.syclbin"}, cli.ExitUsage, "expected one input file"},
		"a target that is not spir64":   {[]string{"--target", "nvidia_gpu_sm_90", "whole.syclbin"}, cli.ExitUsage, "unsupported target 'nvidia_gpu_sm_90'"},
		"no output":                     {[]string{"--output", "", "whole.syclbin"}, cli.ExitUsage, "--output is required"},
	} {
		t.Run(name, func(t *testing.T) {
			checkRun(t, test.code, test.want, append(append([]string{"import"}, programs...), test.args...)...)
		})
	}
}

// TestImportTakesOneBFloat16Library checks that only one variant of the library is imported. DPC++
// adds both variants to kernels that use it.
func TestImportTakesOneBFloat16Library(t *testing.T) {
	t.Chdir(t.TempDir())
	dis := testkit.Script(t, "dis", `case $(cat "$1") in
*kernel*) echo 'define spir_kernel void @k() {' ;;
*native*) echo 'define spir_func void @native() {' ;;
*) echo 'define spir_func void @fallback() {' ;;
esac
printf '  ret void\n}\n'`)
	link := testkit.Script(t, "link", `for file; do case $file in *.ll) cat "$file" ;; esac; done > taken.txt; for last; do :; done; echo linked > "$last"`)
	module := func(text, properties string) *syclbin.Module {
		metadata := testkit.Must(propset.Parse("m", []byte(properties)))(t)
		return &syclbin.Module{Metadata: metadata, IR: []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader("BC\xc0\xde"+text))}}
	}
	kernel := module("kernel", "[SYCL/kernel names]\nk=1|1\n")
	native := module("native", "[SYCL/devicelib metadata]\nbfloat16=1|1\n[SYCL/exported symbols]\nnative=1|1\n")
	fallback := module("fallback", "[SYCL/devicelib metadata]\nbfloat16=1|0\n[SYCL/exported symbols]\nfallback=1|1\n")
	for name, test := range map[string]struct {
		modules []*syclbin.Module
		want    string
	}{
		"both":           {[]*syclbin.Module{kernel, native, fallback}, "k fallback"},
		"fallback first": {[]*syclbin.Module{fallback, native, kernel}, "fallback k"},
		"one twice":      {[]*syclbin.Module{native, native, kernel}, "native k"},
		"none":           {[]*syclbin.Module{kernel}, "k"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			stepstest.Write(t, "a.syclbin", &syclbin.File{State: syclbin.Object, Global: new(propset.Registry), Modules: test.modules}, 0)
			mustRun(t, "import", "--llvm-spirv", "/nonexistent", "--llvm-dis", dis, "--llvm-link", link, "--output", "a.bc", "a.syclbin")
			var got []string
			for line := range strings.Lines(testkit.ReadFile(t, "taken.txt")) {
				if at := strings.Index(line, "@"); at >= 0 && strings.HasPrefix(line, "define ") {
					name := line[at+1 : strings.Index(line, "(")]
					got = append(got, name)
					// Other files also have the library.
					if strings.Contains(line, "linkonce_odr") != (name != "k") {
						t.Errorf("%s has the wrong linkage: %s", name, line)
					}
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("linked %q, want %s", got, test.want)
			}
		})
	}
}

// TestImportChoosesIR checks that the image of a module for the target is used, that all targets of
// an architecture can use it, and that lost metadata is reported once.
func TestImportChoosesIR(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir()) // not shared with other tests
	dis := testkit.Script(t, "dis", `case $(cat "$1") in
*gen*) name=gen ;;
*) name=jit ;;
esac
printf 'define spir_kernel void @%s() {\n  ret void\n}\n' $name`)
	link := testkit.Script(t, "link", `cat "$1" > taken.txt; echo "warning: $2" >&2; for last; do :; done; echo linked > "$last"`)
	metadata := testkit.Must(propset.Parse("m", []byte("[of/others]\nkey=1|1\n")))(t)
	bitcode := func(triple, text string) *syclbin.Image {
		return syclbin.NewIR(syclbin.SPIRV, triple, strings.NewReader("BC\xc0\xde"+text))
	}
	f := &syclbin.File{State: syclbin.Object, Global: new(propset.Registry)}
	for range 3 {
		f.Modules = append(f.Modules, &syclbin.Module{
			Metadata: metadata,
			IR:       []*syclbin.Image{bitcode("spir64-unknown-unknown", "jit"), bitcode("spir64_gen-unknown-unknown", "gen")},
			Native:   []*syclbin.Image{syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("\x7fELF"))},
		})
	}
	stepstest.Write(t, "a.syclbin", f, 0)
	for target, want := range map[string]string{"spir64": "@jit()", "intel_gpu_pvc": "@gen()", "spir64_gen-unknown-unknown": "@gen()", "x86_64": "@jit()"} {
		code, stderr := run(t, "import", "--target", target, "--llvm-spirv", "/nonexistent", "--llvm-dis", dis, "--llvm-link", link, "--module", "lib/a", "--output", "a.bc", "a.syclbin")
		if code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		if got := testkit.ReadFile(t, "taken.txt"); !strings.Contains(got, want) || !strings.Contains(got, `"sycl-module-id"="lib/a"`) || !strings.Contains(got, `target triple = "spirv64-unknown-unknown"`) {
			t.Errorf("%s: got\n%s", target, got)
		}
		if want := "a.syclbin: abstract module 0: warning: the property key of the set [of/others] is lost: IR cannot express the set (and in 2 more modules)\nwarning: a.syclbin: abstract module 1\n"; stderr != want {
			t.Errorf("got %q, want %q", stderr, want)
		}
	}

	// The number of warnings is limited.
	for i := range 11 {
		metadata.Add("of/others").Put(fmt.Sprintf("key%d", i), propset.Uint(1))
	}
	stepstest.Write(t, "a.syclbin", f, 0)
	code, stderr := run(t, "import", "--target", "spir64", "--llvm-spirv", "/nonexistent", "--llvm-dis", dis, "--llvm-link", link, "--output", "a.bc", "a.syclbin")
	if code != 0 || strings.Count(stderr, "is lost") != 10 || !strings.Contains(stderr, "a.syclbin: warning: 2 more warnings like these\n") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if left, _ := filepath.Glob(outfile.ScratchPrefix + "*"); len(left) > 0 {
		t.Errorf("temporary files are left: %q", left)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "syclbinimport*")); len(left) > 0 {
		t.Errorf("leftover temporary directories: %q", left)
	}
}
