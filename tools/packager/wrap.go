package main

import (
	"context"
	"flag"
	"path/filepath"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
)

func wrapCommand() *cli.Command {
	return &cli.Command{
		Name:  "wrap",
		Short: "write assembler source that embeds device images in a program",
		Long: `
Writes assembler source for x86-64 Linux. A program that links the resulting object and
libsycl registers the images with the SYCL runtime before constructors run. --runtime must
be the release of that libsycl.

The source includes image files with .incbin, by the names in the table. Assemble it in
the directory in which packager runs:

  cc -c kernels.s

With --relative, names are relative to the directory of the source, so the source does not
depend on the location of that directory: 'cc -c -I out out/kernels.s'.

Tables are the same as for 'packager pack'. Kernel names come from the symbol file,
otherwise from the property file, otherwise from the image itself. They are not changed,
because a host program looks up the names that its compiler chose. The options in a
property set rules_sycl/options are the options with which the runtime compiles the image;
--option adds more for all SPIR-V images.

Kernels with the same name at different locations are an error, even if a program links
the objects of two sources. Integration headers (--header) contain the location of each
kernel and the class that names it on the host. Without them, locations come from the
device code, and kernels have the names of their symbols.`,
		Example: "packager wrap --runtime 2026.2 --output kernels.s --table spir64-unknown-unknown=k.table --table spir64_gen-unknown-unknown=intel_gpu_pvc=pvc.table",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(wrap).setup(fs) },
	}
}

type wrap struct {
	output  string
	runtime *release.Release
	reading inputs.Reading
	tables  cli.Strings
	headers cli.Strings
	empty   bool // whether an empty result is allowed
	require bool // whether each kernel must have an image
	beside  bool // whether image file names are relative to the output's directory
	options cli.Strings
}

func (c *wrap) setup(fs *flag.FlagSet) cli.Run {
	c.runtime = release.Default()
	fs.StringVar(&c.output, "output", "", "write the source to this `file`, whose name must end in .s (required)")
	inputs.ReleaseFlag(fs, &c.runtime, "runtime", "`release` of DPC++'s runtime that the program is linked to: "+release.Names()+"; selects the table layout and the aspect numbers (default 2026.0, whose tables every 2026 runtime reads)")
	c.reading.AssumeFlag(fs)
	fs.Var(&c.tables, "table", "`TRIPLE[=ARCH]=FILE`: file table and its target; if FILE contains =, write ARCH even if it is empty; may be repeated")
	fs.Var(&c.headers, "header", "DPC++ integration header `file` of a source, with the location of each kernel and the class that names it on the host; may be repeated")
	fs.BoolVar(&c.empty, "allow-empty", false, "if there are no images, write source that registers nothing instead of failing")
	fs.BoolVar(&c.require, "require-images", false, "fail if a kernel of a --header has no image for any target")
	fs.BoolVar(&c.beside, "relative", false, "name image files relative to the directory of the output; pass that directory to the assembler with -I")
	fs.Var(&c.options, "option", "`option` for the runtime's SPIR-V compiler, after the options of the images; may be repeated")
	return c.run
}

func (c *wrap) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	tables, err := parseTables(c.tables.Values)
	if err != nil {
		return err
	}
	return bundle.Wrap(ctx, env, bundle.WrapOptions{
		Output: c.output, Runtime: c.runtime, Reading: c.reading, Tables: tables, Headers: c.headers.Values,
		AllowEmpty: c.empty, RequireImages: c.require, Relative: c.beside, JITOptions: c.options.Values,
	})
}

func (c *wrap) check(args []string) error {
	switch {
	case c.output == "":
		return cli.Usagef("--output is required")
	case filepath.Ext(c.output) != ".s":
		return cli.Usagef("--output: file name '%s' must end in .s", c.output)
	case len(args) > 0:
		return cli.Usagef("unexpected argument '%s'; pass tables with --table", args[0])
	case len(c.tables.Values) == 0:
		return cli.Usagef("nothing to wrap; --table is required")
	}
	return nil
}
