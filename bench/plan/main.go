// Command plan measures what aspectfilter takes to decide which of many targets
// get which rows of a large file table, against a program that only reads the same
// files and writes as many decisions as JSON, on the same machine in the same run.
//
//	go run ./bench/plan --dir /var/tmp
//
// It writes a property file for each row below the folder and removes them at the
// end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	missed, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "plan: error: %v\n", err)
		os.Exit(2)
	case missed:
		os.Exit(1)
	}
}

// run measures, and returns whether a limit was missed that --check asks for.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (missed bool, err error) {
	fs := flag.NewFlagSet("plan", flag.ContinueOnError)
	fs.SetOutput(stderr)
	dir := fs.String("dir", "", "write the files below this `folder` (required)")
	tool := fs.String("aspectfilter", "", "measure this `binary` instead of building the tool of this module with 'go build'")
	runs := fs.Int("runs", 5, "`number` of runs of each contender, of which the best counts")
	rows := fs.Int("rows", 100_000, "`number` of rows of the file table")
	targets := fs.Int("targets", 100, "`number` of targets to decide on")
	asJSON := fs.Bool("json", false, "print JSON instead of a table")
	check := fs.Bool("check", false, "exit with 1 when a limit is missed")
	role := fs.String("role", "", "`part` that this program plays for itself: generate or peer, in the current folder")
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	switch {
	case fs.NArg() > 0:
		return false, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case *runs < 1 || *rows < 1 || *targets < 1:
		return false, errors.New("runs, rows and targets have to be positive")
	case *role == "generate":
		return false, generate(*rows, *targets)
	case *role == "peer":
		return false, peer(*targets)
	case *role != "":
		return false, fmt.Errorf("unknown role %q", *role)
	case *dir == "":
		return false, errors.New("--dir is missing: the folder to write to")
	}
	scratch, err := os.MkdirTemp(*dir, "plan")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	b := &bench{ctx: ctx, dir: scratch, runs: *runs, targets: *targets, progress: stderr}
	if b.tool, err = findTool(ctx, *tool, scratch); err != nil {
		return false, err
	}
	if b.self, err = os.Executable(); err != nil {
		return false, err
	}
	// The memory of this process counts as that of its children until they have
	// started, so that others write the files.
	fmt.Fprintln(stderr, "writing files")
	if _, err := b.measure(b.part("generate", *rows)); err != nil {
		return false, err
	}
	r, err := b.all()
	if err != nil {
		return false, err
	}
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = r.table(stdout)
	}
	return *check && r.missed(), err
}

// findTool returns the absolute path of the aspectfilter to measure.
func findTool(ctx context.Context, name, scratch string) (string, error) {
	if name != "" {
		return filepath.Abs(name)
	}
	name = filepath.Join(scratch, "aspectfilter")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", name, "github.com/rules-sycl/rules_sycl/tools/aspectfilter")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build aspectfilter: %v: give --aspectfilter, or run this in the folder of the module\n%s", err, out)
	}
	return filepath.Abs(name)
}

// A report is what is printed.
type report struct {
	Machine machine  `json:"machine"`
	Results []result `json:"results"`
	Limits  []limit  `json:"limits"`
}

type machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Cores int    `json:"cores"`
}

func thisMachine() machine { return machine{runtime.GOOS, runtime.GOARCH, runtime.NumCPU()} }

func (r *report) missed() bool {
	for _, l := range r.Limits {
		if !l.Met {
			return true
		}
	}
	return false
}

func (r *report) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "best of the runs\tms\tmax RSS, MiB\t")
	for _, m := range r.Results {
		fmt.Fprintf(t, "%s\t%.0f\t%.1f\t\n", m.Name, m.Seconds*1000, float64(m.MaxRSS)/mib)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nlimit\tmeasured\tat most\t")
	for _, l := range r.Limits {
		verdict := "met"
		if !l.Met {
			verdict = "MISSED"
		}
		fmt.Fprintf(t, "%s\t%.2f %s\t%g %s\t%s\n", l.Name, l.Measured, l.Unit, l.Most, l.Unit, verdict)
	}
	fmt.Fprintf(t, "\n%s/%s, %d cores\n", r.Machine.OS, r.Machine.Arch, r.Machine.Cores)
	return t.Flush()
}
