package report_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// scaled returns the property sets of a kernel with a constant that has the given number.
func scaled(kernel string, number uint32, value ...byte) *propset.Registry {
	r := new(propset.Registry)
	r.Add(propset.KernelNames).Put(kernel, propset.Uint(1))
	r.Add(propset.DeviceRequirements).Put("aspects", propset.Bytes(nil))
	propset.PutSpecConstants(r, []propset.SpecConstant{
		{Name: "_ZN3app5scaleE", Records: []propset.SpecRecord{{ID: number, Size: 4}}, Default: value},
		{Name: "_ZN3app4flagE", Records: []propset.SpecRecord{{ID: number + 1, Size: 1}}, Default: []byte{1}},
	})
	return r
}

// TestConstants checks that images have their specialization constants, even if they differ only in
// these, and that constants of native code have the types from SPIR-V elsewhere in the file.
func TestConstants(t *testing.T) {
	code := testkit.SPIRV("K", testkit.SPIRVConstant{ID: 3, Type: testkit.Float, Bits: 0x40200000}, testkit.SPIRVConstant{ID: 4, Type: testkit.I8, Bits: 1})
	native := syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", bytes.NewReader([]byte("native")))
	again := syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", bytes.NewReader([]byte("native")))
	f := &syclbin.File{State: syclbin.Executable, Modules: []*syclbin.Module{
		{Metadata: scaled("K", 3, 0, 0, 0x20, 0x40), IR: []*syclbin.Image{syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", bytes.NewReader(code))}},
		{Metadata: scaled("K", 0, 0, 0, 0x80, 0x3f), Native: []*syclbin.Image{native}},
		{Metadata: scaled("L", 0, 0, 0, 0, 0x3f), Native: []*syclbin.Image{again}},
	}}
	modules, err := report.FromSYCLBIN(f)
	testkit.NoError(t, err)
	r, err := report.Build(modules, nil, deviceconfig.Default(), report.Generator{Name: "test", Version: "1"}, "//p:t")
	testkit.NoError(t, err)
	constants := func(number uint32, scale string) []report.Constant {
		return []report.Constant{
			{DisplayName: "app::flag", Name: "_ZN3app4flagE", Parts: []report.ConstantPart{{Default: "1", Number: number + 1, Size: 1, Type: "i8"}}},
			{DisplayName: "app::scale", Name: "_ZN3app5scaleE", Parts: []report.ConstantPart{{Default: scale, Number: number, Size: 4, Type: "float"}}},
		}
	}
	want := map[string][]report.Constant{"K spirv": constants(3, "2.5"), "K native": constants(0, "1"), "L native": constants(0, "0.5")}
	check := func(r *report.Report) {
		t.Helper()
		got := map[string][]report.Constant{}
		for _, k := range r.Kernels {
			for _, n := range k.Images {
				i := r.ImageKinds[r.Images[n].Kind]
				got[k.Name+" "+i.Format] = i.Constants
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	check(r)
	var text bytes.Buffer
	testkit.NoError(t, r.Encode(&text))
	s, err := testkit.CompileSchema(docs.ReportSchema)
	testkit.NoError(t, err)
	if err := s.ValidateJSON(text.Bytes()); err != nil {
		t.Error(err)
	}
	decoded, err := report.Decode("r.json", &text)
	testkit.NoError(t, err)
	check(decoded)
	check(reporttest.Merge(t, decoded, r))
}

// TestRowConstants checks that types are omitted if SPIR-V and property sets do not match, and
// that invalid property sets are an error.
func TestRowConstants(t *testing.T) {
	code := bytes.NewReader(testkit.SPIRV("K", testkit.SPIRVConstant{ID: 3, Type: testkit.Double}))
	m, err := report.FromRow(code, scaled("K", 3, 0, 0, 0x20, 0x40), nil)
	testkit.NoError(t, err)
	if got := (*m.Images[0].Constants)[1].Parts[0]; got != (report.ConstantPart{Default: "bytes:00002040", Number: 3, Size: 4}) {
		t.Errorf("got %+v", got)
	}
	wrong := scaled("K", 3, 0, 0, 0x20, 0x40)
	wrong.Set(propset.SpecializationConstantDefaults).Put("all", propset.Bytes([]byte{1}))
	if _, err := report.FromRow(code, wrong, nil); err == nil || !strings.Contains(err.Error(), "default values] all: the 1 bytes end within the constant") {
		t.Errorf("got %v", err)
	}
}
