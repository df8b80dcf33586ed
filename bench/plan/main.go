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
	"errors"
	"fmt"
	"os"

	"github.com/rules-sycl/rules_sycl/bench/internal/bench"
)

func main() { bench.Main(bench.Program{Name: "plan", Runs: 5, Limits: true, Setup: setup}) }

func setup(b *bench.Bench) func() error {
	dir := b.Flags.String("dir", "", "write the files below this `folder` (required)")
	tool := b.Flags.String("aspectfilter", "", "measure this `binary` instead of building the tool of this module with 'go build'")
	rows := b.Flags.Int("rows", 100_000, "`number` of rows of the file table")
	targets := b.Flags.Int("targets", 100, "`number` of targets to decide on")
	role := b.Flags.String("role", "", "`part` that this program plays for itself: generate or peer, in the current folder")
	return func() error {
		switch err := b.NoArguments(); {
		case err != nil:
			return err
		case min(*rows, *targets) < 1:
			return errors.New("rows and targets have to be positive")
		case *role == "generate":
			return generate(*rows, *targets)
		case *role == "peer":
			return peer(*targets)
		case *role != "":
			return fmt.Errorf("unknown role %q", *role)
		}
		if err := b.Scratch(*dir); err != nil {
			return err
		}
		m := measurement{Bench: b, targets: *targets}
		var err error
		if m.tool, err = b.Tool("aspectfilter", *tool); err != nil {
			return err
		}
		if m.self, err = os.Executable(); err != nil {
			return err
		}
		// The memory of this process counts as that of its children until they have
		// started, so that others write the files.
		fmt.Fprintln(b.Progress, "writing files")
		if _, err := b.Measure(m.part("generate", *rows)); err != nil {
			return err
		}
		return m.all()
	}
}
