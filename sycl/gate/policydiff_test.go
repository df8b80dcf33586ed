package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
)

func TestWeakened(t *testing.T) {
	const none = "-" // no policy file
	allow := func(x string) string {
		return "allow: [{rule: missing-aspect, reason: r, " + x + "}]"
	}
	allowed := allow("kernels: [K], expires: 2027-01-01")
	for _, test := range []struct {
		name, old, now string
		want           []string
	}{
		{"no policy before and after", none, none, nil},
		{"a device", "devices: {required: [a, b]}", "devices: {required: [a]}", []string{"device b is no longer required"}},
		{"a device that is now only supported", "devices: {required: [a, b]}", "devices: {required: [a], supported: [b]}", []string{"device b is no longer required"}},
		{"a device that is no longer supported", "devices: {required: [a], supported: [c]}", "devices: {required: [a], informative: [c]}", []string{"device c is no longer supported"}},
		{"a device that is required instead", "devices: {required: [a], supported: [c]}", "devices: {required: [a, c]}", nil},
		{"an alias of a device", "devices: {required: [intel_gpu_12_60_7]}", "devices: {required: [intel_gpu_pvc]}", nil},
		{"a pattern", "devices: {required: ['intel_*']}", "devices: {required: ['intel_gpu_*']}", []string{"devices intel_* are no longer required"}},
		{"a broader pattern", "devices: {required: ['nvidia_gpu_*']}", "devices: {required: ['nvidia_*']}", []string{"a missing report on nvidia_gpu_* no longer fails the check; the policy requires nvidia_*"}},
		{"a broader pattern for reported devices", "devices: {required: ['intel_gpu_*']}", "devices: {required: ['intel_*']}", nil},
		{"all devices, then named ones", "devices: {required: ['*']}", "devices: {required: [a, b]}", []string{"devices other than a, b are no longer required"}},
		{"no list, then named devices", "fail-on: new", "devices: {required: [a]}", []string{"devices other than a are no longer required"}},
		{"all devices, then none", "devices: {required: ['*']}", "devices: {informative: ['*']}", []string{"devices * are no longer required"}},
		{"reported devices, then all", "devices: {required: [a, b]}", "devices: {required: ['*']}", nil},
		{"named devices including an unreported one, then all", "devices: {required: [a, gone]}", "devices: {required: ['*']}", []string{"a missing report on gone no longer fails the check; the policy requires *"}},
		{"named devices including an unreported one, then patterns", "devices: {required: [a, gone]}", "devices: {required: ['a*', 'g*']}", []string{"a missing report on gone no longer fails the check; the policy requires a*, g*"}},
		{"a deleted policy", "devices: {required: [a, gone]}\nfail-on: any\nrules: {kernel-lost: error}", none,
			[]string{"a missing report on gone no longer fails the check; the policy requires *", "fail-on is \"new\", not \"any\"", "the rule kernel-lost is \"warning\", not \"error\""}},
		{"a first policy that requires nothing", none, "fail-on: none", []string{"fail-on is \"none\", not \"new\""}},
		{"a first policy with the reported devices", none, "devices: {required: [a, b]}", []string{"devices other than a, b are no longer required"}},
		{"a first policy that requires more", none, "fail-on: any\nfail-on-stale: true\nundetermined: error", nil},
		{"fail-on", "fail-on: any", "fail-on: new", []string{"fail-on is \"new\", not \"any\""}},
		{"fail-on-severity", "fail-on-severity: note", "fail-on-severity: warning", []string{"fail-on-severity is \"warning\", not \"note\""}},
		{"undetermined", "undetermined: error", "", []string{"undetermined is \"warning\", not \"error\""}},
		{"fail-on-empty", "", "fail-on-empty: false", []string{"fail-on-empty is false"}},
		{"fail-on-stale", "fail-on-stale: true", "", []string{"fail-on-stale is false"}},
		{"compare-with-base", "compare-with-base: required", "", []string{"compare-with-base is \"optional\", not \"required\""}},
		{"the level of a rule", "rules: {kernel-lost: error}", "rules: {kernel-lost: note, missing-aspect: warning}", []string{"the rule kernel-lost is \"note\", not \"error\"", "the rule missing-aspect is \"warning\", not \"error\""}},
		{"a rule returns to its default level", "rules: {kernel-lost: error}", "", []string{"the rule kernel-lost is \"warning\", not \"error\""}},
		{"a stricter rule", "rules: {missing-aspect: note}", "", nil},
		{"a family", "", "families: [{name: f, kernels: [x]}]", []string{"the family f is new"}},
		{"a family with one more kernel", "families: [{name: f, kernels: [x]}]", "families: [{name: f, kernels: [x, y]}]", []string{"the family f has more kernels"}},
		{"a family with a broader pattern", "families: [{name: f, kernels: ['x<*>']}]", "families: [{name: f, kernels: ['x*']}]", []string{"the family f has more kernels"}},
		{"a family with fewer kernels", "families: [{name: f, kernels: ['x<*>', y]}]", "families: [{name: g, kernels: ['x<int>']}]", nil},
		{"an exception", "", allowed, []string{"the exception from missing-aspect for K is new"}},
		{"an exception that expires later", allowed, allow("kernels: [K], expires: 2027-02-01"), []string{"the exception from missing-aspect for K expires later"}},
		{"an exception that expires earlier", allowed, allow("kernels: [K], expires: 2026-12-01"), nil},
		{"an exception that never expires", allowed, allow("kernels: [K]") + "\nlimits: {allow-without-end: true}", []string{"the exception from missing-aspect for K expires later", "exceptions no longer need an expiry date"}},
		{"an exception for more kernels", allowed, allow("kernels: ['K*'], expires: 2027-01-01"), []string{"the exception from missing-aspect for K* is broader"}},
		{"an exception for fewer kernels", allow("kernels: ['K*'], expires: 2027-01-01"), allowed, nil},
		{"an exception for fewer devices", allowed, allow("kernels: [K], devices: [a], targets: ['//x'], detail: {aspect: fp64}, expires: 2027-01-01"), nil},
		{"an exception for more devices", allow("kernels: [K], devices: [a], expires: 2027-01-01"), allow("kernels: [K], devices: [a, b], expires: 2027-01-01"), []string{"the exception from missing-aspect for K is broader"}},
		{"an exception for all devices", allow("kernels: [K], devices: [a], expires: 2027-01-01"), allowed, []string{"the exception from missing-aspect for K is broader"}},
		{"an exception for all targets", allow("kernels: [K], targets: ['//x'], expires: 2027-01-01"), allowed, []string{"the exception from missing-aspect for K is broader"}},
		{"an exception for all aspects", allow("kernels: [K], detail: {aspect: fp64}, expires: 2027-01-01"), allowed, []string{"the exception from missing-aspect for K is broader"}},
		{"limits", "", "limits: {max-allow: 60, max-baseline: 501}", []string{"limits.max-allow is 60, not 50", "limits.max-baseline is 501, not 500"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			read := func(text string) *Policy {
				if text == none {
					return DefaultPolicy()
				}
				return policy(t, text)
			}
			old, now := read(test.old), read(test.now)
			if got := weakened(old, now, []string{"a", "b", "intel_gpu_pvc"}); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if got := weakened(now, now, nil); len(got) > 0 && strings.Contains(test.now, "required: [a") {
				t.Errorf("compared with itself: %q", got)
			}
		})
	}
}

// weaknesses returns the texts of the notices in a result about a weakened policy or baseline.
func weaknesses(r *Result) (list []string) {
	for _, n := range r.Notices {
		if n.Rule == PolicyWeakened {
			list = append(list, n.Text)
		}
	}
	return list
}

func TestWeakenedBaseline(t *testing.T) {
	reports := func(kernels map[string]problems, devices ...string) []*Index {
		return facts(reportOf("//p:t", devices, kernels))
	}
	bad := map[string]problems{"K": {"a": {fp64}}, "L": {"a": {fp64}}}
	now := reports(bad, "a", "b")
	digest := now[0].devices
	entry := func(kernel string) Entry {
		e := Entry{Count: 1, Device: "a", Kernel: kernel, Required: "fp64", Rule: "missing-aspect", Target: "//p:t"}
		e.Fingerprint = e.fingerprint()
		return e
	}
	k, l := entry(reporttest.Mangled("K")), entry(reporttest.Mangled("L"))
	both := []BaselineTarget{{[]string{"a", "b"}, "//p:t"}, {[]string{"a"}, "//p:u"}}
	for _, test := range []struct {
		name     string
		old, now Baseline
		base     []*Index
		want     []string
	}{
		{"the same", Baseline{Findings: []Entry{k, l}, Targets: both}, Baseline{Findings: []Entry{k, l}, Targets: both}, nil, nil},
		{"fewer entries", Baseline{Findings: []Entry{k, l}}, Baseline{Findings: []Entry{k}}, nil, nil},
		{"more entries", Baseline{Findings: []Entry{k}}, Baseline{Findings: []Entry{k, l}}, nil, []string{"1 known problem is not in the baseline of the base branch"}},
		{"more entries, which the base reports have", Baseline{Findings: []Entry{k}}, Baseline{Findings: []Entry{k, l}}, reports(bad, "a", "b"), nil},
		{"a first baseline", Baseline{}, Baseline{Findings: []Entry{k, l}, Targets: both}, nil, []string{"2 known problems are not in the baseline of the base branch"}},
		{"no targets", Baseline{Targets: both}, Baseline{}, nil,
			[]string{"the baseline no longer lists the target //p:t, the target //p:u, so nothing fails if these are not checked"}},
		{"no devices", Baseline{Targets: both}, Baseline{Targets: []BaselineTarget{{nil, "//p:t"}, {[]string{"a"}, "//p:u"}}}, nil,
			[]string{"the baseline no longer lists the device a of //p:t, the device b of //p:t, so nothing fails if these are not checked"}},
		{"data of devices", Baseline{Devices: []BaselineDevice{{"0", "a"}}}, Baseline{Devices: []BaselineDevice{{digest["a"], "a"}, {digest["b"], "b"}}}, nil,
			[]string{"the data of the required device a differ from the base branch's baseline"}},
		{"data of unused devices", Baseline{Devices: []BaselineDevice{{digest["a"], "a"}}}, Baseline{Devices: []BaselineDevice{{"0", "a"}}}, nil,
			[]string{"the baseline's data of the device a match neither the reports nor the base branch, so new problems on this device do not fail the check"}},
		{"data of devices that is also outdated in the base", Baseline{Devices: []BaselineDevice{{"0", "a"}}}, Baseline{Devices: []BaselineDevice{{"0", "a"}}}, nil,
			[]string{"the data of the required device a differ from the base branch's baseline"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := Input{Reports: now, Base: test.base, Today: today, Baseline: &test.now, BaseBaseline: &test.old}
			if got := weaknesses(Evaluate(in)); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			// The result is the same if the baseline of the base branch applies.
			in.Baseline, in.BaseBaseline, in.NextBaseline = &test.old, nil, &test.now
			var want []string
			for _, s := range test.want {
				if !strings.HasPrefix(s, "the data of the required device") { // about the reports, not a baseline
					want = append(want, "merging this change weakens the check: "+s)
				}
			}
			if got := weaknesses(Evaluate(in)); !slices.Equal(got, want) {
				t.Errorf("for the next baseline: got  %q\nwant %q", got, want)
			}
		})
	}
}

// TestBaselineDeleted checks that a deleted baseline is equivalent to an empty baseline.
func TestBaselineDeleted(t *testing.T) {
	in := Input{Reports: facts(reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}})), Today: today, BaseBaseline: &Baseline{File: "b.json", Targets: []BaselineTarget{{[]string{"a"}, "//gone:t"}}}}
	want := "the baseline no longer lists the target //gone:t, so nothing fails if these are not checked"
	if got := weaknesses(Evaluate(in)); len(got) != 1 || got[0] != want {
		t.Errorf("got %q", got)
	}
}

func TestPolicies(t *testing.T) {
	reports := facts(reportOf("//p:t", []string{"a"}, map[string]problems{"K": {"a": {fp64}}}))
	strict, weak := policy(t, "fail-on: any"), policy(t, "fail-on: none")
	for _, test := range []struct {
		name string
		in   Input
		want []string
	}{
		{"a weaker change", Input{Policy: weak, BasePolicy: strict}, []string{"fail-on is \"none\", not \"any\""}},
		{"a weaker change, policy of the base", Input{Policy: strict, NextPolicy: weak}, []string{"merging this change weakens the check: fail-on is \"none\", not \"any\""}},
		{"a weaker flag", Input{Policy: policy(t, "fail-on: new"), Written: strict}, []string{"a flag or an input overrides the policy: fail-on is \"new\", not \"any\""}},
		{"a flag for a dry run", Input{Policy: weak, Written: strict}, nil},
		{"a flag for a dry run, and a weaker one", Input{Policy: policy(t, "fail-on: none\nfail-on-empty: false"), Written: strict}, []string{"a flag or an input overrides the policy: fail-on-empty is false"}},
		{"a flag for a dry run in a weaker change", Input{Policy: weak, Written: policy(t, "fail-on: new"), BasePolicy: strict}, []string{"fail-on is \"new\", not \"any\""}},
		{"a flag that hides a weaker change", Input{Policy: strict, Written: weak, BasePolicy: strict}, []string{"fail-on is \"none\", not \"any\""}},
		{"a stricter flag", Input{Policy: strict, Written: weak, BasePolicy: weak}, nil},
	} {
		test.in.Reports, test.in.Today = reports, today
		if got := weaknesses(Evaluate(test.in)); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q", test.name, got)
		}
	}
}

func TestNotCompared(t *testing.T) {
	reports := facts(reportOf("//p:t", []string{"a"}, map[string]problems{"K": {}}))
	for _, test := range []struct {
		policy string
		want   []string
		fails  bool
	}{
		{"fail-on: new", []string{"warning not-compared policy.yaml:0"}, false},
		{"compare-with-base: required", []string{"error not-compared policy.yaml:0 FAILS"}, true},
		{"compare-with-base: required\nfail-on: none", []string{"error not-compared policy.yaml:0 FAILS"}, true},
	} {
		r := Evaluate(Input{Reports: reports, Policy: policy(t, test.policy), Today: today, NotCompared: []string{"why"}})
		if got := brief(r); !slices.Equal(got, test.want) || (r.Conclusion == Failure) != test.fails {
			t.Errorf("%s: got %q, %s", test.policy, got, r.Conclusion)
		}
	}
}
