// Command generate writes the files of this repository that follow from others: the options of
// icpx and the built-in devices as Starlark, and pages of docs.
package main

import "github.com/rules-sycl/rules_sycl/internal/cli"

func main() { tool().Main() }

func tool() *cli.Tool {
	return &cli.Tool{
		Name:     "generate",
		Short:    "write the files of this repository that follow from others",
		Commands: []*cli.Command{compilespecCommand(), icpxflagsCommand(), rulesCommand(), targetsCommand()},
	}
}
