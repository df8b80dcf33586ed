package main

import (
	"context"
	"flag"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/lenient"
)

func convertCommand() *cli.Command {
	return &cli.Command{
		Name:  "convert",
		Args:  "FILE",
		Short: "write a SYCLBIN in another form",
		Long: `
Writes the same modules, images and property sets, in the same order, in another
version of the format or of the container. With --state, the file says that it is
in another state; nothing else about it changes.`,
		Example: "packager convert --container-version 1 --output old.syclbin k.syclbin",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(convert).setup(fs) },
	}
}

type convert struct {
	form
	state   string
	lenient bool
}

func (c *convert) setup(fs *flag.FlagSet) cli.Run {
	c.form.flags(fs)
	fs.StringVar(&c.state, "state", "", "bundle `state` to record: input, object or executable")
	lenient.Flag(fs, &c.lenient)
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
	f, err := lenient.Open(env, args[0], c.lenient)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.state != "" {
		if f.State, err = parseState(c.state); err != nil {
			return err
		}
	}
	return create(env, c.output, f, o)
}
