// Command postlink splits linked SYCL device code into modules.
package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

func main() {
	if cli.CalledAs(dpcppName) {
		dpcppTool().Main()
	}
	buildstep.MainWorker(tool(nil), func(_ context.Context, kept *buildstep.Kept) (*cli.Tool, func()) { return tool(kept), func() {} })
}

// dpcppTool runs the program under the name of DPC++'s post-link step.
func dpcppTool() *cli.Tool {
	c := dpcppCommand("")
	return &cli.Tool{Name: dpcppName, Short: c.Short, Commands: []*cli.Command{c}}
}

func tool(kept *buildstep.Kept) *cli.Tool {
	return &cli.Tool{
		Name:  "postlink",
		Short: "split linked SYCL device code into modules",
		Commands: []*cli.Command{{
			Args:  "IN.ll|IN.bc",
			Short: "split linked SYCL device code into modules",
			Long: `
Finds the aspects that each function uses, and writes the modules of kernels that
belong together and need the same, each with what its kernels reach and nothing
else. A function that kernels reach and that is not defined is an error.

Beside OUT.table there are OUT_0, OUT_1 and so on: LLVM IR (.ll, or .bc with --opt),
property sets (.prop) and symbols (.sym). With --module the modules of each source
have a folder and a table of their own.

Warnings report functions that use aspects they do not declare, kernels that a
fixed target cannot run, and SYCL_EXTERNAL functions that need more than the
kernels of their module. Flags that DPC++'s sycl-post-link also has are called as
there; what its driver asks for is the default here. To put this program in place of
that one, call it sycl-post-link, or use the subcommand: 'postlink sycl-post-link
--help' has the table of both spellings.`,
			Example: "postlink --split per_kernel --llvm-dis llvm-dis-21 --opt opt-21 --output k.table linked.bc",
			Setup:   func(fs *flag.FlagSet) cli.Run { return setup(fs, kept) },
		}, dpcppCommand(dpcppName)},
	}
}
