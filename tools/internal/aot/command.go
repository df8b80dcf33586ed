package aot

import (
	"context"
	"flag"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// Command returns the command that runs the step. A worker passes servers and a cache to reuse in
// later runs; for a single run, both are nil.
func Command(servers *Servers, kept *buildstep.Cache) *cli.Command {
	return &cli.Command{
		Args:  "IN.table...",
		Short: "compile a filtered table's SPIR-V for an Intel GPU",
		Long: `
Runs ocloc for each row of the table, and writes the table with the results in the column
Code. If the table has no rows, because the device cannot run any of the modules, ocloc is
not run and the directory stays empty.

With several tables, each for a device, a module is compiled only once for devices that
ocloc does not distinguish, such as dg2 and acm-g10, and for devices of a GPU family whose
images differ only in a note, such as acm-g10 and acm-g11. Families were measured with one
release of ocloc. With any other release, or with options that were not measured, each
device is compiled separately.

With --server, one ocloc process compiles many modules, which is faster. If that is not
possible, ocloc is run for each module. The results are the same.`,
		Example: "aot --ocloc ocloc --device acm-g10 --code-dir bin --output k.acm.table k.table",
		Setup:   func(fs *flag.FlagSet) cli.Run { return setup(fs, servers, kept) },
	}
}

func setup(fs *flag.FlagSet, servers *Servers, kept *buildstep.Cache) cli.Run {
	o := Options{Servers: servers, Cache: kept}
	var devices, outputs, options cli.Strings
	fs.StringVar(&o.Ocloc, "ocloc", "", "`path` of ocloc (required)")
	fs.StringVar(&o.Server, "server", "", "`library` of rules/ocloc, with which one ocloc process compiles many modules")
	fs.Var(&devices, "device", "ocloc's `name` of the device, for each input (required)")
	fs.StringVar(&o.CodeDir, "code-dir", "", "`directory` for native images (required)")
	fs.Var(&outputs, "output", "table `file` to write, for each input (required)")
	fs.BoolVar(&o.Library, "library", false, "keep functions that modules of other files may call; by default, ocloc drops functions that no kernel calls")
	fs.StringVar((*string)(&o.Share), "share", string(ShareFamilies), "how the devices of a GPU family share compilations: `families` compiles for one device, and copies its image for the other devices, with the device name changed; off compiles for each device; verify does both and fails if an image differs")
	fs.BoolVar(&o.Skip, "skip-rejected-images", false, "omit an image that ocloc rejects, with a warning, instead of failing")
	fs.Var(&options, "option", "`option` for ocloc's compiler, as in 'ocloc -options'; may be repeated")
	return func(ctx context.Context, env *cli.Env, args []string) error {
		o.Options = options.Values
		if err := buildstep.Required("ocloc", o.Ocloc, "code-dir", o.CodeDir); err != nil {
			return err
		}
		if len(args) == 0 {
			return cli.Usagef("no input tables")
		}
		if len(devices.Values) != len(args) || len(outputs.Values) != len(args) {
			return cli.Usagef("--device and --output are required once for each of the %d inputs, got %d and %d", len(args), len(devices.Values), len(outputs.Values))
		}
		if slices.Contains(devices.Values, "") || slices.Contains(outputs.Values, "") {
			return cli.Usagef("--device and --output cannot be empty")
		}
		for i, in := range args {
			o.Targets = append(o.Targets, Target{Device: devices.Values[i], Table: in, Output: outputs.Values[i]})
		}
		return Run(ctx, env.Stderr, o)
	}
}
