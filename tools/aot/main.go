// Command aot compiles SPIR-V for Intel GPUs ahead of time. It is a program of its own so
// that a change of other steps does not compile anything again.
package main

import (
	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/aot"
)

func main() { tool().Main() }

func tool() *cli.Tool {
	command := aot.Command()
	return &cli.Tool{Name: "aot", Short: command.Short, Commands: []*cli.Command{command}}
}
