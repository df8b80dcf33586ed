package steps

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/tools/internal/devices"
	"github.com/rules-sycl/rules_sycl/tools/internal/reading"
)

// Filter keeps the rows of a file table that a target can take, or plans that for
// several targets.
type Filter struct {
	Target, Output, Reasons string
	Plan, RequireTaken      bool
	Configs, Targets, Fixed cli.Strings
	Reading                 reading.Options // of property files

	config *deviceconfig.Config
}

// Setup declares the flags.
func (f *Filter) Setup(fs *flag.FlagSet) cli.Run {
	f.Targets.Split, f.Fixed.Split = true, true
	fs.StringVar(&f.Target, "target", "", "keep what this `target` can take")
	fs.Var(&f.Configs, "device-config-file", "`file` with devices, in place of those of the same name that are known; may be repeated")
	fs.Var(&f.Targets, "targets", "all `targets` of the program, separated by commas; another --target gets no rows")
	fs.Var(&f.Fixed, "fixed-targets", "the only `targets` that the program was written for, separated by commas; another --target gets no rows")
	fs.StringVar(&f.Output, "output", "", "write the table, or the plan, to this `file`")
	fs.StringVar(&f.Reasons, "reasons", "", "also write which rows were dropped, and why, to this `file`")
	fs.BoolVar(&f.Plan, "plan", false, "write the decisions for all targets as JSON")
	fs.BoolVar(&f.RequireTaken, "require-taken", false, "with --plan, exit with 1 when no target takes some row")
	f.Reading.AssumeFlag(fs)
	return f.Run
}

// Run filters the table that is the only argument, or plans for several.
func (f *Filter) Run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case f.Plan && f.Target != "":
		return cli.Usagef("--plan and --target exclude each other")
	case f.Plan && f.Reasons != "":
		return cli.Usagef("--plan has the reasons; --reasons goes with --target")
	case !f.Plan && f.RequireTaken:
		return cli.Usagef("--require-taken goes with --plan")
	case !f.Plan && f.Target == "":
		return cli.Usagef("--target or --plan is needed")
	case !f.Plan && f.Output == "":
		return cli.Usagef("--output is needed")
	case !f.Plan && len(args) != 1:
		return cli.Usagef("one file table is needed, %d given", len(args))
	case len(args) == 0:
		return cli.Usagef("a file table is needed")
	}
	known := map[string]rowNeeds{}
	var inputs []*needyTable
	for _, name := range args {
		in, err := readNeeds(ctx, name, &f.Reading, known)
		if err != nil {
			return err
		}
		inputs = append(inputs, in)
	}
	// A table of which nothing is known goes on as it came, whatever the target and
	// the configuration.
	if in := inputs[0]; !f.Plan && in.table.Column(filetable.Properties) < 0 {
		return f.write(env, in, nil)
	}
	var err error
	if f.config, err = devices.Load(env, f.Configs.Values); err != nil {
		return err
	}
	if _, err := devices.FindAll(f.config, append(f.Targets.Values, f.Fixed.Values...)); err != nil {
		return err
	}
	if f.Plan {
		return f.writePlan(env, inputs)
	}
	device, err := devices.Find(f.config, f.Target)
	if err != nil {
		return err
	}
	return f.write(env, inputs[0], f.drop(inputs[0], device))
}

// drop returns the reasons for each row that the target does not get, nil for
// the rows that it gets.
func (f *Filter) drop(in *needyTable, d *deviceconfig.Device) [][]string {
	checker := compat.New(f.config)
	selected, why := compat.Selected(f.Target, f.Targets.Values, f.Fixed.Values)
	dropped := make([][]string, len(in.rows))
	groups := compat.GroupRows(needs(in.rows))
	for i, decision := range checker.Decide(groups, d) {
		var reasons []string
		switch {
		case !selected:
			reasons = []string{fmt.Sprintf("The target %s is %s (targets: %s; fixed targets: %s)", f.Target, why, list(f.Targets), list(f.Fixed))}
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
func (f *Filter) write(env *cli.Env, in *needyTable, dropped [][]string) error {
	kept := &filetable.Table{Columns: in.table.Columns, Untitled: in.table.Untitled}
	for i, row := range in.table.Rows {
		if dropped == nil || dropped[i] == nil {
			kept.Rows = append(kept.Rows, row)
		}
	}
	if f.Reasons != "" {
		if err := cli.WriteFile(f.Reasons, func(w io.Writer) error {
			b := bufio.NewWriter(w)
			fmt.Fprintf(b, "%s: %d of %d rows kept\n", f.Target, len(kept.Rows), len(in.table.Rows))
			for i, reasons := range dropped {
				if reasons == nil {
					continue
				}
				fmt.Fprintf(b, "dropped %s\n", in.describe(i))
				for _, reason := range reasons {
					fmt.Fprintf(b, "  %s\n", safetext.Escape(reason))
				}
			}
			return b.Flush()
		}); err != nil {
			return err
		}
	}
	return env.Output(f.Output, func(w io.Writer) error {
		if dropped == nil {
			_, err := w.Write(in.raw)
			return err
		}
		return kept.Write(w)
	})
}

// describe names a row for people.
func (in *needyTable) describe(row int) string {
	s := fmt.Sprintf("row %d", row+1)
	if code := in.code(row); code != "" {
		s += " (" + safetext.Escape(code) + ")"
	}
	const most = 5
	var names []string
	for _, k := range in.rows[row].kernels {
		// DPC++ makes two kernels of some, which people know by one name.
		if name := safetext.Escape(kernelname.Display(k)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
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
