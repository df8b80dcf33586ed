package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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

// WrapOptions are the options of [Wrap].
type WrapOptions struct {
	Output  string
	Runtime *release.Release
	Reading inputs.Reading
	Tables  []Table
	Headers []string // integration headers

	AllowEmpty    bool
	RequireImages bool     // whether to fail if a kernel in Headers has no image
	Relative      bool     // whether image file names are relative to the directory of Output
	JITOptions    []string // options for the runtime's SPIR-V compiler, after the options of the images
}

// Wrap writes assembler source that embeds images in a program.
func Wrap(ctx context.Context, env *cli.Env, o WrapOptions) error {
	images, err := o.images(ctx, env)
	if err != nil {
		return err
	}
	if o.Relative {
		if err := o.nameBeside(images); err != nil {
			return err
		}
	}
	kernels, err := o.kernels()
	if err != nil {
		return err
	}
	if missing := hostwrap.WithoutImage(images, kernels); o.RequireImages && len(missing) > 0 {
		return noImage(kernels, missing)
	}
	return outfile.Write(o.Output, func(w io.Writer) error {
		return hostwrap.Write(w, images, kernels, o.Runtime)
	})
}

// noImage returns an error about kernels without an image.
func noImage(kernels []hostwrap.Kernel, symbols []string) error {
	var names []string
	places := make(map[string]string)
	for _, k := range kernels {
		if !slices.Contains(symbols, k.Name) {
			continue
		}
		name := kernelname.Display(k.Name)
		if _, ok := places[name]; !ok {
			names = append(names, name)
		}
		// The kernel that libsycl adds for ranges of any size precedes the program's own kernel.
		places[name] = ""
		if k.Location.Line != 0 {
			places[name] = k.Location.String() + ": "
		}
	}
	var lines []string
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%skernel '%s' has no image for any target, so submitting it would throw an exception; add a target that can run it", places[name], name))
	}
	return cli.BadInput(errors.New(strings.Join(lines, "\n")))
}

// images reads the images to embed.
func (o *WrapOptions) images(ctx context.Context, env *cli.Env) ([]hostwrap.Image, error) {
	inputs, err := readTables(o.Tables)
	if err != nil {
		return nil, err
	}
	if len(inputs) == 0 && !o.AllowEmpty {
		return nil, cli.BadInput(errors.New("nothing to wrap: all tables are empty. Either no source submits a kernel, or no target can run one; add a kernel or a target"))
	}
	for i := range inputs {
		inputs[i].reading = &o.Reading
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
			return nil, cli.BadInput(fmt.Errorf("%s: %w", in.Place, err))
		}
		images = append(images, in.wrapped(o.JITOptions))
	}
	if len(images) == 0 && !o.AllowEmpty {
		return nil, cli.BadInput(errors.New("nothing to wrap: all images are empty; check the step that writes them"))
	}
	images = withoutNativeVirtual(env, images)
	if err := moveLarge(images); err != nil {
		return nil, err
	}
	warnOfConstants(env, fixedConstants(images))
	return images, nil
}

// kernels reads the kernels of the integration headers.
func (o *WrapOptions) kernels() ([]hostwrap.Kernel, error) {
	var kernels []hostwrap.Kernel
	for _, header := range o.Headers {
		// The header may be empty, because the source may have no kernels.
		text, err := cli.ReadInput(header, "", maxHeader)
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, hostwrap.ParseHeader(string(text))...)
	}
	return kernels, nil
}

// maxHeader is the maximum size of an integration header in bytes, far above the size of real
// headers.
const maxHeader = 256 << 20

// nameBeside makes the names of image files relative to the directory of the output. It resolves
// symbolic links in that directory first, because the assembler does so, too.
func (o *WrapOptions) nameBeside(images []hostwrap.Image) error {
	dir := filepath.Dir(o.Output)
	real, err := withoutLinks(dir)
	if err != nil {
		return err
	}
	for i := range images {
		file := images[i].File
		if _, err := filepath.Rel(dir, file); err != nil {
			return cli.Usagef("--relative: cannot make '%s' relative to '%s'; use absolute paths for both or for neither", file, dir)
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
func withoutLinks(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("%s: cannot resolve the directory: %v", dir, err)
	}
	return filepath.Abs(real)
}

// withoutNativeVirtual removes native images that define or call virtual functions if there is a
// SPIR-V image with the same kernel, because the runtime links all images that belong to a set of
// virtual functions, regardless of their device.
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

// largeImages is the total size from which images are placed in a section that can exceed 2 GiB.
const largeImages = 256 << 20

// moveLarge marks images as large if their total size is at least largeImages.
func moveLarge(images []hostwrap.Image) error {
	var size int64
	for i := range images {
		info, err := os.Stat(images[i].File)
		if err != nil {
			return err
		}
		size += info.Size()
	}
	for i := range images {
		images[i].Large = size >= largeImages
	}
	return nil
}

// warnOfConstants prints a warning about the images that fixedConstants returns.
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

// fixedConstants returns the native images whose specialization constants cannot be set at run
// time, because the program has no IR for the kernel. It returns only the first image for each
// kernel.
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

// wrapped returns the image to embed. If it is SPIR-V, more is added to its options.
func (l *loadedInput) wrapped(more []string) hostwrap.Image {
	properties := requirement.WithCompileTarget(l.metadata, l.image.CompileTarget())
	options := propset.JITOptionsOf(properties)
	if options != (propset.JITOptions{}) { // programs store options outside of the property sets
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

// kernels returns the names in the symbol file or, if it is empty, in the metadata, without
// duplicates.
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
