package report_test

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
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

type needs = requirement.Requirements

func encode(t testing.TB, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCells(t *testing.T) {
	pvc := &needs{CompileTarget: "intel_gpu_pvc"}
	for _, test := range []struct {
		name    string
		modules []report.Module
		device  string
		status  compat.Verdict
		code    report.Code
		rules   []string
	}{
		{"native code", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc", compat.Compatible, report.Native, nil},
		{"native code by an alias", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_12_60_7")}}, "intel_gpu_pvc", compat.Compatible, report.Native, nil},
		{"native code by the compiler's name", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "pvc")}}, "intel_gpu_pvc", compat.Compatible, report.Native, nil},
		{"native code for NVIDIA", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1), Triple: "nvptx64-nvidia-cuda", Arch: "sm_80"}}}}, "nvidia_gpu_sm_80", compat.Compatible, report.Native, nil},
		{"native code for CPUs without an architecture", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1), Triple: "spir64_x86_64-unknown-unknown"}}}}, "intel_cpu_spr", compat.Compatible, report.Native, nil},
		{"native code whose target is in the properties", []report.Module{{Needs: pvc, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1)}}}}, "intel_gpu_pvc", compat.Compatible, report.Native, nil},
		{"the same for another device", []report.Module{{Needs: pvc, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1)}}}}, "intel_gpu_dg2", compat.Incompatible, report.NoCode, []string{"no-image"}},
		{"native code for another device", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_dg2", compat.Incompatible, report.NoCode, []string{"no-image"}},
		{"code to compile", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2", compat.Compatible, report.IR, nil},
		{"both", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: append([]report.ModuleImage{reporttest.IR(1)}, reporttest.Native(1, "intel_gpu_dg2")...)}}, "intel_gpu_dg2", compat.Compatible, report.Native, nil},
		{"SPIR-V on NVIDIA", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "nvidia_gpu_sm_80", compat.Incompatible, report.NoCode, []string{"no-image"}},
		{"PTX on NVIDIA", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Format: "ptx", Digest: reporttest.Digest(2), Triple: "nvptx64-nvidia-cuda"}}}}, "nvidia_gpu_sm_80", compat.Compatible, report.IR, nil},
		{"SPIR-V without a triple", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Format: "spirv", Digest: reporttest.Digest(2)}}}}, "intel_gpu_pvc", compat.Compatible, report.IR, nil},
		{"an aspect is missing and so is the image", []report.Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_dg2", compat.Incompatible, report.NoCode, []string{"missing-aspect", "no-image"}},
		{"the best of two modules", []report.Module{
			{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_dg2")},
			{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2", compat.Compatible, report.IR, nil},
		{"the kernel's own needs", []report.Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}},
			Kernels: []report.ModuleKernel{{Name: "k", Needs: &needs{}}, {Name: "l"}}, Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2", compat.Compatible, report.IR, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reporttest.Build(t, test.modules, test.device)
			c := r.Cells.At(0)
			var rules []string
			for _, reason := range c.Reasons {
				rules = append(rules, reason.Rule)
			}
			if c.Verdict != test.status || c.Code != test.code || !slices.Equal(rules, test.rules) {
				t.Errorf("%s, code %s, because of %v", c.Verdict, c.Code, rules)
			}
			if (c.Image == "") != (c.Code == report.NoCode) {
				t.Errorf("image %q for %s", c.Image, c.Code)
			}
		})
	}
}

func TestDefaultDevices(t *testing.T) {
	modules := reporttest.Program()
	modules = append(modules, report.Module{Needs: &needs{}, Kernels: reporttest.Kernels("x"), Images: []report.ModuleImage{
		{Format: "native", Digest: reporttest.Digest(2), Native: true, Triple: "spir64_gen-unknown-unknown", Arch: "intel_gpu_future"},
		{Format: "native", Digest: reporttest.Digest(2), Native: true, Triple: "spir64_x86_64-unknown-unknown"},
		{Format: "ptx", Digest: reporttest.Digest(2), Triple: "nvptx64-nvidia-cuda"}}})
	r := reporttest.Build(t, modules)
	var names []string
	for _, d := range r.Devices {
		names = append(names, d.Name)
	}
	want := []string{"intel_gpu_dg2", "intel_gpu_future", "intel_gpu_pvc", "nvptx64-nvidia-cuda", "spir64", "spir64_x86_64"}
	if !slices.Equal(names, want) {
		t.Errorf("got  %q\nwant %q", names, want)
	}
}

func TestGolden(t *testing.T) {
	golden.Check(t, "two.json", encode(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2")))
}

func TestDeterministic(t *testing.T) {
	modules := reporttest.Program()
	want := encode(t, reporttest.Build(t, modules, "intel_gpu_pvc", "intel_gpu_dg2"))
	slices.Reverse(modules)
	if got := encode(t, reporttest.Build(t, modules, "intel_gpu_dg2", "intel_gpu_pvc", "intel_gpu_pvc")); got != want {
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
	for _, v := range []any{report.Report{}, report.Cell{}, report.Reason{}, aspect.Named{}, report.Device{}, report.Generator{}, report.Image{}, report.Requirements{}, report.Kernel{}, srcloc.Location{}, srcloc.Origin{}, report.Statistics{}, report.Target{}} {
		check(reflect.TypeOf(v).Name(), v)
	}
}

func TestDecode(t *testing.T) {
	good := encode(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2"))
	if r, err := report.Decode("r.json", strings.NewReader(good)); err != nil {
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
	if _, err := report.Decode("r.json", strings.NewReader(newer)); err != nil {
		t.Errorf("a newer minor version with additions: %v", err)
	}
	if _, err := report.Decode("r.json", strings.NewReader(replace(`"generator"`, `"extensions": {"acme": {"Any": 1, "deep": [[{"Thing": null}]]}}, "generator"`))); err != nil {
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
		{"a member in another case", replace(`"status": "incompatible"`, `"status": "incompatible", "STATUS": "compatible"`), `member "STATUS" has capital letters`},
		{"a member in capitals only", replace(`"status": "incompatible"`, `"Status": "compatible"`), `member "Status" has capital letters`},
		{"an unknown member", replace(`"status": "incompatible"`, `"status": "incompatible", "colour": 1`), `unknown member "colour"`},
		{"a second report", good + good, "data after the end"},
		{"a second value", good + "1", "data after the end"},
		{"another major version", replace(`"schema-version": "1.0"`, `"schema-version": "2.0"`), "only \"" + report.Schema + "\", version 1, can be read"},
		{"another schema", replace(`compat-report/v1"`, `compat-report/v2"`), "use a newer tool"},
		{"an odd version", replace(`"schema-version": "1.0"`, `"schema-version": "1.0x"`), `schema version "1.0x" is not of the form`},
		{"a number for a text", replace(`"label": "//demo:kernels"`, `"label": 1`), `in "label": a number where a text should be`},
		{"an unknown status", replace(`"status": "compatible"`, `"status": "fine"`), `verdict "fine" is none of compatible, incompatible`},
		{"a status against its reasons", replace("],\n      \"scope\": \"kernel\",\n      \"status\": \"incompatible\"", "],\n      \"scope\": \"kernel\",\n      \"status\": \"compatible\""), `is "compatible", but its reasons make it "incompatible"`},
		{"an unknown device", replace(`"device": "intel_gpu_dg2"`, `"device": "gpu"`), `device "gpu", which is not listed`},
		{"an unknown kernel", replace(`"kernel": "_ZTS9VectorAdd"`, `"kernel": "k"`), `kernel "k", which is not listed`},
		{"a cell twice", replace(`"device": "intel_gpu_dg2"`, `"device": "intel_gpu_pvc"`), "two cells are about"},
		{"wrong statistics", replace(`"compatible": 6`, `"compatible": 7`), "the statistics do not fit"},
		{"deep nesting", `{"x":` + strings.Repeat("[", 20000), "levels of nesting"},
		{"a number out of range", replace(`"size": 100`, `"size": 1e400`), `"size" must be a whole number up to`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := report.Decode("r.json", strings.NewReader(test.data))
			var format *report.FormatError
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
	if root["$id"] != report.Schema {
		t.Errorf("the schema is %v, reports say %s", root["$id"], report.Schema)
	}
	reports := []*report.Report{
		reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "spir64"),
		reporttest.Build(t, nil),
		reporttest.Build(t, []report.Module{{Needs: &needs{JointMatrix: "a;b", JointMatrixMad: "c", WorkGroupDims: 2, HasFixedTargets: true, FixedTargets: []string{"x86_64"}, CompileTarget: "x86_64",
			Unknown: []propset.Property{{Key: "later", Value: propset.Uint(1)}}}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc"),
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
	for name, typ := range map[string]any{"cell": report.Cell{}, "reason": report.Reason{}, "aspect": aspect.Named{}, "device": report.Device{}, "image": report.Image{},
		"requirements": report.Requirements{}, "kernel": report.Kernel{}, "location": srcloc.Location{}, "origin": srcloc.Origin{}, "statistics": report.Statistics{}} {
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
	modules, err := report.FromSYCLBIN(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range modules {
		modules[i].Embedded = true
	}
	for _, c := range reporttest.Build(t, modules, "intel_gpu_pvc").AllCells() {
		if c.Kernel == "_ZTS4Deep" && (c.Code != report.Native || c.Verdict != compat.Compatible) {
			t.Errorf("of images in a program the runtime takes the native one, not %+v", c)
		}
	}
	for i := range modules {
		modules[i].Embedded = false
	}
	r := reporttest.Build(t, modules, "intel_gpu_dg2", "intel_gpu_pvc")
	cells := map[string]report.Cell{}
	for _, c := range r.Cells.All() {
		cells[c.Kernel+" "+c.Device] = *c
	}
	if c := cells["_ZTS4Deep intel_gpu_pvc"]; c.Code != report.NativeOrIR || c.Verdict != compat.Compatible {
		t.Errorf("native code, and IR in another module: %+v", c)
	}
	if c := cells["_ZTS5Other intel_gpu_pvc"]; c.Code != report.Native || c.Verdict != compat.Compatible {
		t.Errorf("native code: %+v", c)
	}
	if c := cells["_ZTS4Deep intel_gpu_dg2"]; c.Code != report.IR || c.Verdict != compat.Incompatible || c.Scope != report.ScopeImage {
		t.Errorf("a missing aspect: %+v", c)
	}
	kernels := reporttest.ListKernels(r)
	i := slices.IndexFunc(kernels, func(k report.Kernel) bool { return k.Name == "_ZTS4Deep" })
	want := []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "viaDouble(float)", Location: srcloc.Location{Path: "kernels.cpp", Line: 19, Column: 62}}}
	if k := kernels[i]; len(k.Origins) != 1 || k.Origins[0].Function != want[0].Function || k.Origins[0].Location.IsZero() || k.Origins[0].Location.Path != "kernels.cpp" {
		t.Errorf("origin %+v", k.Origins)
	}
	if r.Kernels.Len() != 11 {
		t.Errorf("%d kernels: those of the metadata and of the second module's SPIR-V", r.Kernels.Len())
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
		modules, err := report.FromSYCLBIN(f)
		if err != nil {
			t.Fatal(err)
		}
		r := reporttest.Build(t, modules, "x86_64")
		if r.Kernels.Len() != len(want) || len(want) == 1 && (r.Kernels.At(0).Name != "_Z1kPi" || r.Kernels.At(0).DisplayName != "k(int*)" || r.Images.Len() != 1) {
			t.Errorf("kernels %+v, images %+v", reporttest.ListKernels(r), reporttest.ListImages(r))
		}
	}
}

func TestFromSPIRV(t *testing.T) {
	code, err := os.ReadFile("testdata/kernels.spv")
	if err != nil {
		t.Fatal(err)
	}
	m, err := report.FromSPIRV(bytes.NewReader(code))
	if err != nil {
		t.Fatal(err)
	}
	r := reporttest.Build(t, []report.Module{m}, "intel_gpu_dg2")
	if r.Statistics.Incompatible != 1 || r.Statistics.Compatible != 9 {
		t.Errorf("statistics %+v: only one of the ten kernels needs fp64", r.Statistics)
	}
	var format *spirv.FormatError
	if _, err := report.FromSPIRV(bytes.NewReader(code[:100])); !errors.As(err, &format) {
		t.Errorf("a truncated module: %v", err)
	}
}

func TestFromRow(t *testing.T) {
	properties := new(propset.Registry)
	(&needs{CompileTarget: "intel_gpu_pvc"}).Put(properties)
	m, err := report.FromRow(strings.NewReader("native code"), properties, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	r := reporttest.Build(t, []report.Module{m})
	if len(r.Devices) != 1 || r.Devices[0].Name != "intel_gpu_pvc" || r.Statistics.Compatible != 2 || r.Cells.At(0).Code != report.Native {
		t.Errorf("devices %v, statistics %v, cells %v", r.Devices, r.Statistics, r.Cells.At(0))
	}
	properties = new(propset.Registry)
	properties.Add(propset.ExportedSymbols).Put("_Z1fv", propset.Uint(1))
	m, err = report.FromRow(strings.NewReader("native code"), properties, []string{"_Z1fv", "a"})
	if err != nil || len(m.Kernels) != 1 || m.Kernels[0].Name != "a" {
		t.Errorf("an exported function: %+v, %v", m.Kernels, err)
	}
	m, err = report.FromRow(strings.NewReader("BC\xc0\xdebitcode"), nil, []string{"a"})
	if err != nil || m.Images[0].Format != "llvm-ir" || m.Images[0].Native {
		t.Errorf("bitcode: %+v, %v", m, err)
	}
}

// Explicit SIMD that reads by the load-store cache, as DPC++ 2026.2 makes it: its property
// sets say nothing of that.
func TestIntrinsics(t *testing.T) {
	code, err := os.ReadFile("testdata/esimd.spv")
	if err != nil {
		t.Fatal(err)
	}
	properties := new(propset.Registry)
	(&needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, SubGroupSizes: []uint32{1}}).Put(properties)
	own := properties.Clone()
	(&needs{Intrinsics: []string{"llvm.genx.lsc.load.slm"}}).PutOwn(own)
	for _, test := range []struct {
		name       string
		code       []byte
		properties *propset.Registry
	}{
		{"DPC++'s properties", code, properties},
		{"no properties", code, nil},
		{"our properties, with code that is not read", []byte("BC\xc0\xdebitcode"), own},
	} {
		m, err := report.FromRow(bytes.NewReader(test.code), test.properties, []string{"__sycl_kernel_k_slm"})
		if err != nil {
			t.Fatal(err)
		}
		config := deviceconfig.Default()
		var devices []*deviceconfig.Device
		for _, name := range []string{"intel_gpu_acm_g10", "intel_gpu_skl", "intel_gpu_tgllp", "spir64"} {
			d, _ := config.Lookup(name)
			devices = append(devices, d)
		}
		r, err := report.Build([]report.Module{m}, devices, config, report.Generator{}, "")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.Cells.All() {
			rule := ""
			if len(c.Reasons) > 0 {
				rule = c.Reasons[0].Rule + " " + c.Reasons[0].Required
			}
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %v %s", c.Device, c.Verdict, rule)))
		}
		want := []string{"intel_gpu_acm_g10 compatible", "intel_gpu_skl incompatible unsupported-intrinsic llvm.genx.lsc.load.slm",
			"intel_gpu_tgllp incompatible unsupported-intrinsic llvm.genx.lsc.load.slm", "spir64 undetermined missing-aspect ext_intel_esimd"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(encode(f, reporttest.Build(f, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2"))))
	f.Add([]byte(`{"schema":"` + report.Schema + `","schema-version":"1.0"}`))
	f.Add([]byte(encode(f, reporttest.Build(f, nil))))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := report.Decode("r.json", bytes.NewReader(data))
		if err != nil {
			var format *report.FormatError
			if !errors.As(err, &format) {
				t.Fatalf("error of another type: %v", err)
			}
			return
		}
		if _, err := report.Decode("again", strings.NewReader(encode(t, r))); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
