package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/interrupt"
)

// maxBaseFile is more than policies and baselines may have.
const maxBaseFile = 64 << 20

// errNoFile is a file that a commit does not have, and errNoCommit a commit that
// the checkout does not have.
var (
	errNoFile   = errors.New("the commit does not have the file")
	errNoCommit = errors.New("the checkout does not have the commit")
)

// mergeParents returns the parents of a commit as it was made, also of one that a checkout
// without history has alone; nil when the checkout does not have the commit.
func mergeParents(ctx context.Context, commit string) (parents []string) {
	if !commitName.MatchString(commit) {
		return nil
	}
	out, err := git(ctx, "cat-file", "commit", commit)
	if err != nil {
		return nil
	}
	head, _, _ := strings.Cut(string(out), "\n\n")
	for line := range strings.Lines(head) {
		if parent, ok := strings.CutPrefix(strings.TrimSpace(line), "parent "); ok && commitName.MatchString(parent) {
			parents = append(parents, parent)
		}
	}
	return parents
}

// baseCommit returns the commit that the change is based on, "" when it is not known. For a
// pull request GitHub checks out a merge. Its first parent is what the change is merged
// into; the event may name an older commit of that branch.
func (a *action) baseCommit(ctx context.Context) string {
	if a.event.forkRun() != nil {
		return a.getenv("GITHUB_SHA") // of the default branch, whatever an artifact has put over the files
	}
	commit := a.event.baseCommit()
	if p := a.event.PullRequest; p != nil && a.event.name == "pull_request" {
		parents := mergeParents(ctx, a.getenv("GITHUB_SHA"))
		if len(parents) == 2 && parents[1] == p.Head.SHA && hasCommit(ctx, parents[0]) == nil {
			return parents[0]
		}
	}
	return commit
}

// hasCommit returns errNoCommit when the checkout does not have a commit.
func hasCommit(ctx context.Context, commit string) error {
	_, err := git(ctx, "cat-file", "-e", commit+"^{commit}")
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return errNoCommit
	}
	return err
}

// gitFile returns a file of a commit as it was committed. The path is relative to
// the current folder.
func gitFile(ctx context.Context, commit, path string) ([]byte, error) {
	if !commitName.MatchString(commit) {
		return nil, fmt.Errorf("%q is not the name of a commit", commit)
	}
	if !filepath.IsLocal(path) {
		return nil, fmt.Errorf("%s is not in the repository", path)
	}
	if err := hasCommit(ctx, commit); err != nil {
		return nil, err
	}
	out, err := git(ctx, "ls-tree", "-z", commit, "--", filepath.ToSlash(filepath.Clean(path)))
	if err != nil {
		return nil, err
	}
	entry := strings.TrimSuffix(string(out), "\x00")
	mode, rest, _ := strings.Cut(entry, " ")
	kind, rest, _ := strings.Cut(rest, " ")
	object, _, _ := strings.Cut(rest, "\t")
	switch {
	case entry == "":
		return nil, errNoFile
	case kind != "blob" || !strings.HasPrefix(mode, "100") || !commitName.MatchString(object):
		return nil, fmt.Errorf("%s of commit %.12s is not a file", path, commit)
	}
	// A checkout may have been made without the contents of files.
	if out, err = git(ctx, "cat-file", "-s", object); err != nil {
		return nil, fmt.Errorf("%s of commit %.12s is not in the checkout: %w", path, commit, err)
	}
	if size, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64); err != nil || size > maxBaseFile {
		return nil, fmt.Errorf("%s of commit %.12s is too large", path, commit)
	}
	return git(ctx, "cat-file", "blob", object)
}

// git runs git on the repository of the current folder. It reads objects and
// nothing else: no hooks, no filters, no network, no replaced objects.
func git(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	// The folder may belong to another user, as in containers.
	cmd := interrupt.Command(ctx, "git", append([]string{"-c", "safe.directory=*", "--no-replace-objects", "--literal-pathspecs", "--no-pager", "--no-optional-locks"}, args...)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "INPUT_") }), "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) && ctx.Err() == nil {
			return nil, fmt.Errorf("git %s: %w", args[0], err)
		}
		return nil, fmt.Errorf("git cannot be run: %v", err)
	}
	// The content of an empty file is not nil.
	return append([]byte{}, out.Bytes()...), nil
}
