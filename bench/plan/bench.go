package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const mib = 1 << 20

// A result is the best of the runs of one contender.
type result struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`       // of the fastest run
	MaxRSS  int64   `json:"max_rss_bytes"` // of the largest run
}

// A limit is what may be measured at most, and what was.
type limit struct {
	Name     string  `json:"name"`
	Measured float64 `json:"measured"`
	Most     float64 `json:"at_most"`
	Unit     string  `json:"unit"`
	Met      bool    `json:"met"`
}

// What the design asks for.
const (
	mostSeconds = 5
	mostMiB     = 512
	mostOfPeer  = 3 // times as long
)

type bench struct {
	ctx        context.Context
	dir        string // where everything runs
	tool, self string // binaries
	runs       int
	targets    int
	progress   io.Writer
}

// A contender is a program to measure.
type contender struct {
	name string
	args []string
}

// part is what this program itself does as another process.
func (b *bench) part(role string, rows int) contender {
	return contender{role, []string{b.self, "--role", role, fmt.Sprint("--rows=", rows), fmt.Sprint("--targets=", b.targets)}}
}

func (b *bench) all() (*report, error) {
	peer := b.part("peer", 1)
	peer.name = "reading the files and writing JSON"
	names := strings.Join(targetNames(b.targets), ",")
	results, err := b.compete([]contender{
		{"aspectfilter --plan", []string{b.tool, "--plan", "--device-config-file=" + configFile, "--targets=" + names, "--output=plan.json", tableFile}},
		{"aspectfilter --target", []string{b.tool, "--target=" + targetName(0), "--device-config-file=" + configFile, "--output=kept.table", tableFile}},
		peer,
	})
	if err != nil {
		return nil, err
	}
	r := &report{Machine: thisMachine(), Results: results}
	atMost := func(name string, measured, most float64, unit string) {
		r.Limits = append(r.Limits, limit{name, measured, most, unit, measured <= most})
	}
	plan := results[0]
	atMost("time of the plan", plan.Seconds, mostSeconds, "s")
	atMost("memory of the plan", float64(plan.MaxRSS)/mib, mostMiB, "MiB")
	atMost("time of the plan against reading and writing alone", plan.Seconds/results[2].Seconds, mostOfPeer, "x")
	return r, nil
}

// compete runs contenders in turn, so that what else the machine does meets all
// of them, and returns the best of each.
func (b *bench) compete(contenders []contender) ([]result, error) {
	results := make([]result, len(contenders))
	for i, c := range contenders {
		results[i] = result{Name: c.name, Seconds: math.Inf(1)}
	}
	// The first round fills the page cache and does not count.
	for round := range 1 + b.runs {
		for i, c := range contenders {
			fmt.Fprintf(b.progress, "%s: run %d of %d\n", c.name, round, b.runs)
			m, err := b.measure(c)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				results[i].Seconds = min(results[i].Seconds, m.Seconds)
				results[i].MaxRSS = max(results[i].MaxRSS, m.MaxRSS)
			}
		}
	}
	return results, nil
}

// measure runs a contender once.
func (b *bench) measure(c contender) (result, error) {
	cmd := exec.CommandContext(b.ctx, c.args[0], c.args[1:]...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "PWD="+filepath.Clean(b.dir))
	var diagnostics bytes.Buffer
	cmd.Stderr = &diagnostics
	start := time.Now()
	err := cmd.Run()
	seconds := time.Since(start).Seconds()
	if err != nil || diagnostics.Len() > 0 {
		first, _, _ := strings.Cut(diagnostics.String(), "\n")
		return result{}, fmt.Errorf("%s did not work: %v: %s", c.name, err, first)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	const kilo = 1024 // Linux counts in these
	return result{c.name, seconds, usage.Maxrss * kilo}, nil
}
