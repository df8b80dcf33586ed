package gate

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Short names for making reports.
type problems = reporttest.Problems

var (
	reportOf = reporttest.Report

	fp64, fp16, sg8, maybe      = reporttest.FP64, reporttest.FP16, reporttest.SG8, reporttest.Maybe
	none, other, absent, future = reporttest.None, reporttest.Other, reporttest.Absent, reporttest.Future
)

func facts(reports ...*report.Report) (list []*Index) {
	for i, r := range reports {
		list = append(list, NewIndex(fmt.Sprintf("r%d.json", i), r))
	}
	return list
}

func policy(t testing.TB, text string) *Policy {
	t.Helper()
	p, err := ReadPolicy("policy.yaml", strings.NewReader("version: 1\n"+text))
	testkit.NoError(t, err)
	return p
}

var today = time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)

// brief returns a result as short lines.
func brief(r *Result) (lines []string) {
	for _, f := range r.Findings {
		var devices []string
		for _, d := range f.Devices {
			devices = append(devices, d.ID)
		}
		s := fmt.Sprintf("%v %s %s %s", f.Severity, f.Rule, cmp.Or(f.Kernel, f.Target, "-"), strings.Join(devices, ","))
		if f.State != StateNew {
			s += " " + string(f.State)
		}
		if f.Suppression != nil {
			s += " allowed"
		}
		if f.Family != "" {
			s += " family"
		}
		if f.Expired {
			s += " expired"
		}
		if f.Class != "" {
			s += " " + string(f.Class)
		}
		if f.Fails {
			s += " FAILS"
		}
		lines = append(lines, s)
	}
	for _, n := range r.Notices {
		s := fmt.Sprintf("%v %s %s:%d", n.Severity, n.Rule, n.File, n.Line)
		if n.Fails {
			s += " FAILS"
		}
		lines = append(lines, s)
	}
	return lines
}

func TestEvaluate(t *testing.T) {
	abc := []string{"a", "b", "c"}
	one := reportOf("//p:t", abc, map[string]problems{"Good": {}, "Bad": {"a": {fp64}, "b": {fp64}, "c": {fp64}}})
	gemm := reportOf("//p:t", []string{"a", "b"}, map[string]problems{"gemm<double>": {"a": {fp64}, "b": {fp64}}, "gemm<float>": {"b": {sg8}}})
	for _, test := range []struct {
		name    string
		policy  string
		reports []*report.Report
		want    []string
	}{
		{"without a policy, all devices are required", "", []*report.Report{one}, []string{"error missing-aspect Bad a,b,c FAILS"}},
		{"tiers", "devices: {required: [a], supported: [b]}", []*report.Report{one},
			[]string{"error missing-aspect Bad a FAILS", "warning missing-aspect Bad b", "note missing-aspect Bad c"}},
		{"the first list with a device applies", "devices: {required: [a], supported: ['*']}", []*report.Report{one},
			[]string{"error missing-aspect Bad a FAILS", "warning missing-aspect Bad b,c"}},
		{"a lower threshold", "devices: {required: [a], supported: [b]}\nfail-on-severity: warning", []*report.Report{one},
			[]string{"error missing-aspect Bad a FAILS", "warning missing-aspect Bad b FAILS", "note missing-aspect Bad c"}},
		{"a rule with a lower level", "rules: {missing-aspect: warning}", []*report.Report{one}, []string{"warning missing-aspect Bad a,b,c"}},
		{"a rule never raises a device", "devices: {required: [b], informative: [a, c]}\nrules: {missing-aspect: error}", []*report.Report{one},
			[]string{"error missing-aspect Bad b FAILS", "note missing-aspect Bad a,c"}},
		{"a disabled rule", "rules: {missing-aspect: off}", []*report.Report{one}, nil},
		{"a dry run", "fail-on: none", []*report.Report{one}, []string{"error missing-aspect Bad a,b,c"}},
		{"undetermined is a warning", "", []*report.Report{reportOf("", []string{"a"}, map[string]problems{"K": {"a": {maybe}}})}, []string{"warning undetermined K a"}},
		{"undetermined is an error", "undetermined: error", []*report.Report{reportOf("", []string{"a"}, map[string]problems{"K": {"a": {maybe}}})}, []string{"error undetermined K a FAILS"}},
		{"undetermined is ignored", "undetermined: ignore", []*report.Report{reportOf("", []string{"a"}, map[string]problems{"K": {"a": {maybe}}})}, nil},
		{"a missing image with a cause", "", []*report.Report{reportOf("", []string{"a", "b"}, map[string]problems{"K": {"a": {fp64, none}, "b": {none}}})},
			[]string{"error missing-aspect K a FAILS", "error no-image K b FAILS"}},
		{"an image for another device", "", []*report.Report{reportOf("", []string{"a"}, map[string]problems{"K": {"a": {other}}})}, []string{"error compile-target-mismatch K a FAILS"}},
		{"an unknown reason", "", []*report.Report{reportOf("", []string{"a"}, map[string]problems{"K": {"a": {future}}})}, []string{"error unknown-reason K a FAILS"}},
		{"a family with one kernel that runs", "families: [{name: gemm, kernels: ['gemm<*>'], need: any}]", []*report.Report{gemm},
			[]string{"error missing-aspect gemm<double> b FAILS", "error unsupported-sub-group-size gemm<float> b FAILS", "error missing-aspect gemm<double> a family"}},
		{"a family applies within a target", "families: [{name: gemm, kernels: ['gemm<*>']}]", []*report.Report{
			reportOf("//p:t", []string{"a"}, map[string]problems{"gemm<double>": {"a": {fp64}}}), reportOf("//p:u", []string{"a"}, map[string]problems{"gemm<float>": {}})},
			[]string{"error missing-aspect gemm<double> a FAILS"}},
		{"an exception for a device", "allow: [{rule: missing-aspect, kernels: [Bad], devices: [a, b], reason: r, expires: 2027-01-01}]", []*report.Report{one},
			[]string{"error missing-aspect Bad c FAILS", "error missing-aspect Bad a,b allowed"}},
		{"an exception for a detail", "allow: [{rule: missing-aspect, kernels: ['*'], detail: {aspect: fp16}, reason: r, expires: 2027-01-01}]",
			[]*report.Report{reportOf("", []string{"a"}, map[string]problems{"K": {"a": {fp16, fp64}}})},
			[]string{"error missing-aspect K a FAILS", "error missing-aspect K a allowed"}},
		{"an exception for a target", "allow: [{rule: missing-aspect, kernels: ['*'], targets: ['//q:*'], reason: r, expires: 2027-01-01}]", []*report.Report{
			reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}), reportOf("//q:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}})},
			[]string{"error missing-aspect K a FAILS", "error missing-aspect K a allowed"}},
		{"an exception on its last day", "allow: [{rule: missing-aspect, kernels: [Bad], reason: r, expires: 2026-11-21}]", []*report.Report{one},
			[]string{"error missing-aspect Bad a,b,c allowed", "note suppression-expired policy.yaml:2"}},
		{"an exception on the day after", "allow: [{rule: missing-aspect, kernels: [Bad], reason: r, expires: 2026-11-20}]", []*report.Report{one},
			[]string{"error missing-aspect Bad a,b,c expired FAILS", "warning suppression-expired policy.yaml:2"}},
		{"an exception two weeks before its end", "allow: [{rule: missing-aspect, kernels: [Bad], reason: r, expires: 2026-12-05}]", []*report.Report{one},
			[]string{"error missing-aspect Bad a,b,c allowed", "note suppression-expired policy.yaml:2"}},
		{"an exception without a match", "fail-on-stale: true\nallow:\n  - {rule: missing-aspect, kernels: [Gone], reason: r, expires: 2027-12-05}\nfamilies: [{name: f, kernels: [Gone]}]\ndevices: {informative: ['*']}", []*report.Report{one},
			[]string{"note missing-aspect Bad a,b,c", "warning suppression-stale policy.yaml:4 FAILS", "warning suppression-stale policy.yaml:5 FAILS"}},
		{"a required device that no report has", "devices: {required: [a, z]}", []*report.Report{one},
			[]string{"error coverage-lost - z FAILS", "error missing-aspect Bad a FAILS", "note missing-aspect Bad b,c"}},
		{"a required device that one report lacks", "devices: {required: [b]}", []*report.Report{
			reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}), reportOf("//p:u", []string{"b"}, map[string]problems{"K": {}})},
			[]string{"error coverage-lost //p:t b FAILS"}},
		{"a required pattern without a match", "devices: {required: ['z*']}", []*report.Report{reportOf("", []string{"a"}, map[string]problems{"K": {}})},
			[]string{"error coverage-lost - z* FAILS"}},
		{"supported devices that no report has", "devices: {required: [a], supported: [intel_gpu_pvc, 'nvidia_gpu_sm_*', 'b*', z, 'z*']}", []*report.Report{one},
			[]string{"error missing-aspect Bad a FAILS", "warning coverage-lost - z", "warning coverage-lost - z*", "warning missing-aspect Bad b", "note missing-aspect Bad c"}},
		{"a required device by an alias", "devices: {required: [intel_gpu_12_60_7]}", []*report.Report{reportOf("", []string{"intel_gpu_pvc"}, map[string]problems{"K": {"intel_gpu_pvc": {fp64}}})},
			[]string{"error missing-aspect K intel_gpu_pvc FAILS"}},
		{"missing parts of a merged report", "devices: {required: [a]}", []*report.Report{reportOf("", []string{"a", "b"}, map[string]problems{"K": {"a": {absent}}, "L": {"b": {absent}}})},
			[]string{"error coverage-lost - a FAILS"}},
		{"contradicting reports", "", []*report.Report{
			reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}})},
			[]string{"error report-invalid //p:t  FAILS", "error missing-aspect K a FAILS"}},
		{"a duplicate report", "", []*report.Report{one, one}, []string{"error missing-aspect Bad a,b,c FAILS"}},
		{"no status", "", []*report.Report{reportOf("//p:t", []string{"a"}, nil)}, []string{"error report-invalid -  FAILS"}},
		{"no status, allowed", "fail-on-empty: false", []*report.Report{reportOf("//p:t", []string{"a"}, nil)}, nil},
		{"allowed loss of coverage", "devices: {required: [z]}\nallow: [{rule: coverage-lost, kernels: ['*'], devices: [z], reason: r, expires: 2027-01-01}]",
			[]*report.Report{reportOf("", []string{"a"}, map[string]problems{"K": {}})}, []string{"error coverage-lost - z allowed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Evaluate(Input{Reports: facts(test.reports...), Policy: policy(t, test.policy), Today: today})
			if got := brief(r); !slices.Equal(got, test.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
			}
			fails := strings.Contains(strings.Join(test.want, " "), "FAILS")
			if (r.Conclusion == Failure) != fails {
				t.Errorf("conclusion %s", r.Conclusion)
			}
		})
	}
}

func TestContradictoryDevices(t *testing.T) {
	a := reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}})
	b := reportOf("//p:u", []string{"a"}, map[string]problems{"K": {}})
	b.Devices[0].OpenWorld = true
	if got := brief(Evaluate(Input{Reports: facts(a, b), Today: today})); !slices.Equal(got, []string{"error report-invalid - a FAILS"}) {
		t.Errorf("got %q", got)
	}
}

// known returns an input in which the problems of was are known from a baseline or from base
// reports.
func known(asBase bool, was, now *report.Report, p *Policy) Input {
	in := Input{Reports: facts(now), Policy: p, Today: today}
	if asBase {
		in.Base = facts(was)
	} else {
		in.Baseline = NewBaseline(Evaluate(Input{Reports: facts(was), Policy: p, Today: today}))
		in.Baseline.File = "baseline.json"
	}
	return in
}

func TestKnown(t *testing.T) {
	lambda := func(n string) string { return "_ZTSZ4mainEUlT_E" + n + "_" }
	changed := func(r *report.Report) *report.Report {
		for i := range r.Devices {
			r.Devices[i].MaxWorkGroupSize = 7
		}
		return r
	}
	bad := map[string]problems{"K": {"a": {fp64}, "b": {fp64}}, "L": {}}
	for _, test := range []struct {
		name       string
		policy     string
		was, now   *report.Report
		want, base []string // with a baseline, with base reports; nil for the same
	}{
		{"nothing new", "", reportOf("//p:t", []string{"a", "b"}, bad), reportOf("//p:t", []string{"a", "b"}, bad), []string{"error missing-aspect K a,b unchanged"}, nil},
		{"fail-on any", "fail-on: any", reportOf("//p:t", []string{"a", "b"}, bad), reportOf("//p:t", []string{"a", "b"}, bad), []string{"error missing-aspect K a,b unchanged FAILS"}, nil},
		{"one more device", "", reportOf("//p:t", []string{"a", "b"}, map[string]problems{"K": {"a": {fp64}}, "L": {}}), reportOf("//p:t", []string{"a", "b"}, bad),
			[]string{"error missing-aspect K b FAILS", "error missing-aspect K a unchanged"}, nil},
		{"a different requirement", "", reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp16}}}),
			[]string{"error missing-aspect K a FAILS", "note suppression-stale baseline.json:0"}, []string{"error missing-aspect K a FAILS"}},
		{"a solved problem", "", reportOf("//p:t", []string{"a", "b"}, bad), reportOf("//p:t", []string{"a", "b"}, map[string]problems{"K": {"a": {fp64}}, "L": {}}),
			[]string{"error missing-aspect K a unchanged", "note suppression-stale baseline.json:0"}, []string{"error missing-aspect K a unchanged"}},
		{"a renamed target", "", reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}), reportOf("//p:u", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}),
			[]string{"error coverage-lost //p:t  FAILS", "error missing-aspect K a unchanged"}, nil},
		{"one more lambda before the others", "",
			reportOf("//p:t", []string{"a"}, map[string]problems{lambda(""): {"a": {fp64}}, lambda("0"): {"a": {fp64}}}),
			reportOf("//p:t", []string{"a"}, map[string]problems{lambda(""): {}, lambda("0"): {"a": {fp64}}, lambda("1"): {"a": {fp64}}}),
			[]string{"error missing-aspect " + lambda("0") + " a unchanged", "error missing-aspect " + lambda("1") + " a updated"}, nil},
		{"one more lambda with a problem", "",
			reportOf("//p:t", []string{"a"}, map[string]problems{lambda(""): {"a": {fp64}}}),
			reportOf("//p:t", []string{"a"}, map[string]problems{lambda(""): {"a": {fp64}}, lambda("0"): {"a": {fp64}}}),
			[]string{"error missing-aspect " + lambda("0") + " a FAILS", "error missing-aspect " + lambda("") + " a unchanged"}, nil},
		{"more device data", "", reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}), changed(reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}})),
			[]string{"error missing-aspect K a device-data-changed", "warning device-data-changed :0"},
			[]string{"error missing-aspect K a device-data-changed", "warning device-data-changed :0", "note policy-weakened :0"}},
		{"more device data and a new kernel", "", reportOf("//p:t", []string{"a"}, map[string]problems{"L": {}}), changed(reportOf("//p:t", []string{"a"}, map[string]problems{"L": {}, "K": {"a": {fp64}}})),
			[]string{"error missing-aspect K a device-data-changed", "warning device-data-changed :0"}, []string{"error missing-aspect K a FAILS", "warning device-data-changed :0", "note policy-weakened :0"}},
		{"a removed device", "", reportOf("//p:t", []string{"a", "b"}, map[string]problems{"K": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}),
			[]string{"error coverage-lost //p:t b FAILS"}, nil},
		{"a removed informative device", "devices: {required: [a]}", reportOf("//p:t", []string{"a", "b"}, map[string]problems{"K": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}),
			[]string{"note coverage-lost //p:t b"}, nil},
		{"a removed report", "", reportOf("//p:gone", []string{"a"}, map[string]problems{"K": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}),
			[]string{"error coverage-lost //p:gone  FAILS"}, nil},
		{"a removed kernel", "", reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}, "L": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}),
			nil, []string{"warning kernel-lost L "}},
		{"a kernel in a different namespace", "rules: {kernel-lost: error}", reportOf("//p:t", []string{"a"}, map[string]problems{"x::L": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"y::L": {}}),
			nil, nil},
		{"one of two kernels in a different namespace", "", reportOf("//p:t", []string{"a"}, map[string]problems{"x::L": {}, "x::M": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"y::L": {}}),
			nil, []string{"warning kernel-lost x::M "}},
		{"a removed kernel that must remain", "rules: {kernel-lost: error}", reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}, "L": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}),
			nil, []string{"error kernel-lost L  FAILS"}},
		{"a removed lambda", "", reportOf("//p:t", []string{"a"}, map[string]problems{lambda(""): {}, lambda("0"): {}}), reportOf("//p:t", []string{"a"}, map[string]problems{lambda("0"): {}}),
			nil, []string{"warning kernel-lost " + lambda("") + " "}},
		{"an expired exception for a problem of the base branch", "allow: [{rule: missing-aspect, kernels: [K], reason: r, expires: 2026-11-20}]",
			reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}),
			[]string{"error missing-aspect K a unchanged expired", "warning suppression-expired policy.yaml:2"},
			[]string{"error missing-aspect K a expired FAILS", "warning suppression-expired policy.yaml:2"}},
		{"the last running kernel of a family", "families: [{name: f, kernels: [K, L]}]", reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}, "L": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}),
			[]string{"error missing-aspect K a FAILS"}, []string{"error missing-aspect K a FAILS", "warning kernel-lost L "}},
	} {
		for _, asBase := range []bool{false, true} {
			want := test.want
			if asBase && test.base != nil {
				want = test.base
			}
			t.Run(fmt.Sprintf("%s, base reports %v", test.name, asBase), func(t *testing.T) {
				got := brief(Evaluate(known(asBase, test.was, test.now, policy(t, test.policy))))
				if !slices.Equal(got, want) {
					t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
				}
			})
		}
	}
}

// TestKnownRenamed checks that a known problem of a renamed kernel remains known if the match is
// unambiguous.
func TestKnownRenamed(t *testing.T) {
	in := func(file string, line uint32, kernels map[string]problems) *report.Report {
		r := reportOf("//p:t", []string{"a", "b"}, kernels)
		for i := range r.Kernels {
			if r.Kernels[i].DisplayName != "Other" {
				r.Kernels[i].Location = srcloc.Location{Path: file, Line: line}
			}
		}
		return r
	}
	bad, both := problems{"a": {fp64}}, problems{"a": {fp64}, "b": {fp64}}
	for _, test := range []struct {
		name     string
		was, now *report.Report
		from     string // "" for a new problem
		want     string
	}{
		{"a namespace", in("", 0, map[string]problems{"x::K": bad}), in("", 0, map[string]problems{"y::K": bad}), "x::K", "error missing-aspect y::K a updated"},
		{"a name at the same location", in("k.cpp", 7, map[string]problems{"Axpy": bad}), in("k.cpp", 7, map[string]problems{"Saxpy": bad}), "Axpy", "error missing-aspect Saxpy a updated"},
		{"a name next to other kernels", in("k.cpp", 7, map[string]problems{"Axpy": bad, "Other": {}}), in("k.cpp", 7, map[string]problems{"Saxpy": bad, "Other": {}}), "Axpy", "error missing-aspect Saxpy a updated"},
		{"a name in a different file", in("k.cpp", 7, map[string]problems{"Axpy": bad}), in("l.cpp", 7, map[string]problems{"Saxpy": bad}), "", "error missing-aspect Saxpy a FAILS"},
		{"a different requirement", in("k.cpp", 7, map[string]problems{"Axpy": bad}), in("k.cpp", 7, map[string]problems{"Saxpy": {"a": {fp16}}}), "", "error missing-aspect Saxpy a FAILS"},
		{"two candidates", in("k.cpp", 7, map[string]problems{"Axpy": bad}), in("k.cpp", 7, map[string]problems{"Saxpy": bad, "Daxpy": bad}), "", "error missing-aspect Saxpy a FAILS"},
		{"one more device", in("k.cpp", 7, map[string]problems{"Axpy": bad}), in("k.cpp", 7, map[string]problems{"Saxpy": both}), "Axpy", "error missing-aspect Saxpy b FAILS"},
		{"the old kernel is still there", in("k.cpp", 7, map[string]problems{"x::K": bad}), in("k.cpp", 7, map[string]problems{"x::K": bad, "y::K": bad}), "", "error missing-aspect y::K a FAILS"},
	} {
		for _, asBase := range []bool{false, true} {
			r := Evaluate(known(asBase, test.was, test.now, nil))
			from := ""
			for _, f := range r.Findings {
				from += f.RenamedFrom
			}
			if from != test.from || !slices.Contains(brief(r), test.want) {
				t.Errorf("%s, base reports %v: renamed from %q, %q", test.name, asBase, from, brief(r))
			}
			if known := test.from != ""; known == slices.ContainsFunc(brief(r), func(line string) bool { return strings.Contains(line, "suppression-stale") }) && !asBase && test.name != "the old kernel is still there" {
				t.Errorf("%s: %q", test.name, brief(r))
			}
		}
	}
}

func TestKnownInEither(t *testing.T) {
	in := known(false, reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}, "L": {}}), reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}, "L": {"a": {fp64}}}), nil)
	in.Base = facts(reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}, "L": {"a": {fp64}}}))
	if r := Evaluate(in); r.Conclusion != Success || r.Counts.Unchanged != 2 {
		t.Errorf("got %q", brief(r))
	}
}

// whole returns a result with findings of all kinds.
func whole(t testing.TB) *Result {
	p := policy(t, reporttest.Policy)
	b := NewBaseline(Evaluate(Input{Reports: facts(reporttest.Before()), Policy: p, Today: today}))
	b.File = "sycl-compat-baseline.json"
	return Evaluate(Input{Reports: facts(reporttest.Everything()), Baseline: b, Policy: p, Today: today, Generator: report.Generator{Name: "compat", Version: "1.0"}, Category: "linux"})
}

func encoded(t testing.TB, r *Result) string {
	t.Helper()
	return testkit.Written(t, r.Encode)
}

func TestProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		p := policy(t, reporttest.RandomPolicy(random))
		reports, base := facts(reporttest.Random(random)...), facts(reporttest.Random(random)...)
		in := Input{Reports: reports, Base: base, Policy: p, Today: today}
		r := Evaluate(in)
		text := encoded(t, r)

		shuffled := in
		shuffled.Reports, shuffled.Base = slices.Clone(reports), slices.Clone(base)
		for _, list := range [][]*Index{shuffled.Reports, shuffled.Base} {
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		if got := encoded(t, Evaluate(shuffled)); got != text {
			t.Fatalf("the result depends on the order of the reports:\n%s\n%s", text, got)
		}

		more := *p
		more.Allow = append(slices.Clone(p.Allow), Exception{Rule: "missing-aspect", Kernels: []string{fmt.Sprintf("k%d", random.IntN(6))}, Reason: "r", Line: 9})
		allowed := in
		allowed.Policy = &more
		if got := Evaluate(allowed); got.Counts.Failing > r.Counts.Failing {
			t.Fatalf("with an exception, %d failures instead of %d", got.Counts.Failing, r.Counts.Failing)
		}

		// With the baseline made from a result, only findings that a baseline cannot hold still fail.
		var file bytes.Buffer
		testkit.NoError(t, NewBaseline(Evaluate(Input{Reports: reports, Policy: p, Today: today})).Encode(&file))
		b, err := ReadBaseline("baseline.json", bytes.NewReader(file.Bytes()))
		testkit.NoError(t, err)
		again := Evaluate(Input{Reports: reports, Baseline: b, Policy: p, Today: today})
		for _, f := range again.Findings {
			if f.Fails && canBeBaselined(f.Rule) && p.FailOn == FailOnNew {
				t.Fatalf("finding fails with the result's own baseline: %+v", f)
			}
		}
		if again.Counts.Absent != 0 {
			t.Fatalf("%d stale entries in the result's own baseline", again.Counts.Absent)
		}
		if pruned := Prune(b, again); !reflect.DeepEqual(pruned.Findings, b.Findings) && len(b.Findings) > 0 {
			t.Fatal("Prune changed a baseline without stale entries")
		}
		other := Evaluate(Input{Reports: base, Baseline: b, Policy: p, Today: today})
		if after := Evaluate(Input{Reports: base, Baseline: Prune(b, other), Policy: p, Today: today}); after.Counts.Absent != 0 || after.Counts.Failing != other.Counts.Failing {
			t.Fatalf("after pruning: %d stale entries; %d failing problems, want %d", after.Counts.Absent, after.Counts.Failing, other.Counts.Failing)
		}

		c := r.Counts
		if c.Compatible+c.Incompatible+c.Undetermined+c.NotApplicable+c.NotReported != c.Cells {
			t.Fatalf("counts do not add up: %+v", c)
		}
	}
}

func TestWithoutNumbers(t *testing.T) {
	for name, want := range map[string]string{
		"_ZTSZ4mainEUlT_E_": "_ZTSZ4mainEUlT_E_", "_ZTSZ4mainEUlT_E12_": "_ZTSZ4mainEUlT_E_", "_ZTSN1aUt3_E": "_ZTSN1aUt_E", "_ZTS3Add": "_ZTS3Add", "_ZTSE1_": "_ZTSE1_",
	} {
		if got, _ := withoutNumbers(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestDeviceDigestsAreStable checks that the digest of a device matches older baselines, and does
// not depend on aspect numbers.
func TestDeviceDigestsAreStable(t *testing.T) {
	device, ok := deviceconfig.Default().Lookup("intel_gpu_pvc")
	if !ok {
		t.Fatal("intel_gpu_pvc is unknown")
	}
	r, err := report.Build(nil, []*deviceconfig.Device{device}, deviceconfig.Default(), report.Generator{Name: "test", Version: "1"}, "")
	testkit.NoError(t, err)
	for range 2 {
		if got, want := deviceDigest(&r.Devices[0]), "888545c70580d7089053592d77d85fbb"; got != want {
			t.Errorf("digest %s, want %s as in older baselines", got, want)
		}
		for i := range r.Devices[0].Aspects {
			r.Devices[0].Aspects[i].Value += 1000
		}
	}
}
