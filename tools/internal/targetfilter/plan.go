package targetfilter

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// PlanOptions holds the options of [Plan].
type PlanOptions struct {
	ProgramTargets
	Tables          []string
	Output          string    // JSON; "" or "-" for Stdout
	Stdout          io.Writer // may be nil
	FailOnUnusedRow bool      // return an error if no target can run a row
}

// Plan writes which rows of file tables each target can run, and why it cannot run the others. File
// names in the output are relative to its directory.
func Plan(ctx context.Context, log io.Writer, o PlanOptions) error {
	known := map[string]rowRequirements{}
	var inputs []*requirementTable
	rows := []compat.PlanRow{}
	named := relativeTo(o.Output)
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
	if err := cli.Output(o.Stdout, o.Output, func(w io.Writer) error { return p.Encode(w, targets) }); err != nil || !o.FailOnUnusedRow {
		return err
	}
	row, why, ok := p.FirstUnusedRow(targets)
	if !ok {
		return nil
	}
	for _, in := range inputs {
		if row < len(in.rows) {
			return cli.No(in.unsupportedRow(row, why, targets))
		}
		row -= len(in.rows)
	}
	return nil
}

// unsupportedRow returns the error for a row that no target can run. It lists the kernels, the
// source lines with their requirements, and the fix.
func (in *requirementTable) unsupportedRow(row int, why []string, targets []*deviceconfig.Device) error {
	properties := new(propset.Registry)
	if c := in.table.Column(filetable.Properties); c >= 0 {
		if data, found, err := cli.ReadListed(in.name, in.table.Rows[row][c]); err == nil {
			if read, err := propset.Parse(found, data); err == nil {
				properties = read
			}
		}
	}
	places := map[string]srcloc.Location{} // locations of kernels by name
	var lines []string
	for _, symbol := range in.rows[row].kernels {
		k, _ := srcloc.ReadKernel(properties, symbol)
		name := kernelname.Display(symbol)
		if places[name].IsZero() {
			places[name] = k.Location
		}
		for _, o := range k.Origins {
			lacks := func(d *deviceconfig.Device) bool { return !d.Has(aspect.Aspect(o.Aspect.Value)) }
			line := fmt.Sprintf("%s uses %s at %s", cmp.Or(kernelname.Display(o.Function), name), o.Aspect.Name, o.Location)
			if !o.Location.IsZero() && slices.ContainsFunc(targets, lacks) && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	const most = 5
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("and %d more places", more))
	}
	lines = append(why, lines...)
	for i, line := range lines {
		lines[i] = "\n  " + safetext.Escape(line)
	}
	what := in.kernels(row, func(name string) string {
		if place := places[name]; !place.IsZero() {
			return name + " (" + place.String() + ")"
		}
		return name
	})
	return fmt.Errorf("no target can run %s:%s\n"+
		"Add a target that can (in BUILD files: to sycl_targets), such as spir64, which is compiled at run time, or change the code so that it does not need these features",
		cmp.Or(what, in.describe(row)), strings.Join(lines, ""))
}

// relativeTo returns a function that makes file names relative to the directory of output, so that
// the content of the output does not depend on its location.
func relativeTo(output string) func(file string) string {
	return func(file string) string {
		if output == "" || output == "-" || file == "" {
			return file
		}
		relative, err := filepath.Rel(filepath.Dir(unconfigured(output)), unconfigured(file))
		if err != nil { // one name is absolute and the other is not
			return file
		}
		return filepath.ToSlash(relative)
	}
}

// unconfigured removes the configuration from the path of a Bazel output. With path mapping,
// only some of the paths that a step sees contain it.
func unconfigured(path string) string {
	parts := strings.SplitN(filepath.ToSlash(path), "/", 4)
	if len(parts) < 4 || parts[0] != "bazel-out" || parts[2] != "bin" {
		return path
	}
	return filepath.Join(parts[0], "cfg", parts[2], parts[3])
}

// planRows returns the rows of a table for a plan. named converts file names.
func (in *requirementTable) planRows(named func(string) string) []compat.PlanRow {
	rows := make([]compat.PlanRow, len(in.rows))
	for i, m := range in.rows {
		rows[i] = compat.PlanRow{Table: named(in.name), Row: i, Code: named(in.code(i)), Kernels: m.kernels, Needs: m.needs}
	}
	return rows
}
