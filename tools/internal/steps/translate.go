package steps

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/tools/internal/command"
)

// spirvExtensions are what a translator may use beyond plain SPIR-V 1.4: atomics
// on floating-point numbers have no other form. The device compilers know them.
const spirvExtensions = "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,+SPV_EXT_shader_atomic_float16_add"

// Translate translates modules to SPIR-V and writes down what they need.
type Translate struct {
	LLVMSPIRV, LLC string // paths; LLC counts when there is no LLVMSPIRV
	DPCPP          DPCPP  // counts when there is neither
	SPIRVVal       string // path; what DPC++ translates is not checked
	CodeDir        string // for SPIR-V
	PropertiesDir  string // for property files and symbol files
	Table          string // of all
	KeepDebugInfo  bool
}

// Setup declares the flags.
func (s *Translate) Setup(fs *flag.FlagSet) cli.Run {
	fs.StringVar(&s.LLVMSPIRV, "llvm-spirv", "", "`path` of llvm-spirv")
	fs.StringVar(&s.LLC, "llc", "", "`path` of llc, whose SPIR-V target is used when there is no llvm-spirv")
	s.DPCPP.setup(fs)
	fs.StringVar(&s.SPIRVVal, "spirv-val", "", "`path` of spirv-val (required with llvm-spirv and llc)")
	fs.StringVar(&s.CodeDir, "code-dir", "", "the `folder` for SPIR-V (required)")
	fs.StringVar(&s.PropertiesDir, "properties-dir", "", "the `folder` for property files and symbol files (required)")
	fs.BoolVar(&s.KeepDebugInfo, "keep-debug-info", false, "leave debug information in the SPIR-V, for debuggers")
	fs.StringVar(&s.Table, "table", "", "the table `file` (required)")
	return s.Run
}

// Run translates the table or the module that is the only argument.
func (s *Translate) Run(ctx context.Context, env *cli.Env, args []string) error {
	in, err := oneInput(args)
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	rows, err := readRows(in)
	if err != nil {
		return err
	}
	out := newOutputs()
	defer out.discard()
	written := make([][]string, len(rows))
	libraries := make([][]*image, len(rows))
	err = command.ForEach(s.atOnce(), len(rows), func(i int) error {
		files := out.image(s.CodeDir, s.PropertiesDir, rows[i].stem())
		written[i] = files.row()
		var err error
		libraries[i], err = s.translate(ctx, env, rows[i], files)
		return err
	})
	if err != nil {
		return err
	}
	more, err := s.writeLibraries(out, slices.Concat(libraries...))
	if err != nil {
		return err
	}
	if err := out.place(s.CodeDir, s.PropertiesDir); err != nil {
		return err
	}
	return writeTable(s.Table, append(written, more...)...)
}

// atOnce returns how many modules are translated at the same time. DPC++'s library takes
// about 180 MiB for each, whatever its size.
func (s *Translate) atOnce() int {
	if s.DPCPP.Driver != "" {
		return min(runtime.GOMAXPROCS(0), 4)
	}
	return runtime.GOMAXPROCS(0)
}

// check fails when flags are missing.
func (s *Translate) check() error {
	given := 0
	for _, program := range []string{s.LLVMSPIRV, s.LLC, s.DPCPP.Driver} {
		if program != "" {
			given++
		}
	}
	if given != 1 {
		return cli.Usagef("give one of --llvm-spirv, --llc and --driver")
	}
	var err error
	if s.DPCPP.Driver != "" {
		err = s.DPCPP.check()
	} else {
		err = required("spirv-val", s.SPIRVVal)
	}
	if err != nil {
		return err
	}
	return required("code-dir", s.CodeDir, "properties-dir", s.PropertiesDir, "table", s.Table)
}

// translate makes the three files of a module. It returns the images of device
// libraries that the module needs beside its own.
func (s *Translate) translate(ctx context.Context, env *cli.Env, in row, files *rowFiles) ([]*image, error) {
	n, err := size(in.code)
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, writeEmpty(in, files)
	case s.DPCPP.Driver != "":
		return s.translateByDPCPP(ctx, env, in, files)
	}
	code := files.code.scratch
	if s.LLVMSPIRV != "" {
		err = command.Run(ctx, nil, nil, env.Stderr, s.LLVMSPIRV, "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", spirvExtensions, in.code, "-o", code)
	} else { // llc says OpenCL C++ 1.0 of all that has no !opencl.ocl.version: see postlink.SetSourceLanguage
		err = command.Run(ctx, nil, nil, env.Stderr, s.LLC, "-mtriple=spirv64-unknown-unknown", "-O2", "--filetype=obj", spirvExtensions, in.code, "-o", code)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(code)
	if err != nil {
		return nil, err
	}
	m, err := newImage(files.code.path, data)
	if err != nil {
		return nil, err
	}
	// What llvm-spirv writes as debug information is not all as spirv-val wants it.
	checked := code
	if s.KeepDebugInfo {
		checked += ".bare"
		defer os.Remove(checked)
	}
	if err := os.WriteFile(checked, m.bare, 0o644); err != nil {
		return nil, err
	}
	if err := command.Run(ctx, nil, nil, env.Stderr, s.SPIRVVal, "--target-env", "spv1.4", checked); err != nil {
		return nil, err
	}
	return nil, s.write(m, in, files)
}

// translateByDPCPP lets DPC++'s library translate a module, to which it links its
// device libraries. What it says of the module beside that is not used: the module
// has a property file of its own.
func (s *Translate) translateByDPCPP(ctx context.Context, env *cli.Env, in row, files *rowFiles) (libraries []*image, err error) {
	options := []string{"-fsycl-device-code-split=off"}
	if linked, err := in.isLinked(); err != nil {
		return nil, err
	} else if linked { // otherwise only kernels can be called from outside
		options = append(options, "-fsycl-allow-device-image-dependencies")
	}
	images, err := s.DPCPP.postLink(ctx, env, in.code, options...)
	if err != nil {
		return nil, err
	}
	var own *image
	for _, m := range images {
		switch {
		case m.isLibrary():
			libraries = append(libraries, m)
		case own != nil:
			return nil, cli.BadInput(fmt.Errorf("%s: the module became two images of DPC++'s library; it must have either explicit SIMD code or other code", in.code))
		default:
			own = m
		}
	}
	if own == nil {
		return nil, cli.BadInput(fmt.Errorf("%s: DPC++'s library made no image of the module", in.code))
	}
	return libraries, s.write(own, in, files)
}

// write writes the files of an image whose properties are those of its SPIR-V and of
// the post-link step.
func (s *Translate) write(m *image, in row, files *rowFiles) error {
	own, err := spirv.Properties(m.module)
	if err != nil {
		return fmt.Errorf("%s: %w", files.code.path, err)
	}
	m.module.PutPlaces(own)
	if in.properties != "" {
		if err := addProperties(own, in.properties); err != nil {
			return err
		}
	}
	m.properties = own
	var names strings.Builder
	for _, k := range m.module.Kernels {
		names.WriteString(k.Name + "\n")
	}
	m.symbols = []byte(names.String())
	return m.write(files, s.KeepDebugInfo)
}

// isLinked reports whether a module exports or imports functions.
func (r row) isLinked() (bool, error) {
	if r.properties == "" {
		return false, nil
	}
	properties, err := propertyFile(r.properties)
	if err != nil {
		return false, err
	}
	return len(properties.Set(propset.ExportedSymbols).Properties()) > 0 || len(properties.Set(propset.ImportedSymbols).Properties()) > 0, nil
}

func propertyFile(name string) (*propset.Registry, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return propset.Parse(name, data)
}

// writeLibraries writes the images of device libraries, each once, and returns their rows.
func (s *Translate) writeLibraries(out *outputs, libraries []*image) (rows [][]string, err error) {
	seen := map[string]bool{}
	for _, m := range libraries {
		if seen[string(m.code)] {
			continue
		}
		seen[string(m.code)] = true
		files := out.image(s.CodeDir, s.PropertiesDir, fmt.Sprintf("devicelib%d", len(rows)))
		if err := m.write(files, s.KeepDebugInfo); err != nil {
			return nil, err
		}
		rows = append(rows, files.row())
	}
	return rows, nil
}

// writeEmpty writes the files of a module without bytes: an image without bytes. A
// property file without kernels shows that nothing was lost.
func writeEmpty(in row, files *rowFiles) error {
	if in.properties == "" {
		return cli.BadInput(fmt.Errorf("%s: the module has no bytes", in.code))
	}
	properties, err := propertyFile(in.properties)
	if err != nil {
		return err
	}
	if kernels := properties.Set(propset.KernelNames).Properties(); len(kernels) > 0 {
		return cli.BadInput(fmt.Errorf("%s: the module has no bytes, but %s names the kernel '%s'", in.code, in.properties, kernelname.Display(kernels[0].Key)))
	}
	return (&image{name: files.code.path, properties: properties}).write(files, false)
}

// addProperties adds what a property file of the post-link step says. Sizes that SPIR-V requires, too, are
// those of SPIR-V: what is compiled is what counts.
func addProperties(own *propset.Registry, name string) error {
	file, err := propertyFile(name)
	if err != nil {
		return err
	}
	needs, err := requirement.FromProperties(own)
	if err != nil {
		return cli.BadInput(err)
	}
	more, err := requirement.FromProperties(file)
	if err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	if len(needs.WorkGroupSize) > 0 || needs.WorkGroupSizesDiffer {
		more.WorkGroupSize = nil
	}
	if err := needs.Merge(more); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	needs.Put(own)
	// SPIR-V exports each function that is not internal to the module; which of them
	// are for others the step before knows.
	own.Delete(propset.ExportedSymbols)
	own.Delete(propset.ImportedSymbols)
	srcloc.Merge(own, file)
	for _, set := range file.Sets() {
		switch set.Name {
		case propset.DeviceRequirements, propset.KernelNames, srcloc.Set:
			continue
		}
		for _, p := range set.Properties() {
			own.Add(set.Name).Put(p.Key, p.Value)
		}
	}
	return nil
}
