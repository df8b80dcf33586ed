package main

import (
	"errors"
	"fmt"
	"slices"
)

// Performance limits.
const (
	manySeconds  = 2.0
	smallSeconds = 0.05
)

// setupGate measures 'compat check' as a process: on many large reports, and on a small report.
//
//	go run ./bench gate --dir /var/tmp
//
// It writes about 14 MiB below the directory and removes them at the end.
func setupGate(b *Bench) func() error {
	dir := b.Flags.String("dir", "", "write the reports below this `directory` (required)")
	compat := b.Flags.String("compat", "", "measure this `binary` instead of building compat with 'go build'")
	s := gateSizes{}
	b.Flags.IntVar(&s.reports, "reports", 50, "`number` of reports")
	b.Flags.IntVar(&s.kernels, "kernels", 1000, "`number` of kernels of each")
	b.Flags.IntVar(&s.devices, "devices", 60, "`number` of devices of each")
	return func() error {
		switch err := b.NoArguments(); {
		case err != nil:
			return err
		case min(s.reports, s.kernels, s.devices) < 1:
			return errors.New("--reports, --kernels and --devices must be positive")
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		tool, err := b.Tool("compat", *compat)
		if err != nil {
			return err
		}
		fmt.Fprintln(b.Progress, "writing reports")
		names, size, err := writeReports(b.Dir, s)
		if err != nil {
			return err
		}
		return measureGate(b, tool, names, size)
	}
}

// measureGate measures many reports with a given total size, and a small report.
func measureGate(b *Bench, tool string, names []string, size int64) error {
	check := []string{tool, "check", "--fail-on=none"}
	for _, c := range []struct {
		Contender
		limit float64
	}{
		{Contender{Name: "compat check", Bytes: size, Args: slices.Concat(check, []string{"--workspace="}, names)}, manySeconds},
		{Contender{Name: "compat check, 5 kernels on 3 devices", Args: slices.Concat(check, []string{smallFile})}, smallSeconds},
	} {
		r, err := b.Compete(c.Contender)
		if err != nil {
			return err
		}
		b.AtMost("time of "+c.Name, r[0].Seconds, c.limit, "s")
	}
	return nil
}
