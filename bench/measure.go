package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/cli"
)

// A Contender is a program that is compared with others. It runs in the scratch directory, where
// it may create a file or directory named Out.
type Contender struct {
	Name   string
	Args   []string
	Run    func() error // function to measure instead of a program, including the programs that it runs
	Bytes  int64        // bytes read or written, 0 if not meaningful
	Output string       // file for standard output, which is otherwise discarded
	Before func() error // called before each run, and not measured; may be nil
}

// Out is removed before each run.
const Out = "out"

// Compete runs contenders alternately, so that other load affects all of them, and returns the best
// run of each. It adds these runs to the results.
func (b *Bench) Compete(contenders ...Contender) ([]Result, error) {
	out := filepath.Join(b.Dir, Out)
	results := make([]Result, len(contenders))
	for i, c := range contenders {
		results[i] = newResult(c.Name, c.Bytes)
	}
	// The first round fills the page cache and does not count.
	for round := range 1 + b.Runs {
		for i, c := range contenders {
			fmt.Fprintf(b.Progress, "%s: run %d of %d\n", c.Name, round, b.Runs)
			if err := os.RemoveAll(out); err != nil {
				return nil, err
			}
			if c.Before != nil {
				if err := c.Before(); err != nil {
					return nil, err
				}
			}
			measure := b.Measure
			if c.Run != nil {
				measure = b.measureFunction
			}
			m, err := measure(c)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				results[i].add(m)
			}
		}
	}
	b.Results = append(b.Results, results...)
	return results, os.RemoveAll(out)
}

// Measure runs a contender once. If it writes to standard error, it counts as failed.
func (b *Bench) Measure(c Contender) (Result, error) {
	cmd := cli.Program(b.Context, c.Args[0], c.Args[1:]...)
	cmd.Dir = b.Dir
	var diagnostics bytes.Buffer
	cmd.Stderr = &diagnostics
	if c.Output != "" {
		f, err := os.Create(filepath.Join(b.Dir, c.Output))
		if err != nil {
			return Result{}, err
		}
		defer f.Close()
		cmd.Stdout = f
	}
	start := time.Now()
	err := cmd.Run()
	seconds := time.Since(start).Seconds()
	if err == nil && diagnostics.Len() > 0 {
		err = errors.New("wrote to standard error")
	}
	if err != nil {
		first, _, _ := strings.Cut(diagnostics.String(), "\n")
		return Result{}, fmt.Errorf("%s failed: %w: %s", c.Name, err, first)
	}
	memory, err := maxRSS(cmd.ProcessState)
	if err != nil {
		return Result{}, err
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return Result{Name: c.Name, Seconds: seconds, CPU: used.Seconds(), Bytes: c.Bytes, MaxRSS: memory}, nil
}

// measureFunction runs a contender that is a function once.
func (b *Bench) measureFunction(c Contender) (Result, error) {
	if err := b.Context.Err(); err != nil {
		return Result{}, err
	}
	before, err := ProcessorTime()
	if err != nil {
		return Result{}, err
	}
	start := time.Now()
	if err := c.Run(); err != nil {
		return Result{}, fmt.Errorf("%s failed: %w", c.Name, err)
	}
	seconds := time.Since(start).Seconds()
	after, err := ProcessorTime()
	return Result{Name: c.Name, Seconds: seconds, CPU: (after - before).Seconds(), Bytes: c.Bytes}, err
}

// Time runs a function of this process, which returns the number of bytes that it has read or
// written, or 0 if that is not meaningful. The best run becomes a result.
func (b *Bench) Time(name string, run func() (int64, error)) (Result, error) {
	fmt.Fprintln(b.Progress, name)
	best := newResult(name, 0)
	for range b.Runs {
		runtime.GC()
		m, err := b.measureFunction(Contender{Name: name, Run: func() (err error) { best.Bytes, err = run(); return err }})
		if err != nil {
			return Result{}, err
		}
		best.add(m)
	}
	b.Results = append(b.Results, best)
	return best, nil
}

func newResult(name string, size int64) Result {
	return Result{Name: name, Seconds: math.Inf(1), CPU: math.Inf(1), Bytes: size}
}

// add merges another run into the result.
func (r *Result) add(run Result) {
	r.Seconds = min(r.Seconds, run.Seconds)
	r.CPU = min(r.CPU, run.CPU)
	r.MaxRSS = max(r.MaxRSS, run.MaxRSS)
}
