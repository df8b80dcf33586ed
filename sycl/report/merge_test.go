package report_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func TestMerge(t *testing.T) {
	one := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
	two := reporttest.Build(t, reporttest.Program(), "intel_gpu_dg2")
	both := reporttest.Build(t, reporttest.Program(), "intel_gpu_dg2", "intel_gpu_pvc")
	if got, want := encode(t, reporttest.Merge(t, one, two)), encode(t, both); got != want {
		t.Errorf("parts of a target: got\n%s\nwant\n%s", got, want)
	}
	if reporttest.Merge(t, one) != one {
		t.Error("a single report is changed")
	}
	other := reporttest.BuildLabelled(t, "//other:kernels", reporttest.Program()[:2], "x86_64")
	joined := reporttest.Merge(t, one, other)
	if err := joined.Check(); err != nil {
		t.Error(err)
	}
	if encode(t, joined) != encode(t, reporttest.Merge(t, other, one)) {
		t.Error("the order of the parts counts")
	}
	if got := encode(t, reporttest.Merge(t, joined, two)); got != encode(t, reporttest.Merge(t, one, other, two)) {
		t.Errorf("a merged report as a part: %s", got)
	}
	if n := joined.Statistics; n.Kernels != one.Kernels.Len()+other.Kernels.Len() || n.NotApplicable != n.Cells-one.Cells.Len()-other.Cells.Len() {
		t.Errorf("statistics %+v", n)
	}
	var labels []string
	for _, k := range joined.Kernels.All() {
		labels = append(labels, report.KernelTarget(k))
	}
	if !slices.IsSorted(labels) || labels[0] != "//demo:kernels" || labels[len(labels)-1] != "//other:kernels" {
		t.Errorf("labels %q", labels)
	}
	if _, err := report.Decode("r.json", strings.NewReader(encode(t, joined))); err != nil {
		t.Error(err)
	}

	// Images that differ, with ids that do not.
	changed := reporttest.BuildLabelled(t, "//other:kernels", reporttest.Program(), "intel_gpu_pvc")
	reporttest.EditImages(changed, func(i *report.Image) { i.Size++ })
	images := reporttest.Merge(t, one, changed)
	if images.Images.Len() != 2*one.Images.Len() {
		t.Errorf("%d images", images.Images.Len())
	}
	byID := map[string]int64{}
	for _, i := range images.Images.All() {
		byID[i.ID] = i.Size
	}
	for _, k := range images.Kernels.All() {
		for _, id := range k.Images {
			if isOther := report.KernelTarget(k) == "//other:kernels"; (byID[id] == 51 || byID[id] == 101) != isOther {
				t.Errorf("kernel %s has an image of %d bytes", k.ID, byID[id])
			}
		}
	}

	device := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
	device.Devices[0].MaxWorkGroupSize = 1
	verdict := reporttest.Build(t, reporttest.Program()[:1], "intel_gpu_pvc")
	cell := verdict.Cells.At(0)
	cell.Kernel, cell.Code = one.Kernels.At(0).ID, report.IR
	kernel := verdict.Kernels.At(0)
	kernel.ID = cell.Kernel
	verdict.Kernels, verdict.Cells = report.MakeKernels(kernel), report.MakeCells(cell)
	for name, test := range map[string]struct {
		part *report.Report
		want string
	}{
		"a device described in two ways": {device, "describes device intel_gpu_pvc in another way"},
		"two verdicts":                   {verdict, "contradict each other about kernel " + one.Kernels.At(0).ID + " and device intel_gpu_pvc"},
	} {
		if _, err := report.Merge(one, test.part); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a, b := reporttest.Build(t, nil), reporttest.Build(t, nil)
	a.Extensions = map[string]json.RawMessage{"same": json.RawMessage("1"), "differs": json.RawMessage("1"), "alone": json.RawMessage("1")}
	b.Extensions = map[string]json.RawMessage{"same": json.RawMessage("1"), "differs": json.RawMessage("2")}
	if got := reporttest.Merge(t, a, b).Extensions; len(got) != 2 || got["same"] == nil || got["alone"] == nil {
		t.Errorf("extensions %v", got)
	}
}

func TestSelect(t *testing.T) {
	r := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc", "intel_gpu_dg2", "x86_64")
	for _, test := range []struct {
		name             string
		selection        report.Selection
		kernels, devices int
		unmatched        []string
	}{
		{"everything", report.Selection{}, 5, 3, nil},
		{"a device", report.Selection{Devices: []string{"x86_64"}}, 5, 1, nil},
		{"devices by pattern", report.Selection{Devices: []string{"intel_*"}}, 5, 2, nil},
		{"kernels by name and symbol", report.Selection{Kernels: []string{"Matrix", "_ZTS*Add"}}, 2, 3, nil},
		{"kernels with a no", report.Selection{Verdicts: []compat.Verdict{compat.Incompatible}}, 3, 3, nil},
		{"a no on one device", report.Selection{Devices: []string{"intel_gpu_dg2"}, Verdicts: []compat.Verdict{compat.Incompatible}}, 2, 1, nil},
		{"what kernels need", report.Selection{Needs: []string{"fp64"}}, 1, 3, nil},
		{"a rule", report.Selection{Rules: []string{"unsupported-*"}}, 2, 3, nil},
		{"a rule on a device", report.Selection{Rules: []string{"unsupported-sub-group-size"}, Devices: []string{"x86_64", "*pvc"}}, 1, 2, nil},
		{"a rule and a need of one reason", report.Selection{Rules: []string{"missing-aspect"}, Needs: []string{"8"}}, 0, 3, nil},
		{"a verdict and a rule of one reason", report.Selection{Rules: []string{"*work-group-size"}, Verdicts: []compat.Verdict{compat.Undetermined}, Devices: []string{"intel_gpu_dg2"}}, 0, 1, nil},
		{"a source", report.Selection{Sources: []string{"src/*.cpp"}}, 1, 3, nil},
		{"a source and a file that there are not", report.Selection{Sources: []string{"b.cpp"}, Files: []string{"b.so"}}, 0, 3, []string{"b.cpp", "b.so"}},
		{"what there is not", report.Selection{Kernels: []string{"Matrix", "None*"}, Devices: []string{"*pvc", "gpu"}}, 1, 1, []string{"gpu", "None*"}},
	} {
		part, unmatched := r.Select(test.selection)
		if part.Kernels.Len() != test.kernels || len(part.Devices) != test.devices || !slices.Equal(unmatched, test.unmatched) {
			t.Errorf("%s: %d kernels, %d devices, unmatched %q", test.name, part.Kernels.Len(), len(part.Devices), unmatched)
		}
		if err := part.Check(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	r = reporttest.Build(t, inFiles(), "intel_gpu_pvc")
	if part, unmatched := r.Select(report.Selection{Files: []string{"a.whl: *"}}); part.Kernels.Len() != 4 || unmatched != nil {
		t.Errorf("%d kernels of a file, unmatched %q", part.Kernels.Len(), unmatched)
	}
	// A name can be given as it is shown.
	reporttest.EditKernel(r, 0, func(k *report.Kernel) { k.DisplayName = "a\nb" })
	if part, _ := r.Select(report.Selection{Kernels: []string{`a\u{a}b`}}); part.Kernels.Len() != 1 {
		t.Errorf("%d kernels by a name as it is shown", part.Kernels.Len())
	}
}
