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
