package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// A compiler turns a source into bitcode.
type compiler struct {
	Library            string
	Output             string
	Header, Footer     string // for the host compiler; "" for none, as those below
	Depfile            string
	Candidates, Unused string
	Inputs             string
}

func (c *compiler) setup(fs *flag.FlagSet) cli.Run {
	setupInstallation(fs, &c.Library)
	fs.StringVar(&c.Output, "output", "", "the bitcode `file` to write (required)")
	fs.StringVar(&c.Header, "header", "", "a `file` for DPC++'s integration header, for the host compiler")
	fs.StringVar(&c.Footer, "footer", "", "a `file` for the integration footer")
	fs.StringVar(&c.Depfile, "depfile", "", "a `file` for the files that were read, as make has it")
	fs.StringVar(&c.Candidates, "candidates", "", "a `file` with names of files, one a line")
	fs.StringVar(&c.Inputs, "inputs", "", "a `file` with names of the other files that may be read, one a line; a name of a folder ends with '/'")
	fs.StringVar(&c.Unused, "unused", "", "a `file` for those of the candidates that were not read, and that no option names")
	return c.run
}

func (c *compiler) run(ctx context.Context, env *cli.Env, args []string) error {
	d, err := readInstallation(c.Library)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return cli.Usagef("the input file is missing")
	}
	if c.Output == "" {
		return cli.Usagef("--output is missing")
	}
	if (c.Candidates == "") != (c.Unused == "") {
		return cli.Usagef("--candidates and --unused go together")
	}
	if c.Inputs != "" && c.Candidates == "" {
		return cli.Usagef("--inputs needs --candidates")
	}
	return c.compile(ctx, env, d, args[0], args[1:])
}

// compile compiles a source. What clang++ prints goes to stderr as it is.
func (c *compiler) compile(ctx context.Context, env *cli.Env, d *installation, source string, options []string) error {
	if err := checkOptions(options); err != nil {
		return err
	}
	if _, err := cli.StatInput(source, ""); err != nil {
		return err
	}
	out, err := c.outputs()
	if err != nil {
		return err
	}
	defer out.Close()
	err = run(ctx, env, source, d.Clang, c.arguments(out, source, options)...)
	var failed *buildstep.Error
	if errors.As(err, &failed) {
		fmt.Fprint(env.Stderr, out.Relabel(errors.New(failed.Output)))
		return cli.No(nil)
	}
	if err != nil {
		return out.Relabel(err)
	}
	if c.Unused != "" {
		err := buildstep.WriteUnused(out.list(), c.Candidates, c.Inputs, out.unused, options)
		var undeclared *buildstep.Undeclared
		if errors.As(err, &undeclared) {
			fmt.Fprint(env.Stderr, undeclared)
			return cli.No(nil)
		}
		if err != nil {
			return err
		}
	}
	return out.Commit()
}

// A compileGroup is the outputs of a compilation, with where they are while they are
// written, "" for those that are not wanted.
type compileGroup struct {
	outfile.Group
	bitcode, header, footer, depfile, unused string
}

func (c *compiler) outputs() (*compileGroup, error) {
	out := new(compileGroup)
	for _, o := range []struct {
		name    string
		scratch *string
	}{{c.Header, &out.header}, {c.Footer, &out.footer}, {c.Depfile, &out.depfile}, {c.Unused, &out.unused}, {c.Output, &out.bitcode}} {
		if o.name == "" {
			continue
		}
		place := out.File
		if o.name == c.Output {
			place = out.Main
		}
		var err error
		if *o.scratch, err = place(o.name); err != nil {
			out.Close()
			return nil, err
		}
	}
	return out, nil
}

// arguments returns what clang++ is called with. Options of the user come last, as the
// last one may lack its value.
func (c *compiler) arguments(out *compileGroup, source string, options []string) []string {
	args := []string{
		"-fsycl", "-fsycl-device-only", "-fsycl-targets=spir64",
		"-fno-sycl-instrument-device-code", // its device libraries are not linked
		"-Qunused-arguments", "-c", "-emit-llvm",
	}
	if out.header != "" {
		args = append(args, "-Xclang", "-fsycl-int-header="+out.header)
	}
	if out.footer != "" {
		args = append(args, "-Xclang", "-fsycl-int-footer="+out.footer)
	}
	if list := out.list(); list != "" {
		args = append(args, "-MD", "-MF", list, "-MT", c.Output)
	}
	args = append(args, "-o", out.bitcode, source)
	return append(args, options...)
}

// list returns the file to which clang++ writes the names of those that were read.
func (out *compileGroup) list() string { return cmp.Or(out.depfile, out.unused) }

// refusedOptions say what is compiled and where it goes, which is not for options to say.
// One that ends with '=' has a value.
var refusedOptions = []string{"-c", "-E", "-S", "-o", "-emit-llvm", "-fsyntax-only", "-fsycl-targets=", "-fsycl-link=", "-fsanitize=", "-fsycl-device-obj="}

func checkOptions(options []string) error {
	for i, o := range options {
		if i > 0 && options[i-1] == "-Xclang" {
			continue
		}
		if slices.ContainsFunc(refusedOptions, func(refused string) bool {
			return o == refused || strings.HasSuffix(refused, "=") && strings.HasPrefix(o, refused)
		}) {
			return cli.Usagef("the option '%s' says what is compiled or where it goes, which the build does: leave it out", o)
		}
	}
	return nil
}
