package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// An event is what started the workflow, as the runner wrote it to a file. What it
// says of pull requests is from GitHub, not from the change.
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
	MergeGroup  struct {
		BaseSHA string `json:"base_sha"`
	} `json:"merge_group"`
	Before      string `json:"before"`
	WorkflowRun *struct {
		Event        string `json:"event"`
		HeadBranch   string `json:"head_branch"`
		HeadSHA      string `json:"head_sha"`
		PullRequests []struct {
			Number int `json:"number"`
			Base   struct {
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

// maxEvent is what GitHub sends at most.
const maxEvent = 25 << 20

// readEvent reads the event. Without a file it knows only the name.
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
		return nil, fmt.Errorf("the event cannot be read: %v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxEvent+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the event cannot be read: %v", err)
	case len(data) > maxEvent:
		return nil, fmt.Errorf("the event has more than %d bytes", maxEvent)
	}
	if err := json.Unmarshal(data, &e.payload); err != nil {
		return nil, errors.New("the file of the event is not what the runner writes")
	}
	return e, nil
}

const dependabot = "dependabot[bot]"

// isFork reports whether the change is from another repository, or from one that
// is gone.
func (p *pullRequest) isFork() bool {
	return p.Head.Repo == nil || !strings.EqualFold(p.Head.Repo.FullName, p.Base.Repo.FullName)
}

// forkRun returns what a run about a pull request of a fork was for, nil for other events.
// GitHub does not say which pull request that is.
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

// commentPlace returns the pull request that a comment is to be on, or why there
// is none; neither when GitHub has to be asked, see [event.forkRun]. No request is needed
// to know that a token may not write.
func (e *event) commentPlace() (number int, whyNot string) {
	switch {
	case e.WorkflowRun != nil:
		run := e.WorkflowRun
		switch {
		case run.Event != "pull_request":
			return 0, "the run is not about a pull request"
		case run.HeadRepository == nil:
			return 0, "the run is about a fork that is gone"
		case !commitName.MatchString(run.HeadSHA):
			return 0, "the event does not say which commit the run was for"
		case e.forkRun() != nil:
			return 0, ""
		case len(run.PullRequests) != 1:
			return 0, fmt.Sprintf("the run belongs to %d pull requests", len(run.PullRequests))
		case !strings.HasSuffix(strings.ToLower(run.PullRequests[0].Base.Repo.URL), "/repos/"+strings.ToLower(e.Repository.FullName)):
			return 0, "the pull request is one of another repository"
		}
		return run.PullRequests[0].Number, ""
	case e.PullRequest == nil:
		return 0, "the event is not about a pull request"
	case e.name == "pull_request_target":
		return e.PullRequest.Number, ""
	case e.PullRequest.isFork():
		return 0, "the pull request is from a fork, and its token may only read"
	case e.actor == dependabot || e.Sender.Login == dependabot || e.PullRequest.User.Login == dependabot:
		return 0, "the pull request is from Dependabot, and its token may only read"
	}
	return e.PullRequest.Number, ""
}

// isRisky reports whether the workflow has rights that code of the change must not
// get.
func (e *event) isRisky() bool {
	return e.name == "pull_request_target" && e.PullRequest != nil && e.PullRequest.isFork() ||
		e.forkRun() != nil
}

var commitName = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// headCommit returns the commit of the change, "" when it is not known; sha is the one
// that the workflow runs for, which for a pull request is a merge with its base.
func (e *event) headCommit(sha string) string {
	switch {
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

// baseCommit returns the commit that the change is based on, "" when the event
// does not say.
func (e *event) baseCommit() string {
	commit := e.Before
	switch {
	case e.PullRequest != nil:
		commit = e.PullRequest.Base.SHA
	case e.MergeGroup.BaseSHA != "":
		commit = e.MergeGroup.BaseSHA
	case e.WorkflowRun != nil && len(e.WorkflowRun.PullRequests) == 1:
		commit = e.WorkflowRun.PullRequests[0].Base.SHA
	}
	// All zeros is what comes before the first commit of a branch.
	if !commitName.MatchString(commit) || strings.Trim(commit, "0") == "" {
		return ""
	}
	return commit
}

// isChange reports whether the event may be about a change: people and clocks start
// workflows as well.
func (e *event) isChange() bool {
	return e.name != "" && e.name != "schedule" && e.name != "workflow_dispatch"
}
