package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// measureReport measures operations on a report, and building it.
func measureReport(b *Bench, r *report.Report, build func() (*report.Report, error), limit time.Duration) error {
	file := func(name string) string { return filepath.Join(b.Dir, name) }
	// The writers write to files, as the tools do.
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
	built, err := b.Time("build", func() (int64, error) { _, err := build(); return 0, err })
	if err != nil {
		return err
	}
	seconds := built.Seconds
	all := formats(r)
	for _, name := range []string{"JSON", "text", "HTML", "Markdown", "CSV"} {
		written, err := b.Time("write "+name, into(name, all[name]))
		if err != nil {
			return err
		}
		if name == "JSON" {
			seconds += written.Seconds
		}
	}
	b.AtMost("time of building and of writing JSON", seconds, limit.Seconds(), "s")
	data, err := os.ReadFile(file("JSON"))
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		run  func() (int64, error)
	}{
		{"read JSON", func() (int64, error) {
			_, err := report.Decode("report.json", bytes.NewReader(data))
			return int64(len(data)), err
		}},
		{"peer: encoding/json, reading into the same structs", func() (int64, error) { return int64(len(data)), json.Unmarshal(data, new(report.Report)) }},
		{"peer: encoding/json, writing the same structs", into("peer", func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })},
		{"limit: writing the bytes of the JSON", into("limit", func(w io.Writer) error { _, err := w.Write(data); return err })},
	} {
		if _, err := b.Time(c.name, c.run); err != nil {
			return err
		}
	}
	return nil
}
