package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:  "import",
		Args:  "HOST...",
		Short: "extract device images from host files into a SYCLBIN",
		Long: `
Finds the SYCL device images in executables, shared libraries, object files and archives
(ELF or COFF), in ocloc archives and in clang-offload-bundler bundles. It reads the
sections .llvm.offloading and __CLANG_OFFLOAD_BUNDLE__*, and the descriptor tables that
linked programs register with the SYCL and OpenMP runtimes.

Images for different targets with the same property sets and kernels become one abstract
module. Images of one file or archive member without property sets are one module, too. For such
images, requirements and kernel names are read from the image: SPIR-V, PTX, and ELF for
Intel, NVIDIA and AMD GPUs. Empty images, text that is not PTX, and images of other
programming models are skipped with a warning. Duplicate images (same bytes, target and
property sets) are written once.

The problems that 'packager verify' would report are printed as warnings: one line per
rule, with up to three examples.`,
		Example: "packager import --output app.syclbin app libkernels.so",
		Setup:   func(fs *flag.FlagSet) cli.Run { return new(importer).setup(fs) },
	}
}

type importer struct {
	form
	state string
}

func (c *importer) setup(fs *flag.FlagSet) cli.Run {
	c.form.flags(fs)
	fs.StringVar(&c.state, "state", syclbin.Executable.String(), "bundle `state` of the file: input, object or executable")
	return c.run
}

func (c *importer) run(ctx context.Context, env *cli.Env, args []string) error {
	o, err := c.form.options()
	if err != nil {
		return err
	}
	state, err := parseState(c.state)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return cli.Usagef("no input files")
	}
	var b syclbin.Builder
	options := make(map[string]int)
	for _, name := range args {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := cli.StatInput(name, "a program, a library or an object"); err != nil {
			return err
		}
		host, err := hostbin.Open(name)
		if err != nil {
			return err
		}
		defer host.Close() // writing the output reads the images
		if err := importHost(env, &b, host, name); err != nil {
			return err
		}
		addOptions(options, host)
	}
	found, err := bundle.WriteAndVerify(env, c.output, b.File(state), o)
	if err != nil {
		return err
	}
	noteOptions(env, c.output, options)
	warnOfImport(env, c.output, found)
	return nil
}

// importHost adds the images of a host file to b.
func importHost(env *cli.Env, b *syclbin.Builder, host *hostbin.File, name string) error {
	if len(host.Images) == 0 {
		return cli.BadInput(fmt.Errorf("%s: no device images found; looked for %s", name, hostbin.LookedFor))
	}
	for _, w := range host.Warnings {
		env.Warnf(name, "%s", w)
	}
	for _, img := range host.Images { // outside of its ocloc archive, the SPIR-V is for any device
		if system, _, _ := strings.Cut(img.Triple, "-"); system == "spir64_gen" && offload.Detect(img, img.Size()) == offload.SPIRV {
			img.Triple = "spir64-unknown-unknown"
		}
	}
	r, err := hostbin.Collect(b, host, name)
	var left cli.Tally
	for _, l := range r.Omitted {
		left.Add(l.Reason, safetext.Printable(fmt.Sprintf("%s: %v", name, l.Image.Origin)), l.Reason)
	}
	left.Warn(env)
	if r.Repeated > 0 {
		env.Notef(name, "%d of %d device images are duplicates (same bytes, target and property sets) and were written once", r.Repeated, r.Taken)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", safetext.Printable(name), err)
	case r.Taken == 0:
		return cli.BadInput(fmt.Errorf("%s: none of the %d device images can be packed", name, len(host.Images)))
	}
	return nil
}

// addOptions counts the compiler options of images, except for the option that DPC++ adds to every
// image, which only affects register allocation.
func addOptions(count map[string]int, host *hostbin.File) {
	const byDefault = "-ftarget-register-alloc-mode="
	for _, img := range host.Images {
		for option := range strings.FieldsSeq(img.CompileOptions + " " + img.LinkOptions) {
			if !strings.HasPrefix(option, byDefault) {
				count[option]++
			}
		}
	}
}

// noteOptions prints a note about the compiler options of images.
func noteOptions(env *cli.Env, output string, count map[string]int) {
	const most = 5
	var words []string
	for i, option := range slices.Sorted(maps.Keys(count)) {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(count)-most))
			break
		}
		words = append(words, fmt.Sprintf("%s of %s", safetext.Quote(option), safetext.Count(count[option], "image")))
	}
	if len(words) > 0 {
		env.Notef(output, "run-time compiler options (%s) are kept in the set [%s]; the runtime applies them to images in a program, but ignores them in a file that a program loads",
			strings.Join(words, ", "), propset.JITOptionsSet)
	}
}
