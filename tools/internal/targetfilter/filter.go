// Package targetfilter selects the device images of a file table that each target can run.
// It does not depend on the steps that compile device code.
package targetfilter

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// ProgramTargets holds the targets of a program.
type ProgramTargets struct {
	Targets []string         // targets of the program; nil for any
	Fixed   []string         // only targets that the program supports; nil for any
	Configs []string         // device configuration files, which override built-in devices
	Assume  *release.Release // release whose aspect numbers property files use; nil for 2026
}

// load returns the device configuration. It returns an error if a target is not in it.
func (p *ProgramTargets) load(log io.Writer) (*deviceconfig.Config, error) {
	config, err := inputs.LoadDevices(log, p.Configs)
	if err != nil {
		return nil, err
	}
	_, err = inputs.FindDevices(config, slices.Concat(p.Targets, p.Fixed))
	return config, err
}

// FilterOptions holds the options of [Filter].
type FilterOptions struct {
	ProgramTargets
	Table   string
	Filters []TargetFilter
	Stdout  io.Writer // may be nil

	// Dropped, if not nil, is called for each row that a target cannot run, with the kernels,
	// the property file and the reasons.
	Dropped func(target string, kernels []string, properties string, reasons []string)
}

// A TargetFilter is a target and the outputs for it.
type TargetFilter struct {
	Target  string
	Output  string // table file for the rows that the target can run; "-" for Stdout
	Reasons string // file for the reasons why rows were dropped, or ""

	Options []string // options for the native compiler
}

// Filter writes, for each target, the rows of a file table that the target can run.
func Filter(ctx context.Context, log io.Writer, o FilterOptions) error {
	in, err := readNeeds(ctx, o.Table, o.Assume, map[string]rowRequirements{})
	if err != nil {
		return err
	}
	// Without property files, the requirements are unknown, so the table is copied for every
	// target and configuration.
	if in.table.Column(filetable.Properties) < 0 {
		return o.write(in, func(TargetFilter) ([][]string, func(io.Writer) error) {
			return make([][]string, len(in.rows)), func(w io.Writer) error { _, err := w.Write(in.raw); return err }
		})
	}
	config, err := o.load(log)
	if err != nil {
		return err
	}
	known := map[string]*deviceconfig.Device{}
	for _, f := range o.Filters { // check all before writing anything
		if known[f.Target], err = inputs.FindDevice(config, f.Target); err != nil {
			return err
		}
	}
	plan := compat.NewPlan(config, o.Targets, o.Fixed, in.planRows(relativeTo("")))
	return o.write(in, func(f TargetFilter) ([][]string, func(io.Writer) error) {
		dropped := plan.Dropped(f.Target, known[f.Target], f.Options)
		kept := &filetable.Table{Columns: in.table.Columns, Untitled: in.table.Untitled}
		for i, row := range in.table.Rows {
			if dropped[i] == nil {
				kept.Rows = append(kept.Rows, row)
			} else if o.Dropped != nil {
				o.Dropped(f.Target, in.rows[i].kernels, cli.CurrentPath(in.name, row[in.table.Column(filetable.Properties)]), dropped[i])
			}
		}
		return dropped, kept.Write
	})
}

// write writes the tables, and the reasons why rows were dropped. decide returns the reasons for
// each row, and a function that writes the table.
func (o *FilterOptions) write(in *requirementTable, decide func(TargetFilter) (dropped [][]string, table func(io.Writer) error)) error {
	var outputs outfile.Group
	defer outputs.Close()
	for _, f := range o.Filters {
		dropped, table := decide(f)
		if f.Reasons != "" {
			if err := outputs.Write(f.Reasons, func(w io.Writer) error { return in.writeReasons(w, f.Target, dropped) }); err != nil {
				return err
			}
		}
		write := outputs.WriteMain
		if cli.IsStdout(f.Output) {
			write = func(_ string, table func(io.Writer) error) error { return table(o.Stdout) }
		}
		if err := write(f.Output, table); err != nil {
			return err
		}
	}
	return outputs.Commit()
}

func (in *requirementTable) writeReasons(w io.Writer, target string, dropped [][]string) error {
	kept := 0
	for _, reasons := range dropped {
		if reasons == nil {
			kept++
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s: %d of %d rows kept\n", target, kept, len(dropped))
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
}

// describe describes a row for messages.
func (in *requirementTable) describe(row int) string {
	s := fmt.Sprintf("row %d", row+1)
	if code := in.code(row); code != "" {
		s += " (" + safetext.Escape(code) + ")"
	}
	if kernels := in.kernels(row, func(name string) string { return name }); kernels != "" {
		s += ", " + kernels
	}
	return s
}

// kernels lists the kernels of a row for messages. It returns "" if there are none.
func (in *requirementTable) kernels(row int, show func(name string) string) string {
	const most = 5
	var names []string
	for _, k := range in.rows[row].kernels {
		// DPC++ generates two kernels with the same demangled name for some kernels.
		if name := safetext.Escape(show(kernelname.Display(k))); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "kernel " + names[0]
	}
	return "kernels " + strings.Join(names, ", ")
}
