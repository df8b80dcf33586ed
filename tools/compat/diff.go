package main

import (
	"context"
	"encoding/json"
	"flag"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gateinputs"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
)

// differ is the subcommand diff.
type differ struct {
	json, exitCode bool
}

const diffLong = `
Prints which kernels run on which devices no more or now, and which kernels and
devices came or went; nothing when the verdicts are the same. The exit code is 0
whatever differs; with --exit-code it is 1 when anything was lost: a kernel that
ran on a device, a kernel, or a device.`

func (d *differ) setup(fs *flag.FlagSet) cli.Run {
	fs.BoolVar(&d.json, "json", false, "print JSON")
	fs.BoolVar(&d.exitCode, "exit-code", false, "exit with 1 when anything was lost")
	return d.run
}

func (d *differ) run(ctx context.Context, env *cli.Env, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("two reports are needed, the old and the new one")
	}
	old, err := gateinputs.Indexes(ctx, args[:1])
	if err != nil {
		return err
	}
	now, err := gateinputs.Indexes(ctx, args[1:])
	if err != nil {
		return err
	}
	changes := gate.Diff(old, now)
	if d.json {
		e := json.NewEncoder(env.Stdout)
		e.SetIndent("", "  ")
		err = e.Encode(changes)
	} else {
		err = render.Changes(env.Stdout, changes)
	}
	if err != nil {
		return err
	}
	isLoss := func(c gate.Change) bool { return c.Kind == "lost" || c.Kind == "removed" }
	if d.exitCode && slices.ContainsFunc(changes, isLoss) {
		return cli.No(nil)
	}
	return nil
}
