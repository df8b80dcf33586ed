package main

import (
	"cmp"
	"io"
	"path/filepath"
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

// members calls read for each member of an archive. A damaged archive ends the iteration without an
// error, because the linker reports the damage.
func members(archive io.ReaderAt, read func(io.ReaderAt) error) error {
	header := make([]byte, memberHeader)
	for at := int64(len(archiveMagic)); ; {
		size, ok := memberSize(archive, header, at)
		if !ok {
			return nil
		}
		at += memberHeader
		if err := read(io.NewSectionReader(archive, at, size)); err != nil {
			return err
		}
		at += size + size%2
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

// maxNames limits the table of names of a thin archive.
const maxNames = 64 << 20

// thinMembers calls read for each file listed in a thin archive. Relative paths are relative to
// dir.
func thinMembers(archive io.ReaderAt, dir string, read func(path string) error) error {
	header := make([]byte, memberHeader)
	var names []byte
	for at := int64(len(thinMagic)); ; {
		size, ok := memberSize(archive, header, at)
		if !ok {
			return nil
		}
		at += memberHeader
		name := strings.TrimRight(string(header[:16]), " ")
		switch {
		case name == "/" || name == "/SYM64/": // the symbol table
			at += size + size%2
			continue
		case name == "//":
			if size > maxNames {
				return nil
			}
			names = make([]byte, size)
			if _, err := archive.ReadAt(names, at); err != nil {
				return nil
			}
			at += size + size%2
			continue
		case strings.HasPrefix(name, "/"):
			offset, err := strconv.Atoi(name[1:])
			if err != nil || offset < 0 || offset >= len(names) {
				return nil
			}
			name, _, _ = strings.Cut(string(names[offset:]), "\n")
		}
		path := strings.TrimSuffix(name, "/")
		if path == "" {
			return nil
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if err := read(path); err != nil {
			return err
		}
	}
}

// linkerValueOptions are the linker options whose value is the next argument, except for the
// options that specify a file or library to link.
var linkerValueOptions = strings.Fields(`-o -e -T -h -u -z -m -y -a -b -A -O -I -G -R -F -Y -f -soname --soname -rpath --rpath -rpath-link
	--rpath-link --dynamic-linker -dynamic-linker --defsym -defsym --version-script -Map --Map --script --entry --undefined --wrap
	--exclude-libs --section-start -Tbss -Tdata -Ttext -plugin --plugin -plugin-opt --plugin-opt --dynamic-list --retain-symbols-file
	--sort-section --hash-style --build-id --output --format --oformat`)

// linkedFiles returns the objects and archives that the linker reads, in order and without
// duplicates: the files on the command line, including arguments of -Wl and -Xlinker, and the
// libraries that -l finds in the directories of -L and LIBRARY_PATH.
func (c *compiler) linkedFiles(words []lineWord) []string {
	pieces := linkerPieces(words)
	var dirs []string
	for i, p := range pieces {
		if dir, ok := libraryValue(pieces, i, p, "-L", "--library-path"); ok {
			dirs = append(dirs, dir)
		}
	}
	dirs = append(dirs, environmentDirs("LIBRARY_PATH")...)
	var files []string
	add := func(file string) {
		if file = filepath.Clean(file); !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	static := slices.Contains(c.line.Link, "-static")
	var pushed []bool
	for i := 0; i < len(pieces); i++ {
		p := pieces[i]
		switch p {
		case "-Bstatic", "-dn", "-non_shared", "-static":
			static = true
		case "-Bdynamic", "-dy", "-call_shared":
			static = false
		case "--push-state", "-push-state":
			pushed = append(pushed, static)
		case "--pop-state", "-pop-state":
			if n := len(pushed); n > 0 {
				static, pushed = pushed[n-1], pushed[:n-1]
			}
		default:
			if library, ok := libraryValue(pieces, i, p, "-l", "--library"); ok {
				if file := findLibrary(library, dirs, static); file != "" {
					add(file)
				}
			} else if !strings.HasPrefix(p, "-") {
				add(p)
			}
			if slices.Contains(linkerValueOptions, p) || slices.Contains([]string{"-l", "-L", "--library", "--library-path"}, p) {
				i++
			}
		}
	}
	return files
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

// findLibrary returns the archive that -l finds, or "" if it finds a shared library or nothing.
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
			return ""
		}
		if file := filepath.Join(dir, "lib"+library+".a"); exists(file) {
			return file
		}
	}
	return ""
}
