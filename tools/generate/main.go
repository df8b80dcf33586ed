// Command generate generates files of this repository from other files: tables of icpx options and
// built-in devices in Starlark, and pages in docs.
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
