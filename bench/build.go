package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// changedTimes is the limit for a changed or added kernel of 128, relative to the monolith's first build.
const changedTimes = 1. / 20

// firstTimes are the limits for the first build of 128 kernels, relative to the monolith, by the
// numbers of compilations and devices.
var firstTimes = map[[2]int]float64{{2, 5}: 0.5, {3, 11}: 0.35, {5, 5}: 1, {14, 24}: 0.65}

// buildCompilers are the external programs.
var buildCompilers = []string{"clang++", "llvm-dis", "llvm-link", "opt", "llvm-spirv", "spirv-val", "ocloc"}

// tools are the programs of this project.
var tools = []string{"devicec", "postlink", "aspectfilter", "aot", "packager"}

// setupBuild measures the steps of a sycl_binary with many kernels for several GPUs against three
// alternatives: a monolith, which is one module that one call of ocloc compiles for all GPUs; the
// bare compilers with a module for each source; and clang-sycl-linker. All of them compile the
// same sources, on the same machine in the same run: initially, after an edit of one kernel, after
// a kernel was added to a source, and without any change. As in Bazel, a step runs only if its
// command or its inputs have changed; Bazel itself is not measured.
//
//	go run ./bench build --dir /var/tmp
func setupBuild(b *Bench) func() error {
	dir := b.Flags.String("dir", "", "write the files below this `directory` (required)")
	sizes := b.Flags.String("kernels", "8,32", "`numbers` of kernels, separated by commas; only 128 has limits")
	devices := b.Flags.String("devices", "tgllp,dg2,pvc,bmg-g21,ptl-h", "ocloc's `names` of devices, separated by commas")
	splits := b.Flags.String("splits", "auto", "values of `device_code_split` to measure, with commas between")
	first := b.Flags.Bool("first", false, "measure only the first build")
	steps := b.Flags.Bool("steps", false, "also print the processor time of each program; measuring that takes time of its own, and no limit is checked")
	share := b.Flags.String("share", "families", "values of `share_gpu_families` to measure, with commas between")
	rdc := b.Flags.Bool("rdc", false, "link the sources, as rdc = True does")
	version := b.Flags.String("llvm", "21", "`version` of LLVM's programs in PATH, after a dash in their names")
	bin := b.Flags.String("tools", "", "measure the tools in this `directory` instead of building them with 'go build'")
	return func() error {
		if err := b.NoArguments(); err != nil {
			return err
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		p, err := find(b, *version, *bin)
		if err == nil {
			// The library that turns ocloc into a server.
			p["server"], err = b.built("server", "", "cc", "-std=gnu11", "-O1", "-shared", "-fPIC", "rules/ocloc/server.c", "-ldl")
		}
		if err != nil {
			return err
		}
		families, err := readFamilies("tools/internal/aot/families.tsv")
		if err != nil {
			return err
		}
		var ways []buildWay
		for split := range strings.SplitSeq(*splits, ",") {
			for share := range strings.SplitSeq(*share, ",") {
				ways = append(ways, buildWay{split, share, *rdc, families})
			}
		}
		for size := range strings.SplitSeq(*sizes, ",") {
			n, err := strconv.Atoi(size)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is not a number of kernels", size)
			}
			if err := measureBuild(b, p, n, strings.Split(*devices, ","), ways, *first, *steps); err != nil {
				return err
			}
		}
		return nil
	}
}

// find returns the paths of all programs.
func find(b *Bench, version, bin string) (programs, error) {
	p := programs{}
	for _, name := range append(slices.Clone(buildCompilers), linker) {
		path, err := exec.LookPath(name + "-" + version)
		if err != nil {
			path, err = exec.LookPath(name)
		}
		switch {
		case err == nil:
			p[name] = path
		case name != linker:
			return nil, fmt.Errorf("%w: it is needed for this benchmark", err)
		}
	}
	for _, name := range tools {
		given := ""
		if bin != "" {
			given = filepath.Join(bin, name)
		}
		path, err := b.Tool(name, given)
		if err != nil {
			return nil, err
		}
		p[name] = path
	}
	var err error
	p["header"], err = filepath.Abs("rules/device")
	return p, err
}

// A contestant is a design with its own project.
type contestant struct {
	name    string
	design  design
	way     buildWay
	project *project
}

// phases are the measured phases, in order.
var phases = []struct {
	name   string
	change func(*project) error
}{{"first build", (*project).reset}, {"one kernel changed", (*project).edit}, {"one kernel added", (*project).add}, {"nothing changed", nil}}

// measureBuild measures all designs with a number of kernels.
func measureBuild(b *Bench, p programs, kernels int, devices []string, ways []buildWay, first, steps bool) error {
	var all []contestant
	for _, w := range ways {
		all = append(all, contestant{w.name(), buildByRules, w, nil})
	}
	all = append(all, contestant{"monolith", buildMonolith, buildWay{}, nil}, contestant{"ocloc for each GPU", buildEachGPU, buildWay{}, nil}, contestant{"bare compilers", buildBare, buildWay{}, nil})
	if p[linker] != "" {
		all = append(all, contestant{linker, buildByLinker, buildWay{}, nil})
	}
	for i := range all {
		all[i].project = newProject(filepath.Join(b.Dir, fmt.Sprintf("%d.%d", kernels, i)), p["header"], kernels, devices)
	}
	var contenders []Contender
	times := map[string]stepTimes{}
	measured := phases
	if first {
		measured = phases[:1]
	}
	for _, phase := range measured {
		for _, c := range all {
			contender := Contender{
				Name: fmt.Sprintf("%d kernels, %s: %s", kernels, phase.name, c.name),
			}
			contender.Run = func() error {
				if steps {
					times[contender.Name] = stepTimes{}
				}
				return c.build(b, p, times[contender.Name])
			}
			if phase.change != nil {
				contender.Before = func() error { return phase.change(c.project) }
			}
			contenders = append(contenders, contender)
		}
	}
	r, err := b.Compete(contenders...)
	for _, c := range all {
		err = errors.Join(err, c.project.workers.end())
	}
	if err != nil {
		return err
	}
	for _, c := range contenders {
		for _, name := range slices.Sorted(maps.Keys(times[c.Name])) {
			t := times[c.Name][name]
			b.Results = append(b.Results, Result{Name: fmt.Sprintf("%s: %s (%d)", c.Name, name, t.steps), CPU: t.used.Seconds()})
		}
	}
	if steps || kernels < 128 {
		return nil
	}
	monolith := r[len(ways)].CPU
	for i, w := range ways {
		if w.share != "families" {
			continue
		}
		limits := []float64{firstTimes[[2]int{len(byFamily(devices, w.families)), len(devices)}], changedTimes, changedTimes}
		for phase, limit := range limits[:min(len(limits), len(measured))] {
			if limit == 0 {
				continue
			}
			times := r[phase*len(all)+i].CPU / monolith
			b.AtMost(fmt.Sprintf("%s, %s: processor time relative to the monolith's first build", w.split, phases[phase].name), times, limit, "")
		}
	}
	return nil
}

// build acts as the build tool in the directory of the project.
func (c *contestant) build(b *Bench, p programs, times stepTimes) (err error) {
	before, err := os.Getwd()
	if err == nil {
		err = os.Chdir(c.project.dir)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Chdir(before)) }()
	var sources []string
	for i := range c.project.sources {
		sources = append(sources, c.project.source(i))
	}
	by := &builder{b.Context, map[string]string{}, c.project.workers, times}
	return c.design(by, p, sources, c.project.devices, c.way)
}
