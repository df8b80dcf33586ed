// Command gate measures 'compat check' as a process: on many large reports, in
// the same run as programs that only read the JSON, and on a small one.
//
//	go run ./bench/gate --dir /var/tmp
//
// It writes about 800 MiB below the folder and removes them at the end.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"

	"github.com/rules-sycl/rules_sycl/bench/internal/bench"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func main() { bench.Main(bench.Program{Name: "gate", Runs: 5, Limits: true, Setup: setup}) }

// Limits of the design.
const (
	manySeconds  = 2.0
	smallSeconds = 0.05
	// leastRatio is to the processor time of encoding/json, as that says more than the
	// clock on a machine with other work.
	leastRatio = 5.0
)

func setup(b *bench.Bench) func() error {
	dir := b.Flags.String("dir", "", "write the reports below this `folder` (required)")
	compat := b.Flags.String("compat", "", "measure this `binary` instead of building the one of this module with 'go build'")
	s := sizes{}
	b.Flags.IntVar(&s.reports, "reports", 50, "`number` of reports")
	b.Flags.IntVar(&s.kernels, "kernels", 1000, "`number` of kernels of each")
	b.Flags.IntVar(&s.devices, "devices", 60, "`number` of devices of each")
	peer := b.Flags.Bool("unmarshal", false, "only read the reports that are the arguments with encoding/json")
	return func() error {
		if *peer {
			return unmarshal(b.Flags.Args())
		}
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
		self, err := os.Executable()
		if err != nil {
			return err
		}
		fmt.Fprintln(b.Progress, "writing reports")
		names, size, err := writeReports(b.Dir, s)
		if err != nil {
			return err
		}
		return measure(b, tool, self, names, size)
	}
}

// measure measures on many reports, of that size together, and on a small one.
func measure(b *bench.Bench, tool, self string, names []string, size int64) error {
	many := []bench.Contender{
		{Name: "compat check", Bytes: size, Args: append([]string{tool, "check", "--fail-on=none", "--workspace="}, names...)},
		{Name: "encoding/json, the same structs, all cores", Bytes: size, Args: append([]string{self, "--unmarshal"}, names...)},
	}
	if path, err := exec.LookPath("python3"); err == nil {
		program := "import json,sys\nfor n in sys.argv[1:]:\n    json.load(open(n))"
		many = append(many, bench.Contender{Name: "json.load of Python", Bytes: size, Args: append([]string{path, "-c", program}, names...)})
	}
	if path, err := exec.LookPath("jq"); err == nil {
		many = append(many, bench.Contender{Name: "jq length", Bytes: size, Args: append([]string{path, "length"}, names...)})
	}
	r, err := b.Compete(many...)
	if err != nil {
		return err
	}
	b.AtMost("time of the check", r[0].Seconds, manySeconds, "s")
	b.AtLeast("CPU time of encoding/json in that of the check", r[1].CPU/max(r[0].CPU, 1e-6), leastRatio, "times")
	r, err = b.Compete(bench.Contender{Name: "compat check, 5 kernels on 3 devices", Args: []string{tool, "check", "--fail-on=none", smallFile}})
	if err != nil {
		return err
	}
	b.AtMost("time of the small check", r[0].Seconds, smallSeconds, "s")
	return nil
}

// unmarshal reads reports on all cores, without a check of any kind.
func unmarshal(names []string) error {
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for n := i; n < len(names) && errs[i] == nil; n += len(errs) {
				data, err := os.ReadFile(names[n])
				if err == nil {
					err = json.Unmarshal(data, new(report.Report))
				}
				errs[i] = err
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
