package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/stepstest"
)

const (
	scaleID = "_ZN3app5scaleE"
	tileID  = "____ZN3appL4tileE"
)

// constantProperties returns the property sets of a module with a kernel and two constants:
// scale is a float, tile a { int; int; bool; } with padding.
func constantProperties(kernels ...string) *propset.Registry {
	r := new(propset.Registry)
	for _, kernel := range kernels {
		r.Add(propset.KernelNames).Put("__sycl_kernel_"+kernel, propset.Uint(1))
	}
	r.Add(propset.DeviceRequirements).Put("aspects", propset.Bytes(nil))
	propset.PutSpecConstants(r, []propset.SpecConstant{
		{Name: scaleID, Records: []propset.SpecRecord{{ID: 3, Size: 4}}, Default: []byte{0, 0, 0x20, 0x40}},
		{Name: tileID, Default: []byte{16, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0},
			Records: []propset.SpecRecord{{ID: 0, Size: 4}, {ID: 1, Offset: 4, Size: 4}, {ID: 2, Offset: 8, Size: 1}, {ID: propset.SpecPadding, Offset: 9, Size: 3}}},
	})
	return r
}

func constantsModule(kernel string, x, y, flag uint64, scale float32) string {
	return string(testkit.SPIRV("__sycl_kernel_"+kernel, testkit.SPIRVConstant{ID: 0, Type: testkit.I32, Bits: x}, testkit.SPIRVConstant{ID: 1, Type: testkit.I32, Bits: y},
		testkit.SPIRVConstant{ID: 2, Type: testkit.I8, Bits: flag}, testkit.SPIRVConstant{ID: 3, Type: testkit.Float, Bits: uint64(math.Float32bits(scale))}))
}

// constantFiles returns tables with three modules: kernels A and B have the constants, kernel C has
// none.
func constantFiles() map[string]string {
	return map[string]string{
		"a.spv": constantsModule("_ZTS1A", 16, 8, 1, 2.5), "a.prop": constantProperties("_ZTS1A").String(), "a.sym": "__sycl_kernel__ZTS1A\n",
		"b.spv": constantsModule("_ZTS1B", 16, 8, 1, 2.5), "b.prop": constantProperties("_ZTS1B", "_ZTS2B2").String(), "b.sym": "__sycl_kernel__ZTS1B\n__sycl_kernel__ZTS2B2\n",
		"c.spv": string(testkit.SPIRV("__sycl_kernel__ZTS1C")), "c.prop": "[SYCL/kernel names]\n__sycl_kernel__ZTS1C=1|1\n[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n[SYCL/specialization constants]\n", "c.sym": "__sycl_kernel__ZTS1C\n",
		"a.pvc":        "native a",
		"spir64.table": "[Code|Properties|Symbols]\na.spv|a.prop|a.sym\nb.spv|b.prop|b.sym\nc.spv|c.prop|c.sym\n",
		"pvc.table":    "[Code|Properties|Symbols]\na.pvc|a.prop|a.sym\n",
	}
}

// packConstants writes k.syclbin with SPIR-V, and all.syclbin with SPIR-V and a native image.
func packConstants(t *testing.T) {
	t.Helper()
	enter(t, constantFiles())
	mustRun(t, "pack", "--output=k.syclbin", "--table=spir64-unknown-unknown=spir64.table")
	mustRun(t, "pack", "--output=all.syclbin", "--table=spir64-unknown-unknown=spir64.table", "--table=spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table")
}

// codes returns the bytes of the images of a file.
func codes(t *testing.T, name string) (list []string) {
	t.Helper()
	f := testkit.Must(syclbin.Open(name))(t)
	defer f.Close()
	for _, m := range f.Modules {
		for _, img := range m.Images() {
			data := testkit.Must(img.Data())(t)
			list = append(list, string(data))
		}
	}
	return list
}

func TestSpecialize(t *testing.T) {
	packConstants(t)
	got := mustRun(t, "specialize", "--set", "app::scale=0.5", "--set", tileID+"={x: 32, y: -1, flag: false}", "--output=new.syclbin", "k.syclbin")
	testkit.GoldenFile(t, testdata+"/specialize.txt", got)
	files := constantFiles()
	want := []string{constantsModule("_ZTS1A", 32, 0xffffffff, 0, 0.5), constantsModule("_ZTS1B", 32, 0xffffffff, 0, 0.5), files["c.spv"]}
	if got := codes(t, "new.syclbin"); !slices.Equal(got, want) {
		t.Errorf("images:\ngot  %q\nwant %q", got, want)
	}
	testkit.GoldenFile(t, testdata+"/specialize.diff", second(run(t, "diff", "k.syclbin", "new.syclbin")))
	// The file is the same, byte for byte, as a file that was built with the new values.
	values := propset.Bytes([]byte("\x00\x00\x00\x3f\x20\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00"))
	for _, name := range []string{"a", "b"} {
		r := testkit.Must(propset.Parse("", []byte(files[name+".prop"])))(t)
		r.Set(propset.SpecializationConstantDefaults).Put("all", values)
		testkit.WriteFile(t, name+".prop", r.String())
		testkit.WriteFile(t, name+".spv", want[slices.Index([]string{"a", "b"}, name)])
	}
	mustRun(t, "pack", "--output=built.syclbin", "--table=spir64-unknown-unknown=spir64.table")
	if testkit.ReadFile(t, "built.syclbin") != testkit.ReadFile(t, "new.syclbin") {
		t.Error("the file differs from a file that was built with the values")
	}
	// Values can be set again, and the output can replace the input.
	mustRun(t, "specialize", "--set", "app::scale=2.5", "--set", "app::tile=[16, 8, true]", "--output=new.syclbin", "new.syclbin")
	if testkit.ReadFile(t, "new.syclbin") != testkit.ReadFile(t, "k.syclbin") {
		t.Error("the file differs from the original after the old values were restored")
	}
}

// TestDumpConstants checks that constants are shown with their types, even if they are invalid.
func TestDumpConstants(t *testing.T) {
	packConstants(t)
	testkit.GoldenFile(t, testdata+"/constants.dump", mustRun(t, "dump", "--verbose", "all.syclbin"))
	testkit.WriteFile(t, "a.spv", string(testkit.SPIRV("A", testkit.SPIRVConstant{ID: 3, Type: testkit.Double})))
	mustRun(t, "pack", "--output=k.syclbin", "--table=spir64-unknown-unknown=spir64.table")
	const wrong = "abstract module 0: constant '_ZN3app5scaleE': the scalar at offset 0 has 4 bytes in the properties, but the type double in the SPIR-V"
	if got := mustRun(t, "dump", "--verbose", "k.syclbin"); !strings.Contains(got, "Specialization constants: invalid: "+wrong+"\n") {
		t.Errorf("got %s", got)
	}
	var dumped jsonDump
	testkit.NoError(t, json.Unmarshal([]byte(mustRun(t, "dump", "--json", "k.syclbin", "all.syclbin")), &dumped))
	if f := dumped.Files[0]; f.ConstantsWrong != wrong || f.Modules[0].Constants != nil || dumped.Files[1].ConstantsWrong != "" {
		t.Errorf("got %q, %v", f.ConstantsWrong, f.Modules[0].Constants)
	}
	want := []jsonSpecConstant{
		{scaleID, "app::scale", []jsonConstantPart{{3, 0, 4, "float", "2.5"}}},
		{tileID, "app::tile", []jsonConstantPart{{0, 0, 4, "i32", "16"}, {1, 4, 4, "i32", "8"}, {2, 8, 1, "i8", "1"}}},
	}
	for i, m := range dumped.Files[1].Modules[:2] { // the first one has native code
		if !reflect.DeepEqual(m.Constants, want) {
			t.Errorf("module %d: got  %v\nwant %v", i, m.Constants, want)
		}
	}
}

// TestExplainConstants checks that the image that the runtime selects is shown with its own values.
func TestExplainConstants(t *testing.T) {
	packConstants(t)
	if code, _, stderr := run(t, "specialize", "--set=app::tile=[1, 2, false]", "--kernel=B2", "--output=new.syclbin", "all.syclbin"); code != 0 {
		t.Fatal(stderr)
	}
	var got strings.Builder
	for _, args := range []string{"--device=intel_gpu_pvc", "--device=intel_gpu_dg2_g10", "--device=intel_gpu_pvc --kernel=B --json"} {
		code, stdout, stderr := run(t, append([]string{"explain", "new.syclbin"}, strings.Fields(args)...)...)
		fmt.Fprintf(&got, "$ packager explain %s new.syclbin\n%s%sexit code %d\n\n", args, stdout, stderr, code)
	}
	testkit.GoldenFile(t, testdata+"/explain-constants.txt", got.String())
}

func second(_ int, stdout, _ string) string { return stdout }

func TestSpecializeKernel(t *testing.T) {
	packConstants(t)
	code, stdout, stderr := run(t, "specialize", "--set=app::scale=1", "--kernel=B", "--json", "--output=new.syclbin", "k.syclbin")
	if want := "new.syclbin: warning: the values also apply to other kernels in the same module: B2\n"; code != 0 || stderr != want {
		t.Errorf("exit %d: %s", code, stderr)
	}
	testkit.GoldenFile(t, testdata+"/specialize.json", stdout)
	want := []string{constantsModule("_ZTS1A", 16, 8, 1, 2.5), constantsModule("_ZTS1B", 16, 8, 1, 1), constantFiles()["c.spv"]}
	if got := codes(t, "new.syclbin"); !slices.Equal(got, want) {
		t.Errorf("images:\ngot  %q\nwant %q", got, want)
	}
	// Give the modules different default values.
	code, _, stderr = run(t, "specialize", "--set=app::scale=3", "--output=both.syclbin", "new.syclbin")
	if want := "packager: error: new.syclbin: abstract module 1: the specialization constant 'app::scale' has a different default value than in abstract module 0; build both from the same definition, or set it only for the kernels of one of them\n"; code != 3 || stderr != want {
		t.Errorf("exit %d: %s", code, stderr)
	}
	mustRun(t, "specialize", "--set=app::scale=3", "--kernel=_ZTS1A", "--output=both.syclbin", "new.syclbin")
}

func TestSpecializeNative(t *testing.T) {
	packConstants(t)
	args := []string{"specialize", "--set=app::scale=1", "--output=new.syclbin", "all.syclbin"}
	code, _, stderr := run(t, args...)
	if want := "packager: error: all.syclbin: abstract module 0: specialization constant 'app::scale': the native image for intel_gpu_pvc: it has the old value compiled in; " +
		"remove it with --drop-fixed, or build it with the new value\n"; code != 3 || stderr != want {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if _, err := os.Stat("new.syclbin"); err == nil {
		t.Error("a file was written in spite of the error")
	}
	stdout := mustRun(t, append(args, "--drop-fixed")...)
	if want := "app::scale, in 3 modules: float 2.5 -> 1\nremoved from abstract module 0: the native image for intel_gpu_pvc\n"; stdout != want {
		t.Errorf("got %s", stdout)
	}
	want := []string{constantsModule("_ZTS1A", 16, 8, 1, 1), constantsModule("_ZTS1B", 16, 8, 1, 1), constantFiles()["c.spv"]}
	if got := codes(t, "new.syclbin"); !slices.Equal(got, want) {
		t.Errorf("images:\ngot  %q\nwant %q", got, want)
	}
}

// TestSpecializeForms checks that an abstract module with several images keeps its SPIR-V image,
// and that DPC++'s copy of an image with the default values is removed.
func TestSpecializeForms(t *testing.T) {
	enter(t, constantFiles())
	scaled := constantProperties("_ZTS1A")
	scaled.Add(propset.MiscProperties).Put("specConstsReplacedWithDefault", propset.Uint(1))
	testkit.WriteFile(t, "copy.prop", scaled.String())
	testkit.WriteFile(t, "spir64.table", "[Code|Properties|Symbols]\na.spv|a.prop|a.sym\n")
	testkit.WriteFile(t, "copy.table", "[Code|Properties|Symbols]\nc.spv|copy.prop|a.sym\n")
	testkit.WriteFile(t, "a.ptx", ".version 8.0\n")
	testkit.WriteFile(t, "ptx.table", "[Code|Properties|Symbols]\na.ptx|a.prop|a.sym\n")
	mustRun(t, "pack", "--output=k.syclbin", "--table=spir64-unknown-unknown=spir64.table", "--table=nvptx64-nvidia-cuda=ptx.table", "--table=spir64-unknown-unknown=copy.table")
	checkRun(t, 3, "the PTX IR module: it has the old value compiled in", "specialize", "--set=app::scale=1", "--output=new.syclbin", "k.syclbin")
	stdout := mustRun(t, "specialize", "--set=app::scale=1", "--drop-fixed", "--output=new.syclbin", "k.syclbin")
	if want := "app::scale, in 2 modules: float 2.5 -> 1\nremoved from abstract module 0: the PTX IR module\nremoved from abstract module 1: the copy built with default values\n"; stdout != want {
		t.Errorf("got %s", stdout)
	}
	if got := codes(t, "new.syclbin"); !slices.Equal(got, []string{constantsModule("_ZTS1A", 16, 8, 1, 1)}) {
		t.Errorf("images: %q", got)
	}
}

func TestSpecializeErrors(t *testing.T) {
	packConstants(t)
	mustRun(t, "pack", "--output=none.syclbin", "--image=file=c.spv,triple=spir64-unknown-unknown,props=c.prop")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"k.syclbin", 2, "--set is required"},
		{"--set app::scale k.syclbin", 2, "expected NAME=VALUE, with a name and a value"},
		{"--set =1 k.syclbin", 2, "expected NAME=VALUE"},
		{"--set app::scale=1", 2, "expected one file, got 0"},
		{"--set app::scael=1 k.syclbin", 2, "--set app::scael=1: unknown constant; did you mean app::scale?"},
		{"--set app::scale=x k.syclbin", 2, `--set app::scale=x: "x" is not a number`},
		{"--set app::tile=[1,2,256] k.syclbin", 2, `--set app::tile=[1,2,256]: value 3: "256" does not fit in 8 bits`},
		{"--set app::tile=1 k.syclbin", 2, "1 values, want 3: i32, i32, i8"},
		{"--set x=1 none.syclbin", 2, "no specialization constants found"},
		{"--set app::scale=1 --kernel Z k.syclbin", 2, "no kernel 'Z' in the file; found A, B, B2, C"},
		{"--set app::scale=1 --kernel C k.syclbin", 2, "no specialization constants found"},
	} {
		code, stdout, stderr := run(t, append([]string{"specialize", "--output=new.syclbin"}, strings.Fields(test.args)...)...)
		if code != test.code || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d: %s%s", test.args, code, stdout, stderr)
		}
		if _, err := os.Stat("new.syclbin"); err == nil {
			t.Fatalf("%s: a file was written", test.args)
		}
	}
}

// calls is the output of the post-link step for kernels with constants of all types. Both kernels
// read one of the constants, and one constant is a composite.
const calls = `target triple = "spir64-unknown-unknown"
%pod = type { i32, half, %inner }
%inner = type { double, i8, i64 }
declare i32 @_Z20__spirv_SpecConstantii(i32, i32)
declare i8 @_Z20__spirv_SpecConstantia(i32, i8)
declare i1 @_Z20__spirv_SpecConstantib(i32, i1)
declare i16 @_Z20__spirv_SpecConstantis(i32, i16)
declare i64 @_Z20__spirv_SpecConstantix(i32, i64)
declare half @_Z20__spirv_SpecConstantiDh(i32, half)
declare float @_Z20__spirv_SpecConstantif(i32, float)
declare double @_Z20__spirv_SpecConstantid(i32, double)
declare %inner @_Z29__spirv_SpecConstantCompositedax_Rinner(double, i8, i64)
declare %pod @_Z29__spirv_SpecConstantCompositeiDhinner_Rpod(i32, half, %inner)
define spir_kernel void @__sycl_kernel_scalars(ptr addrspace(1) %out) {
  %f = call float @_Z20__spirv_SpecConstantif(i32 0, float 2.5)
  store float %f, ptr addrspace(1) %out
  %b = call i1 @_Z20__spirv_SpecConstantib(i32 1, i1 true)
  %z = zext i1 %b to i32
  store i32 %z, ptr addrspace(1) %out
  %s = call i16 @_Z20__spirv_SpecConstantis(i32 2, i16 513)
  store i16 %s, ptr addrspace(1) %out
  ret void
}
define spir_kernel void @__sycl_kernel_composite(ptr addrspace(1) %out) {
  %f = call float @_Z20__spirv_SpecConstantif(i32 0, float 2.5)
  store float %f, ptr addrspace(1) %out
  %i = call i32 @_Z20__spirv_SpecConstantii(i32 3, i32 1)
  %h = call half @_Z20__spirv_SpecConstantiDh(i32 4, half 2.0)
  %d = call double @_Z20__spirv_SpecConstantid(i32 5, double 3.0)
  %c = call i8 @_Z20__spirv_SpecConstantia(i32 6, i8 4)
  %x = call i64 @_Z20__spirv_SpecConstantix(i32 7, i64 5)
  %in = call %inner @_Z29__spirv_SpecConstantCompositedax_Rinner(double %d, i8 %c, i64 %x)
  %p = call %pod @_Z29__spirv_SpecConstantCompositeiDhinner_Rpod(i32 %i, half %h, %inner %in)
  store %pod %p, ptr addrspace(1) %out
  ret void
}
`

// TestSpecializeTranslated checks that SPIR-V of llvm-spirv has the new values and stays valid, and
// that native code compiled from it has them too.
func TestSpecializeTranslated(t *testing.T) {
	as, translator := testkit.Program(t, "llvm-as"), testkit.Program(t, "llvm-spirv")
	val, dis := testkit.Program(t, "spirv-val"), testkit.Program(t, "spirv-dis")
	enter(t, map[string]string{"k.ll": calls})
	must := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	must(as, "k.ll", "-o", "k.bc")
	must(translator, "--spirv-max-version=1.4", "k.bc", "-o", "k.spv")
	r := new(propset.Registry)
	r.Add(propset.KernelNames).Put("__sycl_kernel_scalars", propset.Uint(1))
	r.Add(propset.KernelNames).Put("__sycl_kernel_composite", propset.Uint(1))
	records := func(list ...uint32) (records []propset.SpecRecord) {
		for r := range slices.Chunk(list, 3) {
			records = append(records, propset.SpecRecord{ID: r[0], Offset: r[1], Size: r[2]})
		}
		return records
	}
	propset.PutSpecConstants(r, []propset.SpecConstant{
		{Name: "_Z5scale", Records: records(0, 0, 4), Default: []byte("\x00\x00\x20\x40")},
		{Name: "_Z4flag", Records: records(1, 0, 1), Default: []byte{1}},
		{Name: "_Z5small", Records: records(2, 0, 2), Default: []byte{1, 2}},
		{Name: "_Z3pod", Records: records(3, 0, 4, 4, 4, 2, 5, 8, 8, 6, 16, 1, 7, 24, 8),
			Default: []byte("\x01\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x00\x08\x40\x04\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00")},
	})
	testkit.WriteFile(t, "k.prop", r.String())
	mustRun(t, "pack", "--output=k.syclbin", "--image=file=k.spv,triple=spir64-unknown-unknown,props=k.prop")
	mustRun(t, "specialize", "--set=scale=-0.25", "--set=flag=false", "--set=small=-2", "--set=pod=[-7, 0.5, [1e-3, 200, 5000000000]]", "--output=new.syclbin", "k.syclbin")
	testkit.WriteFile(t, "new.spv", codes(t, "new.syclbin")[0])
	must(val, "--target-env", "spv1.4", "new.spv")
	before, after := strings.Split(must(dis, "--raw-id", "k.spv"), "\n"), strings.Split(must(dis, "--raw-id", "new.spv"), "\n")
	if len(before) != len(after) {
		t.Fatalf("%d lines of %d", len(after), len(before))
	}
	var changed strings.Builder
	for i, line := range before {
		if line != after[i] {
			changed.WriteString("-" + line + "\n+" + after[i] + "\n")
		}
	}
	testkit.GoldenFile(t, testdata+"/specialize-spirv.diff", changed.String())
	// The GPU's compiler uses the new values.
	ocloc := testkit.Program(t, "ocloc")
	for _, name := range []string{"k", "new"} {
		must(ocloc, "compile", "-q", "-spirv_input", "-file", name+".spv", "-device", "pvc", "-o", name+".bin")
	}
	if testkit.ReadFile(t, "k.bin") == testkit.ReadFile(t, "new.bin") {
		t.Error("native code is the same with other values")
	}
}

// TestSpecializeBuilt sets constants in images that this project's build steps build from a source.
func TestSpecializeBuilt(t *testing.T) {
	t.Chdir(t.TempDir())
	stepstest.Build(t, stepstest.Binary{Name: "k", State: syclbin.Executable, Names: true, Source: `
template <class T> T __sycl_getScalar2020SpecConstantValue(const char *, const void *, const void *);
template <class T> T __sycl_getComposite2020SpecConstantValue(const char *, const void *, const void *);
template <class T> struct specialization_id { T value; };
struct Tile { int x; double y; bool padded; };
namespace app {
constexpr specialization_id<float> scale{2.5f};
constexpr specialization_id<Tile> tile{{16, 8, true}};
}
void run(float *out) {
  parallel_for<class Scale>([=](int i) {
    Tile t = __sycl_getComposite2020SpecConstantValue<Tile>("_ZN3appL4tileE", &app::tile, nullptr);
    out[i] = __sycl_getScalar2020SpecConstantValue<float>("_ZN3appL5scaleE", &app::scale, nullptr) + t.x + t.y + t.padded;
  });
}
`})
	const want = "app::scale, in 1 module: float 2.5 -> 0.5\napp::tile, in 1 module:\n  i32 16 -> 32\n  double 8 -> 0.25\n  i8 1 -> 0\n"
	if got := mustRun(t, "specialize", "--set=app::scale=0.5", "--set=app::tile={x: 32, y: 0.25, padded: false}", "--output=new.syclbin", "k.syclbin"); got != want {
		t.Errorf("got %s", got)
	}
	if got := mustRun(t, "verify", "new.syclbin"); strings.Contains(got, "property-value") {
		t.Errorf("got %s", got)
	}
	testkit.WriteFile(t, "new.spv", codes(t, "new.syclbin")[0])
	if out, err := exec.Command(testkit.Program(t, "spirv-val"), "--target-env", "spv1.4", "new.spv").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	out := testkit.Must(exec.Command(testkit.Program(t, "spirv-dis"), "new.spv").CombinedOutput())(t)
	for _, value := range []string{"0.5", "32", "0.25", "0"} {
		if !regexp.MustCompile(`= OpSpecConstant %\w+ ` + regexp.QuoteMeta(value) + "\n").Match(out) {
			t.Errorf("no constant has the value %s:\n%s", value, out)
		}
	}
}
