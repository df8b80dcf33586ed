package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// Names of what is measured and limited.
const (
	buildReport = "build"
	writeJSON   = "write JSON"
)

// A result is the best of the runs.
type result struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"bytes,omitempty"`
}

type bench struct {
	runs     int
	progress io.Writer
	results  []result
}

// all measures everything; files go below dir for a while.
func (b *bench) all(dir string, r *report.Report, build func() (*report.Report, error)) (err error) {
	scratch, err := os.MkdirTemp(dir, "report")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	file := func(name string) string { return filepath.Join(scratch, name) }
	// Writers write into files, as the tools do.
	into := func(name string, write func(io.Writer) error) func() (int64, error) {
		return func() (int64, error) {
			f, err := os.Create(file(name))
			if err != nil {
				return 0, err
			}
			err = write(f)
			size, _ := f.Seek(0, io.SeekCurrent)
			return size, errors.Join(err, f.Close())
		}
	}
	if err := b.measure(buildReport, func() (int64, error) { _, err := build(); return 0, err }); err != nil {
		return err
	}
	all := formats(r)
	for _, name := range []string{"JSON", "text", "HTML", "Markdown", "CSV"} {
		if err := b.measure("write "+name, into(name, all[name])); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(file("JSON"))
	if err != nil {
		return err
	}
	return errors.Join(
		b.measure("read JSON", func() (int64, error) {
			_, err := report.Decode("report.json", bytes.NewReader(data))
			return int64(len(data)), err
		}),
		b.measure("peer: encoding/json, the cells alone", into("peer", func(w io.Writer) error { return json.NewEncoder(w).Encode(r.Cells) })),
		b.measure("limit: writing the bytes of the JSON", into("limit", func(w io.Writer) error { _, err := w.Write(data); return err })),
	)
}

func (b *bench) measure(name string, run func() (int64, error)) error {
	fmt.Fprintln(b.progress, name)
	best := result{Name: name}
	for range b.runs {
		runtime.GC()
		start := time.Now()
		n, err := run()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if s := time.Since(start).Seconds(); best.Seconds == 0 || s < best.Seconds {
			best.Seconds = s
		}
		best.Bytes = n
	}
	b.results = append(b.results, best)
	return nil
}

func (b *bench) seconds(name string) float64 {
	for _, r := range b.results {
		if r.Name == name {
			return r.Seconds
		}
	}
	return 0
}

func (b *bench) table(w io.Writer, r *report.Report, total float64, limit time.Duration) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%d kernels x %d devices\tms\tMiB\n", len(r.Kernels), len(r.Devices))
	for _, m := range b.results {
		fmt.Fprintf(t, "%s\t%.0f\t%.1f\n", m.Name, m.Seconds*1000, float64(m.Bytes)/(1<<20))
	}
	verdict := "met"
	if total > limit.Seconds() {
		verdict = "MISSED"
	}
	fmt.Fprintf(t, "\nbuild and write JSON: %.2f s, at most %g s: %s\n%s/%s, %d cores\n", total, limit.Seconds(), verdict, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	return t.Flush()
}
