package main

import (
	"context"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// printSchema implements the subcommand schema.
func printSchema(_ context.Context, env *cli.Env, args []string) error {
	schemas := map[string][]byte{"report": docs.ReportSchema, "policy": docs.PolicySchema, "baseline": docs.BaselineSchema, "result": docs.ResultSchema, "diff": docs.DiffSchema, "site": docs.SiteSchema}
	const expected = "expected report, policy, baseline, result, diff or site"
	if len(args) != 1 {
		return cli.Usagef("missing schema; " + expected)
	}
	if schemas[args[0]] == nil {
		return cli.Usagef("unknown schema %q; %s", args[0], expected)
	}
	_, err := env.Stdout.Write(schemas[args[0]])
	return err
}
