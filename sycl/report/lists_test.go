package report_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A list of kernels gives back what was put in, whatever the lengths of texts and lists
// are.
func TestKernelsAreAList(t *testing.T) {
	var want []report.Kernel
	for i := range 3000 {
		name := fmt.Sprint(i) + strings.Repeat("x", []int{0, 1, 120, 125, 4090, 4096, 70_000}[i%100%7*(i%31/30)])
		k := report.Kernel{ID: "//a:b#" + name, Name: name, DisplayName: name + "()", Images: []string{}}
		for n := range i % 5 {
			k.Images = append(k.Images, fmt.Sprint("image", i/3+n))
		}
		if i%3 == 0 {
			k.Location = srcloc.Location{Path: fmt.Sprint("src/", i/50), Line: uint32(i), Column: uint32(i % 7)}
		}
		if i%4 == 0 {
			k.Origins = []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: name}}
			k.Forms = []report.KernelForm{{Kind: report.Reduction, Name: name + "1"}}
		}
		want = append(want, k)
	}
	list := report.MakeKernels(want...)
	check := func(what string, list report.Kernels) {
		t.Helper()
		if got := reporttest.ListKernels(&report.Report{Kernels: list}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the kernels are others", what)
		}
		for i := range list.Len() {
			if k := list.At(i); !reflect.DeepEqual(k, want[i]) || list.ID(i) != k.ID || list.DisplayName(i) != k.DisplayName || !reflect.DeepEqual(list.Origins(i), k.Origins) {
				t.Fatalf("%s: got %+v, want %+v", what, k, want[i])
			}
		}
	}
	check("appended", list)
	want[1].Name, want[1].Images = "other", []string{"image1", "image2", "image3"}
	list.Set(1, &want[1])
	check("after a change", list)
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var again report.Kernels
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	check("from JSON", again)
}

// A list of images gives back what was put in, also when images differ in one member only
// and when digests are none.
func TestImagesAreAList(t *testing.T) {
	one := report.Image{ID: "a", Digest: reporttest.Digest(1), Format: "spirv", Requirements: report.Requirements{Aspects: []aspect.Named{}}}
	want := []report.Image{one}
	for _, change := range []func(*report.Image){
		func(i *report.Image) { i.ID = "" },
		func(i *report.Image) { i.Digest = "" },
		func(i *report.Image) { i.Digest = strings.ToUpper(reporttest.Digest(10)) },
		func(i *report.Image) { i.Digest = reporttest.Digest(1)[1:] },
		func(i *report.Image) { i.Size = 1 << 40 },
		func(i *report.Image) { i.ESIMD = true },
		func(i *report.Image) { i.Architecture = "x" },
		func(i *report.Image) { i.CompileOptions = "x" },
		func(i *report.Image) { i.CompileTarget = "x" },
		func(i *report.Image) { i.Format = "x" },
		func(i *report.Image) { i.LinkOptions = "x" },
		func(i *report.Image) { i.Triple = "x" },
		func(i *report.Image) { i.Files = []string{"x"} },
		func(i *report.Image) { i.Files = []string{"x", ""} },
		func(i *report.Image) { i.FixedTargets = []string{"x"} },
		func(i *report.Image) { i.Unknown = []string{"x"} },
		func(i *report.Image) { i.Requirements.JointMatrix = []string{"x"} },
		func(i *report.Image) { i.Requirements.JointMad = []string{"x"} },
		func(i *report.Image) { i.Requirements.Aspects = []aspect.Named{{Name: "x"}} },
		func(i *report.Image) { i.Requirements.Aspects = []aspect.Named{{Name: "x", Value: 1}} },
		func(i *report.Image) { i.Requirements.SubGroupSizes = []uint32{1} },
		func(i *report.Image) { i.Requirements.WorkGroupSize = []uint64{1} },
		func(i *report.Image) { i.Requirements.WorkGroupSize = []uint64{1, 1} },
		func(i *report.Image) { i.Requirements.WorkGroupDims = 1 },
	} {
		other := one
		change(&other)
		want = append(want, other, one)
	}
	list := report.MakeImages(want...)
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var again report.Images
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]report.Images{"appended": list, "from JSON": again} {
		for i, want := range want {
			if got := list.At(i); !reflect.DeepEqual(got, want) || list.ID(i) != want.ID || !reflect.DeepEqual(list.Files(i), want.Files) {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
		}
	}
}
