package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Limits on a file search.
const (
	maxPatterns = 1000
	maxPattern  = 4096
	maxDepth    = 100
	maxVisited  = 1_000_000
)

// SplitPatterns returns the patterns of an input, which are separated by newlines or commas.
func SplitPatterns(s string) (list []string) {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Glob returns the files in a directory that match patterns, sorted, each once, prefixed with the
// directory. "*" matches any text in a name, "?" a character and "**" any directories; patterns
// that start with "!" exclude files, or directories with their content, regardless of their
// position in the list. Patterns cannot leave the directory. Links are followed only if a pattern
// names them literally, and only to the directory itself and to Bazel outputs:
// "bazel-bin/**/*.compat.json" finds reports there, and "**/*.compat.json" does not. An unreadable
// directory is returned instead of its files, so reading the results reports the error.
func Glob(dir string, patterns []string) ([]string, error) {
	found, err := search(dir, patterns)
	return found, safetext.Error(err)
}

func search(dir string, patterns []string) ([]string, error) {
	if len(patterns) > maxPatterns {
		return nil, cli.Usagef("too many patterns: %d (limit %d)", len(patterns), maxPatterns)
	}
	var wanted, unwanted []pattern
	for _, p := range patterns {
		list, parse := &wanted, parsePattern
		rest, not := strings.CutPrefix(p, "!")
		if not {
			list, parse = &unwanted, parseExclusion
		}
		parsed, err := parse(rest)
		if err != nil {
			return nil, cli.Usagef("pattern %q %v", p, err)
		}
		*list = append(*list, parsed)
	}
	if len(patterns) > 0 && len(wanted) == 0 {
		return nil, ErrOnlyExclusions
	}
	open, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	s := searcher{Directory: open}
	for _, p := range wanted {
		if err := s.find(p); err != nil {
			return nil, err
		}
	}
	slices.Sort(s.found)
	var names []string
	for _, path := range slices.Compact(s.found) {
		if !slices.ContainsFunc(unwanted, func(p pattern) bool { return p.matches(path) }) {
			names = append(names, filepath.Join(dir, filepath.FromSlash(path)))
		}
	}
	return names, nil
}

// ErrOnlyExclusions is returned if all patterns begin with an exclamation mark.
var ErrOnlyExclusions = cli.Usagef("patterns that start with ! exclude files; add a pattern that matches files")

// Find returns the files that patterns match. Unlike patterns for [Glob], they may start with a
// path to another directory.
func Find(patterns []string) ([]string, error) {
	byDir := map[string][]string{}
	var dirs []string
	var unwanted Exclusions
	for _, p := range patterns {
		if name, not := strings.CutPrefix(p, "!"); not {
			if err := unwanted.Add(name); err != nil {
				return nil, err
			}
			continue
		}
		dir, name := splitDir(p)
		if byDir[dir] == nil {
			dirs = append(dirs, dir)
		}
		byDir[dir] = append(byDir[dir], name)
	}
	if len(patterns) > 0 && len(dirs) == 0 {
		return nil, ErrOnlyExclusions
	}
	var all []string
	for _, dir := range dirs {
		if _, err := os.Stat(dir); isMissing(err) {
			continue // it contains no matches
		}
		found, err := Glob(dir, byDir[dir])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return slices.DeleteFunc(all, unwanted.Match), nil
}

// splitDir splits a pattern that is not relative to the current directory into the directory
// before its first special character and the rest.
func splitDir(pattern string) (dir, rest string) {
	if !filepath.IsAbs(pattern) && !strings.HasPrefix(pattern, "..") {
		return ".", pattern
	}
	end := len(pattern)
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		end = i
	}
	i := strings.LastIndexByte(pattern[:end], '/')
	return pattern[:i+1], pattern[i+1:]
}

// A pattern is a list of parts between slashes.
type pattern []string

// stars matches several stars, which are equivalent to one. In doublestar, "a***" does not match
// "a".
var stars = regexp.MustCompile(`\*+`)

func parsePattern(text string) (pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("is longer than %d bytes", maxPattern)
	}
	var p pattern
	for i, part := range strings.Split(text, "/") {
		switch {
		case part == "" && i == 0:
			return nil, errors.New("is empty or not relative")
		case part == "" || part == ".":
		case part == "..":
			return nil, errors.New("leads out of the directory")
		case part == "**" && len(p) > 0 && p[len(p)-1] == "**":
		case i == 0 && strings.HasPrefix(part, "-"):
			return nil, errors.New("starts with a dash; for a file name, write ./-")
		case strings.ContainsAny(part, "\\\x00") || !filepath.IsLocal(part):
			return nil, errors.New("has an invalid path component; separate directories with /")
		case part != "**":
			p = append(p, stars.ReplaceAllLiteralString(part, "*"))
		default:
			p = append(p, part)
		}
	}
	if len(p) == 0 {
		return nil, errors.New("names no file")
	}
	if len(p) > maxDepth {
		return nil, fmt.Errorf("has too many path components (limit %d)", maxDepth)
	}
	return p, nil
}

// parseExclusion parses a pattern that excludes files or directories.
func parseExclusion(text string) (pattern, error) {
	p, err := parsePattern(strings.TrimRight(text, "/"))
	return append(p, "**"), err // which also matches zero directories
}

// cut splits a pattern after its leading names without special characters. The last part is never
// among them.
func (p pattern) cut() (names, rest pattern) {
	n := 0
	for n < len(p)-1 && !strings.ContainsAny(p[n], "*?") {
		n++
	}
	return p[:n], p[n:]
}

// literal escapes characters that are special to doublestar but not here, such as brackets.
var literal = strings.NewReplacer("[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)

func (p pattern) matches(path string) bool {
	return doublestar.MatchUnvalidated(literal.Replace(strings.Join(p, "/")), path)
}

// mayMatchIn reports whether a pattern may match something in a directory.
func (p pattern) mayMatchIn(dir string) bool {
	depth := strings.Count(dir, "/") + 1
	if any := slices.Index(p, "**"); any >= 0 && any <= depth {
		// Below the literal directories, a match may be anywhere.
		return any == 0 || p[:any].matches(strings.Join(strings.SplitN(dir, "/", any+1)[:any], "/"))
	}
	return depth < len(p) && p[:depth].matches(dir)
}

type searcher struct {
	*Directory
	found   []string // with "/", relative to the directory
	visited int
}

// find adds the files that a pattern matches.
func (s *searcher) find(p pattern) error {
	names, rest := p.cut()
	start := filepath.Join(append([]string{s.dir}, names...)...)
	_, err := os.Stat(start)
	switch {
	case isMissing(err):
		return nil
	case err != nil:
		s.found = append(s.found, path.Join(names...))
		return nil
	}
	real, err := s.Path(start)
	if err != nil {
		return err
	}
	return filepath.WalkDir(real, func(name string, d fs.DirEntry, err error) error {
		if s.visited++; s.visited > maxVisited {
			return cli.BadInput(fmt.Errorf("the patterns cover too many files (limit %d); use narrower patterns", maxVisited))
		}
		below, outside := filepath.Rel(real, name)
		if outside != nil {
			return outside
		}
		below = filepath.ToSlash(below)
		if err != nil {
			if !isMissing(err) {
				s.found = append(s.found, path.Join(append(slices.Clone(names), below)...))
			}
			return fs.SkipDir
		}
		if name == real {
			return nil
		}
		if d.IsDir() {
			if d.Name() == ".git" || strings.Count(below, "/") >= maxDepth || !rest.mayMatchIn(below) {
				return fs.SkipDir
			}
			return nil
		}
		if !rest.matches(below) {
			return nil
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return nil // a link to a directory
		}
		s.found = append(s.found, path.Join(append(slices.Clone(names), below)...))
		return nil
	})
}

// isMissing reports whether an error means that a file does not exist.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
