package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/tools/internal/cli"
)

// baseliner is the subcommand baseline.
type baseliner struct {
	gateFlags
	file string
}

const baselineLong = `
update makes the baseline anew: the problems of the reports that the policy does
not cover, so that none of them is new. It refuses to run when the variable CI is
set, as a gate that accepts everything is none. prune removes the entries that
are solved, and adds nothing.`

func (b *baseliner) setup(fs *flag.FlagSet) cli.Run {
	b.gateFlags.setup(fs)
	fs.StringVar(&b.file, "baseline", "", "`file` to write (required)")
	return b.run
}

func (b *baseliner) run(ctx context.Context, env *cli.Env, args []string) (err error) {
	defer internalError(&err)
	switch {
	case len(args) == 0 || args[0] != "update" && args[0] != "prune":
		return cli.Usagef("what to do with the baseline? update or prune")
	case b.file == "":
		return cli.Usagef("--baseline is needed: the file to write")
	case args[0] == "update" && inCI():
		return cli.Usagef("the baseline is not updated in continuous integration: run this where you work, and commit the file; 'compat check --proposed-baseline' writes one to look at")
	}
	in, err := b.input(ctx, args[1:])
	if err != nil {
		return err
	}
	if args[0] == "prune" {
		if in.Baseline, err = readBaseline(b.file, in.Policy); err != nil {
			return err
		}
		r := gate.Evaluate(in)
		out := gate.Prune(in.Baseline, r)
		if err := cli.WriteFile(b.file, out.Encode); err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "%s: %d entries, %d removed\n", b.file, len(out.Findings), len(in.Baseline.Findings)-len(out.Findings))
		return nil
	}
	before := 0
	if old, err := readFile(b.file, gate.ReadBaseline); err == nil {
		before = len(old.Findings)
	} else if !errors.Is(err, fs.ErrNotExist) {
		env.Warnf("", "the old baseline cannot be read and is replaced: %v", err)
	}
	out := gate.NewBaseline(gate.Evaluate(in))
	if err := checkSize(out, in.Policy); err != nil {
		return cli.No(fmt.Errorf("%s is not written: %w", b.file, err))
	}
	if err := cli.WriteFile(b.file, out.Encode); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s: %d entries, there were %d\n", b.file, len(out.Findings), before)
	return nil
}

func inCI() bool {
	v := os.Getenv("CI")
	return v != "" && v != "0" && v != "false"
}
