package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// A compilation compiles a source to bitcode.
type compilation struct {
	output                     string
	candidates, inputs, unused string // "" if not set
}

func compileCommand() *cli.Command {
	return &cli.Command{
		Name:  "compile",
		Args:  "-- CLANG++ ARGUMENT... SOURCE",
		Short: "compile a SYCL source to bitcode, and list the headers that it does not need",
		Long: `
Runs the given stock clang++ with -c and -o. With --candidates and --unused, it writes
the candidates, one per line, that clang++ did not read and no option names: changes in
these files do not affect the bitcode. With --inputs, a file below the current directory that
clang++ read and that is in neither list is an error.

Exit code 1 means that the source does not compile; clang++ has printed the errors.`,
		Example: "devicec compile --output axpy.bc -- clang++-21 -fsycl -fsycl-device-only -O2 axpy.cpp",
		Setup:   setupCompile,
	}
}

// setupCompile declares the flags of the subcommand compile.
func setupCompile(fs *flag.FlagSet) cli.Run {
	c := new(compilation)
	fs.StringVar(&c.output, "output", "", "bitcode `file` to write (required)")
	fs.StringVar(&c.candidates, "candidates", "", "`file` with the names of files that may be read and that --unused reports, one per line")
	fs.StringVar(&c.inputs, "inputs", "", "`file` with the names of other files that may be read, one per line; names of directories end with '/'")
	fs.StringVar(&c.unused, "unused", "", "write the candidates that were not read and that no option names to this `file`")
	return c.run
}

func (c *compilation) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := buildstep.Required("output", c.output); err != nil {
		return err
	}
	if (c.candidates == "") != (c.unused == "") {
		return cli.Usagef("--candidates requires --unused and vice versa")
	}
	if c.inputs != "" && c.candidates == "" {
		return cli.Usagef("--inputs requires --candidates")
	}
	if len(args) < 2 {
		return cli.Usagef("missing command; expected clang++, its options and the source after --")
	}
	var out outfile.Group
	defer out.Close()
	bitcode, err := out.Main(c.output)
	if err != nil {
		return err
	}
	options := append(args[1:len(args):len(args)], "-c", "-o", bitcode)
	unused := ""
	if c.unused != "" {
		if unused, err = out.File(c.unused); err != nil {
			return err
		}
		options = append(options, "-MD", "-MF", unused, "-MT", c.output)
	}
	err = buildstep.Run(ctx, nil, nil, env.Stderr, args[0], options...)
	var failed *buildstep.Error
	switch {
	case errors.As(err, &failed) && failed.Code == 1:
		fmt.Fprint(env.Stderr, out.Relabel(errors.New(failed.Output)))
		return cli.No(nil)
	case failed != nil: // the compiler was killed
		return buildstep.Fault(out.Relabel(errors.New(failed.Error())).Error())
	case err != nil:
		return out.Relabel(err)
	}
	if unused != "" {
		err := buildstep.WriteUnused(unused, c.candidates, c.inputs, unused, args[1:])
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
