// Command compat reports which kernels run on which devices, and why not.
package main

import (
	"flag"
	"runtime/debug"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inspect"
)

func main() {
	debug.SetMemoryLimit(inspect.MemoryLimit)
	debug.SetGCPercent(200) // collecting garbage less often saves time, and the limit bounds the memory
	tool().Main()
}

func tool() *cli.Tool {
	return &cli.Tool{
		Name:  "compat",
		Short: "report which kernels run on which devices, and why others do not",
		Commands: []*cli.Command{
			{
				Name:    "report",
				Args:    "FILE...",
				Short:   "compare the kernels of programs, libraries and other files with devices",
				Long:    reportLong,
				Example: reportExample,
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(reportCommand).setup(fs) },
			},
			{
				Name:    "show",
				Args:    "REPORT.json...",
				Short:   "print reports as a table, a page or a list",
				Long:    showLong,
				Example: "compat show --format html --output kernels.html --devices 'intel_gpu_*' kernels.compat.json",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(showCommand).setup(fs) },
			},
			{
				Name:    "check",
				Args:    "[REPORT.json...]",
				Short:   "decide whether a change may pass",
				Long:    checkLong,
				Example: "compat check --required intel_gpu_pvc,intel_gpu_acm_g10 kernels.compat.json\n  compat check --required intel_gpu_pvc --binary 'dist/*.whl'",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(checkCommand).setup(fs) },
			},
			{
				Name:    "diff",
				Args:    "OLD.json NEW.json",
				Short:   "print which kernels and devices were lost and gained",
				Long:    diffLong,
				Example: "compat diff --exit-code before.compat.json kernels.compat.json",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(diffCommand).setup(fs) },
			},
			{
				Name:    "site",
				Args:    "REPORT.json...",
				Short:   "write static pages that show which libraries run on which devices",
				Long:    siteLong,
				Example: "compat site --output site reports/*.json",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(siteCommand).setup(fs) },
			},
			{
				Name:    "baseline",
				Args:    "update|prune|verify [REPORT.json...]",
				Short:   "update, prune or verify the baseline of known problems",
				Long:    baselineLong,
				Example: "compat baseline update --policy policy.yaml --baseline sycl-compat-baseline.json kernels.compat.json",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(baselineCommand).setup(fs) },
			},
			{
				Name:    "fix",
				Args:    "REPORT.json|RESULT.json...",
				Short:   "propose edits of BUILD files",
				Long:    fixLong,
				Example: "compat fix kernels.compat.json | patch -p1",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(fixCommand).setup(fs) },
			},
			{
				Name:    "explain",
				Args:    "[RULE]",
				Short:   "explain what a rule means and what to do",
				Example: "compat explain missing-aspect",
				Setup:   func(*flag.FlagSet) cli.Run { return explain },
			},
			{
				Name:    "devices",
				Args:    "[NAME|PATTERN...]",
				Short:   "list devices, with the product names of GPUs",
				Long:    devicesLong,
				Example: "compat devices 'intel_gpu_bmg*' arc-a770",
				Setup:   func(fs *flag.FlagSet) cli.Run { return new(devicesCommand).setup(fs) },
			},
			{
				Name:    "schema",
				Args:    "report|policy|baseline|result|diff|site",
				Short:   "print the JSON Schema of a file",
				Example: "compat schema policy",
				Setup:   func(*flag.FlagSet) cli.Run { return printSchema },
			},
		},
	}
}
