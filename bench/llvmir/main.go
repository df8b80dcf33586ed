// Command llvmir measures package llvmir on a file of textual IR. In the same run
// it measures a copy of the text in memory, and LLVM's opt, which reads and prints
// the file.
//
//	go run ./bench/llvmir --opt opt-21 big.ll
package main

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/rules-sycl/rules_sycl/bench/internal/bench"
	"github.com/rules-sycl/rules_sycl/internal/interrupt"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
)

func main() { bench.Main(bench.Program{Name: "llvmir", Runs: 5, Setup: setup}) }

func setup(b *bench.Bench) func() error {
	opt := b.Flags.String("opt", "", "`path` of LLVM's opt (without it opt is not measured)")
	return func() error {
		if b.Flags.NArg() != 1 {
			return errors.New("one file of textual IR is needed")
		}
		return measure(b, b.Flags.Arg(0), *opt)
	}
}

func measure(b *bench.Bench, name, opt string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	m, err := llvmir.Parse(name, text)
	if err != nil {
		return err
	}
	time := func(what string, run func() error) {
		if err == nil {
			_, err = b.Time(what, func() (int64, error) { return int64(len(text)), run() })
		}
	}
	time("copy in memory and count lines", func() error { bytes.Count(bytes.Clone(text), []byte{'\n'}); return nil })
	time("parse", func() error { _, err := llvmir.Parse(name, text); return err })
	time("parse and write", func() error { return parseAndWrite(name, text) })
	time("all bodies with types", func() error { readBodies(m); return nil })
	time("index and a subset of each function", func() error { return writeSubsets(name, text) })
	if opt != "" {
		time("opt: read, verify, print", func() error {
			return interrupt.Command(b.Context, opt, "-passes=verify", "-S", "-o", os.DevNull, name).Run()
		})
	}
	return err
}

func parseAndWrite(name string, text []byte) error {
	m, err := llvmir.Parse(name, text)
	if err == nil {
		_, err = m.WriteTo(io.Discard)
	}
	return err
}

func readBodies(m *llvmir.Module) {
	var types []*llvmir.Type
	for _, f := range m.Functions() {
		for in := range f.Body() {
			types = in.AppendTypes(types[:0])
		}
	}
}

func writeSubsets(name string, text []byte) error {
	m, err := llvmir.Parse(name, text)
	if err != nil {
		return err
	}
	for _, f := range m.Functions() {
		if !f.Defined() {
			continue
		}
		if err := m.WriteSubset(io.Discard, llvmir.Subset{Define: []llvmir.Symbol{f}}); err != nil {
			return err
		}
	}
	return nil
}
