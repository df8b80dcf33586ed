package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
)

func convertCommand() *cli.Command {
	return &cli.Command{
		Name:    "convert",
		Args:    "FILE",
		InPlace: true,
		Short:   "convert a SYCLBIN to a different release, format or container",
		Long: `
Writes the same images and property sets for a different runtime release, format version
or container version. --state changes the bundle state. Without --runtime, the output is
for the release recorded in the file, or for 2026.0, whose files every 2026 runtime loads.

As 'packager verify' requires, native images that the runtime would confuse with each
other are moved to their own abstract modules, with the property compile_target.`,
		Example: "packager convert --runtime 2025.3 --output old.syclbin k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(convert).setup(fs) },
	}
}

type convert struct {
	form
	state   string
	reading inputs.Reading
}

func (c *convert) setup(fs *flag.FlagSet) cli.Run {
	c.form.flags(fs)
	fs.StringVar(&c.state, "state", "", "bundle `state` to record: input, object or executable")
	c.reading.Flags(fs)
	return c.run
}

func (c *convert) run(ctx context.Context, env *cli.Env, args []string) error {
	o, err := c.form.options()
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return cli.Usagef("expected one file, got %d", len(args))
	}
	o.KeepOrder = true
	f, err := c.reading.Open(env, args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	if o.Release == nil && f.StatesRelease() {
		o.Release = f.Release
	}
	if n := f.Separate(); n > 0 {
		env.Warnf(c.output, "moved %s to separate abstract modules, because the runtime cannot distinguish them otherwise", safetext.Count(n, "image"))
	}
	if c.state != "" {
		if f.State, err = parseState(c.state); err != nil {
			return err
		}
	}
	if o.Release != nil {
		inputs.Warn(env, c.output, syclbin.VerifyFor(f, o.Release))
	}
	return bundle.Write(env, c.output, f, o)
}
