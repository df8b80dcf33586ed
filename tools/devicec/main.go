// Command devicec runs the device compilers for the rules, one build step per subcommand. It skips
// steps without work, performs checks that the compilers lack, and never leaves partial output.
package main

import (
	"context"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

func main() {
	buildstep.MainWorker(tool(nil), func(_ context.Context, kept *buildstep.Cache) (*cli.Tool, func()) { return tool(kept), func() {} })
}

func tool(kept *buildstep.Cache) *cli.Tool {
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
