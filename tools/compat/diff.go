package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"io"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
)

// A diffCommand implements the subcommand diff.
type diffCommand struct {
	format, output string
	all, exitCode  bool
}

const diffLong = `
Prints each status that changed, with its kernel, devices and reasons before and
after, and added and removed kernels and devices with their statuses. If all statuses
are the same, it prints nothing.

A renamed kernel is recognized by its location in the source and its requirements, or
if only namespaces in its name differ.

Many changes are summarized on about one screen: how many kernels each device runs,
and groups of kernels by reason and name. --all prints each change.

The exit code is 0 even if the reports differ. With --exit-code, it is 1 if anything was
lost: a kernel that ran on a device, a kernel, or a device.`

// diffWriters are the output formats of diff.
var diffWriters = map[string]func(io.Writer, *gate.Difference, render.ChangeOptions) error{
	"text": render.Changes,
	"json": func(w io.Writer, d *gate.Difference, _ render.ChangeOptions) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(d)
	},
	"markdown": render.ChangesMarkdown,
	"html":     render.ChangesHTML,
	"csv":      render.ChangesCSV,
}

func (d *diffCommand) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&d.format, "format", "text", "`"+formatsOf(diffWriters, "|")+"`: output format")
	fs.StringVar(&d.output, "output", "", "write to this `file` (default standard output)")
	fs.BoolVar(&d.all, "all", false, "print all changes in text, markdown and html")
	fs.BoolVar(&d.exitCode, "exit-code", false, "exit with 1 if anything was lost")
	return d.run
}

func (d *diffCommand) run(_ context.Context, env *cli.Env, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("expected two reports: the old one and the new one")
	}
	write := diffWriters[d.format]
	if write == nil {
		return cli.Usagef("unknown format %q; expected one of %s", d.format, formatsOf(diffWriters, ", "))
	}
	if d.all && (d.format == "json" || d.format == "csv") {
		return cli.Usagef("--all requires --format text, markdown or html; %s always has everything", d.format)
	}
	if err := gatefiles.CheckOutputs([]string{d.output}, args); err != nil {
		return err
	}
	var sides [2]*gate.Index
	var names [2]string
	for i, name := range args {
		r, err := readReport(name)
		if err != nil {
			return err
		}
		sides[i], names[i] = gate.NewIndex(name, r), cmp.Or(r.Title(), filepath.ToSlash(name))
	}
	gatefiles.RelabelReports(sides[:1], sides[1:])
	difference := gate.Diff(sides[:1], sides[1:])
	o := render.ChangeOptions{All: d.all, Old: names[0], New: names[1], Command: "compat diff" + fileArguments(args)}
	if err := env.Output(d.output, func(w io.Writer) error { return write(w, difference, o) }); err != nil {
		return err
	}
	if d.exitCode && difference.Lost() {
		return cli.No(nil)
	}
	return nil
}
