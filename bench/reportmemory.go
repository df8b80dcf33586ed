package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/rules-sycl/rules_sycl/internal/inspect"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/report/render"
)

// memory measures the memory that one process needs to build a report and write it as JSON, and the
// memory that a second process needs to read it and print it as text.
func memory(b *Bench, kernels, devices int, limit float64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b.Title = fmt.Sprintf("%d kernels x %d devices", kernels, devices)
	file := filepath.Join(b.Dir, "report.json")
	args := []string{self, "report", fmt.Sprint("--kernels=", kernels), fmt.Sprint("--devices=", devices), "--file=" + file}
	for _, phase := range []string{"build", "text"} {
		c := Contender{Name: phase + ", as a process", Args: append(args, "--phase="+phase)}
		fmt.Fprintln(b.Progress, c.Name)
		result, err := b.Measure(c)
		if err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		result.Bytes = info.Size()
		b.Results = append(b.Results, result)
		b.AtMost("memory: "+phase, float64(result.MaxRSS)/MiB, limit, "MiB")
	}
	return nil
}

// buildFile writes the JSON of a report into a file.
func buildFile(build func() (*report.Report, error), name string) error {
	debug.SetMemoryLimit(inspect.MemoryLimit)
	r, err := build()
	if err != nil {
		return err
	}
	return outfile.Write(name, r.Encode)
}

// printFile prints a report as text.
func printFile(name string) error {
	debug.SetMemoryLimit(inspect.MemoryLimit)
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := report.Decode(name, f)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	return cmp.Or(render.Text(out, r, render.TextOptions{}), out.Flush())
}
