package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// dpcppName is the name of the filter in DPC++'s design of optional kernel features. A program with
// this name, or the subcommand, accepts that filter's options.
const dpcppName = "sycl-aspect-filter"

// dpcppCommand is the command with that filter's options. Its name is "" for a program that has
// only this function.
func dpcppCommand(name string) *cli.Command {
	return &cli.Command{
		Name:  name,
		Args:  "IN.table",
		Short: "filter with the options of DPC++'s sycl-aspect-filter",
		Long: `
Copies the rows of a file table that a target can run, like the program
sycl-aspect-filter in DPC++'s design of optional kernel features. A link to, or a copy of,
this program with that name does the same. Options have one dash or two. A table without
the column Properties is copied unchanged, and a target without an entry is an error. In
addition to the aspects, sub-group sizes and fixed targets in that design, the filter
compares explicit SIMD intrinsics and SPIR-V extensions.`,
		Example: dpcppName + " -target=intel_gpu_dg2 -device-config-file=own.yaml -o dg2.table linked.table",
		Setup: func(fs *flag.FlagSet) cli.Run {
			f := new(filter)
			target := fs.String("target", "", "keep the rows that this `target` can run")
			buildstep.DeviceConfigFiles(fs, &f.configs)
			output := fs.String("o", "-", "write the table to this `file`; - is standard output")
			return func(ctx context.Context, env *cli.Env, args []string) error {
				f.filters.Values, f.outputs.Values = []string{*target}, []string{*output}
				return f.run(ctx, env, args)
			}
		},
	}
}

// dpcppTool is the program when it is run under that filter's name.
func dpcppTool() *cli.Tool {
	c := dpcppCommand("")
	return &cli.Tool{Name: dpcppName, Short: c.Short, Commands: []*cli.Command{c}}
}
