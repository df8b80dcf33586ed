package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
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
	return testkit.Written(t, r.Encode)
}

// bomb returns a small report in which a huge number of kernels share a row of many devices.
func bomb(good string) string {
	device := regexp.MustCompile(`\{"architecture":"dg2".*\}`).FindString(good)
	kernel := regexp.MustCompile(`\{"display-name":"Wide".*\}`).FindString(good)
	var devices, kernels []string
	for i := range 5000 {
		devices = append(devices, strings.Replace(device, "intel_gpu_dg2", fmt.Sprint("d", i), 1))
		kernels = append(kernels, strings.Replace(kernel, "_ZTS4Wide", fmt.Sprint("k", i), 1))
	}
	text := strings.Replace(good, device, strings.Join(devices, ",\n"), 1)
	return strings.Replace(text, kernel, strings.Join(kernels, ",\n"), 1)
}

// outcomes returns the outcomes of a report by kernel and device name.
func outcomes(r *report.Report) map[string]*report.Outcome {
	list := map[string]*report.Outcome{}
	for k := range r.Kernels {
		for d := range r.Devices {
			list[r.Kernels[k].Name+" "+r.Devices[d].Name] = r.Outcome(k, d)
		}
	}
	return list
}

func TestOutcomes(t *testing.T) {
	pvc := &needs{CompileTarget: "intel_gpu_pvc"}
	open := func(triple, target string) []report.Module { // native code without an architecture
		return []report.Module{{Needs: &needs{CompileTarget: target}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1), Triple: triple}}}}
	}
	for _, test := range []struct {
		name    string
		modules []report.Module
		device  string
		status  compat.Status
		code    report.Code
		rules   []string
	}{
		{"native code", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc", compat.Compatible, report.Native, nil},
		{"native code by an alias", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_12_60_7")}}, "intel_gpu_pvc", compat.Compatible, report.Native, nil},
		{"native code by the compiler's name", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "pvc")}}, "intel_gpu_pvc", compat.Compatible, report.Native, nil},
		{"native code for NVIDIA", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1), Triple: "nvptx64-nvidia-cuda", Arch: "sm_80"}}}}, "nvidia_gpu_sm_80", compat.Compatible, report.Native, nil},
		{"native code for CPUs without an architecture", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1), Triple: "spir64_x86_64-unknown-unknown"}}}}, "intel_cpu_spr", compat.Compatible, report.Native, nil},
		{"native code whose target is in the properties", []report.Module{{Needs: pvc, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1)}}}}, "intel_gpu_pvc", compat.Compatible, report.Native, nil},
		{"properties with a different target", []report.Module{{Needs: pvc, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Native: true, Format: "native", Digest: reporttest.Digest(1)}}}}, "intel_gpu_dg2", compat.Incompatible, report.NoCode, []string{"no-image"}},
		{"native code for a different device", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_dg2", compat.Incompatible, report.NoCode, []string{"no-image"}},
		{"IR", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2", compat.Compatible, report.IR, nil},
		{"both", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: append([]report.ModuleImage{reporttest.IR(1)}, reporttest.Native(1, "intel_gpu_dg2")...)}}, "intel_gpu_dg2", compat.Compatible, report.Native, nil},
		{"SPIR-V on NVIDIA", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "nvidia_gpu_sm_80", compat.Incompatible, report.NoCode, []string{"no-image"}},
		{"native code for any NVIDIA GPU", open("nvptx64-nvidia-cuda", ""), "nvidia_gpu_sm_80", compat.Undetermined, report.Native, []string{"compile-target-mismatch"}},
		{"native code for any AMD GPU on an NVIDIA GPU", open("amdgcn-amd-amdhsa", ""), "nvidia_gpu_sm_80", compat.Incompatible, report.NoCode, []string{"no-image"}},
		{"native code with a target for NVIDIA", open("nvptx64", "nvidia_gpu_sm_70"), "nvidia_gpu_sm_80", compat.Incompatible, report.NoCode, []string{"no-image"}},
		{"PTX on NVIDIA", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Format: "ptx", Digest: reporttest.Digest(2), Triple: "nvptx64-nvidia-cuda"}}}}, "nvidia_gpu_sm_80", compat.Compatible, report.IR, nil},
		{"SPIR-V without a triple", []report.Module{{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{{Format: "spirv", Digest: reporttest.Digest(2)}}}}, "intel_gpu_pvc", compat.Compatible, report.IR, nil},
		{"a missing aspect and a missing image", []report.Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_dg2", compat.Incompatible, report.NoCode, []string{"missing-aspect", "no-image"}},
		{"the best of two modules", []report.Module{
			{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_dg2")},
			{Needs: &needs{}, Kernels: reporttest.Kernels("k"), Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2", compat.Compatible, report.IR, nil},
		{"the kernel's own requirements", []report.Module{{Needs: &needs{Aspects: []aspect.Aspect{aspect.FP64}},
			Kernels: []report.ModuleKernel{{Name: "k", Needs: &needs{}}, {Name: "l"}}, Images: []report.ModuleImage{reporttest.IR(1)}}}, "intel_gpu_dg2", compat.Compatible, report.IR, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reporttest.Build(t, test.modules, test.device)
			c := r.Outcome(0, 0)
			var rules []string
			for _, reason := range c.Reasons {
				rules = append(rules, string(reason.Rule))
			}
			if c.Status != test.status || c.Code != test.code || !slices.Equal(rules, test.rules) {
				t.Errorf("status %s, code %s, rules %v", c.Status, c.Code, rules)
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
	testkit.Golden(t, "two.json", encode(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2")))
}

func TestDeterministic(t *testing.T) {
	modules := reporttest.Program()
	want := encode(t, reporttest.Build(t, modules, "intel_gpu_pvc", "intel_gpu_dg2"))
	slices.Reverse(modules)
	if got := encode(t, reporttest.Build(t, modules, "intel_gpu_dg2", "intel_gpu_pvc", "intel_gpu_pvc")); got != want {
		t.Error("the report depends on the order of the inputs")
	}
	check := func(path string, v any) {
		typ := reflect.TypeOf(v)
		var names []string
		for field := range typ.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(names, name)
		}
		if !slices.IsSorted(names) {
			t.Errorf("%s: fields are not in the order of their JSON names: %v", path, names)
		}
	}
	for _, v := range []any{report.Outcome{}, report.Reason{}, aspect.Named{}, report.Device{}, report.File{}, report.Generator{}, report.Source{}, report.Image{}, report.ImageKind{}, report.Requirements{}, report.Kernel{}, report.Forms{}, srcloc.Location{}, srcloc.Origin{}, report.Statistics{}} {
		check(reflect.TypeOf(v).Name(), v)
	}
}

func TestDecode(t *testing.T) {
	good := encode(t, reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2"))
	if r, err := report.Decode("r.json", strings.NewReader(good)); err != nil {
		t.Fatal(err)
	} else if again := encode(t, r); again != good {
		t.Error("Decode and Encode change a report")
	}
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the report does not contain %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	if _, err := report.Decode("r.json", strings.NewReader(strings.ReplaceAll(good, "\n", "\n \t\r\n"))); err != nil {
		t.Errorf("with different white space: %v", err)
	}
	for _, test := range []struct{ name, data, want string }{
		{"empty", "", "the file is empty"},
		{"a string", `"x"`, "not a JSON object"},
		{"an unrelated object", "{}", "for a program, library or wheel, use 'compat report' or 'compat check --binary'"},
		{"a program", "\x7fELF\x02\x01", "for a program, library or wheel, use 'compat report' or 'compat check --binary'"},
		{"a duplicate member", replace(`"status":"incompatible"`, `"status":"incompatible","status":"compatible"`), `duplicate member "status"`},
		{"an older version", `{"schema": "` + strings.Replace(report.Schema, "v2", "v1", 1) + `", "cells": []`, "unsupported compatibility report version 1; recreate it"},
		{"a newer version", replace(`compat-report/v2"`, `compat-report/v3"`), "this tool supports version 2; use a newer tool"},
		{"an invalid version", replace(`compat-report/v2"`, `compat-report/v2.0"`), "not a compatibility report"},
		{"an unknown status", replace(`"status":"compatible"`, `"status":"fine"`), `unknown status "fine"; expected compatible, incompatible`},
		{"a status that contradicts its reasons", replace(`"scope":"kernel","status":"incompatible"`, `"scope":"kernel","status":"compatible"`), `has status "compatible", but its reasons imply "incompatible"`},
		{"a row with an outcome number out of range", replace("[2,2]", "[2,99]"), "row 1: refers to outcome 99, which does not exist"},
		{"a row with a negative outcome number", replace("[2,2]", "[2,-1]"), "row 1: refers to outcome -1, which does not exist"},
		{"a short row", replace("[2,2]", "[2]"), "row 1 has 1 outcomes for 2 devices"},
		{"a kernel with a row number out of range", replace(`"row":1`, `"row":99`), "refers to row 99, which does not exist"},
		{"a kernel with a target number out of range", replace(`"row":1`, `"row":1,"target":1`), "refers to target 1, which does not exist"},
		{"a kernel with an image number out of range", replace(`"images":[0`, `"images":[99`), "refers to image 99, which does not exist"},
		{"an image with a kind number out of range", replace(`"kind":1`, `"kind":99`), "refers to kind 99, which does not exist"},
		{"unsorted images", strings.Replace(good, `"digest":"0000000000000011`, `"digest":"0000000000000099`, 1), "image 2 is not in the order of digests"},
		{"too many kernels and devices", bomb(good), "their product exceeds the limit of 20000000"},
		{"a duplicate kernel", replace("_ZTS9VectorAdd", "_ZTS6Matrix"), `the name "_ZTS6Matrix" is empty or a duplicate`},
		{"a duplicate device", replace(`"name":"intel_gpu_dg2"`, `"name":"intel_gpu_pvc"`), `the name "intel_gpu_pvc" is empty or a duplicate`},
		{"a truncated digest", replace(`"digest":"0000`, `"digest":"`), "32 hexadecimal digits"},
		{"uppercase digits", replace(`"digest":"0000`, `"digest":"ABCD`), "32 hexadecimal digits"},
		{"wrong statistics", replace(`"compatible":6`, `"compatible":7`), "do not match the rows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := report.Decode("r.json", strings.NewReader(test.data))
			var format *report.FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "r.json: ") {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

// TestSchema validates reports against the published schema, and compares the schema with the
// types.
func TestSchema(t *testing.T) {
	var root map[string]any
	testkit.NoError(t, json.Unmarshal(docs.ReportSchema, &root))
	if root["$id"] != report.Schema {
		t.Errorf("schema id %v, want %s as in reports", root["$id"], report.Schema)
	}
	reports := []*report.Report{
		reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", "spir64"),
		reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2"),
		reporttest.Build(t, nil),
		reporttest.Build(t, []report.Module{{Needs: &needs{JointMatrix: "a;b", JointMatrixMad: "c", WorkGroupDims: 2, HasFixedTargets: true, FixedTargets: []string{"x86_64"}, CompileTarget: "x86_64",
			Unknown: []propset.Property{{Key: "later", Value: propset.Uint(1)}}}, Kernels: reporttest.Kernels("k"), Images: reporttest.Native(1, "intel_gpu_pvc")}}, "intel_gpu_pvc"),
	}
	for _, r := range reports {
		if err := testkit.ValidateJSON(docs.ReportSchema, []byte(encode(t, r))); err != nil {
			t.Error(err)
		}
	}
	defs := root["$defs"].(map[string]any)
	for name, typ := range map[string]any{"outcome": report.Outcome{}, "forms": report.Forms{}, "file": report.File{}, "image-kind": report.ImageKind{}, "reason": report.Reason{}, "aspect": aspect.Named{}, "device": report.Device{}, "image": report.Image{},
		"requirements": report.Requirements{}, "kernel": report.Kernel{}, "constant": report.Constant{}, "constant-part": report.ConstantPart{}, "location": srcloc.Location{}, "origin": srcloc.Origin{}, "statistics": report.Statistics{}} {
		testkit.SameMembers(t, typ, defs[name].(map[string]any)["properties"].(map[string]any))
	}
}

func TestFromSYCLBIN(t *testing.T) {
	metadata := new(propset.Registry)
	(&needs{Aspects: []aspect.Aspect{aspect.FP64}}).Put(metadata)
	metadata.Add(propset.KernelNames).Put("_ZTS4Deep", propset.Uint(1))
	metadata.Add(propset.KernelNames).Put("__sycl_kernel__ZTS5Other", propset.Uint(1)) // names omit the prefix
	code := []byte(testkit.ReadFile(t, "testdata/kernels.spv"))
	f := &syclbin.File{Version: 1, State: syclbin.Executable, Global: new(propset.Registry), Modules: []*syclbin.Module{
		{Metadata: metadata,
			IR:     []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", bytes.NewReader(code))},
			Native: []*syclbin.Image{syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("native"))}},
		{Metadata: new(propset.Registry), // only SPIR-V
			IR: []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", bytes.NewReader(code))}},
	}}
	modules, err := report.FromSYCLBIN(f)
	testkit.NoError(t, err)
	for i := range modules {
		modules[i].Embedded = true
	}
	if o := outcomes(reporttest.Build(t, modules, "intel_gpu_pvc"))["_ZTS4Deep intel_gpu_pvc"]; o.Code != report.Native || o.Status != compat.Compatible {
		t.Errorf("embedded native code and IR: %+v", o)
	}
	for i := range modules {
		modules[i].Embedded = false
	}
	r := reporttest.Build(t, modules, "intel_gpu_dg2", "intel_gpu_pvc")
	all := outcomes(r)
	if c := all["_ZTS4Deep intel_gpu_pvc"]; c.Code != report.NativeOrIR || c.Status != compat.Compatible {
		t.Errorf("native code, and IR in a different module: %+v", c)
	}
	if c := all["_ZTS5Other intel_gpu_pvc"]; c.Code != report.Native || c.Status != compat.Compatible {
		t.Errorf("native code: %+v", c)
	}
	if c := all["_ZTS4Deep intel_gpu_dg2"]; c.Code != report.IR || c.Status != compat.Incompatible || c.Scope != report.ScopeImage {
		t.Errorf("missing aspect: %+v", c)
	}
	kernels := r.Kernels
	i := slices.IndexFunc(kernels, func(k report.Kernel) bool { return k.Name == "_ZTS4Deep" })
	want := []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "viaDouble(float)", Location: srcloc.Location{Path: "kernels.cpp", Line: 19, Column: 62}}}
	if k := kernels[i]; len(k.Origins) != 1 || k.Origins[0].Function != want[0].Function || k.Origins[0].Location.IsZero() || k.Origins[0].Location.Path != "kernels.cpp" {
		t.Errorf("origin %+v", k.Origins)
	}
	if len(r.Kernels) != 11 {
		t.Errorf("%d kernels; expected those of the metadata and of the second module's SPIR-V", len(r.Kernels))
	}
}

// TestUnreadableRequirement checks that a report includes a library even if a property of it cannot
// be read.
func TestUnreadableRequirement(t *testing.T) {
	metadata := new(propset.Registry)
	(&needs{Aspects: []aspect.Aspect{aspect.FP64}}).Put(metadata)
	metadata.Add(propset.DeviceRequirements).Put("reqd_sub_group_size", propset.String("odd"))
	metadata.Add(propset.KernelNames).Put("_ZTS1K", propset.Uint(1))
	modules, err := report.FromSYCLBIN(&syclbin.File{Version: 1, State: syclbin.Executable, Global: new(propset.Registry), Modules: []*syclbin.Module{
		{Metadata: metadata, Native: []*syclbin.Image{syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("native"))}},
		{Metadata: metadata, Native: []*syclbin.Image{syclbin.NewNative("intel_gpu_dg2", "spir64_gen-unknown-unknown", strings.NewReader("other"))}},
	}})
	testkit.NoError(t, err)
	all := outcomes(reporttest.Build(t, modules, "intel_gpu_dg2", "intel_gpu_pvc"))
	if o := all["_ZTS1K intel_gpu_pvc"]; o.Status != compat.Undetermined || len(o.Reasons) != 1 || o.Reasons[0].Rule != compat.UnreadableRequirement {
		t.Errorf("device that meets the readable requirements: %+v", o)
	}
	if o := all["_ZTS1K intel_gpu_dg2"]; o.Status != compat.Incompatible || len(o.Reasons) != 2 {
		t.Errorf("device that does not meet the readable requirements: %+v", o)
	}
}

// TestFromRuntimeSYCLBIN reads files written by DPC++'s runtime: kernels with two names and
// images without bytes, or no modules at all.
func TestFromRuntimeSYCLBIN(t *testing.T) {
	metadata := new(propset.Registry)
	for _, name := range []string{"rtc_0$__sycl_kernel__Z1kPi", "__sycl_kernel__Z1kPi"} {
		metadata.Add(propset.KernelNames).Put(name, propset.Uint(1))
	}
	written := &syclbin.Module{Metadata: metadata, Native: []*syclbin.Image{syclbin.NewNative("x86_64", "spir64_x86_64", strings.NewReader(""))}}
	for _, want := range [][]*syclbin.Module{{written}, nil} {
		f := &syclbin.File{Version: 1, State: syclbin.Executable, Global: new(propset.Registry), Modules: want}
		text := testkit.Written(t, func(w io.Writer) error { return syclbin.Write(w, f, syclbin.Options{}) })
		f, err := syclbin.NewFile(strings.NewReader(text), int64(len(text)))
		testkit.NoError(t, err)
		modules, err := report.FromSYCLBIN(f)
		testkit.NoError(t, err)
		r := reporttest.Build(t, modules, "x86_64")
		if len(r.Kernels) != len(want) || len(want) == 1 && (r.Kernels[0].Name != "_Z1kPi" || r.Kernels[0].DisplayName != "k(int*)" || len(r.Images) != 1) {
			t.Errorf("kernels %+v, images %+v", r.Kernels, r.Images)
		}
	}
}

func TestFromSPIRV(t *testing.T) {
	code := []byte(testkit.ReadFile(t, "testdata/kernels.spv"))
	m, err := report.FromSPIRV(bytes.NewReader(code))
	testkit.NoError(t, err)
	r := reporttest.Build(t, []report.Module{m}, "intel_gpu_dg2")
	if r.Statistics.Incompatible != 1 || r.Statistics.Compatible != 9 {
		t.Errorf("statistics %+v: one of ten kernels requires fp64", r.Statistics)
	}
	var format *spirv.FormatError
	if _, err := report.FromSPIRV(bytes.NewReader(code[:100])); !errors.As(err, &format) {
		t.Errorf("truncated module: %v", err)
	}
}

func TestFromRow(t *testing.T) {
	properties := new(propset.Registry)
	(&needs{CompileTarget: "intel_gpu_pvc"}).Put(properties)
	m, err := report.FromRow(strings.NewReader("native code"), properties, []string{"a", "b"})
	testkit.NoError(t, err)
	r := reporttest.Build(t, []report.Module{m})
	if len(r.Devices) != 1 || r.Devices[0].Name != "intel_gpu_pvc" || r.Statistics.Compatible != 2 || r.Outcome(0, 0).Code != report.Native {
		t.Errorf("devices %v, statistics %v, outcome %v", r.Devices, r.Statistics, r.Outcome(0, 0))
	}
	properties = new(propset.Registry)
	properties.Add(propset.ExportedSymbols).Put("_Z1fv", propset.Uint(1))
	m, err = report.FromRow(strings.NewReader("native code"), properties, []string{"_Z1fv", "a"})
	if err != nil || len(m.Kernels) != 1 || m.Kernels[0].Name != "a" {
		t.Errorf("exported function: %+v, %v", m.Kernels, err)
	}
	m, err = report.FromRow(strings.NewReader("BC\xc0\xdebitcode"), nil, []string{"a"})
	if err != nil || m.Images[0].Format != "llvm-ir" || m.Images[0].Native {
		t.Errorf("bitcode: %+v, %v", m, err)
	}
}

// onDevices returns the report on a module for built-in devices.
func onDevices(t *testing.T, m report.Module, names ...string) *report.Report {
	t.Helper()
	config := deviceconfig.Default()
	var devices []*deviceconfig.Device
	for _, name := range names {
		d, _ := config.Lookup(name)
		devices = append(devices, d)
	}
	r, err := report.Build([]report.Module{m}, devices, config, report.Generator{Name: "test", Version: "1"}, "")
	testkit.NoError(t, err)
	return r
}

// TestIntrinsics tests explicit SIMD with reads through the load-store cache, as generated by DPC++
// 2026.2, whose property sets do not mention them.
func TestIntrinsics(t *testing.T) {
	code := []byte(testkit.ReadFile(t, "testdata/esimd.spv"))
	properties := new(propset.Registry)
	(&needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, SubGroupSizes: []uint32{1}}).Put(properties)
	sizes := new(propset.Registry) // without the key aspects
	sizes.Add(propset.DeviceRequirements).Put("reqd_sub_group_size", propset.Uint(1))
	own := properties.Clone()
	(&needs{Intrinsics: []string{"llvm.genx.lsc.load.slm"}}).PutExtensions(own)
	for _, test := range []struct {
		name       string
		code       []byte
		properties *propset.Registry
	}{
		{"DPC++'s properties", code, properties},
		{"no properties", code, nil},
		{"properties that list no aspects", code, sizes},
		{"our properties, with unreadable code", []byte("BC\xc0\xdebitcode"), own},
	} {
		m, err := report.FromRow(bytes.NewReader(test.code), test.properties, []string{"__sycl_kernel_k_slm"})
		testkit.NoError(t, err)
		r := onDevices(t, m, "intel_gpu_acm_g10", "intel_gpu_skl", "intel_gpu_tgllp", "spir64")
		var got []string
		for d := range r.Devices {
			c, rule := r.Outcome(0, d), ""
			if len(c.Reasons) > 0 {
				rule = string(c.Reasons[0].Rule) + " " + c.Reasons[0].Required
			}
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %v %s", r.Devices[d].Name, c.Status, rule)))
		}
		want := []string{"intel_gpu_acm_g10 compatible", "intel_gpu_skl incompatible unsupported-intrinsic llvm.genx.lsc.load.slm",
			"intel_gpu_tgllp incompatible unsupported-intrinsic llvm.genx.lsc.load.slm", "spir64 undetermined missing-aspect ext_intel_esimd"}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestOldESIMD checks images of DPC++ before 2025, which marks explicit SIMD with a property
// instead of the aspect.
func TestOldESIMD(t *testing.T) {
	properties := new(propset.Registry)
	(&needs{SubGroupSizes: []uint32{1}}).Put(properties)
	for mark, want := range map[uint32]compat.Status{0: compat.Incompatible, 1: compat.Compatible} {
		properties.Add(propset.MiscProperties).Put("isEsimdImage", propset.Uint(mark))
		m, err := report.FromRow(bytes.NewReader(testkit.SPIRV("k")), properties, nil)
		testkit.NoError(t, err)
		d, _ := deviceconfig.Default().Lookup("intel_gpu_pvc")
		if got := compat.New(deviceconfig.Default()).Check(m.Needs, d); got.Status != want {
			t.Errorf("isEsimdImage %d: %v", mark, got)
		}
	}
}

// TestIRForGPUs checks that Intel GPUs use SPIR-V from an image for spir64_gen, but not bitcode,
// and that other devices use neither.
func TestIRForGPUs(t *testing.T) {
	for format, want := range map[string]report.Code{"spirv": report.IR, "llvm-ir": report.NoCode} {
		m := report.Module{Needs: &needs{}, Images: []report.ModuleImage{{Format: format, Triple: "spir64_gen"}}, Kernels: []report.ModuleKernel{{Name: "k"}}}
		for i, code := range []report.Code{want, report.NoCode, report.NoCode} {
			device := []string{"intel_gpu_pvc", "spir64", "x86_64"}[i]
			if got := onDevices(t, m, device).Outcome(0, 0).Code; got != code {
				t.Errorf("%s on %s: %s", format, device, got)
			}
		}
	}
}

// TestAssemblyNativeCode checks that assembly that a device compiler rejects is not a reason if it
// has already generated native code.
func TestAssemblyNativeCode(t *testing.T) {
	m := report.Module{
		Needs:   &needs{Assembly: []string{"V6", "lsc_load"}, Intrinsics: []string{"llvm.genx.lsc.load.slm"}, Aspects: []aspect.Aspect{aspect.FP64}},
		Images:  []report.ModuleImage{{Format: "spirv", Triple: "spir64"}, {Native: true, Format: "native", Triple: "spir64_gen", Arch: "tgllp"}},
		Kernels: []report.ModuleKernel{{Name: "k"}},
	}
	r := onDevices(t, m, "intel_gpu_tgllp", "intel_gpu_dg1", "intel_gpu_pvc")
	for d, want := range map[string]string{
		"intel_gpu_tgllp": "incompatible missing-aspect",
		"intel_gpu_dg1":   "incompatible missing-aspect unsupported-intrinsic unsupported-assembly unsupported-assembly",
		"intel_gpu_pvc":   "undetermined unsupported-assembly",
	} {
		i := slices.IndexFunc(r.Devices, func(device report.Device) bool { return device.Name == d })
		o := r.Outcome(0, i)
		got := o.Status.String()
		for _, reason := range o.Reasons {
			got += " " + string(reason.Rule)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(encode(f, reporttest.Build(f, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2"))))
	f.Add([]byte(`{"schema":"` + report.Schema + `"}`))
	f.Add([]byte(encode(f, reporttest.Build(f, nil))))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := report.Decode("r.json", bytes.NewReader(data))
		if err != nil {
			var format *report.FormatError
			if !errors.As(err, &format) {
				t.Fatalf("error of type %[1]T: %[1]v", err)
			}
			return
		}
		if _, err := report.Decode("again", strings.NewReader(encode(t, r))); err != nil {
			t.Fatalf("cannot read the encoded report: %v", err)
		}
	})
}
