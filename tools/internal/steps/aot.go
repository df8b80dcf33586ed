package steps

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

// Aot compiles the SPIR-V of a table's rows for an Intel GPU.
type Aot struct {
	Ocloc   string // path
	Device  string // as ocloc calls it
	CodeDir string // for native images
	Output  string // the table with them
	Library bool   // images of other modules are linked to these
}

// Setup declares the flags.
func (s *Aot) Setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&s.Ocloc, "ocloc", "", "`path` of ocloc (required)")
	fs.StringVar(&s.Device, "device", "", "ocloc's `name` of the device (required)")
	fs.StringVar(&s.CodeDir, "code-dir", "", "the `folder` for native images (required)")
	fs.StringVar(&s.Output, "output", "", "the table `file` (required)")
	fs.BoolVar(&s.Library, "library", false, "keep functions that modules of other files may call; without it ocloc drops those that no kernel calls")
	return s.Run
}

// Run compiles the table that is the only argument.
func (s *Aot) Run(ctx context.Context, env *cli.Env, args []string) error {
	in, err := oneInput(args)
	if err != nil {
		return err
	}
	if err := required("ocloc", s.Ocloc, "device", s.Device, "code-dir", s.CodeDir, "output", s.Output); err != nil {
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
		code := out.file(s.CodeDir, rows[i].stem()+".bin")
		args := []string{"compile", "-q", "-spirv_input", "-file", spirv, "-device", s.Device, "-o", code.scratch}
		if s.Library {
			args = slices.Insert(args, 2, "-options", "-library-compilation")
		}
		if err := command.Run(ctx, nil, nil, env.Stderr, s.Ocloc, args...); err != nil {
			return err
		}
		if n, err := size(code.scratch); err != nil || n == 0 {
			return fmt.Errorf("%s said that it succeeded but wrote no image for %s (%s)", s.Ocloc, s.Device, spirv)
		}
		t.Rows[i][column] = code.path
		return nil
	})
	if err != nil {
		return err
	}
	if err := out.place(s.CodeDir); err != nil {
		return err
	}
	return cli.WriteFile(s.Output, t.Write)
}
