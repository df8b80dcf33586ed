// Command llvmir measures package llvmir on a file of textual IR, against a copy
// of the text in memory and against LLVM's opt, which reads and prints it, in
// the same run.
//
//	go run ./bench/llvmir --opt opt-21 big.ll
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "llvmir: error: %v\n", err)
		os.Exit(2)
	}
}

func run(args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("llvmir", flag.ContinueOnError)
	opt := fs.String("opt", "", "`path` of LLVM's opt (without it opt is not measured)")
	runs := fs.Int("runs", 5, "`number` of runs, of which the best counts")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() != 1 || *runs < 1 {
		return errors.New("one file of textual IR is needed, and at least one run")
	}
	text, err := os.ReadFile(fs.Arg(0))
	if err != nil {
		return err
	}
	m, err := llvmir.Parse(fs.Arg(0), text)
	if err != nil {
		return err
	}
	functions := m.Functions()
	var types []*llvmir.Type
	contenders := []struct {
		name string
		run  func() error
	}{
		{"copy in memory and count lines", func() error { bytes.Count(bytes.Clone(text), []byte{'\n'}); return nil }},
		{"parse", func() error { _, err := llvmir.Parse(fs.Arg(0), text); return err }},
		{"parse and write", func() error {
			m, err := llvmir.Parse(fs.Arg(0), text)
			if err == nil {
				_, err = m.WriteTo(io.Discard)
			}
			return err
		}},
		{"all bodies with types", func() error {
			for _, f := range functions {
				for in := range f.Body() {
					types = in.AppendTypes(types[:0])
				}
			}
			return nil
		}},
		{"index and a subset of each function", func() error {
			m, err := llvmir.Parse(fs.Arg(0), text)
			if err != nil {
				return err
			}
			for _, f := range m.Functions() {
				if f.Defined() {
					if err := m.WriteSubset(io.Discard, llvmir.Subset{Define: []llvmir.Symbol{f}}); err != nil {
						return err
					}
				}
			}
			return nil
		}},
	}
	if *opt != "" {
		contenders = append(contenders, struct {
			name string
			run  func() error
		}{"opt: read, verify, print", func() error {
			return exec.Command(*opt, "-passes=verify", "-S", "-o", os.DevNull, fs.Arg(0)).Run()
		}})
	}
	t := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%.1f MB, best of %d\twall ms\tCPU ms\tMB/s of CPU\t\n", float64(len(text))/1e6, *runs)
	for _, c := range contenders {
		var wall, cpu time.Duration
		for i := range *runs {
			started, used := time.Now(), processorTime()
			if err := c.run(); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			w, p := time.Since(started), processorTime()-used
			if i == 0 || w < wall {
				wall = w
			}
			if i == 0 || p < cpu {
				cpu = p
			}
		}
		fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%.0f\t\n", c.name, wall.Seconds()*1000, cpu.Seconds()*1000, float64(len(text))/1e6/max(cpu.Seconds(), 1e-6))
	}
	return t.Flush()
}

// processorTime returns what this process and its children have used. On a
// machine that others use too it says more than the clock.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
