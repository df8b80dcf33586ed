package steps

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// PlanOptions say what to plan.
type PlanOptions struct {
	ProgramTargets
	Tables       []string
	Output       string    // JSON; "" or "-" for Stdout
	Stdout       io.Writer // may be nil
	RequireTaken bool      // the answer is "no" when no target takes some row
}

// Plan writes which rows of file tables each target gets, and why not the others. In a
// file, paths are relative to its folder.
func Plan(ctx context.Context, log io.Writer, o PlanOptions) error {
	known := map[string]rowNeeds{}
	var inputs []*needyTable
	rows := []compat.PlanRow{}
	named := named(o.Output)
	for _, name := range o.Tables {
		in, err := readNeeds(ctx, name, o.Assume, known)
		if err != nil {
			return err
		}
		inputs = append(inputs, in)
		rows = append(rows, in.planRows(named)...)
	}
	config, err := o.load(log)
	if err != nil {
		return err
	}
	p := compat.NewPlan(config, o.Targets, o.Fixed, rows)
	targets := p.Devices()
	if err := cli.Output(o.Stdout, o.Output, func(w io.Writer) error { return p.Encode(w, targets) }); err != nil || !o.RequireTaken {
		return err
	}
	row, why, ok := p.Untaken(targets)
	if !ok {
		return nil
	}
	for i := range why {
		why[i] = safetext.Escape(why[i])
	}
	for _, in := range inputs {
		if row < len(in.rows) {
			return cli.No(fmt.Errorf("no target takes %s: %s:\n  %s", in.name, in.describe(row), strings.Join(why, "\n  ")))
		}
		row -= len(in.rows)
	}
	return nil
}

// named returns how an output names files: relative to its folder, so that it says the same
// wherever the folder is.
func named(output string) func(file string) string {
	return func(file string) string {
		if output == "" || output == "-" || file == "" {
			return file
		}
		relative, err := filepath.Rel(filepath.Dir(unconfigured(output)), unconfigured(file))
		if err != nil { // one of both is absolute
			return file
		}
		return filepath.ToSlash(relative)
	}
}

// unconfigured returns a path of an output of Bazel without its configuration: with path mapping,
// a step has it in some paths, and in others not.
func unconfigured(path string) string {
	parts := strings.SplitN(filepath.ToSlash(path), "/", 4)
	if len(parts) < 4 || parts[0] != "bazel-out" || parts[2] != "bin" {
		return path
	}
	return filepath.Join(parts[0], "cfg", parts[2], parts[3])
}

// planRows returns the rows of a table for a plan, which names files in its own way.
func (in *needyTable) planRows(named func(string) string) []compat.PlanRow {
	rows := make([]compat.PlanRow, len(in.rows))
	for i, m := range in.rows {
		rows[i] = compat.PlanRow{Table: named(in.name), Row: i, Code: named(in.code(i)), Kernels: m.kernels, Needs: m.needs}
	}
	return rows
}
