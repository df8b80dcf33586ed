package llvmir

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"testing"
)

var (
	benchFile = flag.String("ll", "", "`file` of LLVM IR as text that the benchmarks read instead of a synthetic one")
	benchOpt  = flag.String("opt", "", "`path` of LLVM's opt, which reads and prints the file of -ll as a comparison")
)

// benchText returns the text that the benchmarks read.
func benchText(b *testing.B) []byte {
	b.Helper()
	text := []byte(synthetic(20_000))
	if *benchFile != "" {
		var err error
		if text, err = os.ReadFile(*benchFile); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(text)))
	return text
}

// BenchmarkCopy measures the minimum time for reading a file.
func BenchmarkCopy(b *testing.B) {
	text := benchText(b)
	for b.Loop() {
		bytes.Count(bytes.Clone(text), []byte{'\n'})
	}
}

func BenchmarkParse(b *testing.B) {
	text := benchText(b)
	for b.Loop() {
		if _, err := Parse("b.ll", string(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseAndWrite(b *testing.B) {
	text := benchText(b)
	for b.Loop() {
		m, err := Parse("b.ll", string(text))
		if err == nil {
			_, err = m.WriteTo(io.Discard)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBodies reads all instructions with the types of their results.
func BenchmarkBodies(b *testing.B) {
	m := parseString(b, string(benchText(b)))
	for b.Loop() {
		for _, f := range m.Functions() {
			for in := range f.Body() {
				in.Type()
			}
		}
	}
}

// BenchmarkSubset writes one function with everything that it refers to.
func BenchmarkSubset(b *testing.B) {
	m := parseString(b, string(benchText(b)))
	m.buildIndex()
	functions := m.Functions()
	b.SetBytes(0) // only one function of many is written
	define := Subset{Define: []Symbol{functions[len(functions)/2]}}
	for b.Loop() {
		if err := m.WriteSubset(io.Discard, define); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpt measures LLVM's own reader and printer.
func BenchmarkOpt(b *testing.B) {
	if *benchOpt == "" || *benchFile == "" {
		b.Skip("-opt and -ll are needed")
	}
	benchText(b)
	for b.Loop() {
		if out, err := exec.Command(*benchOpt, "-passes=verify", "-S", "-o", os.DevNull, *benchFile).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}
