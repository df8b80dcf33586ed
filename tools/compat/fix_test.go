package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bazelbuild/buildtools/build"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

const fixHead = `load("@rules_sycl//rules:defs.bzl", "sycl_binary", "sycl_compat_report")

`

// kernelsRule returns a BUILD file with the target that the reports of gateWorkspace cover. In it,
// SubGroup8 does not run on intel_gpu_pvc, and Fp64Axpy does not run on intel_gpu_dg2.
func kernelsRule(attrs string) string {
	return fixHead + "sycl_binary(\n    name = \"kernels\",\n    srcs = [\"k.cpp\"],\n" + attrs + ")\n"
}

// withRule is like kernelsRule for a different rule.
func withRule(rule, attrs string) string {
	loaded := []string{rule, "sycl_compat_report"}
	slices.Sort(loaded)
	text := strings.Replace(kernelsRule(attrs), `"sycl_binary", "sycl_compat_report"`, fmt.Sprintf("%q, %q", loaded[0], loaded[1]), 1)
	return strings.Replace(text, "sycl_binary(", rule+"(", 1)
}

func TestFix(t *testing.T) {
	gateWorkspace(t)
	mustRun(t, "report", "--name", "//demo:compat", "--output", "other.json", "--devices", "intel_gpu_dg2", "k.syclbin")
	run(t, "check", "--required", "intel_gpu_dg2", "--format", "json", "--output", "result.json", "before.json")
	if _, stdout, _ := run(t, "check", "--fix-command", "build fix $PWD/r", "before.json"); !strings.Contains(stdout, "'build fix $PWD/r' proposes edits") {
		t.Errorf("got %s", stdout)
	}
	for _, flags := range [][]string{{"--output=text"}, {"--warn-only"}} {
		_, stdout, stderr := run(t, append([]string{"check", "--program", "bazel run //x --", "before.json"}, flags...)...)
		if text := stdout + stderr + testkit.ReadFile(t, "text"); !strings.Contains(text, "('bazel run //x -- explain missing-aspect')") || strings.Contains(text, "'compat ") {
			t.Errorf("%s: got %s", flags, text)
		}
	}
	// changed writes a copy of a report with replaced texts.
	changed := func(to, from string, replace ...string) {
		testkit.WriteFile(t, to, strings.NewReplacer(replace...).Replace(testkit.ReadFile(t, from)))
	}
	changed("fixed.json", "before.json", `"rule":"missing-aspect"`, `"rule":"fixed-target-mismatch"`, `"required":"fp64"`, `"required":"intel_gpu_pvc"`)
	changed("none.json", "before.json", `"rule":"missing-aspect"`, `"rule":"no-image"`)
	changed("maybe.json", "before.json", `"status":"incompatible"`, `"status":"undetermined"`, `"incompatible":2`, `"incompatible":0`, `"undetermined":0`, `"undetermined":2`)
	changed("unknown.json", "none.json", "intel_gpu_dg2", "not a target")
	goodReport(t)

	dg2 := []string{"--required", "intel_gpu_dg2"}
	all := "    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_dg2\",  # discrete\n        \"intel_gpu_pvc\",\n    ],\n"
	for _, test := range []struct {
		name   string
		build  string
		args   []string
		code   int
		stdout string // part of it; "" if it must be empty
		stderr string
		after  string // the file after --write, if it changes
	}{
		{"a target is dropped", kernelsRule(all), append(dg2, "--unsupported=drop", "before.json"), 0, "-        \"intel_gpu_dg2\",  # discrete\n", "",
			kernelsRule("    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_pvc\",\n    ],\n")},
		{"another name of the device", kernelsRule("    sycl_targets = [\n        \"intel_gpu_12_60_7\",\n        \"intel_gpu_dg2\",\n    ],\n"), []string{"--unsupported=drop", "--required=intel_gpu_pvc", "before.json"}, 0, "-        \"intel_gpu_12_60_7\",\n", "",
			kernelsRule("    sycl_targets = [\"intel_gpu_dg2\"],\n")},
		{"a result", kernelsRule(all), []string{"--unsupported=drop", "result.json"}, 0, "-        \"intel_gpu_dg2\"", "",
			kernelsRule("    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_pvc\",\n    ],\n")},
		{"also in the fixed targets", kernelsRule("    fixed_targets = [\n        \"intel_gpu_dg2\",\n        \"intel_gpu_pvc\",\n    ],\n" + all), append(dg2, "--unsupported=drop", "before.json"), 0, "+    fixed_targets = [\"intel_gpu_pvc\"],\n", "",
			kernelsRule("    fixed_targets = [\"intel_gpu_pvc\"],\n    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_pvc\",\n    ],\n")},
		{"the only fixed target is dropped", kernelsRule("    fixed_targets = [\"intel_gpu_dg2\"],\n" + all), append(dg2, "--unsupported=drop", "before.json"), 1, "", "fixed_targets of //demo:kernels would be empty", ""},
		{"the only fixed target is restricted", kernelsRule("    fixed_targets = [\"intel_gpu_dg2\"],\n    sycl_targets = [\n        \"intel_gpu_dg2\",\n        \"intel_gpu_pvc\",\n    ],\n"), append(dg2, "--unsupported=restrict", "before.json"), 1, "", "fixed_targets of //demo:kernels would be empty", ""},
		{"the fixed targets are restricted", kernelsRule("    sycl_targets = [\n        \"intel_gpu_dg2\",\n        \"intel_gpu_pvc\",\n    ],\n"), append(dg2, "--unsupported=restrict", "before.json"), 0, "+    fixed_targets = [\"intel_gpu_pvc\"],\n", "",
			kernelsRule("    fixed_targets = [\"intel_gpu_pvc\"],\n    sycl_targets = [\n        \"intel_gpu_dg2\",\n        \"intel_gpu_pvc\",\n    ],\n")},
		{"fixed targets cannot restrict spir64", kernelsRule(all), append(dg2, "--unsupported=restrict", "before.json"), 1, "", "because spir64 of //demo:kernels is for all devices", ""},
		{"a target is added to the fixed ones", kernelsRule("    fixed_targets = [\"intel_gpu_pvc\"],\n"), append(dg2, "fixed.json"), 0, "+        \"intel_gpu_dg2\",\n", "",
			kernelsRule("    fixed_targets = [\n        \"intel_gpu_pvc\",\n        \"intel_gpu_dg2\",\n    ],\n")},
		{"fixed targets from elsewhere", kernelsRule(""), append(dg2, "fixed.json"), 1, "", "//demo:kernels has no fixed_targets", ""},
		{"a target is added", kernelsRule(""), append(dg2, "none.json"), 0, "+    sycl_targets = [\n+        \"spir64\",\n+        \"intel_gpu_dg2\",\n+    ],\n", "",
			kernelsRule("    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_dg2\",\n    ],\n")},
		{"an unknown target", kernelsRule(""), []string{"unknown.json"}, 1, "", `cannot add not a target to sycl_targets of //demo:kernels: unknown target`, ""},
		{"an empty list", kernelsRule("    sycl_targets = [\"intel_gpu_dg2\"],\n"), append(dg2, "--unsupported=drop", "before.json"), 1, "", "sycl_targets of //demo:kernels would be empty", ""},
		{"a device of the report alone", kernelsRule(""), append(dg2, "--unsupported=drop", "before.json"), 1, "", "//demo:kernels does not list intel_gpu_dg2", ""},
		{"problems are kept", kernelsRule(all), append(dg2, "--unsupported=keep", "before.json"), 1, "", "cannot be fixed in a BUILD file: //demo:kernels: kernel 'Fp64Axpy' does not run", ""},
		{"a variable", "TARGETS = [\"intel_gpu_dg2\"]\n\n" + kernelsRule("    sycl_targets = TARGETS,\n"), append(dg2, "before.json"), 1, "", "demo/BUILD.bazel:5: sycl_targets of //demo:kernels is the variable TARGETS; edit it manually (not intel_gpu_dg2)", ""},
		{"a select", kernelsRule("    sycl_targets = select({\"//conditions:default\": [\"intel_gpu_dg2\"]}),\n"), append(dg2, "before.json"), 1, "", "is a call to select", ""},
		{"a sum", kernelsRule("    sycl_targets = [\"spir64\"] + MORE,\n"), append(dg2, "before.json"), 1, "", "is an expression", ""},
		{"a list with other elements than strings", kernelsRule("    sycl_targets = [\"spir64\", DG2],\n"), append(dg2, "before.json"), 1, "", "has elements that are not strings", ""},
		{"a comprehension", kernelsRule("    sycl_targets = [t for t in MORE],\n"), append(dg2, "before.json"), 1, "", "is not a list literal", ""},
		{"a macro", "my_kernels(\n    name = \"kernels\",\n    sycl_targets = [\"intel_gpu_dg2\"],\n)\n", append(dg2, "before.json"), 1, "", "//demo:kernels is created by my_kernels, not by one of sycl_binary, sycl_cc_binary, sycl_cc_library, sycl_cc_test; edit sycl_targets", ""},
		{"a rule that is loaded by another name", "load(\"@rules_sycl//rules:defs.bzl\", binary = \"sycl_binary\")\n\nbinary(\n    name = \"kernels\",\n    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_dg2\",\n    ],\n)\n", append(dg2, "--unsupported=drop", "before.json"), 0, "-        \"intel_gpu_dg2\",\n", "",
			"load(\"@rules_sycl//rules:defs.bzl\", binary = \"sycl_binary\")\n\nbinary(\n    name = \"kernels\",\n    sycl_targets = [\"spir64\"],\n)\n"},
		{"a program", withRule("sycl_cc_binary", all), append(dg2, "--unsupported=drop", "before.json"), 0, "-        \"intel_gpu_dg2\",  # discrete\n", "",
			withRule("sycl_cc_binary", "    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_pvc\",\n    ],\n")},
		{"a library without targets", withRule("sycl_cc_library", ""), append(dg2, "none.json"), 0, "+        \"intel_gpu_dg2\",\n", "",
			withRule("sycl_cc_library", "    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_dg2\",\n    ],\n")},
		{"a test with fixed targets", withRule("sycl_cc_test", "    fixed_targets = [\"intel_gpu_pvc\"],\n"), append(dg2, "fixed.json"), 0, "+        \"intel_gpu_dg2\",\n", "",
			withRule("sycl_cc_test", "    fixed_targets = [\n        \"intel_gpu_pvc\",\n        \"intel_gpu_dg2\",\n    ],\n")},
		{"a link that compiles", withRule("syclbin_link", "    mode = \"ir\",\n"+all), append(dg2, "--unsupported=drop", "before.json"), 0, "-        \"intel_gpu_dg2\",  # discrete\n", "",
			withRule("syclbin_link", "    mode = \"ir\",\n    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_pvc\",\n    ],\n")},
		{"a link that keeps images", withRule("syclbin_link", "    deps = [\n        \":a\",\n        \":b\",\n    ],\n"), append(dg2, "before.json"), 1, "", "ambiguous deps of //demo:kernels", ""},
		{"a library for others", withRule("sycl_library", ""), append(dg2, "before.json"), 1, "", "//demo:kernels is created by sycl_library, not by one of", ""},
		{"a loop", "[sycl_binary(name = n) for n in [\"kernels\"]]\n", append(dg2, "before.json"), 1, "", "a macro or a loop creates the target", ""},
		{"a report of one target", kernelsRule(all) + "\nsycl_compat_report(\n    name = \"compat\",\n    deps = [\":kernels\"],\n)\n", []string{"--unsupported=drop", "other.json"}, 0, "-        \"intel_gpu_dg2\"", "",
			kernelsRule("    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_pvc\",\n    ],\n") + "\nsycl_compat_report(\n    name = \"compat\",\n    deps = [\":kernels\"],\n)\n"},
		{"a report of several", kernelsRule(all) + "\nsycl_compat_report(\n    name = \"compat\",\n    deps = [\n        \":kernels\",\n        \":others\",\n    ],\n)\n", []string{"other.json"}, 1, "", "ambiguous deps of //demo:compat", ""},
		{"no BUILD file that can be read", "sycl_binary(\n", append(dg2, "before.json"), 1, "", "cannot read demo/BUILD.bazel", ""},
		{"nothing to do", kernelsRule(all), append(dg2, "good.json"), 0, "", "", ""},
		{"what may run", kernelsRule(all), []string{"maybe.json"}, 0, "", "", ""},
		{"what may run, and has to", kernelsRule(all), []string{"--undetermined=error", "maybe.json"}, 1, "", "is known only when the program runs", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			testkit.WriteFile(t, "demo/BUILD.bazel", test.build)
			code, stdout, stderr := run(t, append([]string{"fix"}, test.args...)...)
			if code != test.code || !strings.Contains(stdout, test.stdout) || test.stdout == "" && stdout != "" || !strings.Contains(stderr, test.stderr) || test.stderr == "" && stderr != "" {
				t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
			}
			if now := testkit.ReadFile(t, "demo/BUILD.bazel"); now != test.build {
				t.Errorf("a patch alone changes the file:\n%s", now)
			}
			if test.after == "" {
				return
			}
			patched(t, stdout, test.build, test.after)
			checkOutput(t, "demo/BUILD.bazel: changed\n", append([]string{"fix", "--write"}, test.args...)...)
			now := testkit.ReadFile(t, "demo/BUILD.bazel")
			if now != test.after {
				t.Errorf("after --write:\n%s", now)
			}
			// The file is formatted as buildifier would format it, and a second run proposes no
			// edits.
			f, err := build.ParseBuild("BUILD.bazel", []byte(now))
			if err != nil || string(build.Format(f)) != now {
				t.Errorf("%v, buildifier would change\n%s", err, now)
			}
			run(t, append([]string{"fix", "--write"}, test.args...)...)
			if again := testkit.ReadFile(t, "demo/BUILD.bazel"); again != now {
				t.Errorf("a second time it is changed to\n%s", again)
			}
		})
	}
}

// TestFixPlans prints the proposals for kernels that do not run on devices, with the candidates and
// their losses.
func TestFixPlans(t *testing.T) {
	// Fp64 does not run on intel_gpu_dg2, Group8 does not run on intel_gpu_pvc, and Group64 runs on
	// neither.
	modules := func(plain, fp64, group8, group64 int) (list []report.Module) {
		add := func(name string, n int, needs requirement.Requirements) {
			for i := range n {
				m := report.Module{Needs: &needs, Images: []report.ModuleImage{reporttest.IR(len(list))}}
				m.Kernels = reporttest.Kernels(fmt.Sprintf("_ZTS%d%s%d", len(name)+1, name, i))
				list = append(list, m)
			}
		}
		add("Plain", plain, requirement.Requirements{})
		add("Fp64", fp64, requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}})
		add("Group8", group8, requirement.Requirements{SubGroupSizes: []uint32{8}})
		add("Group64", group64, requirement.Requirements{SubGroupSizes: []uint32{64}})
		return list
	}
	both := "    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_dg2\",\n        \"intel_gpu_pvc\",\n    ],\n"
	var plans strings.Builder
	for _, test := range []struct {
		name    string
		modules []report.Module
		attrs   string
		code    int
		dropped []string
	}{
		{"two of many kernels, each on another device", modules(6, 1, 1, 0), both, 1, nil},
		{"most kernels on one device", modules(1, 3, 0, 0), both, 0, []string{"intel_gpu_dg2"}},
		{"all kernels on one device", modules(0, 3, 0, 0), both, 0, []string{"intel_gpu_dg2"}},
		{"few on one device, most on another", modules(0, 1, 2, 0), both, 1, []string{"intel_gpu_pvc"}},
		{"as many as run", modules(1, 1, 0, 0), both, 1, nil},
		{"all kernels on all devices", modules(0, 0, 0, 2), both, 1, nil},
		{"most kernels on all devices", modules(1, 0, 0, 9), both, 1, nil},
		{"the only fixed target", modules(0, 2, 0, 0), "    fixed_targets = [\"intel_gpu_dg2\"],\n" + both, 1, nil},
		{"the only device", modules(0, 2, 0, 0), "    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_dg2\",\n    ],\n", 1, nil},
		{"a device that the target does not name", modules(0, 2, 0, 0), "    sycl_targets = [\"intel_gpu_pvc\"],\n", 1, nil},
	} {
		dir := t.TempDir()
		testkit.WriteFile(t, filepath.Join(dir, "demo/BUILD.bazel"), kernelsRule(test.attrs))
		r := reporttest.Build(t, test.modules, "intel_gpu_dg2", "intel_gpu_pvc")
		name := testkit.WriteFile(t, filepath.Join(dir, "r.json"), testkit.Written(t, r.Encode))
		code, stdout, stderr := run(t, "fix", "--workspace", dir, name)
		fmt.Fprintf(&plans, "== %s: exit code %d\n%s%s\n", test.name, code, stderr, stdout)
		var dropped []string
		for _, m := range regexp.MustCompile(`(?m)^-        "(.*)",$`).FindAllStringSubmatch(stdout, -1) {
			dropped = append(dropped, m[1])
		}
		if code != test.code || !slices.Equal(dropped, test.dropped) {
			t.Errorf("%s: exit code %d, %q are dropped\n%s%s", test.name, code, dropped, stderr, stdout)
		}
	}
	testkit.Golden(t, "fixplans.txt", plans.String())
}

// patched applies a patch with the patch program, if installed.
func patched(t *testing.T, diff, before, after string) {
	t.Helper()
	path, err := exec.LookPath("patch")
	if err != nil {
		return
	}
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "demo/BUILD.bazel"), before)
	cmd := exec.CommandContext(t.Context(), path, "-p1", "--silent")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, diff)
	}
	if got := testkit.ReadFile(t, filepath.Join(dir, "demo/BUILD.bazel")); got != after {
		t.Errorf("after the patch:\n%s", got)
	}
}

func TestFixBuildozer(t *testing.T) {
	gateWorkspace(t)
	testkit.WriteFile(t, "demo/BUILD.bazel", []byte(kernelsRule("    fixed_targets = [\"intel_gpu_dg2\", \"intel_gpu_pvc\"],\n    sycl_targets = [\"spir64\", \"intel_gpu_dg2\"],\n")))
	want := "buildozer 'remove sycl_targets intel_gpu_dg2' //demo:kernels\nbuildozer 'remove fixed_targets intel_gpu_dg2' //demo:kernels\n"
	checkOutput(t, want, "fix", "--buildozer", "--unsupported=drop", "--required", "intel_gpu_dg2", "before.json")
	for _, args := range [][]string{{"--buildozer", "--write", "before.json"}, {}, {"--unsupported=other", "before.json"}, {"--workspace=", "before.json"}} {
		checkExit(t, 2, "", append([]string{"fix"}, args...)...)
	}
}

// TestFixWrite checks that either all BUILD files are changed or none.
func TestFixWrite(t *testing.T) {
	gateWorkspace(t)
	before := kernelsRule("    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_dg2\",\n    ],\n")
	data := testkit.ReadFile(t, "before.json")
	testkit.WriteFile(t, "other.json", strings.ReplaceAll(data, "//demo:kernels", "//zoo:kernels"))
	write := []string{"fix", "--write", "--unsupported=drop", "--required", "intel_gpu_dg2", "before.json", "other.json"}
	for _, name := range []string{"demo/BUILD.bazel", "zoo/BUILD.bazel"} {
		testkit.WriteFile(t, name, before)
	}
	testkit.NoError(t, os.Remove("zoo/BUILD.bazel"))
	testkit.NoError(t, os.Symlink("../demo/BUILD.bazel", "zoo/BUILD.bazel"))
	if code, stdout, stderr := run(t, write...); code == 0 || stdout != "" || !strings.Contains(stderr, "zoo/BUILD.bazel: symbolic link; refusing to write to it") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if now := testkit.ReadFile(t, "demo/BUILD.bazel"); now != before {
		t.Errorf("one file is changed although the other cannot be:\n%s", now)
	}
	testkit.NoError(t, os.Remove("zoo/BUILD.bazel"))
	testkit.WriteFile(t, "zoo/BUILD.bazel", before)
	testkit.NoError(t, os.Chmod("zoo/BUILD.bazel", 0o640))
	// A killed run has left this directory; its file is not locked.
	left := filepath.Join("zoo", outfile.ScratchPrefix+"left")
	testkit.NoError(t, os.Mkdir(left, 0o700))
	checkOutput(t, "demo/BUILD.bazel: changed\nzoo/BUILD.bazel: changed\n", write...)
	info, err := os.Stat("zoo/BUILD.bazel")
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a killed run left is not removed")
	}
}

// Labels come from reports, which are untrusted.
func TestAttackFixLabels(t *testing.T) {
	gateWorkspace(t)
	data := testkit.ReadFile(t, "before.json")
	outside := filepath.Join(t.TempDir(), "outside")
	secret := kernelsRule("    sycl_targets = [\n        \"spir64\",\n        \"intel_gpu_dg2\",\n    ],\n")
	testkit.WriteFile(t, filepath.Join(outside, "BUILD.bazel"), secret)
	testkit.Link(t, outside, "link")
	testkit.Link(t, "../demo/BUILD.bazel", "filelink/BUILD.bazel")
	testkit.WriteFile(t, "demo/BUILD.bazel", secret)
	for _, label := range []string{
		"//..:kernels", "//../outside:kernels", "//" + outside + ":kernels", "@other//demo:kernels", "//link:kernels", "//demo:../x", "kernels", "",
		"//demo:kernels' && touch forged && '", `//demo:kernels\n::error::x`, "//demo:$(touch forged)", "//filelink:kernels", "//./demo:kernels", "//demo:kernels ##[error]x",
	} {
		testkit.WriteFile(t, "hostile.json", strings.ReplaceAll(data, "//demo:kernels", label))
		for _, form := range []string{"--buildozer", "--write"} {
			code, stdout, stderr := run(t, "fix", form, "--required", "intel_gpu_dg2", "hostile.json")
			if form == "--buildozer" && label == "//filelink:kernels" {
				continue // a file of the workspace
			}
			if code == 0 || stdout != "" {
				t.Errorf("%q: exit %d, %s%s", label, code, stdout, stderr)
			}
			for line := range strings.Lines(stderr) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
					t.Errorf("%q: a command of a runner: %s", label, line)
				}
			}
		}
	}
	for _, name := range []string{filepath.Join(outside, "BUILD.bazel"), "demo/BUILD.bazel"} {
		if now := testkit.ReadFile(t, name); now != secret {
			t.Errorf("%s has changed:\n%s", name, now)
		}
	}
	if info, err := os.Lstat("filelink/BUILD.bazel"); err != nil || info.Mode().IsRegular() {
		t.Errorf("%v, the link is %v", err, info)
	}
}

// If no edit fixes a problem, all kernels of a target with this problem share one warning.
func TestFixNotesManyKernelsOnce(t *testing.T) {
	var findings []gate.Finding
	for _, target := range []string{"//demo:b", "//demo:a"} {
		for _, need := range []string{"fp64", "fp16"} {
			for i := range 100 {
				findings = append(findings, gate.Finding{Rule: compat.MissingAspect, Severity: gate.Error, Target: target,
					Kernel: fmt.Sprintf("K%d", i), Required: need, Devices: []gate.DeviceFinding{{ID: "intel_gpu_dg2"}}})
			}
		}
	}
	p := newFixPlan(nil, keep)
	p.add(findings)
	p.add(findings) // from another report on the same kernels
	if len(p.notes) != 4 {
		t.Fatalf("got %q", p.notes)
	}
	for i, want := range []string{"//demo:b", "//demo:b", "//demo:a", "//demo:a"} {
		if !strings.HasPrefix(p.notes[i], "cannot be fixed in a BUILD file: "+want+": 100 kernels ('K0', 'K1', ") {
			t.Errorf("note %d is %s", i, p.notes[i])
		}
	}
}
