package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// withPlaces returns the property sets of an image with a kernel and its locations.
func withPlaces(kernel, places string, aspects ...aspect.Aspect) *propset.Registry {
	r := new(propset.Registry)
	(&needs{Aspects: aspects}).Put(r)
	r.Add(propset.KernelNames).Put(kernel, propset.Uint(1))
	r.Add(srcloc.Set).Put(kernel, propset.String(places))
	return r
}

func row(t *testing.T, code []byte, properties *propset.Registry) report.Module {
	t.Helper()
	m, err := report.FromRow(bytes.NewReader(code), properties, nil)
	testkit.NoError(t, err)
	return m
}

func TestPlaces(t *testing.T) {
	code := []byte(testkit.ReadFile(t, "testdata/kernels.spv"))
	bare, err := spirv.StripDebug(code)
	testkit.NoError(t, err)
	native := []byte("native")
	const places = "11:0:app/deep.cpp\nfp64\t5:9:math/square.hpp\t_Z6squared\n"
	written := report.Kernel{Location: srcloc.Location{Path: "app/deep.cpp", Line: 11},
		Origins: []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "square(double)", Location: srcloc.Location{Path: "math/square.hpp", Line: 5, Column: 9}}}}
	inCode := report.Kernel{Location: srcloc.Location{Path: "kernels.cpp"},
		Origins: []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "viaDouble(float)", Location: srcloc.Location{Path: "kernels.cpp", Line: 19}}}}
	for name, test := range map[string]struct {
		code       []byte
		properties *propset.Registry
		want       report.Kernel
	}{
		"locations in the properties":    {bare, withPlaces("_ZTS4Deep", places, aspect.FP64), written},
		"only native code":               {native, withPlaces("_ZTS4Deep", places, aspect.FP64), written},
		"properties take precedence":     {code, withPlaces("_ZTS4Deep", places, aspect.FP64), written},
		"debug information in the code":  {code, withPlaces("_ZTS5Other", places, aspect.FP64), inCode},
		"invalid locations":              {code, withPlaces("_ZTS4Deep", "11:0:/etc/passwd\n", aspect.FP64), inCode},
		"neither":                        {native, withPlaces("_ZTS4Deep", "\n", aspect.FP64), report.Kernel{}},
		"code without debug information": {bare, withPlaces("_ZTS4Deep", "11:0:../../secret\n", aspect.FP64), report.Kernel{Origins: []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "viaDouble(float)"}}}},
		"escape sequences in a path":     {native, withPlaces("_ZTS4Deep", "11:0:a.cpp\nfp64\t1:1:a.cpp\t\x1b[2J\n", aspect.FP64), report.Kernel{}},
	} {
		t.Run(name, func(t *testing.T) {
			test.properties.Add(propset.KernelNames).Put("_ZTS4Deep", propset.Uint(1))
			r := reporttest.Build(t, []report.Module{row(t, test.code, test.properties)}, "intel_gpu_pvc")
			for _, k := range r.Kernels {
				if k.Name != "_ZTS4Deep" {
					continue
				}
				if !test.want.Location.IsZero() && test.want.Location.Line == 0 && !k.Location.IsZero() {
					k.Location.Line, k.Location.Column = 0, 0
					k.Origins[0].Location.Column = 0
				}
				if !reflect.DeepEqual(k.Location, test.want.Location) || !reflect.DeepEqual(k.Origins, test.want.Origins) {
					got, _ := json.Marshal(k)
					t.Errorf("got %s", got)
				}
			}
		})
	}
}

// TestLocationsInSeveralModules checks that a kernel in several modules gets the locations from all
// of them.
func TestLocationsInSeveralModules(t *testing.T) {
	modules := []report.Module{
		row(t, []byte("one"), withPlaces("_ZTS1K", "\natomic64\t7:0:b.cpp\t\n", aspect.Atomic64)),
		row(t, []byte("two"), withPlaces("_ZTS1K", "3:0:a.cpp\nfp64\t4:0:a.cpp\t\natomic64\t9:0:c.cpp\t\n", aspect.FP64)),
	}
	k := reporttest.Build(t, modules, "intel_gpu_pvc").Kernels[0]
	want := []srcloc.Origin{
		{Aspect: aspect.FP64.Named(), Location: srcloc.Location{Path: "a.cpp", Line: 4}},
		{Aspect: aspect.Named{Name: "atomic64", Value: 27}, Location: srcloc.Location{Path: "b.cpp", Line: 7}},
	}
	if k.Location.IsZero() || k.Location.Path != "a.cpp" || !reflect.DeepEqual(k.Origins, want) {
		t.Errorf("got %+v, %+v", k.Location, k.Origins)
	}
	if len(modules[1].Kernels[0].Source.Origins) != 2 || modules[1].Kernels[0].Source.Origins[0].Aspect.Name != "fp64" {
		t.Error("building a report changed a module")
	}
}

// TestNoHostPaths searches the JSON for directories of a build.
func TestNoHostPaths(t *testing.T) {
	places := "11:0:/home/u/.cache/bazel/1/execroot/_main/app/deep.cpp\nfp64\t5:9:/s/sandbox/1/execroot/_main/bazel-out/k8-opt/bin/gen/m.hpp\t\n"
	r := reporttest.Build(t, []report.Module{row(t, []byte("native"), withPlaces("_ZTS4Deep", places, aspect.FP64))}, "intel_gpu_pvc")
	out := encode(t, r)
	for _, path := range []string{`"app/deep.cpp"`, `"gen/m.hpp"`} {
		if !strings.Contains(out, path) {
			t.Errorf("missing %s in %s", path, out)
		}
	}
	for _, dir := range []string{"execroot", "bazel-out", "sandbox", "home"} {
		if strings.Contains(out, dir) {
			t.Errorf("directory %s in %s", dir, out)
		}
	}
	if _, err := report.Decode("again", strings.NewReader(out)); err != nil {
		t.Error(err)
	}
	for _, k := range r.Kernels {
		if filepath.IsAbs(k.Location.Path) {
			t.Errorf("absolute path %s", k.Location.Path)
		}
	}
}
