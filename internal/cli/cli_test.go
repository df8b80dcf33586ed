package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// echo returns a tool with one subcommand, which prints its arguments and returns the error fail.
func echo(fail error) *Tool {
	return &Tool{
		Name: "echo", Short: "print arguments",
		Commands: []*Command{{
			Name: "say", Args: "WORD...", Short: "print words", Example: "echo say --loud hello",
			Setup: func(flags *flag.FlagSet) Run {
				loud := flags.Bool("loud", false, "print in capitals")
				var words Strings
				words.Split = true
				flags.String("order", "", "`given|sorted`: order of the words")
				flags.Var(&words, "word", "add a `word` after the arguments; it can be repeated, and with --loud, all words are printed in capitals")
				flags.Int("times", 1, "print the words `n` times")
				flags.Func("tone", "the `tone`", func(v string) error {
					if v == "flat" {
						return errors.New("too low")
					}
					return fmt.Errorf("unknown tone %q", v)
				})
				return func(_ context.Context, env *Env, args []string) error {
					text := strings.Join(append(args, words.Values...), " ")
					if *loud {
						text = strings.ToUpper(text)
					}
					fmt.Fprintln(env.Stdout, text)
					return fail
				}
			},
		}, {
			Name: "nop", Short: "print nothing",
			Setup: func(*flag.FlagSet) Run {
				return func(context.Context, *Env, []string) error { return nil }
			},
		}},
	}
}

func run(t *testing.T, tool *Tool, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = tool.Run(t.Context(), &Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}, args)
	return code, out.String(), errs.String()
}

func TestArguments(t *testing.T) {
	params := filepath.Join(t.TempDir(), "params")
	if err := os.WriteFile(params, []byte("--loud\nfrom file\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	placed := filepath.Join(t.TempDir(), "placed")
	if err := os.WriteFile(placed, []byte("--\n--in=<CFGDIR>/x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"flags between arguments":     {[]string{"say", "a", "--loud", "b"}, "A B\n"},
		"one dash, as in DPC++":       {[]string{"say", "-loud", "a"}, "A\n"},
		"everything after two dashes": {[]string{"say", "a", "--", "--loud"}, "a --loud\n"},
		"lists and repeated flags":    {[]string{"say", "--word=a,b", "--word", "c"}, "a b c\n"},
		"its directory":               {[]string{"say", "@" + placed}, "--in=" + filepath.Dir(placed) + "/x\n"},
		"a parameter file":            {[]string{"say", "@" + params}, "FROM FILE\n"},
		"another program's arguments": {[]string{"say", "@" + params, "--", "@" + params}, "FROM FILE @" + strings.ToUpper(params) + "\n"},
		"two dashes at the end":       {[]string{"say", "a", "--"}, "a\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, stdout, stderr := run(t, echo(nil), test.args...); code != 0 || stdout != test.want {
				t.Errorf("exit %d, %q, %q; want %q", code, stdout, stderr, test.want)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		fail   error
		code   int
		stderr string
	}{
		"no subcommand":                  {nil, nil, ExitUsage, "missing subcommand"},
		"an unknown subcommand":          {[]string{"sing"}, nil, ExitUsage, `unknown subcommand "sing"; expected one of say`},
		"a flag first":                   {[]string{"--loud"}, nil, ExitUsage, `unknown flag "--loud"; a subcommand comes first: say`},
		"a file first":                   {[]string{"/"}, nil, ExitUsage, `missing subcommand before the file "/"; expected one of say`},
		"a misspelled subcommand":        {[]string{"sax"}, nil, ExitUsage, `unknown subcommand "sax"; did you mean say?`},
		"help for an unknown subcommand": {[]string{"help", "sax"}, nil, ExitUsage, "did you mean say?"},
		"an unknown flag":                {[]string{"say", "--soft"}, nil, ExitUsage, "unknown flag --soft\n"},
		"a misspelled flag":              {[]string{"say", "--lound"}, nil, ExitUsage, "unknown flag --lound; did you mean --loud?"},
		"a misspelled flag with a value": {[]string{"say", "--wrod=a"}, nil, ExitUsage, "unknown flag --wrod; did you mean --word?"},
		"a flag without its value":       {[]string{"say", "--word", "--", "x"}, nil, ExitUsage, "missing value after --word\n"},
		"a flag that is not a boolean":   {[]string{"say", "-loud=yes"}, nil, ExitUsage, "--loud: expected true or false, got \"yes\"\n"},
		"a flag that is not a number":    {[]string{"say", "--times", "x: y"}, nil, ExitUsage, "--times: expected a number, got \"x: y\"\n"},
		"a number that is too large":     {[]string{"say", "--times=99999999999999999999"}, nil, ExitUsage, "--times: 99999999999999999999 is out of range\n"},
		"a value that a flag rejects":    {[]string{"say", "--tone=flat"}, nil, ExitUsage, "--tone: invalid value \"flat\": too low\n"},
		"a value that the reason names":  {[]string{"say", "--tone=sharp"}, nil, ExitUsage, "--tone: unknown tone \"sharp\"\n"},
		"three dashes":                   {[]string{"say", "---loud"}, nil, ExitUsage, "invalid flag \"---loud\"\n"},
		"a missing parameter file":       {[]string{"say", "@/nonexistent"}, nil, ExitBadInput, "parameter file"},
		"a negative result":              {[]string{"say"}, No(errors.New("they differ")), ExitNo, "echo: error: they differ"},
		"a silent negative result":       {[]string{"say"}, No(nil), ExitNo, ""},
		"a usage error":                  {[]string{"say"}, Usagef("too %s", "few"), ExitUsage, "Run 'echo say --help'"},
		"wrapped bad input":              {[]string{"say"}, fmt.Errorf("a.bin: %w", BadInput(errors.New("truncated"))), ExitBadInput, "a.bin: truncated"},
		"a missing file":                 {[]string{"say"}, &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, ExitBadInput, "open x"},
		"a full disk":                    {[]string{"say"}, errors.New("no space left"), ExitFailure, "no space left"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := run(t, echo(test.fail), test.args...)
			if code != test.code || !strings.Contains(stderr, test.stderr) || test.stderr == "" && stderr != "" {
				t.Errorf("exit %d, %q; want %d, %q", code, stderr, test.code, test.stderr)
			}
		})
	}
	broken := &Tool{Name: "broken", Commands: []*Command{{Setup: func(*flag.FlagSet) Run {
		return func(context.Context, *Env, []string) error { panic("a fault\n::error::x") }
	}}}}
	if code, _, stderr := run(t, broken); code != ExitFailure || !strings.Contains(stderr, "broken: error: internal error: a fault") {
		t.Errorf("panic: exit %d, %q", code, stderr)
	}
	for program, want := range map[string]string{"": "too few\n", "bazel run //:echo --": "Run 'bazel run //:echo -- say --help' for usage.\n"} {
		t.Setenv(programVariable, program)
		if _, _, stderr := run(t, echo(Usagef("too few")), "say"); !strings.HasSuffix(stderr, want) {
			t.Errorf("program %q: %q", program, stderr)
		}
	}
	if BadInput(nil) != nil {
		t.Error("BadInput(nil) is an error")
	}
}

// TestOutputIsInput checks that no command replaces one of its inputs.
func TestOutputIsInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"in", "out"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("in", "link"); err != nil {
		t.Fatal(err)
	}
	copier := &Tool{Name: "copy", Commands: []*Command{{Setup: func(fs *flag.FlagSet) Run {
		var outputs, tables Strings
		fs.Var(&outputs, "output", "`file` to write")
		fs.Var(&tables, "table", "`TRIPLE=FILE` to read")
		fs.String("mode", "", "`mode`")
		return func(context.Context, *Env, []string) error { return nil }
	}}}}
	for args, want := range map[string]string{
		"in --output out":                       "",
		"in --output new":                       "",
		"--output -":                            "",
		"/dev/null --output /dev/null":          "",
		"in --output out --mode out":            "",
		"in --output in":                        `"in" cannot be an output, because it is also an input`,
		"--output in link":                      `"link" cannot be an output, because it is also an input`,
		"--output link -- a=./in":               `"./in" cannot be an output, because it is also an input`,
		"--output new --output in --table=b=in": `"in" cannot be an output, because it is also the file of --table`,
	} {
		code, _, stderr := run(t, copier, strings.Fields(args)...)
		if want == "" && code != 0 || want != "" && (code != ExitUsage || !strings.Contains(stderr, "--output: "+want+"; choose a different path\n")) {
			t.Errorf("%s: exit %d, %q", args, code, stderr)
		}
	}
}

// full is a writer that fails like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullDisk checks that a failed write is an error, even if the command does not check for it.
func TestFullDisk(t *testing.T) {
	for _, test := range []struct {
		args []string
		fail error
		code int
	}{
		{[]string{"--help"}, nil, ExitFailure}, {[]string{"help", "say"}, nil, ExitFailure}, {[]string{"say", "--help"}, nil, ExitFailure},
		{[]string{"--version"}, nil, ExitFailure}, {[]string{"say", "a"}, nil, ExitFailure}, {[]string{"say", "a"}, No(nil), ExitFailure},
		{[]string{"say", "a"}, Usagef("wrong"), ExitUsage}, {[]string{"sing"}, nil, ExitUsage},
	} {
		var errs strings.Builder
		code := echo(test.fail).Run(t.Context(), &Env{Stdout: full{}, Stderr: &errs}, test.args)
		if code != test.code || strings.Contains(errs.String(), "standard output: no space left") != (code == ExitFailure) {
			t.Errorf("%q: exit %d, %s", test.args, code, errs.String())
		}
	}
}

// TestNames checks that file names cannot control a terminal or the log of a job.
func TestNames(t *testing.T) {
	name := "dir\n::error::x/a\x1b[2J\n##[error]b"
	for _, args := range [][]string{{"say", name}, {"say", "--word=" + name}} {
		_, _, stderr := run(t, echo(fmt.Errorf("%s: 2 faults:\n\tone\n\t::two", name)), args...)
		want := "echo: error: dir\\u{a}::error::x/a\\u{1b}[2J\\u{a}#\\u{23}[error]b: 2 faults:\n\tone\n\t\\u{3a}:two\n"
		if stderr != want {
			t.Errorf("%q: got %q, want %q", args, stderr, want)
		}
	}
	var errs strings.Builder
	env := &Env{Stderr: &errs}
	env.Warnf(name, "of %s", name)
	env.Notef(name, "of %s", name)
	const escaped = "dir\\u{a}::error::x/a\\u{1b}[2J\\u{a}#\\u{23}[error]b"
	if want := escaped + ": warning: of " + escaped + "\n" + escaped + ": note: of " + escaped + "\n"; errs.String() != want {
		t.Errorf("got %q, want %q", errs.String(), want)
	}
}

func TestHelp(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"help of the tool":     {[]string{"--help"}, []string{"say  print words", "Example:\n  echo say --loud hello\n", "Exit codes:"}},
		"help of a subcommand": {[]string{"say", "--help"}, []string{"Usage: echo say [FLAGS] WORD...", "--loud\n        print in capitals", "--word word\n        add a word after the arguments; it can be repeated, and with --loud, all words are printed\n        in capitals\n", "Example:\n  echo say --loud hello"}},
		"values of a flag":     {[]string{"say", "--help"}, []string{"--order given|sorted\n        order of the words\n"}},
		"no flags":             {[]string{"nop", "--help"}, []string{"echo nop: print nothing\n\nUsage: echo nop\n"}},
		"help by name":         {[]string{"help", "say"}, []string{"Usage: echo say"}},
		"version":              {[]string{"--version"}, []string{"echo " + Version}},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, echo(nil), test.args...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, %q", code, stderr)
			}
			for _, want := range test.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("missing %q in\n%s", want, stdout)
				}
			}
		})
	}
}

// TestHelpOfBazelRun checks that help shows the command that the user typed.
func TestHelpOfBazelRun(t *testing.T) {
	t.Setenv(programVariable, "bazel run //:echo --")
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"--help"}, []string{"Usage: bazel run //:echo -- SUBCOMMAND", "  bazel run //:echo -- say --loud hello\n", "Run 'bazel run //:echo -- SUBCOMMAND --help'"}},
		{[]string{"say", "--help"}, []string{"Usage: bazel run //:echo -- say [FLAGS] WORD...", "  bazel run //:echo -- say --loud hello\n"}},
	} {
		_, stdout, _ := run(t, echo(nil), test.args...)
		for _, want := range test.want {
			if !strings.Contains(stdout, want) {
				t.Errorf("%q: missing %q in\n%s", test.args, want, stdout)
			}
		}
	}
}

// TestProgress checks that a progress line appears only if a command takes long, and only on a
// terminal.
func TestProgress(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if p := (&Env{Stderr: file}).Progress(); p.terminal != nil || p.Due() {
		t.Error("a file is treated as a terminal")
	}
	p := &Progress{terminal: file, next: time.Now().Add(time.Hour)}
	early := p.Due()
	p.next = time.Now().Add(-time.Hour)
	if due, again := p.Due(), p.Due(); early || !due || again {
		t.Errorf("due %t, then %t and %t at once", early, due, again)
	}
	p.Clear()
	p.Show("at %s", "a\x1b[2J")
	p.Clear()
	p.Clear()
	data, err := os.ReadFile(file.Name())
	if want := "\r\x1b[Kat a\\x1b[2J\r\x1b[K"; err != nil || string(data) != want {
		t.Errorf("%v, got %q, want %q", err, data, want)
	}
}
