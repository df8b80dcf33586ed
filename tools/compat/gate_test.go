package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
)

// gateWorkspace creates the files of workspace with the reports before.json and now.json, in which
// Fp64Axpy has lost the device intel_gpu_pvc.
func gateWorkspace(t *testing.T) {
	t.Helper()
	enterWorkspace(t)
	mustRun(t, "report", "--name", "//demo:kernels", "--output", "before.json", "--devices", "intel_gpu_pvc,intel_gpu_dg2", "k.syclbin")
	testkit.WriteFile(t, "own.yaml", "intel_gpu_pvc:\n  aspects: [fp16]\n  sub-group-sizes: [16, 32]\n")
	mustRun(t, "report", "--name", "//demo:kernels", "--output", "now.json", "--device-config", "own.yaml", "--devices", "intel_gpu_pvc,intel_gpu_dg2", "k.syclbin")
	testkit.WriteFile(t, "demo/BUILD.bazel", "load(\"@rules_sycl//rules:defs.bzl\", \"sycl_binary\")\n\nsycl_binary(\n    name = \"kernels\",\n)\n")
}

// goodReport writes good.json, a report without problems.
func goodReport(t *testing.T) {
	t.Helper()
	mustRun(t, "report", "--name", "//demo:kernels", "--output", "good.json", "--devices", "intel_gpu_dg2", "k.syclbin")
	testkit.WriteFile(t, "good.json", mustRun(t, "show", "--format", "json", "--kernels", "VectorAdd", "good.json"))
}

// TestCheckTwoReports checks two reports on the same file, one with the label of a binary and one
// with the label of a report rule. Each problem counts once, and a baseline made from one report
// applies to both.
func TestCheckTwoReports(t *testing.T) {
	gateWorkspace(t)
	mustRun(t, "report", "--name", "//demo:compat", "--output", "rule.json", "--devices", "intel_gpu_pvc,intel_gpu_dg2", "k.syclbin")
	own, rule, both := []string{"before.json"}, []string{"rule.json"}, []string{"before.json", "rule.json"}
	last := func(args []string) string {
		_, stdout, _ := run(t, append([]string{"check"}, args...)...)
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		return lines[len(lines)-1]
	}
	want := "compat: failed: 3 kernels on 2 devices: 2 failing problems, 2 errors"
	for _, reports := range [][]string{own, rule, both} {
		if got := last(reports); got != want {
			t.Errorf("%q: %s", reports, got)
		}
	}
	t.Setenv("CI", "")
	mustRun(t, append([]string{"baseline", "update", "--baseline", "known.json"}, rule...)...)
	if got, want := last(append([]string{"--baseline", "known.json"}, both...)), "compat: passed: 3 kernels on 2 devices: 2 known"; got != want {
		t.Errorf("with a baseline: %s", got)
	}
}

func TestCheck(t *testing.T) {
	gateWorkspace(t)
	testkit.WriteFile(t, "policy.yaml", "version: 1\ndevices: {required: [intel_gpu_pvc], supported: [intel_gpu_dg2]}\nallow:\n- {rule: unsupported-sub-group-size, kernels: [SubGroup8], reason: not used there, expires: 2027-01-31}\n")
	testkit.WriteFile(t, "bad.yaml", "version: 1\nfail_on: new\n")
	testkit.WriteFile(t, "none.yaml", "version: 1\nfail-on: none\n")
	testkit.WriteFile(t, "strict.yaml", "version: 1\ncompare-with-base: required\n")
	testkit.WriteFile(t, "old/before.json", testkit.ReadFile(t, "before.json"))
	goodReport(t)
	testkit.WriteFile(t, "base.json", testkit.Written(t, (&gate.Baseline{}).Encode))
	for _, test := range []struct {
		name           string
		args           []string
		code           int
		stdout, stderr []string // parts; "" if it must be empty
	}{
		{"all devices are required", []string{"before.json"}, 1, []string{
			"demo/BUILD.bazel:3: error: kernel 'Fp64Axpy' does not run on intel_gpu_dg2: it requires aspect fp64 [missing-aspect]\n",
			"demo/BUILD.bazel:3: error: kernel 'SubGroup8' does not run on intel_gpu_pvc: it requires sub-group size 8 (the device has 16, 32) [unsupported-sub-group-size]\n",
			"compat: failed: 3 kernels on 2 devices: 2 failing problems, 2 errors\n"}, nil},
		{"one device is required", []string{"--required", "intel_gpu_dg2", "before.json"}, 1, []string{"1 failing problem, 1 error, 1 note\n"}, nil},
		{"a required device that is misspelt", []string{"--required", "intel_gpu_pvx", "before.json"}, 1, []string{"compat: error: device intel_gpu_pvx: no report covers the device, which the policy requires; did you mean intel_gpu_pvc? [coverage-lost]\n"}, nil},
		{"a dry run", []string{"--fail-on", "none", "before.json"}, 0, []string{"compat: passed (dry run): ", "2 errors"}, nil},
		{"a policy", []string{"--policy", "policy.yaml", "--today", "2027-01-31", "before.json"}, 0, []string{"policy.yaml:4: note: the exception from unsupported-sub-group-size for SubGroup8 expires on 2027-01-31", "compat: passed: ", "1 warning, 1 allowed\n"}, nil},
		{"a policy a day later", []string{"--policy", "policy.yaml", "--today", "2027-02-01", "before.json"}, 1, []string{"(the exception has expired)", "policy.yaml:4: warning: "}, nil},
		{"flags over the policy", []string{"--policy", "policy.yaml", "--today", "2027-01-31", "--fail-on-severity", "warning", "before.json"}, 1, []string{"1 failing problem"}, nil},
		{"base reports", []string{"--base-reports", "old/bef*.json", "before.json"}, 0, []string{"(known)", "passed: 3 kernels on 2 devices: 2 known\n"}, nil},
		{"base reports of another device configuration", []string{"--base-reports", "before.json", "now.json"}, 0, []string{"compat: warning: the data of the device intel_gpu_pvc have changed", "1 new because data of a device changed"}, nil},
		{"a first policy that asks for nothing", []string{"--policy", "none.yaml", "--base-policy", "none", "before.json"}, 0, []string{"none.yaml: note: fail-on is \"none\", not \"new\" [policy-weakened]"}, nil},
		{"a flag that weakens the policy", []string{"--policy", "strict.yaml", "--fail-on-severity", "error", "--fail-on-empty", "false", "before.json"}, 1, []string{"strict.yaml: note: a flag or an input overrides the policy: fail-on-empty is false [policy-weakened]"}, nil},
		{"a policy that requires a comparison, in a build", []string{"--policy", "strict.yaml", "--fail-on-severity", "error", "good.json"}, 0, []string{"compat: passed"}, nil},
		{"a policy that requires a comparison with the base branch", []string{"--policy", "strict.yaml", "--base-reports", "old/before.json", "before.json"}, 1, []string{"strict.yaml: error: the base branch's policy is missing; use --base-policy FILE"}, nil},
		{"the same, and a flag makes it optional", []string{"--policy", "strict.yaml", "--compare-with-base", "optional", "--base-reports", "old/before.json", "before.json"}, 0, []string{"compare-with-base is \"optional\", not \"required\""}, nil},
		{"a flag that requires a comparison", []string{"--compare-with-base", "required", "--fail-on", "none", "good.json"}, 1, []string{"error: the base branch's policy is missing"}, nil},
		{"a flag that requires a comparison of baselines", []string{"--compare-with-base", "required", "--base-policy", "none", "--baseline", "base.json", "good.json"}, 1, []string{"error: the base branch's baseline is missing; use --base-baseline FILE"}, nil},
		{"a comparison that is required and made", []string{"--compare-with-base", "required", "--base-policy", "none", "--baseline", "base.json", "--base-baseline", "base.json", "good.json"}, 0, []string{"compat: passed"}, nil},
		{"an invalid comparison", []string{"--compare-with-base", "yes", "good.json"}, 2, nil, []string{`compare-with-base: expected required or optional, got "yes"`}},
		{"only warnings", []string{"--warn-only", "before.json"}, 0, []string{""}, []string{
			"demo/BUILD.bazel:1: warning: kernel 'Fp64Axpy' does not run on intel_gpu_dg2: it requires aspect fp64 [missing-aspect]\n"}},
		{"no warnings", []string{"--warn-only", "good.json"}, 0, []string{""}, nil},
		{"no report", nil, 2, nil, []string{"no input; pass reports"}},
		{"an invalid report", []string{"k.spv"}, 3, nil, []string{"k.spv"}},
		{"base reports that are the checked reports", []string{"--base-reports", "./bef*.json", "before.json"}, 2, nil, []string{"compat: error: --base-reports: before.json is also a report of the change"}},
		{"base reports that are missing", []string{"--base-reports", "none/*.json", "before.json"}, 3, nil, []string{`"none/*.json": no file matches`}},
		{"a policy that is missing", []string{"--policy", "gone.yaml", "before.json"}, 2, nil, []string{"gone.yaml: cannot read the file: no such file"}},
		{"a policy with a fault", []string{"--policy", "bad.yaml", "before.json"}, 2, nil, []string{`bad.yaml:2: unknown key "fail_on"; did you mean fail-on?`}},
		{"a baseline with a fault", []string{"--baseline", "bad.yaml", "before.json"}, 2, nil, []string{"bad.yaml: not a baseline"}},
		{"a baseline that is missing", []string{"--baseline", "gone.json", "before.json"}, 3, nil, []string{"gone.json"}},
		{"an unknown format", []string{"--format", "html", "before.json"}, 2, nil, []string{`unknown format "html"; expected one of gitlab, json, junit, markdown, sarif, text`}},
		{"a flag of another format", []string{"--all", "--format", "markdown", "before.json"}, 2, nil, []string{"--all requires --format text"}},
		{"an invalid day", []string{"--today", "tomorrow", "before.json"}, 2, nil, []string{`invalid date "tomorrow"`}},
		{"an invalid mode", []string{"--fail-on", "all", "before.json"}, 2, nil, []string{`expected new, any or none, got "all"`}},
		{"an invalid threshold", []string{"--fail-on-severity", "off", "before.json"}, 2, nil, []string{`unknown value "off"; expected error, warning or note`}},
		{"an invalid boolean", []string{"--fail-on-stale", "yes", "before.json"}, 2, nil, []string{`expected true or false, got "yes"`}},
		{"an invalid level", []string{"--undetermined", "bad", "before.json"}, 2, nil, []string{`unknown severity "bad"`}},
		{"an invalid workspace", []string{"--workspace", "gone", "before.json"}, 2, nil, []string{`cannot use the workspace "gone": no such file or directory; name a directory`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := run(t, append([]string{"check"}, test.args...)...)
			if code != test.code {
				t.Errorf("exit %d, want %d\n%s%s", code, test.code, stdout, stderr)
			}
			if code < 2 && test.stderr == nil && stderr != "" || code >= 2 && stdout != "" {
				t.Errorf("stdout %q, stderr %q", stdout, stderr)
			}
			for _, s := range []struct {
				got  string
				want []string
			}{{stdout, test.stdout}, {stderr, test.stderr}} {
				if len(s.want) == 1 && s.want[0] == "" && s.got != "" {
					t.Errorf("got %q", s.got)
				}
				for _, want := range s.want {
					if !strings.Contains(s.got, want) {
						t.Errorf("%q is not in\n%s", want, s.got)
					}
				}
			}
		})
	}
}

// Sources are read only within the workspace.
func TestCheckStaysInTheWorkspace(t *testing.T) {
	gateWorkspace(t)
	data := testkit.ReadFile(t, "before.json")
	testkit.WriteFile(t, "secret.cpp", "secret\n")
	testkit.Link(t, "../secret.cpp", "inside/link.cpp")
	testkit.WriteFile(t, "inside/real.cpp", "real\n")
	for path, want := range map[string]string{"real.cpp": "real.cpp:4: error", "link.cpp": "//demo:kernels: error", "gone.cpp": "//demo:kernels: error", "../secret.cpp": "//demo:kernels: error", "/etc/passwd": "//demo:kernels: error"} {
		testkit.WriteFile(t, "located.json", strings.Replace(data, `"name":"_ZTS8Fp64Axpy"`, `"location":{"line":4,"path":"`+path+`"},"name":"_ZTS8Fp64Axpy"`, 1))
		_, stdout, stderr := run(t, "check", "--workspace", "inside", "--required", "intel_gpu_dg2", "located.json")
		if !strings.Contains(stdout, want) || stderr != "" {
			t.Errorf("%s: got %s%s", path, stdout, stderr)
		}
	}
}

func TestCheckFiles(t *testing.T) {
	gateWorkspace(t)
	code, stdout, _ := run(t, "check", "--sarif-file", "r.sarif", "--junit-file", "r.xml", "--gitlab-file", "g.json", "--markdown-file", "s.md", "--json-file", "r.json", "--proposed-baseline", "b.json", "--category", "linux", "before.json")
	if code != 1 || !strings.HasPrefix(stdout, "demo/BUILD.bazel:3") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	for name, want := range map[string]string{"r.sarif": `"primaryLocationLineHash": "`, "r.xml": "<testsuites", "g.json": `"check_name": "missing-aspect"`, "s.md": "## ❌", "r.json": `"conclusion": "failure"`, "b.json": "compat-baseline/v1"} {
		checkContains(t, testkit.ReadFile(t, name), want)
	}
	// With the proposed baseline, the same change passes.
	checkExit(t, 0, "", "check", "--baseline", "b.json", "before.json")
	checkExit(t, 1, "", "check", "--fail-on=any", "--baseline", "b.json", "before.json")
	checkExit(t, 2, " r.sarif is used for two outputs", "check", "--json-file", "r.sarif", "--sarif-file", "./r.sarif", "before.json")
	// A failure leaves no partial file.
	checkExit(t, 4, "gone/r.sarif", "check", "--sarif-file", "gone/r.sarif", "before.json")
}

func TestBaseline(t *testing.T) {
	gateWorkspace(t)
	t.Setenv("CI", "")
	checkOutput(t, "b.json: 2 entries (previously 0)\n", "baseline", "update", "--baseline", "b.json", "before.json")
	first := testkit.ReadFile(t, "b.json")
	mustRun(t, "baseline", "update", "--baseline", "b.json", "before.json")
	if again := testkit.ReadFile(t, "b.json"); again != first {
		t.Errorf("another baseline for the same report:\n%s", again)
	}
	checkContains(t, mustRun(t, "check", "--baseline", "b.json", "before.json"), "2 known")
	mustRun(t, "report", "--name", "//demo:kernels", "--output", "pvc.json", "--devices", "intel_gpu_pvc", "k.syclbin")
	code, stdout, _ := run(t, "check", "--baseline", "b.json", "pvc.json")
	if code != 1 || !strings.Contains(stdout, "target //demo:kernels, device intel_gpu_dg2: 3 of 3 kernels are not checked for the device, and the baseline includes this device [coverage-lost]") {
		t.Errorf("a device that is gone: exit %d, %s", code, stdout)
	}
	checkOutput(t, "b.json: 1 entry, 1 removed\n", "baseline", "prune", "--baseline", "b.json", "pvc.json")

	t.Setenv("CI", "true")
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"update in continuous integration", []string{"update", "--baseline", "b.json", "now.json"}, 2, "refusing to update the baseline in CI"},
		{"nothing to do", []string{"--baseline", "b.json"}, 2, "update, prune or verify"},
		{"no file", []string{"prune", "now.json"}, 2, "--baseline is required"},
		{"no report", []string{"prune", "--baseline", "b.json"}, 2, "no input; pass reports"},
		{"a baseline that is missing", []string{"prune", "--baseline", "gone.json", "now.json"}, 3, "gone.json"},
	} {
		before := testkit.ReadFile(t, "b.json")
		code, _, stderr := run(t, append([]string{"baseline"}, test.args...)...)
		if code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d, %s", test.name, code, stderr)
		}
		if after := testkit.ReadFile(t, "b.json"); after != before {
			t.Errorf("%s: the baseline has changed", test.name)
		}
	}

	t.Setenv("CI", "")
	testkit.WriteFile(t, "b.json", first)
	checkOutput(t, "", "baseline", "verify", "--baseline", "b.json", "before.json")
	for _, test := range []struct {
		name, file, report string
		code               int
		stdout, stderr     string
	}{
		{"a missing entry", "pruned.json", "before.json", 1, "pruned.json: missing: //demo:kernels: _ZTS9SubGroup8 on intel_gpu_pvc requires 8 [unsupported-sub-group-size]\n", "1 entry missing, 0 stale"},
		{"a stale entry", "b.json", "good.json", 1, "b.json: stale: //demo:kernels: ", "0 entries missing, 2 stale"},
		{"more is checked", "good.b.json", "less.json", 1, "", "good.b.json is out of date: the checked targets or devices"},
		{"no file", "gone.json", "before.json", 1, "gone.json does not exist\ngone.json: missing", "2 entries missing"},
		{"an invalid file", "before.json", "before.json", 2, "", "before.json"},
	} {
		entries := strings.Split(string(first), "\n")
		i := slices.IndexFunc(entries, func(l string) bool { return strings.Contains(l, "SubGroup8") })
		testkit.WriteFile(t, "pruned.json", []byte(strings.Replace(strings.Join(slices.Delete(entries, i, i+1), "\n"), "\"},\n  ]", "\"}\n  ]", 1)))
		for _, report := range []struct{ name, devices string }{{"good.json", "intel_gpu_dg2,intel_gpu_pvc"}, {"less.json", "intel_gpu_dg2"}} {
			mustRun(t, "report", "--name", "//demo:kernels", "--output", report.name, "--devices", report.devices, "k.syclbin")
			testkit.WriteFile(t, report.name, []byte(mustRun(t, "show", "--format", "json", "--kernels", "VectorAdd", report.name)))
		}
		mustRun(t, "baseline", "update", "--baseline", "good.b.json", "good.json")
		code, stdout, stderr := run(t, "baseline", "verify", "--baseline", test.file, test.report)
		if code != test.code || !strings.HasPrefix(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
			t.Errorf("%s: exit %d, %s%s", test.name, code, stdout, stderr)
		}
	}
	testkit.WriteFile(t, "small.yaml", "version: 1\nlimits: {max-baseline: 1}\n")
	checkExit(t, 1, "the baseline has 2 entries (limits.max-baseline of the policy is 1)", "baseline", "update", "--policy", "small.yaml", "--baseline", "c.json", "before.json")
	if _, err := os.Stat("c.json"); err == nil {
		t.Error("a baseline that is too large is written")
	}
	testkit.WriteFile(t, "b.json", first)
	checkExit(t, 2, "max-baseline", "check", "--policy", "small.yaml", "--baseline", "b.json", "before.json")
}

func TestDiff(t *testing.T) {
	gateWorkspace(t)
	checkOutput(t, "", "diff", "before.json", "before.json")
	lost := "lost: kernel 'Fp64Axpy' on intel_gpu_pvc: compatible → incompatible (it requires aspect fp64) (//demo:kernels)\n"
	checkOutput(t, lost, "diff", "before.json", "now.json")
	if code, stdout, _ := run(t, "diff", "--exit-code", "before.json", "now.json"); code != 1 || stdout != lost {
		t.Errorf("exit %d, %s", code, stdout)
	}
	gained := "gained: kernel 'Fp64Axpy' on intel_gpu_pvc: incompatible (it requires aspect fp64) → compatible (//demo:kernels)\n"
	if code, stdout, _ := run(t, "diff", "--exit-code", "now.json", "before.json"); code != 0 || stdout != gained {
		t.Errorf("exit %d, %s", code, stdout)
	}
	mustRun(t, "report", "--name", "//demo:kernels", "--output", "pvc.json", "--devices", "intel_gpu_pvc", "k.syclbin")
	if code, stdout, _ := run(t, "diff", "--exit-code", "before.json", "pvc.json"); code != 1 || stdout != "removed: device intel_gpu_dg2: 2 kernels compatible; 1 kernel incompatible (//demo:kernels)\n" {
		t.Errorf("exit %d, %s", code, stdout)
	}
	var d gate.Difference
	err := json.Unmarshal([]byte(mustRun(t, "diff", "--format", "json", "before.json", "now.json")), &d)
	if changes := d.Changes; err != nil || len(changes) != 1 ||
		changes[0].Kind != "lost" || len(changes[0].NewReasons) != 1 || changes[0].NewReasons[0].Required != "fp64" {
		t.Errorf("%v, %v", err, changes)
	}
	for _, args := range [][]string{{"before.json"}, {"--format", "xml", "before.json", "now.json"}, {"--all", "--format", "json", "before.json", "now.json"}} {
		checkExit(t, 2, "", append([]string{"diff"}, args...)...)
	}
}

func TestExplain(t *testing.T) {
	if got := mustRun(t, "explain", "missing-aspect"); !strings.Contains(got, "device::has()") || !strings.Contains(got, "'detail': {aspect: ...}") {
		t.Errorf("got %s", got)
	}
	checkContains(t, mustRun(t, "explain"), "coverage-lost ")
	checkExit(t, 2, "did you mean missing-aspect?", "explain", "mising-aspect")
}

func TestSchemas(t *testing.T) {
	for name, want := range map[string][]byte{"report": docs.ReportSchema, "policy": docs.PolicySchema, "baseline": docs.BaselineSchema, "result": docs.ResultSchema, "diff": docs.DiffSchema, "site": docs.SiteSchema} {
		if got := mustRun(t, "schema", name); got != string(want) {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestManyReports(t *testing.T) {
	gateWorkspace(t)
	data := testkit.ReadFile(t, "before.json")
	args := []string{"check", "--format", "json"}
	for _, n := range []string{"c", "a", "b", "d"} {
		name := filepath.Join("all", n+".json")
		testkit.WriteFile(t, name, strings.Replace(data, "//demo:kernels", "//demo:"+n, 1))
		args = append(args, name)
	}
	_, first, _ := run(t, args...)
	args[3], args[5] = args[5], args[3]
	if _, second, _ := run(t, args...); first != second || !strings.Contains(first, `"label": "//demo:d"`) {
		t.Error("the order of the reports matters")
	}
	testkit.WriteFile(t, "all/b.json", "{}")
	testkit.WriteFile(t, "all/d.json", "{")
	checkExit(t, 3, "all/b.json", "check", "all/a.json", "all/b.json", "all/d.json")
}

// container returns an offload binary with a SPIR-V module, as in a program's object file.
func container(t *testing.T, code string) string {
	t.Helper()
	image := offload.Image{OffloadKind: offload.SYCL, Strings: []offload.String{{Key: "triple", Value: "spir64-unknown-unknown"}, {Key: "arch", Value: ""}}, Content: strings.NewReader(code)}
	return testkit.Written(t, func(w io.Writer) error { return offload.Write(w, []offload.Image{image}, offload.Options{Version: 2}) })
}

// TestCheckBinaries checks the same binaries without a report. Known problems remain known if a
// file is added.
func TestCheckBinaries(t *testing.T) {
	enterWorkspace(t)
	t.Setenv("CI", "")
	object := container(t, testkit.ReadFile(t, "k.spv"))
	testkit.WriteFile(t, "out/libk.so.1", object)
	args := []string{"--required", "intel_gpu_acm_g10", "--binary", "out/**"}
	code, stdout, stderr := run(t, append([]string{"check", "--format", "json"}, args...)...)
	if code != 1 || stderr != "" || !strings.Contains(stdout, `"intel_gpu_acm_g10"`) || !strings.Contains(stdout, `"target": "out/libk.so"`) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if _, stdout, _ := run(t, append([]string{"check"}, args...)...); !strings.Contains(stdout, "out/libk.so: error: kernel 'Plain' does not run on intel_gpu_acm_g10") {
		t.Errorf("the file is not named:\n%s", stdout)
	}
	run(t, append([]string{"baseline", "update", "--baseline", "b.json"}, args...)...)
	testkit.WriteFile(t, "out/libk.so.2", object)
	testkit.NoError(t, os.Remove("out/libk.so.1"))
	checkExit(t, 0, "", append([]string{"check", "--baseline", "b.json"}, args...)...)
	other := []byte(testkit.ReadFile(t, "k.spv"))
	other[8] ^= 1 // the compiler version: a different image, whose problems are new
	testkit.WriteFile(t, "out/l.o", container(t, string(other)))
	if code, stdout, stderr := run(t, append([]string{"check", "--baseline", "b.json"}, args...)...); code != 1 || !strings.Contains(stdout, "10 new, 10 known") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	testkit.WriteFile(t, "out/broken.o", object[:len(object)/2])
	checkExit(t, 3, "out/broken.o: ", append([]string{"check", "--baseline", "b.json"}, args...)...)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--binary", "out/l.o", "--devices", "intel_gpu_pvv"}, `unknown target "intel_gpu_pvv"; did you mean intel_gpu_pvc`},
		{[]string{"--devices", "intel_gpu_pvc", "r.json"}, "--devices and --device-config require --binary"},
		{nil, "no input; pass reports, or files with --binary"},
	} {
		checkExit(t, 2, test.want, append([]string{"check"}, test.args...)...)
	}
}

// TestFirstRunCommand checks that after the command that the first run proposes, the next run
// passes.
func TestFirstRunCommand(t *testing.T) {
	code := testkit.ReadFile(t, filepath.Join(goldenDir, "kernels.spv"))
	gateWorkspace(t)
	t.Setenv("CI", "")
	testkit.WriteFile(t, "k.spv", code)
	testkit.WriteFile(t, "p.yml", "version: 1\nfail-on: new\n")
	command := regexp.MustCompile("'compat (baseline update [^']*)' accepts")
	for _, args := range [][]string{
		{"before.json"}, {"--policy", "p.yml", "before.json"}, {"--required", "intel_gpu_dg2,intel_gpu_pvc", "before.json"}, {"--binary", "k.spv", "--devices", "intel_gpu_acm_g10"},
	} {
		code, stdout, stderr := run(t, append([]string{"check"}, args...)...)
		m := command.FindStringSubmatch(stdout)
		if code != 1 || m == nil {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
			continue
		}
		mustRun(t, strings.Fields(m[1])...)
		checkContains(t, mustRun(t, append([]string{"check", "--baseline", "sycl-compat-baseline.json"}, args...)...), "known")
		testkit.NoError(t, os.Remove("sycl-compat-baseline.json"))
	}
}
