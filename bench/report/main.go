// Command report measures how long compatibility reports take to build, to write
// and to read, against the standard library's JSON encoder and the writing of as
// many bytes, in the same run.
//
//	go run ./bench/report --check
//
// With --generate it writes the report and its renderings into a folder instead,
// for measurements of pages in a browser.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func main() {
	missed, err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "report: error: %v\n", err)
		os.Exit(2)
	case missed:
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) (missed bool, err error) {
	fs := flag.NewFlagSet("report", flag.ContinueOnError)
	fs.SetOutput(stderr)
	kernels := fs.Int("kernels", 10_000, "`number` of kernels")
	devices := fs.Int("devices", 100, "`number` of devices")
	runs := fs.Int("runs", 3, "`number` of runs, of which the best counts")
	dir := fs.String("dir", os.TempDir(), "write below this `folder`")
	generate := fs.Bool("generate", false, "only write the report as JSON, text, HTML, Markdown and CSV into the folder")
	asJSON := fs.Bool("json", false, "print JSON instead of a table")
	limit := fs.Duration("limit", 3*time.Second, "`time` that building and writing a report may take")
	check := fs.Bool("check", false, "exit with 1 when it takes longer")
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	if fs.NArg() > 0 || min(*kernels, *devices, *runs) < 1 {
		return false, errors.New("numbers have to be positive, and there are no arguments")
	}
	modules, config, list, err := inputs(*kernels, *devices)
	if err != nil {
		return false, err
	}
	build := func() (*report.Report, error) {
		return report.Build(modules, list, config, report.Generator{Name: "bench", Version: "0"}, "//bench:kernels")
	}
	r, err := build()
	if err != nil {
		return false, err
	}
	if *generate {
		return false, writeAll(*dir, r)
	}
	b := bench{runs: *runs, progress: stderr}
	if err := b.all(*dir, r, build); err != nil {
		return false, err
	}
	total := b.seconds(buildReport) + b.seconds(writeJSON)
	missed = total > limit.Seconds()
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(map[string]any{"results": b.results, "cells": len(r.Cells), "seconds": total, "limit": limit.Seconds(), "met": !missed})
	} else {
		err = b.table(stdout, r, total, *limit)
	}
	return missed && *check, err
}

// formats are the renderings.
func formats(r *report.Report) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"JSON":     r.Encode,
		"text":     func(w io.Writer) error { return report.WriteText(w, r, report.TextOptions{}) },
		"HTML":     func(w io.Writer) error { return report.WriteHTML(w, r, report.HTMLOptions{}) },
		"Markdown": func(w io.Writer) error { return report.WriteMarkdown(w, r, report.MarkdownOptions{}) },
		"CSV":      func(w io.Writer) error { return report.WriteCSV(w, r) },
	}
}

func writeAll(dir string, r *report.Report) error {
	for name, write := range formats(r) {
		f, err := os.Create(filepath.Join(dir, "report."+strings.ToLower(name)))
		if err != nil {
			return err
		}
		if err := cmp.Or(write(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
