// Command postlink splits linked SYCL device code into modules.
package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
)

func main() {
	if cli.IsCalledAs(dpcppName) {
		dpcppTool().Main()
	}
	buildstep.MainWorker(tool(nil), func(_ context.Context, kept *buildstep.Cache) (*cli.Tool, func()) { return tool(kept), func() {} })
}

// dpcppTool runs the program under the name of DPC++'s post-link step.
func dpcppTool() *cli.Tool {
	c := dpcppCommand("")
	return &cli.Tool{Name: dpcppName, Short: c.Short, Commands: []*cli.Command{c}}
}

func tool(kept *buildstep.Cache) *cli.Tool {
	return &cli.Tool{
		Name:  "postlink",
		Short: "split linked SYCL device code into modules",
		Commands: []*cli.Command{{
			Args:  "IN.ll|IN.bc",
			Short: "split linked SYCL device code into modules",
			Long: `
Determines the aspects that each function uses, and writes modules of kernels that belong
together and have the same requirements. A module contains only what its kernels reach. An
undefined function that kernels reach is an error.

Next to OUT.table, it writes OUT_0, OUT_1 and so on: LLVM IR (.ll, or .bc with --opt),
property sets (.prop) and symbols (.sym). With --module, the modules of each source have a
separate directory and table.

Warnings report functions that use aspects they do not declare, kernels that a fixed target
cannot run, and SYCL_EXTERNAL functions with more requirements than the kernels of their
module. Flags have the same names as in DPC++'s sycl-post-link; the defaults are the options
that DPC++'s driver passes. To replace that program, rename this one to sycl-post-link or
use the subcommand: 'postlink sycl-post-link --help' compares the options.`,
			Example: "postlink --split per_kernel --llvm-dis llvm-dis-21 --opt opt-21 --output k.table linked.bc",
			Setup: func(fs *flag.FlagSet) cli.Run {
				f := &flags{Options: splitir.Options{Cache: kept}}
				f.declare(fs)
				return f.run
			},
		}, dpcppCommand(dpcppName)},
	}
}
