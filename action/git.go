package main

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// maxBaseFile is more than policies and baselines may have.
const maxBaseFile = 64 << 20

// errNoFile is a file that a commit does not have, and errNoCommit a commit that
// the checkout does not have.
var (
	errNoFile   = errors.New("the commit does not have the file")
	errNoCommit = errors.New("the checkout does not have the commit")
)

// repository is that of the workspace: paths are below a folder of it.
type repository struct{ dir, prefix string }

// findRepository returns the repository that a folder below the workspace is in: the
// outermost one there. Others in it are of the change, such as submodules.
func findRepository(workspace, below string) repository {
	dir := workspace
	parts := strings.Split(below, "/")
	for i := range parts {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return repository{dir, path.Join(parts[i:]...)}
		}
		dir = filepath.Join(dir, parts[i])
	}
	return repository{dir, ""} // or a folder of one above
}

// mergeParents returns the parents of a commit as it was made, also of one that a checkout
// without history has alone; nil when the checkout does not have the commit.
func (r repository) mergeParents(ctx context.Context, commit string) (parents []string) {
	if !commitName.MatchString(commit) {
		return nil
	}
	data, err := r.object(ctx, "commit", commit)
	if err != nil {
		return nil
	}
	head, _, _ := strings.Cut(string(data), "\n\n")
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
		parents := a.repository.mergeParents(ctx, a.getenv("GITHUB_SHA"))
		if len(parents) == 2 && parents[1] == p.Head.SHA && a.repository.hasCommit(ctx, parents[0]) == nil {
			return parents[0]
		}
	}
	return commit
}

// hasCommit returns errNoCommit when the checkout does not have a commit.
func (r repository) hasCommit(ctx context.Context, commit string) error {
	_, err := r.git(ctx, "cat-file", "-e", commit+"^{commit}")
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return errNoCommit
	}
	return err
}

// file returns a file of a commit as it was committed. The path is relative to the current
// folder.
func (r repository) file(ctx context.Context, commit, name string) ([]byte, error) {
	if !commitName.MatchString(commit) {
		return nil, fmt.Errorf("%q is not the name of a commit", commit)
	}
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%s is not in the repository", name)
	}
	if err := r.hasCommit(ctx, commit); err != nil {
		return nil, err
	}
	above, err := r.git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	data, err := r.object(ctx, "commit", commit)
	if err != nil {
		return nil, err
	}
	mode, id := "40000", strings.TrimPrefix(strings.TrimSuffix(firstLine(data), "\n"), "tree ")
	for part := range strings.SplitSeq(path.Join(strings.TrimSuffix(string(above), "\n"), r.prefix, filepath.ToSlash(name)), "/") {
		if mode != "40000" {
			return nil, errNoFile
		}
		if data, err = r.object(ctx, "tree", id); err != nil {
			return nil, fmt.Errorf("%s of commit %.12s is not in the checkout: %w", name, commit, err)
		}
		if mode, id = treeEntry(data, part, len(id)/2); mode == "" {
			return nil, errNoFile
		}
	}
	if !strings.HasPrefix(mode, "100") {
		return nil, fmt.Errorf("%s of commit %.12s is not a file", name, commit)
	}
	// A checkout may have been made without the contents of files.
	if data, err = r.object(ctx, "blob", id); err != nil {
		return nil, fmt.Errorf("%s of commit %.12s is not in the checkout: %w", name, commit, err)
	}
	return data, nil
}

func firstLine(data []byte) string {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return string(line)
}

// treeEntry returns the mode and the name of an object of a folder, whose names have so many
// bytes; "" when it has none of that name.
func treeEntry(tree []byte, name string, size int) (mode, id string) {
	for {
		entry, rest, ok := bytes.Cut(tree, []byte{0})
		if !ok || len(rest) < size {
			return "", ""
		}
		mode, found, _ := strings.Cut(string(entry), " ")
		if found == name {
			return mode, hex.EncodeToString(rest[:size])
		}
		tree = rest[size:]
	}
}

// object returns an object of the repository. Git does not check what it reads: an object that
// somebody put over another one is an error here.
func (r repository) object(ctx context.Context, kind, id string) ([]byte, error) {
	if !commitName.MatchString(id) {
		return nil, fmt.Errorf("%q is not the name of an object", id)
	}
	out, err := r.git(ctx, "cat-file", "-s", id)
	if err != nil {
		return nil, err
	}
	if size, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64); err != nil || size > maxBaseFile {
		return nil, errors.New("it is too large")
	}
	data, err := r.git(ctx, "cat-file", kind, id)
	if err != nil {
		return nil, err
	}
	sum := sha1.New()
	if len(id) == 2*sha256.Size {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "%s %d\x00", kind, len(data))
	sum.Write(data)
	if hex.EncodeToString(sum.Sum(nil)) != id {
		return nil, fmt.Errorf("the repository has another %s under the name %s", kind, id)
	}
	return data, nil
}

// git runs git on the repository. It reads objects and nothing else: no hooks, no filters, no
// network, no replaced objects, and what the environment says of repositories does not count.
func (r repository) git(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	// The folder may belong to another user, as in containers.
	cmd := cli.Program(ctx, "git", append([]string{"-c", "safe.directory=*", "-c", "safe.bareRepository=explicit", "--no-replace-objects", "--literal-pathspecs", "--no-pager", "--no-optional-locks"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "INPUT_") || strings.HasPrefix(v, "GIT_") }), "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
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
