package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// explain implements the subcommand explain.
func explain(_ context.Context, env *cli.Env, args []string) error {
	if len(args) == 0 {
		for _, r := range gate.Rules() {
			fmt.Fprintf(env.Stdout, "%-28s %s\n", r.ID, r.Short)
		}
		return nil
	}
	if len(args) > 1 {
		return cli.Usagef("expected one rule")
	}
	r, ok := gate.LookupRule(gate.RuleID(args[0]))
	if !ok {
		var ids []string
		for _, r := range gate.Rules() {
			ids = append(ids, string(r.ID))
		}
		if near := safetext.Nearest(args[0], slices.Values(ids), 1); near != nil {
			return cli.Usagef("unknown rule %q; did you mean %s?", args[0], near[0])
		}
		return cli.Usagef("unknown rule %q; 'compat explain' lists the rules", args[0])
	}
	fmt.Fprintf(env.Stdout, "%s\n\n%s\n\n%s\n", r.ID, r.Short, r.Long)
	switch {
	case !r.Finding:
		fmt.Fprintf(env.Stdout, "\nThis rule is about the check itself; its level is %v.\n", r.Level)
	case r.Detail != "":
		fmt.Fprintf(env.Stdout, "\nThe level is at most %v, unless the policy sets a different one. An exception can be limited to one 'detail': {%s: ...}.\n", r.Level, r.Detail)
	default:
		fmt.Fprintf(env.Stdout, "\nThe level is at most %v, unless the policy sets a different one.\n", r.Level)
	}
	return nil
}
