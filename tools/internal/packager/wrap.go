package packager

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/inputs"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
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
	beside  bool // whether image names are relative to the output
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
	fs.BoolVar(&c.beside, "relative", false, "name image files relative to the directory of the output; pass that directory to the assembler with -I")
	fs.Var(&c.options, "option", "`option` for the runtime's SPIR-V compiler, after the options of the images; may be repeated")
	return c.run
}

func (c *wrap) run(ctx context.Context, env *cli.Env, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	images, err := c.images(ctx, env)
	if err != nil {
		return err
	}
	if c.beside {
		if err := c.nameBeside(images); err != nil {
			return err
		}
	}
	kernels, err := c.kernels()
	if err != nil {
		return err
	}
	return outfile.Write(c.output, func(w io.Writer) error {
		return hostwrap.Write(w, images, kernels, c.runtime)
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

// images reads the images to embed in the program.
func (c *wrap) images(ctx context.Context, env *cli.Env) ([]hostwrap.Image, error) {
	inputs, err := readTables(c.tables.Values)
	if err != nil {
		return nil, err
	}
	if len(inputs) == 0 && !c.empty {
		return nil, cli.BadInput(errors.New("nothing to wrap: all tables are empty. Either no source submits a kernel, or no target can run one; add a kernel or a target"))
	}
	for i := range inputs {
		inputs[i].reading = &c.reading
	}
	sortByTarget(inputs)
	loaded, err := loadNonEmpty(ctx, env, inputs)
	if err != nil {
		return nil, err
	}
	var images []hostwrap.Image
	for _, in := range loaded {
		if in.image.Triple() == "" {
			err := errors.New("the table has no target triple, which the runtime needs to select a device; use --table TRIPLE=FILE")
			return nil, cli.BadInput(fmt.Errorf("%s: %w", in.place, err))
		}
		images = append(images, in.wrapped(c.options.Values))
	}
	if len(images) == 0 && !c.empty {
		return nil, cli.BadInput(errors.New("nothing to wrap: all images are empty; check the step that writes them"))
	}
	images = withoutNativeVirtual(env, images)
	warnOfConstants(env, fixedConstants(images))
	return images, nil
}

// kernels reads the kernels of the integration headers.
func (c *wrap) kernels() ([]hostwrap.Kernel, error) {
	var kernels []hostwrap.Kernel
	for _, header := range c.headers.Values {
		// The header of a source without kernels is empty.
		text, err := cli.ReadInput(header, "", maxHeader)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, hostwrap.ParseHeader(string(text))...)
	}
	return kernels, nil
}

// maxHeader is the maximum size of an integration header in bytes, far above the size of real headers.
const maxHeader = 256 << 20

// nameBeside makes the names of image files relative to the directory of the output. The
// assembler resolves symbolic links in that directory, so the relative path is computed without them.
func (c *wrap) nameBeside(images []hostwrap.Image) error {
	folder := filepath.Dir(c.output)
	real, err := withoutLinks(folder)
	if err != nil {
		return err
	}
	for i := range images {
		file := images[i].File
		if _, err := filepath.Rel(folder, file); err != nil {
			return cli.Usagef("--relative: cannot make '%s' relative to '%s'; use absolute paths for both or for neither", file, folder)
		}
		of, err := withoutLinks(filepath.Dir(file))
		if err != nil {
			return err
		}
		name, err := filepath.Rel(real, filepath.Join(of, filepath.Base(file)))
		if err != nil {
			return err
		}
		images[i].File = filepath.ToSlash(name)
	}
	return nil
}

// withoutLinks returns the absolute path of a directory with all symbolic links resolved.
func withoutLinks(folder string) (string, error) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", fmt.Errorf("%s: no such directory: %v", folder, err)
	}
	return filepath.Abs(real)
}

// withoutNativeVirtual removes native images that define or call virtual functions if there
// is a SPIR-V image with the same kernel. The runtime links all images of a set of virtual functions,
// regardless of their device.
func withoutNativeVirtual(env *cli.Env, images []hostwrap.Image) []hostwrap.Image {
	compiled := map[string]bool{}
	for _, i := range images {
		for _, name := range i.Entries {
			compiled[name] = compiled[name] || i.Format == offload.SPIRV
		}
	}
	var left []hostwrap.Image
	kept := slices.DeleteFunc(slices.Clone(images), func(i hostwrap.Image) bool {
		leave := i.Format == offload.Native && i.Properties.Set(propset.VirtualFunctions).Len() > 0 && len(i.Entries) > 0 && compiled[i.Entries[0]]
		if leave {
			left = append(left, i)
		}
		return leave
	})
	if len(left) > 0 {
		env.Warnf(left[0].File, "skipping native images that define or call virtual functions, because the runtime would link them across devices; the runtime compiles the SPIR-V instead")
	}
	return kept
}

// warnOfConstants prints one warning about the images that fixedConstants returns.
func warnOfConstants(env *cli.Env, fixed []hostwrap.Image) {
	if len(fixed) == 0 {
		return
	}
	kernels, them := fmt.Sprintf("kernel '%s' reads", kernelname.Display(fixed[0].Entries[0])), "it"
	if n := len(fixed) - 1; n > 0 {
		kernels, them = fmt.Sprintf("kernel '%s' and %d more read", kernelname.Display(fixed[0].Entries[0]), n), "them"
	}
	env.Warnf(fixed[0].File, "%s", safetext.Printable(fmt.Sprintf(
		"%s specialization constants, but the program has only native code for %s, so the runtime ignores values that the program sets; add spir64 to the targets", kernels, them)))
}

// fixedConstants returns the native images whose specialization constants cannot be changed at
// run time because the program has no IR for the kernel: the first image for each kernel.
func fixedConstants(images []hostwrap.Image) []hostwrap.Image {
	settable := map[string]bool{}
	for _, i := range images {
		for _, kernel := range i.Entries {
			settable[kernel] = settable[kernel] || i.Format != offload.Native
		}
	}
	var fixed []hostwrap.Image
	for _, i := range images {
		if len(i.Entries) > 0 && !settable[i.Entries[0]] && i.Properties.Set(propset.SpecializationConstants).Len() > 0 {
			settable[i.Entries[0]] = true
			fixed = append(fixed, i)
		}
	}
	return fixed
}

// wrapped returns the image to embed. More options are added to a SPIR-V image.
func (l *loadedInput) wrapped(more []string) hostwrap.Image {
	properties := requirement.WithCompileTarget(l.metadata, l.image.CompileTarget())
	options := propset.JITOptionsOf(properties)
	if options != (propset.JITOptions{}) { // a program stores options outside the property sets
		properties = properties.Clone()
		propset.PutJITOptions(properties, propset.JITOptions{})
	}
	img := hostwrap.Image{
		File:       l.path,
		Target:     hostwrap.Target(l.image.Triple()),
		Format:     offload.Native,
		Entries:    l.kernels(),
		Properties: properties,
		Options:    options,
	}
	if f := l.image.Format(); f == offload.SPIRV || f == offload.Bitcode {
		img.Format = f
	}
	if img.Format == offload.SPIRV {
		img.Options.Compile = strings.TrimSpace(strings.Join(append([]string{options.Compile}, more...), " "))
	}
	return img
}

// kernels returns the distinct names in the symbol file or, if it is empty, in the metadata.
func (l *loadedInput) kernels() []string {
	names := l.names
	if len(names) == 0 {
		names = l.metadata.Set(propset.KernelNames).Keys()
	}
	var all []string
	seen := make(map[string]bool)
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	return all
}
