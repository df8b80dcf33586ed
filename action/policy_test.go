package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// git runs git in the workspace, and returns its output.
func (w *checkout) git(args ...string) string {
	w.Helper()
	cmd := exec.Command(testkit.Program(w, "git"), args...)
	cmd.Dir = w.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits all files and creates a pull request event based on the commit.
func (w *checkout) commit() (commit string) {
	w.Helper()
	if _, err := os.Stat(filepath.Join(w.dir, ".git")); err != nil {
		w.git("init", "--quiet")
	}
	w.git("add", "--all")
	w.git("commit", "--quiet", "--allow-empty", "--message", "x")
	return w.git("rev-parse", "HEAD")
}

// shallow makes git treat the checkout as shallow.
func (w *checkout) shallow() {
	w.Helper()
	w.write(".git/shallow", w.git("rev-parse", "HEAD")+"\n")
}

func (w *checkout) based(commit string) {
	w.event("pull_request", fmt.Sprintf(`{"repository": {"full_name": "o/r"}, "pull_request": {"number": 7, "head": {"repo": {"full_name": "o/r"}}, "base": {"sha": %q, "repo": {"full_name": "o/r"}}}}`, commit))
}

const (
	strictPolicy = "version: 1\ndevices: {required: ['*']}\n"
	weakPolicy   = "version: 1\ndevices: {informative: ['*']}\nfail-on: none\n"
)

// TestBasePolicy checks that a change cannot approve itself (S-17).
func TestBasePolicy(t *testing.T) {
	base := func(w *checkout) {
		w.reports()
		w.write(".github/sycl-compat.yml", strictPolicy)
		w.based(w.commit())
	}
	for _, test := range []struct {
		name       string
		prepare    func(w *checkout)
		inputs     []string
		code       int
		conclusion string
		text       string
	}{
		{"a change that weakens the policy", func(w *checkout) { base(w); w.write(".github/sycl-compat.yml", weakPolicy) }, nil, 0, "success", "policy-weakened"},
		{"a change that weakens the policy, policy-ref: base", func(w *checkout) { base(w); w.write(".github/sycl-compat.yml", weakPolicy) }, []string{"policy-ref", "base"}, 1, "failure", "merging this change weakens the check: fail-on is \"none\""},
		{"a change that deletes the policy", func(w *checkout) { base(w); w.remove(".github/sycl-compat.yml") }, []string{"policy-ref", "base"}, 1, "failure", ""},
		{"a change that breaks the policy", func(w *checkout) { base(w); w.write(".github/sycl-compat.yml", "version: 2\n") }, []string{"policy-ref", "base"}, 1, "failure", "cannot read the policy of the change"},
		{"a change that keeps the policy", base, []string{"policy-ref", "base"}, 1, "failure", "1 failing problem"},
		{"a change that makes the policy a link to an endless file", func(w *checkout) {
			base(w)
			w.remove(".github/sycl-compat.yml")
			w.link("/dev/zero", ".github/sycl-compat.yml")
		}, []string{"policy-ref", "base"}, 1, "failure", "cannot read the policy of the change"},
		{"a change that makes the policy a link to an endless file, policy-ref: head", func(w *checkout) {
			base(w)
			w.remove(".github/sycl-compat.yml")
			w.link("/dev/zero", ".github/sycl-compat.yml")
		}, nil, 2, "error", "leads out of the workspace"},
		{"a link in the base", func(w *checkout) { w.reports(); w.write("x", ""); w.link("/etc/passwd", "p.yml"); base(w) }, []string{"policy-ref", "base", "policy-file", "p.yml"}, 2, "error", "p.yml of commit"},
		{"a replaced object", func(w *checkout) {
			base(w)
			old := w.git("rev-parse", "HEAD:.github/sycl-compat.yml")
			w.write(".github/sycl-compat.yml", weakPolicy)
			w.git("replace", old, w.git("hash-object", "-w", ".github/sycl-compat.yml"))
		}, []string{"policy-ref", "base"}, 1, "failure", "1 failing problem"},
		{"a base without a policy", func(w *checkout) {
			w.reports()
			w.based(w.commit())
			w.write(".github/sycl-compat.yml", weakPolicy)
		}, []string{"policy-ref", "base"}, 1, "failure", "1 failing problem"},
		{"a base without the policy that an input names", func(w *checkout) { base(w); w.write("p.yml", weakPolicy) }, []string{"policy-ref", "base", "policy-file", "p.yml"}, 2, "error", "does not contain p.yml"},
		{"a baseline of the change", func(w *checkout) { base(w); w.write("b.json", w.baseline()) }, []string{"baseline-file", "b.json"}, 0, "success", "1 known"},
		{"a baseline of the change, policy-ref: base", func(w *checkout) { base(w); w.write("b.json", w.baseline()) }, []string{"policy-ref", "base", "baseline-file", "b.json"}, 2, "error", "does not contain b.json"},
		{"a baseline of the base", func(w *checkout) { w.reports(); w.write("b.json", w.baseline()); base(w); w.remove("b.json") }, []string{"policy-ref", "base", "baseline-file", "b.json"}, 0, "success", "1 known"},
		{"a baseline that grows", func(w *checkout) {
			w.write("out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Axpy<double>", nil}, kernel{"Add", nil}))
			w.write("b.json", w.baseline())
			base(w)
			w.write("b.json", w.baseline())
		}, []string{"baseline-file", "b.json"}, 0, "success", "policy-weakened"},
		{"a commit that is missing from the checkout", func(w *checkout) { base(w); w.shallow(); w.based(strings.Repeat("ab", 20)) }, []string{"policy-ref", "base"}, 2, "error", "fetch-depth: 0"},
		{"an invalid commit", func(w *checkout) { base(w); w.based("--output=x") }, []string{"policy-ref", "base"}, 2, "error", "has no base commit"},
		{"no commit", func(w *checkout) { base(w); w.fixture("schedule") }, []string{"policy-ref", "base"}, 2, "error", `event "schedule" has no base commit`},
		{"no event", func(w *checkout) { base(w); delete(w.env, "GITHUB_EVENT_PATH") }, []string{"policy-ref", "base"}, 2, "error", "has no base commit"},
		{"not a checkout", func(w *checkout) { w.reports(); w.based(strings.Repeat("ab", 20)) }, []string{"policy-ref", "base"}, 2, "error", "no git repository in the workspace; run actions/checkout"},
		{"a policy outside of the workspace", base, []string{"policy-ref", "base", "policy-file", "../x.yml"}, 2, "error", "is not in the repository"},
		{"a directory instead of a policy", base, []string{"policy-ref", "base", "policy-file", "src"}, 2, "error", "is a directory, not a file"},
		{"a checkout without the base", func(w *checkout) { base(w); w.shallow(); w.based(strings.Repeat("ab", 20)) }, []string{"fail-on", "none"}, 0, "neutral", "not compared with the base commit: the checkout does not contain the base commit abababababab; set fetch-depth: 0 in actions/checkout"},
		{"a checkout without the base, comparison required by the policy", func(w *checkout) {
			base(w)
			w.write(".github/sycl-compat.yml", weakPolicy+"compare-with-base: required\n")
			w.based(strings.Repeat("ab", 20))
		}, nil, 1, "failure", "the checkout does not contain the base commit"},
		{"a checkout without the base, comparison required by the input", func(w *checkout) {
			base(w)
			w.write(".github/sycl-compat.yml", weakPolicy)
			w.based(strings.Repeat("ab", 20))
		}, []string{"compare-with-base", "required"}, 1, "failure", "the checkout does not contain the base commit"},
		{"a required comparison", func(w *checkout) { base(w); w.write(".github/sycl-compat.yml", weakPolicy) }, []string{"compare-with-base", "required"}, 0, "success", "fail-on is \"none\", not \"new\""},
		{"a required comparison without an event", func(w *checkout) {
			base(w)
			w.write(".github/sycl-compat.yml", weakPolicy)
			delete(w.env, "GITHUB_EVENT_PATH")
		}, []string{"compare-with-base", "required"}, 1, "failure", "has no base commit"},
		{"a first policy that requires nothing", func(w *checkout) {
			w.reports()
			w.based(w.commit())
			w.write(".github/sycl-compat.yml", weakPolicy)
		}, nil, 0, "success", "fail-on is \"none\", not \"new\""},
		{"a first policy that requires nothing, policy-ref: base", func(w *checkout) {
			w.reports()
			w.based(w.commit())
			w.write(".github/sycl-compat.yml", weakPolicy)
		}, []string{"policy-ref", "base"}, 1, "failure", "merging this change weakens the check: fail-on is \"none\", not \"new\""},
		{"a deleted policy", func(w *checkout) {
			w.reports()
			w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+", intel_gpu_acm_g12]}\n")
			w.based(w.commit())
			w.remove(".github/sycl-compat.yml")
			w.commit()
		}, nil, 1, "failure", "a missing report on intel_gpu_acm_g12 no longer fails the check"},
		{"a first baseline", func(w *checkout) { base(w); w.write("b.json", w.baseline()) }, []string{"baseline-file", "b.json"}, 0, "success", "1 known problem is not in the baseline of the base branch"},
		{"a baseline that loses its targets", func(w *checkout) {
			w.reports()
			w.write("b.json", w.baseline())
			base(w)
			w.write("b.json", regexp.MustCompile(`(?s)"targets": .*`).ReplaceAllString(w.read("b.json"), `"targets": []}`))
		}, []string{"baseline-file", "b.json"}, 0, "success", "the baseline no longer lists the target //demo:kernels"},
		{"a baseline that loses its targets, policy-ref: base", func(w *checkout) {
			w.reports()
			w.write("b.json", w.baseline())
			base(w)
			w.write("b.json", regexp.MustCompile(`(?s)"targets": .*`).ReplaceAllString(w.read("b.json"), `"targets": []}`))
		}, []string{"policy-ref", "base", "baseline-file", "b.json"}, 0, "success", "merging this change weakens the check: the baseline no longer lists the target //demo:kernels"},
		{"an invalid policy in the base", func(w *checkout) {
			w.reports()
			w.write(".github/sycl-compat.yml", "version: 2\n")
			w.based(w.commit())
			w.write(".github/sycl-compat.yml", strictPolicy+"compare-with-base: required\n")
		}, nil, 1, "failure", "invalid policy in the base commit"},
		{"an input that weakens the policy", base, []string{"fail-on-empty", "false"}, 1, "failure", "a flag or an input overrides the policy: fail-on-empty is false"},
		{"an input for a dry run", base, []string{"fail-on", "none"}, 0, "neutral", "passed (dry run): "},
		{"a merge group", func(w *checkout) {
			base(w)
			w.event("merge_group", fmt.Sprintf(`{"merge_group": {"base_sha": %q}}`, w.git("rev-parse", "HEAD")))
			w.write(".github/sycl-compat.yml", weakPolicy)
		}, []string{"policy-ref", "base"}, 1, "failure", ""},
		{"a push", func(w *checkout) {
			base(w)
			w.event("push", fmt.Sprintf(`{"before": %q}`, w.git("rev-parse", "HEAD")))
			w.write(".github/sycl-compat.yml", weakPolicy)
		}, []string{"policy-ref", "base"}, 1, "failure", ""},
		{"the first push", func(w *checkout) { base(w); w.event("push", fmt.Sprintf(`{"before": %q}`, strings.Repeat("0", 40))) }, []string{"policy-ref", "base"}, 2, "error", "has no base commit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			test.prepare(w)
			w.checkRun(test.code, test.conclusion, test.text, append([]string{"reports", pattern}, test.inputs...)...)
		})
	}
}

func TestBasePolicyInSubdirectory(t *testing.T) {
	w := newCheckout(t)
	w.write("sub/out/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Axpy", []string{deviceA}}))
	w.write("sub/.github/sycl-compat.yml", strictPolicy)
	w.based(w.commit())
	w.write("sub/.github/sycl-compat.yml", weakPolicy)
	w.checkRun(1, "failure", "", "reports", pattern, "working-directory", "sub", "policy-ref", "base")
}

func (w *checkout) remove(name string) {
	w.Helper()
	testkit.NoError(w, os.Remove(filepath.Join(w.dir, name)))
}

// baseline returns a baseline that contains all problems in the reports.
func (w *checkout) baseline() string {
	w.Helper()
	s := w.run("reports", pattern, "proposed-baseline-file", "made.json", "fail-on", "none", "policy-file", "")
	if len(s.Faults) > 0 || s.ExitCode != 0 {
		w.Fatalf("%s", s.Stdout)
	}
	defer w.remove("made.json")
	return w.read("made.json")
}

// TestEventText checks that the event determines the origin of a change, but that none of its text
// is shown.
func TestEventText(t *testing.T) {
	w := newCheckout(t)
	w.reports()
	w.fixture("pull_request") // its title contains commands
	s := w.checkRun(1, "failure", "", "reports", pattern)
	if strings.Contains(s.Stdout+s.Summary, "$(id)") {
		t.Error("the title of the pull request is printed")
	}
	w.event("pull_request", "{")
	if s := w.run("reports", pattern); s.ExitCode != 4 {
		t.Errorf("exit code %d for a broken event", s.ExitCode)
	}
}

// TestStreams checks that nothing is written to standard error, because the runner reads commands
// from both streams (S-2), and that an invalid report is not shown.
func TestStreams(t *testing.T) {
	w := newCheckout(t)
	w.write("out/k.compat.json", "::error::x\n##[error]y\n")
	s := w.checkRun(3, "error", "", "reports", pattern)
	if len(s.Commands) != 1 || readStreams("", s.Annotations[0].Message).Commands != nil {
		t.Errorf("commands %+v", s.Commands)
	}
}

// TestNotComparedComesFirst checks that a missing comparison is annotated even if there are more
// problems than annotations.
func TestNotComparedComesFirst(t *testing.T) {
	w := newCheckout(t)
	w.reports()
	w.based(strings.Repeat("ab", 20))
	s := w.checkRun(1, "failure", "", "reports", pattern, "compare-with-base", "required", "max-annotations", "1")
	if len(s.Annotations) == 0 || s.Annotations[0].Title != "not-compared" {
		t.Errorf("annotations %+v", s.Annotations)
	}
}

// TestBaseDeviceData checks that device data with added capabilities is reported, because with it,
// kernels pass that do not run on the device.
func TestBaseDeviceData(t *testing.T) {
	data := func(aspects string) string {
		return deviceB + ":\n  aspects: [" + aspects + "]\n  sub-group-sizes: [16, 32]\n"
	}
	spirv := testkit.ReadFile(t, "../sycl/spirv/testdata/kernels.spv")
	base := func(w *checkout) {
		w.write("out/k.spv", spirv)
		w.write("d.yml", data("fp16, atomic64"))
		w.write(".github/sycl-compat.yml", strictPolicy)
		w.based(w.commit())
	}
	widen := func(w *checkout) { base(w); w.write("d.yml", data("fp16, fp64, atomic64")) }
	// reported writes a report with device data from a file, and without problems.
	reported := func(w *checkout) {
		w.Helper()
		s := w.run("binaries", "out/k.spv", "devices", deviceB, "device-config", "d.yml", "report-file", "new.compat.json", "fail-on", "none")
		if s.Outputs["report-file"] == "" {
			w.Fatal(s.Stdout)
		}
	}
	binaries := []string{"binaries", "out/k.spv", "devices", deviceB, "device-config", "d.yml"}
	ofReports := []string{"reports", "new.compat.json"}
	const wider = "the data of the required device intel_gpu_pvc allow more than the base branch's data: "
	for _, test := range []struct {
		name       string
		prepare    func(w *checkout)
		inputs     []string
		code       int
		conclusion string
		text       string
	}{
		{"unchanged device data", base, binaries, 1, "failure", "requires aspect fp64"},
		{"a device that gets an aspect", widen, binaries, 0, "success", wider + "the aspect fp64"},
		{"a device that gets an aspect, policy-ref: base", widen, append(binaries, "policy-ref", "base"), 1, "failure", "merging this change weakens the check: the data of the required device intel_gpu_pvc now allow more: the aspect fp64"},
		{"a report with the aspect", func(w *checkout) { widen(w); reported(w) }, append(ofReports, "device-config", "d.yml"), 0, "success", wider + "the aspect fp64"},
		{"a report with the aspect, policy-ref: base", func(w *checkout) { widen(w); reported(w) }, append(ofReports, "device-config", "d.yml", "policy-ref", "base"), 1, "failure", wider + "the aspect fp64"},
		{"a report with the base's data", func(w *checkout) {
			base(w)
			w.write("d.yml", data("fp16, fp64, atomic64"))
			w.based(w.commit())
			reported(w)
		}, append(ofReports, "device-config", "d.yml", "policy-ref", "base"), 0, "success", "no problems"},
		{"a base baseline with different data", func(w *checkout) {
			base(w)
			w.run(append(binaries, "proposed-baseline-file", "b.json")...)
			w.based(w.commit())
			w.write("d.yml", data("fp16, fp64, atomic64"))
			reported(w)
		}, append(ofReports, "device-config", "d.yml", "baseline-file", "b.json", "policy-ref", "base"), 1, "failure", wider + "the aspect fp64"},
		{"a device that the base does not have", func(w *checkout) { base(w); w.write("e.yml", data("fp64")) }, []string{"binaries", "out/k.spv", "devices", deviceB, "device-config", "e.yml", "policy-ref", "base"}, 2, "error", "does not contain all of the files"},
		{"a device that is not required", func(w *checkout) {
			w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceA+"], supported: ['*']}\n")
			w.write("out/k.spv", spirv)
			w.write("d.yml", data("fp16"))
			w.based(w.commit())
			w.write("d.yml", data("fp16, fp64, atomic64"))
		}, append(binaries, "fail-on-severity", "warning"), 1, "failure", "no report covers the device"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			test.prepare(w)
			s := w.checkRun(test.code, test.conclusion, test.text, test.inputs...)
			if test.name == "a device that is not required" && strings.Contains(s.Stdout, "the data of") {
				t.Error(s.Stdout)
			}
		})
	}
}

// TestBaseBranchAdvanced checks that the base of a pull request is the commit that it is merged
// into, not the commit in the event. The branch may have a stricter policy by now.
func TestBaseBranchAdvanced(t *testing.T) {
	for _, ref := range []string{"head", "base"} {
		w := newCheckout(t)
		w.reports()
		w.write(".github/sycl-compat.yml", weakPolicy)
		old := w.commit()
		main := w.git("rev-parse", "--abbrev-ref", "HEAD")
		w.git("checkout", "--quiet", "-b", "change")
		w.write("src/new.cpp", "")
		head := w.commit()
		w.git("checkout", "--quiet", main)
		w.write(".github/sycl-compat.yml", strictPolicy)
		w.commit()
		w.git("merge", "--quiet", "--no-ff", "--message", "x", "change")
		event := func(head string) {
			w.event("pull_request", fmt.Sprintf(`{"repository": {"full_name": "o/r"}, "pull_request": {"number": 7, "head": {"sha": %q, "repo": {"full_name": "o/r"}}, "base": {"sha": %q, "repo": {"full_name": "o/r"}}}}`, head, old))
		}
		event(head)
		w.env["GITHUB_SHA"] = w.git("rev-parse", "HEAD")
		w.write(".github/sycl-compat.yml", weakPolicy)
		s := w.run("reports", pattern, "policy-ref", ref)
		wantText(t, "what is seen", s.Stdout, "fail-on is \"none\", not \"new\"")
		if ref == "base" {
			want(t, s, 1, "failure")
			// A merge of a different commit does not test this change.
			event(strings.Repeat("ab", 20))
			w.checkRun(0, "success", "", "reports", pattern, "policy-ref", ref)
		}
	}
}
