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

// A checker is the subcommand check.
type checker struct {
	gateFlags
	format, output, proposed, program, fix string
	warnOnly, all                          bool
	files                                  map[string]*string // by format
}

const checkLong = `
Checks reports against a policy and says whether a change may pass. Without a
policy, every kernel must run on every device of the reports; with --required,
on these devices. What a baseline or reports of the base branch have already is
not new, and fails only with --fail-on any.

With --binary, the check makes the reports itself of programs, libraries, wheels and
folders, as 'compat report' does. A file that cannot be read is an error then: what
was not looked at cannot pass.

Exit codes: 0 it passes, 1 it does not, 2 wrong usage or a fault in the policy or
the baseline, 3 a report that cannot be read or trusted, 4 the machine failed.

With --warn-only problems are printed as warnings on standard error, nothing when
there are none, and the exit code is 0: for builds that go on.`

func (c *checker) setup(fs *flag.FlagSet) cli.Run {
	c.gateFlags.setup(fs)
	c.setupBase(fs)
	c.setupBinaries(fs)
	fs.StringVar(&c.Baseline.Name, "baseline", "", "`file` with problems that are known")
	fs.StringVar(&c.FailOn, "fail-on", "", "`new|any|none`: which problems fail, instead of what the policy says")
	fs.StringVar(&c.FailOnSeverity, "fail-on-severity", "", "`error|warning|note`: the lowest severity that fails, instead of what the policy says")
	fs.StringVar(&c.FailOnEmpty, "fail-on-empty", "", "`true|false`: whether the check fails without any status, instead of what the policy says")
	fs.StringVar(&c.FailOnStale, "fail-on-stale", "", "`true|false`: whether entries that match nothing or have expired fail, instead of what the policy says")
	fs.StringVar(&c.Category, "category", "", "`name` that distinguishes results of one change, such as those of several configurations")
	fs.BoolVar(&c.warnOnly, "warn-only", false, "print problems as warnings on standard error and exit with 0")
	fs.BoolVar(&c.all, "all", false, "list also notes and what the policy covers; for the format text")
	fs.StringVar(&c.format, "format", "text", "`"+formatsOf(gatefiles.Writers, "|")+"`")
	fs.StringVar(&c.program, "program", "", "the `command` that runs compat, for the format text to name it; 'compat' when it is missing")
	fs.StringVar(&c.fix, "fix-command", "", "the `command` that proposes edits of BUILD files, for the format text to name it; 'compat fix' and the report when it is missing")
	fs.StringVar(&c.output, "output", "", "write to this `file`; standard output when it is missing")
	fs.StringVar(&c.proposed, "proposed-baseline", "", "write the baseline with which nothing would be new to this `file`")
	c.files = map[string]*string{}
	for name := range gatefiles.Writers {
		if name != "text" {
			c.files[name] = fs.String(name+"-file", "", "also write "+name+" to this `file`")
		}
	}
	return c.run
}

func (c *checker) run(ctx context.Context, env *cli.Env, args []string) error {
	if gatefiles.Writers[c.format] == nil {
		return cli.Usagef("format %q is none of %s", c.format, formatsOf(gatefiles.Writers, ", "))
	}
	if c.all && c.format != "text" {
		return cli.Usagef("--all is for --format text")
	}
	if c.warnOnly && c.Workspace == "." {
		c.Workspace = "" // actions do not see the sources
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

// write writes the requested files and formats.
func (c *checker) write(env *cli.Env, r *gate.Result) error {
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
