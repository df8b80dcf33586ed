package gate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// TestAttackSimilarNames checks that a device or a key with a similar-looking name is not treated
// as the same.
func TestAttackSimilarNames(t *testing.T) {
	for _, text := range []string{
		"version: 1\nfail\u2010on: none\n", "version: 1\nfail-\u03bfn: none\n", "version: 1\nFail-On: none\n", "version: 1\nfail_on: none\n",
		"version: 1\n\ufefffail-on: none\n", "version: 1\nfail-on: none\u200b\n", "version: 1\nfail-on: None\n", "version: 1\nfail-on: \"none \"\n",
		"version: 1\nrules: {missing\u2011aspect: off}\n", "version: 1\ndevices: {Required: [a]}\n", "version: \u0661\n",
	} {
		var syntax *SyntaxError
		if _, err := ReadPolicy("p.yaml", strings.NewReader(text)); !errors.As(err, &syntax) {
			t.Errorf("%q: %v", text, err)
		}
	}
	p := policy(t, "devices: {required: [intel_gpu_pvc]}")
	for _, name := range []string{"intel_gpu_p\u03bdc", "intel_gpu_pvc\u200b", "intel_gpu_pvc ", "INTEL_GPU_PVC", "intel-gpu-pvc", "intel_gpu_pvc_", "\u0456ntel_gpu_pvc", "*", "intel_gpu_*"} {
		r := Evaluate(Input{Reports: facts(reportOf("//p:t", []string{name}, map[string]problems{"K": {}})), Policy: p, Today: today})
		if !slices.Contains(brief(r), "error coverage-lost - intel_gpu_pvc FAILS") {
			t.Errorf("a report on %q: %q", name, brief(r))
		}
	}
	// Aliases denote the same device, both as required and as checked.
	other := policy(t, "devices: {required: [intel_gpu_12_60_7]}")
	r := Evaluate(Input{Reports: facts(reportOf("//p:t", []string{"intel_gpu_pvc"}, map[string]problems{"K": {"intel_gpu_pvc": {fp64}}})), Policy: other, Today: today})
	if want := []string{"error missing-aspect K intel_gpu_pvc FAILS"}; !slices.Equal(brief(r), want) {
		t.Errorf("an alias: %q", brief(r))
	}
}

// TestAttackDisabledRules checks that the rules about a weakened policy cannot be turned off.
func TestAttackDisabledRules(t *testing.T) {
	for _, rule := range []RuleID{PolicyWeakened, NotCompared, DeviceDataChanged, SuppressionExpired, SuppressionStale} {
		_, err := ReadPolicy("p.yaml", strings.NewReader(fmt.Sprintf("version: 1\nrules: {%s: off}\n", rule)))
		if err == nil {
			t.Errorf("%s can be turned off", rule)
		}
	}
	weak := policy(t, "rules: {coverage-lost: off, report-invalid: off, missing-aspect: off}")
	weak.File = "p.yaml"
	r := Evaluate(Input{Reports: facts(reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}})), Policy: weak, BasePolicy: policy(t, ""), Today: today})
	for _, rule := range []string{"coverage-lost", "missing-aspect", "report-invalid"} {
		if !slices.ContainsFunc(r.Notices, func(n Notice) bool { return n.Rule == PolicyWeakened && strings.Contains(n.Text, rule) }) {
			t.Errorf("no notice about the disabled rule %s: %+v", rule, r.Notices)
		}
	}
}

// TestAttackBaselineListsEverything checks that a change that adds its regressions to the baseline
// is reported, and has no effect if the baseline of the base branch applies.
func TestAttackBaselineListsEverything(t *testing.T) {
	devices := []string{"a", "b"}
	was := reportOf("//p:t", devices, map[string]problems{"K": {"a": {fp64}}, "L": {}})
	now := reportOf("//p:t", devices, map[string]problems{"K": {"a": {fp64}, "b": {fp64}}, "L": {"a": {fp64}}})
	old := NewBaseline(Evaluate(Input{Reports: facts(was), Today: today}))
	own := NewBaseline(Evaluate(Input{Reports: facts(now), Today: today}))
	weakened := func(r *Result) bool {
		return slices.ContainsFunc(r.Notices, func(n Notice) bool { return n.Rule == PolicyWeakened })
	}
	if r := Evaluate(Input{Reports: facts(now), Baseline: own, BaseBaseline: old, Today: today}); r.Conclusion != Success || !weakened(r) {
		t.Errorf("%s, %+v", r.Conclusion, r.Notices)
	}
	if r := Evaluate(Input{Reports: facts(now), Baseline: old, NextBaseline: own, BaseDecides: true, Today: today}); r.Conclusion != Failure || !weakened(r) {
		t.Errorf("%s, %+v", r.Conclusion, r.Notices)
	}
	// A count greater than the number of problems.
	many := *old
	many.Findings = slices.Clone(old.Findings)
	many.Findings[0].Count = 1 << 30
	if r := Evaluate(Input{Reports: facts(was), Baseline: &many, BaseBaseline: old, Today: today}); !weakened(r) {
		t.Errorf("no notice about the increased count: %+v", r.Notices)
	}
}

// TestAttackTimeZones checks that an exception expires at the end of its date in UTC, regardless of
// the local time zone.
func TestAttackTimeZones(t *testing.T) {
	x := policy(t, "allow: [{rule: missing-aspect, kernels: [K], reason: r, expires: 2026-11-25}]")
	bad := facts(reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}))
	for _, offset := range []int{-12, 0, 14} {
		zone := time.FixedZone("z", offset*3600)
		last := time.Date(2026, 11, 25, 23, 59, 59, 0, time.UTC).In(zone)
		if r := Evaluate(Input{Reports: bad, Policy: x, Today: last}); r.Conclusion != Success {
			t.Errorf("UTC%+d: last second: %q", offset, brief(r))
		}
		if r := Evaluate(Input{Reports: bad, Policy: x, Today: last.Add(time.Second)}); r.Conclusion != Failure {
			t.Errorf("UTC%+d: one second later: %q", offset, brief(r))
		}
	}
	for _, day := range []string{"2026-11-31", "2026-13-01", "2026-1-1", "26-11-25", "2026-11-25T23:00:00+14:00", "'2026-11-25 '", "9999999-01-01", "0000-00-00"} {
		if _, err := ReadPolicy("p.yaml", strings.NewReader("version: 1\nallow: [{rule: missing-aspect, kernels: [K], reason: r, expires: "+day+"}]\n")); err == nil {
			t.Errorf("%q was accepted as a date", day)
		}
	}
}

// TestAttackKernelTwice checks that a duplicate kernel, in one or several reports, has its
// worst status.
func TestAttackKernelTwice(t *testing.T) {
	bad := reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}, "L": {}})
	good := reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}, "L": {}})
	// The same kernel again in one report, with a row in which it runs.
	again := bad.Kernels[0]
	again.Row = bad.Kernels[1].Row
	both := *bad
	both.Kernels = append(slices.Clone(bad.Kernels), again)
	for name, list := range map[string][]*report.Report{"two reports": {good, bad}, "in reverse order": {bad, good}, "one report": {&both}} {
		if r := Evaluate(Input{Reports: facts(list...), Today: today}); r.Conclusion != Failure || r.Counts.Incompatible != 1 {
			t.Errorf("%s: %s, %+v", name, r.Conclusion, r.Counts)
		}
	}
}
