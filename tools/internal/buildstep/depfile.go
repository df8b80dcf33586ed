package buildstep

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// maxCandidates limits the size of a list of candidates and of a list of files that were read.
const maxCandidates = 256 << 20

// WriteUnused writes the files of a list, one per line, that neither a dependency file nor the compiler's
// options name. Bazel reads the result as unused_inputs_list. Dependency files do not contain files that
// options name, such as @FILE and -fsanitize-ignorelist=FILE.
//
// With a list of the other inputs (or ""), WriteUnused returns an Undeclared if the compiler read a file that
// is not an input.
func WriteUnused(rule, candidates, inputs, unused string, options []string) error {
	read, err := cli.ReadInput(rule, "", maxCandidates)
	if err != nil {
		// Not %w: no input is missing.
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

// An Undeclared is a file that a compiler read but that is not an input of the build, so changing it would
// not trigger a rebuild.
type Undeclared struct {
	Source, File string
}

func (u *Undeclared) Error() string {
	return fmt.Sprintf("%s: error: undeclared inclusion of '%s'\n"+
		"note: changes to it would not trigger a rebuild; add it to hdrs or srcs, or add the library that has it in hdrs to deps\n", u.Source, u.File)
}

// checkDeclared returns an Undeclared for the first file of a dependency file that is neither in a
// list nor in a directory of the list, which ends with '/'. Files outside the compiler's working
// directory belong to the machine.
func checkDeclared(rule, list string) error {
	declared := map[string]bool{}
	var dirs []string
	for line := range strings.Lines(list) {
		name := strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(name, "/") {
			dirs = append(dirs, name)
		} else if name != "" {
			// Clang writes a backslash in a name as a slash.
			declared[filepath.Clean(strings.ReplaceAll(name, `\`, "/"))] = true
		}
	}
	// The target of the rule, then the source.
	files := Dependencies(rule)
	for _, file := range files[min(1, len(files)):] {
		name := filepath.Clean(file)
		if filepath.IsAbs(name) || declared[name] || slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
			continue
		}
		return &Undeclared{files[1], name}
	}
	return nil
}

// unread returns the lines of a list of files that neither a dependency file nor options name.
func unread(candidates, rule string, options []string) string {
	read := map[string]bool{}
	for _, name := range Dependencies(rule) {
		read[filepath.Clean(name)] = true
	}
	for _, option := range options {
		for {
			read[filepath.Clean(option)] = true
			// What is before the name of a file, or part of it.
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
		// Clang writes a backslash in a name as a slash.
		if name != "" && !read[filepath.Clean(name)] && !strings.Contains(name, `\`) {
			out.WriteString(name + "\n")
		}
	}
	return out.String()
}

// Dependencies returns the files that a dependency file names. Blanks, '#' and
// backslashes in a name have a backslash before them, and '$' is doubled.
func Dependencies(rule string) []string {
	rule = strings.ReplaceAll(rule, "\\\n", " ")
	var names []string
	var name strings.Builder
	end := func() {
		if name.Len() > 0 {
			names = append(names, name.String())
		}
		name.Reset()
	}
	for i := 0; i < len(rule); i++ {
		switch b := rule[i]; {
		case b == ' ' || b == '\n':
			end()
			continue
		case i+1 < len(rule) && (b == '\\' && strings.ContainsRune(" #\\", rune(rule[i+1])) || b == '$' && rule[i+1] == '$'):
			i++
		}
		name.WriteByte(rule[i])
	}
	end()
	return names
}

// WriteDepfile writes a dependency file as make reads it. With phony, each file except the first gets its own
// rule, so that make does not fail if a file was removed.
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

var escapes = strings.NewReplacer(" ", "\\ ", "#", "\\#", "$", "$$")

// EscapedDepfile returns a name as written in a dependency file.
func EscapedDepfile(name string) string { return escapes.Replace(name) }
