package main

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

func TestTraitMacros(t *testing.T) {
	const any = "-D__SYCL_ANY_DEVICE_HAS_ANY_ASPECT__=1"
	for _, c := range []struct {
		targets    string
		has, lacks []string
	}{
		{"spir64", []string{any}, []string{"ALL_DEVICES_HAVE", "ANY_DEVICE_HAS_fp16"}},
		{"intel_gpu_pvc", []string{"-D__SYCL_ANY_DEVICE_HAS_fp64__=1", "-D__SYCL_ALL_DEVICES_HAVE_fp64__=1"}, []string{any, "HAVE_cpu__"}},
		{"intel_gpu_pvc,spir64", []string{any}, []string{"ALL_DEVICES_HAVE_fp64", "ANY_DEVICE_HAS_fp64"}},
		{"intel_gpu_pvc,intel_gpu_acm_g10", []string{"ANY_DEVICE_HAS_fp64__=1", "ALL_DEVICES_HAVE_fp16__=1"}, []string{any, "ALL_DEVICES_HAVE_fp64"}},
	} {
		devices := testkit.Must(inputs.FindDevices(deviceconfig.Default(), strings.Split(c.targets, ",")))(t)
		got := strings.Join(traitMacros(devices), " ")
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s lacks %s", c.targets, got, want)
			}
		}
		for _, wrong := range c.lacks {
			if strings.Contains(got, wrong) {
				t.Errorf("%s: %s has %s", c.targets, got, wrong)
			}
		}
	}
}
