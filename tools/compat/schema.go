package main

import (
	"context"

	"github.com/rules-sycl/rules_sycl/docs/schema"
	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// printSchema is the subcommand schema.
func printSchema(_ context.Context, env *cli.Env, args []string) error {
	schemas := map[string][]byte{"report": schema.CompatReport, "policy": schema.Policy, "baseline": schema.Baseline, "result": schema.Result, "diff": schema.Diff, "site": schema.Site}
	if len(args) != 1 || schemas[args[0]] == nil {
		return cli.Usagef("which schema? there are: report, policy, baseline, result, diff, site")
	}
	_, err := env.Stdout.Write(schemas[args[0]])
	return err
}
