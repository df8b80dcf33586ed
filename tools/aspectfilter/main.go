// Command aspectfilter keeps the rows of a file table that a target can run.
package main

import (
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

func main() {
	if cli.IsCalledAs(dpcppName) {
		dpcppTool().Main()
	}
	tool().Main()
}

func tool() *cli.Tool {
	return &cli.Tool{
		Name:  "aspectfilter",
		Short: "filter device code by what a target can run",
		Commands: []*cli.Command{
			{
				Args:  "IN.table...",
				Short: "copy the rows of a file table that a target can run",
				Long: `
A row is kept if the target has every aspect and every sub-group size that the row's
property file requires, and is one of its fixed targets. A row without requirements is
kept, and so is every row for a target such as spir64, which stands for unknown devices.
A table without the column Properties is copied unchanged. Property files are searched
in the current directory and next to the table.

To filter for several targets in one run, repeat --target and --output, in the same
order.

With --plan instead of --target, it writes a JSON plan for one or several tables: which
rows would be kept for each target in --targets, or else in --fixed-targets, or else for
each known device.

Nothing is written unless all property files can be read.`,
				Example: "aspectfilter --target intel_gpu_dg2 --output dg2.table --target intel_gpu_pvc --output pvc.table linked.table",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(filter).setup(fs) },
			},
			{
				Name:    "devices",
				Short:   "list known devices",
				Example: "aspectfilter devices",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(listing).setup(fs) },
			},
			{
				Name:  "device-entry",
				Short: "print a device configuration for the devices of this system",
				Long: `
Prints an entry for each OpenCL device, as YAML for --device-config-file, with the query
behind each value. It runs the program clinfo, or reads its output from a different
system. With --ocloc-device, it queries ocloc about an Intel GPU, which does not have to
be installed; such an entry has less data.`,
				Example: "aspectfilter device-entry --device POCL/0 --name my_cpu --output devices.yaml",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(deviceEntry).setup(fs) },
			},
			dpcppCommand(dpcppName),
		},
	}
}
