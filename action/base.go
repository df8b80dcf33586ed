package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// A base is the commit that a change is compared with.
type base struct {
	place
	repository    *repository
	commit        string // commit id, or "" if unknown
	unknownReason string // why the commit is unknown
	forced        bool   // whether a forced push replaced the commit
	// began returns the commits at which the change diverged from the base. It returns nothing if
	// they are unknown or if the change is on top of the base.
	began func() []string
}

// findBase returns the commit that a change is based on. For a pull request, GitHub checks out a
// merge, whose first parent is the head of the target branch. The event may name an older commit.
func findBase(j *job, p place, r *repository) *base {
	b := &base{place: p, repository: r, forced: j.event.isForced()}
	var head string // head of the change, if the checkout is not a merge
	b.commit, b.unknownReason = j.event.baseCommit(j.sha)
	switch pull := j.event.PullRequest; {
	case j.event.forkRun() != nil:
		b.commit = j.sha // a commit of the default branch, even if an artifact has overwritten files
		b.unknownReason = "the policy of the default branch applies to runs of forks, but its commit is unknown; set GITHUB_SHA"
	case pull != nil && j.event.name != "pull_request_target": // whose commit is the base
		head = pull.Head.SHA
		merge, err := r.commit(j.sha)
		if err == nil && len(merge.parents) == 2 && merge.parents[1] == pull.Head.SHA {
			if _, err := r.commit(merge.parents[0]); err == nil {
				b.commit, head = merge.parents[0], ""
			}
		}
	}
	b.began = sync.OnceValue(func() []string {
		// Ignore the checked-out commit, because a build may check out an old commit with a weaker
		// policy.
		if b.commit == "" || head == "" {
			return nil
		}
		if began := r.mergeBases(b.commit, head); !slices.Contains(began, b.commit) {
			return began
		}
		return nil
	})
	return b
}

// file returns the content of a file in a commit. The name is relative to the input directory.
func (b *base) file(commit, name string) ([]byte, error) {
	below, err := b.inRepository(name)
	if err != nil {
		return nil, err
	}
	data, err := b.repository.file(commit, below)
	if errors.Is(err, errMissing) {
		return nil, &missingError{b.whyMissing(commit)}
	}
	return data, err
}

// A missingError is returned if there is no checkout, or if the checkout lacks the base commit.
type missingError struct{ message string }

func (e *missingError) Error() string { return e.message }

// whyMissing returns why the checkout lacks a commit, and how to get it.
func (b *base) whyMissing(commit string) string {
	switch {
	case b.forced:
		return fmt.Sprintf("a forced push has replaced the base commit %.12s, so no branch contains it; run 'git fetch --depth=1 origin %s' before this step to compare with it", commit, commit)
	case b.repository.isShallow():
		return fmt.Sprintf("the checkout does not contain the base commit %.12s; set fetch-depth: 0 in actions/checkout", commit)
	}
	return fmt.Sprintf("the checkout does not contain the base commit %.12s, although it is not shallow; run 'git fetch origin %s' before this step", commit, commit)
}

// isUntouched reports whether the change has not modified something since it diverged. isSame
// compares it with its state in a commit.
func (b *base) isUntouched(isSame func(commit string) bool) bool {
	began := b.began()
	return len(began) > 0 && !slices.ContainsFunc(began, func(commit string) bool { return !isSame(commit) })
}

// hasSame reports whether a commit has a file with the given content.
func (b *base) hasSame(commit, name string, data []byte) bool {
	old, err := b.file(commit, name)
	return err == nil && bytes.Equal(old, data)
}

// devicesOf returns the built-in devices, overridden by those in the named files. read may return
// nil for a file that does not exist.
func devicesOf(names []string, read func(name string) ([]byte, error)) (*deviceconfig.Config, error) {
	config := deviceconfig.Default()
	for _, name := range names {
		data, err := read(name)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		own, err := deviceconfig.Read(name, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		config.Merge(own)
	}
	return config, nil
}
