package main

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/compilespec"
	"github.com/rules-sycl/rules_sycl/internal/icpxflags"
)

// maxResponse is the maximum size of a response file. maxArguments is the maximum number of
// arguments in all response files.
const (
	maxResponse  = 64 << 20
	maxArguments = 1 << 20
)

// expanded returns args with each @FILE replaced by the arguments in FILE. As in gcc, @FILE is an
// ordinary argument if the file does not exist.
func expanded(args, inside []string, read func(string) ([]byte, error)) ([]string, error) {
	var out []string
	for _, arg := range args {
		name, ok := strings.CutPrefix(arg, "@")
		if !ok || name == "" {
			out = append(out, arg)
			continue
		}
		if slices.Contains(inside, name) {
			return nil, cli.Usagef("%s: the file includes itself; remove that line", arg)
		}
		data, err := read(name)
		if errors.Is(err, fs.ErrNotExist) {
			out = append(out, arg)
			continue
		}
		if err != nil {
			return nil, err
		}
		words, wrong := divided(string(data), false)
		if wrong != "" {
			return nil, cli.Usagef("%s: the file %s", arg, wrong)
		}
		words, err = expanded(words, append(slices.Clone(inside), name), read)
		if err != nil {
			return nil, err
		}
		if out = append(out, words...); len(out) > maxArguments {
			return nil, cli.Usagef("%s: too many arguments (limit %d)", arg, maxArguments)
		}
	}
	return out, nil
}

func readFile(name string) ([]byte, error) {
	return cli.ReadInput(name, "", maxResponse) // an empty file has no options
}

// divided splits text into words as a shell does or, if shell is false, as gcc does in response
// files, where a backslash escapes any character even inside quotes. If the text is invalid, wrong
// describes the error.
func divided(text string, shell bool) (words []string, wrong string) {
	var word []byte
	within, escaped, quote := false, false, byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case escaped:
			if shell && quote == '"' && c != '"' && c != '\\' {
				word = append(word, '\\')
			}
			word, escaped = append(word, c), false
		case c == '\\' && (quote != '\'' || !shell):
			within, escaped = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			within, quote = true, c
		case strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			if within {
				words = append(words, string(word))
			}
			word, within = nil, false
		default:
			word, within = append(word, c), true
		}
	}
	switch {
	case escaped:
		return nil, `ends with a backslash that escapes nothing; write \\ for a backslash`
	case quote != 0:
		return nil, "lacks the closing " + string(quote) + "; escape a literal quote with a backslash"
	case within:
		words = append(words, string(word))
	}
	return words, ""
}

// An option is an argument with its value.
type option struct {
	name  string            // as in the tables of compilespec and icpxflags
	value string            // the text after the name, or the next argument
	words []string          // as written on the command line
	rule  *compilespec.Rule // nil for icpx options and options that are not in a table
	flag  *icpxflags.Flag   // nil for options other than icpx's
	input bool              // whether this is an input file, whose name is in value
}

func (o *option) text() string { return strings.Join(o.words, " ") }

// long maps gcc's long option names to the equivalent short ones.
var long = map[string]string{
	"--assemble": "-S", "--compile": "-c", "--debug": "-g", "--define-macro": "-D", "--dependencies": "-M",
	"--entry": "-e", "--for-assembler": "-Xassembler", "--for-linker": "-Xlinker", "--force-link": "-u",
	"--imacros": "-imacros", "--include": "-include", "--include-directory": "-I",
	"--include-directory-after": "-idirafter", "--language": "-x", "--library-directory": "-L",
	"--no-standard-includes": "-nostdinc", "--no-standard-libraries": "-nostdlib", "--no-warnings": "-w",
	"--optimize": "-O",
	"--output":   "-o", "--pass-exit-codes": "-pass-exit-codes", "--pedantic": "-pedantic",
	"--pedantic-errors": "-pedantic-errors", "--pie": "-pie", "--pipe": "-pipe", "--preprocess": "-E",
	"--print-missing-file-dependencies": "-MG", "--profile": "-p", "--save-temps": "-save-temps",
	"--shared": "-shared", "--static": "-static", "--trigraphs": "-trigraphs", "--undefine-macro": "-U",
	"--user-dependencies": "-MM", "--verbose": "-v", "--write-dependencies": "-MD",
	"--write-user-dependencies": "-MMD",
}

// spacedOptions are options that icpx accepts with a space instead of "=".
var spacedOptions = map[string]bool{"-fp-model": true, "-diag-disable": true, "-diag-enable": true, "-diag-error": true, "-diag-warning": true}

// options parses arguments into options and files.
func options(args []string) ([]option, error) {
	var out []option
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			for _, name := range args[i+1:] {
				out = append(out, option{value: name, words: []string{name}, input: true})
			}
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			out = append(out, option{value: arg, words: []string{arg}, input: true})
			continue
		}
		if spacedOptions[arg] && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			arg += "=" + args[i]
		}
		o, next := find(arg)
		if next {
			if i++; i == len(args) {
				return nil, cli.Usagef("%s: missing argument", arg)
			}
			o.value = args[i]
			o.words = append(o.words, args[i])
		}
		out = append(out, o)
	}
	return out, nil
}

// find finds the option for an argument, and reports whether its value is in the next argument.
func find(arg string) (o option, next bool) {
	o = option{name: arg, words: []string{arg}}
	if f, name, value := flagOf(arg); f != nil {
		o.flag, o.name, o.value = f, name, value
		return o, f.Next && !(name == "-Xs" && arg != "-Xs")
	}
	if name, value, has := strings.Cut(arg, "="); has || long[name] != "" {
		switch short := long[name]; {
		case strings.HasPrefix(arg, "--std="):
			arg = arg[1:]
			o.words = []string{arg}
		case short != "" && has && compilespec.Find(short) != nil && compilespec.Find(short).Form != compilespec.Exact:
			r := compilespec.Find(short)
			if short == "-save-temps" {
				value = "=" + value
			}
			o.rule, o.name, o.value, o.words = r, short, value, []string{short, value}
			if r.Form == compilespec.Joined {
				o.words = []string{short + value}
			}
			return o, false
		case short != "" && !has:
			arg = short
			o.words = []string{short}
		}
	}
	r := compilespec.Find(arg)
	if r == nil {
		o.name = arg
		return o, false
	}
	o.rule, o.name = r, r.Name
	o.value, next = r.Value(arg)
	return o, next
}

// flagOf returns the icpx flag for an argument, or nil. It also returns the flag's name in the
// table and the part of its value that is in the same argument.
func flagOf(arg string) (f *icpxflags.Flag, name, value string) {
	if f := flags[arg]; f != nil {
		return f, arg, ""
	}
	if name, value, ok := strings.Cut(arg, "="); ok && flags[name+"="] != nil {
		return flags[name+"="], name + "=", value
	}
	if rest, ok := strings.CutPrefix(arg, "-Xs"); ok && !strings.HasPrefix(arg, "-Xsycl-") {
		return flags["-Xs"], "-Xs", "-" + rest
	}
	return nil, "", ""
}

// flags maps option names to icpx flags.
var flags = func() map[string]*icpxflags.Flag {
	out := map[string]*icpxflags.Flag{}
	for _, section := range icpxflags.Table() {
		for _, f := range section.Flags {
			for _, name := range f.Names {
				out[name] = &f
			}
		}
	}
	return out
}()
