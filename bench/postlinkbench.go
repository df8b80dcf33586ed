package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// Performance limits.
const (
	mostOfOnce = 1.5 // multiple of the time of one call of opt
	ofEach     = 20  // factor by which it must be faster than one call per kernel
)

// inputFile is the module, in the working directory of all programs.
const inputFile = "linked.ll"

type postlinkRun struct {
	*Bench
	shape
	tool, opt, self string // binaries
	calls           int
}

// part runs a part of this program as a separate process.
func (m *postlinkRun) part(role string) Contender {
	return Contender{Name: role, Args: []string{m.self, "postlink", "--role=" + role, "--opt=" + m.opt,
		fmt.Sprint("--kernels=", m.kernels), fmt.Sprint("--body=", m.body), fmt.Sprint("--calls=", m.calls)}}
}

func (m *postlinkRun) generate() error {
	return outfile.Write(inputFile, func(w io.Writer) error { return generate(w, m.shape) })
}

func (m *postlinkRun) all() error {
	info, err := os.Stat(filepath.Join(m.Dir, inputFile))
	if err != nil {
		return err
	}
	m.Title = fmt.Sprintf("%d kernels, best of the runs", m.kernels)
	sample := m.part("opt")
	sample.Name = fmt.Sprintf("opt -passes=internalize,globaldce, %d calls of %d", m.calls, m.kernels)
	results, err := m.Compete(
		Contender{Name: "postlink --split per_kernel", Bytes: info.Size(), Args: []string{m.tool, "--split=per_kernel", "--output=split.table", inputFile}},
		Contender{Name: "opt -S, once", Bytes: info.Size(), Args: []string{m.opt, "-S", "--disable-verify", "-o", "once.ll", inputFile}},
		sample,
	)
	if err != nil {
		return err
	}
	ours, once, each := results[0], results[1], results[2]
	scale := float64(m.kernels) / float64(m.calls)
	all := Result{Name: fmt.Sprintf("the same, scaled to %d calls", m.kernels), Seconds: each.Seconds * scale, CPU: each.CPU * scale}
	m.Results = append(m.Results, all)
	m.AtMost("time against opt once", ours.Seconds/once.Seconds, mostOfOnce, "x")
	m.AtMost("processor time against opt once", ours.CPU/once.CPU, mostOfOnce, "x")
	m.AtLeast("speed against opt for each kernel", all.Seconds/ours.Seconds, ofEach, "x")
	m.AtLeast("the same in processor time", all.CPU/ours.CPU, ofEach, "x")
	return nil
}

// split runs opt for some of the kernels, with one process per processor at a time.
func (m *postlinkRun) split() error {
	if err := os.Mkdir(Out, 0o777); err != nil {
		return err
	}
	return atOnce(m.calls, func(i int) error {
		name := kernelName(i * m.kernels / m.calls)
		return m.call(".", m.opt, "-S", "--disable-verify", "-passes=internalize,globaldce",
			"-internalize-public-api-list="+name, "-o", filepath.Join(Out, name+".ll"), inputFile)
	})
}
