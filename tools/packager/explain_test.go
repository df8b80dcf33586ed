package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// needsFile returns the text of a property file.
func needsFile(t *testing.T, q requirement.Requirements, kernels ...string) string {
	t.Helper()
	r := new(propset.Registry)
	q.Put(r)
	for _, k := range kernels {
		r.Add(propset.KernelNames).Put(k, propset.Uint(1))
	}
	text := testkit.Must(r.MarshalText())(t)
	return string(text)
}

// explainDir creates k.syclbin with kernels that have different images: Double has only IR, Plain
// has IR and native code for dg2, and Native has only native code for pvc.
func explainDir(t *testing.T) {
	t.Helper()
	enter(t, map[string]string{
		"double.spv":  string(spirvModule("__sycl_kernel__ZTS6Double")),
		"plain.spv":   string(spirvModule("__sycl_kernel__ZTS5Plain")),
		"plain.bin":   "native code of Plain",
		"native.bin":  "native code of Native",
		"other.bin":   testkit.GPUELF(12<<22 | 60<<14 | 7), // for pvc
		"sizes.spv":   string(spirvModule("__sycl_kernel__ZTS5Sizes")),
		"double.prop": needsFile(t, requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP16, aspect.FP64}}, "__sycl_kernel__ZTS6Double"),
		"plain.prop":  needsFile(t, requirement.Requirements{}, "__sycl_kernel__ZTS5Plain"),
		"native.prop": needsFile(t, requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, "__sycl_kernel__ZTS6Native"),
		"other.prop":  needsFile(t, requirement.Requirements{}, "__sycl_kernel__ZTS5Other"),
		"sizes.prop":  needsFile(t, requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{64}, WorkGroupSize: []uint64{1, 1, 4096}}, "__sycl_kernel__ZTS5Sizes"),
		"own.yaml":    "my_device:\n  aspects: [gpu]\n  sub-group-sizes: [16]\n  may-support-other-aspects: true\n",
	})
	mustRun(t, "pack", "--output=k.syclbin",
		"--image=file=double.spv,triple=spir64-unknown-unknown,props=double.prop",
		"--image=file=plain.spv,triple=spir64-unknown-unknown,props=plain.prop",
		"--image=file=sizes.spv,triple=spir64-unknown-unknown,props=sizes.prop",
		"--image=file=plain.bin,triple=spir64_gen-unknown-unknown,arch=intel_gpu_acm_g10,props=plain.prop",
		"--image=file=native.bin,triple=spir64_gen-unknown-unknown,arch=intel_gpu_pvc,props=native.prop")
	mustRun(t, "pack", "--output=other.syclbin", "--image=file=other.bin,triple=spir64_gen-unknown-unknown,arch=intel_gpu_acm_g10,props=other.prop")
}

func TestExplain(t *testing.T) {
	explainDir(t)
	var got strings.Builder
	for _, test := range []struct {
		name string
		args []string
	}{
		{"every kernel on a GPU without fp64", []string{"--device=intel_gpu_acm_g10"}},
		{"by an alias, one kernel by its name", []string{"--device=intel_gpu_dg2_g10", "--kernel=Double"}},
		{"one kernel by its symbol", []string{"--device=intel_gpu_pvc", "--kernel=__sycl_kernel__ZTS6Double"}},
		{"native code of another device, and IR", []string{"--device=intel_gpu_pvc", "--kernel=Plain"}},
		{"native code and nothing else", []string{"--device=intel_gpu_pvc", "--kernel=Native"}},
		{"IR of another kind", []string{"--device=nvidia_gpu_sm_80", "--kernel=Plain"}},
		{"a device that may have other aspects", []string{"--device=my_device", "--device-config=own.yaml", "--kernel=Double"}},
		{"native code of a GPU other than its name", []string{"--device=intel_gpu_pvc", "other.syclbin"}},
		{"an unknown device", []string{"--device=intel_gpu_pvcc"}},
		{"an unknown kernel", []string{"--device=intel_gpu_pvc", "--kernel=Dubble"}},
		{"images inside the program", []string{"--device=intel_gpu_acm_g10", "--embedded"}},
		{"images inside the program, for an older runtime", []string{"--device=intel_gpu_acm_g10", "--embedded", "--runtime=2025.3", "--kernel=Native"}},
		{"a runtime that does not read the file", []string{"--device=intel_gpu_pvc", "--runtime=2025.3", "--kernel=Plain"}},
		{"a runtime that is not known", []string{"--device=intel_gpu_pvc", "--runtime=2024.2"}},
		{"as JSON", []string{"--device=intel_gpu_acm_g10", "--kernel=Sizes", "--json"}},
		{"as JSON, where it runs", []string{"--device=intel_gpu_acm_g10", "--kernel=Plain", "--json"}},
	} {
		args := append([]string{"explain"}, test.args...)
		if !strings.HasSuffix(args[len(args)-1], ".syclbin") {
			args = append(args, "k.syclbin")
		}
		code, stdout, stderr := run(t, args...)
		got.WriteString("# " + test.name + "\n$ packager " + strings.Join(args, " ") + "\n" + stdout + stderr +
			"exit code " + string(rune('0'+code)) + "\n\n")
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "explain.txt"), got.String())
}

// TestExplainForms checks that the runtime of 2025.3 uses native code and ignores all IR of the
// file, that every runtime ignores native code of files in object state, and that a kernel must
// have the name that the runtime looks up.
func TestExplainForms(t *testing.T) {
	explainDir(t)
	code, _, stderr := run(t, "convert", "--runtime=2025.3", "--output=old.syclbin", "k.syclbin")
	if code != 0 || !strings.HasPrefix(stderr, "old.syclbin: warning: file: native-beside-ir: the kernel \"__sycl_kernel__ZTS5Sizes\" has only IR") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	mustRun(t, "convert", "--state=object", "--output=object.syclbin", "k.syclbin")
	mustRun(t, "convert", "--bare", "--output=bare.syclbin", "k.syclbin")
	run(t, "convert", "--runtime=2025.3", "--state=object", "--output=old-object.syclbin", "k.syclbin")
	mustRun(t, "convert", "--syclbin-version=2", "--output=two.syclbin", "k.syclbin")
	mustRun(t, "convert", "--syclbin-version=2", "--no-runtime-record", "--output=bare-two.syclbin", "k.syclbin")
	testkit.NoError(t, os.WriteFile("other.spv", spirvModule("_ZTS5Plain"), 0o666))
	run(t, "pack", "--output=other.syclbin", "--image=file=other.spv,triple=spir64-unknown-unknown")
	var got strings.Builder
	for _, args := range []string{
		"--device=intel_gpu_acm_g10 old.syclbin",
		"--device=intel_gpu_pvc --kernel=Plain old.syclbin",
		"--device=intel_gpu_pvc object.syclbin",
		"--device=intel_gpu_pvc --kernel=Plain bare.syclbin",
		"--device=intel_gpu_acm_g10 --kernel=Plain old-object.syclbin",
		"--device=intel_gpu_bmg_g21 --kernel=Plain old-object.syclbin",
		"--device=intel_gpu_pvc --kernel=Plain --runtime=2026.2 two.syclbin",
		"--device=intel_gpu_pvc --kernel=Plain --runtime=2026.2 bare-two.syclbin",
		"--device=intel_gpu_pvc --runtime=2026.2 other.syclbin",
		"--device=intel_gpu_pvc --runtime=2026.2 --embedded other.syclbin",
	} {
		code, stdout, stderr := run(t, append([]string{"explain"}, strings.Fields(args)...)...)
		fmt.Fprintf(&got, "$ packager explain %s\n%s%sexit code %d\n\n", args, stdout, stderr, code)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "explain-forms.txt"), got.String())
}

// TestExplainImports checks that in a file in executable state, a module that imports a symbol of
// another module prevents all kernels from being loaded, on devices that support the module.
func TestExplainImports(t *testing.T) {
	imports := "\n[SYCL/imported symbols]\n_Z3foov=1|1\n_Z3barv=1|1\n"
	enter(t, map[string]string{
		"plain.spv":    string(spirvModule("__sycl_kernel__ZTS5Plain")),
		"calls.spv":    string(spirvModule("__sycl_kernel__ZTS5Calls")),
		"library.spv":  string(spirvModule("library")),
		"plain.prop":   needsFile(t, requirement.Requirements{}, "__sycl_kernel__ZTS5Plain"),
		"calls.prop":   needsFile(t, requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}}, "__sycl_kernel__ZTS5Calls") + imports,
		"library.prop": needsFile(t, requirement.Requirements{}) + "[SYCL/exported symbols]\n_Z3foov=1|1\n_Z3barv=1|1\n",
		"own.yaml":     "my_device:\n  aspects: [gpu]\n  sub-group-sizes: [16]\n  may-support-other-aspects: true\n",
	})
	mustRun(t, "pack", "--output=object.syclbin", "--state=object",
		"--image=file=plain.spv,triple=spir64-unknown-unknown,props=plain.prop",
		"--image=file=calls.spv,triple=spir64-unknown-unknown,props=calls.prop",
		"--image=file=library.spv,triple=spir64-unknown-unknown,props=library.prop")
	mustRun(t, "convert", "--state=executable", "--output=executable.syclbin", "object.syclbin")
	var got strings.Builder
	for _, args := range []string{
		"--device=intel_gpu_pvc executable.syclbin",
		"--device=intel_gpu_pvc --kernel=Plain executable.syclbin",
		"--device=intel_gpu_acm_g10 executable.syclbin",
		"--device=my_device --device-config=own.yaml executable.syclbin",
		"--device=intel_gpu_pvc object.syclbin",
	} {
		code, stdout, stderr := run(t, append([]string{"explain"}, strings.Fields(args)...)...)
		fmt.Fprintf(&got, "$ packager explain %s\n%s%sexit code %d\n\n", args, stdout, stderr, code)
	}
	testkit.GoldenFile(t, filepath.Join(testdata, "explain-imports.txt"), got.String())
}

func TestExplainUsage(t *testing.T) {
	explainDir(t)
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no device":        {[]string{"k.syclbin"}, 2, "--device is required"},
		"no file":          {[]string{"--device=intel_gpu_pvc"}, 2, "expected one file, got 0"},
		"two files":        {[]string{"--device=intel_gpu_pvc", "k.syclbin", "k.syclbin"}, 2, "expected one file, got 2"},
		"not a SYCLBIN":    {[]string{"--device=intel_gpu_pvc", "plain.spv"}, 3, "SPIR-V, not a SYCLBIN"},
		"missing file":     {[]string{"--device=intel_gpu_pvc", "none.syclbin"}, 3, "none.syclbin"},
		"no configuration": {[]string{"--device=intel_gpu_pvc", "--device-config=none.yaml", "k.syclbin"}, 3, "none.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, append([]string{"explain"}, test.args...)...)
			if code != test.code || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, want %d: %s%s", code, test.code, stdout, stderr)
			}
		})
	}
}
