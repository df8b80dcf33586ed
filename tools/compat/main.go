// Command compat reports which kernels run on which devices, and why not.
package main

import (
	"flag"

	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
)

func main() { tool().Main() }

func tool() *cli.Tool {
	return &cli.Tool{
		Name:  "compat",
		Short: "which kernels run on which devices, and why not",
		Commands: []*cli.Command{
			{
				Name:  "report",
				Args:  "FILE...",
				Short: "compare the kernels of device code files with devices",
				Long: `
Reads SYCLBIN files, SPIR-V modules and file tables, together one program, and
writes a report as JSON: for each kernel and device whether the one runs on the
other, all reasons why not, and what the files hold for the device: native code,
code that is compiled when the program runs, or nothing.

Without --devices the report is about the devices that there is native code for
and about the targets of the other code.`,
				Example: "compat report --output kernels.compat.json --devices intel_gpu_pvc,intel_gpu_dg2 kernels.syclbin",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(reporter).setup(fs) },
			},
			{
				Name:    "show",
				Args:    "REPORT.json...",
				Short:   "print reports",
				Example: "compat show kernels.compat.json",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(shower).setup(fs) },
			},
			{
				Name:    "schema",
				Args:    "report",
				Short:   "print the JSON Schema of reports",
				Example: "compat schema report",
				Setup:   func(*flag.FlagSet) cli.Run { return printSchema },
			},
		},
	}
}
