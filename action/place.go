package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
)

// A place holds the directories of a job. All paths are absolute and without links.
type place struct {
	onGitHub bool   // only files of the workspace are read
	named    string // the workspace as the runner names it, possibly through links
	outer    string // the directory that may hold input files: the workspace or the repository around it
	dir      string // the directory that inputs are relative to
	repo     string // the repository, or "" if there is none
	// prefix turns a path relative to dir into one relative to the workspace, and inRepo into one
	// relative to the repository, as GitHub shows it. They are "" if dir is that directory.
	prefix, inRepo string
}

// findPlace returns the directories of a job that runs in a workspace.
func findPlace(named, workingDirectory string, onGitHub bool) (p place, err error) {
	p.onGitHub, p.named = onGitHub, named
	if p.outer, err = filepath.EvalSymlinks(named); err == nil {
		p.outer, err = filepath.Abs(p.outer)
	}
	if err != nil && onGitHub {
		return p, cli.Usagef("GITHUB_WORKSPACE: cannot use %q: %v; set it to the directory of the checkout", named, workspace.Reason(err))
	}
	if err != nil {
		return p, err
	}
	// A change may have added a link, so resolve the directory before anything below it.
	full := filepath.FromSlash(workingDirectory)
	if filepath.IsAbs(full) {
		below, ok := p.relativeToOuter(full)
		if !ok {
			return p, cli.Usagef("input working-directory: %q is not in the workspace %s", workingDirectory, p.named)
		}
		full = below
	}
	p.dir, err = filepath.EvalSymlinks(filepath.Join(p.outer, full))
	if err != nil {
		return p, cli.Usagef("input working-directory: cannot use %q: %v", workingDirectory, workspace.Reason(err))
	}
	below, err := filepath.Rel(p.outer, p.dir)
	if err != nil || !filepath.IsLocal(below) {
		return p, cli.Usagef("input working-directory: %q leads out of the workspace through a symbolic link", workingDirectory)
	}
	if info, err := os.Stat(p.dir); err != nil || !info.IsDir() {
		return p, cli.Usagef("input working-directory: %q is not a directory", workingDirectory)
	}
	if below != "." {
		p.prefix = filepath.ToSlash(below)
	}
	p.repo = repositoryAround(p.outer, p.prefix)
	if p.repo == "" && !onGitHub {
		if p.repo = repositoryAbove(p.outer); p.repo != "" {
			p.outer = p.repo
		}
	}
	if p.inRepo = p.prefix; onGitHub {
		if p.inRepo, err = p.inRepository("."); p.inRepo == "." {
			p.inRepo = ""
		}
	}
	return p, err
}

// noRepository returns why there is no repository.
func (p place) noRepository() error {
	entries, _ := os.ReadDir(p.dir)
	for _, entry := range entries {
		if entry.IsDir() && hasGit(filepath.Join(p.dir, entry.Name())) {
			return &missingError{fmt.Sprintf("the repository is in %s, not in the working directory; set the input working-directory to %s", entry.Name(), path.Join(p.prefix, entry.Name()))}
		}
	}
	return &missingError{"no git repository in the workspace; run actions/checkout before this step, on a runner with git"}
}

// repositoryAround returns the outermost repository between the workspace and a directory in it, or
// "" if there is none. Inner repositories, such as submodules, may be part of the change.
func repositoryAround(outer, below string) string {
	dir := outer
	for _, part := range append(strings.Split(below, "/"), "") {
		if hasGit(dir) {
			return dir
		}
		dir = filepath.Join(dir, part)
	}
	return ""
}

// repositoryAbove returns the repository that contains a directory, or "" if there is none.
func repositoryAbove(dir string) string {
	for {
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		if dir = up; hasGit(dir) {
			return dir
		}
	}
}

func hasGit(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// inWorkspace converts a path relative to the input directory to one relative to the workspace.
func (p place) inWorkspace(name string) string {
	if name == "" || path.IsAbs(filepath.ToSlash(name)) || filepath.IsAbs(name) {
		return name
	}
	return path.Join(p.prefix, filepath.ToSlash(name))
}

// localPath returns the path of an input relative to dir, with "/". A path may be absolute or lead
// upward. It returns an error for a relative path that leads out of the workspace, and returns an
// absolute path outside of it unchanged.
func (p place) localPath(name string) (string, error) {
	full := filepath.FromSlash(name)
	if filepath.IsAbs(full) {
		below, ok := p.relativeToOuter(full)
		if !ok {
			return filepath.ToSlash(filepath.Clean(full)), nil
		}
		full = filepath.Join(p.outer, below)
	} else {
		full = filepath.Join(p.dir, full)
		if !isBelow(full, p.outer) {
			return "", cli.Usagef("%s is not in the repository or the workspace", name)
		}
	}
	rel, err := filepath.Rel(p.dir, full)
	return filepath.ToSlash(rel), err
}

// localInput is like localPath for a file to read. On GitHub, it returns an error for an absolute
// path outside of the workspace, because a change may have written the path.
func (p place) localInput(name string) (string, error) {
	found, err := p.localPath(name)
	if err == nil && p.onGitHub && path.IsAbs(found) {
		return "", cli.Usagef("%s is not in the workspace %s; use a path relative to working-directory", name, p.named)
	}
	return found, err
}

// localOutput is like localInput for a file to write. It returns an error for a file in a Git
// directory.
func (p place) localOutput(name string) (string, error) {
	found, err := p.localInput(name)
	if err == nil && isInGit(found) {
		return "", cli.Usagef("refusing to write %s, because Git's own files are in .git; choose a different path", name)
	}
	return found, err
}

// isInGit reports whether a path leads through a Git directory.
func isInGit(name string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(name), "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// relativeToOuter returns an absolute path in the workspace relative to p.outer.
func (p place) relativeToOuter(full string) (string, bool) {
	for _, root := range []string{p.outer, p.named} {
		if root, err := filepath.Abs(root); err == nil && isBelow(full, root) {
			rest, err := filepath.Rel(root, full)
			if root != p.outer { // the workspace, which may be inside the repository
				real, errReal := filepath.EvalSymlinks(root)
				if err = cmp.Or(err, errReal); err == nil {
					rest, err = filepath.Rel(p.outer, filepath.Join(real, rest))
				}
			}
			return rest, err == nil
		}
	}
	return "", false
}

func isBelow(full, root string) bool {
	rest, err := filepath.Rel(root, full)
	return err == nil && filepath.IsLocal(rest)
}

// inRepository converts a local path to one relative to the root of the repository.
func (p place) inRepository(name string) (string, error) {
	full := filepath.FromSlash(name)
	if !filepath.IsAbs(full) {
		full = filepath.Join(p.dir, full)
	}
	rest, err := filepath.Rel(cmp.Or(p.repo, p.outer), full)
	if err != nil || !filepath.IsLocal(rest) {
		return "", fmt.Errorf("%s is not in the repository", name)
	}
	return filepath.ToSlash(rest), nil
}

// exists reports whether there is a file of any type at a local path. An error means that this is
// unknown.
func (p place) exists(name string) (bool, error) {
	_, err := os.Lstat(p.path(name))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false, nil
	}
	return false, fmt.Errorf("cannot read %s: %v", name, workspace.Reason(err))
}

func (p place) path(name string) string {
	if full := filepath.FromSlash(name); filepath.IsAbs(full) {
		return full
	}
	return filepath.Join(p.dir, filepath.FromSlash(name))
}

// read reads a file of the change, which may be of any type. It rejects links that lead out of the
// workspace.
func (p place) read(name string) ([]byte, error) {
	full := p.path(name)
	root := p.outer
	if isBelow(full, p.dir) {
		root = p.dir // which may hold Bazel outputs
	}
	here, err := workspace.Open(root)
	if err != nil {
		return nil, err
	}
	defer here.Close()
	f, err := here.Open(full)
	if why, ok := errors.AsType[*workspace.OpenError](err); ok {
		err = &unreadableError{strings.Replace(why.Error(), full, name, 1), why}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBaseFile+1))
	if err == nil && len(data) > maxBaseFile {
		err = fmt.Errorf("%s is too large (limit %d MiB)", name, maxBaseFile>>20)
	}
	return append([]byte{}, data...), err // not nil if the file is empty
}

// An unreadableError is returned if a file of the change cannot be opened.
type unreadableError struct {
	message string
	err     error
}

func (e *unreadableError) Error() string { return e.message }
func (e *unreadableError) Unwrap() error { return e.err }

// glob returns the files that the patterns of an input match. Patterns may be absolute or
// lead upward, within the workspace.
func (p place) glob(patterns []string) ([]string, error) {
	var here, above, wanted []string
	var unwanted workspace.Exclusions
	for _, text := range patterns {
		rest, not := strings.CutPrefix(text, "!")
		local, isAbove := p.localPattern(rest)
		switch {
		case not && isAbove:
			if err := unwanted.Add(local); err != nil {
				return nil, err
			}
			continue
		case isAbove:
			above = append(above, strings.TrimPrefix(local, p.outerPath()+"/"))
		case not:
			here = append(here, "!"+local)
		default:
			here = append(here, local)
		}
		if !not {
			wanted = append(wanted, local)
		}
	}
	var found []string
	if len(wanted) > len(above) || len(above) == 0 {
		names, err := workspace.Glob(".", here)
		if err != nil {
			return nil, err
		}
		found = names
	}
	if len(above) > 0 {
		for _, text := range here {
			if rest, not := strings.CutPrefix(text, "!"); not {
				if err := unwanted.Add(rest); err != nil {
					return nil, err
				}
			}
		}
		names, err := workspace.Glob(filepath.FromSlash(p.outerPath()), above)
		if err != nil {
			return nil, err
		}
		names = slices.DeleteFunc(names, unwanted.Match)
		if err := p.checkLinks(names); err != nil {
			return nil, err
		}
		found = append(found, names...)
	}
	var left []string
	for _, name := range found {
		if !unwanted.Match(name) {
			left = append(left, name)
		}
	}
	return left, nil
}

// outerPath returns p.outer relative to p.dir.
func (p place) outerPath() string {
	rel, err := filepath.Rel(p.dir, p.outer)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(rel)
}

// localPattern returns a pattern relative to p.dir, and whether it matches files above p.dir. It
// returns patterns that lead out of the workspace unchanged; using them fails later.
func (p place) localPattern(text string) (local string, isAbove bool) {
	literal, rest := text, ""
	if i := strings.IndexAny(text, "*?"); i >= 0 {
		i = strings.LastIndexByte(text[:i], '/') + 1
		literal, rest = text[:i], text[i:]
	}
	if !path.IsAbs(literal) && literal != ".." && !strings.HasPrefix(literal, "../") {
		return text, false
	}
	name, err := p.localPath(literal)
	if err != nil || path.IsAbs(name) {
		return text, false
	}
	isAbove = name == ".." || strings.HasPrefix(name, "../")
	if name == "." && rest != "" {
		return rest, false
	}
	if isAbove { // Glob names files below p.outer
		full := filepath.Join(p.dir, filepath.FromSlash(name))
		below, err := filepath.Rel(p.outer, full)
		if err != nil {
			return text, false
		}
		name = p.outerPath() + "/" + filepath.ToSlash(below)
		if below == "." {
			name = p.outerPath()
		}
	}
	if rest != "" {
		name += "/" + rest
	}
	return name, isAbove
}

// localPatterns returns patterns and directory names relative to p.dir. It returns an error if one
// of them leads out of the workspace.
func (p place) localPatterns(texts []string) (list []string, err error) {
	for _, text := range texts {
		rest, not := strings.CutPrefix(text, "!")
		local, isAbove := p.localPattern(rest)
		if path.IsAbs(local) || !isAbove && (local == ".." || strings.HasPrefix(local, "../")) {
			return nil, cli.Usagef("pattern %q leads out of the workspace", text)
		}
		if _, err := os.Lstat(filepath.FromSlash(local)); err == nil && isAbove && !not {
			if err := p.checkLinks([]string{local}); err != nil {
				return nil, err
			}
		}
		if not {
			local = "!" + local
		}
		list = append(list, local)
	}
	return list, nil
}

// checkLinks returns an error for a file above p.dir that links out of the workspace. Files below
// are checked when they are opened.
func (p place) checkLinks(names []string) error {
	outer, err := workspace.Open(p.outer)
	if err != nil {
		return err
	}
	defer outer.Close()
	for _, name := range names {
		if _, err := outer.Path(name); err != nil {
			return err
		}
	}
	return nil
}
