package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

// marker is what the comment of this use of the action begins with. It has no text
// of the user in it, which might end it.
func (a *action) marker() string {
	sum := sha256.Sum256([]byte(a.commentKey + "\x00" + a.category))
	return "<!-- rules_sycl compatibility v1 " + hex.EncodeToString(sum[:8]) + " -->"
}

// commentRoom is how many bytes of Markdown a comment has room for, beside what
// [action.writeComment] adds.
const commentRoom = maxComment - 2000

// commentResult writes the result to the comment on the pull request.
func (a *action) commentResult(ctx context.Context) {
	body, err := a.markdown(commentRoom)
	if err != nil {
		a.notShown("the comment is not written: %v", err)
		return
	}
	good := a.conclusion() == string(gate.Success)
	a.writeComment(ctx, body, a.comment == "on-problem" && good)
}

// writeComment makes or changes the comment on the pull request. Tokens of forks
// and of Dependabot may not, which is known without asking and is no error.
func (a *action) writeComment(ctx context.Context, body string, onlyUpdate bool) {
	number, whyNot := a.event.commentPlace()
	if whyNot != "" {
		a.logf("There is no comment: %s.", whyNot)
		return
	}
	client, err := newClient(a.getenv("GITHUB_API_URL"), a.token)
	if err != nil {
		a.notShown("the comment is not written: %v", err)
		return
	}
	if head := a.event.forkRun(); head != nil {
		numbers, err := client.findPulls(ctx, a.getenv("GITHUB_REPOSITORY"), *head)
		if err != nil {
			a.notShown("the comment is not written: %v", err)
			return
		}
		if len(numbers) != 1 {
			a.logf("There is no comment: %d open pull requests have the commit of the run.", len(numbers))
			return
		}
		number = numbers[0]
	}
	address, err := client.keep(ctx, wantedComment{Repository: a.getenv("GITHUB_REPOSITORY"), Number: number, Author: a.commentAuthor,
		Marker: a.marker(), Body: body + a.provenance(number), OnlyUpdate: onlyUpdate})
	if err != nil {
		a.notShown("the comment: %v", err)
	}
	if address == "" {
		return
	}
	if err := a.github.setOutputs(stepOutput{Name: "comment-url", Value: urlValue(address)}); err != nil {
		a.notShown("the address of the comment is not an output: %v", err)
	}
}

// provenance says which commit and which run a comment on a pull request is about.
func (a *action) provenance(number int) string {
	repository := a.repositoryURL()
	var parts []string
	if commit := a.event.headCommit(a.getenv("GITHUB_SHA")); commit != "" {
		text := fmt.Sprintf("Commit `%.9s`", commit)
		if repository != "" {
			text = fmt.Sprintf("Commit [`%.9s`](<%s/pull/%d/commits/%s>)", commit, repository, number, commit)
		}
		parts = append(parts, text)
	}
	if run := a.getenv("GITHUB_RUN_ID"); repository != "" && digits.MatchString(run) {
		address := repository + "/actions/runs/" + run
		if attempt := a.getenv("GITHUB_RUN_ATTEMPT"); digits.MatchString(attempt) {
			address += "/attempts/" + attempt
		}
		parts = append(parts, fmt.Sprintf("[run](<%s>)", address))
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n" + strings.Join(parts, ", ") + "\n"
}

var (
	digits         = regexp.MustCompile(`^[0-9]{1,20}$`)
	repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_-][A-Za-z0-9._-]*$`)
)

// repositoryURL returns the address of the repository, "" when it is not known.
func (a *action) repositoryURL() string {
	server, name := a.getenv("GITHUB_SERVER_URL"), a.getenv("GITHUB_REPOSITORY")
	if server == "" || urlValue(server).err != nil || !repositoryName.MatchString(name) {
		return ""
	}
	return strings.TrimSuffix(server, "/") + "/" + name
}

// sourcesURL returns the address of the source tree of the change, "" when it is not
// known.
func (a *action) sourcesURL() string {
	repository, commit := a.repositoryURL(), a.event.headCommit(a.getenv("GITHUB_SHA"))
	if repository == "" || commit == "" {
		return ""
	}
	return repository + "/blob/" + commit + "/"
}
