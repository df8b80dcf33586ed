package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/compilespec"
)

func compilespecCommand() *cli.Command {
	return &cli.Command{
		Name:    "compilespec",
		Short:   "write the table of compiler options as Starlark",
		Example: "generate compilespec --output rules/private/generated/compile_spec.bzl",
		Setup: func(fs *flag.FlagSet) cli.Run {
			output := fs.String("output", "", "the `file` to write")
			return func(_ context.Context, env *cli.Env, args []string) error {
				if len(args) > 0 {
					return cli.Usagef("unexpected argument %q", args[0])
				}
				if *output == "" {
					return cli.Usagef("--output is required")
				}
				return env.Output(*output, writeCompileSpec)
			}
		},
	}
}

// writeCompileSpec writes the rules of package compilespec as Starlark.
func writeCompileSpec(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprint(w, `"""The gcc and clang options that are passed to the device compile. Generated from package compilespec by //tools/generate."""

# Name of an option -> (the position of its value, how it is interpreted). "" drops the option.
RULES = {
`)
	forms := map[compilespec.Form]string{
		compilespec.Exact: "exact", compilespec.Joined: "joined", compilespec.Separate: "separate",
		compilespec.Either: "either", compilespec.Equals: "equals",
	}
	readings := map[compilespec.Reading]string{
		compilespec.Copy: "copy", compilespec.Standard: "standard", compilespec.Warning: "warning",
		compilespec.Optimization: "optimization", compilespec.Debug: "debug", compilespec.Feature: "feature",
		compilespec.Sysroot: "sysroot",
	}
	for _, r := range compilespec.Rules() {
		reading := ""
		if r.To&compilespec.Device != 0 {
			reading = readings[r.Reading]
			if reading == "" {
				return fmt.Errorf("%s: the rules cannot interpret this option", r.Name)
			}
		}
		fmt.Fprintf(w, "    %q: (%q, %q),\n", r.Name, forms[r.Form], reading)
	}
	fmt.Fprint(w, `}

# Names X of the options -fX and -fno-X that the device compilation gets. A value follows "=".
FEATURES = {name: None for name in [
`)
	for _, name := range compilespec.DeviceFeatures() {
		fmt.Fprintf(w, "    %q,\n", name)
	}
	fmt.Fprint(w, `]}

# Prefixes of more such options.
FEATURE_FAMILIES = [
`)
	for _, name := range compilespec.FeatureFamilies() {
		fmt.Fprintf(w, "    %q,\n", name)
	}
	fmt.Fprint(w, `]

# Values of -g that enable debug information.
DEBUG_LEVELS = [
`)
	for _, name := range compilespec.DebugLevels() {
		fmt.Fprintf(w, "    %q,\n", name)
	}
	fmt.Fprint(w, "]\n")
	return w.Flush()
}
