package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// The kernels of a reduction, as in reports made before forms were joined.
const (
	sumMain = "_ZTSN4sycl3_V16detail9reduction7MainKrnI3SumLNS2_8strategyE8EJNS1_14KernelOneWGTagEEEE"
	sumMany = "_ZTSN4sycl3_V16detail9reduction7MainKrnI3SumLNS2_8strategyE8EJNS1_19KernelMultipleWGTagEEEE"
	sumAux  = "_ZTSN4sycl3_V16detail9reduction6AuxKrnI3SumLNS2_8strategyE8EJNS1_23EmptyReductionPredicateEEEE"
)

// withForms makes a report with a kernel that has forms.
func withForms(devices []string, kernels map[string]problems, name, display string, forms ...string) *report.Report {
	r := reportOf("//p:t", devices, kernels)
	for i := range r.Kernels {
		if k := &r.Kernels[i]; k.Name == name {
			k.DisplayName, k.Forms = display, &report.Forms{Reduction: forms}
		}
	}
	return r
}

// TestFormsAreKnown checks that if a report lists kernels as forms of another kernel, their
// problems become problems of that kernel, even in baselines, base reports, exceptions and families
// that name the form.
func TestFormsAreKnown(t *testing.T) {
	devices := []string{"a", "b"}
	joined := func(o problems) *report.Report {
		return withForms(devices, map[string]problems{"L": {}, sumAux: o}, sumAux, "Sum", sumMain, sumMany)
	}
	apart := func(main, many, aux problems) *report.Report {
		return reportOf("//p:t", devices, map[string]problems{"L": {}, sumMain: main, sumMany: many, sumAux: aux})
	}
	bad := problems{"a": {fp64}}
	unnamed := func(n string) string { return "_ZTSZ4mainEUlT_E" + n + "_" }
	for _, test := range []struct {
		name     string
		policy   string
		was, now *report.Report
		want     []string
	}{
		{"a form that the kernel is not named after", "", apart(bad, nil, nil), joined(bad), []string{"error missing-aspect Sum a unchanged"}},
		{"all forms", "", apart(bad, bad, bad), joined(bad), []string{"error missing-aspect Sum a unchanged"}},
		{"a problem on a different device", "", apart(bad, bad, nil), joined(problems{"a": {fp64}, "b": {fp64}}), []string{"error missing-aspect Sum b FAILS", "error missing-aspect Sum a unchanged"}},
		{"no problem before", "", apart(nil, nil, nil), joined(bad), []string{"error missing-aspect Sum a FAILS"}},
		{"removed forms", "", apart(nil, nil, nil), joined(nil), nil},
		{"already joined", "", joined(bad), joined(bad), []string{"error missing-aspect Sum a unchanged"}},
		{"a different first form", "", joined(bad), withForms(devices, map[string]problems{"L": {}, sumMany: bad}, sumMany, "Sum", sumMain), []string{"error missing-aspect Sum a updated"}},
		{"an exception for a form", "allow: [{rule: missing-aspect, kernels: ['" + sumMany + "'], reason: r, expires: 2027-01-01}]", apart(nil, bad, nil), joined(bad), []string{"error missing-aspect Sum a allowed"}},
		{"an exception for the demangled form", "allow: [{rule: missing-aspect, kernels: ['Sum (reduction, *)'], reason: r, expires: 2027-01-01}]", apart(nil, bad, nil), joined(bad), []string{"error missing-aspect Sum a allowed"}},
		{"unnamed forms", "", reportOf("//p:t", devices, map[string]problems{"L": {}, unnamed(""): nil, unnamed("0"): bad}),
			withForms(devices, map[string]problems{"L": {}, unnamed(""): bad}, unnamed(""), "Sum", unnamed("0")), []string{"error missing-aspect Sum a unchanged"}},
	} {
		for _, asBase := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, base reports %v", test.name, asBase), func(t *testing.T) {
				var got []string
				for _, line := range brief(Evaluate(known(asBase, test.was, test.now, policy(t, test.policy)))) {
					if !strings.Contains(line, "suppression-stale") {
						got = append(got, line)
					}
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
				}
			})
		}
	}
	family := policy(t, "families: [{name: f, kernels: ['"+sumMain+"', L]}]")
	if r := Evaluate(known(false, joined(bad), joined(bad), family)); !slices.Equal(brief(r), []string{"error missing-aspect Sum a family"}) {
		t.Errorf("with a family that names a form: %q", brief(r))
	}
}

// TestFormsInTwoReports checks that two reports have two kernels, regardless of the order of the
// reports, if a kernel in one report is a form of a kernel in the other.
func TestFormsInTwoReports(t *testing.T) {
	devices := []string{"a"}
	joined := withForms(devices, map[string]problems{sumAux: nil}, sumAux, "Sum", sumMain)
	own := reportOf("//p:t", devices, map[string]problems{sumMain: nil})
	for _, list := range [][]*report.Report{{joined, own}, {own, joined}} {
		targets := combine(facts(list...))
		var got []string
		for _, k := range targets[0].kernels {
			got = append(got, k.name)
		}
		slices.Sort(got)
		if want := []string{sumAux, sumMain}; len(targets) != 1 || !slices.Equal(got, want) {
			t.Errorf("kernels %q, want %q", got, want)
		}
	}
}
