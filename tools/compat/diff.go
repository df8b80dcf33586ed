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
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// A differ is the subcommand diff.
type differ struct {
	format, output string
	all, exitCode  bool
}

const diffLong = `
Prints each status that changed, with its kernel, its devices and the reasons
before and after, and the kernels and devices that came or went with their
statuses; nothing when the statuses are the same.

A kernel with another name is the same kernel when that is certain: by its place in
the source with what it needs, or when nothing but namespaces of its name differ.

With many changes the text is about a screen: the devices with how many kernels they
run, and groups of kernels by reason and by name. --all prints each change.

The exit code is 0 whatever differs; with --exit-code it is 1 when anything was
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

func (d *differ) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&d.format, "format", "text", "`"+formatsOf(diffWriters, "|")+"`")
	fs.StringVar(&d.output, "output", "", "write to this `file`; standard output when it is missing")
	fs.BoolVar(&d.all, "all", false, "leave nothing out of text, markdown and html")
	fs.BoolVar(&d.exitCode, "exit-code", false, "exit with 1 when anything was lost")
	return d.run
}

func (d *differ) run(_ context.Context, env *cli.Env, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("two reports are needed, the old and the new one")
	}
	write := diffWriters[d.format]
	if write == nil {
		return cli.Usagef("format %q is none of %s", d.format, formatsOf(diffWriters, ", "))
	}
	if d.all && (d.format == "json" || d.format == "csv") {
		return cli.Usagef("--all is for --format text, markdown and html: %s has everything", d.format)
	}
	var sides [2]*gate.Index
	var names [2]string
	for i, name := range args {
		r, err := readReport(name)
		if err != nil {
			return err
		}
		sides[i], names[i] = gate.NewIndex(name, r), reportTitle(name, r)
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

// reportTitle returns the subject of a report.
func reportTitle(name string, r *report.Report) string {
	return cmp.Or(r.Title(), filepath.ToSlash(name))
}
