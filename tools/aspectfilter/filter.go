package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/devices"
)

// filter is the tool's main command.
type filter struct {
	target, output, reasons string
	plan, requireTaken      bool
	configs, targets, fixed cli.Strings

	config *deviceconfig.Config
}

func (f *filter) setup(fs *flag.FlagSet) cli.Run {
	f.targets.Split, f.fixed.Split = true, true
	fs.StringVar(&f.target, "target", "", "keep what this `target` can take")
	fs.Var(&f.configs, "device-config-file", "`file` with devices, in place of those of the same name that are known; may be repeated")
	fs.Var(&f.targets, "targets", "all `targets` of the program, separated by commas; another --target gets no rows")
	fs.Var(&f.fixed, "fixed-targets", "the only `targets` that the program was written for, separated by commas; another --target gets no rows")
	fs.StringVar(&f.output, "output", "", "write the table, or the plan, to this `file`")
	fs.StringVar(&f.reasons, "reasons", "", "also write which rows were dropped, and why, to this `file`")
	fs.BoolVar(&f.plan, "plan", false, "write the decisions for all targets as JSON")
	fs.BoolVar(&f.requireTaken, "require-taken", false, "with --plan, exit with 1 when no target takes some row")
	return f.run
}

func (f *filter) run(ctx context.Context, env *cli.Env, args []string) error {
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
	known := map[string]module{}
	var inputs []*input
	for _, name := range args {
		in, err := read(ctx, name, known)
		if err != nil {
			return err
		}
		inputs = append(inputs, in)
	}
	// A table of which nothing is known goes on as it came, whatever the target and
	// the configuration.
	if in := inputs[0]; !f.plan && in.table.Column(filetable.Properties) < 0 {
		return f.write(env, in, nil)
	}
	var err error
	if f.config, err = devices.Load(env, f.configs.Values); err != nil {
		return err
	}
	if _, err := devices.FindAll(f.config, append(f.targets.Values, f.fixed.Values...)); err != nil {
		return err
	}
	if f.plan {
		return f.writePlan(env, inputs)
	}
	device, err := devices.Find(f.config, f.target)
	if err != nil {
		return err
	}
	return f.write(env, inputs[0], f.drop(inputs[0], device))
}

// drop returns the reasons for each row that the target does not get, nil for
// the rows that it gets.
func (f *filter) drop(in *input, d *deviceconfig.Device) [][]string {
	checker := compat.New(f.config)
	selected, why := compat.Selected(f.target, f.targets.Values, f.fixed.Values)
	dropped := make([][]string, len(in.rows))
	groups := compat.GroupRows(needs(in.rows))
	for i, decision := range checker.Decide(groups, d) {
		var reasons []string
		switch {
		case !selected:
			reasons = []string{fmt.Sprintf("The target %s is %s (targets: %s; fixed targets: %s)", f.target, why, list(f.targets), list(f.fixed))}
		case !decision.Kept:
			for _, r := range decision.Reasons {
				reasons = append(reasons, r.Text)
			}
		}
		for _, row := range groups[i].Rows {
			dropped[row] = reasons
		}
	}
	return dropped
}

// list names targets for people.
func list(targets cli.Strings) string {
	if len(targets.Values) == 0 {
		return "any"
	}
	return strings.Join(targets.Values, ", ")
}

// write writes the table without the rows that have reasons, and the file of
// --reasons. With nil for the reasons, the table is copied.
func (f *filter) write(env *cli.Env, in *input, dropped [][]string) error {
	kept := &filetable.Table{Columns: in.table.Columns, Untitled: in.table.Untitled}
	for i, row := range in.table.Rows {
		if dropped == nil || dropped[i] == nil {
			kept.Rows = append(kept.Rows, row)
		}
	}
	if f.reasons != "" {
		if err := cli.WriteFile(f.reasons, func(w io.Writer) error {
			b := bufio.NewWriter(w)
			fmt.Fprintf(b, "%s: %d of %d rows kept\n", f.target, len(kept.Rows), len(in.table.Rows))
			for i, reasons := range dropped {
				if reasons == nil {
					continue
				}
				fmt.Fprintf(b, "dropped %s\n", in.describe(i))
				for _, reason := range reasons {
					fmt.Fprintf(b, "  %s\n", report.Escape(reason))
				}
			}
			return b.Flush()
		}); err != nil {
			return err
		}
	}
	return env.Output(f.output, func(w io.Writer) error {
		if dropped == nil {
			_, err := w.Write(in.raw)
			return err
		}
		return kept.Write(w)
	})
}

// describe names a row for people.
func (in *input) describe(row int) string {
	s := fmt.Sprintf("row %d", row+1)
	if code := in.code(row); code != "" {
		s += " (" + report.Escape(code) + ")"
	}
	const most = 5
	var names []string
	for i, k := range in.rows[row].kernels {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(in.rows[row].kernels)-most))
			break
		}
		names = append(names, report.Escape(kernelname.Display(k)))
	}
	switch len(names) {
	case 0:
	case 1:
		s += ", kernel " + names[0]
	default:
		s += ", kernels " + strings.Join(names, ", ")
	}
	return s
}
