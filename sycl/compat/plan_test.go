package compat

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

func TestPlanOptions(t *testing.T) {
	config := deviceconfig.Default()
	plan := NewPlan(config, nil, nil, []PlanRow{{Needs: &requirement.Requirements{ParameterRegisters: 7608}}})
	for _, test := range []struct {
		target  string
		options []string
		dropped bool
	}{
		{"intel_gpu_acm_g10", nil, true},
		{"intel_gpu_acm_g10", []string{"-ze-opt-large-register-file"}, false},
		{"intel_gpu_acm_g10", []string{"-g", "-O2 -cl-intel-256-GRF-per-thread"}, false},
		{"intel_gpu_acm_g10", []string{"-ze-intel-enable-auto-large-GRF-mode"}, true},
		{"intel_gpu_tgllp", []string{"-ze-opt-large-register-file"}, true},
	} {
		d, _ := config.Lookup(test.target)
		if dropped := plan.Dropped(test.target, d, test.options)[0] != nil; dropped != test.dropped {
			t.Errorf("%s with %q: dropped %t, want %t", test.target, test.options, dropped, test.dropped)
		}
	}
}

// TestPlanTargets checks that a target gets rows only if both lists have it.
func TestPlanTargets(t *testing.T) {
	config := deviceconfig.Default()
	plan := NewPlan(config, []string{"intel_gpu_pvc", "spir64"}, []string{"intel_gpu_12_60_7", "intel_gpu_dg2"}, []PlanRow{{}, {}})
	for name, want := range map[string]int{"intel_gpu_pvc": 2, "spir64": 0, "intel_gpu_dg2": 0, "x86_64": 0} {
		d, _ := config.Lookup(name)
		if got := plan.decide(d); got.Kept != want || got.Selected != (want > 0) || got.Groups[0].Kept != (want > 0) || (got.Why == "") != (want > 0) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
