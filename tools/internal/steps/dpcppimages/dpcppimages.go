// Package dpcppimages implements the build step that builds device images with DPC++'s own
// post-link step and translator.
package dpcppimages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/modulefiles"
)

// SplitModes are the split modes of DPC++'s post-link step.
var SplitModes = []string{"auto", "per_source", "per_kernel", "off"}

// Options holds the options of [Run].
type Options struct {
	Bitcode       string // bitcode file, or the source that Built was built from
	Built         string // output directory of 'driver build', or "" to build images from the bitcode
	DPCPP         modulefiles.DPCPP
	Split         string // one of SplitModes
	Dependencies  bool   // whether images may import functions and variables
	Advice        string // what to do about an undefined name, for errors; "" for the rules' advice
	CodeDir       string // directory for SPIR-V
	PropertiesDir string // directory for property files and symbol files
	Table         string // table file to write
	KeepDebugInfo bool
}

// Run builds device images from bitcode with DPC++'s own post-link step and translator.
func Run(ctx context.Context, log io.Writer, o Options) error {
	images, err := o.images(ctx, log)
	if err != nil {
		return err
	}
	// DPC++ writes an empty image if a source has no kernels.
	images = slices.DeleteFunc(images, func(m *modulefiles.Image) bool { return !m.IsNeeded() })
	if err := o.checkDefined(images); err != nil {
		return cli.BadInput(err)
	}
	return o.write(images)
}

// images returns the images that DPC++ builds.
func (o *Options) images(ctx context.Context, log io.Writer) ([]*modulefiles.Image, error) {
	if o.Built != "" {
		return modulefiles.ReadImages(o.Bitcode, o.Built)
	}
	// This is not the default, because it moves device library functions to separate images.
	options := []string{"-fsycl-device-code-split=" + o.Split}
	if o.Dependencies {
		options = append(options, "-fsycl-allow-device-image-dependencies")
	}
	if _, err := cli.StatInput(o.Bitcode, "LLVM bitcode"); err != nil {
		return nil, err
	}
	return o.DPCPP.PostLink(ctx, log, o.Bitcode, options...)
}

func (o *Options) write(images []*modulefiles.Image) error {
	var group outfile.Group
	defer group.Close()
	out, err := modulefiles.NewOutputs(&group, o.CodeDir, o.PropertiesDir)
	if err != nil {
		return err
	}
	var rows [][]string
	for i, m := range images {
		files := out.Image(strconv.Itoa(i))
		rows = append(rows, files.Row())
		m.Module.PutPlaces(m.Properties)
		if err := spirv.PutDigests(m.Properties, m.Bare); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		m.Module.Requirements().PutExtensions(m.Properties)
		if err := m.Write(files, o.KeepDebugInfo); err != nil {
			return out.Relabel(err)
		}
	}
	return out.Commit(o.Table, modulefiles.TableOf(rows))
}

// checkDefined returns an error if kernels use functions or variables that no image defines. They
// include the functions that read specialization constants.
func (o *Options) checkDefined(images []*modulefiles.Image) error {
	var texts []string
	linked := virtualFunctions(images)
	for _, name := range undefined(images, func(m *spirv.Module) []string { return m.Imports }) {
		switch {
		case spirv.IsSpecConstantGetter(name):
			kernel, place := o.user(images, name)
			reader := "the code"
			if kernel != "" {
				reader = fmt.Sprintf("kernel '%s'", kernelname.Display(kernel))
			}
			texts = append(texts, fmt.Sprintf("%s: %s reads a specialization constant, which DPC++'s own post-link step in libsycl-jit does not lower. Set post_link = \"rules_sycl\" in its BUILD file",
				place, reader))
		case !o.Dependencies && !linked[name]:
			texts = append(texts, o.undefinedText(images, "function", name))
		}
	}
	if !o.Dependencies {
		for _, name := range undefined(images, func(m *spirv.Module) []string { return m.Variables }) {
			texts = append(texts, o.undefinedText(images, "variable", name))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(slices.Compact(texts), "\n"))
}

// undefined returns the names that images import, sorted.
func undefined(images []*modulefiles.Image, imports func(*spirv.Module) []string) []string {
	var names []string
	for _, m := range images {
		names = append(names, imports(m.Module)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// virtualFunctions returns the set of virtual functions that images define. The runtime links them
// to the kernels that call them.
func virtualFunctions(images []*modulefiles.Image) map[string]bool {
	names := map[string]bool{}
	for _, m := range images {
		if m.DefinesVirtualFunctions() {
			for name := range strings.SplitSeq(string(m.Symbols), "\n") {
				names[name] = true
			}
		}
	}
	return names
}

// undefinedText returns the error message for an undefined name.
func (o *Options) undefinedText(images []*modulefiles.Image, kind, name string) string {
	kernel, place := o.user(images, name)
	text := fmt.Sprintf("%s: undefined device %s '%s'", place, kind, kernelname.Display(name))
	if kernel != "" {
		text += fmt.Sprintf(", used by kernel '%s'", kernelname.Display(kernel))
	}
	if strings.HasPrefix(name, "_ZTV") { // a vtable, which DPC++ only generates in the source that needs it
		return text + "; define the virtual functions of the class in the same source or in a header that it includes"
	}
	return text + "; " + cmp.Or(o.Advice, "define it in the same source or in a header that it includes; to use definitions in other sources, "+
		"set rdc = True on this target, and on the sycl_cc_library in deps that contains them")
}

// user returns a kernel that uses an undefined name, and its location, or the bitcode file if the
// location is unknown. It prefers the kernel with the shortest name, because DPC++ generates
// several kernels from one.
func (o *Options) user(images []*modulefiles.Image, name string) (kernel, place string) {
	place = o.Bitcode
	for _, m := range images {
		for _, k := range m.Module.Importers(name) {
			if kernel != "" && len(k.Name) >= len(kernel) {
				continue
			}
			kernel, place = k.Name, o.Bitcode
			if at := k.Location; at.Line != 0 { // the function's location has no column
				place = fmt.Sprintf("%s:%d", at.Path, at.Line)
			}
		}
	}
	return kernel, place
}
