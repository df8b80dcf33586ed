package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// Exclusions exclude files under all of their names: relative to the current directory or the root,
// directly or through links to directories.
type Exclusions struct{ list []*exclusion }

type exclusion struct {
	text    string
	dir     string // absolute
	pattern pattern
	real    string  // the directory that the pattern starts with, without links
	rest    pattern // the rest of the pattern
	used    bool
}

// Add adds a pattern, which may start with a path to another directory.
func (e *Exclusions) Add(text string) error {
	x := &exclusion{text: text}
	dir, rest := splitDir(strings.TrimRight(text, "/"))
	var err error
	if x.pattern, err = parseExclusion(rest); err != nil {
		return cli.Usagef("pattern %q %v", "!"+text, err)
	}
	if x.dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	names, _ := x.pattern.cut()
	for n := len(names); n >= 0; n-- { // except for a link to a file, which is not resolved
		path := filepath.Join(append([]string{x.dir}, names[:n]...)...)
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			continue
		}
		if x.real, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
		x.rest = x.pattern[n:]
		break
	}
	e.list = append(e.list, x)
	return nil
}

// Match reports whether a file is excluded.
func (e *Exclusions) Match(name string) bool {
	if len(e.list) == 0 {
		return false
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return false
	}
	real := path // except for the file itself, which may be a link
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		real = filepath.Join(dir, filepath.Base(path))
	}
	any := false
	for _, x := range e.list {
		if x.pattern.matchesIn(x.dir, path) || x.rest != nil && x.rest.matchesIn(x.real, real) {
			x.used, any = true, true
		}
	}
	return any
}

// Unused returns the patterns that excluded nothing.
func (e *Exclusions) Unused() (list []string) {
	for _, x := range e.list {
		if !x.used {
			list = append(list, x.text)
		}
	}
	return list
}

// matchesIn reports whether a pattern for a directory matches a path.
func (p pattern) matchesIn(dir, path string) bool {
	below, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(below) && p.matches(filepath.ToSlash(below))
}
