package main

import (
	"context"
	"flag"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/targetfilter"
)

// filter is the command without a name, which filters a table or plans the filtering.
type filter struct {
	filters, outputs, reasons cli.Strings // one per target
	plan, failOnUnusedRow     bool
	configs, targets, fixed   cli.Strings
	options                   cli.Strings // as TARGET=OPTION
	reading                   inputs.Reading
}

func (f *filter) setup(fs *flag.FlagSet) cli.Run {
	f.targets.Split, f.fixed.Split = true, true
	fs.Var(&f.filters, "target", "keep the rows that this `target` can run; may be repeated, with an --output for each, in the same order")
	buildstep.DeviceConfigFiles(fs, &f.configs)
	fs.Var(&f.targets, "targets", "all `targets` of the program, separated by commas; any other --target gets no rows")
	fs.Var(&f.fixed, "fixed-targets", "the only `targets` that the program is written for, separated by commas; any other --target gets no rows")
	fs.Var(&f.outputs, "output", "write the table, or the plan, to this `file`")
	fs.Var(&f.options, "option", "`TARGET=OPTION`: option with which the native code of a --target is compiled, such as intel_gpu_pvc=-ze-opt-large-register-file; may be repeated")
	fs.Var(&f.reasons, "reasons", "also write the dropped rows, with reasons, to this `file`; with several targets, one file for each")
	fs.BoolVar(&f.plan, "plan", false, "write the decisions for all targets as JSON")
	fs.BoolVar(&f.failOnUnusedRow, "fail-on-unused-row", false, "with --plan, exit with 1 if a row is omitted for every target")
	f.reading.AssumeFlag(fs)
	return f.run
}

func (f *filter) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := f.check(args); err != nil {
		return err
	}
	program := targetfilter.ProgramTargets{Targets: f.targets.Values, Fixed: f.fixed.Values, Configs: f.configs.Values, Assume: f.reading.Assume}
	if f.plan {
		output := ""
		if len(f.outputs.Values) > 0 {
			output = f.outputs.Values[0]
		}
		return targetfilter.Plan(ctx, env.Stderr, targetfilter.PlanOptions{
			ProgramTargets: program, Tables: args, Output: output, Stdout: env.Stdout, FailOnUnusedRow: f.failOnUnusedRow,
		})
	}
	o := targetfilter.FilterOptions{ProgramTargets: program, Table: args[0], Stdout: env.Stdout}
	for i, target := range f.filters.Values {
		one := targetfilter.TargetFilter{Target: target, Output: f.outputs.Values[i]}
		if len(f.reasons.Values) > 0 {
			one.Reasons = f.reasons.Values[i]
		}
		for _, option := range f.options.Values {
			if of, option, _ := strings.Cut(option, "="); of == target {
				one.Options = append(one.Options, option)
			}
		}
		o.Filters = append(o.Filters, one)
	}
	return targetfilter.Filter(ctx, env.Stderr, o)
}

// check rejects conflicting flags.
func (f *filter) check(args []string) error {
	if f.plan {
		return f.checkPlan(args)
	}
	targets, outputs, reasons := len(f.filters.Values), len(f.outputs.Values), len(f.reasons.Values)
	switch {
	case f.failOnUnusedRow:
		return cli.Usagef("--fail-on-unused-row requires --plan")
	case targets == 0 || slices.Contains(f.filters.Values, ""):
		return cli.Usagef("--target or --plan is required")
	case outputs == 0 || slices.Contains(f.outputs.Values, ""):
		return cli.Usagef("--output is required")
	case outputs != targets:
		return cli.Usagef("each --target requires an --output; got %d and %d", targets, outputs)
	case reasons > 0 && reasons != targets:
		return cli.Usagef("--reasons is required for each --target or for none; got %d and %d", targets, reasons)
	case len(args) != 1:
		return cli.Usagef("expected one file table, got %d", len(args))
	}
	for _, option := range f.options.Values {
		if target, _, ok := strings.Cut(option, "="); !ok || !slices.Contains(f.filters.Values, target) {
			return cli.Usagef("--option: '%s' does not start with a --target and '='", option)
		}
	}
	if first := slices.Index(f.outputs.Values, "-"); first >= 0 && slices.Contains(f.outputs.Values[first+1:], "-") {
		return cli.Usagef("--output: only one table can be written to standard output")
	}
	return nil
}

// checkPlan is check for --plan.
func (f *filter) checkPlan(args []string) error {
	switch {
	case len(f.filters.Values) > 0:
		return cli.Usagef("--plan cannot be combined with --target")
	case len(f.reasons.Values) > 0:
		return cli.Usagef("--reasons requires --target; --plan already includes the reasons")
	case len(f.options.Values) > 0:
		return cli.Usagef("--option requires --target")
	case len(f.outputs.Values) > 1:
		return cli.Usagef("--plan requires one --output, got %d", len(f.outputs.Values))
	case len(args) == 0:
		return cli.Usagef("no input file table")
	}
	return nil
}
