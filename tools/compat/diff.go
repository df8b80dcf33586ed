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
	format   string
	exitCode bool
}

const diffLong = `
Prints each status that changed, with its kernel, its devices and the reasons
before and after, and the kernels and devices that came or went with their
statuses; nothing when the statuses are the same. The exit code is 0
whatever differs; with --exit-code it is 1 when anything was lost: a kernel that
ran on a device, a kernel, or a device.`

func (d *differ) setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&d.format, "format", "text", "`text|json`")
	fs.BoolVar(&d.exitCode, "exit-code", false, "exit with 1 when anything was lost")
	return d.run
}

func (d *differ) run(ctx context.Context, env *cli.Env, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("two reports are needed, the old and the new one")
	}
	if d.format != "text" && d.format != "json" {
		return cli.Usagef("format %q is neither text nor json", d.format)
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
	if d.format == "json" {
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
