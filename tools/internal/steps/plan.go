package steps

import (
	"context"
	"fmt"
	"io"
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

// Plan writes which rows of file tables each target gets, and why not the others.
func Plan(ctx context.Context, log io.Writer, o PlanOptions) error {
	known := map[string]rowNeeds{}
	var inputs []*needyTable
	rows := []compat.PlanRow{}
	for _, name := range o.Tables {
		in, err := readNeeds(ctx, name, o.Assume, known)
		if err != nil {
			return err
		}
		inputs = append(inputs, in)
		rows = append(rows, in.planRows()...)
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

// planRows returns the rows of a table for a plan.
func (in *needyTable) planRows() []compat.PlanRow {
	rows := make([]compat.PlanRow, len(in.rows))
	for i, m := range in.rows {
		rows[i] = compat.PlanRow{Table: in.name, Row: i, Code: in.code(i), Kernels: m.kernels, Needs: m.needs}
	}
	return rows
}
