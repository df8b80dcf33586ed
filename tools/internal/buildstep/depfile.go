package buildstep

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// maxCandidates is the maximum size of a list of candidates or of read files, in bytes.
const maxCandidates = 256 << 20

// WriteUnused writes the candidates that the compiler did not read, one per line, for Bazel's
// unused_inputs_list. A file counts as read if it is in the dependency file rule or in the
// compiler's options, because dependency files omit files such as @FILE and
// -fsanitize-ignorelist=FILE.
//
// If inputs, a list of the other inputs, is not empty, WriteUnused returns an Undeclared if the
// compiler read a file that is not an input.
func WriteUnused(rule, candidates, inputs, unused string, options []string) error {
	read, err := cli.ReadInput(rule, "", maxCandidates)
	if err != nil {
		// Not %w, because no input is missing.
		return fmt.Errorf("the compiler wrote no dependency file: %v", err)
	}
	list, err := cli.ReadInput(candidates, "", maxCandidates)
	if err != nil {
		return err
	}
	if inputs != "" {
		others, err := cli.ReadInput(inputs, "", maxCandidates)
		if err != nil {
			return err
		}
		if err := checkDeclared(string(read), string(list)+"\n"+string(others)); err != nil {
			return err
		}
	}
	return os.WriteFile(unused, []byte(unread(string(list), string(read), options)), 0o666)
}

// An Undeclared is the error for a file that a compiler read although it is not an input of the
// action, so that changing it would not trigger a rebuild.
type Undeclared struct {
	Source, File string
}

func (u *Undeclared) Error() string {
	return fmt.Sprintf("%s: error: undeclared inclusion of '%s'\n"+
		"note: changes to it would not trigger a rebuild; add it to hdrs or srcs, or add the library that has it in hdrs to deps\n", u.Source, u.File)
}

// checkDeclared returns an Undeclared for the first file in a dependency file that is neither
// listed nor in a listed directory; directories end with '/'. Files outside the compiler's working
// directory belong to the system and need not be listed.
func checkDeclared(rule, list string) error {
	declared := map[string]bool{}
	var dirs []string
	for line := range strings.Lines(list) {
		name := strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(name, "/") {
			dirs = append(dirs, name)
		} else if name != "" {
			// Clang replaces a backslash in a file name with a slash.
			declared[filepath.Clean(strings.ReplaceAll(name, `\`, "/"))] = true
		}
	}
	// The first two names are the target of the rule and the source.
	files := Dependencies(rule, false)
	for _, file := range files[min(1, len(files)):] {
		name := filepath.Clean(file)
		if filepath.IsAbs(name) || declared[name] || slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
			continue
		}
		return &Undeclared{files[1], name}
	}
	return nil
}

// unread returns the candidates that are neither in a dependency file nor in options.
func unread(candidates, rule string, options []string) string {
	read := map[string]bool{}
	for _, name := range Dependencies(rule, false) {
		read[filepath.Clean(name)] = true
	}
	for _, option := range options {
		for {
			read[filepath.Clean(option)] = true
			// These characters may precede a file name, or be part of it.
			at := strings.IndexAny(option, "@=,:")
			if at < 0 {
				break
			}
			option = option[at+1:]
		}
	}
	var out strings.Builder
	for line := range strings.Lines(candidates) {
		name := strings.TrimSuffix(line, "\n")
		// Clang replaces a backslash in a file name with a slash.
		if name != "" && !read[filepath.Clean(name)] && !strings.Contains(name, `\`) {
			out.WriteString(name + "\n")
		}
	}
	return out.String()
}

// Dependencies returns the files in a dependency file whose names are escaped as by EscapedDepfile.
// Line breaks separate names. If single is true, the file has only one rule, and line breaks are part
// of names.
func Dependencies(rule string, single bool) []string {
	rule = strings.ReplaceAll(rule, "\\\n", " ")
	if single {
		rule = strings.TrimSuffix(rule, "\n")
	}
	var names []string
	var name strings.Builder
	end := func() {
		if name.Len() > 0 {
			names = append(names, name.String())
		}
		name.Reset()
	}
	for i := 0; i < len(rule); i++ {
		rest := rule[i:]
		after := strings.TrimLeft(rest, `\`)
		backslashes := len(rest) - len(after)
		switch {
		case rest[0] == ' ' || rest[0] == '\n' && !single:
			end()
		case strings.HasPrefix(rest, "$$"):
			name.WriteByte('$')
			i++
		case backslashes == 0:
			name.WriteByte(rest[0])
		case strings.HasPrefix(after, "#"):
			name.WriteString(rest[:backslashes-1] + "#")
			i += backslashes
		case backslashes%2 == 1 && (strings.HasPrefix(after, " ") || strings.HasPrefix(after, "\t")):
			name.WriteString(rest[:backslashes/2] + after[:1])
			i += backslashes
		default:
			name.WriteString(rest[:backslashes])
			i += backslashes - 1
		}
	}
	end()
	return names
}

// WriteDepfile writes a dependency file for make. If phony is true, each file except the first gets
// an empty rule, so that make does not fail after a file is removed.
func WriteDepfile(w io.Writer, targets, files []string, phony bool) error {
	var b strings.Builder
	b.WriteString(strings.Join(targets, " ") + ":")
	for _, f := range files {
		b.WriteString(" \\\n  " + EscapedDepfile(f))
	}
	b.WriteString("\n")
	if phony {
		for _, f := range files[min(1, len(files)):] {
			b.WriteString("\n" + EscapedDepfile(f) + ":\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var escapes = regexp.MustCompile(`(\\*)([ \t])|[#$]`)

// EscapedDepfile escapes a file name for use in a dependency file as g++ does: it writes a backslash
// before blanks and '#', and doubles '$' and the backslashes before a blank. Make cannot read names
// with a line break, and targets with a colon.
func EscapedDepfile(name string) string {
	return escapes.ReplaceAllStringFunc(name, func(s string) string {
		switch s {
		case "$":
			return "$$"
		case "#":
			return `\#`
		}
		return s[:len(s)-1] + `\` + s
	})
}
