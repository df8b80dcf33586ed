// Command gate measures 'compat check' as a process: on many large reports, and on a
// small one.
//
//	go run ./bench/gate --dir /var/tmp
//
// It writes about 14 MiB below the folder and removes them at the end.
package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/bench/internal/bench"
)

func main() { bench.Main(bench.Program{Name: "gate", Runs: 5, Limits: true, Setup: setup}) }

// Limits of the design.
const (
	manySeconds  = 2.0
	smallSeconds = 0.05
)

func setup(b *bench.Bench) func() error {
	dir := b.Flags.String("dir", "", "write the reports below this `folder` (required)")
	compat := b.Flags.String("compat", "", "measure this `binary` instead of building the one of this module with 'go build'")
	s := sizes{}
	b.Flags.IntVar(&s.reports, "reports", 50, "`number` of reports")
	b.Flags.IntVar(&s.kernels, "kernels", 1000, "`number` of kernels of each")
	b.Flags.IntVar(&s.devices, "devices", 60, "`number` of devices of each")
	return func() error {
		switch err := b.NoArguments(); {
		case err != nil:
			return err
		case min(s.reports, s.kernels, s.devices) < 1:
			return errors.New("sizes have to be positive")
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
		return measure(b, tool, names, size)
	}
}

// measure measures on many reports, of that size together, and on a small one.
func measure(b *bench.Bench, tool string, names []string, size int64) error {
	check := []string{tool, "check", "--fail-on=none"}
	for _, c := range []struct {
		bench.Contender
		limit float64
	}{
		{bench.Contender{Name: "compat check", Bytes: size, Args: slices.Concat(check, []string{"--workspace="}, names)}, manySeconds},
		{bench.Contender{Name: "compat check, 5 kernels on 3 devices", Args: slices.Concat(check, []string{smallFile})}, smallSeconds},
	} {
		r, err := b.Compete(c.Contender)
		if err != nil {
			return err
		}
		b.AtMost("time of "+c.Name, r[0].Seconds, c.limit, "s")
	}
	return nil
}
