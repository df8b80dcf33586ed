package gate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// TestCheckDevices checks that an unknown device in a policy is reported with its location.
func TestCheckDevices(t *testing.T) {
	for _, test := range []struct{ name, devices, want string }{
		{"known", "required: [intel_gpu_pvc, spir64]", ""},
		{"an alias", "required: [intel_gpu_12_60_7]", ""},
		{"patterns", "required: ['*', 'intel_gpu_*', 'intel_gpu_12_60_*']", ""},
		{"a misspelled pattern", "required: ['*', 'intel_gpu_pcv*']", `p.yml:3: devices.required: no device matches "intel_gpu_pcv*"; did you mean intel_gpu_pvc? ('compat devices' lists all)`},
		{"a pattern without a similar name", "supported: ['toaster*']", `no device matches "toaster*"; 'compat devices' lists the built-in devices`},
		{"only informative", "informative: [toaster]", ""},
		{"misspelt", "required:\n  - intel_gpu_pvc\n  - intel_gpu_pcv", `p.yml:5: devices.required: unknown device "intel_gpu_pcv"; did you mean intel_gpu_pvc? ('compat devices' lists all)`},
		{"supported", "required: [intel_gpu_pvc]\n  supported: [intel_gpu_pcv]", `p.yml:4: devices.supported: unknown device`},
		{"a product", "required: [arc-a770]", `unknown device "arc-a770"; did you mean intel_gpu_acm_g10?`},
		{"a family", "required: [xe-lpg]", `did you mean intel_gpu_`},
		{"a name without a similar name", "required: [toaster]", `unknown device "toaster"; 'compat devices' lists the built-in devices`},
		{"a line break", `required: ["a\nb"]`, `unknown device "a\nb"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := ReadPolicy("p.yml", strings.NewReader("version: 1\ndevices:\n  "+test.devices+"\n"))
			testkit.NoError(t, err)
			err = p.CheckDevices(deviceconfig.Default())
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if err := DefaultPolicy().CheckDevices(deviceconfig.Default()); err != nil {
		t.Error(err)
	}
}

// TestMergeConflicts checks that a merge conflict in a file is reported, even if the file is valid.
func TestMergeConflicts(t *testing.T) {
	baseline := wholeBaseline(t)
	entries := strings.Split(baseline, "\n")
	inside := strings.Join(append(append([]string{}, entries[:3]...), append([]string{"<<<<<<< HEAD", entries[3], "=======", entries[3], ">>>>>>> change"}, entries[4:]...)...), "\n")
	for _, test := range []struct {
		name, text, want string
		read             func(name, text string) error
	}{
		{"a baseline", inside, "f:4: merge conflict marker; take either side, and run 'compat baseline update'", readsBaseline},
		{"a baseline with CRLF", strings.ReplaceAll(inside, "\n", "\r\n"), "f:4: merge conflict marker", readsBaseline},
		{"the end of a conflict", baseline + ">>>>>>> change\n", "merge conflict marker", readsBaseline},
		{"a policy", "version: 1\n<<<<<<< HEAD\nfail-on: any\n=======\nfail-on: new\n>>>>>>> change\n", "f:2: merge conflict marker; resolve the conflict", readsPolicy},
		{"a conflict that is valid YAML", "version: 1\ndevices:\n  required: [\n<<<<<<< HEAD\na,\n=======\nb,\n>>>>>>> change\n]\n", "f:4: merge conflict marker", readsPolicy},
		{"no conflict", "version: 1\n# <<<<<<< HEAD\n", "", readsPolicy},
		{"eight signs", "version: 1\n#\n", "", readsPolicy},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.read("f", test.text)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func readsBaseline(name, text string) error {
	_, err := ReadBaseline(name, strings.NewReader(text))
	return err
}

func readsPolicy(name, text string) error {
	_, err := ReadPolicy(name, strings.NewReader(text))
	return err
}

// TestPrefix checks that the paths of a result are relative to the repository.
func TestPrefix(t *testing.T) {
	in := Input{Prefix: "libs/a", Policy: &Policy{File: "../p.yml", Required: []string{"*", "gone"}, FailOn: FailOnNew, FailOnSeverity: Error,
		Families: []Family{{Name: "f", Kernels: []string{"none"}, Line: 3}}}}
	r := Evaluate(in)
	if len(r.Notices) != 1 || r.Notices[0].File != "libs/p.yml" {
		t.Errorf("notices %+v", r.Notices)
	}
	for name, want := range map[string]string{"src/k.cpp": "libs/a/src/k.cpp", "./k.cpp": "libs/a/k.cpp", "": "", "/abs/p.yml": "/abs/p.yml"} {
		if got := in.fromRepository(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	root, err := filepath.Abs("root")
	testkit.NoError(t, err)
	in = Input{Root: root}
	for name, want := range map[string]string{
		"./.github/p.yml": ".github/p.yml", "a/../p.yml": "p.yml", "../p.yml": "../p.yml", filepath.Join(root, "ci", "p.yml"): "ci/p.yml", root + "-other/p.yml": root + "-other/p.yml",
	} {
		if got := in.fromRepository(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// TestRequiredByPolicyAbove checks that a device that no report covers is reported at its line of a
// policy above the working directory.
func TestRequiredByPolicyAbove(t *testing.T) {
	p, err := ReadPolicy("../.github/p.yml", strings.NewReader("version: 1\ndevices: {required: [gone]}\n"))
	testkit.NoError(t, err)
	r := Evaluate(Input{Prefix: "libs/a", Policy: p, Today: today, Reports: []*Index{NewIndex("a", reporttest.Report("a", []string{"b"}, map[string]reporttest.Problems{"K": {}}))}})
	if len(r.Findings) != 1 || r.Findings[0].Path != "libs/.github/p.yml" || r.Findings[0].Line != 2 {
		t.Errorf("findings %+v", r.Findings)
	}
}

// TestExceptionDevices checks that the notice about an exception with a misspelled device suggests
// the nearest device.
func TestExceptionDevices(t *testing.T) {
	reports := []*Index{NewIndex("a", reporttest.Report("a", []string{"toaster", "intel_gpu_pvc"}, map[string]reporttest.Problems{"Foo": {}}))}
	for device, want := range map[string]string{
		"intel_gpu_pcv": `matches nothing; unknown device "intel_gpu_pcv"; did you mean intel_gpu_pvc?`,
		"intel_gpu_dg2": "matches nothing; remove it",
		"intel_gpu_*":   "matches nothing; remove it",
		"toaster":       "matches nothing; remove it",
		"unrelated":     "matches nothing; remove it",
	} {
		p := DefaultPolicy()
		p.Allow = []Exception{{Rule: compat.NoImage, Kernels: []string{"Foo"}, Devices: []string{device}, Reason: "r"}}
		r := Evaluate(Input{Reports: reports, Policy: p, Today: today})
		if len(r.Notices) != 1 || !strings.Contains(r.Notices[0].Text, want) {
			t.Errorf("%s: %+v", device, r.Notices)
		}
	}
}
