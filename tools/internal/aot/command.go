package aot

import (
	"cmp"
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/stepflags"
)

// Command returns the command that runs the step, for a tool in which it has a name, and
// for one in which it is all, with the name "".
func Command(tool, name string) *cli.Command {
	called := tool
	if name != "" {
		called += " " + name
	}
	return &cli.Command{
		Name:  name,
		Args:  "IN.table",
		Short: "compile a filtered table's SPIR-V for an Intel GPU",
		Long: `
Runs ocloc for each row of the table and writes the table with the column Code
naming the results. For a table without rows, as the filter writes it for modules
that the device cannot take, ocloc is not run and the folder stays empty.`,
		Example: called + " --ocloc ocloc --device acm-g10 --code-dir bin --output k.acm.table k.table",
		Setup:   setup,
	}
}

func setup(fs *flag.FlagSet) cli.Run {
	var o Options
	fs.StringVar(&o.Ocloc, "ocloc", "", "`path` of ocloc (required)")
	fs.StringVar(&o.Device, "device", "", "ocloc's `name` of the device (required)")
	fs.StringVar(&o.CodeDir, "code-dir", "", "the `folder` for native images (required)")
	fs.StringVar(&o.Output, "output", "", "the table `file` (required)")
	fs.BoolVar(&o.Library, "library", false, "keep functions that modules of other files may call; without it ocloc drops those that no kernel calls")
	return func(ctx context.Context, env *cli.Env, args []string) (err error) {
		o.Table, err = stepflags.OneInput(args)
		err = cmp.Or(err, stepflags.Required("ocloc", o.Ocloc, "device", o.Device, "code-dir", o.CodeDir, "output", o.Output))
		if err != nil {
			return err
		}
		return Run(ctx, env.Stderr, o)
	}
}
