// Command dpcpp measures what a build does for a SYCL source with DPC++'s compiler
// library, in two steps, against the library's own compilation in one.
//
//	go run ./bench/dpcpp --dir /var/tmp --library lib/libsycl-jit.so [SOURCE...]
package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/bench/internal/bench"
)

func main() { bench.Main(bench.Program{Name: "dpcpp", Runs: 5, Limits: true, Setup: setup}) }

// times is how much processor time both steps may take, as a multiple of the library's
// own. It has one thread, and sources are compiled at the same time.
const times = 1.3

// small is a source of a few lines, for which the fixed costs count most.
const small = `#include <sycl/sycl.hpp>

void scale(sycl::queue &q, float *p, float by) {
  q.parallel_for<class Scale>(sycl::range<1>(64), [=](sycl::id<1> i) { p[i] *= by; });
}
`

// places are the options with which the rules compile.
var places = strings.Fields("-Xclang -debug-info-kind=line-tables-only -Xclang -dwarf-version=4 -fdebug-info-for-profiling" +
	" -ffile-compilation-dir=. -Xclang -fdebug-compilation-dir=.")

// tools is what compiles.
type tools struct {
	driver, devicec, library string // paths
	options                  []string
}

func setup(b *bench.Bench) func() error {
	dir := b.Flags.String("dir", "", "write files below this `folder` (required)")
	library := b.Flags.String("library", "", "`path` of libsycl-jit.so (required)")
	driver := b.Flags.String("driver", "", "measure this `binary` instead of building rules/dpcpp/driver.cpp with c++")
	devicec := b.Flags.String("devicec", "", "measure this `binary` instead of building the devicec of this module with 'go build'")
	options := b.Flags.String("options", "-std=c++17 -O2", "`options` of the compiler, with blanks between")
	return func() error {
		if *library == "" {
			return errors.New("--library is missing: the path of libsycl-jit.so")
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		sources, err := findSources(b)
		if err != nil {
			return err
		}
		t := tools{options: append(strings.Fields(*options), places...)}
		if t.library, err = filepath.Abs(*library); err != nil {
			return err
		}
		if t.driver, err = b.Driver(*driver); err != nil {
			return err
		}
		if t.devicec, err = b.Tool("devicec", *devicec); err != nil {
			return err
		}
		for _, source := range sources {
			if err := t.measure(b, source); err != nil {
				return err
			}
		}
		return nil
	}
}

// findSources returns the paths of the arguments, or that of a small source.
func findSources(b *bench.Bench) (sources []string, err error) {
	for _, name := range b.Flags.Args() {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, path)
	}
	if len(sources) == 0 {
		sources = []string{filepath.Join(b.Dir, "small.cpp")}
		err = os.WriteFile(sources[0], []byte(small), 0o666)
	}
	return sources, err
}

func (t *tools) measure(b *bench.Bench, source string) error {
	const bitcode = "kernels.bc"
	name := filepath.Base(source)
	r, err := b.Compete(
		bench.Contender{Name: name + ": the library's own compilation", Args: append([]string{
			t.driver, "build", "--library", t.library, "--output-dir", "built", source, "--"}, t.options...)},
		bench.Contender{Name: name + ": driver compile", Args: append([]string{
			t.driver, "compile", "--library", t.library, "--output", bitcode, "--header", "kernels.h", "--footer", "kernels.f", source, "--"}, t.options...)},
		bench.Contender{Name: name + ": devicec images", Args: []string{
			t.devicec, "images", "--driver", t.driver, "--library", t.library, "--code-dir", bench.Out, "--properties-dir", "properties", "--table", "images.table", bitcode}},
	)
	if err != nil {
		return err
	}
	b.AtMost(name+": processor time of both, times the library's own", (r[1].CPU+r[2].CPU)/r[0].CPU, times, "")
	return nil
}
