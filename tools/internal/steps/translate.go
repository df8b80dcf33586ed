package steps

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// Extensions are what a translator may use beyond plain SPIR-V 1.4. Atomics on
// floating-point numbers have no other form, and what compile-time properties become
// neither: without the extension a translator drops it, or fails.
var (
	bothExtensions = []string{
		"SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max", "SPV_EXT_shader_atomic_float16_add",
		"SPV_KHR_float_controls", "SPV_INTEL_float_controls2", // rounding and denormals
		"SPV_INTEL_cache_controls",              // of annotated_ptr and prefetch
		"SPV_INTEL_global_variable_host_access", // device globals
		"SPV_INTEL_global_variable_fpga_decorations",
	}
	// llcExtensions are without those that LLVM's own translator does not know.
	llcExtensions       = spirvExtensions(bothExtensions)
	llvmSPIRVExtensions = spirvExtensions(slices.Concat(bothExtensions, []string{
		"SPV_INTEL_kernel_attributes", // largest work-group sizes
		"SPV_INTEL_fpga_argument_interfaces", "SPV_INTEL_fpga_buffer_location", "SPV_INTEL_fpga_cluster_attributes",
		"SPV_INTEL_fpga_invocation_pipelining_attributes",
		"SPV_INTEL_fpga_latency_control", "SPV_INTEL_fpga_memory_attributes",
	}))
)

// spirvExtensions is the option that lets a translator use extensions.
func spirvExtensions(names []string) string { return "--spirv-ext=+" + strings.Join(names, ",+") }

// TranslateOptions say what to translate, and by which translator: one of LLVMSPIRV, LLC
// and DPCPP is given.
type TranslateOptions struct {
	In            string // a table or a module
	LLVMSPIRV     string // path
	LLC           string // path
	DPCPP         DPCPP
	SPIRVVal      string // path; what DPC++ translates is not checked
	CodeDir       string // for SPIR-V
	PropertiesDir string // for property files and symbol files
	Table         string // of all
	KeepDebugInfo bool

	// EmulateFP64Conversions says that the post-link step knows which modules need fp64: not
	// all whose SPIR-V has it.
	EmulateFP64Conversions bool

	Kept *buildstep.Kept // SPIR-V that LLVMSPIRV or LLC made before
}

// Translate translates modules to SPIR-V and writes down what they need.
func Translate(ctx context.Context, log io.Writer, o TranslateOptions) error {
	rows, err := readRows(o.In)
	if err != nil {
		return err
	}
	var group outfile.Group
	defer group.Close()
	out, err := newOutputs(&group, o.CodeDir, o.PropertiesDir)
	if err != nil {
		return err
	}
	written := make([][]string, len(rows))
	libraries := make([][]*image, len(rows))
	var known libraryImages
	err = buildstep.Each(ctx, log, len(rows), o.atOnce(), func(ctx context.Context, log io.Writer, i int) (err error) {
		files := out.image(rows[i].stem())
		written[i] = files.row()
		libraries[i], err = o.translate(ctx, log, rows[i], files)
		known.unify(libraries[i])
		return err
	})
	if err != nil {
		return out.Relabel(err)
	}
	more, err := o.writeLibraries(out, rows, slices.Concat(libraries...))
	if err != nil {
		return out.Relabel(err)
	}
	return out.commit(o.Table, tableOf(append(written, more...)))
}

// atOnce returns how many modules are translated at the same time. DPC++'s library takes
// about 180 MiB for each, whatever its size.
func (o *TranslateOptions) atOnce() int {
	if o.DPCPP.Driver != "" {
		return min(runtime.GOMAXPROCS(0), 4)
	}
	return runtime.GOMAXPROCS(0)
}

// translate makes the three files of a module. It returns the images of device
// libraries that the module needs beside its own.
func (o *TranslateOptions) translate(ctx context.Context, log io.Writer, in row, files rowFiles) ([]*image, error) {
	n, err := in.size()
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, writeEmpty(in, files)
	case o.DPCPP.Driver != "":
		return o.translateByDPCPP(ctx, log, in, files)
	}
	translator := []string{o.LLVMSPIRV, "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", llvmSPIRVExtensions}
	if o.LLVMSPIRV == "" { // llc says OpenCL C++ 1.0 of all that has no !opencl.ocl.version: see postlink.SetSourceLanguage
		translator = []string{o.LLC, "-mtriple=spirv64-unknown-unknown", "-O2", "--filetype=obj", llcExtensions}
	}
	var m *image
	code := files.code
	recipe := buildstep.Recipe{Programs: []string{translator[0], o.SPIRVVal}, Options: translator, InputFile: in.code}
	err = o.Kept.Make(recipe, code.scratch, log, func(log io.Writer) error {
		if err := buildstep.Run(ctx, nil, nil, log, translator[0], append(translator[1:], in.code, "-o", code.scratch)...); err != nil {
			return err
		}
		if m, err = translated(code); err != nil {
			return err
		}
		return o.validate(ctx, log, m, code.scratch+".bare")
	})
	if err == nil && m == nil {
		m, err = translated(code)
	}
	if err != nil {
		return nil, err
	}
	return nil, o.write(m, in, files)
}

// translated reads the image that a translator has written.
func translated(code output) (*image, error) {
	data, err := os.ReadFile(code.scratch)
	if err != nil {
		return nil, err
	}
	return newImage(code.path, data)
}

// validate runs spirv-val on a module without its debug information: what llvm-spirv writes
// as such is not all as spirv-val wants it.
func (o *TranslateOptions) validate(ctx context.Context, log io.Writer, m *image, scratch string) error {
	defer os.Remove(scratch)
	if err := os.WriteFile(scratch, m.bare, 0o666); err != nil {
		return err
	}
	return buildstep.Run(ctx, nil, nil, log, o.SPIRVVal, "--target-env", "spv1.4", scratch)
}

// translateByDPCPP lets DPC++'s library translate a module, to which it links its
// device libraries. What it says of the module beside that is not used: the module
// has a property file of its own.
func (o *TranslateOptions) translateByDPCPP(ctx context.Context, log io.Writer, in row, files rowFiles) (libraries []*image, err error) {
	options := []string{"-fsycl-device-code-split=off"}
	if linked, err := in.isLinked(); err != nil {
		return nil, err
	} else if linked { // otherwise only kernels can be called from outside
		options = append(options, "-fsycl-allow-device-image-dependencies")
	}
	images, err := o.DPCPP.postLink(ctx, log, in.code, options...)
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
	return libraries, o.write(own, in, files)
}

// write writes the files of an image whose properties are those of its SPIR-V and of
// the post-link step.
func (o *TranslateOptions) write(m *image, in row, files rowFiles) error {
	own, err := spirv.Properties(m.module)
	if err != nil {
		return fmt.Errorf("%s: %w", files.code.path, err)
	}
	m.module.PutPlaces(own)
	if in.properties != "" {
		if err := addProperties(own, in.properties, o.EmulateFP64Conversions); err != nil {
			return err
		}
	}
	m.properties = own
	var names strings.Builder
	for _, k := range m.module.Kernels {
		names.WriteString(k.Name + "\n")
	}
	if m.definesVirtualFunctions() {
		for _, f := range m.module.Exports {
			names.WriteString(f.Name + "\n")
		}
	}
	m.symbols = []byte(names.String())
	return m.write(files, o.KeepDebugInfo)
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
	data, err := cli.ReadInput(name, "", cli.MaxText)
	if err != nil {
		return nil, err
	}
	return propset.Parse(name, data)
}

// libraryImages has one image of each device library, as many modules may need the same.
type libraryImages struct {
	mu     sync.Mutex
	byCode map[[sha256.Size]byte]*image
}

// unify replaces images by those with the same code that came before.
func (l *libraryImages) unify(images []*image) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byCode == nil {
		l.byCode = map[[sha256.Size]byte]*image{}
	}
	for i, m := range images {
		sum := sha256.Sum256(m.code)
		if l.byCode[sum] == nil {
			l.byCode[sum] = m
		}
		images[i] = l.byCode[sum]
	}
}

// writeLibraries writes the images of device libraries, each once, and returns their rows.
// Their files are called otherwise than those of modules.
func (o *TranslateOptions) writeLibraries(out *outputs, modules []row, libraries []*image) (rows [][]string, err error) {
	taken := map[string]bool{}
	for _, m := range modules {
		taken[m.stem()] = true
	}
	written := map[*image]bool{}
	number := 0
	for _, m := range libraries {
		if written[m] {
			continue
		}
		written[m] = true
		name := fmt.Sprintf("devicelib%d", number)
		for ; taken[name]; name = fmt.Sprintf("devicelib%d", number) {
			number++
		}
		number++
		files := out.image(name)
		if err := m.write(files, o.KeepDebugInfo); err != nil {
			return nil, err
		}
		rows = append(rows, files.row())
	}
	return rows, nil
}

// writeEmpty writes the files of a module without bytes: an image without bytes. A
// property file without kernels shows that nothing was lost.
func writeEmpty(in row, files rowFiles) error {
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

// addProperties adds what a property file of the post-link step says. Sizes that SPIR-V also requires are
// those of SPIR-V: what is compiled is what counts.
func addProperties(own *propset.Registry, name string, emulateFP64Conversions bool) error {
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
	if emulateFP64Conversions {
		needs.Aspects = slices.DeleteFunc(needs.Aspects, func(a aspect.Aspect) bool { return a == aspect.FP64 })
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
		case propset.DeviceRequirements, propset.KernelNames, srcloc.Set, requirement.OwnSet:
			continue
		}
		for _, p := range set.Properties() {
			own.Add(set.Name).Put(p.Key, p.Value)
		}
	}
	return nil
}
