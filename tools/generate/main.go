// Command generate writes the files of this repository that follow from others: the options of
// icpx and the built-in devices as Starlark, and pages of docs.
package main

import "github.com/rules-sycl/rules_sycl/internal/cli"

func main() { tool().Main() }

func tool() *cli.Tool {
	return &cli.Tool{
		Name:     "generate",
		Short:    "regenerate files that are derived from other files of this repository",
		Commands: []*cli.Command{compilespecCommand(), icpxflagsCommand(), rulesCommand(), targetsCommand()},
	}
}
