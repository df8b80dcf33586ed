package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/reading"
	"github.com/rules-sycl/rules_sycl/tools/internal/stepflags"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps"
)

// filter is the command without a name, which filters a table or plans that.
type filter struct {
	target, output, reasons string
	plan, requireTaken      bool
	configs, targets, fixed cli.Strings
	reading                 reading.Options
}

func (f *filter) setup(fs *flag.FlagSet) cli.Run {
	f.targets.Split, f.fixed.Split = true, true
	fs.StringVar(&f.target, "target", "", "keep what this `target` can take")
	stepflags.DeviceConfigFiles(fs, &f.configs)
	fs.Var(&f.targets, "targets", "all `targets` of the program, separated by commas; another --target gets no rows")
	fs.Var(&f.fixed, "fixed-targets", "the only `targets` that the program was written for, separated by commas; another --target gets no rows")
	fs.StringVar(&f.output, "output", "", "write the table, or the plan, to this `file`")
	fs.StringVar(&f.reasons, "reasons", "", "also write which rows were dropped, and why, to this `file`")
	fs.BoolVar(&f.plan, "plan", false, "write the decisions for all targets as JSON")
	fs.BoolVar(&f.requireTaken, "require-taken", false, "with --plan, exit with 1 when no target takes some row")
	f.reading.AssumeFlag(fs)
	return f.run
}

func (f *filter) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := f.check(args); err != nil {
		return err
	}
	program := steps.ProgramTargets{Targets: f.targets.Values, Fixed: f.fixed.Values, Configs: f.configs.Values, Assume: f.reading.Assume}
	if f.plan {
		return steps.Plan(ctx, env.Stderr, steps.PlanOptions{
			ProgramTargets: program, Tables: args, Output: f.output, Stdout: env.Stdout, RequireTaken: f.requireTaken,
		})
	}
	return steps.Filter(ctx, env.Stderr, steps.FilterOptions{
		ProgramTargets: program, Table: args[0], Target: f.target, Output: f.output, Stdout: env.Stdout, Reasons: f.reasons,
	})
}

// check refuses flags that do not go together.
func (f *filter) check(args []string) error {
	switch {
	case f.plan && f.target != "":
		return cli.Usagef("--plan and --target exclude each other")
	case f.plan && f.reasons != "":
		return cli.Usagef("--plan has the reasons; --reasons goes with --target")
	case !f.plan && f.requireTaken:
		return cli.Usagef("--require-taken goes with --plan")
	case !f.plan && f.target == "":
		return cli.Usagef("--target or --plan is needed")
	case !f.plan && f.output == "":
		return cli.Usagef("--output is needed")
	case !f.plan && len(args) != 1:
		return cli.Usagef("one file table is needed, %d given", len(args))
	case len(args) == 0:
		return cli.Usagef("a file table is needed")
	}
	return nil
}
