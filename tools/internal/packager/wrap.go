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
		Short: "file tables to source that puts device images into a program",
		Long: `
Writes assembler source for x86-64 Linux. Programs that link its object, and
libsycl, have the images from their start on: it registers them with the SYCL
runtime before constructors run. --runtime has to be the release of that libsycl.

The source does not contain the images but names their files, by .incbin, as the
table names them. Assemble it in the folder that packager runs in:

  cc -c kernels.s

With --relative, names are relative to the source's own folder, so that the source is the
same wherever that folder is: 'cc -c -I out out/kernels.s'.

Tables are as for 'packager pack'. Kernel names are those of the symbol file,
else of the property file, else of the image itself, and stay as they are: a host
program looks for the names that its compiler gave them. The options of a property set
rules_sycl/options become those with which the runtime compiles the image, and
--option adds some for all images of SPIR-V.


Kernels of one name at different places are an error, also when a program links the
objects of two sources. Integration headers (--header) say where each kernel is, and
which class names it on the host. Without them, code says where it is, and kernels
have the names of their symbols.`,
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
	empty   bool // whether it is fine that there is no image
	beside  bool // whether images are named relative to the output
	options cli.Strings
}

func (c *wrap) setup(fs *flag.FlagSet) cli.Run {
	c.runtime = release.Default()
	fs.StringVar(&c.output, "output", "", "write the source to this `file`, which ends in .s (required)")
	inputs.ReleaseFlag(fs, &c.runtime, "runtime", "`release` of DPC++'s runtime that the program is linked to: "+release.Names()+"; it decides the layout of the tables and the numbers of aspects (default 2026.0, whose tables every runtime of 2026 reads)")
	c.reading.AssumeFlag(fs)
	fs.Var(&c.tables, "table", "`TRIPLE[=ARCH]=FILE`: a file table and its target; when FILE has =, ARCH may be empty but not left out; may be repeated")
	fs.Var(&c.headers, "header", "DPC++'s integration header of a source, a `file`: where kernels are, and by which classes the host finds them; may be repeated")
	fs.BoolVar(&c.empty, "allow-empty", false, "without an image write source that registers nothing, instead of failing")
	fs.BoolVar(&c.beside, "relative", false, "name the files of images relative to the folder of the output, which the assembler then gets by -I")
	fs.Var(&c.options, "option", "an `option` with which the runtime compiles SPIR-V, after those of the images; may be repeated")
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
		return cli.Usagef("--output is missing: the source to write")
	case filepath.Ext(c.output) != ".s":
		return cli.Usagef("--output: '%s' does not end in .s: what is written is assembler source", c.output)
	case len(args) > 0:
		return cli.Usagef("'%s' is not a flag: tables are given by --table", args[0])
	case len(c.tables.Values) == 0:
		return cli.Usagef("nothing to wrap: give --table")
	}
	return nil
}

// images reads the images that are put into the program.
func (c *wrap) images(ctx context.Context, env *cli.Env) ([]hostwrap.Image, error) {
	inputs, err := readTables(c.tables.Values)
	if err != nil {
		return nil, err
	}
	if len(inputs) == 0 && !c.empty {
		return nil, cli.BadInput(errors.New("nothing to wrap: no table has a row: no source submits a kernel, or no target can run one; add a kernel or a target"))
	}
	for i := range inputs {
		inputs[i].reading = &c.reading
	}
	sortByTarget(inputs)
	loaded, err := loadTaken(ctx, env, inputs)
	if err != nil {
		return nil, err
	}
	var images []hostwrap.Image
	for _, in := range loaded {
		if in.image.Triple() == "" {
			err := errors.New("the table has no triple: the runtime would not know which devices the image is for; write --table TRIPLE=FILE")
			return nil, cli.BadInput(fmt.Errorf("%s: %w", in.place, err))
		}
		images = append(images, in.wrapped(c.options.Values))
	}
	if len(images) == 0 && !c.empty {
		return nil, cli.BadInput(errors.New("nothing to wrap: no image has bytes"))
	}
	images = withoutNativeVirtual(env, images)
	warnOfConstants(env, fixedConstants(images))
	return images, nil
}

// kernels reads the kernels of the integration headers.
func (c *wrap) kernels() ([]hostwrap.Kernel, error) {
	var kernels []hostwrap.Kernel
	for _, header := range c.headers.Values {
		// That of a source without kernels is empty.
		text, err := cli.ReadInput(header, "", maxHeader)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, hostwrap.ParseHeader(string(text))...)
	}
	return kernels, nil
}

// maxHeader is the size of an integration header of more kernels than a source has.
const maxHeader = 256 << 20

// nameBeside names the files of images relative to the folder of the output. That folder is
// looked up in the file system, so the way from it is the one without links.
func (c *wrap) nameBeside(images []hostwrap.Image) error {
	folder := filepath.Dir(c.output)
	real, err := withoutLinks(folder)
	if err != nil {
		return err
	}
	for i := range images {
		file := images[i].File
		if _, err := filepath.Rel(folder, file); err != nil {
			return cli.Usagef("--relative: '%s' has no path relative to '%s': give both as absolute paths, or none", file, folder)
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

// withoutLinks returns the absolute path of a folder without links.
func withoutLinks(folder string) (string, error) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", fmt.Errorf("%s: there is no such folder: %v", folder, err)
	}
	return filepath.Abs(real)
}

// withoutNativeVirtual leaves native images with virtual functions, or with kernels that call
// them, out when there is SPIR-V of the same: the runtime links all images of a set, whatever
// device they are for.
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
		env.Warnf(left[0].File, "native code with virtual functions, or with kernels that call them, is left out: the runtime links that of all devices together. It compiles the SPIR-V instead")
	}
	return kept
}

// warnOfConstants prints one line about the images of fixedConstants.
func warnOfConstants(env *cli.Env, fixed []hostwrap.Image) {
	if len(fixed) == 0 {
		return
	}
	kernels, them := fmt.Sprintf("kernel '%s' reads", kernelname.Display(fixed[0].Entries[0])), "it"
	if n := len(fixed) - 1; n > 0 {
		kernels, them = fmt.Sprintf("kernel '%s' and %d more read", kernelname.Display(fixed[0].Entries[0]), n), "them"
	}
	env.Warnf(fixed[0].File, "%s", safetext.Printable(fmt.Sprintf(
		"%s specialization constants, and the program has only native code of %s: the runtime ignores values that the program sets. Add spir64 to the targets", kernels, them)))
}

// fixedConstants returns the native images whose specialization constants keep the values
// with which they were compiled, because the program has no code to compile again: the first
// for each kernel.
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

// wrapped returns the image as a program has it. The options are those for SPIR-V.
func (l *loadedInput) wrapped(more []string) hostwrap.Image {
	properties := requirement.WithCompileTarget(l.metadata, l.image.CompileTarget())
	options := propset.JITOptionsOf(properties)
	if options != (propset.JITOptions{}) { // which have their own place in a program
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

// kernels returns the names of the symbol file, else those of the metadata, once each.
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
