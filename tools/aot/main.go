// Command aot compiles SPIR-V for Intel GPUs ahead of time. It is a program of its own so
// that a change of other steps does not compile anything again.
package main

import (
	"context"
	"os"
	"runtime"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/interrupt"
	"github.com/rules-sycl/rules_sycl/tools/internal/aot"
)

// remember is how many bytes of images a worker keeps.
const remember = 128 << 20

func main() {
	args, worker := asWorker(os.Args[1:])
	if !worker {
		tool(nil).Main()
	}
	interrupt.Main("aot", func(ctx context.Context) int {
		servers := aot.NewServers(ctx, runtime.GOMAXPROCS(0), remember)
		defer servers.Close()
		return work(ctx, tool(servers), &cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, args)
	})
}

func tool(servers *aot.Servers) *cli.Tool {
	command := aot.Command(servers)
	return &cli.Tool{Name: "aot", Short: command.Short, Commands: []*cli.Command{command}}
}
