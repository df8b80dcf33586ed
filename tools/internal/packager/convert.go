package packager

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func convertCommand() *cli.Command {
	return &cli.Command{
		Name:  "convert",
		Args:  "FILE",
		Short: "write a SYCLBIN in another form",
		Long: `
Writes the same images and property sets for another release of the runtime, or in
another version of the format or of the container. With --state, the file says that
it is in another state. Without --runtime it is for the release that the file names,
else for 2026.0, whose files every runtime of 2026 loads.

Native images that the runtime would confuse get abstract modules of their own, with
the property compile_target, as 'packager verify' asks for.`,
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
		return cli.Usagef("one file is needed, %d are given", len(args))
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
		env.Warnf(c.output, "%s: the runtime would have confused them", plural(n, "image")+" got an abstract module of its own")
	}
	if c.state != "" {
		if f.State, err = parseState(c.state); err != nil {
			return err
		}
	}
	if o.Release != nil {
		inputs.Warn(env, c.output, syclbin.VerifyFor(f, o.Release))
	}
	return create(env, c.output, f, o)
}
