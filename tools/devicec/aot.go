package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

type aotStep struct {
	ocloc, device, code, output string
}

func aotCommand() *cli.Command {
	return &cli.Command{
		Name:  "aot",
		Args:  "IN.table",
		Short: "compile a filtered table's SPIR-V for an Intel GPU",
		Long: `
Runs ocloc for the row of the table and writes the table with the column Code
naming the result. For a table without rows, as the filter writes it for a module
that the device cannot take, ocloc is not run and both outputs are empty.`,
		Example: "devicec aot --ocloc ocloc --device acm-g10 --code k.bin --output k.acm.table k.table",
		Setup: func(fs *flag.FlagSet) cli.Run {
			var s aotStep
			fs.StringVar(&s.ocloc, "ocloc", "", "`path` of ocloc (required)")
			fs.StringVar(&s.device, "device", "", "ocloc's `name` of the device (required)")
			fs.StringVar(&s.code, "code", "", "the native image `file` (required)")
			fs.StringVar(&s.output, "output", "", "the table `file` (required)")
			return s.run
		},
	}
}

func (s *aotStep) run(ctx context.Context, env *cli.Env, args []string) error {
	in, err := oneInput(args)
	if err != nil {
		return err
	}
	if err := required("ocloc", s.ocloc, "device", s.device, "code", s.code, "output", s.output); err != nil {
		return err
	}
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := filetable.Read(in, f)
	if err != nil {
		return err
	}
	column := t.Column(filetable.Code)
	switch {
	case len(t.Rows) == 0:
		if err := writeEmpty(s.code); err != nil {
			return err
		}
		return cli.WriteFile(s.output, t.Write)
	case column < 0:
		return cli.BadInput(fmt.Errorf("%s: no column %s", in, filetable.Code))
	case len(t.Rows) > 1:
		return cli.BadInput(fmt.Errorf("%s: %d rows; one image takes one row", in, len(t.Rows)))
	}
	spirv := t.Rows[0][column]
	if _, err := size(spirv); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	code, done, err := scratchFile(s.code)
	if err != nil {
		return err
	}
	defer done()
	if err := command.Run(ctx, nil, nil, env.Stderr, s.ocloc, "compile", "-q", "-spirv_input", "-file", spirv, "-device", s.device, "-o", code); err != nil {
		return err
	}
	if n, err := size(code); err != nil || n == 0 {
		return fmt.Errorf("%s said that it succeeded but wrote no image for %s (%s)", s.ocloc, s.device, spirv)
	}
	if err := os.Rename(code, s.code); err != nil {
		return err
	}
	t.Rows[0][column] = s.code
	return cli.WriteFile(s.output, t.Write)
}
