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

// A fixer is the subcommand fix.
type fixer struct {
	gateFlags
	buildozer, write bool
	unsupported      string
}

const fixLong = `
Proposes edits of BUILD files after which the kernels of sycl_binary, sycl_cc_binary,
sycl_cc_library, sycl_cc_test and syclbin_link targets fit the devices these are
built for, as a patch, as commands of buildozer, or with --write in the files.

A device without code is added to sycl_targets, one that is missing among the
fixed targets is added to fixed_targets.

No edit makes a kernel run where it cannot. For such a device there are candidates,
which are explained on standard error with the statuses that each loses: to take
the device out of both lists, which loses the kernels that run there; an exception
in the policy for each kernel that does not; and a change of the source, which
loses nothing. The smallest is proposed, and never one that leaves a target without
a device. --unsupported drop takes such devices out in any case, restrict leaves
them in sycl_targets and makes fixed_targets the list of the others, and keep does
nothing about them.

Lists that are not written out, but come from a variable, a select or a macro,
are not touched. What has no edit is said on standard error, and the exit code is
1 when there is such a thing.`

func (f *fixer) setup(fs *flag.FlagSet) cli.Run {
	f.gateFlags.setup(fs)
	fs.StringVar(&f.Workspace, "workspace", ".", "`folder` with the BUILD files")
	fs.BoolVar(&f.buildozer, "buildozer", false, "print commands of buildozer instead of a patch")
	fs.BoolVar(&f.write, "write", false, "change the BUILD files")
	fs.StringVar(&f.unsupported, "unsupported", smallest, "`smallest|drop|restrict|keep`: what becomes of devices that kernels cannot run on")
	return f.run
}

func (f *fixer) run(ctx context.Context, env *cli.Env, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("a report or a result is needed")
	case f.buildozer && f.write:
		return cli.Usagef("--buildozer and --write exclude each other")
	case !slices.Contains([]string{smallest, drop, restrict, keep}, f.unsupported):
		return cli.Usagef("--unsupported: %q is not smallest, drop, restrict or keep", f.unsupported)
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
	changed, err := p.apply()
	if err != nil {
		return err
	}
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

// print writes the edits in the requested format.
func (f *fixer) print(env *cli.Env, p *fixPlan, builds *workspace.Builds, changed []*workspace.BuildFile) error {
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
