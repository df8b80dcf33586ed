package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/report/render"
)

// setupReport measures how long compatibility reports take to build, write and read, against the
// standard library's JSON encoder and against writing the same number of bytes, in the same run.
//
//	go run ./bench report --check
//	go run ./bench report --memory --kernels 500000 --devices 8 --check
func setupReport(b *Bench) func() error {
	kernels := b.Flags.Int("kernels", 10_000, "`number` of kernels")
	devices := b.Flags.Int("devices", 100, "`number` of devices")
	dir := b.Flags.String("dir", os.TempDir(), "write below this `directory`")
	peak := b.Flags.Bool("memory", false, "only measure the memory of two processes: one that builds the report, and one that prints it as text")
	limitMiB := b.Flags.Float64("memory-limit", 256, "memory in `MiB` that each of these may take")
	phase := b.Flags.String("phase", "", "what such a process does: build or text")
	file := b.Flags.String("file", "", "`file` of the report for --phase")
	limit := b.Flags.Duration("limit", 3*time.Second, "`time` that building and writing a report may take")
	return func() error {
		switch err := b.NoArguments(); {
		case err != nil:
			return err
		case min(*kernels, *devices) < 1:
			return errors.New("kernels and devices have to be positive")
		}
		switch {
		case *peak:
			if err := b.Scratch(*dir); err != nil {
				return err
			}
			return memory(b, *kernels, *devices, *limitMiB)
		case *phase == "text":
			return printFile(*file)
		}
		config, list, err := inputs(*devices)
		if err != nil {
			return err
		}
		build := func() (*report.Report, error) {
			b := report.NewBuilder(config)
			for m := range modules(*kernels, list) {
				b.Add(m)
			}
			return b.Report(list, report.Generator{Name: "bench", Version: "0"}, "//bench:kernels")
		}
		if *phase == "build" {
			return buildFile(build, *file)
		}
		r, err := build()
		if err != nil {
			return err
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		b.Title = fmt.Sprintf("%d kernels x %d devices", len(r.Kernels), len(r.Devices))
		return measureReport(b, r, build, *limit)
	}
}

// formats are the renderings.
func formats(r *report.Report) map[string]func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"JSON":     r.Encode,
		"text":     func(w io.Writer) error { return render.Text(w, r, render.TextOptions{}) },
		"HTML":     func(w io.Writer) error { return render.HTML(w, r, render.HTMLOptions{}) },
		"Markdown": func(w io.Writer) error { return render.Markdown(w, r, render.MarkdownOptions{}) },
		"CSV":      func(w io.Writer) error { return render.CSV(w, r) },
	}
}
