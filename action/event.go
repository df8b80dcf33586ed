package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

// An event is the event that started the workflow. The runner writes it to a file. Its data about
// pull requests comes from GitHub, not from the change.
type event struct {
	name, actor string
	payload
}

type payload struct {
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
	Sender struct {
		Login string `json:"login"`
	} `json:"sender"`
	PullRequest *pullRequest `json:"pull_request"`
	Issue       struct {
		Number      int       `json:"number"`
		PullRequest *struct{} `json:"pull_request"`
	} `json:"issue"` // of a comment
	MergeGroup struct {
		BaseSHA string `json:"base_sha"`
	} `json:"merge_group"`
	Before      string `json:"before"`
	Ref         string `json:"ref"`
	RefType     string `json:"ref_type"` // of the event create
	Forced      bool   `json:"forced"`
	WorkflowRun *struct {
		Event        string `json:"event"`
		HeadBranch   string `json:"head_branch"`
		HeadSHA      string `json:"head_sha"`
		PullRequests []struct {
			Number int `json:"number"`
			Head   struct {
				SHA string `json:"sha"`
			} `json:"head"`
			Base struct {
				SHA  string `json:"sha"`
				Repo struct {
					URL string `json:"url"`
				} `json:"repo"`
			} `json:"base"`
		} `json:"pull_requests"`
		HeadRepository *struct {
			FullName string `json:"full_name"`
		} `json:"head_repository"`
	} `json:"workflow_run"`
}

type pullRequest struct {
	Number int `json:"number"`
	User   struct {
		Login string `json:"login"`
	} `json:"user"`
	Head struct {
		SHA  string `json:"sha"`
		Repo *struct {
			FullName string `json:"full_name"`
		} `json:"repo"`
	} `json:"head"`
	Base struct {
		SHA  string `json:"sha"`
		Repo struct {
			FullName string `json:"full_name"`
		} `json:"repo"`
	} `json:"base"`
}

// maxEvent is the maximum size of GitHub's events.
const maxEvent = 25 << 20

// readEvent reads the event. Without a file, only the event name is set.
func readEvent(getenv func(string) string) (*event, error) {
	e := &event{name: getenv("GITHUB_EVENT_NAME"), actor: getenv("GITHUB_ACTOR")}
	path := getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return e, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the event: %v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEvent+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the event: %v", err)
	case len(data) > maxEvent:
		return nil, fmt.Errorf("the event is too large (limit %d bytes)", maxEvent)
	}
	if err := json.Unmarshal(data, &e.payload); err != nil {
		return nil, errors.New("the event file is invalid")
	}
	return e, nil
}

// isFork reports whether the change is from a different repository, or from a deleted one.
func (p *pullRequest) isFork() bool {
	return p.Head.Repo == nil || !strings.EqualFold(p.Head.Repo.FullName, p.Base.Repo.FullName)
}

// forkRun returns the head that a run about a pull request from a fork was for, or nil for other
// events. GitHub does not report the number of the pull request.
func (e *event) forkRun() *pullHead {
	run := e.WorkflowRun
	if e.name != "workflow_run" || run == nil || run.HeadRepository != nil && strings.EqualFold(run.HeadRepository.FullName, e.Repository.FullName) {
		return nil
	}
	head := &pullHead{Branch: run.HeadBranch, Commit: run.HeadSHA}
	if run.HeadRepository != nil {
		head.Repository = run.HeadRepository.FullName
	}
	return head
}

// isFromOthers reports whether the job's token may be read-only, as for forks and Dependabot.
func (e *event) isFromOthers() bool {
	const dependabot = "dependabot[bot]"
	p := e.PullRequest
	return p != nil && (p.isFork() || e.actor == dependabot || e.Sender.Login == dependabot || p.User.Login == dependabot)
}

// A commentTarget is the pull request that a comment belongs on.
type commentTarget struct {
	number int       // 0 if GitHub has to be queried
	head   *pullHead // head of the pull request to query for
	commit string    // commit that the comment is about; "" if only the checkout has it
	whyNot string    // why there is no pull request
}

// commentTarget returns the pull request that a comment belongs on. named is the number that an
// input sets, or 0.
func (e *event) commentTarget(named int) commentTarget {
	if e.PullRequest != nil && (named == 0 || named == e.PullRequest.Number) {
		return commentTarget{number: e.PullRequest.Number, commit: e.PullRequest.Head.SHA}
	}
	run := e.WorkflowRun
	switch {
	case named > 0 && run != nil:
		return commentTarget{number: named, commit: run.HeadSHA}
	case named > 0:
		return commentTarget{number: named}
	case e.name == "issue_comment" && e.Issue.PullRequest != nil:
		return commentTarget{number: e.Issue.Number}
	case run == nil:
		return commentTarget{whyNot: "the event is not about a pull request; set the input pull-request"}
	case run.Event != "pull_request" && run.Event != "pull_request_target":
		return commentTarget{whyNot: "the run is not about a pull request"}
	case run.HeadRepository == nil:
		return commentTarget{whyNot: "the run is about a deleted fork"}
	case !commitName.MatchString(run.HeadSHA):
		return commentTarget{whyNot: "the event does not contain the commit of the run"}
	}
	// The event lists the pull requests of the branch if they are in the same repository.
	var numbers []int
	for _, p := range run.PullRequests {
		if p.Head.SHA == run.HeadSHA && strings.HasSuffix(strings.ToLower(p.Base.Repo.URL), "/repos/"+strings.ToLower(e.Repository.FullName)) {
			numbers = append(numbers, p.Number)
		}
	}
	if len(numbers) == 1 && e.forkRun() == nil {
		return commentTarget{number: numbers[0], commit: run.HeadSHA}
	}
	return commentTarget{commit: run.HeadSHA, head: &pullHead{Repository: run.HeadRepository.FullName, Branch: run.HeadBranch, Commit: run.HeadSHA}}
}

// isRisky reports whether the workflow has permissions that the code of the change must not get.
func (e *event) isRisky() bool {
	return e.name == "pull_request_target" && e.PullRequest != nil && e.PullRequest.isFork() ||
		e.forkRun() != nil
}

var commitName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// isOnDefaultBranch reports whether the workflow runs for the head of the default branch, and the
// commit that it checks, if it is a different one, has no known base.
func (e *event) isOnDefaultBranch() bool {
	if run := e.WorkflowRun; run != nil {
		return run.Event != "pull_request" && run.Event != "pull_request_target"
	}
	return slices.Contains([]string{"delete", "discussion", "discussion_comment", "issue_comment", "issues", "label", "milestone"}, e.name)
}

// headCommit returns the commit of the change, or "" if unknown. sha is the commit that the
// workflow runs for, which for a pull request is a merge with its base.
func (e *event) headCommit(sha string) string {
	switch {
	case e.isOnDefaultBranch() && e.WorkflowRun == nil:
		return ""
	case e.PullRequest != nil:
		sha = e.PullRequest.Head.SHA
	case e.WorkflowRun != nil:
		sha = e.WorkflowRun.HeadSHA
	}
	if !commitName.MatchString(sha) {
		return ""
	}
	return sha
}

// checkedCommits returns the commits that reports may be for. A pull request is checked as its
// merge, but its reports may be for its head commit. A run started by another run is for a commit
// of the default branch, which is not checked. For a comment, any commit may be checked out.
func (e *event) checkedCommits(sha string) (list []string) {
	for _, commit := range []string{e.headCommit(sha), sha} {
		isRun := e.WorkflowRun != nil && commit == e.WorkflowRun.HeadSHA
		if commitName.MatchString(commit) && !slices.Contains(list, commit) && (isRun || e.WorkflowRun == nil && !e.isOnDefaultBranch()) {
			list = append(list, commit)
		}
	}
	return list
}

// baseCommit returns the commit that the change is based on, or why it is unknown. sha is the commit
// that the workflow runs for.
func (e *event) baseCommit(sha string) (commit, why string) {
	commit = e.Before
	switch {
	case e.PullRequest != nil:
		commit = e.PullRequest.Base.SHA
	case e.MergeGroup.BaseSHA != "":
		commit = e.MergeGroup.BaseSHA
	case e.WorkflowRun != nil && len(e.WorkflowRun.PullRequests) == 1:
		commit = e.WorkflowRun.PullRequests[0].Base.SHA
	case e.isOnDefaultBranch():
		commit = sha
	case e.isTag():
		commit = ""
	}
	why = fmt.Sprintf("event %q has no base commit", e.name)
	switch {
	case !commitName.MatchString(commit):
		return "", why
	case strings.Trim(commit, "0") == "": // the value before the first commit of a branch
		return "", why + ", because the push creates the branch"
	}
	return commit, ""
}

func (e *event) isTag() bool { return strings.HasPrefix(e.Ref, "refs/tags/") || e.RefType == "tag" }

// isForced reports whether the event replaces existing commits.
func (e *event) isForced() bool { return e.Forced && e.PullRequest == nil }

// isChange reports whether the event may be about a change. Workflows may also be started manually,
// by another program or by a timer, and a tag refers to a commit that was checked before.
func (e *event) isChange() bool {
	return !slices.Contains([]string{"", "schedule", "workflow_dispatch", "repository_dispatch", "release"}, e.name) && !e.isTag()
}
