package steps

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// DPCPPSplitModes are the ways in which DPC++ splits device code.
var DPCPPSplitModes = []string{"auto", "per_source", "per_kernel", "off"}

// Images makes device images of bitcode by DPC++'s own post-link step and translator.
type Images struct {
	DPCPP         DPCPP
	Split         string // one of DPCPPSplitModes
	Dependencies  bool   // images may import what they do not define
	CodeDir       string // for SPIR-V
	PropertiesDir string // for property files and symbol files
	Table         string // of all
	KeepDebugInfo bool
}

// Setup declares the flags.
func (s *Images) Setup(fs *flag.FlagSet) cli.Run {
	s.DPCPP.setup(fs)
	fs.StringVar(&s.Split, "split", "auto", "which kernels become one image: `"+strings.Join(DPCPPSplitModes, "|")+"`")
	fs.BoolVar(&s.Dependencies, "allow-device-image-dependencies", false, "an image may use what another one defines")
	fs.StringVar(&s.CodeDir, "code-dir", "", "the `folder` for SPIR-V (required)")
	fs.StringVar(&s.PropertiesDir, "properties-dir", "", "the `folder` for property files and symbol files (required)")
	fs.BoolVar(&s.KeepDebugInfo, "keep-debug-info", false, "leave debug information in the SPIR-V, for debuggers")
	fs.StringVar(&s.Table, "table", "", "the table `file` (required)")
	return s.Run
}

// Run makes the images of the bitcode file that is the only argument.
func (s *Images) Run(ctx context.Context, env *cli.Env, args []string) error {
	in, err := oneInput(args)
	if err != nil {
		return err
	}
	if err := s.DPCPP.check(); err != nil {
		return err
	}
	if err := required("code-dir", s.CodeDir, "properties-dir", s.PropertiesDir, "table", s.Table); err != nil {
		return err
	}
	if !slices.Contains(DPCPPSplitModes, s.Split) {
		return cli.Usagef("--split: '%s' is none of %s", s.Split, strings.Join(DPCPPSplitModes, ", "))
	}
	// Not always: functions of device libraries become images of their own by it.
	options := []string{"-fsycl-device-code-split=" + s.Split}
	if s.Dependencies {
		options = append(options, "-fsycl-allow-device-image-dependencies")
	}
	images, err := s.DPCPP.postLink(ctx, env, in, options...)
	if err != nil {
		return err
	}
	// A source without kernels has an image with nothing in it.
	images = slices.DeleteFunc(images, func(m *image) bool { return !m.isNeeded() })
	if err := s.checkDefined(in, images); err != nil {
		return cli.BadInput(err)
	}
	return s.write(images)
}

func (s *Images) write(images []*image) error {
	out := newOutputs()
	defer out.discard()
	var rows [][]string
	for i, m := range images {
		files := out.image(s.CodeDir, s.PropertiesDir, strconv.Itoa(i))
		rows = append(rows, files.row())
		m.module.PutPlaces(m.properties)
		if err := m.write(files, s.KeepDebugInfo); err != nil {
			return err
		}
	}
	if err := out.place(s.CodeDir, s.PropertiesDir); err != nil {
		return err
	}
	return writeTable(s.Table, rows...)
}

// checkDefined fails for functions that kernels use and no image defines. What reads
// specialization constants no other image defines either.
func (s *Images) checkDefined(in string, images []*image) error {
	var texts []string
	for _, name := range undefined(images) {
		if s.Dependencies && !spirv.IsSpecConstantGetter(name) {
			continue
		}
		kernel, place := user(images, name)
		if place == "" {
			place = in
		}
		text := fmt.Sprintf("%s: kernel '%s' reads a specialization constant, which libsycl-jit does not support. Pass the value to the kernel as an argument",
			place, kernelname.Display(kernel))
		if !spirv.IsSpecConstantGetter(name) {
			text = fmt.Sprintf("%s: device function '%s' is used but nothing defines it", place, kernelname.Display(name))
			if kernel != "" {
				text += fmt.Sprintf("; kernel '%s' uses it", kernelname.Display(kernel))
			}
			text += ". Define it in the same source or in a header that it includes; to use what other sources of the target define, set rdc = True"
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(slices.Compact(texts), "\n"))
}

// undefined returns the functions that images import, sorted.
func undefined(images []*image) []string {
	var names []string
	for _, m := range images {
		names = append(names, m.module.Imports...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// user returns a kernel that uses an undefined function, the one with the shortest
// name, as DPC++ makes several of one kernel; and its place, "" when that is not known.
func user(images []*image, name string) (kernel, place string) {
	for _, m := range images {
		for _, k := range m.module.Importers(name) {
			if kernel != "" && len(k.Name) >= len(kernel) {
				continue
			}
			kernel, place = k.Name, ""
			if at := k.Location; at.Line != 0 { // that of the function, which has no column
				place = fmt.Sprintf("%s:%d", at.Path, at.Line)
			}
		}
	}
	return kernel, place
}
