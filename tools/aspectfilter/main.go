// Command aspectfilter keeps the rows of a file table that a target can run.
package main

import (
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

func main() {
	if cli.CalledAs(dpcppName) {
		dpcppTool().Main()
	}
	tool().Main()
}

func tool() *cli.Tool {
	return &cli.Tool{
		Name:  "aspectfilter",
		Short: "keep what a target can take",
		Commands: []*cli.Command{
			{
				Args:  "IN.table...",
				Short: "copy the rows of a file table that a target can take",
				Long: `
A row is kept when the target has every aspect and every sub-group size that the
row's property file asks for, and is one of its fixed targets. A row that asks
for nothing is kept, and so is every row for a target such as spir64 that stands
for devices not known yet. A table without the column Properties is copied as it
is. Property files are found from the current folder or from that of the table.

Several targets are filtered in one run when --target and --output are given once for
each, in the same order.

With --plan instead of --target, writes what would be kept for each target as
JSON, for one table or several: for the targets of --targets, else of
--fixed-targets, else for all known devices.

Nothing is written unless all property files can be read.`,
				Example: "aspectfilter --target intel_gpu_dg2 --output dg2.table --target intel_gpu_pvc --output pvc.table linked.table",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(filter).setup(fs) },
			},
			{
				Name:    "devices",
				Short:   "list the devices that are known",
				Example: "aspectfilter devices",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(listing).setup(fs) },
			},
			{
				Name:  "device-entry",
				Short: "make a device configuration for the devices of this machine",
				Long: `
Prints an entry for each OpenCL device, as YAML that --device-config-file takes,
with the query that gave each fact. Asks the program clinfo, or reads what it
printed on another machine. With --ocloc-device, asks ocloc about an Intel GPU
that need not be there; it says less.`,
				Example: "aspectfilter device-entry --device POCL/0 --name my_cpu --output devices.yaml",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(deviceEntry).setup(fs) },
			},
			dpcppCommand(dpcppName),
		},
	}
}
