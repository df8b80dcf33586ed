package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"

	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

type aotStep struct {
	ocloc, device, codeDir, output string
}

func aotCommand() *cli.Command {
	return &cli.Command{
		Name:  "aot",
		Args:  "IN.table",
		Short: "compile a filtered table's SPIR-V for an Intel GPU",
		Long: `
Runs ocloc for each row of the table and writes the table with the column Code
naming the results. For a table without rows, as the filter writes it for modules
that the device cannot take, ocloc is not run and the folder stays empty.`,
		Example: "devicec aot --ocloc ocloc --device acm-g10 --code-dir bin --output k.acm.table k.table",
		Setup: func(fs *flag.FlagSet) cli.Run {
			var s aotStep
			fs.StringVar(&s.ocloc, "ocloc", "", "`path` of ocloc (required)")
			fs.StringVar(&s.device, "device", "", "ocloc's `name` of the device (required)")
			fs.StringVar(&s.codeDir, "code-dir", "", "the `folder` for native images (required)")
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
	if err := required("ocloc", s.ocloc, "device", s.device, "code-dir", s.codeDir, "output", s.output); err != nil {
		return err
	}
	t, err := readTable(in)
	if err != nil {
		return err
	}
	rows, err := rowsOf(in, t)
	if err != nil {
		return err
	}
	out := newOutputs()
	defer out.discard()
	column := t.Column(filetable.Code)
	err = command.ForEach(runtime.GOMAXPROCS(0), len(rows), func(i int) error {
		spirv := rows[i].code
		if _, err := size(spirv); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
		code := out.file(s.codeDir, rows[i].stem()+".bin")
		if err := command.Run(ctx, nil, nil, env.Stderr, s.ocloc, "compile", "-q", "-spirv_input", "-file", spirv, "-device", s.device, "-o", code.scratch); err != nil {
			return err
		}
		if n, err := size(code.scratch); err != nil || n == 0 {
			return fmt.Errorf("%s said that it succeeded but wrote no image for %s (%s)", s.ocloc, s.device, spirv)
		}
		t.Rows[i][column] = code.path
		return nil
	})
	if err != nil {
		return err
	}
	if err := out.place(s.codeDir); err != nil {
		return err
	}
	return cli.WriteFile(s.output, t.Write)
}
