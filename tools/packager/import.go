package main

import (
	"context"
	"flag"
	"fmt"
	"path"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/imageformat"
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
requirements and kernel names from its own bytes: SPIR-V, and ELF for Intel and
NVIDIA GPUs. Images without bytes, text that is not PTX, and images of other
programming models are left out, with a warning.

What 'packager verify' would find in the result is printed as warnings.`,
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
	for _, name := range args {
		if err := ctx.Err(); err != nil {
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
	}
	return writeVerified(env, c.output, b.File(state), o)
}

// importHost adds the images of a host file.
func importHost(env *cli.Env, b *syclbin.Builder, host *hostbin.File, name string) error {
	if len(host.Images) == 0 {
		return cli.BadInput(fmt.Errorf("%s: no device images: looked for %s", name, hostbin.LookedFor))
	}
	taken := 0
	for _, img := range host.Images {
		place := safetext.Printable(fmt.Sprintf("%s: %v", name, img.Origin))
		if why := whyLeftOut(img); why != "" {
			env.Warnf(place, "%s", safetext.Printable(why))
			continue
		}
		taken++
		if err := importImage(b, img, name); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	if taken == 0 {
		return cli.BadInput(fmt.Errorf("%s: none of the %d device images can be taken", name, len(host.Images)))
	}
	return nil
}

// whyLeftOut says why a SYCLBIN cannot have an image, "" when it can.
func whyLeftOut(img *hostbin.Image) string {
	switch {
	case !isSYCL(img):
		target := ""
		if img.Triple != "" {
			target = " for " + img.Triple
		}
		return fmt.Sprintf("an image of %s%s is left out: a SYCLBIN is for SYCL", img.Model, target)
	case img.Stated == imageformat.Text && imageformat.Detect(img, img.Size()) != imageformat.PTX:
		return fmt.Sprintf("the image for %s is text and is left out: a SYCLBIN is for what is compiled", img.Triple)
	case img.Size() == 0:
		return fmt.Sprintf("the image for %s has no bytes and is left out", img.Triple)
	}
	return ""
}

// isSYCL reports whether an image is of SYCL. What was SYCL in containers of
// LLVM 19 is HIP now, so that the target has to decide.
func isSYCL(img *hostbin.Image) bool {
	switch img.Model {
	case "openmp", "cuda":
		return false
	case "hip":
		return strings.HasPrefix(img.Triple, "spir")
	}
	return true
}

// importImage adds an image to the abstract module of its kernels.
func importImage(b *syclbin.Builder, img *hostbin.Image, host string) error {
	format := imageformat.Detect(img, img.Size())
	if format == imageformat.SYCLBIN || format == imageformat.Offload {
		return importSYCLBIN(b, img)
	}
	metadata, err := metadataOf(img)
	if err != nil {
		return err
	}
	triple := wholeTriple(img.Triple)
	var form *syclbin.Image
	if isIR(format, img) {
		typ, _ := syclbin.IRTypeOf(format, triple)
		form = syclbin.NewIR(typ, triple, img)
	} else {
		form = syclbin.NewNative(img.Arch, triple, img)
	}
	key := strings.Join(img.Entries, "\n")
	if len(metadata.Sets()) == 0 {
		key = "\x00" + host + "\x00" + unit(img)
	}
	return b.Add(key, metadata, form)
}

// importSYCLBIN adds all images of a SYCLBIN that is an image.
func importSYCLBIN(b *syclbin.Builder, img *hostbin.Image) error {
	f, err := syclbin.NewFile(img, img.Size())
	if err != nil {
		return err
	}
	for _, m := range f.Modules {
		for _, i := range m.Images() {
			if err := b.Add(strings.Join(m.Kernels(), "\n"), m.Metadata, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// metadataOf returns what the host file says about an image, or else its own bytes.
func metadataOf(img *hostbin.Image) (*propset.Registry, error) {
	metadata := img.Properties
	if len(metadata.Sets()) == 0 && len(img.Entries) == 0 {
		var err error
		if metadata, err = ownProperties(img); err != nil {
			return nil, err
		}
	}
	if len(img.Entries) > 0 && metadata.Set(propset.KernelNames) == nil {
		set := metadata.Add(propset.KernelNames)
		for _, name := range img.Entries {
			set.Put(name, propset.Uint(1))
		}
	}
	return metadata, cli.BadInput(metadata.Validate())
}

// unit names what images about which nothing is known have to share to be forms
// of the same module: an archive of ocloc, and otherwise a file or a member.
func unit(img *hostbin.Image) string {
	dir, base := path.Split(img.Origin.Member)
	if base == "generic_ir" || strings.HasPrefix(base, "64.") || strings.HasPrefix(base, "32.") {
		return dir
	}
	return img.Origin.Member
}

// isIR reports whether an image is still to be compiled by the runtime. What its
// bytes do not say its target does.
func isIR(format imageformat.Format, img *hostbin.Image) bool {
	switch format {
	case imageformat.SPIRV:
		return true
	case imageformat.PTX, imageformat.Bitcode, imageformat.Unknown:
		return img.Arch == "" && img.Stated != imageformat.Native
	}
	return false
}

// wholeTriple completes the triples of descriptor tables, which are cut to the
// first part.
func wholeTriple(triple string) string {
	if strings.Contains(triple, "-") {
		return triple
	}
	switch {
	case strings.HasPrefix(triple, "spir"):
		return triple + "-unknown-unknown"
	case strings.HasPrefix(triple, "nvptx"):
		return triple + "-nvidia-cuda"
	case strings.HasPrefix(triple, "amdgcn"):
		return triple + "-amd-amdhsa"
	}
	return triple
}
