package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
)

// A file is a file to read.
type file struct {
	name  string // for messages: the name as given, or an archive, "/" and the member
	label label
	match matchKind
	depth int   // number of archives that contain it
	top   *file // the file itself, or the outermost archive that it is in
}

// A matchKind states how a file was found.
type matchKind uint8

const (
	inDirectory matchKind = iota // in a directory or an archive
	byPattern                    // by a pattern
	byName                       // by its name
)

// find returns the files that names, directories and patterns select, in their order. Each file is
// listed once, under its first name. links is the number of links that are not followed.
func find(dir *workspace.Directory, names []string, glob func([]string) ([]string, error), log *log) (files []*file, links int, err error) {
	f := finder{dir: dir, confined: glob != nil, globConfined: glob, log: log, seen: map[string]*file{}}
	var wanted []string
	for _, name := range names {
		pattern, ok := strings.CutPrefix(name, "!")
		if _, err := os.Lstat(name); ok && err != nil {
			if err := f.unwanted.Add(pattern); err != nil {
				return nil, 0, err
			}
			continue
		}
		wanted = append(wanted, name)
	}
	if len(names) > 0 && len(wanted) == 0 {
		return nil, 0, workspace.ErrOnlyExclusions
	}
	for _, name := range wanted {
		if err := f.find(name); err != nil {
			return nil, 0, err
		}
	}
	for _, pattern := range f.unwanted.Unused() {
		log.note("", "!%s excludes no file", pattern)
	}
	return f.files, f.links, nil
}

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

type finder struct {
	dir      *workspace.Directory
	confined bool
	// globConfined finds files by pattern if confined is set.
	globConfined func(patterns []string) ([]string, error)
	log          *log
	unwanted     workspace.Exclusions
	files        []*file
	links        int              // that are not followed
	seen         map[string]*file // by path without links
}

// glob returns the files that a pattern matches.
func (f *finder) glob(pattern string) ([]string, error) {
	if f.confined {
		return f.globConfined([]string{pattern})
	}
	return workspace.Find([]string{pattern})
}

// find adds the files that a name, a directory or a pattern selects.
func (f *finder) find(name string) error {
	info, err := os.Stat(name)
	isPattern := strings.ContainsAny(name, "*?")
	switch {
	case err == nil && info.IsDir():
		return f.inDirectory(name)
	case err == nil && !f.confined, !isPattern && !f.confined:
		return f.add(name, "", byName)
	}
	found, err := f.glob(name)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		f.log.note("", "no file matches %s", name)
	}
	match := byPattern
	if !isPattern {
		match = byName
	}
	outside := 0
	for _, name := range found {
		if _, err := f.dir.Path(name); err != nil && match == byPattern && isLink(name) {
			outside++
			continue
		}
		if err := f.add(name, "", match); err != nil {
			return err
		}
	}
	f.outside(name, outside)
	return nil
}

// outside reports the number of links that are not followed.
func (f *finder) outside(place string, links int) {
	f.links += links
	if links > 0 {
		f.log.note(place, "skipped symbolic links that dangle or lead out of the directory: %d", links)
	}
}

// inDirectory adds the files in a directory. It does not follow links that lead out of it.
func (f *finder) inDirectory(name string) error {
	root, err := f.dir.Path(name)
	if err != nil {
		return err
	}
	found, err := workspace.Glob(name, []string{"**"})
	if err != nil {
		return err
	}
	outside := 0
	for _, file := range found {
		path, err := f.dir.Path(file)
		rest := ""
		if err == nil {
			rest, err = filepath.Rel(root, path)
		}
		if isLink(file) && (err != nil || !filepath.IsLocal(rest)) {
			outside++
			continue
		}
		if err := f.add(file, name, inDirectory); err != nil {
			return err
		}
	}
	f.outside(name, outside)
	return nil
}

// add adds a file. It was found in the directory dir, or named directly if dir is "".
func (f *finder) add(name, dir string, match matchKind) error {
	if f.unwanted.Match(name) {
		return nil
	}
	path, err := f.dir.Path(name)
	switch {
	case err != nil && match == byName:
		return err
	case err != nil:
		path = name // reading it reports the error
	}
	if known := f.seen[path]; known != nil {
		known.match = max(known.match, match)
		return nil
	}
	l := fileLabel(dir, name)
	if l.stable == "" {
		return cli.BadInput(fmt.Errorf("%q is not a valid file name", name))
	}
	found := &file{name: filepath.ToSlash(filepath.Clean(name)), label: l, match: match}
	found.top = found
	f.seen[path] = found
	f.files = append(f.files, found)
	return nil
}
