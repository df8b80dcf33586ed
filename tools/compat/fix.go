package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/aymanbagabas/go-udiff"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
)

// A fixCommand implements the subcommand fix.
type fixCommand struct {
	gateFlags
	buildozer, write bool
	unsupported      string
}

const fixLong = `
Proposes edits of BUILD files, so that sycl_binary, sycl_cc_binary, sycl_cc_library,
sycl_cc_test and syclbin_link targets are built only for devices that can run their
kernels: as a patch, as buildozer commands, or with --write directly in the files.

A device without code is added to sycl_targets. A device that is missing from the fixed
targets is added to fixed_targets.

No edit makes a kernel run on a device that does not support it. For such a device,
standard error lists three possible edits and the number of statuses that each loses:
remove the device from both lists, which loses the kernels that run there; add an
exception to the policy for each kernel that does not run; or change the source, which
loses no status. It proposes the edit that loses the fewest statuses, but never an edit
that leaves a target without a device. --unsupported drop removes all such devices,
restrict keeps them in sycl_targets and lists the other devices in fixed_targets, and
keep changes nothing.

Lists that come from a variable, a select or a macro are not edited. Problems without
an edit are reported on standard error, with exit code 1.`

func (f *fixCommand) setup(fs *flag.FlagSet) cli.Run {
	f.gateFlags.setup(fs)
	fs.StringVar(&f.Workspace, "workspace", ".", "`directory` with the BUILD files")
	fs.BoolVar(&f.buildozer, "buildozer", false, "print buildozer commands instead of a patch")
	fs.BoolVar(&f.write, "write", false, "change the BUILD files")
	fs.StringVar(&f.unsupported, "unsupported", smallest, "`smallest|drop|restrict|keep`: what to do with devices that kernels cannot run on")
	return f.run
}

func (f *fixCommand) run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("no input; expected a report or a result")
	case f.buildozer && f.write:
		return cli.Usagef("--buildozer cannot be combined with --write")
	case !slices.Contains([]string{smallest, drop, restrict, keep}, f.unsupported):
		return cli.Usagef("--unsupported: unknown value %q; expected smallest, drop, restrict or keep", f.unsupported)
	}
	o, err := f.options(args)
	if err != nil {
		return err
	}
	results, err := gatefiles.ReadResults(ctx, o)
	if err != nil {
		return err
	}
	builds, err := workspace.OpenBuilds(f.Workspace)
	if err != nil {
		return err
	}
	defer builds.Close()
	p := newFixPlan(builds, f.unsupported)
	for _, r := range results {
		p.count(r)
		p.add(r.Findings)
	}
	changed := p.apply()
	for _, l := range p.plan {
		fmt.Fprintln(env.Stderr, l)
	}
	for _, n := range p.notes {
		env.Warnf("", "%s", n)
	}
	if err := f.print(env, p, builds, changed); err != nil {
		return err
	}
	if len(p.notes) > 0 {
		return cli.No(nil)
	}
	return nil
}

// print writes the edits as a patch or as buildozer commands.
func (f *fixCommand) print(env *cli.Env, p *fixPlan, builds *workspace.Builds, changed []*workspace.BuildFile) error {
	if f.buildozer {
		for _, c := range p.commands {
			fmt.Fprintln(env.Stdout, c)
		}
		return nil
	}
	slices.SortFunc(changed, func(a, b *workspace.BuildFile) int { return cmp.Compare(a.Path, b.Path) })
	if f.write {
		if err := builds.Write(changed); err != nil {
			return err
		}
	}
	for _, file := range changed {
		if f.write {
			fmt.Fprintf(env.Stdout, "%s: changed\n", file.Path)
		} else {
			fmt.Fprint(env.Stdout, udiff.Unified("a/"+file.Path, "b/"+file.Path, string(file.Before), string(file.After())))
		}
	}
	return nil
}
