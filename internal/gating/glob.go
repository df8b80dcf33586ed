package gating

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// Limits of a search for files.
const (
	maxPatterns = 1000
	maxPattern  = 4096
	maxDepth    = 100
	maxVisited  = 1_000_000
)

// SplitPatterns returns the patterns of an input: they stand in lines of their
// own or between commas.
func SplitPatterns(s string) (list []string) {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Glob returns the files in a folder that patterns match, sorted, each once, with
// the folder in front. "*" stands for any text in a name, "?" for a character and
// "**" for any folders; patterns that begin with "!" take files away again,
// wherever they stand in the list. Patterns cannot leave the folder. Links are
// followed where a pattern spells them out, and only to the folder itself and to
// outputs of Bazel: "bazel-bin/**/*.compat.json" finds reports there, and
// "**/*.compat.json" does not.
func Glob(folder string, patterns []string) ([]string, error) {
	found, err := search(folder, patterns)
	return found, escaped(err)
}

func search(folder string, patterns []string) ([]string, error) {
	if len(patterns) > maxPatterns {
		return nil, cli.Usagef("there are %d patterns, and there can be %d", len(patterns), maxPatterns)
	}
	var wanted, unwanted [][]string
	for _, p := range patterns {
		rest, not := strings.CutPrefix(p, "!")
		parts, err := splitPattern(rest)
		switch {
		case err != nil:
			return nil, cli.Usagef("pattern %q %v", p, err)
		case not:
			unwanted = append(unwanted, parts)
		default:
			wanted = append(wanted, parts)
		}
	}
	if len(patterns) > 0 && len(wanted) == 0 {
		return nil, cli.Usagef("patterns that begin with ! take files away, and there is none that finds some")
	}
	open, err := newOpener(folder)
	if err != nil {
		return nil, err
	}
	defer open.root.Close()
	s := searcher{opener: open}
	for _, parts := range wanted {
		if err := s.find(parts); err != nil {
			return nil, err
		}
	}
	slices.Sort(s.found)
	var names []string
	for _, path := range slices.Compact(s.found) {
		if !slices.ContainsFunc(unwanted, func(parts []string) bool { return matchPath(parts, strings.Split(path, "/")) }) {
			names = append(names, filepath.Join(folder, filepath.FromSlash(path)))
		}
	}
	return names, nil
}

// splitPattern returns the parts of a pattern between slashes.
func splitPattern(p string) ([]string, error) {
	if len(p) > maxPattern {
		return nil, fmt.Errorf("is longer than %d bytes", maxPattern)
	}
	var parts []string
	for i, part := range strings.Split(p, "/") {
		switch {
		case part == "" && i == 0:
			return nil, fmt.Errorf("is empty or not relative")
		case part == "" || part == ".":
		case part == "..":
			return nil, fmt.Errorf("leads out of the folder")
		case part == "**" && len(parts) > 0 && parts[len(parts)-1] == "**":
		case i == 0 && strings.HasPrefix(part, "-"):
			return nil, fmt.Errorf("begins with a dash; write ./- if this is the name of a file")
		case strings.ContainsAny(part, "\\\x00") || !filepath.IsLocal(part):
			return nil, fmt.Errorf("has a part that is no name; there is / between folders")
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("names no file")
	}
	if len(parts) > maxDepth {
		return nil, fmt.Errorf("has more than %d parts", maxDepth)
	}
	return parts, nil
}

type searcher struct {
	*opener
	found   []string // with "/", from the folder
	visited int
}

// find adds the files that a pattern matches.
func (s *searcher) find(parts []string) error {
	plain := 0 // parts in front that are names
	for plain < len(parts)-1 && !strings.ContainsAny(parts[plain], "*?") {
		plain++
	}
	start := filepath.Join(append([]string{s.dir}, parts[:plain]...)...)
	if _, err := os.Stat(start); err != nil {
		return nil // there is no such folder
	}
	real, _, err := s.resolve(start)
	if err != nil {
		return err
	}
	rest := parts[plain:]
	return filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		if s.visited++; s.visited > maxVisited {
			return cli.BadInput(fmt.Errorf("there are more than %d files to look at: make the patterns narrower", maxVisited))
		}
		if path == real {
			return err
		}
		if err != nil {
			return fs.SkipDir // a folder that cannot be read
		}
		below, err := filepath.Rel(real, path)
		if err != nil {
			return err
		}
		names := strings.Split(filepath.ToSlash(below), "/")
		if d.IsDir() {
			if d.Name() == ".git" || len(names) > maxDepth || !matchFolder(rest, names) {
				return fs.SkipDir
			}
			return nil
		}
		if !matchPath(rest, names) {
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return nil // a link to a folder
		}
		s.found = append(s.found, strings.Join(append(slices.Clone(parts[:plain]), names...), "/"))
		return nil
	})
}

// matchPath reports whether a pattern matches a path. The work is at most the
// product of their lengths.
func matchPath(parts, names []string) bool { return matchParts(parts, names)[len(parts)] }

// matchFolder reports whether a pattern may match something in a folder.
func matchFolder(parts, names []string) bool {
	at := matchParts(parts, names)
	return slices.Contains(at[:len(parts)], true)
}

// matchParts returns, for each number of the parts in front of a pattern, whether
// these match a path.
func matchParts(parts, names []string) []bool {
	now := make([]bool, len(parts)+1)
	now[0] = true
	skip := func(at []bool) {
		for i, p := range parts {
			if p == "**" && at[i] {
				at[i+1] = true
			}
		}
	}
	skip(now)
	for _, name := range names {
		next := make([]bool, len(parts)+1)
		for i, p := range parts {
			switch {
			case !now[i]:
			case p == "**":
				next[i] = true
			case matchName(p, name):
				next[i+1] = true
			}
		}
		skip(next)
		now = next
	}
	return now
}

// matchName reports whether a pattern with "*" and "?" matches a name. After a
// fault only the last star takes one character more.
func matchName(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	i, j, star, mark := 0, 0, -1, 0
	for j < len(n) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
