// Package cli provides the code that all rules_sycl tools share: subcommands, flags, help, exit
// codes, outputs, input files, and the files that file tables list.
//
// A tool is a [Tool] value; its main function calls [Tool.Main]. Commands return errors, and
// the kind of error determines the exit code:
//
//	0  success
//	1  negative result (incompatible, files differ, problems found): [No]
//	2  usage error: [Usagef], or any error with a WrongUsage method
//	3  invalid input: [BadInput], any error with a BadInput method, or a missing file
//	4  system error: every other error (I/O, missing compiler)
//
// A tool that is stopped by a signal ends with that signal, see [Main].
package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Exit codes shared by all tools.
const (
	ExitOK       = 0
	ExitNo       = 1
	ExitUsage    = 2
	ExitBadInput = 3
	ExitFailure  = 4
)

// Env holds the streams of a command.
type Env struct {
	Tool   string // name of the tool, for messages
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// Warnf writes a warning. place is "file", "file:line" or empty.
func (e *Env) Warnf(place, format string, args ...any) {
	Warnf(e.Stderr, cmp.Or(place, e.Tool), format, args...)
}

// Notef writes a note. place is as for [Env.Warnf].
func (e *Env) Notef(place, format string, args ...any) {
	diagnose(e.Stderr, cmp.Or(place, e.Tool), "note", format, args...)
}

// Warnf writes a warning to w, with control characters escaped. place is as for [Env.Warnf].
func Warnf(w io.Writer, place, format string, args ...any) {
	diagnose(w, place, "warning", format, args...)
}

func diagnose(w io.Writer, place, severity, format string, args ...any) {
	fmt.Fprintf(w, "%s: %s: %s\n", safetext.Escape(place), severity, safetext.Escape(fmt.Sprintf(format, args...)))
}

// Run runs a command after its flags are parsed.
type Run func(ctx context.Context, env *Env, args []string) error

// A Command is a subcommand of a tool, or the whole tool if its name is empty.
type Command struct {
	Name    string // "pack"; empty for a tool without subcommands
	Args    string // the arguments after the flags, as in "FILE..."
	Short   string // one line for the list of subcommands
	Long    string // further paragraphs for the command's own help
	Example string // a valid command line
	InPlace bool   // --output may be the input
	// Setup declares the flags and returns the function that uses them.
	Setup func(fs *flag.FlagSet) Run
}

// A Tool is one program. If its first command has no name, that command runs unless the
// first argument names another command.
type Tool struct {
	Name     string
	Short    string
	Commands []*Command
}

// usageError is returned for an invalid command line.
type usageError struct {
	msg     string
	err     error  // that the message quotes, or nil
	command string // the tool or subcommand whose help to recommend
}

func (e *usageError) Error() string { return e.msg }
func (e *usageError) Unwrap() error { return e.err }

// WrongUsage marks the error as a usage error.
func (e *usageError) WrongUsage() {}

// Usagef returns a usage error. The verb %w is as for [fmt.Errorf].
func Usagef(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &usageError{msg: err.Error(), err: errors.Unwrap(err)}
}

// noError is a negative result.
type noError struct{ err error }

func (e *noError) Error() string { return e.err.Error() }
func (e *noError) Unwrap() error { return e.err }

// errSilentNo is the error of [No] without a message.
var errSilentNo = errors.New("no")

// No returns an error that makes a tool exit with 1. If err is nil, no message is printed,
// because the command has already written the result.
func No(err error) error {
	if err == nil {
		err = errSilentNo
	}
	return &noError{err}
}

// badInputError marks an error as caused by the content of an input file.
type badInputError struct{ err error }

func (e *badInputError) Error() string { return e.err.Error() }
func (e *badInputError) Unwrap() error { return e.err }
func (e *badInputError) BadInput()     {}

// BadInput marks err as caused by an input file; a nil error stays nil.
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return &badInputError{err}
}

// ExitCode returns the exit code for an error returned by a command.
func ExitCode(err error) int {
	var usage interface{ WrongUsage() }
	var no *noError
	var bad interface{ BadInput() }
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return ExitOK
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &no):
		return ExitNo
	case errors.As(err, &bad), errors.Is(err, fs.ErrNotExist):
		return ExitBadInput
	}
	return ExitFailure
}

// IsCalledAs reports whether the process was started under a name, as with a link to or a
// copy of its program.
func IsCalledAs(name string) bool {
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == name
}

// Main runs the tool with the arguments and streams of the process, and exits.
func (t *Tool) Main() {
	env := &Env{Tool: t.Name, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	Main(t.Name, func(ctx context.Context) int { return t.Run(ctx, env, os.Args[1:]) })
}

// Run runs the tool and returns its exit code.
func (t *Tool) Run(ctx context.Context, env *Env, args []string) int {
	env.Tool = cmp.Or(env.Tool, t.Name)
	out := &stdout{w: env.Stdout}
	expanded, err := expandParamFiles(args)
	if err == nil {
		args = expanded
		err = t.runRecovered(ctx, &Env{Tool: env.Tool, Stdin: env.Stdin, Stdout: out, Stderr: env.Stderr}, args)
	}
	if code := ExitCode(err); out.err != nil && (code == ExitOK || code == ExitNo) {
		err = fmt.Errorf("standard output: %w", out.err)
	}
	if IsStopped(ctx) {
		return ExitFailure
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) && !errors.Is(err, errSilentNo) {
		fmt.Fprintf(env.Stderr, "%s: error: %s\n", t.Name, printable(err.Error(), args))
		var usage *usageError
		if program, set := os.LookupEnv(programVariable); (program != "" || !set) && errors.As(err, &usage) {
			fmt.Fprintf(env.Stderr, "Run '%s --help' for usage.\n", t.typed(cmp.Or(usage.command, t.Name)))
		}
	}
	return ExitCode(err)
}

// programVariable contains the command that runs the tool. The Bazel rules set it for `bazel run`.
// They set it to "" for actions, which the user does not run.
const programVariable = "RULES_SYCL_PROGRAM"

// typed returns a command line as the user can type it. The line starts with the name of the tool.
func (t *Tool) typed(line string) string {
	return strings.Replace(line, t.Name, cmp.Or(os.Getenv(programVariable), t.Name), 1)
}

func (t *Tool) runRecovered(ctx context.Context, env *Env, args []string) (err error) {
	defer Recover(&err)
	return t.run(ctx, env, args)
}

// Recover turns a panic into an error; call it with defer. Without it, the exit code of a panic
// would mean a usage error. Each goroutine needs its own call.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error: %v", p)
	}
}

// A stdout is standard output. It remembers the first write error, so that commands do not
// have to check each write.
type stdout struct {
	w   io.Writer
	err error // the first one
}

func (s *stdout) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.err = cmp.Or(s.err, err)
	return n, err
}

// printable escapes characters in a message that would control a terminal, or form a command in the
// log of a CI job. Line breaks in the message are kept, except those in file names, which are among
// the arguments.
func printable(message string, args []string) string {
	for _, arg := range args {
		if !strings.Contains(arg, "\n") {
			continue
		}
		for part := range strings.FieldsFuncSeq(arg, func(r rune) bool { return strings.ContainsRune("@=,/", r) }) {
			if strings.Trim(part, "\n") != "" {
				message = strings.ReplaceAll(message, part, safetext.Escape(part))
			}
		}
	}
	return safetext.EscapeLines(message)
}

func (t *Tool) run(ctx context.Context, env *Env, args []string) error {
	if t.Commands[0].Name == "" {
		if len(args) > 0 {
			if c := t.command(args[0]); c != nil && c.Name != "" {
				return t.runCommand(ctx, env, c, args[1:])
			}
		}
		return t.runCommand(ctx, env, t.Commands[0], args)
	}
	if len(args) == 0 {
		t.help(env.Stderr)
		return Usagef("missing subcommand")
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		if len(args) > 1 {
			if c := t.command(args[1]); c != nil {
				return t.runCommand(ctx, env, c, []string{"--help"})
			}
			return t.unknown(args[1])
		}
		t.help(env.Stdout)
		return nil
	case "-version", "--version", "version":
		fmt.Fprintf(env.Stdout, "%s %s\n", t.Name, Version)
		return nil
	}
	c := t.command(args[0])
	if c == nil {
		return t.unknown(args[0])
	}
	return t.runCommand(ctx, env, c, args[1:])
}

// unknown returns the error for an unknown subcommand.
func (t *Tool) unknown(name string) error {
	var names []string
	for _, c := range t.Commands {
		names = append(names, c.Name)
	}
	if strings.HasPrefix(name, "-") {
		return Usagef("unknown flag %q; a subcommand comes first: %s", name, strings.Join(names, ", "))
	}
	if _, err := os.Stat(name); err == nil {
		return Usagef("missing subcommand before the file %q; expected one of %s", name, strings.Join(names, ", "))
	}
	return Usagef("unknown subcommand %q; %s", name, safetext.Suggest(name, names))
}

func (t *Tool) command(name string) *Command {
	i := slices.IndexFunc(t.Commands, func(c *Command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return t.Commands[i]
}

func (t *Tool) runCommand(ctx context.Context, env *Env, c *Command, args []string) (err error) {
	defer func() {
		var usage *usageError
		if errors.As(err, &usage) && c.Name != "" {
			usage.command = t.Name + " " + c.Name
		}
	}()
	flags := flag.NewFlagSet(t.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	var version bool
	if c.Name == "" {
		flags.BoolVar(&version, "version", false, "print the version and exit")
	}
	run := c.Setup(flags)
	rest, err := parseInterspersed(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		t.commandHelp(env.Stdout, c, flags)
		return nil
	case err != nil:
		return FlagMistake(flags, err)
	case version:
		fmt.Fprintf(env.Stdout, "%s %s\n", t.Name, Version)
		return nil
	}
	if !c.InPlace {
		if err := checkOutput(flags, rest); err != nil {
			return err
		}
	}
	return run(ctx, env, rest)
}

// checkOutput returns an error if an output of a command is also an argument, the file in an argument
// NAME=FILE, or the file of a different flag.
func checkOutput(flags *flag.FlagSet, args []string) error {
	output := flags.Lookup("output")
	if output == nil {
		return nil
	}
	written := map[string]bool{}
	for _, name := range valuesOf(output) {
		if info, err := os.Stat(name); !IsStdout(name) && err == nil && info.Mode().IsRegular() {
			written[RealPath(name)] = true
		}
	}
	if len(written) == 0 {
		return nil
	}
	isWritten := func(input string) bool { return input != "" && written[RealPath(input)] }
	for _, arg := range args {
		for _, input := range []string{arg, arg[strings.LastIndex(arg, "=")+1:]} {
			if isWritten(input) {
				return Usagef("--output: %q cannot be an output, because it is also an input; choose a different path", input)
			}
		}
	}
	var err error
	flags.Visit(func(f *flag.Flag) {
		kind, _ := flag.UnquoteUsage(f)
		if f == output || !strings.Contains(strings.ToLower(kind), "file") {
			return
		}
		for _, value := range valuesOf(f) {
			if name := value[strings.LastIndex(value, "=")+1:]; isWritten(value) || isWritten(name) {
				err = Usagef("--output: %q cannot be an output, because it is also the file of --%s; choose a different path", name, f.Name)
			}
		}
	})
	return err
}

// valuesOf returns the values of a flag that may be repeated.
func valuesOf(f *flag.Flag) []string {
	if list, ok := f.Value.(*Strings); ok {
		return list.Values
	}
	return []string{f.Value.String()}
}

// RealPath returns the absolute path of a file, with symbolic links resolved in its existing part. Two
// hard links have different paths, because an output replaces only one of them.
func RealPath(name string) string {
	path, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// example writes the example of a subcommand, if any.
func (t *Tool) example(w io.Writer, c *Command) {
	if c.Example == "" {
		return
	}
	fmt.Fprint(w, "\nExample:\n")
	for line := range strings.SplitSeq(c.Example, "\n") {
		args := strings.Split(t.typed(strings.TrimSpace(line)), " --") // command-line arguments cannot contain this text
		fmt.Fprintf(w, "  %s\n", strings.Join(pack(args, " --", helpWidth-4), " \\\n      --"))
	}
}

// FlagMistake converts an error of package flag to a usage error.
func FlagMistake(flags *flag.FlagSet, err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "flag needs an argument: -"); ok {
		return Usagef("missing value after --%s", name)
	}
	if text, ok := strings.CutPrefix(err.Error(), "bad flag syntax: "); ok {
		return Usagef("invalid flag %q", text)
	}
	if m := invalidValue.FindStringSubmatch(err.Error()); m != nil {
		return Usagef("--%s: %s", m[2], rejected(flags.Lookup(m[2]), m[1], m[3]))
	}
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return Usagef("%v", err)
	}
	message := "unknown flag --" + name
	near := safetext.Nearest(strings.TrimPrefix(name, "-"), func(yield func(string) bool) {
		flags.VisitAll(func(f *flag.Flag) { yield(f.Name) })
	}, 1)
	if near != nil {
		message += "; did you mean --" + near[0] + "?"
	}
	return Usagef("%s", message)
}

// invalidValue matches an error of package flag: the quoted value, the name of the flag and the reason.
var invalidValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^: ]+): (.*)$`)

// rejected returns why a flag rejects a value. Package flag has its own reasons for numbers and booleans.
func rejected(f *flag.Flag, value, reason string) string {
	isBool := false
	if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok {
		isBool = b.IsBoolFlag()
	}
	switch {
	case reason == "parse error" && isBool:
		return "expected true or false, got " + value
	case reason == "parse error":
		return "expected a number, got " + value
	case reason == "value out of range":
		return strings.Trim(value, `"`) + " is out of range"
	case strings.Contains(reason, value):
		return reason
	}
	return fmt.Sprintf("invalid value %s: %s", value, reason)
}

// parseInterspersed parses flags anywhere among the arguments. Everything after "--" is an
// argument.
func parseInterspersed(flags *flag.FlagSet, args []string) ([]string, error) {
	var after []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, after = args[:i], args[i+1:]
	}
	var rest []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		args = flags.Args()
		if len(args) == 0 {
			return append(rest, after...), nil
		}
		rest = append(rest, args[0])
		args = args[1:]
	}
}

func (t *Tool) help(w io.Writer) {
	program := t.typed(t.Name)
	fmt.Fprintf(w, "%s: %s\n\nUsage: %s SUBCOMMAND [FLAGS] [ARGUMENTS]\n\n", t.Name, t.Short, program)
	t.list(w, t.Commands)
	t.example(w, t.Commands[0])
	fmt.Fprintf(w, "\nRun '%s SUBCOMMAND --help' for its flags, '%s --version' for the version.\n", program, program)
	fmt.Fprint(w, "Exit codes: 0 success, 1 negative result, 2 usage error, 3 invalid input, 4 system error.\n")
}

func (t *Tool) list(w io.Writer, commands []*Command) {
	width := 0
	for _, c := range commands {
		width = max(width, len(c.Name))
	}
	for _, c := range commands {
		fmt.Fprintf(w, "  %-*s  %s\n", width, c.Name, c.Short)
	}
}

func (t *Tool) commandHelp(w io.Writer, c *Command, flags *flag.FlagSet) {
	name := t.Name
	if c.Name != "" {
		name += " " + c.Name
	}
	var list strings.Builder
	flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		usage = strings.TrimPrefix(usage, value+": ") // such as "a|b: description"
		head := "--" + f.Name
		if value != "" {
			head += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		HelpFlag(&list, head, usage)
	})
	usage := "Usage: " + t.typed(name)
	if list.Len() > 0 {
		usage += " [FLAGS]"
	}
	fmt.Fprintf(w, "%s: %s\n\n%s\n", name, c.Short, strings.TrimSpace(usage+" "+c.Args))
	if c.Long != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.Long))
	}
	if list.Len() > 0 {
		fmt.Fprint(w, "\nFlags:\n", list.String())
	}
	t.example(w, c)
	if c.Name == "" && len(t.Commands) > 1 {
		fmt.Fprint(w, "\nSubcommands:\n")
		t.list(w, t.Commands[1:])
	}
}

// helpWidth is the maximum width of help texts.
const helpWidth = 100

// HelpFlag writes the help text of a flag.
func HelpFlag(w io.Writer, head, usage string) {
	fmt.Fprintf(w, "  %s\n        %s\n", head, strings.Join(pack(strings.Fields(usage), " ", helpWidth-8), "\n        "))
}

// pack joins parts into as few lines as possible.
func pack(parts []string, separator string, width int) (lines []string) {
	for _, part := range parts {
		if last := len(lines) - 1; last >= 0 && utf8.RuneCountInString(lines[last]+separator+part) <= width {
			lines[last] += separator + part
		} else {
			lines = append(lines, part)
		}
	}
	return lines
}

// ParamsDir stands for the directory of a parameter file in its lines, as in clang
// configuration files.
const ParamsDir = "<CFGDIR>"

// maxParams is the maximum size of a parameter file.
const maxParams = 256 << 20

// expandParamFiles replaces each argument @FILE with the lines of FILE, the format in which
// Bazel passes long command lines. Arguments after -- belong to another program, which may read
// such files differently.
func expandParamFiles(args []string) ([]string, error) {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...), nil
		}
		name, ok := strings.CutPrefix(a, "@")
		if !ok {
			out = append(out, a)
			continue
		}
		data, err := ReadInput(name, "", maxParams)
		if err != nil {
			return nil, fmt.Errorf("parameter file: %w", err)
		}
		dir := filepath.Dir(name)
		for line := range strings.Lines(string(data)) {
			out = append(out, strings.ReplaceAll(strings.TrimRight(line, "\r\n"), ParamsDir, dir))
		}
	}
	return out, nil
}

// Strings is a flag that may be repeated. If Split is set, each value is a comma-separated
// list.
type Strings struct {
	Values []string
	Split  bool
}

func (s *Strings) String() string { return strings.Join(s.Values, ",") }

// Set implements [flag.Value].
func (s *Strings) Set(v string) error {
	if !s.Split {
		s.Values = append(s.Values, v)
		return nil
	}
	for part := range strings.SplitSeq(v, ",") {
		if part = strings.TrimSpace(part); part != "" {
			s.Values = append(s.Values, part)
		}
	}
	return nil
}

// IsStdout reports whether an output path stands for standard output.
func IsStdout(path string) bool { return path == "" || path == "-" }

// Output calls write with stdout if path is empty or "-", and otherwise writes the file
// with [outfile.Write].
func Output(stdout io.Writer, path string, write func(w io.Writer) error) error {
	if IsStdout(path) {
		return write(stdout)
	}
	return outfile.Write(path, write)
}

// Output calls [Output] with e.Stdout.
func (e *Env) Output(path string, write func(w io.Writer) error) error {
	return Output(e.Stdout, path, write)
}
