package main

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	archiveMagic = "!<arch>\n"
	thinMagic    = "!<thin>\n" // the members are files outside the archive
)

// memberHeader is the size of the header of an archive's member.
const memberHeader = 60

// members calls read for each member of an archive, with its name. In a thin archive, the name is a
// path, and the content is not in the archive. A damaged archive ends the iteration without an error,
// because the linker reports the damage.
func members(archive io.ReaderAt, thin bool, read func(name string, content io.ReaderAt) error) error {
	header := make([]byte, memberHeader)
	var names []byte
	for at := int64(len(archiveMagic)); ; {
		size, ok := memberSize(archive, header, at)
		if !ok {
			return nil
		}
		at += memberHeader
		content := io.NewSectionReader(archive, at, size)
		name := strings.TrimRight(string(header[:16]), " ")
		index := name == "/" || name == "/SYM64/" // the symbol table
		if !thin || index || name == "//" {
			at += size + size%2
		}
		switch {
		case index:
			continue
		case name == "//":
			if size > maxNames {
				return nil
			}
			names = make([]byte, size)
			if _, err := io.ReadFull(content, names); err != nil {
				return nil
			}
			continue
		case strings.HasPrefix(name, "/"):
			offset, err := strconv.Atoi(name[1:])
			if err != nil || offset < 0 || offset >= len(names) {
				return nil
			}
			name, _, _ = strings.Cut(string(names[offset:]), "\n")
		}
		if name = strings.TrimSuffix(name, "/"); name == "" {
			return nil
		}
		if err := read(name, content); err != nil {
			return err
		}
	}
}

// memberSize reads the header of a member and returns its size.
func memberSize(archive io.ReaderAt, header []byte, at int64) (size int64, ok bool) {
	if _, err := archive.ReadAt(header, at); err != nil {
		return 0, false
	}
	size, err := strconv.ParseInt(strings.TrimSpace(string(header[48:58])), 10, 64)
	return size, err == nil && size >= 0 && size < 1<<62
}

// maxNames limits the table of names of an archive.
const maxNames = 64 << 20

// thinMembers calls read for each file listed in a thin archive. Relative paths are relative to
// dir.
func thinMembers(archive io.ReaderAt, dir string, read func(path string) error) error {
	return members(archive, true, func(path string, _ io.ReaderAt) error {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return read(path)
	})
}

// linkerValueOptions are the linker options whose value is the next argument, except for the
// options that specify a file or library to link.
var linkerValueOptions = strings.Fields(`-o -e -T -h -u -z -m -y -a -b -A -O -I -G -R -F -Y -f -soname --soname -rpath --rpath -rpath-link
	--rpath-link --dynamic-linker -dynamic-linker --defsym -defsym --version-script -Map --Map --script --entry --undefined --wrap
	--exclude-libs --section-start -Tbss -Tdata -Ttext -plugin --plugin -plugin-opt --plugin-opt --dynamic-list --retain-symbols-file
	--sort-section --hash-style --build-id --output --format --oformat`)

// A linkedFile is an object or archive that the linker reads.
type linkedFile struct {
	path  string
	whole bool // an archive whose members are all linked, because of --whole-archive
	lib   bool // an object that is linked as a member of an archive, because of --start-lib
}

// linkedFiles returns the objects and archives that the linker reads, in order and without
// duplicates: the files on the command line, including arguments of -Wl and -Xlinker, and the
// libraries that -l finds in the directories of -L, -B and LIBRARY_PATH, of DPC++ and of the system.
// For a linker script, it returns the files that the script names. It also returns the options -l that
// find nothing there; the linker may find them in its own directories.
func (c *compiler) linkedFiles(words []lineWord) (files []linkedFile, missing []string) {
	pieces := linkerPieces(words)
	var dirs []string
	for i, p := range pieces {
		if dir, ok := libraryValue(pieces, i, p, "-L", "--library-path"); ok {
			dirs = append(dirs, dir)
		}
	}
	read := linkerFiles{dirs: slices.Concat(dirs, c.valuesOf("-B"), environmentDirs("LIBRARY_PATH"), c.libraryDirs())}
	static := slices.ContainsFunc(c.line.Link, isStatic)
	type state struct{ static, whole bool }
	var pushed []state
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		switch p {
		case "-Bstatic", "-dn", "-non_shared", "-static":
			static = true
		case "-Bdynamic", "-dy", "-call_shared":
			static = false
		case "--whole-archive", "-whole-archive":
			read.whole = true
		case "--no-whole-archive", "-no-whole-archive":
			read.whole = false
		case "--start-lib", "-start-lib":
			read.lib = true
		case "--end-lib", "-end-lib":
			read.lib = false
		case "--push-state", "-push-state":
			pushed = append(pushed, state{static, read.whole})
		case "--pop-state", "-pop-state":
			if n := len(pushed); n > 0 {
				static, read.whole, pushed = pushed[n-1].static, pushed[n-1].whole, pushed[:n-1]
			}
		default:
			if library, ok := libraryValue(pieces, i, p, "-l", "--library"); ok {
				read.library(library, static)
			} else if !strings.HasPrefix(p, "-") {
				read.file(p)
			}
			if slices.Contains(linkerValueOptions, p) || slices.Contains([]string{"-l", "-L", "--library", "--library-path"}, p) {
				i++
			}
		}
	}
	return read.files, read.missing
}

// libraryDirs returns the directory of DPC++'s libraries, which libraryOptions adds to the link, and
// the directories of the system in which linkers search.
func (c *compiler) libraryDirs() (dirs []string) {
	if d, err := c.installed(); err == nil {
		dirs = append(dirs, filepath.Join(d.dir, "lib"))
	}
	for _, dir := range []string{"usr/local/lib", "lib", "usr/lib"} {
		dirs = append(dirs, c.inSysroot(dir+"/x86_64-linux-gnu"), c.inSysroot(dir+"64"), c.inSysroot(dir))
	}
	return dirs
}

// linkerFiles collects the files that the linker reads.
type linkerFiles struct {
	dirs       []string // where -l and linker scripts find files
	files      []linkedFile
	scripts    []string // linker scripts that were read
	missing    []string // options -l that find nothing
	whole, lib bool     // for the next file
}

// file adds an object or archive, or the files that a linker script names.
func (l *linkerFiles) file(path string) {
	path = filepath.Clean(path)
	if i := slices.IndexFunc(l.files, func(f linkedFile) bool { return f.path == path }); i >= 0 {
		l.files[i].whole = l.files[i].whole || l.whole
		l.files[i].lib = l.files[i].lib && l.lib
		return
	}
	if names, ok := scriptInputs(path); ok {
		l.script(path, names)
		return
	}
	l.files = append(l.files, linkedFile{path, l.whole, l.lib})
}

// library adds the archive that -l finds. A shared library counts only if it is a linker script.
func (l *linkerFiles) library(library string, static bool) {
	path := findLibrary(library, l.dirs, static)
	if path == "" {
		l.missing = append(l.missing, "-l"+library)
		return
	}
	if strings.HasSuffix(path, ".so") && !strings.HasPrefix(library, ":") {
		if _, ok := scriptInputs(path); !ok {
			return
		}
	}
	l.file(path)
}

// script adds the files that a linker script names. The linker searches for them in the current
// directory, next to the script, and in the directories of libraries.
func (l *linkerFiles) script(path string, names []string) {
	if slices.Contains(l.scripts, path) {
		return
	}
	l.scripts = append(l.scripts, path)
	for _, name := range names {
		if library, ok := strings.CutPrefix(name, "-l"); ok {
			l.library(library, false)
			continue
		}
		candidates := []string{name}
		if !filepath.IsAbs(name) {
			for _, dir := range append([]string{filepath.Dir(path)}, l.dirs...) {
				candidates = append(candidates, filepath.Join(dir, name))
			}
		}
		if i := slices.IndexFunc(candidates, exists); i >= 0 {
			l.file(candidates[i])
		}
	}
}

// maxScript limits the size of a linker script.
const maxScript = 1 << 20

// scriptInputs returns the names in the commands INPUT and GROUP of a linker script. It returns
// false if the file is not a linker script.
func scriptInputs(path string) ([]string, bool) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxScript {
		return nil, false
	}
	start := make([]byte, 8)
	n, _ := io.ReadFull(file, start)
	if slices.ContainsFunc(start[:n], func(b byte) bool { return b >= 0x7f || b < '\t' }) || strings.HasPrefix(string(start), "!<") {
		return nil, false
	}
	rest, err := io.ReadAll(file)
	if err != nil || bytes.IndexByte(rest, 0) >= 0 {
		return nil, false
	}
	return parseScript(string(start[:n]) + string(rest)), true
}

var scriptWords = regexp.MustCompile(`(?s)/\*.*?\*/|"[^"\n]*"|[()]|[^\s,()"]+`)

// parseScript returns the names in the commands INPUT and GROUP of a linker script.
func parseScript(text string) (names []string) {
	depth, inputs, before := 0, false, ""
	for _, word := range scriptWords.FindAllString(text, -1) {
		switch {
		case strings.HasPrefix(word, "/*"):
			continue
		case word == "(":
			if depth == 0 {
				inputs = before == "INPUT" || before == "GROUP"
			}
			depth++
		case word == ")":
			depth = max(0, depth-1)
		case depth > 0 && inputs && word != "AS_NEEDED":
			name := strings.Trim(word, `"`)
			name = strings.TrimPrefix(strings.TrimPrefix(name, "="), "$SYSROOT")
			if name != "" {
				names = append(names, name)
			}
		}
		before = word
	}
	return names
}

// linkerPieces returns the linker arguments that words stand for.
func linkerPieces(words []lineWord) (pieces []string) {
	for _, w := range words {
		switch {
		case w.Input != nil:
			pieces = append(pieces, w.Input.Path)
		case strings.HasPrefix(w.Option[0], "-Wl,"):
			pieces = append(pieces, strings.Split(w.Option[0][len("-Wl,"):], ",")...)
		case w.Option[0] == "-Xlinker":
			pieces = append(pieces, w.Option[1:]...)
		default:
			pieces = append(pieces, strings.Join(w.Option, ""))
		}
	}
	// The linker reports files that cannot be read.
	if all, err := expanded(pieces, nil, readFile); err == nil {
		return all
	}
	return pieces
}

// libraryValue returns the value of the option p. The value follows the short name directly or the
// long name after "=", or is the next piece.
func libraryValue(pieces []string, i int, p, short, long string) (string, bool) {
	switch {
	case p == short || p == long:
		if i+1 < len(pieces) {
			return pieces[i+1], true
		}
		return "", false
	case strings.HasPrefix(p, long+"="):
		return p[len(long)+1:], true
	}
	return strings.CutPrefix(p, short)
}

// findLibrary returns the library that -l finds, or "" if it finds nothing.
func findLibrary(library string, dirs []string, static bool) string {
	for _, dir := range dirs {
		dir = cmp.Or(dir, ".")
		if name, ok := strings.CutPrefix(library, ":"); ok {
			if file := filepath.Join(dir, name); exists(file) {
				return file
			}
			continue
		}
		if !static && exists(filepath.Join(dir, "lib"+library+".so")) {
			return filepath.Join(dir, "lib"+library+".so")
		}
		if file := filepath.Join(dir, "lib"+library+".a"); exists(file) {
			return file
		}
	}
	return ""
}
