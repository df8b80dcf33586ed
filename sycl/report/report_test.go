package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs/schema"
	"github.com/rules-sycl/rules_sycl/docs/schema/schematest"
	"github.com/rules-sycl/rules_sycl/internal/golden"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

const testDevices = `
intel_gpu_dg2:
  aspects: [gpu, fp16, atomic64]
  sub-group-sizes: [8, 16, 32]
  max-work-group-size: 1024
intel_gpu_pvc:
  aspects: [gpu, fp16, fp64, atomic64]
  sub-group-sizes: [16, 32]
  max-work-group-size: 1024
x86_64:
  aspects: [cpu, fp64]
  sub-group-sizes: [4, 8, 16]
  may-support-other-aspects: true
intel_cpu_spr:
  aspects: [cpu, fp64]
  sub-group-sizes: [4, 8, 16]
  may-support-other-aspects: true
nvidia_gpu_sm_80:
  aspects: [gpu, fp64]
  sub-group-sizes: [32]
  may-support-other-aspects: true
spir64:
  may-support-other-aspects: true
`

func testConfig(t testing.TB) *deviceconfig.Config {
	t.Helper()
	c, err := deviceconfig.Read("test.yaml", strings.NewReader(testDevices))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func devices(t testing.TB, c *deviceconfig.Config, names ...string) (list []*deviceconfig.Device) {
	t.Helper()
	for _, n := range names {
		d, ok := c.Lookup(n)
		if !ok {
			t.Fatalf("no device %s", n)
		}
		list = append(list, d)
	}
	return list
}

type needs = requirement.Requirements

// digest stands for the digest of an image in tests.
func digest(n int) string { return fmt.Sprintf("%016x%048x", n, 0) }

func native(n int, archs ...string) (forms []Form) {
	for _, a := range archs {
		forms = append(forms, Form{Format: "native", Native: true, Triple: "spir64_gen-unknown-unknown", Arch: a, Digest: digest(n*16 + len(forms)), Size: 100})
	}
	return forms
}

func ir(n int) Form {
	return Form{Format: "spirv", Triple: "spir64-unknown-unknown", Digest: digest(n*16 + 15), Size: 50}
}

func kernels(names ...string) (list []KernelInfo) {
	for _, n := range names {
		list = append(list, KernelInfo{Name: n})
	}
	return list
}

// program is a program with native code for two GPUs and code for all.
func program() []Module {
	fp64 := Module{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: kernels("_ZTS8Fp64Axpy"),
		Forms: append(native(2, "intel_gpu_pvc"), ir(2))}
	fp64.Kernels[0].Source.Location = srcloc.Location{Path: "src/axpy.cpp", Line: 12, Column: 3}
	fp64.Kernels[0].Source.Origins = []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "square(double)", Location: srcloc.Location{Path: "src/math.hpp", Line: 7}}}
	return []Module{
		{Needs: &needs{}, Kernels: kernels("_ZTS9VectorAdd", "_ZTS6Matrix"), Forms: append(native(1, "intel_gpu_pvc", "intel_gpu_dg2"), ir(1))},
		fp64,
		{Needs: &needs{SubGroupSizes: []uint32{8}}, Kernels: kernels("_ZTS9SubGroup8"), Forms: append(native(3, "intel_gpu_dg2"), ir(3))},
		{Needs: &needs{WorkGroupSize: []uint64{64, 32, 1}}, Kernels: kernels("_ZTS4Wide"), Forms: []Form{ir(4)}},
	}
}

var generator = Generator{Name: "test", Version: "1"}

func build(t testing.TB, modules []Module, names ...string) *Report {
	t.Helper()
	c := testConfig(t)
	r, err := Build(modules, devices(t, c, names...), c, generator, "//demo:kernels")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// golden compares text with a file in testdata.

func encode(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func text(t testing.TB, o TextOptions, reports ...*Report) string {
	t.Helper()
	r, err := Merge(reports...)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteText(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	two := build(t, program(), "intel_gpu_pvc", "intel_gpu_dg2")
	all := build(t, program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "intel_cpu_spr", "nvidia_gpu_sm_80", "spir64")
	long := program()
	long[0].Kernels = kernels("_ZTSN3sim6detail12ReduceKernelINS_4MeshIdLi3EEENS_10BoundariesIfEEEE", "_ZTSZ4mainEUlvE0_")
	hostile := []Module{{Needs: &needs{}, Forms: []Form{ir(1)},
		Kernels: kernels("a\n::error::forged", "::error file=a.cpp::forged", "a very long name that wraps where::error::begins", "\x1b[2Jcls", "rtl\u202egnp", "zero\u200bwidth", "##[error]x")}}
	// Many devices that agree share a column with a legend.
	c := deviceconfig.Default()
	var gpus []*deviceconfig.Device
	for _, d := range c.Devices() {
		if strings.HasPrefix(d.Name, "intel_gpu_") {
			gpus = append(gpus, d)
		}
	}
	many, err := Build([]Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: kernels("_ZTS8Fp64Axpy"), Forms: []Form{ir(1)}}}, gpus, c, generator, "")
	if err != nil {
		t.Fatal(err)
	}
	other := build(t, program()[1:3], "intel_gpu_pvc", "x86_64")
	other.Target.Label = "//other:kernels"
	golden.Check(t, "two.json", encode(t, two))
	golden.Check(t, "two.txt", text(t, TextOptions{}, two))
	golden.Check(t, "two-color.txt", text(t, TextOptions{Color: true}, two))
	golden.Check(t, "all.txt", text(t, TextOptions{}, all))
	golden.Check(t, "all-wide.txt", text(t, TextOptions{Width: 160}, all))
	golden.Check(t, "all-narrow.txt", text(t, TextOptions{Width: 50}, all))
	golden.Check(t, "long.txt", text(t, TextOptions{}, build(t, long, "intel_gpu_pvc", "intel_gpu_dg2", "x86_64")))
	golden.Check(t, "hostile.txt", text(t, TextOptions{}, build(t, hostile, "intel_gpu_pvc")))
	golden.Check(t, "many.txt", text(t, TextOptions{}, many))
	golden.Check(t, "merged.txt", text(t, TextOptions{}, two, other))
	golden.Check(t, "empty.txt", text(t, TextOptions{}, build(t, nil)))
}

func TestTextFitsTheTerminal(t *testing.T) {
	r := build(t, program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "nvidia_gpu_sm_80", "spir64")
	for _, w := range []int{60, 80, 100, 132} {
		for line := range strings.Lines(text(t, TextOptions{Width: w}, r)) {
			if n := width(strings.TrimSuffix(line, "\n")); n > w {
				t.Errorf("%d characters for a width of %d: %q", n, w, line)
			}
		}
	}
}

func TestSummary(t *testing.T) {
	ok := Module{Needs: &needs{}, Kernels: kernels("a"), Forms: []Form{ir(1)}}
	second := Module{Needs: &needs{}, Kernels: kernels("b"), Forms: []Form{ir(1)}}
	bad := Module{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: kernels("c"), Forms: []Form{ir(1)}}
	open := Module{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP16}}, Kernels: kernels("d"), Forms: []Form{ir(1)}}
	for _, test := range []struct {
		modules []Module
		devices []string
		want    string
	}{
		{[]Module{ok}, []string{"intel_gpu_dg2"}, "The kernel runs on intel_gpu_dg2."},
		{[]Module{ok, second}, []string{"intel_gpu_dg2", "x86_64"}, "All 2 kernels run on every device."},
		{[]Module{ok, second, bad}, []string{"intel_gpu_dg2", "x86_64"}, "2 of 3 kernels run on every device."},
		{[]Module{ok, bad}, []string{"intel_gpu_dg2"}, "1 of 2 kernels runs on intel_gpu_dg2."},
		{[]Module{bad}, []string{"intel_gpu_dg2"}, "The kernel does not run on intel_gpu_dg2."},
		{[]Module{bad}, []string{"intel_gpu_dg2", "x86_64"}, "The kernel does not run on every device."},
		{[]Module{bad, {Needs: bad.Needs, Kernels: kernels("e"), Forms: bad.Forms}}, []string{"intel_gpu_dg2", "x86_64"}, "None of the 2 kernels runs on every device."},
		{[]Module{bad, open}, []string{"intel_gpu_dg2", "x86_64"}, "None of the 2 kernels runs on every device; whether 1 of them can is known only when the program runs."},
		{[]Module{ok, open}, []string{"x86_64"}, "1 of 2 kernels runs on x86_64; whether 1 more can is known only when the program runs."},
		{[]Module{open}, []string{"x86_64"}, "Whether the kernel runs on x86_64 is known only when the program runs."},
	} {
		if got := build(t, test.modules, test.devices...).Summary(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestCells(t *testing.T) {
	pvc := &needs{CompileTarget: "intel_gpu_pvc"}
	for _, test := range []struct {
		name    string
		modules []Module
		device  string
		status  compat.Verdict
		holds   Holds
		rules   []string
	}{
		{"native code", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc", compat.Compatible, Native, nil},
		{"native code by an alias", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: native(1, "intel_gpu_12_60_7")}}, "intel_gpu_pvc", compat.Compatible, Native, nil},
		{"native code by the compiler's name", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: native(1, "pvc")}}, "intel_gpu_pvc", compat.Compatible, Native, nil},
		{"native code for NVIDIA", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: []Form{{Native: true, Format: "native", Digest: digest(1), Triple: "nvptx64-nvidia-cuda", Arch: "sm_80"}}}}, "nvidia_gpu_sm_80", compat.Compatible, Native, nil},
		{"native code for CPUs without an architecture", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: []Form{{Native: true, Format: "native", Digest: digest(1), Triple: "spir64_x86_64-unknown-unknown"}}}}, "intel_cpu_spr", compat.Compatible, Native, nil},
		{"native code whose target is in the properties", []Module{{Needs: pvc, Kernels: kernels("k"), Forms: []Form{{Native: true, Format: "native", Digest: digest(1)}}}}, "intel_gpu_pvc", compat.Compatible, Native, nil},
		{"the same for another device", []Module{{Needs: pvc, Kernels: kernels("k"), Forms: []Form{{Native: true, Format: "native", Digest: digest(1)}}}}, "intel_gpu_dg2", compat.Incompatible, Nothing, []string{"no-image"}},
		{"native code for another device", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: native(1, "intel_gpu_pvc")}}, "intel_gpu_dg2", compat.Incompatible, Nothing, []string{"no-image"}},
		{"code to compile", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: []Form{ir(1)}}}, "intel_gpu_dg2", compat.Compatible, IR, nil},
		{"both", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: append([]Form{ir(1)}, native(1, "intel_gpu_dg2")...)}}, "intel_gpu_dg2", compat.Compatible, Native, nil},
		{"SPIR-V on NVIDIA", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: []Form{ir(1)}}}, "nvidia_gpu_sm_80", compat.Incompatible, Nothing, []string{"no-image"}},
		{"PTX on NVIDIA", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: []Form{{Format: "ptx", Digest: digest(2), Triple: "nvptx64-nvidia-cuda"}}}}, "nvidia_gpu_sm_80", compat.Compatible, IR, nil},
		{"SPIR-V without a triple", []Module{{Needs: &needs{}, Kernels: kernels("k"), Forms: []Form{{Format: "spirv", Digest: digest(2)}}}}, "intel_gpu_pvc", compat.Compatible, IR, nil},
		{"an aspect is missing and so is the image", []Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: kernels("k"), Forms: native(1, "intel_gpu_pvc")}}, "intel_gpu_dg2", compat.Incompatible, Nothing, []string{"missing-aspect", "no-image"}},
		{"the best of two modules", []Module{
			{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: kernels("k"), Forms: native(1, "intel_gpu_dg2")},
			{Needs: &needs{}, Kernels: kernels("k"), Forms: []Form{ir(1)}}}, "intel_gpu_dg2", compat.Compatible, IR, nil},
		{"the kernel's own needs", []Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}},
			Kernels: []KernelInfo{{Name: "k", Needs: &needs{}}, {Name: "l"}}, Forms: []Form{ir(1)}}}, "intel_gpu_dg2", compat.Compatible, IR, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := build(t, test.modules, test.device)
			c := r.Cells[0]
			var rules []string
			for _, reason := range c.Reasons {
				rules = append(rules, reason.Rule)
			}
			if c.Verdict != test.status || c.Holds != test.holds || !slices.Equal(rules, test.rules) {
				t.Errorf("%s, holds %s, because of %v", c.Verdict, c.Holds, rules)
			}
			if (c.Image == "") != (c.Holds == Nothing) {
				t.Errorf("image %q for %s", c.Image, c.Holds)
			}
		})
	}
}

func TestDefaultDevices(t *testing.T) {
	modules := program()
	modules = append(modules, Module{Needs: &needs{}, Kernels: kernels("x"), Forms: []Form{
		{Format: "native", Digest: digest(2), Native: true, Triple: "spir64_gen-unknown-unknown", Arch: "intel_gpu_future"},
		{Format: "native", Digest: digest(2), Native: true, Triple: "spir64_x86_64-unknown-unknown"},
		{Format: "ptx", Digest: digest(2), Triple: "nvptx64-nvidia-cuda"}}})
	r := build(t, modules)
	var names []string
	for _, d := range r.Devices {
		names = append(names, d.Name)
	}
	want := []string{"intel_gpu_dg2", "intel_gpu_future", "intel_gpu_pvc", "nvptx64-nvidia-cuda", "spir64", "spir64_x86_64"}
	if !slices.Equal(names, want) {
		t.Errorf("got  %q\nwant %q", names, want)
	}
}

func TestDeterministic(t *testing.T) {
	modules := program()
	want := encode(t, build(t, modules, "intel_gpu_pvc", "intel_gpu_dg2"))
	slices.Reverse(modules)
	if got := encode(t, build(t, modules, "intel_gpu_dg2", "intel_gpu_pvc", "intel_gpu_pvc")); got != want {
		t.Error("the order of the inputs changes the report")
	}
	check := func(path string, v any) {
		typ := reflect.TypeOf(v)
		var names []string
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
		if !slices.IsSorted(names) {
			t.Errorf("%s: fields are not in the order of their JSON names: %v", path, names)
		}
	}
	for _, v := range []any{Report{}, Cell{}, Reason{}, aspect.Named{}, Device{}, Generator{}, Image{}, Requirements{}, Kernel{}, srcloc.Location{}, srcloc.Origin{}, Statistics{}, Target{}} {
		check(reflect.TypeOf(v).Name(), v)
	}
}

func TestDecode(t *testing.T) {
	good := encode(t, build(t, program(), "intel_gpu_pvc", "intel_gpu_dg2"))
	if r, err := Decode("r.json", strings.NewReader(good)); err != nil {
		t.Fatal(err)
	} else if again := encode(t, r); again != good {
		t.Error("reading and writing changes a report")
	}
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in the report", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	newer := strings.Replace(replace(`"schema-version": "1.0"`, `"schema-version": "1.7"`), `"status": "compatible"`, `"status": "compatible", "later": {"x": [1]}`, 1)
	if _, err := Decode("r.json", strings.NewReader(newer)); err != nil {
		t.Errorf("a newer minor version with additions: %v", err)
	}
	if _, err := Decode("r.json", strings.NewReader(replace(`"generator"`, `"extensions": {"acme": {"Any": 1, "deep": [[{"Thing": null}]]}}, "generator"`))); err != nil {
		t.Errorf("extensions: %v", err)
	}
	for _, test := range []struct{ name, data, want string }{
		{"empty", "", "not a compatibility report"},
		{"not an object", "[]", "not a JSON object"},
		{"a string", `"x"`, "not a JSON object"},
		{"another object", "{}", "not a compatibility report"},
		{"a byte order mark", "\ufeff" + good, "invalid character"},
		{"cut", good[:len(good)/2], "ends in the middle of the report"},
		{"not UTF-8", replace("VectorAdd", "Vector\xff"), "not valid UTF-8"},
		{"a member twice", replace(`"status": "incompatible"`, `"status": "incompatible", "status": "compatible"`), `member "status" occurs twice`},
		{"a member in another case", replace(`"status": "incompatible"`, `"status": "incompatible", "STATUS": "compatible"`), `member "STATUS" occurs twice`},
		{"a member in capitals only", replace(`"status": "incompatible"`, `"Status": "compatible"`), `member "Status" has capital letters`},
		{"an unknown member", replace(`"status": "incompatible"`, `"status": "incompatible", "colour": 1`), `unknown field "colour"`},
		{"a second report", good + good, "data after the end"},
		{"a second value", good + "1", "data after the end"},
		{"another major version", replace(`"schema-version": "1.0"`, `"schema-version": "2.0"`), "only \"" + Schema + "\", version 1, can be read"},
		{"another schema", replace(`compat-report/v1"`, `compat-report/v2"`), "use a newer tool"},
		{"an odd version", replace(`"schema-version": "1.0"`, `"schema-version": "1.0x"`), `schema version "1.0x" is not of the form`},
		{"a number for a text", replace(`"label": "//demo:kernels"`, `"label": 1`), "must not be a number"},
		{"an unknown status", replace(`"status": "compatible"`, `"status": "fine"`), `verdict "fine" is none of compatible, incompatible`},
		{"a status against its reasons", replace("],\n      \"scope\": \"kernel\",\n      \"status\": \"incompatible\"", "],\n      \"scope\": \"kernel\",\n      \"status\": \"compatible\""), `is "compatible", but its reasons make it "incompatible"`},
		{"an unknown device", replace(`"device": "intel_gpu_dg2"`, `"device": "gpu"`), `device "gpu", which is not listed`},
		{"an unknown kernel", replace(`"kernel": "_ZTS9VectorAdd"`, `"kernel": "k"`), `kernel "k", which is not listed`},
		{"a cell twice", replace(`"device": "intel_gpu_dg2"`, `"device": "intel_gpu_pvc"`), "two cells are about"},
		{"wrong statistics", replace(`"compatible": 6`, `"compatible": 7`), "the statistics do not fit"},
		{"deep nesting", `{"x":` + strings.Repeat("[", 20000), "levels of nesting"},
		{"a number out of range", replace(`"size": 100`, `"size": 1e400`), "must not be a number"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Decode("r.json", strings.NewReader(test.data))
			var format *FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "r.json: ") {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestSchema holds reports against the published schema, and the schema against
// the types.
func TestSchema(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(schema.CompatReport, &root); err != nil {
		t.Fatal(err)
	}
	if root["$id"] != Schema {
		t.Errorf("the schema is %v, reports say %s", root["$id"], Schema)
	}
	reports := []*Report{
		build(t, program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "spir64"),
		build(t, nil),
		build(t, []Module{{Needs: &needs{JointMatrix: "a;b", JointMatrixMad: "c", WorkGroupDims: 2, HasFixedTargets: true, FixedTargets: []string{"x86_64"}, CompileTarget: "x86_64",
			Unknown: []propset.Property{{Key: "later", Value: propset.Uint(1)}}}, Kernels: kernels("k"), Forms: native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc"),
	}
	for _, r := range reports {
		if err := schematest.Validate(schema.CompatReport, []byte(encode(t, r))); err != nil {
			t.Error(err)
		}
	}
	golden, err := os.ReadFile("testdata/two.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schematest.Validate(schema.CompatReport, golden); err != nil {
		t.Error(err)
	}
	for _, change := range []func(v map[string]any){
		func(v map[string]any) { v["cells"].([]any)[0].(map[string]any)["status"] = "fine" },
		func(v map[string]any) { v["colour"] = 1 },
	} {
		var v map[string]any
		json.Unmarshal([]byte(encode(t, reports[0])), &v)
		change(v)
		data, _ := json.Marshal(v)
		if schematest.Validate(schema.CompatReport, data) == nil {
			t.Errorf("the schema takes %s", data)
		}
	}
	defs := root["$defs"].(map[string]any)
	for name, typ := range map[string]any{"cell": Cell{}, "reason": Reason{}, "aspect": aspect.Named{}, "device": Device{}, "image": Image{},
		"requirements": Requirements{}, "kernel": Kernel{}, "location": srcloc.Location{}, "origin": srcloc.Origin{}, "statistics": Statistics{}} {
		properties := defs[name].(map[string]any)["properties"].(map[string]any)
		for i := range reflect.TypeOf(typ).NumField() {
			tag, _, _ := strings.Cut(reflect.TypeOf(typ).Field(i).Tag.Get("json"), ",")
			if properties[tag] == nil {
				t.Errorf("%s has no %s in the schema", name, tag)
			}
			delete(properties, tag)
		}
		for tag := range properties {
			t.Errorf("%s has %s in the schema only", name, tag)
		}
	}
}

func TestFromSYCLBIN(t *testing.T) {
	metadata := new(propset.Registry)
	(&needs{Aspects: []aspect.Aspect{aspect.FP64}}).Put(metadata)
	metadata.Add(propset.KernelNames).Put("_ZTS4Deep", propset.Uint(1))
	metadata.Add(propset.KernelNames).Put("__sycl_kernel__ZTS5Other", propset.Uint(1)) // people never see the prefix
	code, err := os.ReadFile("testdata/kernels.spv")
	if err != nil {
		t.Fatal(err)
	}
	f := &syclbin.File{Version: 1, State: syclbin.Executable, Global: new(propset.Registry), Modules: []*syclbin.Module{
		{Metadata: metadata,
			IR:     []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", bytes.NewReader(code))},
			Native: []*syclbin.Image{syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("native"))}},
		{Metadata: new(propset.Registry), // nothing but SPIR-V
			IR: []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", bytes.NewReader(code))}},
	}}
	modules, err := FromSYCLBIN(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range modules {
		modules[i].Embedded = true
	}
	for _, c := range build(t, modules, "intel_gpu_pvc").Cells {
		if c.Kernel == "_ZTS4Deep" && (c.Holds != Native || c.Verdict != compat.Compatible) {
			t.Errorf("of images in a program the runtime takes the native one, not %+v", c)
		}
	}
	for i := range modules {
		modules[i].Embedded = false
	}
	r := build(t, modules, "intel_gpu_dg2", "intel_gpu_pvc")
	cells := map[string]Cell{}
	for _, c := range r.Cells {
		cells[c.Kernel+" "+c.Device] = c
	}
	if c := cells["_ZTS4Deep intel_gpu_pvc"]; c.Holds != NativeOrIR || c.Verdict != compat.Compatible {
		t.Errorf("native code, and IR in another module: %+v", c)
	}
	if c := cells["_ZTS5Other intel_gpu_pvc"]; c.Holds != Native || c.Verdict != compat.Compatible {
		t.Errorf("native code: %+v", c)
	}
	if c := cells["_ZTS4Deep intel_gpu_dg2"]; c.Holds != IR || c.Verdict != compat.Incompatible || c.Scope != ScopeImage {
		t.Errorf("a missing aspect: %+v", c)
	}
	i := slices.IndexFunc(r.Kernels, func(k Kernel) bool { return k.Name == "_ZTS4Deep" })
	want := []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "viaDouble(float)", Location: srcloc.Location{Path: "kernels.cpp", Line: 19, Column: 62}}}
	if k := r.Kernels[i]; len(k.Origins) != 1 || k.Origins[0].Function != want[0].Function || k.Origins[0].Location.IsZero() || k.Origins[0].Location.Path != "kernels.cpp" {
		t.Errorf("origin %+v", k.Origins)
	}
	if len(r.Kernels) != 11 {
		t.Errorf("%d kernels: those of the metadata and of the second module's SPIR-V", len(r.Kernels))
	}
}

// TestFromSYCLBINOfTheRuntime reads what DPC++'s runtime writes: kernels with two names
// and images without bytes, or no modules at all.
func TestFromSYCLBINOfTheRuntime(t *testing.T) {
	metadata := new(propset.Registry)
	for _, name := range []string{"rtc_0$__sycl_kernel__Z1kPi", "__sycl_kernel__Z1kPi"} {
		metadata.Add(propset.KernelNames).Put(name, propset.Uint(1))
	}
	written := &syclbin.Module{Metadata: metadata, Native: []*syclbin.Image{syclbin.NewNative("x86_64", "spir64_x86_64", strings.NewReader(""))}}
	for _, want := range [][]*syclbin.Module{{written}, nil} {
		var b bytes.Buffer
		f := &syclbin.File{Version: 1, State: syclbin.Executable, Global: new(propset.Registry), Modules: want}
		if err := syclbin.Write(&b, f, syclbin.Options{}); err != nil {
			t.Fatal(err)
		}
		f, err := syclbin.NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		modules, err := FromSYCLBIN(f)
		if err != nil {
			t.Fatal(err)
		}
		r := build(t, modules, "x86_64")
		if len(r.Kernels) != len(want) || len(want) == 1 && (r.Kernels[0].Name != "_Z1kPi" || r.Kernels[0].DisplayName != "k(int*)" || len(r.Images) != 1) {
			t.Errorf("kernels %+v, images %+v", r.Kernels, r.Images)
		}
	}
}

func TestFromSPIRV(t *testing.T) {
	code, err := os.ReadFile("testdata/kernels.spv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := FromSPIRV(bytes.NewReader(code))
	if err != nil {
		t.Fatal(err)
	}
	r := build(t, []Module{m}, "intel_gpu_dg2")
	if r.Statistics.Incompatible != 1 || r.Statistics.Compatible != 9 {
		t.Errorf("statistics %+v: only one of the ten kernels needs fp64", r.Statistics)
	}
	var format *spirv.FormatError
	if _, err := FromSPIRV(bytes.NewReader(code[:100])); !errors.As(err, &format) {
		t.Errorf("a truncated module: %v", err)
	}
}

func TestFromRow(t *testing.T) {
	properties := new(propset.Registry)
	(&needs{CompileTarget: "intel_gpu_pvc"}).Put(properties)
	m, err := FromRow(strings.NewReader("native code"), properties, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	r := build(t, []Module{m})
	if len(r.Devices) != 1 || r.Devices[0].Name != "intel_gpu_pvc" || r.Statistics.Compatible != 2 || r.Cells[0].Holds != Native {
		t.Errorf("devices %v, statistics %v, cells %v", r.Devices, r.Statistics, r.Cells)
	}
	properties = new(propset.Registry)
	properties.Add(propset.ExportedSymbols).Put("_Z1fv", propset.Uint(1))
	m, err = FromRow(strings.NewReader("native code"), properties, []string{"_Z1fv", "a"})
	if err != nil || len(m.Kernels) != 1 || m.Kernels[0].Name != "a" {
		t.Errorf("an exported function: %+v, %v", m.Kernels, err)
	}
	m, err = FromRow(strings.NewReader("BC\xc0\xdebitcode"), nil, []string{"a"})
	if err != nil || m.Forms[0].Format != "llvm-ir" || m.Forms[0].Native {
		t.Errorf("bitcode: %+v, %v", m, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(encode(f, build(f, program(), "intel_gpu_pvc", "intel_gpu_dg2"))))
	f.Add([]byte(`{"schema":"` + Schema + `","schema-version":"1.0"}`))
	f.Add([]byte(encode(f, build(f, nil))))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode("r.json", bytes.NewReader(data))
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("error of another type: %v", err)
			}
			return
		}
		if _, err := Decode("again", strings.NewReader(encode(t, r))); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		for line := range strings.Lines(text(t, TextOptions{}, r)) {
			if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(c rune) bool { return c != ' ' && safetext.Escape(string(c)) != string(c) }) {
				t.Fatalf("a line that is not escaped: %q", line)
			}
			// Continuous integration systems take such lines for commands.
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				t.Fatalf("a line that is a command: %q", line)
			}
		}
	})
}
