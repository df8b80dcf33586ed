package gate

import (
	"slices"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func TestWider(t *testing.T) {
	was := func() *report.Device {
		return &report.Device{Name: "a", Backend: "spirv", Aspects: []aspect.Named{{Name: "fp16"}}, SubGroupSizes: []uint32{16}, MaxWorkGroupSize: 512,
			MaxWorkItemSizes: []uint64{512, 512, 64}, LocalMemorySize: 1 << 16, Matrices: []string{"m"}}
	}
	for name, test := range map[string]struct {
		change func(d *report.Device)
		want   []string
	}{
		"nothing": {func(*report.Device) {}, nil},
		"less of all": {func(d *report.Device) {
			d.Aspects, d.SubGroupSizes, d.MaxWorkGroupSize, d.Matrices = nil, nil, 256, []string{}
		}, nil},
		"an aspect":        {func(d *report.Device) { d.Aspects = append(d.Aspects, aspect.Named{Name: "fp64"}) }, []string{"the aspect fp64"}},
		"optional aspects": {func(d *report.Device) { d.OpenWorld = true }, []string{"aspects that are not listed"}},
		"a generic device": {func(d *report.Device) {
			*d = report.Device{Name: "a", Backend: "spirv", OpenWorld: true, MaxWorkGroupSize: 1, LocalMemorySize: 1, MaxWorkItemSizes: []uint64{1, 1, 1}, Matrices: []string{}}
		}, []string{"aspects that are not listed", "anything, because the device is unknown"}},
		"a sub-group size":         {func(d *report.Device) { d.SubGroupSizes = []uint32{8, 16} }, []string{"the sub-group size 8"}},
		"a limit":                  {func(d *report.Device) { d.MaxWorkGroupSize = 1024 }, []string{"a work-group size of 1024"}},
		"a removed limit":          {func(d *report.Device) { d.LocalMemorySize = 0 }, []string{"any local memory size, because it is no longer stated"}},
		"a limit of one range":     {func(d *report.Device) { d.MaxWorkItemSizes[2] = 65 }, []string{"a work-group size in dimension 2 of 65"}},
		"a matrix":                 {func(d *report.Device) { d.Matrices = []string{"m", "n"} }, []string{"the matrix n"}},
		"unknown matrices":         {func(d *report.Device) { d.Matrices = nil }, []string{"any matrix combination, because the combinations are no longer listed"}},
		"a different architecture": {func(d *report.Device) { d.Architecture = "b" }, []string{"device images for a different architecture"}},
	} {
		now := was()
		now.MaxWorkItemSizes = slices.Clone(now.MaxWorkItemSizes)
		test.change(now)
		if got := addedCapabilities(was(), now); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// TestChangedDeviceData checks that different device data in a baseline excuses new problems only
// if the change did not modify the data.
func TestChangedDeviceData(t *testing.T) {
	was := reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}})
	now := reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}})
	now.Devices[0].MaxWorkGroupSize = 1
	was.Devices[0].MaxWorkGroupSize = 2
	baseline := NewBaseline(Evaluate(Input{Reports: facts(was), Today: today}))
	in := Input{Reports: facts(now), Today: today, Baseline: baseline, BaseDecides: true, BaseDevices: was.Devices}
	if r := Evaluate(in); r.Conclusion != Failure {
		t.Errorf("changed by the change: %q", brief(r))
	}
	in.BaseDevices = now.Devices
	if r := Evaluate(in); r.Conclusion != Success {
		t.Errorf("changed on the base branch: %q", brief(r))
	}
}

// TestReportWithoutLocalMemory checks reports of older versions of compat, which lack the local
// memory size. This is not a weaker policy, unless the base branch decides or has reports.
func TestReportWithoutLocalMemory(t *testing.T) {
	now := reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}})
	was := reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}})
	was.Devices[0].LocalMemorySize = 1 << 16
	for name, test := range map[string]struct {
		in   Input
		want int
	}{
		"compared with built-in data": {Input{BaseDevices: was.Devices}, 0},
		"compared with a base report": {Input{BaseDevices: was.Devices, Base: facts(was)}, 1},
		"rules of the base":           {Input{BaseDevices: was.Devices, BaseDecides: true}, 1},
	} {
		test.in.Reports, test.in.Today = facts(now), today
		n := 0
		for _, w := range Evaluate(test.in).Notices {
			if w.Rule == PolicyWeakened {
				n++
			}
		}
		if n != test.want {
			t.Errorf("%s: %d warnings, want %d", name, n, test.want)
		}
	}
}
