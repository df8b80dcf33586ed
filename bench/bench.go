// Command bench measures the tools and the rules against peers and limits, on the same machine
// in the same run. README.md describes each benchmark.
//
//	go run ./bench BENCHMARK --dir /var/tmp
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
)

// MiB is a mebibyte.
const MiB = 1 << 20

// A Program is a benchmark.
type Program struct {
	Name string
	Runs int // runs of each contender, unless --runs overrides it

	// Setup adds flags, and returns the function to run after they have been parsed.
	Setup func(b *Bench) (run func() error)
}

// A Bench is a run of a program.
type Bench struct {
	Context  context.Context
	Flags    *flag.FlagSet
	Runs     int       // runs of each contender; the best one counts
	Dir      string    // scratch directory, if Scratch created one
	Progress io.Writer // progress messages
	remove   func()    // removes Dir
	Report
}

// benchmarks lists the benchmarks, whose names are the values of the first argument.
var benchmarks = []Program{
	{Name: "build", Runs: 1, Setup: setupBuild},
	{Name: "families", Runs: 1, Setup: setupFamilies},
	{Name: "formats", Runs: 5, Setup: setupFormats},
	{Name: "gate", Runs: 5, Setup: setupGate},
	{Name: "postlink", Runs: 5, Setup: setupPostlink},
	{Name: "programs", Runs: 5, Setup: setupPrograms},
	{Name: "report", Runs: 3, Setup: setupReport},
	{Name: "wheels", Runs: 5, Setup: setupWheels},
}

// main exits with 1 if --check was given and a limit is missed, and with 2 after an error.
func main() {
	cli.Main("bench", func(ctx context.Context) int {
		missed, err := run(ctx, os.Args[1:])
		switch {
		case cli.IsStopped(ctx) || errors.Is(err, flag.ErrHelp):
		case err != nil:
			fmt.Fprintf(os.Stderr, "bench: error: %v\n", err)
			return 2
		case missed:
			return 1
		}
		return 0
	})
}

func run(ctx context.Context, args []string) (missed bool, err error) {
	var names []string
	for _, p := range benchmarks {
		if names = append(names, p.Name); len(args) > 0 && args[0] == p.Name {
			return p.run(ctx, args[1:], os.Stdout, os.Stderr)
		}
	}
	return false, fmt.Errorf("the first argument is the benchmark: %s", strings.Join(names, ", "))
}

// run prints the measurements of a program, and reports whether --check was given and a limit is
// missed.
func (p Program) run(ctx context.Context, args []string, stdout, stderr io.Writer) (missed bool, err error) {
	b := &Bench{Context: ctx, Flags: flag.NewFlagSet(p.Name, flag.ContinueOnError), Progress: stderr, Report: Report{Machine: thisMachine()}}
	b.Flags.SetOutput(stderr)
	b.Flags.IntVar(&b.Runs, "runs", p.Runs, "`number` of runs of each contender, of which the best counts")
	asJSON := b.Flags.Bool("json", false, "print JSON instead of a table")
	check := b.Flags.Bool("check", false, "exit with 1 if a limit is missed")
	run := p.Setup(b)
	if err := b.Flags.Parse(args); err != nil {
		return false, err
	}
	if b.Runs < 1 {
		return false, errors.New("--runs must be positive")
	}
	defer func() {
		if b.remove != nil {
			b.remove()
		}
	}()
	if err := run(); err != nil || len(b.Results) == 0 {
		return false, err
	}
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(b.Report)
	} else {
		err = b.table(stdout)
	}
	return *check && slices.ContainsFunc(b.Limits, func(l Limit) bool { return !l.Met }), err
}

// NoArguments rejects arguments other than flags.
func (b *Bench) NoArguments() error {
	if b.Flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", b.Flags.Arg(0))
	}
	return nil
}

// Scratch creates the scratch directory below another directory. It is removed at the end.
func (b *Bench) Scratch(below string) (err error) {
	if below == "" {
		return errors.New("--dir is required: the directory to write to")
	}
	b.Dir, b.remove, err = outfile.ScratchDir(below)
	return err
}

// Tool returns the absolute path of the tool to measure: the given binary, or one that is built
// from this module if binary is "".
func (b *Bench) Tool(name, binary string) (string, error) {
	return b.built(name, binary, "go", "build", "github.com/rules-sycl/rules_sycl/tools/"+name)
}

// Driver is [Bench.Tool] for rules/dpcpp/driver.cpp, which a C++ compiler builds.
func (b *Bench) Driver(binary string) (string, error) {
	return b.built("driver", binary, "c++", "-std=c++17", "-O2", "rules/dpcpp/driver.cpp", "-ldl")
}

func (b *Bench) built(name, binary, compiler string, args ...string) (string, error) {
	if binary == "" {
		binary = filepath.Join(b.Dir, name)
		if err := b.call(".", append([]string{compiler, args[0], "-o", binary}, args[1:]...)...); err != nil {
			return "", fmt.Errorf("cannot build %s: give --%[1]s, or run this in the directory of the module: %w", name, err)
		}
	}
	return filepath.Abs(binary)
}

// call runs a program in a directory. The error contains its output.
func (b *Bench) call(dir string, argv ...string) error {
	cmd := cli.Program(b.Context, argv[0], argv[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
	}
	return nil
}

// atOnce calls a function for the numbers below n, with one call per processor at a time.
func atOnce(n int, run func(i int) error) error {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			errs[i] = run(i)
			<-slots
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
