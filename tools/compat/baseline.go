package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A baselineCommand implements the subcommand baseline.
type baselineCommand struct {
	gateFlags
	file string
}

const baselineLong = `
update writes a new baseline with the problems in the reports that the policy does
not cover, so that none of them is new. It refuses to run if the variable CI is set,
because a check that updates its own baseline accepts everything. prune only
removes solved entries. verify writes nothing: it fails if update would write a
different file, and prints the differences.`

func (b *baselineCommand) setup(fs *flag.FlagSet) cli.Run {
	b.gateFlags.setup(fs)
	b.setupBinaries(fs)
	fs.StringVar(&b.file, "baseline", "", "`file` to write (required)")
	return b.run
}

func (b *baselineCommand) run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("missing operation; expected update, prune or verify")
	case !slices.Contains([]string{"update", "prune", "verify"}, args[0]):
		return cli.Usagef("unknown operation %q; expected update, prune or verify", args[0])
	case b.file == "":
		return cli.Usagef("--baseline is required")
	case args[0] == "update" && inCI():
		return cli.Usagef("refusing to update the baseline in CI; run this command locally and commit the file, or write a proposal with 'compat check --proposed-baseline'")
	}
	o, err := b.options(args[1:])
	if err != nil {
		return err
	}
	if err := b.build(ctx, env, &o); err != nil {
		return err
	}
	if args[0] == "prune" {
		o.Baseline.Name = b.file
	}
	in, err := gatefiles.Load(ctx, o)
	if err != nil {
		return err
	}
	if args[0] == "prune" {
		r := gate.Evaluate(in)
		out := gate.Prune(in.Baseline, r)
		if err := outfile.Write(b.file, out.Encode); err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "%s: %s, %d removed\n", b.file, entries(len(out.Findings)), len(in.Baseline.Findings)-len(out.Findings))
		return nil
	}
	before := 0
	if old, err := gatefiles.ReadBaseline(b.file); err == nil {
		before = len(old.Findings)
	} else if !errors.Is(err, fs.ErrNotExist) {
		env.Warnf("", "cannot read the old baseline, replacing it: %v", err)
	}
	out := gate.NewBaseline(gate.Evaluate(in))
	if args[0] == "verify" {
		return b.verify(env, out, in.Reports)
	}
	if err := gatefiles.CheckSize(out, in.Policy); err != nil {
		return cli.No(fmt.Errorf("did not write %s: %w", b.file, err))
	}
	if err := outfile.Write(b.file, out.Encode); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s: %s (previously %d)\n", b.file, entries(len(out.Findings)), before)
	return nil
}

// verify reports how the baseline file differs from what update would write.
func (b *baselineCommand) verify(env *cli.Env, want *gate.Baseline, reports []*gate.Index) error {
	have, err := gatefiles.ReadBaseline(b.file)
	if errors.Is(err, fs.ErrNotExist) {
		have = &gate.Baseline{}
		fmt.Fprintf(env.Stdout, "%s does not exist\n", b.file)
	} else if err != nil {
		return err
	}
	gatefiles.Relabel(have, reports)
	missing, stale := gate.Missing(have, want), gate.Missing(want, have)
	for _, list := range []struct {
		what    string
		entries []gate.Entry
	}{{"missing", missing}, {"stale", stale}} {
		const most = 20
		for _, e := range list.entries[:min(len(list.entries), most)] {
			fmt.Fprintf(env.Stdout, "%s: %s: %s\n", b.file, list.what, safetext.Escape(fmt.Sprintf("%s: %s on %s requires %s [%s]", e.Target, e.Kernel, e.Device, e.Required, e.Rule)))
		}
		if n := len(list.entries) - most; n > 0 {
			fmt.Fprintf(env.Stdout, "%s: %s: %d more\n", b.file, list.what, n)
		}
	}
	var now, then bytes.Buffer
	if err := errors.Join(want.Encode(&now), have.Encode(&then)); err != nil {
		return err
	}
	switch {
	case len(missing)+len(stale) > 0:
		return cli.No(fmt.Errorf("%s is out of date: %s missing, %d stale", b.file, entries(len(missing)), len(stale)))
	case !bytes.Equal(now.Bytes(), then.Bytes()):
		return cli.No(fmt.Errorf("%s is out of date: the checked targets or devices, or the data of a device, have changed", b.file))
	}
	return nil
}

func inCI() bool {
	v := os.Getenv("CI")
	return v != "" && v != "0" && v != "false"
}

// entries formats a number of entries, as in "1 entry".
func entries(n int) string { return fmt.Sprintf("%d %s", n, safetext.Plural(n, "entry", "entries")) }
