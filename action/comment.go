package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// marker returns the first line of the comment of this use of the action. It does not contain user
// text, which could end the marker.
func (s *settings) marker() string {
	sum := sha256.Sum256([]byte(s.commentKey + "\x00" + s.category))
	return "<!-- rules_sycl compatibility v1 " + hex.EncodeToString(sum[:8]) + " -->"
}

// commentRoom is the number of bytes available for Markdown in a comment, in addition to what
// [delivery.writeComment] adds.
const commentRoom = maxComment - 2000

// commentResult writes the result to the comment on the pull request.
func (d *delivery) commentResult(ctx context.Context) {
	var b strings.Builder
	if s := d.settings.category; s != "" {
		fmt.Fprintf(&b, "%s\n\n", safetext.CodeSpan(safetext.Escape(s)))
	}
	err := render.Comment(&b, d.result, render.CommentOptions{MaxBytes: commentRoom - b.Len(), Sources: d.job.sourcesURL(), Summary: d.job.runURL()})
	if err != nil {
		d.notShown("cannot write the comment: %v", err)
		return
	}
	if d.settings.artifactURL != "" {
		fmt.Fprintf(&b, "\n[Files of this run](<%s>)\n", d.settings.artifactURL)
	}
	body := b.String()
	d.writeComment(ctx, body, needsAttention(d.result))
}

// writeComment creates or updates the comment on the pull request. The token of a fork or of
// Dependabot may be read-only, which is not an error.
func (d *delivery) writeComment(ctx context.Context, body string, isNeeded bool) {
	s, e := d.settings, d.job.event
	target := e.commentTarget(s.pullRequest)
	if target.whyNot != "" {
		d.out.logf("No comment: %s.", target.whyNot)
		return
	}
	want := wantedComment{Repository: d.job.repository, Author: s.commentAuthor, Marker: s.marker(), OnlyUpdate: s.comment == "on-problem" && !isNeeded}
	if !isNeeded {
		want.Solved = s.commentSolved
	}
	if want.Commits = []string{target.commit}; target.commit == "" {
		want.Commits = checkedOut(ctx, d.place.repo)
	}
	kept, err := d.out.github.comment(ctx, d.job.api, s.token, target, want, func(number int) (text, short string) {
		end := d.job.provenance(number)
		text = body + end
		if want.Solved == solvedMinimize {
			text += minimizedMark + "\n"
		}
		return text, "The result is in another comment on this pull request.\n" + end
	})
	if failed, ok := errors.AsType[*apiError](err); ok && failed.Status == http.StatusForbidden && failed.refusal == noPermission && e.isFromOthers() {
		d.out.logf("No comment: the pull request is from a fork or from Dependabot, so the token is read-only.")
		return
	}
	if err != nil {
		d.notShown("cannot write the comment: %v", err)
	}
	if kept.WhyNot != "" {
		d.out.logf("No comment: %s.", kept.WhyNot)
	}
	if kept.Address == "" {
		return
	}
	if err := d.out.github.setOutputs(stepOutput{Name: "comment-url", Value: urlValue(kept.Address)}); err != nil {
		d.notShown("cannot set the output comment-url: %v", err)
	}
}

// checkedOut returns the checked-out commit and, for a merge, the commit that was merged.
func checkedOut(ctx context.Context, dir string) (list []string) {
	r := openRepository(ctx, dir)
	defer r.close()
	head := r.head()
	if head == "" {
		return nil
	}
	list = append(list, head)
	if c, err := r.commit(head); err == nil && len(c.parents) == 2 {
		list = append(list, c.parents[1])
	}
	return list
}

// provenance returns a sentence that names the commit and the run that a comment on a pull request
// is about.
func (j *job) provenance(number int) string {
	repository := j.repositoryURL()
	var parts []string
	if commit := j.event.headCommit(j.sha); commit != "" {
		text := fmt.Sprintf("Commit `%.9s`", commit)
		if repository != "" {
			text = fmt.Sprintf("Commit [`%.9s`](<%s/pull/%d/commits/%s>)", commit, repository, number, commit)
		}
		parts = append(parts, text)
	}
	if address := j.runURL(); address != "" {
		parts = append(parts, fmt.Sprintf("[run](<%s>)", address))
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n" + strings.Join(parts, ", ") + "\n"
}

// runURL returns the URL of the run, which shows the job summary, or "" if unknown.
func (j *job) runURL() string {
	repository := j.repositoryURL()
	if repository == "" || !digits.MatchString(j.runID) {
		return ""
	}
	address := repository + "/actions/runs/" + j.runID
	if digits.MatchString(j.attempt) {
		address += "/attempts/" + j.attempt
	}
	return address
}

var digits = regexp.MustCompile(`^[0-9]{1,20}$`)

// repositoryURL returns the URL of the repository, or "" if unknown.
func (j *job) repositoryURL() string {
	server, name := j.server, j.repository
	if server == "" || urlValue(server).err != nil || checkRepository(name) != nil {
		return ""
	}
	return strings.TrimSuffix(server, "/") + "/" + name
}

// sourcesURL returns the URL of the source tree of the change, or "" if unknown.
func (j *job) sourcesURL() string {
	repository, commit := j.repositoryURL(), j.event.headCommit(j.sha)
	if repository == "" || commit == "" {
		return ""
	}
	return repository + "/blob/" + commit + "/"
}
