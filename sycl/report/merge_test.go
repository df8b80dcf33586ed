package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func TestMerge(t *testing.T) {
	one := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
	two := reporttest.Build(t, reporttest.Program(), "intel_gpu_dg2")
	both := reporttest.Build(t, reporttest.Program(), "intel_gpu_dg2", "intel_gpu_pvc")
	if got, want := encode(t, reporttest.Merge(t, one, two)), encode(t, both); got != want {
		t.Errorf("parts of a target: got\n%s\nwant\n%s", got, want)
	}
	if reporttest.Merge(t, one) != one {
		t.Error("Merge changed a single report")
	}
	other := reporttest.BuildLabelled(t, "//other:kernels", reporttest.Program()[:2], "x86_64")
	joined := reporttest.Merge(t, one, other)
	if err := joined.Check(); err != nil {
		t.Error(err)
	}
	if encode(t, joined) != encode(t, reporttest.Merge(t, other, one)) {
		t.Error("the result depends on the order of the parts")
	}
	if got := encode(t, reporttest.Merge(t, joined, two)); got != encode(t, reporttest.Merge(t, one, other, two)) {
		t.Errorf("a merged report as a part: %s", got)
	}
	second := reporttest.BuildLabelled(t, "//second:kernels", reporttest.Program(), "intel_gpu_dg2")
	if got := encode(t, reporttest.Merge(t, both, reporttest.Merge(t, one, second))); got != encode(t, reporttest.Merge(t, both, second)) {
		t.Errorf("a part without statuses that another part has: %s", got)
	}
	if n, m := len(one.Kernels), len(other.Kernels); joined.Statistics.NotApplicable != n+m || !slices.Equal(joined.Targets, []string{"//demo:kernels", "//other:kernels"}) {
		t.Errorf("statistics %+v, targets %q", joined.Statistics, joined.Targets)
	}
	var targets []int32
	for _, k := range joined.Kernels {
		targets = append(targets, k.Target)
	}
	if want := []int32{0, 0, 0, 0, 0, 1, 1, 1}; !slices.Equal(targets, want) {
		t.Errorf("targets %v, want %v", targets, want)
	}
	if _, err := report.Decode("r.json", strings.NewReader(encode(t, joined))); err != nil {
		t.Error(err)
	}

	// A target without kernels is not in a merged report, unless no part has kernels.
	nothing := reporttest.BuildLabelled(t, "//no:kernels", nil)
	if got := reporttest.Merge(t, one, nothing, other).Targets; !slices.Equal(got, joined.Targets) {
		t.Errorf("targets %q", got)
	}
	if got := reporttest.Merge(t, nothing, reporttest.BuildLabelled(t, "//a:a", nil)).Targets; !slices.Equal(got, []string{"//a:a", "//no:kernels"}) {
		t.Errorf("targets without kernels: %q", got)
	}

	// The demangled name of a kernel may differ between versions of compat. The first in sort order is
	// used.
	for _, name := range []string{"", "~"} {
		renamed := reporttest.Build(t, reporttest.Program(), "intel_gpu_dg2")
		renamed.Kernels[0].DisplayName = name
		want := min(name, one.Kernels[0].DisplayName)
		for _, k := range reporttest.Merge(t, one, renamed).Kernels {
			if k.Name == one.Kernels[0].Name && k.DisplayName != want {
				t.Errorf("display name %q, want %q", k.DisplayName, want)
			}
		}
	}

	// The same applies to locations.
	for _, line := range []uint32{1, 1000} {
		moved := reporttest.Build(t, reporttest.Program(), "intel_gpu_dg2")
		moved.Kernels[0].Location = srcloc.Location{Path: "k.cpp", Line: line}
		here := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
		here.Kernels[0].Location = srcloc.Location{Path: "k.cpp", Line: 500}
		for _, parts := range [][]*report.Report{{here, moved}, {moved, here}} {
			if got := reporttest.Merge(t, parts...).Kernels[0].Location.Line; got != min(line, 500) {
				t.Errorf("the kernel is at line %d, want %d", got, min(line, 500))
			}
		}
	}

	// Images that differ only in their kinds.
	changed := reporttest.BuildLabelled(t, "//other:kernels", reporttest.Program(), "intel_gpu_pvc")
	for i := range changed.ImageKinds {
		changed.ImageKinds[i].LinkOptions = "-x"
	}
	images := reporttest.Merge(t, one, changed)
	if len(images.Images) != 2*len(one.Images) {
		t.Errorf("%d images", len(images.Images))
	}
	for _, k := range images.Kernels {
		for _, n := range k.Images {
			if options := images.ImageKinds[images.Images[n].Kind].LinkOptions; options != []string{"", "-x"}[k.Target] {
				t.Errorf("kernel %s of target %d: image with the options %q", k.Name, k.Target, options)
			}
		}
	}

	device := reporttest.Build(t, reporttest.Program(), "intel_gpu_pvc")
	device.Devices[0].MaxWorkGroupSize = 1
	status := reporttest.Build(t, reporttest.Program()[:1], "intel_gpu_pvc")
	status.Kernels[0].Name = one.Kernels[0].Name
	status.Outcome(0, 0).Code = report.IR
	for name, test := range map[string]struct {
		part *report.Report
		want string
	}{
		"two descriptions of a device": {device, "describes device intel_gpu_pvc differently"},
		"two statuses":                 {status, "contradict each other about kernel " + one.Kernels[0].Name + " and device intel_gpu_pvc"},
	} {
		if _, err := report.Merge(one, test.part); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	one.Source = report.Source{Commit: "1234567", Date: "2027-03-31"}
	if got := reporttest.Merge(t, one, other).Source; got != (report.Source{}) {
		t.Errorf("source of parts with different sources: %+v", got)
	}
	other.Source = one.Source
	if got := reporttest.Merge(t, one, other).Source; got != one.Source {
		t.Errorf("source of parts with the same source: %+v", got)
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
		{"incompatible kernels", report.Selection{Statuses: []compat.Status{compat.Incompatible}}, 3, 3, nil},
		{"incompatible kernels on one device", report.Selection{Devices: []string{"intel_gpu_dg2"}, Statuses: []compat.Status{compat.Incompatible}}, 2, 1, nil},
		{"requirements", report.Selection{Needs: []string{"fp64"}}, 1, 3, nil},
		{"a rule", report.Selection{Rules: []string{"unsupported-*"}}, 2, 3, nil},
		{"a rule on a device", report.Selection{Rules: []string{"unsupported-sub-group-size"}, Devices: []string{"x86_64", "*pvc"}}, 1, 2, nil},
		{"a rule and a requirement of one reason", report.Selection{Rules: []string{"missing-aspect"}, Needs: []string{"8"}}, 0, 3, nil},
		{"a status and a rule of one reason", report.Selection{Rules: []string{"*work-group-size"}, Statuses: []compat.Status{compat.Undetermined}, Devices: []string{"intel_gpu_dg2"}}, 0, 1, nil},
		{"a source", report.Selection{Sources: []string{"src/*.cpp"}}, 1, 3, nil},
		{"an unknown source and an unknown file", report.Selection{Sources: []string{"b.cpp"}, Files: []string{"b.so"}}, 0, 3, []string{"b.cpp", "b.so"}},
		{"unknown names", report.Selection{Kernels: []string{"Matrix", "None*"}, Devices: []string{"*pvc", "gpu"}}, 1, 1, []string{"gpu", "None*"}},
	} {
		part, unmatched := r.Select(test.selection)
		if len(part.Kernels) != test.kernels || len(part.Devices) != test.devices || !slices.Equal(unmatched, test.unmatched) {
			t.Errorf("%s: %d kernels, %d devices, unmatched %q", test.name, len(part.Kernels), len(part.Devices), unmatched)
		}
		if err := part.Check(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	r = reporttest.Build(t, inFiles(), "intel_gpu_pvc")
	if part, unmatched := r.Select(report.Selection{Files: []string{"a.whl: *"}}); len(part.Kernels) != 4 || unmatched != nil {
		t.Errorf("kernels of a file: %d, unmatched %q", len(part.Kernels), unmatched)
	}
	part, _ := r.Select(report.Selection{Kernels: []string{"Wide"}})
	if len(part.Images) != 1 || len(part.ImageKinds) != 1 || len(part.Files) != 1 || len(part.Files) == len(r.Files) {
		t.Errorf("part with %d images, %d kinds of images and the files %v", len(part.Images), len(part.ImageKinds), part.Files)
	}
	if err := part.Check(); err != nil {
		t.Error(err)
	}
	// A name can be given as it is displayed.
	r.Kernels[0].DisplayName = "a\nb"
	if part, _ := r.Select(report.Selection{Kernels: []string{`a\u{a}b`}}); len(part.Kernels) != 1 {
		t.Errorf("%d kernels selected by a display name", len(part.Kernels))
	}
}
