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

// A result is the best of the runs of one contender.
type result struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`         // of the fastest run
	Bytes   int64   `json:"bytes,omitempty"` // written in that time
	MaxRSS  int64   `json:"max_rss_bytes"`   // of the largest run
}

// A floor is a limit, and what was measured.
type floor struct {
	Name     string  `json:"name"`
	Measured float64 `json:"measured"`
	AtLeast  bool    `json:"at_least"` // or else at most
	Limit    float64 `json:"limit"`
	Unit     string  `json:"unit"`
	Met      bool    `json:"met"`
}

func (f *floor) sign() string {
	if f.AtLeast {
		return ">="
	}
	return "<="
}

type bench struct {
	ctx            context.Context
	dir            string
	packager, peer string // binaries; peer may be ""
	runs           int
	sizes          sizes
	progress       io.Writer
	results        []result
	floors         []floor
}

func (b *bench) missed() bool {
	for _, f := range b.floors {
		if !f.Met {
			return true
		}
	}
	return false
}

func (b *bench) atLeast(name string, measured, limit float64, unit string) {
	b.floors = append(b.floors, floor{name, measured, true, limit, unit, measured >= limit})
}

func (b *bench) atMost(name string, measured, limit float64, unit string) {
	b.floors = append(b.floors, floor{name, measured, false, limit, unit, measured <= limit})
}

// What the design asks for.
const (
	packOfCat  = 0.9 // of the throughput of cat
	packOfPeer = 1   // of that of clang-offload-packager
	listMillis = 100
	listOfList = 1.25 // of the time for the small file
	memoryMiB  = 64
)

// all runs every benchmark.
func (b *bench) all() error {
	if err := b.pack(); err != nil {
		return err
	}
	if err := b.list(); err != nil {
		return err
	}
	return b.copy()
}

// pack packs images, property files and symbol files into one SYCLBIN, and
// copies the same files into one with cat. The peer packs the images alone, as it
// knows no metadata.
func (b *bench) pack() error {
	n := b.sizes.modules
	size := imageSize(b.sizes.pack, n) * int64(n)
	contenders := []contender{
		{name: "packager pack", bytes: size, command: command{args: []string{b.packager, "pack", "--output", "out", "--table", triple + "=" + tableFile}}},
		{name: "cat", bytes: size, command: command{args: []string{"cat"}, output: "out"}},
	}
	cat := &contenders[1].command
	for i := range n {
		for _, ext := range []string{".spv", ".prop", ".sym"} {
			cat.args = append(cat.args, fmt.Sprintf("%s/%06d%s", imageFolder, i, ext))
		}
	}
	if b.peer != "" {
		c := contender{name: "clang-offload-packager", bytes: size, command: command{args: []string{b.peer, "-o", "out"}}}
		for i := range n {
			c.command.args = append(c.command.args, fmt.Sprintf("--image=file=%s/%06d.spv,triple=%s,kind=sycl", imageFolder, i, triple))
		}
		contenders = append(contenders, c)
	} else {
		fmt.Fprintln(b.progress, "there is no clang-offload-packager in PATH to compare with")
	}
	r, err := b.compete(contenders)
	if err != nil {
		return err
	}
	b.atLeast("packing against cat of the same files", r[1].Seconds/r[0].Seconds, packOfCat, "x")
	if b.peer != "" {
		b.atLeast("packing against clang-offload-packager", r[2].Seconds/r[0].Seconds, packOfPeer, "x")
	}
	b.atMost("memory of packing", float64(r[0].MaxRSS)/mib, memoryMiB, "MiB")
	return nil
}

// list lists a large and a small file with as many modules.
func (b *bench) list() error {
	r, err := b.compete([]contender{
		{name: fmt.Sprintf("packager dump, %d MiB", b.sizes.list/mib), command: command{args: []string{b.packager, "dump", listFile}}},
		{name: fmt.Sprintf("packager dump, %d MiB", b.sizes.listSmall/mib), command: command{args: []string{b.packager, "dump", listSmallFile}}},
	})
	if err != nil {
		return err
	}
	b.atMost("time of listing", r[0].Seconds*1000, listMillis, "ms")
	b.atMost("memory of listing", float64(r[0].MaxRSS)/mib, memoryMiB, "MiB")
	b.atMost("time of listing the large file against the small one", r[0].Seconds/r[1].Seconds, listOfList, "x")
	return nil
}

// copy converts a file to the other version and to a bare one, and extracts it.
func (b *bench) copy() error {
	size := b.sizes.copy
	r, err := b.compete([]contender{
		{name: "packager convert, version 1 to 2", bytes: size, command: command{args: []string{b.packager, "convert", "--syclbin-version=2", "--output=out", copyFile}}},
		{name: "packager convert, wrapped to bare", bytes: size, command: command{args: []string{b.packager, "convert", "--bare", "--output=out", copyFile}}},
		{name: "packager extract", bytes: size, command: command{args: []string{b.packager, "extract", "--output-dir=out", copyFile}}},
		{name: "cat of that file", bytes: size, command: command{args: []string{"cat", copyFile}, output: "out"}},
	})
	if err != nil {
		return err
	}
	for i, what := range []string{"memory of converting to version 2", "memory of converting to a bare file", "memory of extracting"} {
		b.atMost(what, float64(r[i].MaxRSS)/mib, memoryMiB, "MiB")
	}
	return nil
}

// A contender is a program that does the same as others. It makes the file or
// folder "out".
type contender struct {
	name    string
	bytes   int64
	command command
}

// compete runs contenders in turn, so that what else the machine does meets all
// of them, and returns the best of each.
func (b *bench) compete(contenders []contender) ([]result, error) {
	results := make([]result, len(contenders))
	for i, c := range contenders {
		results[i] = result{Name: c.name, Seconds: math.Inf(1), Bytes: c.bytes}
	}
	// The first round fills the page cache and does not count.
	for round := range 1 + b.runs {
		for i, c := range contenders {
			fmt.Fprintf(b.progress, "%s: run %d of %d\n", c.name, round, b.runs)
			if err := os.RemoveAll(filepath.Join(b.dir, "out")); err != nil {
				return nil, err
			}
			m, err := b.measure(c.name, c.command)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				results[i].Seconds = min(results[i].Seconds, m.Seconds)
				results[i].MaxRSS = max(results[i].MaxRSS, m.MaxRSS)
			}
		}
	}
	b.results = append(b.results, results...)
	return results, os.RemoveAll(filepath.Join(b.dir, "out"))
}

// A command is a child process to measure, in the scratch folder.
type command struct {
	args   []string
	output string // file for standard output, which is thrown away without one
}

// measure runs a command once.
func (b *bench) measure(name string, c command) (result, error) {
	cmd := exec.CommandContext(b.ctx, c.args[0], c.args[1:]...)
	cmd.Dir = b.dir
	var diagnostics bytes.Buffer
	cmd.Stderr = &diagnostics
	if c.output != "" {
		f, err := os.Create(filepath.Join(b.dir, c.output))
		if err != nil {
			return result{}, err
		}
		defer f.Close()
		cmd.Stdout = f
	}
	start := time.Now()
	err := cmd.Run()
	seconds := time.Since(start).Seconds()
	if err != nil || diagnostics.Len() > 0 {
		first, _, _ := strings.Cut(diagnostics.String(), "\n")
		return result{}, fmt.Errorf("%s did not work: %v: %s", name, err, first)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	const kilo = 1024 // Linux counts in these
	return result{Name: name, Seconds: seconds, MaxRSS: usage.Maxrss * kilo}, nil
}
