package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// self is the path of this binary. The path in os.Args may be relative to a different directory.
var self, _ = os.Executable()

// This binary also acts as the program that the tests measure.
func init() {
	if len(os.Args) != 2 {
		return
	}
	switch os.Args[1] {
	case "work":
		os.Exit(0)
	case "complain":
		os.Stderr.WriteString("here\nand there\n")
		os.Exit(0)
	case "fail":
		os.Exit(2)
	case "spin":
		for start := time.Now(); time.Since(start) < time.Minute; {
			continue
		}
	}
}

// program measures a program and a function that reads 3 MiB.
func program(dir string, limit float64, scratch *string) Program {
	return Program{Name: "example", Runs: 2, Setup: func(b *Bench) func() error {
		small := b.Flags.Bool("small", false, "")
		return func() error {
			if err := errors.Join(b.NoArguments(), b.Scratch(dir)); err != nil {
				return err
			}
			*scratch = b.Dir
			if *small {
				return nil
			}
			if _, err := b.Compete(Contender{Name: "child", Args: []string{self, "work"}, Output: Out}); err != nil {
				return err
			}
			runs := 0
			if _, err := b.Time("function", func() (int64, error) { runs++; return 3 * MiB, nil }); err != nil {
				return err
			}
			b.AtMost("runs", float64(runs), limit, "x")
			b.AtLeast("runs again", float64(runs), 1, "x")
			return nil
		}
	}}
}

func TestRun(t *testing.T) {
	for _, test := range []struct {
		name   string
		limit  float64
		args   []string
		missed bool
		want   []string // parts of the output
	}{
		{"a table", 2, nil, false, []string{"best of the runs", "CPU ms", "MiB/s", "max RSS, MiB", "child", "function", "runs        2.00 x    <= 2 x  met", "runs again  2.00 x    >= 1 x  met"}},
		{"a missed limit that is not asked for", 1, nil, false, []string{"runs        2.00 x    <= 1 x  MISSED"}},
		{"a missed limit", 1, []string{"--check"}, true, []string{"MISSED"}},
		{"limits that are met", 3, []string{"--check", "--runs=3"}, false, []string{"3.00 x"}},
		{"nothing measured", 2, []string{"--small", "--check"}, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var scratch string
			var out strings.Builder
			missed, err := program(t.TempDir(), test.limit, &scratch).run(t.Context(), test.args, &out, io.Discard)
			if err != nil || missed != test.missed {
				t.Errorf("missed is %t, error %v", missed, err)
			}
			for _, s := range test.want {
				if !strings.Contains(out.String(), s) {
					t.Errorf("no %q in:\n%s", s, &out)
				}
			}
			if test.want == nil && out.Len() > 0 {
				t.Errorf("printed %s", &out)
			}
			if _, err := os.Stat(scratch); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the scratch directory is still there: %v", err)
			}
		})
	}
}

func TestRunJSON(t *testing.T) {
	var scratch string
	var out strings.Builder
	if _, err := program(t.TempDir(), 2, &scratch).run(t.Context(), []string{"--json"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 2 || len(r.Limits) != 2 || !r.Limits[0].Met || r.Machine.Cores < 1 {
		t.Fatalf("%+v", r)
	}
	child, function := r.Results[0], r.Results[1]
	if child.Name != "child" || child.Seconds <= 0 || child.CPU <= 0 || child.MaxRSS < MiB || child.Bytes != 0 {
		t.Errorf("%+v", child)
	}
	if function.Name != "function" || function.MaxRSS != 0 || function.Bytes != 3*MiB {
		t.Errorf("%+v", function)
	}
}

// TestFunction checks that the measured time of a function includes a program that still runs when
// the function returns.
func TestFunction(t *testing.T) {
	cmd := exec.Command(self, "spin")
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	// The function itself uses no time. On a busy machine, the program needs several rounds.
	b := &Bench{Context: t.Context(), Runs: 1, Dir: t.TempDir(), Progress: io.Discard}
	for range 40 {
		r, err := b.Compete(Contender{Name: "function", Run: func() error {
			if cmd.Process == nil {
				return cmd.Start()
			}
			time.Sleep(300 * time.Millisecond)
			return nil
		}})
		if err != nil || len(r) != 1 || r[0].Seconds < 0.3 {
			t.Fatalf("%+v, %v", r, err)
		}
		if r[0].CPU >= 0.05 {
			return
		}
	}
	t.Error("the time of the running program does not count")
}

func TestRunErrors(t *testing.T) {
	fails := func(c Contender) Program {
		return Program{Name: "example", Runs: 1, Setup: func(b *Bench) func() error {
			return func() error { _, err := b.Compete(c); return err }
		}}
	}
	var scratch string
	for _, test := range []struct {
		name    string
		program Program
		args    []string
		want    string
	}{
		{"no runs", program(t.TempDir(), 1, &scratch), []string{"--runs=0"}, "--runs must be positive"},
		{"an argument", program(t.TempDir(), 1, &scratch), []string{"x"}, `unexpected argument "x"`},
		{"no directory", program("", 1, &scratch), nil, "--dir is required"},
		{"a contender that does not work", fails(Contender{Name: "child", Args: []string{self, "fail"}}), nil, "child failed: exit status 2: "},
		{"a contender that complains", fails(Contender{Name: "child", Args: []string{self, "complain"}}), nil, "child failed: wrote to standard error: here"},
		{"a function that does not work", fails(Contender{Name: "function", Run: func() error { return io.ErrUnexpectedEOF }}), nil, "function failed: unexpected EOF"},
		{"a contender that is not there", fails(Contender{Name: "child", Args: []string{"./none"}}), nil, "child failed"},
	} {
		var out strings.Builder
		_, err := test.program.run(t.Context(), test.args, &out, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
			t.Errorf("%s: error %v, printed %q", test.name, err, &out)
		}
	}
}
