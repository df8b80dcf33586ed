package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

const forkCommit = "ffffffffffffffffffffffffffffffffffffffff"

// pull returns a pull request as described by GitHub.
func pull(number int, fork, commit, base string) string {
	return fmt.Sprintf(`{"number": %d, "head": {"sha": %q, "repo": {"full_name": %q}}, "base": {"sha": "0", "repo": {"full_name": %q}}}`, number, commit, fork, base)
}

// TestAttackCommentOnAnotherPullRequest checks that a run for a fork only comments on the pull
// request that has its commit. The content of the artifact does not matter.
func TestAttackCommentOnAnotherPullRequest(t *testing.T) {
	for _, test := range []struct {
		name, branch string
		pulls        []string
		on           int // commented pull request, or 0
		text         string
	}{
		{"the pull request of the commit", "main", []string{pull(7, "mallory/r", forkCommit, "o/r")}, 7, ""},
		{"one of several pull requests of the branch", "main", []string{pull(8, "mallory/r", strings.Repeat("e", 40), "o/r"), pull(7, "Mallory/R", forkCommit, "o/r")}, 7, ""},
		{"a newer commit", "main", []string{pull(7, "mallory/r", strings.Repeat("e", 40), "o/r")}, 0, "0 open pull requests have this commit as their head"},
		{"the commit in a different fork", "main", []string{pull(7, "eve/r", forkCommit, "o/r")}, 0, "0 open pull requests"},
		{"a pull request of a different repository", "main", []string{pull(7, "mallory/r", forkCommit, "o/other")}, 0, "0 open pull requests"},
		{"a deleted fork", "main", []string{strings.Replace(pull(7, "x", forkCommit, "o/r"), `{"full_name": "x"}`, "null", 1)}, 0, "0 open pull requests"},
		{"two pull requests", "main", []string{pull(7, "mallory/r", forkCommit, "o/r"), pull(8, "mallory/r", forkCommit, "o/r")}, 0, "2 open pull requests"},
		{"an invalid number", "main", []string{pull(0, "mallory/r", forkCommit, "o/r")}, 0, "0 open pull requests"},
		{"a branch named like a URL", "x&state=all#/../../orgs/o?", []string{pull(7, "mallory/r", forkCommit, "o/r")}, 7, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newCheckout(t)
			w.write("from-change/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Axpy", []string{deviceA}}))
			w.write("from-change/NR", "8")
			w.env["GITHUB_SHA"] = w.commit()
			fork := testkit.ReadFile(t, "testdata/events/workflow_run-fork.json")
			w.event("workflow_run", strings.Replace(fork, `"head_branch": "main"`, fmt.Sprintf(`"head_branch": %q`, test.branch), 1))
			var asked, wrote []string
			newGitHub(t, w).fail = func(rw http.ResponseWriter, r *http.Request, _ int) bool {
				if r.Method != http.MethodGet {
					wrote = append(wrote, r.Method+" "+r.URL.Path)
				}
				if r.URL.Path != "/api/v3/repos/o/r/pulls" {
					return false
				}
				q := r.URL.Query()
				asked = append(asked, strings.Join([]string{q.Get("head"), q.Get("state")}, " "))
				fmt.Fprintf(rw, "[%s]", strings.Join(test.pulls, ","))
				return true
			}
			s := w.checkRun(1, "failure", "", "reports", "from-change/*.compat.json", "comment", "always", "token", "ghs_SECRET", "strict-delivery", "true")
			if got := []string{"mallory:" + test.branch + " open"}; !slices.Equal(asked, got) {
				t.Errorf("requested %q", asked)
			}
			var comments []string
			if test.on > 0 {
				comments = []string{fmt.Sprintf("POST /api/v3/repos/o/r/issues/%d/comments", test.on)}
			}
			if !slices.Equal(wrote, comments) || !strings.Contains(s.log(), test.text) {
				t.Errorf("wrote %q: %s", wrote, s.Stdout)
			}
		})
	}
}

// TestAttackArtifactOverPolicy checks that an artifact cannot change the rules, neither with files
// that overwrite files of the checkout nor with the device data in its reports.
func TestAttackArtifactOverPolicy(t *testing.T) {
	w := newCheckout(t)
	w.write(".github/sycl-compat.yml", strictPolicy)
	w.write("d.yml", deviceB+":\n  aspects: [fp16]\n")
	w.env["GITHUB_SHA"] = w.commit()
	w.fixture("workflow_run-fork")
	report := encode(t, "//demo:kernels", both, kernel{"Axpy", []string{deviceA}})
	w.write("from-change/k.compat.json", report)
	w.write(".github/sycl-compat.yml", weakPolicy)
	s := w.checkRun(1, "failure", "", "reports", "from-change/*.compat.json")
	wantText(t, "the log", s.log(), "kernel 'Axpy' does not run on "+deviceA)
	if strings.Contains(s.Stdout, "not-compared") {
		t.Errorf("the policy of the default branch is compared with a different policy: %s", s.Stdout)
	}
	// Add capabilities that the device does not have on the default branch.
	w.write("from-change/k.compat.json", encode(t, "//demo:kernels", both, kernel{"Axpy", nil}))
	s = w.checkRun(1, "failure", "", "reports", "from-change/*.compat.json", "device-config", "d.yml")
	wantText(t, "the log", s.log(), "the data of the required device "+deviceB+" allow more than the base branch's data")
	// Without a commit, the location of the policy is unknown.
	sha := w.env["GITHUB_SHA"]
	w.env["GITHUB_SHA"] = ""
	w.checkRun(2, "error", "the policy of the default branch applies to runs of forks, but its commit is unknown; set GITHUB_SHA", "reports", "from-change/*.compat.json")
	w.env["GITHUB_SHA"] = sha
	// Without a checkout, the policy is unknown.
	w.env["GITHUB_SHA"] = strings.Repeat("e", 40)
	w.checkRun(2, "error", "the checkout does not contain the base commit", "reports", "from-change/*.compat.json")
}
