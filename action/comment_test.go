package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// atHead answers requests for the pull request with a head commit.
func atHead(commit string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.Path != "/api/v3/repos/o/r/pulls/7" {
			return false
		}
		fmt.Fprintf(w, `{"number": 7, "head": {"sha": %q}}`, commit)
		return true
	}
}

const otherCommit = "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

// TestCommentOnlyForHead checks that a run comments only while its commit is the head of the pull
// request.
func TestCommentOnlyForHead(t *testing.T) {
	named := []string{"pull-request", "7"}
	for _, test := range []struct {
		name    string
		prepare func(w *checkout) (head string) // of the pull request
		inputs  []string
		wrote   bool
		text    string
	}{
		{"the head", func(w *checkout) string { w.fixture("pull_request"); return forkCommit }, nil, true, ""},
		{"an older commit", func(w *checkout) string { w.fixture("pull_request"); return otherCommit }, nil, false, "No comment: the pull request is now at commit eeeeeeeee, but this run checked fffffffff."},
		{"an error on an older commit", func(w *checkout) string {
			w.fixture("pull_request")
			w.write("out/k.compat.json", "{}")
			return otherCommit
		}, nil, false, "is now at commit eeeeeeeee"},
		{"a response without a head", func(w *checkout) string { w.fixture("pull_request"); return "" }, nil, true, ""},
		{"a run for a commit", func(w *checkout) string { w.fixture("workflow_run"); return forkCommit }, nil, true, ""},
		{"a run for an older commit", func(w *checkout) string { w.fixture("workflow_run"); return otherCommit }, nil, false, "is now at commit"},
		{"a comment", func(w *checkout) string {
			w.event("issue_comment", `{"issue": {"number": 7, "pull_request": {}}}`)
			return w.git("rev-parse", "HEAD")
		}, nil, true, ""},
		{"a comment on an issue", func(w *checkout) string { w.event("issue_comment", `{"issue": {"number": 7}}`); return otherCommit }, nil, false, "event is not about a pull request; set the input pull-request"},
		{"a comment with a different branch checked out", func(w *checkout) string {
			w.event("issue_comment", `{"issue": {"number": 7, "pull_request": {}}}`)
			return otherCommit
		}, nil, false, "is now at commit"},
		{"a deployment", func(w *checkout) string { w.event("deployment_status", `{}`); return w.git("rev-parse", "HEAD") }, named, true, ""},
		{"started manually", func(w *checkout) string { w.event("workflow_dispatch", `{}`); return w.git("rev-parse", "HEAD") }, named, true, ""},
		{"started manually on a merge", func(w *checkout) string {
			w.event("workflow_dispatch", `{}`)
			head := w.git("commit-tree", "-m", "head", w.git("rev-parse", "HEAD^{tree}"))
			w.git("checkout", "--quiet", w.git("commit-tree", "-m", "merge", "-p", "HEAD", "-p", head, w.git("rev-parse", "HEAD^{tree}")))
			return head
		}, named, true, ""},
		{"started manually on an older commit", func(w *checkout) string { w.event("workflow_dispatch", `{}`); return otherCommit }, named, false, "is now at commit"},
		{"a pull request other than the event's", func(w *checkout) string {
			w.event("pull_request", `{"pull_request": {"number": 8, "head": {"sha": "`+otherCommit+`"}}}`)
			return otherCommit
		}, named, false, "is now at commit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.reports()
			w.commit()
			head := test.prepare(w)
			g := newGitHub(t, w)
			g.fail = atHead(head)
			s := w.run(append([]string{"reports", pattern, "comment", "always", "token", "ghs_SECRET", "strict-delivery", "true"}, test.inputs...)...)
			if wrote := len(g.bodies) > 0; wrote != test.wrote || s.ExitCode != 1 && s.ExitCode != 3 {
				t.Errorf("exit code %d, requests %q: %s", s.ExitCode, g.requests, s.Stdout)
			}
			wantText(t, "the log", s.log(), test.text)
		})
	}
}

// TestPullRequestInput checks that an invalid pull request number is an error.
func TestPullRequestInput(t *testing.T) {
	for value, ok := range map[string]bool{"7": true, "#7": true, "0": false, "-7": false, "7/../8": false, "x": false, "99999999999999999999": false} {
		w := newCheckout(t)
		w.reports()
		if s := w.run("reports", pattern, "pull-request", value); (s.ExitCode == 1) != ok {
			t.Errorf("%q: exit code %d: %s", value, s.ExitCode, s.Stdout)
		}
	}
}

// TestDuplicates checks that only one comment remains if concurrent runs created several.
func TestDuplicates(t *testing.T) {
	old := marker + "\nold"
	ours := written(defaultAuthor, old)
	for _, test := range []struct {
		name     string
		comments []comment
		refuse   int // status of the response to a delete request
		bodies   []string
	}{
		{"two", []comment{ours, ours}, 0, []string{"new", "-"}},
		{"many, on several pages, with other comments between them", []comment{written("a", "x"), ours, written("mallory", old), ours, written("b", "y"), ours}, 0, []string{"x", "new", "old", "-", "y", "-"}},
		{"deleting is forbidden", []comment{ours, ours, ours}, 403, []string{"new", "see above", "see above"}},
		{"one is already deleted", []comment{ours, ours}, 404, []string{"new", "see above"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t, slices.Clone(test.comments)...)
			f.fail = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if r.Method != http.MethodDelete || test.refuse == 0 {
					return false
				}
				w.WriteHeader(test.refuse)
				return true
			}
			want := wantComment()
			want.Short = "see above"
			kept, err := testClient(t, f, new(waits)).keep(t.Context(), want)
			testkit.NoError(t, err)
			var bodies []string
			for _, c := range f.comments {
				bodies = append(bodies, strings.TrimPrefix(c.Body, marker+"\n"))
			}
			if !slices.Equal(bodies, test.bodies) || kept.Address == "" {
				t.Errorf("%q, %+v", bodies, kept)
			}
		})
	}
}

// TestDuplicateNotDeletable checks that a duplicate that cannot be changed does not keep the
// comment outdated.
func TestDuplicateNotDeletable(t *testing.T) {
	ours := written(defaultAuthor, marker+"\nold")
	f := newFake(t, ours, ours)
	f.fail = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		isRefused := r.Method != http.MethodGet && strings.HasSuffix(r.URL.Path, "/comments/2")
		if isRefused {
			w.WriteHeader(http.StatusForbidden)
		}
		return isRefused
	}
	if kept, err := testClient(t, f, new(waits)).keep(t.Context(), wantComment()); err == nil || kept.Address == "" || f.comments[0].Body != marker+"\nnew" {
		t.Errorf("%q, %+v, %v", f.comments[0].Body, kept, err)
	}
}

// TestRepositoryURL checks that special characters in names do not break the links in a comment.
func TestRepositoryURL(t *testing.T) {
	for name, want := range map[string]string{"o/r": "https://x/o/r", "jo_corp/.github": "https://x/jo_corp/.github", "o/..": "", "o/r/x": "", "o/r>": "", "": ""} {
		if got := (&job{server: "https://x/", repository: name}).repositoryURL(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestRefusals checks that each reason for which GitHub responds with 403 has its own advice.
func TestRefusals(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for _, test := range []struct {
		name    string
		status  int
		header  map[string]string
		message string
		text    string
		waits   waits // delays until GitHub accepts the request
	}{
		{"a missing permission", 403, nil, "Resource not accessible by integration", "the job needs the permission pull-requests: write", nil},
		{"a personal access token", 403, nil, "Resource not accessible by personal access token", "the personal access token does not have permission; give it write access", nil},
		{"an archived repository", 403, nil, "Repository was archived so is read-only.", "the repository is archived; unarchive it", nil},
		{"a locked conversation", 403, nil, "Unable to create comment because issue is locked.", "the conversation of the pull request is locked; unlock it", nil},
		{"a blocked repository", 403, nil, "Repository access blocked", "GitHub has blocked access to the repository", nil},
		{"an address that is not on the allow list", 403, nil, "Although you appear to have the correct authorization credentials, the `o` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.", "the organization allows only listed IP addresses", nil},
		{"single sign-on", 403, map[string]string{"X-GitHub-SSO": "required; url=x"}, "Resource protected by organization SAML enforcement.", "requires single sign-on; authorize the token", nil},
		{"a rate limit that has been reset", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, "API rate limit exceeded", "", waits{time.Second}},
		{"a rate limit that is reset soon", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000020"}, "API rate limit exceeded", "", waits{20 * time.Second}},
		{"a rate limit that is reset later", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800001800"}, "API rate limit exceeded", "rerun the job in 30m0s", nil},
		{"a rate limit with 429", 429, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800001800"}, "", "rerun the job in 30m0s", nil},
		{"an invalid time", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "x"}, "API rate limit exceeded", "", waits{time.Second}},
		{"a time in the distant future", 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9223372036854775807"}, "", "rerun the job in 1h0m0s", nil},
		{"a secondary rate limit", 403, nil, "You have exceeded a secondary rate limit", "", waits{time.Minute}},
		{"a secondary rate limit with a delay", 403, map[string]string{"Retry-After": "3"}, "You have exceeded a secondary rate limit", "", waits{3 * time.Second}},
		{"a missing permission with requests remaining", 403, map[string]string{"X-RateLimit-Remaining": "10"}, "no", "the job needs the permission", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			f.fail = first(1, func(w http.ResponseWriter, _ *http.Request, _ int) bool {
				for k, v := range test.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(test.status)
				json.NewEncoder(w).Encode(map[string]string{"message": test.message})
				return true
			})
			var w waits
			c := testClient(t, f, &w)
			c.now = func() time.Time { return now }
			_, err := c.keep(t.Context(), wantComment())
			if test.text == "" && err != nil || test.text != "" && (err == nil || !strings.Contains(err.Error(), test.text)) || !slices.Equal(w, test.waits) {
				t.Errorf("%v after %v", err, w)
			}
		})
	}
}

// TestForkTokens checks that a read-only token is not an error for a fork and for Dependabot,
// and that a token with write access is used.
func TestForkTokens(t *testing.T) {
	for _, event := range []string{"pull_request", "pull_request-fork", "pull_request-gone", "pull_request-dependabot"} {
		w := newCheckout(t)
		w.reports()
		w.fixture(event)
		g := newGitHub(t, w)
		g.fail = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.Method == http.MethodGet {
				return false
			}
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `{"message": "Resource not accessible by integration"}`)
			return true
		}
		s := w.run("reports", pattern, "comment", "always", "token", "ghs_SECRET")
		want(t, s, 1, "failure")
		isRead := strings.Contains(s.log(), "No comment: the pull request is from a fork or from Dependabot, so the token is read-only.")
		warned := strings.Contains(s.Stdout, "the job needs the permission pull-requests: write")
		if own := event == "pull_request"; isRead == own || warned != own {
			t.Errorf("%s: %s", event, s.Stdout)
		}
	}
}

// TestOwners checks tokens that belong to an app or a user. Only GitHub can tell whom a token
// belongs to.
func TestOwners(t *testing.T) {
	old := marker + "\nold"
	for _, test := range []struct {
		name, viewer string
		author       string // an input
		comments     []comment
		changed      int    // 0 for a new comment
		text         string // part of the error
	}{
		{"an app", "my-app[bot]", "", []comment{written("my-app[bot]", old)}, 1, ""},
		{"a user", "octo_acme", "", []comment{written("mallory", old), written("octo_acme", old)}, 2, ""},
		{"a different author with the marker", "my-app[bot]", "", []comment{written("mallory", old)}, 0, ""},
		{"unknown to GitHub", "", "", []comment{written("my-app[bot]", old)}, 0, ""},
		{"set by an input", "", "my-app[bot]", []comment{written("my-app[bot]", old)}, 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t, test.comments...)
			f.viewer = test.viewer
			w := wantComment()
			w.Author = test.author
			kept, err := testClient(t, f, new(waits)).keep(t.Context(), w)
			testkit.NoError(t, err)
			changed := test.changed
			if changed == 0 {
				changed = len(test.comments) + 1
			}
			if !strings.HasSuffix(kept.Address, fmt.Sprintf("#issuecomment-%d", changed)) {
				t.Errorf("%+v, requests %q", kept, f.requests)
			}
			for i, c := range f.comments {
				if (c.Body == marker+"\nnew") != (i+1 == changed) {
					t.Errorf("comment %d is %q", i+1, c.Body)
				}
			}
		})
	}
}

// TestSolved checks that once all problems are solved, the comment is updated, deleted or
// minimized, and that it reappears with the next problem.
func TestSolved(t *testing.T) {
	policies := map[bool]string{true: "version: 1\ndevices: {required: [" + deviceB + "]}\n", false: "version: 1\ndevices: {required: ['*']}\n"}
	for _, test := range []struct {
		mode, solved string
		comments     []string // with a problem, without one, and with the next one
	}{
		{"on-problem", "", []string{"❌", "✅", "❌"}},
		{"on-problem", "update", []string{"❌", "✅", "❌"}},
		{"on-problem", "delete", []string{"❌", "-", "❌"}},
		{"on-problem", "minimize", []string{"❌", "✅ minimized", "❌"}},
		{"always", "minimize", []string{"❌", "✅ minimized", "❌"}},
	} {
		t.Run(test.mode+", "+test.solved, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.reports()
			w.fixture("pull_request")
			g := newGitHub(t, w)
			for i, want := range test.comments {
				w.write(".github/sycl-compat.yml", policies[i == 1])
				w.run("reports", pattern, "comment", test.mode, "comment-when-solved", test.solved, "token", "t")
				got := "-"
				if last := g.comments[len(g.comments)-1]; last.Body != "-" {
					got = map[bool]string{true: "✅", false: "❌"}[strings.Contains(last.Body, "✅")]
					if g.minimized[last.NodeID] {
						got += " minimized"
					}
				}
				if got != want {
					t.Errorf("run %d: %s, want %s: %q", i+1, got, want, g.requests)
				}
			}
		})
	}
	w := newCheckout(t)
	w.reports()
	w.checkRun(2, "error", "input comment-when-solved: delete requires comment: on-problem", "reports", pattern, "comment", "always", "comment-when-solved", "delete")
}

// TestOnProblem checks that a comment is written only for a problem or a new warning.
func TestOnProblem(t *testing.T) {
	policy := func(text string) map[string]string {
		return map[string]string{".github/sycl-compat.yml": "version: 1\n" + text}
	}
	base := map[string]string{"base/k.json": encode(t, "//demo:kernels", both, kernel{"Axpy<double>", []string{deviceA}}, kernel{"Add", nil})}
	for _, test := range []struct {
		name    string
		files   map[string]string
		inputs  []string
		comment bool
	}{
		{"a problem", nil, nil, true},
		{"a problem in a dry run", nil, []string{"fail-on", "none"}, true},
		{"a new warning", policy("devices: {required: [" + deviceB + "], supported: [" + deviceA + "]}\n"), nil, true},
		{"a note", policy("devices: {required: [" + deviceB + "]}\n"), nil, false},
		{"a known problem", base, []string{"base-reports", "base/*"}, false},
		{"a known problem that fails", base, []string{"base-reports", "base/*", "fail-on", "any"}, true},
		{"a problem with an exception", policy("allow:\n- {rule: missing-aspect, kernels: ['Axpy*'], reason: r, expires: 2999-01-01}\nlimits: {allow-without-end: true}\n"), nil, false},
		{"nothing to check", nil, []string{"reports", "gone/*", "fail-on-empty", "false"}, false},
		{"a missing device", policy("devices: {required: [" + deviceB + ", intel_gpu_nvl]}\n"), nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newCheckout(t)
			w.reports()
			w.fixture("pull_request")
			for name, text := range test.files {
				w.write(name, text)
			}
			g := newGitHub(t, w)
			s := w.run(append([]string{"reports", pattern, "comment", "on-problem", "token", "t"}, test.inputs...)...)
			if (len(g.comments) > 0) != test.comment {
				t.Errorf("comments %+v: %s", g.comments, s.Stdout)
			}
		})
	}
}

// TestTrustedRuns checks that a run started by another run checks the commit of that run. A report
// on the commit of the default branch, which the runner names, is then for the wrong commit.
func TestTrustedRuns(t *testing.T) {
	of := func(commit string) string {
		return strings.Replace(encode(t, "//demo:kernels", both, kernel{"Add", nil}), `"statistics"`, `"source": {"commit": "`+commit+`"}, "statistics"`, 1)
	}
	for event, code := range map[string]int{"workflow_run": 1, "pull_request": 0} {
		w := newCheckout(t)
		w.fixture(event)
		w.env["GITHUB_SHA"] = strings.Repeat("ab", 20)
		w.write("out/k.compat.json", of(forkCommit))
		w.checkRun(0, "success", "passed", "reports", pattern)
		w.write("out/k.compat.json", of(strings.Repeat("ab", 20)))
		s := w.run("reports", pattern)
		if s.ExitCode != code || (code == 1) != strings.Contains(s.Stdout, "but commit ffffffffffff is being checked") {
			t.Errorf("%s: exit code %d: %s", event, s.ExitCode, s.Stdout)
		}
	}
}

// TestCommentTarget checks which pull request a comment on the result of another workflow belongs
// on.
func TestCommentTarget(t *testing.T) {
	const other = `{"number": 8, "head": {"sha": "` + forkCommit + `"}, "base": {"repo": {"url": "https://api.github.com/repos/o/r"}}}, `
	for _, test := range []struct {
		name, old, now string
		number         int
		asks           bool // GitHub has to be queried
		whyNot         string
	}{
		{"one pull request", "", "", 7, false, ""},
		{"the pull request has a newer commit", `"head": {
          "sha": "` + forkCommit, `"head": {
          "sha": "` + otherCommit, 0, true, ""},
		{"two pull requests", `"pull_requests": [`, `"pull_requests": [` + other, 0, true, ""},
		{"a second pull request of a different commit", `"pull_requests": [`, `"pull_requests": [` + strings.Replace(other, forkCommit, otherCommit, 1), 7, false, ""},
		{"a pull request in a different repository", "repos/o/r", "repos/o/rr", 0, true, ""},
		{"the same repository in different case", "repos/o/r", "repos/O/R", 7, false, ""},
		{"not the run of a pull request", `"event": "pull_request"`, `"event": "push"`, 0, false, "not about a pull request"},
		{"a deleted repository", `"head_repository"`, `"deleted"`, 0, false, "deleted fork"},
		{"no commit", `"head_sha": "f`, `"head_sha": "-`, 0, false, "does not contain the commit"},
		{"a pull request of a fork", `"full_name": "o/r",
      "fork": false`, `"full_name": "m/r",
      "fork": true`, 0, true, ""},
	} {
		text := testkit.ReadFile(t, "testdata/events/workflow_run.json")
		if test.old != "" && !strings.Contains(text, test.old) {
			t.Errorf("%s: no %s", test.name, test.old)
		}
		e := event{name: "workflow_run"}
		testkit.NoError(t, json.Unmarshal([]byte(strings.Replace(text, test.old, test.now, 1)), &e.payload))
		got := e.commentTarget(0)
		if got.number != test.number || (got.head != nil) != test.asks || !strings.Contains(got.whyNot, test.whyNot) || (got.whyNot == "") != (test.whyNot == "") {
			t.Errorf("%s: got %+v", test.name, got)
		}
	}
}
