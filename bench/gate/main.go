// Command gate measures 'compat check' as a process: on many large reports, in
// the same run as programs that only read the JSON, and on a small one.
//
//	go run ./bench/gate --dir /var/tmp
//
// It writes about 800 MiB below the folder and removes them at the end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	missed, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "gate: error: %v\n", err)
		os.Exit(2)
	case missed:
		os.Exit(1)
	}
}

// What the design asks for.
const (
	manySeconds  = 2.0
	smallSeconds = 0.05
)

// A result is the best of the runs of one contender.
type result struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`     // of the fastest run
	CPU     float64 `json:"cpu_seconds"` // of the same run, of all cores
	Bytes   int64   `json:"bytes"`       // read
	MaxRSS  int64   `json:"max_rss_bytes"`
	Limit   float64 `json:"limit_seconds,omitempty"`
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (missed bool, err error) {
	fs := flag.NewFlagSet("gate", flag.ContinueOnError)
	fs.SetOutput(stderr)
	dir := fs.String("dir", "", "write the reports below this `folder` (required)")
	compat := fs.String("compat", "", "measure this `binary` instead of building the one of this module with 'go build'")
	runs := fs.Int("runs", 5, "`number` of runs of each contender, of which the best counts")
	s := sizes{}
	fs.IntVar(&s.reports, "reports", 50, "`number` of reports")
	fs.IntVar(&s.kernels, "kernels", 1000, "`number` of kernels of each")
	fs.IntVar(&s.devices, "devices", 60, "`number` of devices of each")
	asJSON := fs.Bool("json", false, "print JSON instead of a table")
	check := fs.Bool("check", false, "exit with 1 when a limit is missed")
	peer := fs.Bool("unmarshal", false, "only read the reports that are the arguments with encoding/json")
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	if *peer {
		return false, unmarshal(fs.Args())
	}
	switch {
	case fs.NArg() > 0:
		return false, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case *dir == "":
		return false, errors.New("--dir is missing: the folder to write to")
	case min(*runs, s.reports, s.kernels, s.devices) < 1:
		return false, errors.New("runs and sizes have to be positive")
	}
	scratch, err := os.MkdirTemp(*dir, "gate")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	tool, err := findCompat(ctx, *compat, scratch)
	if err != nil {
		return false, err
	}
	fmt.Fprintln(stderr, "writing reports")
	names, bytes, err := writeReports(scratch, s)
	if err != nil {
		return false, err
	}
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	many := []*contender{
		{result: result{Name: "compat check", Bytes: bytes, Limit: manySeconds}, args: append([]string{tool, "check", "--fail-on=none", "--workspace="}, names...)},
		{result: result{Name: "encoding/json, the same structs, all cores", Bytes: bytes}, args: append([]string{self, "--unmarshal"}, names...)},
	}
	if path, err := exec.LookPath("python3"); err == nil {
		program := "import json,sys\nfor n in sys.argv[1:]:\n    json.load(open(n))"
		many = append(many, &contender{result: result{Name: "json.load of Python", Bytes: bytes}, args: append([]string{path, "-c", program}, names...)})
	}
	if path, err := exec.LookPath("jq"); err == nil {
		many = append(many, &contender{result: result{Name: "jq length", Bytes: bytes}, args: append([]string{path, "length"}, names...)})
	}
	small := []*contender{{result: result{Name: "compat check, 5 kernels on 3 devices", Limit: smallSeconds}, args: []string{tool, "check", "--fail-on=none", smallFile}}}
	var results []result
	for _, group := range [][]*contender{many, small} {
		for range *runs {
			for _, c := range group {
				fmt.Fprintln(stderr, c.Name)
				if err := c.measure(ctx, scratch); err != nil {
					return false, err
				}
			}
		}
		for _, c := range group {
			results = append(results, c.result)
			missed = missed || c.Limit > 0 && c.Seconds > c.Limit
		}
	}
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(results)
	} else {
		err = table(stdout, results)
	}
	return *check && missed, err
}

func table(w io.Writer, results []result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "best of the runs\tseconds\tCPU seconds\tMiB/s\tmax RSS, MiB\tlimit\t\n")
	for _, r := range results {
		limit, rate := "", ""
		if r.Limit > 0 {
			limit = fmt.Sprintf("%g: met", r.Limit)
			if r.Seconds > r.Limit {
				limit = fmt.Sprintf("%g: MISSED", r.Limit)
			}
		}
		if r.Bytes > 0 {
			rate = fmt.Sprintf("%.0f", float64(r.Bytes)/(1<<20)/r.Seconds)
		}
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%s\t%.1f\t%s\t\n", r.Name, r.Seconds, r.CPU, rate, float64(r.MaxRSS)/(1<<20), limit)
	}
	fmt.Fprintf(t, "%s/%s, %d cores\t\t\t\t\t\t\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	return t.Flush()
}

type contender struct {
	result
	args []string
}

func (c *contender) measure(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.CombinedOutput()
	seconds := time.Since(start).Seconds()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", c.Name, err, out[:min(len(out), 1000)])
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if c.Seconds == 0 {
		c.Seconds = math.Inf(1)
	}
	if seconds < c.Seconds {
		c.Seconds = seconds
		c.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	c.MaxRSS = max(c.MaxRSS, usage.Maxrss<<10)
	return nil
}

// findCompat returns the absolute path of the tool to measure.
func findCompat(ctx context.Context, name, scratch string) (string, error) {
	if name == "" {
		name = filepath.Join(scratch, "compat")
		cmd := exec.CommandContext(ctx, "go", "build", "-o", name, "github.com/rules-sycl/rules_sycl/tools/compat")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("cannot build compat: %w: give --compat, or run this in the folder of the module\n%s", err, out)
		}
	}
	return filepath.Abs(name)
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
