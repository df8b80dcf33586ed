package compat

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		compile, link, register string
		device                  string
		want                    []string // the rejected options
		advice                  string
	}{
		{device: "x86_64"},
		{compile: "-g -cl-fast-relaxed-math -DX=1 -D Y -I/usr/include -x spir", device: "intel_cpu_spr"},
		{compile: "-device pvc", device: "spir64_x86_64", want: []string{"-device"}, advice: "-Xsycl-target-backend=spir64_gen"},
		{compile: "-device pvc,xe-lpg -options \"-ze-opt-large-register-file -g\"", device: "intel_cpu_gnr", want: []string{"-device"}, advice: "-Xsycl-target-backend=spir64_gen"},
		{compile: "-g -ze-opt-large-register-file", device: "intel_cpu_spr", want: []string{"-ze-opt-large-register-file"}, advice: "build the SPIR-V image without it"},
		{compile: "-ze-intel-greater-than-4GB-buffer-required", device: "x86_64", want: []string{"-ze-intel-greater-than-4GB-buffer-required"}},
		{compile: "-O2", link: "-O3", device: "x86_64", want: []string{"-O2", "-O3"}},
		{compile: "-cl-std=foo", device: "x86_64", want: []string{"-cl-std=foo"}},
		{compile: "pvc", device: "x86_64", want: []string{"pvc"}},
		{compile: "-D", device: "x86_64", want: []string{"-D"}},
		{compile: "-s", device: "x86_64", want: []string{"-s"}},
		{compile: "-create-library", link: "-create-library -cl-denorms-are-zero", device: "x86_64", want: []string{"-create-library"}},
		{compile: "'-g' \"-w\"\t-Werror", device: "x86_64"},
		{compile: "-ftarget-register-alloc-mode=pvc:auto -ftarget-compile-fast", device: "x86_64"},
		{register: "-ze-intel-enable-auto-large-GRF-mode", device: "x86_64", want: []string{"-ze-intel-enable-auto-large-GRF-mode"}, advice: "property grf_size"},
		// Other compilers ignore unknown options.
		{compile: "-device pvc", register: requirement.LargeRegisterFile, device: "intel_gpu_pvc"},
		{compile: "-device pvc", device: "nvidia_gpu_sm_90"},
		{compile: "-device pvc", device: "spir64"},
	} {
		config := deviceconfig.Default()
		d, ok := config.Lookup(test.device)
		if !ok {
			t.Fatalf("unknown device %s", test.device)
		}
		q := &requirement.Requirements{BuildOptions: propset.JITOptions{Compile: test.compile, Link: test.link}, RegisterOption: test.register}
		var got []string
		for _, reason := range New(config).Check(q, d).Reasons {
			got = append(got, reason.Required)
			if reason.Rule != UnsupportedOption || !reason.IsCompilerLimit() || !strings.Contains(reason.Text, test.advice) {
				t.Errorf("%+v: %+v", test, reason)
			}
		}
		if strings.Join(got, " ") != strings.Join(test.want, " ") {
			t.Errorf("%+v: rejected options %q", test, got)
		}
	}
}
