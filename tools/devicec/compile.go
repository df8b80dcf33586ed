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
	candidates, inputs, unused string // "" for none
}

func compileCommand() *cli.Command {
	return &cli.Command{
		Name:  "compile",
		Args:  "-- CLANG++ ARGUMENT... SOURCE",
		Short: "turn a SYCL source into bitcode, and list the headers that it does not need",
		Long: `
Runs stock clang++ as it is given, with -c and -o. With --candidates and --unused it
writes those of the files that the first lists, one a line, which clang++ did not
read and no option names: a change in one of these changes nothing in the bitcode. With
--inputs, a file below the current folder that clang++ read and that is in neither list
is an error.

Exit code 1 says that the source does not compile; clang++ has printed why.`,
		Example: "devicec compile --output axpy.bc -- clang++-21 -fsycl -fsycl-device-only -O2 axpy.cpp",
		Setup:   setupCompile,
	}
}

// setupCompile declares the flags of 'devicec compile'.
func setupCompile(fs *flag.FlagSet) cli.Run {
	c := new(compilation)
	fs.StringVar(&c.output, "output", "", "the bitcode `file` (required)")
	fs.StringVar(&c.candidates, "candidates", "", "a `file` with names of files, one a line")
	fs.StringVar(&c.inputs, "inputs", "", "a `file` with names of the other files that may be read, one a line; a name of a folder ends with '/'")
	fs.StringVar(&c.unused, "unused", "", "a `file` for those of the candidates that were not read, and that no option names")
	return c.run
}

func (c *compilation) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := buildstep.Required("output", c.output); err != nil {
		return err
	}
	if (c.candidates == "") != (c.unused == "") {
		return cli.Usagef("--candidates and --unused go together")
	}
	if c.inputs != "" && c.candidates == "" {
		return cli.Usagef("--inputs needs --candidates")
	}
	if len(args) < 2 {
		return cli.Usagef("the command is missing: give clang++, its options and the source after --")
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
	case failed != nil: // it was killed
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
