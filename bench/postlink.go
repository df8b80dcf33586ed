package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// setupPostlink measures the post-link step on a linked module of many kernels, each of which
// becomes a module, against LLVM's opt on the same file, on the same machine in the same run:
//
//   - one call of opt that reads and prints the module once, without verifying it;
//   - one call of opt for each kernel, which keeps that kernel and its dependencies.
//     A sample of these calls is run, and its time is scaled to all of them.
//
// The post-link step is the tool's process, without --opt: it reads the module, finds the aspects
// of all functions, splits, and writes all modules as text with their property and symbol files.
// Neither it nor opt translates anything.
//
//	go run ./bench postlink --dir /var/tmp --opt opt-21
//
// With --bitcode it measures that file instead, as bitcode, against DPC++'s own step.
func setupPostlink(b *Bench) func() error {
	dir := b.Flags.String("dir", "", "write the files below this `directory` (required)")
	tool := b.Flags.String("postlink", "", "measure this `binary` instead of building the tool of this module with 'go build'")
	opt := b.Flags.String("opt", "opt-21", "LLVM's opt, a `program` of PATH or a path")
	kernels := b.Flags.Int("kernels", 200, "`number` of kernels")
	body := b.Flags.Int("body", 300, "`number` of instructions of a kernel, about")
	calls := b.Flags.Int("calls", 10, "`number` of calls of opt in the sample")
	bitcode := b.Flags.String("bitcode", "", "measure bitcode to bitcode, with --opt, on this `file` of DPC++'s compiler, against DPC++'s own post-link step")
	dpcpp := b.Flags.String("dpcpp", "", "the `directory` of DPC++, as a Python environment (required with --bitcode)")
	dis := b.Flags.String("llvm-dis", "llvm-dis-23", "llvm-dis for --bitcode, a `program` of PATH or a path")
	role := b.Flags.String("role", "", "internal: the `step` to run in the current directory, generate or opt")
	return func() error {
		m := postlinkRun{Bench: b, opt: *opt, shape: shape{*kernels, *body}, calls: *calls}
		switch err := b.NoArguments(); {
		case err != nil:
			return err
		case min(*kernels, *calls) < 1 || *body < 2*helpersUsed:
			return fmt.Errorf("--kernels and --calls must be at least 1, and --body at least %d", 2*helpersUsed)
		case *calls > *kernels:
			return errors.New("--calls cannot exceed --kernels")
		case *bitcode != "" && *dpcpp == "":
			return errors.New("--dpcpp is missing: the directory of DPC++")
		case *role == "generate":
			return m.generate()
		case *role == "opt":
			return m.split()
		case *role != "":
			return fmt.Errorf("unknown role %q", *role)
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		var err error
		if m.tool, err = b.Tool("postlink", *tool); err != nil {
			return err
		}
		if m.opt, err = exec.LookPath(*opt); err != nil {
			return fmt.Errorf("%w: give --opt", err)
		}
		if m.opt, err = filepath.Abs(m.opt); err != nil {
			return err
		}
		if *bitcode != "" {
			r := bitcodeRun{Bench: b, tool: m.tool, opt: m.opt}
			if err := r.setFiles(*bitcode, *dpcpp, *dis); err != nil {
				return err
			}
			return r.all()
		}
		if m.self, err = os.Executable(); err != nil {
			return err
		}
		// The memory of this process counts toward its children until they have started, so other
		// processes write the files.
		fmt.Fprintln(b.Progress, "writing the module")
		if _, err := b.Measure(m.part("generate")); err != nil {
			return err
		}
		return m.all()
	}
}
