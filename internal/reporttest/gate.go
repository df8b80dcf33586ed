package reporttest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Examples of reasons.
var (
	FP64   = report.Reason{Rule: "missing-aspect", Required: "fp64", Status: compat.Incompatible, Text: "Required aspect fp64 is not supported on the device"}
	FP16   = report.Reason{Rule: "missing-aspect", Required: "fp16", Status: compat.Incompatible, Text: "Required aspect fp16 is not supported on the device"}
	SG8    = report.Reason{Rule: "unsupported-sub-group-size", Required: "8", Available: "16, 32", Status: compat.Incompatible, Text: "Sub-group size 8 is not supported on the device"}
	Maybe  = report.Reason{Rule: "missing-aspect", Required: "fp64", Status: compat.Undetermined, Text: "Required aspect fp64 is not among the aspects that are known"}
	None   = report.Reason{Rule: "no-image", Status: compat.Incompatible, Text: "No kernel was found"}
	Other  = report.Reason{Rule: "compile-target-mismatch", Required: "intel_gpu_pvc", Status: compat.NotApplicable, Text: "The image was compiled ahead of time for intel_gpu_pvc"}
	Absent = report.Reason{Rule: report.NotReported, Required: "report", Status: compat.NotApplicable, Text: "No report covers this kernel and device"}
	Future = report.Reason{Rule: "missing-soul", Required: "soul", Status: compat.Incompatible, Text: "The device has no soul"}
)

// Problems holds the reasons why a kernel does not run, by device.
type Problems map[string][]report.Reason

// Report returns a report on kernels and devices. The keys are demangled kernel names.
func Report(label string, devices []string, kernels map[string]Problems) *report.Report {
	r := &report.Report{Targets: []string{label}}
	for _, d := range devices {
		r.Devices = append(r.Devices, report.Device{Name: d})
	}
	for n, name := range slices.Sorted(maps.Keys(kernels)) {
		r.Kernels = append(r.Kernels, report.Kernel{Name: Mangled(name), DisplayName: name, Row: int32(n)})
		row := []int32{}
		for _, d := range devices {
			o := report.Outcome{Code: report.IR, Scope: report.ScopeKernel, Status: compat.Compatible, Reasons: kernels[name][d]}
			for _, reason := range o.Reasons {
				o.Status = max(o.Status, reason.Status)
			}
			row = append(row, int32(len(r.Outcomes)))
			r.Outcomes = append(r.Outcomes, o)
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// Mangled returns the mangled name of a kernel.
func Mangled(name string) string {
	if strings.HasPrefix(name, "_Z") {
		return name
	}
	return fmt.Sprintf("_ZTS%d%s", len(name), name)
}

// Everything returns a report with findings of all kinds.
func Everything() *report.Report {
	r := Report("//demo:kernels", []string{"intel_gpu_dg2", "intel_gpu_pvc", "spir64"}, map[string]Problems{
		"VectorAdd":      {},
		"Axpy<double>":   {"intel_gpu_dg2": {FP64}, "spir64": {Maybe}},
		"Axpy<float>":    {"intel_gpu_pvc": {SG8}},
		"Reduce<double>": {"intel_gpu_dg2": {FP64, None}},
		"Tile": {"intel_gpu_dg2": {{Rule: "unsupported-work-group-size", Required: "2048", Available: "at most 1024", Status: compat.Incompatible}},
			"intel_gpu_pvc": {{Rule: "unsupported-joint-matrix", Required: "matrix_type::fp16 8x16", Status: compat.Incompatible}}},
		"Fixed": {"intel_gpu_pvc": {{Rule: "fixed-target-mismatch", Required: "x86_64,intel_gpu_dg2", Status: compat.Incompatible}, None}},
		"Dims":  {"intel_gpu_dg2": {{Rule: "unsupported-work-group-dims", Required: "4", Status: compat.Incompatible}}},
		"None":  {"intel_gpu_dg2": {None}, "intel_gpu_pvc": {None}},
	})
	for i := range r.Kernels {
		k := &r.Kernels[i]
		switch k.DisplayName {
		case "Axpy<double>":
			k.Location = srcloc.Location{Path: "src/axpy.cpp", Line: 12}
			k.Origins = []srcloc.Origin{{Aspect: aspect.Named{Name: "fp64"}, Function: "square(double)", Location: srcloc.Location{Path: "src/math.hpp", Line: 7, Column: 19}}}
		case "Tile":
			k.Location = srcloc.Location{Path: "src/tile.cpp", Line: 3}
		}
	}
	return r
}

// Before returns the report before the change that leads to [Everything], in which one kernel had
// no problem.
func Before() *report.Report {
	r := Everything()
	for i := range r.Kernels {
		if r.Kernels[i].Name == Mangled("Dims") {
			for d := range r.Devices {
				o := r.Outcome(i, d)
				o.Status, o.Reasons = compat.Compatible, nil
			}
		}
	}
	return r
}

// Policy is a policy for [Everything], without its version.
const Policy = `devices: {required: [intel_gpu_dg2, intel_gpu_nvl], supported: [intel_gpu_pvc]}
families: [{name: axpy, kernels: ['Axpy<*>']}]
allow:
  - {rule: missing-aspect, kernels: ['Reduce<*>'], reason: runs on the host, owner: '@org/sim', expires: 2027-01-01}
  - {rule: no-image, kernels: [Gone], reason: r, expires: 2026-12-01}
`

// Random returns reports on a few targets.
func Random(random *rand.Rand) (list []*report.Report) {
	devices := []string{"a", "b", "c", "d"}
	reasons := []report.Reason{FP64, FP16, SG8, Maybe, None, Other}
	for i := range 1 + random.IntN(4) {
		own := devices[:1+random.IntN(len(devices))]
		kernels := map[string]Problems{}
		for k := range random.IntN(6) {
			statuses := Problems{}
			for _, d := range own {
				for range random.IntN(3) {
					statuses[d] = append(statuses[d], reasons[random.IntN(len(reasons))])
				}
			}
			kernels[fmt.Sprintf("k%d", k)] = statuses
		}
		list = append(list, Report(fmt.Sprintf("//p:t%d", i/2), own, kernels))
	}
	return list
}

// RandomPolicy returns one of a few policies for reports of [Random], without its version.
func RandomPolicy(random *rand.Rand) string { return policies[random.IntN(len(policies))] }

var policies = []string{"", "fail-on: any", "devices: {required: [a], supported: ['*']}\nfail-on-severity: warning", "undetermined: error\nrules: {no-image: off}",
	"families: [{name: f, kernels: [k1, k2]}]", "allow: [{rule: missing-aspect, kernels: ['k*'], devices: [b], reason: r, expires: 2030-01-01}]"}
