package main

import (
	"context"
	"flag"
	"io"
	"maps"
	"slices"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/gatefiles"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/workspace"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/gate/render"
)

// A checkCommand implements the subcommand check.
type checkCommand struct {
	gateFlags
	format, output, proposed, program, fix string
	warnOnly, all                          bool
	files                                  map[string]*string // by format
}

const checkLong = `
Checks reports against a policy and decides whether a change may pass. Without a
policy, every kernel must run on every device in the reports or, with --required,
on these devices. Problems that a baseline or reports of the base branch already
contain are not new, and fail only with --fail-on any.

With --binary, the check creates the reports on programs, libraries, wheels and
directories itself, like 'compat report'. A file that cannot be read is then an error.

Exit codes: 0 the check passes, 1 it fails, 2 usage error or invalid policy or
baseline, 3 invalid report, 4 system error.

With --warn-only, problems are printed as warnings on standard error and the exit code
is 0, for builds that continue. Without problems, nothing is printed.`

func (c *checkCommand) setup(fs *flag.FlagSet) cli.Run {
	c.gateFlags.setup(fs)
	c.setupBase(fs)
	c.setupBinaries(fs)
	fs.StringVar(&c.Baseline.Name, "baseline", "", "`file` with known problems")
	fs.StringVar(&c.FailOn, "fail-on", "", "`new|any|none`: which problems fail the check; overrides the policy")
	fs.StringVar(&c.FailOnSeverity, "fail-on-severity", "", "`error|warning|note`: the lowest severity that fails the check; overrides the policy")
	fs.StringVar(&c.FailOnEmpty, "fail-on-empty", "", "`true|false`: whether the check fails if there is no status; overrides the policy")
	fs.StringVar(&c.FailOnStale, "fail-on-stale", "", "`true|false`: whether the check fails for entries that match nothing or have expired; overrides the policy")
	fs.StringVar(&c.Category, "category", "", "`name` that distinguishes several results for one change, such as results of several configurations")
	fs.BoolVar(&c.warnOnly, "warn-only", false, "print problems as warnings on standard error and exit with 0")
	fs.BoolVar(&c.all, "all", false, "also list notes and problems that the policy covers; for --format text")
	fs.StringVar(&c.format, "format", "text", "`"+formatsOf(gatefiles.Writers, "|")+"`: output format")
	fs.StringVar(&c.program, "program", "", "`command` that runs compat, as shown by --format text (default 'compat')")
	fs.StringVar(&c.fix, "fix-command", "", "`command` that proposes edits of BUILD files, as shown by --format text (default 'compat fix' with the report)")
	fs.StringVar(&c.output, "output", "", "write to this `file` (default standard output)")
	fs.StringVar(&c.proposed, "proposed-baseline", "", "write a baseline with all current problems to this `file`")
	c.files = map[string]*string{}
	for name := range gatefiles.Writers {
		if name != "text" {
			c.files[name] = fs.String(name+"-file", "", "also write the result in the format "+name+" to this `file`")
		}
	}
	return c.run
}

func (c *checkCommand) run(ctx context.Context, env *cli.Env, args []string) error {
	if gatefiles.Writers[c.format] == nil {
		return cli.Usagef("unknown format %q; expected one of %s", c.format, formatsOf(gatefiles.Writers, ", "))
	}
	if c.all && c.format != "text" {
		return cli.Usagef("--all requires --format text")
	}
	if c.warnOnly && c.Workspace == "." {
		c.Workspace = "" // the sources are not inputs of a Bazel action
	}
	o, err := c.options(args)
	if err != nil {
		return err
	}
	outputs := []string{c.output, c.proposed}
	for _, name := range c.files {
		outputs = append(outputs, *name)
	}
	binaries, err := workspace.Find(c.binaries.Values)
	if err != nil {
		return err
	}
	if err := o.CheckOutputs(outputs, slices.Concat(binaries, c.deviceConfig.Values, c.baseDeviceConfig.Values)); err != nil {
		return err
	}
	if err := c.build(ctx, env, &o); err != nil {
		return err
	}
	r, err := gatefiles.Check(ctx, o)
	if err != nil {
		return err
	}
	if err := c.write(env, r); err != nil {
		return err
	}
	if r.Conclusion == gate.Failure && !c.warnOnly {
		return cli.No(nil)
	}
	return nil
}

// write writes the result to the requested files in the requested formats.
func (c *checkCommand) write(env *cli.Env, r *gate.Result) error {
	var out outfile.Group
	defer out.Close()
	put := func(file string, write func(io.Writer) error) error {
		if cli.IsStdout(file) {
			return write(env.Stdout)
		}
		return out.Write(file, write)
	}
	format := func(name string) func(io.Writer) error {
		options := gatefiles.WriteOptions{All: c.all, Program: c.program, Fix: c.fix}
		return func(w io.Writer) error { return gatefiles.Writers[name](w, r, options) }
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if *c.files[name] == "" {
			continue
		}
		if err := put(*c.files[name], format(name)); err != nil {
			return err
		}
	}
	if c.proposed != "" {
		if err := put(c.proposed, gate.NewBaseline(r).Encode); err != nil {
			return err
		}
	}
	if c.warnOnly {
		if err := render.Warnings(env.Stderr, r, c.program); err != nil {
			return err
		}
	}
	if !c.warnOnly || c.output != "" {
		if err := put(c.output, format(c.format)); err != nil {
			return err
		}
	}
	return out.Commit()
}
