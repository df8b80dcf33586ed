// Command devicec runs the device compilers for the rules, one build step per subcommand: it skips
// steps that have nothing to do, makes checks that the compilers do not, and leaves no
// half-written output.
package main

import (
	"context"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

func main() {
	buildstep.MainWorker(tool(nil), func(_ context.Context, kept *buildstep.Kept) (*cli.Tool, func()) { return tool(kept), func() {} })
}

func tool(kept *buildstep.Kept) *cli.Tool {
	return &cli.Tool{
		Name:  "devicec",
		Short: "run one step of a SYCL device build",
		Commands: []*cli.Command{
			compileCommand(),
			hostCommand(),
			importCommand(),
			linkCommand(),
			imagesCommand(),
			translateCommand(kept),
			specializeCommand(),
			gpuCommand(kept),
		},
	}
}
