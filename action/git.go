package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// maxBaseFile limits the size of the objects that are read. Policies and baselines are smaller.
const maxBaseFile = 64 << 20

// gitTime limits the time for reading a repository.
const gitTime = 2 * time.Minute

// errAbsent is returned for a file that a commit does not contain. Any other error means that it is
// unknown whether the commit contains the file.
var errAbsent = errors.New("the commit does not contain the file")

// errMissing is returned for an object that the checkout lacks.
var errMissing = errors.New("the checkout does not contain the object")

// A repository reads the objects of a git repository. Git does not verify what it reads, so the
// name of each object is recomputed: a substituted object is an error.
type repository struct {
	dir     string // holds .git; "" if there is no repository
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  *bytes.Buffer
	ctx     context.Context
	cancel  context.CancelFunc
	broken  error // why git cannot be used anymore
}

// openRepository starts git for the repository in a directory.
func openRepository(ctx context.Context, dir string) *repository {
	r := &repository{dir: dir, stderr: &bytes.Buffer{}}
	r.ctx, r.cancel = context.WithTimeout(ctx, gitTime)
	if dir == "" {
		r.broken = errors.New("no git repository")
		return r
	}
	r.command = r.git("cat-file", "--batch")
	r.command.Stderr = limitedWriter{r.stderr}
	in, err := r.command.StdinPipe()
	if err == nil {
		var out io.Reader
		out, err = r.command.StdoutPipe()
		r.in, r.out = in, bufio.NewReader(out)
	}
	if err == nil {
		err = r.command.Start()
	}
	if err != nil {
		r.command, r.broken = nil, gitError(r.ctx, dir, err, "")
	}
	return r
}

// close stops git.
func (r *repository) close() {
	r.cancel()
	if r.command != nil {
		r.command.Wait()
		r.command = nil
	}
}

// A limitedWriter drops everything after the first few kilobytes.
type limitedWriter struct{ *bytes.Buffer }

func (w limitedWriter) Write(p []byte) (int, error) {
	const most = 4 << 10
	w.Buffer.Write(p[:min(len(p), max(0, most-w.Len()))])
	return len(p), nil
}

// git returns a git command for the repository. It only reads objects: no hooks, filters, network
// or replaced objects. Variables that redirect git have no effect. Because the command names the
// repository, git accepts one that another user owns, as in containers.
func (r *repository) git(args ...string) *exec.Cmd {
	cmd := cli.Program(r.ctx, "git", append([]string{"--git-dir=" + filepath.Join(r.dir, ".git"), "--no-replace-objects"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "INPUT_") || strings.HasPrefix(v, "GIT_") }), "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	return cmd
}

// gitError returns an error that explains why git failed, and how to fix it.
func gitError(ctx context.Context, dir string, err error, stderr string) error {
	message := strings.TrimPrefix(gitMessage(stderr), "fatal: ")
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not installed; install it on the runner before running actions/checkout")
	case ctx.Err() != nil:
		return fmt.Errorf("git did not respond within %v", gitTime)
	case strings.Contains(stderr, "dubious ownership") || strings.Contains(stderr, "is owned by someone else"):
		return fmt.Errorf("git: %s; run 'git config --global --add safe.directory %s' before this step", message, dir)
	case errors.As(err, &exit) && exit.ExitCode() == 129:
		return fmt.Errorf("git is too old: %s; install git 2.18 or newer, which actions/checkout also requires", message)
	case strings.Contains(stderr, "lazy fetching disabled") || strings.Contains(stderr, "promisor remote"):
		return errors.New("the checkout is a partial clone, which lacks files of the base commit; remove the input filter from actions/checkout")
	case strings.Contains(stderr, "not a git repository"):
		return fmt.Errorf("git: %s; run actions/checkout before this step", message)
	case message != "":
		return fmt.Errorf("git: %s", message)
	case err != nil:
		return fmt.Errorf("git: %v", err)
	}
	return errors.New("git: unexpected end of output")
}

// gitMessage returns the first line of git's error output that is not a warning, or else the first.
func gitMessage(stderr string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(stderr)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	if len(lines) == 0 {
		return ""
	}
	i := slices.IndexFunc(lines, func(line string) bool {
		return !strings.HasPrefix(line, "warning: ") && !strings.HasPrefix(line, "hint: ")
	})
	return lines[max(i, 0)]
}

// stop records that git cannot be used anymore, and returns the reason.
func (r *repository) stop(err error) error {
	r.in.Close()
	wait := r.command.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = gitError(r.ctx, r.dir, wait, r.stderr.String())
	}
	r.command, r.broken = nil, err
	return err
}

// object returns an object of the repository. It returns [errMissing] if the checkout lacks the
// object.
func (r *repository) object(kind, id string) ([]byte, error) {
	if !commitName.MatchString(id) {
		return nil, fmt.Errorf("invalid object name %q", id)
	}
	data, name, got, err := r.read(id)
	if err != nil {
		return nil, err
	}
	sum := sha1.New()
	if len(id) == 2*sha256.Size {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "%s %d\x00", kind, len(data))
	sum.Write(data)
	if name != id || got != kind || hex.EncodeToString(sum.Sum(nil)) != id {
		return nil, fmt.Errorf("the repository has a different %s under the name %s", kind, id)
	}
	return data, nil
}

// read returns the object with a name, with its id and kind.
func (r *repository) read(name string) (data []byte, id, kind string, err error) {
	if r.broken != nil {
		return nil, "", "", r.broken
	}
	// Ignore the error: a write fails if git has exited, and the response has git's message.
	io.WriteString(r.in, name+"\n")
	head, err := r.out.ReadString('\n')
	if err != nil {
		return nil, "", "", r.stop(err)
	}
	fields := strings.Fields(head)
	if len(fields) == 2 && fields[1] == "missing" {
		return nil, "", "", errMissing
	}
	if len(fields) != 3 {
		return nil, "", "", r.stop(fmt.Errorf("git: unexpected response %q", safetext.Shorten(strings.TrimSpace(head))))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 || size > maxBaseFile {
		r.cancel()
		return nil, "", "", r.stop(fmt.Errorf("the object %s is too large: %s bytes (limit %d)", fields[0], fields[2], maxBaseFile))
	}
	data = make([]byte, size+1) // with a line break
	if _, err := io.ReadFull(r.out, data); err != nil {
		return nil, "", "", r.stop(err)
	}
	return data[:size], fields[0], fields[1], nil
}

// head returns the checked-out commit, or "" if unknown.
func (r *repository) head() string {
	_, id, kind, err := r.read("HEAD")
	if err != nil || kind != "commit" || !commitName.MatchString(id) {
		return ""
	}
	return id
}

// A commitObject holds the parsed part of a commit.
type commitObject struct {
	tree    string
	parents []string
	time    int64
}

// commit returns a commit.
func (r *repository) commit(id string) (c commitObject, err error) {
	data, err := r.object("commit", id)
	if err != nil {
		return c, err
	}
	head, _, _ := strings.Cut(string(data), "\n\n")
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case key == "tree" && c.tree == "":
			c.tree = value
		case key == "parent" && commitName.MatchString(value):
			c.parents = append(c.parents, value)
		case key == "committer":
			if fields := strings.Fields(value); len(fields) >= 2 {
				c.time, _ = strconv.ParseInt(fields[len(fields)-2], 10, 64)
			}
		}
	}
	return c, nil
}

// file returns the content of a file as committed. The path is relative to the root of the
// repository. It returns [errAbsent] if the commit does not contain the file, and [errMissing] if
// the checkout lacks the commit. Links to directories and submodules are followed within the
// repository.
func (r *repository) file(commit, name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%s is not in the repository", name)
	}
	c, err := r.commit(commit)
	if err != nil {
		return nil, err
	}
	w := pathWalk{repository: r, commit: commit, name: name, trees: []string{c.tree}, rest: strings.Split(name, "/")}
	return w.file()
}

// A pathWalk follows a path through the trees of a commit.
type pathWalk struct {
	*repository
	commit, name string
	trees        []string // of the visited directories, the root first
	at           []string // names of these directories, without the root
	rest         []string // the rest of the path
	links        int
}

// errorf returns an error about the path.
func (w *pathWalk) errorf(format string, args ...any) error {
	return &pathError{fmt.Sprintf("%s of commit %.12s "+format, append([]any{w.name, w.commit}, args...)...)}
}

// A pathError is returned if a commit does not have a file that can be read at a path.
type pathError struct{ message string }

func (e *pathError) Error() string { return e.message }

func (w *pathWalk) file() ([]byte, error) {
	for len(w.rest) > 0 {
		part := w.rest[0]
		w.rest = w.rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(w.at) == 0 {
				return nil, w.errorf("is reached through a symbolic link that leads out of the repository")
			}
			w.at, w.trees = w.at[:len(w.at)-1], w.trees[:len(w.trees)-1]
			continue
		}
		tree, err := w.stored("tree", w.trees[len(w.trees)-1])
		if err != nil {
			return nil, err
		}
		mode, id := treeEntry(tree, part, len(w.trees[0])/2)
		isLast := len(w.rest) == 0
		switch {
		case mode == "":
			return nil, errAbsent
		case mode == "40000":
			w.at, w.trees = append(w.at, part), append(w.trees, id)
		case mode == "120000":
			if err := w.follow(part, id, isLast); err != nil {
				return nil, err
			}
		case mode == "160000":
			if isLast {
				return nil, w.errorf("is a submodule, not a file")
			}
			return w.inSubmodule(path.Join(append(slices.Clone(w.at), part)...), id)
		case strings.HasPrefix(mode, "100") && isLast:
			return w.stored("blob", id)
		case strings.HasPrefix(mode, "100"):
			return nil, errAbsent // a file instead of a directory
		default:
			return nil, w.errorf("is not a file")
		}
	}
	return nil, w.errorf("is a directory, not a file")
}

// stored returns an object that a commit refers to, which a partial clone may lack.
func (w *pathWalk) stored(kind, id string) ([]byte, error) {
	data, err := w.object(kind, id)
	if errors.Is(err, errMissing) {
		if w.git("config", "--get-regexp", `^(remote\..*\.promisor|extensions\.partialclone)$`).Run() == nil {
			return nil, w.errorf("is not in the checkout, which is a partial clone; remove the input filter from actions/checkout")
		}
		return nil, w.errorf("is not in the checkout: the %s %s is missing", kind, id)
	}
	return data, err
}

// follow replaces the name of a symbolic link with its target.
func (w *pathWalk) follow(part, id string, isLast bool) error {
	data, err := w.stored("blob", id)
	if err != nil {
		return err
	}
	const most = 40
	target := string(data)
	switch w.links++; {
	case isLast:
		return w.errorf("is a symbolic link to %s; use the path of that file instead", target)
	case w.links > most:
		return w.errorf("is reached through more than %d symbolic links", most)
	case path.IsAbs(target):
		return w.errorf("is reached through %s, a symbolic link that leads out of the repository", path.Join(append(slices.Clone(w.at), part)...))
	}
	w.rest = append(strings.Split(target, "/"), w.rest...)
	return nil
}

// inSubmodule returns the file at the rest of the path in a submodule. The commit pins the content
// of the submodule.
func (w *pathWalk) inSubmodule(below, commit string) ([]byte, error) {
	dir := filepath.Join(w.dir, filepath.FromSlash(below))
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		_, err = os.Lstat(filepath.Join(real, ".git"))
	}
	if err != nil || real != dir {
		return nil, w.errorf("is in the submodule %s, which is not checked out; set submodules: true in actions/checkout", below)
	}
	sub := openRepository(w.ctx, dir)
	defer sub.close()
	data, err := sub.file(commit, path.Join(w.rest...))
	switch {
	case errors.Is(err, errMissing):
		return nil, w.errorf("is in the submodule %s, whose checkout does not contain the commit %.12s; run 'git -C %s fetch origin %s' before this step", below, commit, below, commit)
	case err != nil && !errors.Is(err, errAbsent):
		return nil, w.errorf("is in the submodule %s: %v", below, err)
	}
	return data, err
}

// treeEntry returns the mode and the name of an object in a tree, whose object names have size
// bytes. The mode is "" if the tree lacks the object.
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

// isShallow reports whether the checkout has only part of the history.
func (r *repository) isShallow() bool {
	out, err := r.git("rev-parse", "--git-path", "shallow").Output()
	if err != nil {
		return false
	}
	name := strings.TrimSpace(string(out))
	if !filepath.IsAbs(name) {
		name = filepath.Join(r.dir, name)
	}
	info, err := os.Stat(name)
	return err == nil && info.Size() > 0
}

// maxHistory limits the number of commits that are read to find where a change diverged.
const maxHistory = 20_000

// mergeBases returns the merge bases of two commits. It returns none if the checkout lacks the
// history, or if the history is too long.
func (r *repository) mergeBases(a, b string) (bases []string) {
	const ofA, ofB, isCommon, isFound = 1, 2, 4, 8
	flags := map[string]int{}
	var queue []queuedCommit // the newest commit last
	add := func(id string, flag int) bool {
		if flags[id]&flag == flag {
			return true
		}
		isNew := flags[id] == 0
		flags[id] |= flag
		c, err := r.commit(id)
		if err != nil || isNew && len(flags) > maxHistory {
			return false
		}
		i, _ := slices.BinarySearchFunc(queue, c.time, func(q queuedCommit, time int64) int { return cmp.Compare(q.time, time) })
		queue = slices.Insert(queue, i, queuedCommit{id, c})
		return true
	}
	if !add(a, ofA) || !add(b, ofB) {
		return nil
	}
	isOpen := func(c queuedCommit) bool { return flags[c.id]&isCommon == 0 }
	for slices.ContainsFunc(queue, isOpen) {
		c := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		flag := flags[c.id] & (ofA | ofB | isCommon)
		if flag == ofA|ofB {
			if flags[c.id]&isFound == 0 {
				flags[c.id] |= isFound
				bases = append(bases, c.id)
			}
			flag |= isCommon
		}
		for _, parent := range c.parents {
			if !add(parent, flag) {
				return nil
			}
		}
	}
	// A common commit that another common commit leads to is not a merge base.
	return slices.DeleteFunc(slices.Clone(bases), func(id string) bool {
		return flags[id]&isCommon != 0 || slices.ContainsFunc(bases, func(other string) bool { return other != id && r.leadsTo(other, id) })
	})
}

// leadsTo reports whether a commit is in the history of another.
func (r *repository) leadsTo(from, to string) bool {
	oldest, err := r.commit(to)
	if err != nil {
		return false
	}
	seen := map[string]bool{}
	for queue := []string{from}; len(queue) > 0 && len(seen) < maxHistory; queue = queue[1:] {
		id := queue[0]
		if id == to {
			return true
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		if c, err := r.commit(id); err == nil && c.time >= oldest.time {
			queue = append(queue, c.parents...)
		}
	}
	return false
}

type queuedCommit struct {
	id string
	commitObject
}
