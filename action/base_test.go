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

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// fakeGit replaces git with a script.
func (w *checkout) fakeGit(script string) {
	w.Helper()
	dir := w.TempDir()
	real := testkit.Program(w, "git")
	testkit.WriteFile(w, filepath.Join(dir, "git"), "#!/bin/sh\n"+strings.ReplaceAll(script, "GIT", real)+"\n")
	testkit.NoError(w, os.Chmod(filepath.Join(dir, "git"), 0o755))
	w.env["PATH"] = dir + ":" + w.env["PATH"]
}

// TestUnknownIsNotAbsent weakens a policy. Whenever the action cannot read the base policy, it must
// report this, with the cause and its fix, and fail if the comparison is required.
func TestUnknownIsNotAbsent(t *testing.T) {
	const strict = "version: 1\ndevices: {required: ['*']}\nfail-on: any\nfail-on-stale: true\n"
	const weakened = "fail-on is \"new\", not \"any\""
	plain := func(w *checkout) string { w.write("tools/ci/p.yml", strict); return "tools/ci/p.yml" }
	submodule := func(w *checkout) { w.submodule("shared", "ci/p.yml", strict) }
	for _, test := range []struct {
		name    string
		prepare func(w *checkout) string // returns the name of the policy
		after   func(w *checkout)        // the commit of the base
		text    string                   // expected text
	}{
		{"a file", plain, nil, weakened},
		{"a link to its directory", func(w *checkout) string { plain(w); w.link("tools/ci", "ci"); return "ci/p.yml" }, nil, weakened},
		{"links to links", func(w *checkout) string {
			plain(w)
			w.link("../tools", "a/one")
			w.link("one/./../a/one/ci/", "a/two")
			return "a/two/p.yml"
		}, nil, weakened},
		{"a link out of the repository", func(w *checkout) string {
			dir := w.TempDir()
			testkit.WriteFile(w, filepath.Join(dir, "p.yml"), strict)
			w.link(dir, "ci")
			w.write("real/p.yml", strict)
			return "ci/p.yml"
		}, func(w *checkout) { w.remove("ci"); w.link("real", "ci") }, "is reached through ci"},
		{"a link out of the workspace by a path upward", func(w *checkout) string { w.write("real/p.yml", strict); w.link("../../x", "ci"); return "ci/p.yml" },
			func(w *checkout) { w.remove("ci"); w.link("real", "ci") }, "is reached through a symbolic link that leads out of the repository"},
		{"a cycle of links", func(w *checkout) string {
			w.write("real/p.yml", strict)
			w.link("ci", "other")
			w.link("other", "ci")
			return "ci/p.yml"
		}, func(w *checkout) { w.remove("ci"); w.link("real", "ci") }, "is reached through more than 40 symbolic links"},
		{"the policy itself is a link", func(w *checkout) string { plain(w); w.link("tools/ci/p.yml", "p.yml"); return "p.yml" }, nil,
			"is a symbolic link to tools/ci/p.yml; use the path of that file instead"},
		{"a submodule", func(w *checkout) string { submodule(w); return "shared/ci/p.yml" }, nil, weakened},
		{"a submodule that is not checked out", func(w *checkout) string { submodule(w); return "shared/ci/p.yml" }, func(w *checkout) {
			testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, "shared")))
		}, "is in the submodule shared, which is not checked out; set submodules: true in actions/checkout"},
		{"a submodule without the commit", func(w *checkout) string { submodule(w); return "shared/ci/p.yml" }, func(w *checkout) {
			testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, "shared")))
			other := &checkout{w.T, filepath.Join(w.dir, "shared"), nil}
			other.write("ci/p.yml", strict)
			other.git("init", "--quiet")
		}, "is in the submodule shared, whose checkout does not contain the commit"},
		{"a directory", func(w *checkout) string { w.write("p.yml/x", ""); return "p.yml" }, func(w *checkout) {
			testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, "p.yml")))
		}, "is a directory, not a file"},
		{"a shallow checkout", plain, func(w *checkout) { w.shallow(); w.based(strings.Repeat("ab", 20)) }, "set fetch-depth: 0 in actions/checkout"},
		{"a full checkout without the commit", plain, func(w *checkout) { w.based(strings.Repeat("ab", 20)) }, "although it is not shallow; run 'git fetch origin abababab"},
		{"a forced push", plain, func(w *checkout) {
			w.event("push", fmt.Sprintf(`{"before": %q, "forced": true, "ref": "refs/heads/x"}`, strings.Repeat("ab", 20)))
		}, "a forced push has replaced the base commit abababababab"},
		{"a new branch", plain, func(w *checkout) {
			w.event("push", fmt.Sprintf(`{"before": %q, "created": true, "ref": "refs/heads/x"}`, strings.Repeat("0", 40)))
		}, "because the push creates the branch"},
		{"no repository", plain, func(w *checkout) { testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, ".git"))) }, "no git repository in the workspace; run actions/checkout"},
		{"an invalid repository", plain, func(w *checkout) { testkit.NoError(w, os.RemoveAll(filepath.Join(w.dir, ".git", "objects"))) }, "not a git repository"},
		{"no git", plain, func(w *checkout) { w.env["PATH"] = w.TempDir() }, "git is not installed"},
		{"an old git", plain, func(w *checkout) { w.fakeGit(`echo "Unknown option: --batch" >&2; exit 129`) }, "git is too old: Unknown option: --batch; install git 2.18"},
		{"a repository with an untrusted owner", plain, func(w *checkout) {
			w.fakeGit(`echo "fatal: detected dubious ownership in repository at '/x'" >&2; exit 128`)
		}, "detected dubious ownership in repository at '/x'; run 'git config --global --add safe.directory "},
		{"an unknown git error", plain, func(w *checkout) { w.fakeGit(`echo "fatal: ::error::the disk is full" >&2; exit 128`) }, "error::the disk is full"},
		{"a git error without a message", plain, func(w *checkout) { w.fakeGit(`exit 1`) }, "git: exit status 1"},
		{"an unexpected git output", plain, func(w *checkout) { w.fakeGit(`while read x; do echo hello world, how are you; done`) }, "git: unexpected response"},
		{"a huge git object", plain, func(w *checkout) { w.fakeGit(`while read x; do echo "$x commit 99999999999"; done`) }, "is too large"},
		{"a partial clone", plain, func(w *checkout) {
			blob := w.git("rev-parse", "HEAD:tools/ci/p.yml")
			w.remove(".git/objects/" + blob[:2] + "/" + blob[2:])
			w.git("config", "remote.origin.promisor", "true")
		}, "which is a partial clone; remove the input filter from actions/checkout"},
		{"a partial clone with an unreachable remote", plain, func(w *checkout) {
			w.fakeGit(`echo "warning: lazy fetching disabled; some objects may not be available" >&2; echo "fatal: could not fetch x from promisor remote" >&2; exit 128`)
		}, "the checkout is a partial clone, which lacks files of the base commit; remove the input filter from actions/checkout"},
		{"a git warning before the error", plain, func(w *checkout) { w.fakeGit(`echo "warning: x" >&2; echo "fatal: the disk is full" >&2; exit 128`) }, "git: the disk is full"},
		{"a missing object", plain, func(w *checkout) {
			blob := w.git("rev-parse", "HEAD:tools/ci/p.yml")
			w.remove(".git/objects/" + blob[:2] + "/" + blob[2:])
		}, "is not in the checkout: the blob "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.reports()
			policy := test.prepare(w)
			w.based(w.commit())
			if test.after != nil {
				test.after(w)
			}
			os.Remove(filepath.Join(w.dir, policy))
			w.write(policy, "version: 1\ndevices: {required: ["+deviceB+"]}\nfail-on: new\n")
			inputs := []string{"reports", pattern, "policy-file", policy}
			if test.text == weakened {
				s := w.checkRun(0, "success", test.text, append(inputs, "compare-with-base", "required")...)
				if strings.Contains(s.Stdout, "not-compared") {
					t.Error(s.Stdout)
				}
				return
			}
			w.checkRun(0, "success", test.text, append(inputs, "compare-with-base", "optional")...)
			s := w.checkRun(1, "failure", test.text, append(inputs, "compare-with-base", "required")...)
			if strings.Contains(s.Stdout, "fetch-depth") != strings.Contains(test.text, "fetch-depth") {
				t.Errorf("fetch-depth: %s", s.Stdout)
			}
			// An unreadable base must not lead to a conclusion.
			if s := w.run(append(inputs, "policy-ref", "base")...); s.ExitCode < 2 || s.Outputs["conclusion"] != "error" {
				t.Errorf("policy-ref: base: exit code %d: %s", s.ExitCode, s.Stdout)
			}
		})
	}
}

// TestTagsNotCompared checks that tags, which refer to commits that were checked before, are not
// compared.
func TestTagsNotCompared(t *testing.T) {
	for name, event := range map[string]string{
		"push":                `{"before": "` + strings.Repeat("0", 40) + `", "created": true, "ref": "refs/tags/v1"}`,
		"release":             `{"action": "published"}`,
		"workflow_dispatch":   `{}`,
		"repository_dispatch": `{"action": "x"}`,
		"create":              `{"ref": "v1", "ref_type": "tag"}`,
	} {
		w := newCheckout(t)
		w.reports()
		w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+"]}\n")
		w.commit()
		w.event(name, event)
		if s := w.checkRun(0, "success", "", "reports", pattern); strings.Contains(s.Stdout, "not compared") {
			t.Errorf("%s: %s", name, s.Stdout)
		}
		w.checkRun(1, "failure", "has no base commit; run the check for pull_request events to compare them", "reports", pattern, "compare-with-base", "required")
	}
}

// TestDefaultBranchEvents checks that a run for which GITHUB_SHA is the head of the default branch compares
// the checkout with it, and comments without a link to it.
func TestDefaultBranchEvents(t *testing.T) {
	const run = `{"repository": {"full_name": "o/r"}, "workflow_run": {"event": %q, "head_branch": "main", "head_sha": "` + otherCommit + `", "head_repository": {"full_name": "o/r"}}}`
	for _, test := range []struct {
		name, event string
		isKnown     bool // the base commit is known
	}{
		{"issue_comment", `{"issue": {"number": 7, "pull_request": {}}}`, true},
		{"issue_comment", `{"issue": {"number": 7}}`, true},
		{"issues", `{"issue": {"number": 7}}`, true},
		{"delete", `{"ref": "x", "ref_type": "branch"}`, true},
		{"workflow_run", fmt.Sprintf(run, "push"), true},
		{"workflow_run", fmt.Sprintf(run, "schedule"), true},
		{"workflow_run", fmt.Sprintf(run, "pull_request"), false}, // whose base may be a different branch
		{"create", `{"ref": "x", "ref_type": "branch"}`, false},
		{"unknown", `{}`, false},
	} {
		w := newCheckout(t)
		w.reports()
		w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ['*', "+deviceB+"]}\nfail-on: none\n")
		w.env["GITHUB_SHA"] = w.commit()
		w.event(test.name, test.event)
		notCompared := func(s *seenStep) bool { return strings.Contains(s.Stdout, "not-compared") }
		if s := w.checkRun(0, "neutral", "", "reports", pattern); notCompared(s) == test.isKnown || strings.Contains(s.Stdout, "policy-weakened") {
			t.Errorf("%s: %s: %s", test.name, test.event, s.Stdout)
		}
		if !test.isKnown {
			continue
		}
		w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+"]}\n")
		if s := w.checkRun(0, "success", "no longer required", "reports", pattern); notCompared(s) {
			t.Errorf("%s: %s: %s", test.name, test.event, s.Stdout)
		}
		w.checkRun(0, "neutral", "Policy of the base commit", "reports", pattern, "policy-ref", "base")
		w.env["GITHUB_SHA"] = otherCommit
		w.checkRun(1, "failure", "the checkout does not contain the base commit", "reports", pattern, "compare-with-base", "required")
	}
}

// TestUntouched checks that a change is blamed only for its own modifications if the base branch
// became stricter after the change diverged.
func TestUntouched(t *testing.T) {
	policy := func(devices string) string { return "version: 1\ndevices: {required: [" + devices + "]}\n" }
	const less = "no longer required"
	for _, test := range []struct {
		name   string
		change func(w *checkout) // on the branch of the change
		tip    func(w *checkout) // on the base branch, after that
		later  func(w *checkout) // later, on the branch of the change
		less   bool
	}{
		{"the change does not touch the policy", func(w *checkout) { w.write("x", "1") }, func(w *checkout) { w.write(".github/sycl-compat.yml", policy("'*'")) }, nil, false},
		{"the base branch has a second policy", func(w *checkout) { w.write("x", "1") }, func(w *checkout) {
			w.remove(".github/sycl-compat.yml")
			w.write(".github/sycl-compat.yaml", policy("'*'"))
		}, nil, false},
		{"the change weakens it, too", func(w *checkout) { w.write(".github/sycl-compat.yml", policy(deviceA)) }, func(w *checkout) { w.write(".github/sycl-compat.yml", policy("'*'")) }, nil, true},
		{"the change restores the old policy", func(w *checkout) { w.write("x", "1") }, func(w *checkout) { w.write(".github/sycl-compat.yml", policy("'*'")) }, func(w *checkout) {
			w.git("merge", "--quiet", "--no-commit", "--strategy=ours", "tip")
			w.commit()
		}, true},
		{"the change merges the base branch", func(w *checkout) { w.write("x", "1") }, func(w *checkout) { w.write(".github/sycl-compat.yml", policy("'*'")) }, func(w *checkout) {
			w.git("merge", "--quiet", "tip")
		}, false},
		{"the policy is edited but not committed", func(w *checkout) { w.write("x", "1") }, func(w *checkout) { w.write(".github/sycl-compat.yml", policy("'*'")) }, func(w *checkout) {
			w.write(".github/sycl-compat.yml", policy(deviceB)+"# by a build\n")
		}, true},
		{"a truncated history", func(w *checkout) { w.write("x", "1") }, func(w *checkout) { w.write(".github/sycl-compat.yml", policy("'*'")) }, func(w *checkout) {
			first := w.git("rev-parse", "HEAD^")
			w.remove(".git/objects/" + first[:2] + "/" + first[2:])
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.write(".gitignore", "out/\n")
			w.reports()
			w.write(".github/sycl-compat.yml", policy(deviceB))
			w.commit()
			w.git("branch", "tip")
			test.change(w)
			w.commit()
			w.git("checkout", "--quiet", "-b", "change")
			w.git("checkout", "--quiet", "tip")
			test.tip(w)
			tip := w.commit()
			w.git("checkout", "--quiet", "change")
			if test.later != nil {
				test.later(w)
			}
			head := w.git("rev-parse", "change")
			w.event("pull_request", fmt.Sprintf(`{"pull_request": {"number": 7, "head": {"sha": %q}, "base": {"sha": %q}}}`, head, tip))
			s := w.run("reports", pattern)
			if strings.Contains(s.Stdout, less) != test.less {
				t.Errorf("%s", s.Stdout)
			}
			if !test.less && test.later == nil {
				wantText(t, "what is seen", s.Stdout, "the base branch has a newer policy")
			}
		})
	}
}

// TestAttackHead checks that a build that checks out an old commit with a weaker policy does not
// make that commit the base of the change.
func TestAttackHead(t *testing.T) {
	for _, moved := range []bool{false, true} {
		w := newCheckout(t)
		w.write(".gitignore", "out/\n")
		w.reports()
		w.write(".github/sycl-compat.yml", weakPolicy)
		old := w.commit()
		w.write(".github/sycl-compat.yml", strictPolicy)
		base := w.commit()
		w.git("checkout", "--quiet", "-b", "change")
		w.write("x", "1")
		head := w.commit()
		w.git("checkout", "--quiet", base)
		w.git("merge", "--quiet", "--no-ff", "--message", "x", "change")
		w.env["GITHUB_SHA"] = w.git("rev-parse", "HEAD")
		w.event("pull_request", fmt.Sprintf(`{"pull_request": {"number": 7, "head": {"sha": %q}, "base": {"sha": %q}}}`, head, base))
		if moved {
			w.git("checkout", "--quiet", old)
		}
		w.write(".github/sycl-compat.yml", weakPolicy)
		w.checkRun(0, "success", "devices * are no longer required", "reports", pattern)
	}
}

// TestMergeOfEvents checks that a change is not blamed for what others have merged into the base
// branch, for all events that run for the merge of a pull request.
func TestMergeOfEvents(t *testing.T) {
	for _, event := range []string{"pull_request", "pull_request_review", "pull_request_review_comment"} {
		w := newCheckout(t)
		w.write(".gitignore", "out/\n")
		w.reports()
		w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+"]}\n")
		began := w.commit()
		w.git("checkout", "--quiet", "-b", "change")
		w.write("x", "1")
		head := w.commit()
		w.git("checkout", "--quiet", began)
		w.write(".github/sycl-compat.yml", "version: 1\ndevices: {required: ["+deviceB+"]}\nundetermined: ignore\n")
		w.commit()
		w.git("merge", "--quiet", "--no-ff", "--message", "x", "change")
		w.env["GITHUB_SHA"] = w.git("rev-parse", "HEAD")
		w.event(event, fmt.Sprintf(`{"pull_request": {"number": 7, "head": {"sha": %q}, "base": {"sha": %q}}}`, head, began))
		if s := w.checkRun(0, "success", "passed", "reports", pattern, "compare-with-base", "required"); strings.Contains(s.Stdout, "policy-weakened") {
			t.Errorf("%s: %s", event, s.Stdout)
		}
	}
}

// TestUntouchedFiles checks that the baseline and the device configuration are compared in the same
// way.
func TestUntouchedFiles(t *testing.T) {
	const data = deviceB + ":\n  aspects: [fp16, fp64, atomic64]\n  sub-group-sizes: [16, 32]\n"
	spirv := testkit.ReadFile(t, "../sycl/spirv/testdata/kernels.spv")
	for _, edits := range []bool{false, true} {
		w := newCheckout(t)
		w.write(".gitignore", "out/\n")
		w.write("out/k.spv", spirv)
		w.write("d.yml", data)
		w.write("old.yml", deviceB+":\n  aspects: [fp16]\n  sub-group-sizes: [16, 32]\n")
		w.run("binaries", "out/k.spv", "devices", deviceB, "device-config", "old.yml", "proposed-baseline-file", "b.json")
		full := w.read("b.json")
		w.remove("old.yml")
		w.commit()
		w.git("checkout", "--quiet", "-b", "tip")
		w.write("d.yml", strings.Replace(data, "fp64, ", "", 1)) // meanwhile, the base branch corrects the data
		w.write("b.json", regexp.MustCompile(`(?s)"findings": \[.*?\n  \]`).ReplaceAllString(full, `"findings": []`))
		tip := w.commit()
		w.git("checkout", "--quiet", "-b", "change", "tip^")
		w.write("x", "1")
		if edits {
			w.write("d.yml", data+"# edited\n")
			w.write("b.json", full+"\n")
		}
		head := w.commit()
		w.event("pull_request", fmt.Sprintf(`{"pull_request": {"number": 7, "head": {"sha": %q}, "base": {"sha": %q}}}`, head, tip))
		s := w.run("binaries", "out/k.spv", "devices", deviceB, "device-config", "d.yml", "baseline-file", "b.json", "compare-with-base", "required")
		for _, text := range []string{"allow more than the base branch's data", "not in the baseline of the base branch"} {
			if strings.Contains(s.Stdout, text) != edits {
				t.Errorf("%v: %q: %s", edits, text, s.Stdout)
			}
		}
	}
}

// TestMergeBases compares merge bases with git's, for histories with branches and merges.
func TestMergeBases(t *testing.T) {
	w := newCheckout(t)
	w.write("x", "")
	commits := []string{w.commit()}
	commit := func(parents ...int) {
		args := []string{"commit-tree", "-m", fmt.Sprint(len(commits)), w.git("rev-parse", commits[0]+"^{tree}")}
		for _, p := range parents {
			args = append(args, "-p", commits[p])
		}
		commits = append(commits, w.git(args...))
	}
	for _, parents := range [][]int{{0}, {0}, {1, 2}, {2, 1}, {3}, {4}, {5, 6}, {6}, {0}, {}, {9, 10}} {
		commit(parents...)
	}
	r := openRepository(t.Context(), w.dir)
	defer r.close()
	for _, a := range commits {
		for _, b := range commits {
			got := r.mergeBases(a, b)
			cmd := exec.Command("git", "merge-base", "--all", a, b)
			cmd.Dir = w.dir
			out, _ := cmd.Output() // git fails if there is no merge base
			want := strings.Fields(string(out))
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%.7s and %.7s: %q, want %q", a, b, got, want)
			}
		}
	}
	if got := r.mergeBases(commits[0], strings.Repeat("ab", 20)); got != nil {
		t.Errorf("missing commit: %q", got)
	}
}
