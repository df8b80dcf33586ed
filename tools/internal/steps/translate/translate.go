// Package translate implements the build step that translates modules to SPIR-V.
package translate

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
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/modulefiles"
)

// SPIR-V extensions that translators may use in addition to SPIR-V 1.4. Floating-point atomics and
// compile-time properties require extensions; without them, a translator drops such code or fails.
var (
	bothExtensions = []string{
		"SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max", "SPV_EXT_shader_atomic_float16_add",
		"SPV_KHR_float_controls", "SPV_INTEL_float_controls2", // rounding and denormals
		"SPV_INTEL_cache_controls",              // annotated_ptr and prefetch
		"SPV_INTEL_global_variable_host_access", // device globals
		"SPV_INTEL_global_variable_fpga_decorations",
	}
	// llcExtensions excludes extensions that LLVM's own translator does not support.
	llcExtensions       = spirvExtensions(bothExtensions)
	llvmSPIRVExtensions = spirvExtensions(slices.Concat(bothExtensions, []string{
		"SPV_INTEL_kernel_attributes", // maximum work-group sizes
		"SPV_INTEL_fpga_argument_interfaces", "SPV_INTEL_fpga_buffer_location", "SPV_INTEL_fpga_cluster_attributes",
		"SPV_INTEL_fpga_invocation_pipelining_attributes",
		"SPV_INTEL_fpga_latency_control", "SPV_INTEL_fpga_memory_attributes",
	}))
)

// spirvExtensions returns the option that allows a translator to use extensions.
func spirvExtensions(names []string) string { return "--spirv-ext=+" + strings.Join(names, ",+") }

// Options holds the options of [Run]. Exactly one of LLVMSPIRV, LLC and DPCPP must be set.
type Options struct {
	In            string // table or module to read
	LLVMSPIRV     string // path of llvm-spirv
	LLC           string // path of llc
	DPCPP         modulefiles.DPCPP
	SPIRVVal      string // path of spirv-val, which does not check DPC++'s output
	CodeDir       string // directory for SPIR-V
	PropertiesDir string // directory for property files and symbol files
	Table         string // table file to write
	KeepDebugInfo bool

	// EmulateFP64Conversions states that the post-link step has determined which modules need
	// fp64, because not every module with fp64 code does.
	EmulateFP64Conversions bool

	Cache *buildstep.Cache // cache of the output of LLVMSPIRV and LLC
}

// Run translates modules to SPIR-V and writes their requirements to property files.
func Run(ctx context.Context, log io.Writer, o Options) error {
	rows, err := modulefiles.ReadRows(o.In)
	if err != nil {
		return err
	}
	var group outfile.Group
	defer group.Close()
	out, err := modulefiles.NewOutputs(&group, o.CodeDir, o.PropertiesDir)
	if err != nil {
		return err
	}
	written := make([][]string, len(rows))
	libraries := make([][]*modulefiles.Image, len(rows))
	var known libraryImages
	err = buildstep.Each(ctx, log, len(rows), o.atOnce(), func(ctx context.Context, log io.Writer, i int) (err error) {
		files := out.Image(rows[i].Stem())
		written[i] = files.Row()
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
	return out.Commit(o.Table, modulefiles.TableOf(append(written, more...)))
}

// atOnce returns the number of modules to translate concurrently. DPC++'s library needs about 180
// MiB per module, regardless of its size.
func (o *Options) atOnce() int {
	if o.DPCPP.Driver != "" {
		return min(runtime.GOMAXPROCS(0), 4)
	}
	return runtime.GOMAXPROCS(0)
}

// translate writes the three files of a module. It returns the images of device libraries that
// the module needs.
func (o *Options) translate(ctx context.Context, log io.Writer, in modulefiles.Row, files modulefiles.RowFiles) ([]*modulefiles.Image, error) {
	n, err := in.Size()
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, writeEmpty(in, files)
	case o.DPCPP.Driver != "":
		return o.translateByDPCPP(ctx, log, in, files)
	}
	translator := []string{o.LLVMSPIRV, "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", llvmSPIRVExtensions}
	if o.LLVMSPIRV == "" { // llc assumes OpenCL C++ 1.0 without !opencl.ocl.version, see postlink.SetSourceLanguage
		translator = []string{o.LLC, "-mtriple=spirv64-unknown-unknown", "-O2", "--filetype=obj", llcExtensions}
	}
	var m *modulefiles.Image
	code := files.Code
	recipe := buildstep.Recipe{Programs: []string{translator[0], o.SPIRVVal}, Options: translator, InputFile: in.Code}
	err = o.Cache.Make(recipe, code.Scratch, log, func(log io.Writer) error {
		if err := buildstep.Run(ctx, nil, nil, log, translator[0], append(translator[1:], in.Code, "-o", code.Scratch)...); err != nil {
			return err
		}
		if m, err = translated(code); err != nil {
			return err
		}
		return o.validate(ctx, log, m, code.Scratch+".bare")
	})
	if err == nil && m == nil {
		m, err = translated(code)
	}
	if err != nil {
		return nil, err
	}
	return nil, o.write(m, in, files)
}

// translated reads the image that a translator wrote.
func translated(code modulefiles.File) (*modulefiles.Image, error) {
	data, err := os.ReadFile(code.Scratch)
	if err != nil {
		return nil, err
	}
	return modulefiles.NewImage(code.Path, data)
}

// validate runs spirv-val on a module without debug information, because spirv-val rejects
// some debug information that llvm-spirv writes.
func (o *Options) validate(ctx context.Context, log io.Writer, m *modulefiles.Image, scratch string) error {
	defer os.Remove(scratch)
	if err := os.WriteFile(scratch, m.Bare, 0o666); err != nil {
		return err
	}
	return buildstep.Run(ctx, nil, nil, log, o.SPIRVVal, "--target-env", "spv1.4", scratch)
}

// translateByDPCPP translates a module with DPC++'s library, which links its device libraries.
// Only the SPIR-V is used, because the module already has a property file.
func (o *Options) translateByDPCPP(ctx context.Context, log io.Writer, in modulefiles.Row, files modulefiles.RowFiles) (libraries []*modulefiles.Image, err error) {
	options := []string{"-fsycl-device-code-split=off"}
	if linked, err := isLinked(in); err != nil {
		return nil, err
	} else if linked { // otherwise, only kernels can be called from outside
		options = append(options, "-fsycl-allow-device-image-dependencies")
	}
	images, err := o.DPCPP.PostLink(ctx, log, in.Code, options...)
	if err != nil {
		return nil, err
	}
	var own *modulefiles.Image
	for _, m := range images {
		switch {
		case m.IsLibrary():
			libraries = append(libraries, m)
		case own != nil:
			return nil, cli.BadInput(fmt.Errorf("%s: DPC++'s library split the module into two images; it must not mix explicit SIMD code with other code", in.Code))
		default:
			own = m
		}
	}
	if own == nil {
		return nil, cli.BadInput(fmt.Errorf("%s: DPC++'s library produced no image for the module", in.Code))
	}
	return libraries, o.write(own, in, files)
}

// write writes the files of an image whose properties come from its SPIR-V and from the
// post-link step.
func (o *Options) write(m *modulefiles.Image, in modulefiles.Row, files modulefiles.RowFiles) error {
	own, err := spirv.Properties(m.Module)
	if err != nil {
		return fmt.Errorf("%s: %w", files.Code.Path, err)
	}
	m.Module.PutPlaces(own)
	if err := spirv.PutDigests(own, m.Bare); err != nil {
		return fmt.Errorf("%s: %w", files.Code.Path, err)
	}
	if in.Properties != "" {
		if err := addProperties(own, in.Properties, o.EmulateFP64Conversions); err != nil {
			return err
		}
	}
	m.Properties = own
	var names strings.Builder
	for _, k := range m.Module.Kernels {
		names.WriteString(k.Name + "\n")
	}
	if m.DefinesVirtualFunctions() {
		for _, f := range m.Module.Exports {
			names.WriteString(f.Name + "\n")
		}
	}
	m.Symbols = []byte(names.String())
	return m.Write(files, o.KeepDebugInfo)
}

// isLinked reports whether a module exports or imports functions.
func isLinked(r modulefiles.Row) (bool, error) {
	if r.Properties == "" {
		return false, nil
	}
	properties, err := modulefiles.ReadProperties(r.Properties)
	if err != nil {
		return false, err
	}
	return len(properties.Set(propset.ExportedSymbols).Properties()) > 0 || len(properties.Set(propset.ImportedSymbols).Properties()) > 0, nil
}

// libraryImages holds each device library image once, because many modules may need the same one.
type libraryImages struct {
	mu     sync.Mutex
	byCode map[[sha256.Size]byte]*modulefiles.Image
}

// unify replaces images by earlier images with the same code.
func (l *libraryImages) unify(images []*modulefiles.Image) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byCode == nil {
		l.byCode = map[[sha256.Size]byte]*modulefiles.Image{}
	}
	for i, m := range images {
		sum := sha256.Sum256(m.Code)
		if l.byCode[sum] == nil {
			l.byCode[sum] = m
		}
		images[i] = l.byCode[sum]
	}
}

// writeLibraries writes each device library image once, with a file name that no module has, and
// returns their rows.
func (o *Options) writeLibraries(out *modulefiles.Outputs, modules []modulefiles.Row, libraries []*modulefiles.Image) (rows [][]string, err error) {
	taken := map[string]bool{}
	for _, m := range modules {
		taken[m.Stem()] = true
	}
	written := map[*modulefiles.Image]bool{}
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
		files := out.Image(name)
		if err := m.Write(files, o.KeepDebugInfo); err != nil {
			return nil, err
		}
		rows = append(rows, files.Row())
	}
	return rows, nil
}

// writeEmpty writes an empty image for an empty module. It returns an error if the property file
// lists kernels, because their code would be lost.
func writeEmpty(in modulefiles.Row, files modulefiles.RowFiles) error {
	if in.Properties == "" {
		return cli.BadInput(fmt.Errorf("%s: the module is empty", in.Code))
	}
	properties, err := modulefiles.ReadProperties(in.Properties)
	if err != nil {
		return err
	}
	if kernels := properties.Set(propset.KernelNames).Properties(); len(kernels) > 0 {
		return cli.BadInput(fmt.Errorf("%s: the module is empty, but %s lists the kernel '%s'", in.Code, in.Properties, kernelname.Display(kernels[0].Key)))
	}
	return (&modulefiles.Image{Name: files.Code.Path, Properties: properties}).Write(files, false)
}

// addProperties adds the properties that the post-link step wrote. If the SPIR-V also contains a
// size, the size in the SPIR-V takes precedence, because ocloc compiles the SPIR-V.
func addProperties(own *propset.Registry, name string, emulateFP64Conversions bool) error {
	file, err := modulefiles.ReadProperties(name)
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
	// SPIR-V exports every function that is not internal to the module. Only the post-link step can
	// tell which of these functions other modules may call.
	own.Delete(propset.ExportedSymbols)
	own.Delete(propset.ImportedSymbols)
	srcloc.Merge(own, file)
	for _, set := range file.Sets() {
		switch set.Name {
		case propset.DeviceRequirements, propset.KernelNames, srcloc.Set, requirement.ExtensionSet:
			continue
		}
		for _, p := range set.Properties() {
			own.Add(set.Name).Put(p.Key, p.Value)
		}
	}
	return nil
}
