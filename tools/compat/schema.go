package main

import (
	"context"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// printSchema implements the subcommand schema.
func printSchema(_ context.Context, env *cli.Env, args []string) error {
	schemas := map[string][]byte{"report": docs.ReportSchema, "policy": docs.PolicySchema, "baseline": docs.BaselineSchema, "result": docs.ResultSchema, "diff": docs.DiffSchema, "site": docs.SiteSchema}
	if len(args) != 1 || schemas[args[0]] == nil {
		return cli.Usagef("missing schema; expected report, policy, baseline, result, diff or site")
	}
	_, err := env.Stdout.Write(schemas[args[0]])
	return err
}
