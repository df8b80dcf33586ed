// Command aot compiles SPIR-V for Intel GPUs ahead of time. It is a separate program so that
// changes to other steps do not trigger recompilation.
package main

import (
	"context"
	"runtime"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/aot"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

func main() {
	buildstep.MainWorker(tool(nil, nil), func(ctx context.Context, kept *buildstep.Cache) (*cli.Tool, func()) {
		servers := aot.NewServers(ctx, runtime.GOMAXPROCS(0))
		return tool(servers, kept), servers.Close
	})
}

func tool(servers *aot.Servers, kept *buildstep.Cache) *cli.Tool {
	command := aot.Command(servers, kept)
	return &cli.Tool{Name: "aot", Short: command.Short, Commands: []*cli.Command{command}}
}
