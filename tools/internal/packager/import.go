package packager

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
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:  "import",
		Args:  "HOST...",
		Short: "device images inside host files to one SYCLBIN",
		Long: `
Finds the SYCL device images in executables, shared libraries, objects and
archives, ELF or COFF, in the archives of ocloc, and in the bundles of
clang-offload-bundler: in sections .llvm.offloading and __CLANG_OFFLOAD_BUNDLE__*,
and in the descriptor tables that linked programs register with the SYCL and OpenMP
runtimes.

Images of different targets with the same property sets and kernels are forms of
one abstract module, and so are those of one file, or of one archive member, about
which nothing is known. An image about which the host file says nothing gets its
requirements and kernel names from its own bytes: SPIR-V, PTX, and ELF for Intel,
NVIDIA and AMD GPUs. Images without bytes, text that is not PTX, and images of other
programming models are left out, with a warning. Images with the same bytes, target and
property sets, of which programs can have many, are in the result once.

What 'packager verify' would find in the result is printed as warnings, a line for each
rule with up to three examples.`,
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
	fs.StringVar(&c.state, "state", syclbin.Executable.String(), "bundle `state`: input, object or executable")
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
		return cli.Usagef("no file is given to look for device images in")
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
		defer host.Close() // images are read when the output is written
		if err := importHost(env, &b, host, name); err != nil {
			return err
		}
		addOptions(options, host)
	}
	found, err := writeFound(env, c.output, b.File(state), o)
	if err != nil {
		return err
	}
	noteOptions(env, c.output, options)
	warnOfImport(env, c.output, found)
	return nil
}

// importHost adds the images of a host file.
func importHost(env *cli.Env, b *syclbin.Builder, host *hostbin.File, name string) error {
	if len(host.Images) == 0 {
		return cli.BadInput(fmt.Errorf("%s: no device images: looked for %s", name, hostbin.LookedFor))
	}
	for _, w := range host.Warnings {
		env.Warnf(name, "%s", w)
	}
	for _, img := range host.Images { // the SPIR-V of an archive of ocloc is for any device once it is on its own
		if system, _, _ := strings.Cut(img.Triple, "-"); system == "spir64_gen" && offload.Detect(img, img.Size()) == offload.SPIRV {
			img.Triple = "spir64-unknown-unknown"
		}
	}
	r, err := hostbin.Collect(b, host, name)
	var left tally
	for _, l := range r.LeftOut {
		left.add(l.Reason, safetext.Printable(fmt.Sprintf("%s: %v", name, l.Image.Origin)), l.Reason)
	}
	left.warn(env)
	if r.Repeated > 0 {
		env.Notef(name, "%d of %d device images are the same as others, in their bytes, target and property sets; each is in the result once", r.Repeated, r.Taken)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", safetext.Printable(name), err)
	case r.Taken == 0:
		return cli.BadInput(fmt.Errorf("%s: none of the %d device images can be taken", name, len(host.Images)))
	}
	return nil
}

// addOptions counts the options that images have. The option that DPC++ gives to every
// image is none to know of: it only tunes registers.
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

// noteOptions prints in one line what became of the options of images.
func noteOptions(env *cli.Env, output string, count map[string]int) {
	const most = 5
	var words []string
	for i, option := range slices.Sorted(maps.Keys(count)) {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(count)-most))
			break
		}
		words = append(words, fmt.Sprintf("%s of %s", safetext.Quote(option), plural(count[option], "image")))
	}
	if len(words) > 0 {
		env.Notef(output, "options for the runtime's compiler (%s) are kept in the set [%s]; the runtime uses them inside a program, and not for a file that a program loads",
			strings.Join(words, ", "), propset.JITOptionsSet)
	}
}
