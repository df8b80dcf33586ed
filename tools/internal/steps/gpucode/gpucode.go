// Package gpucode implements the build step that compiles modules for NVIDIA and AMD GPUs with
// LLVM.
package gpucode

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/sycl/filetable"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/modulefiles"
)

// Options holds the options of [Run].
type Options struct {
	Table         string
	Opt, LLC, LLD string // paths of programs; LLD is only for AMD GPUs
	LLVMLink      string // path of llvm-link, required with LibCLC
	LibCLC        string // bitcode with mathematical functions for NVIDIA GPUs, or ""
	Device        string // LLVM's name of the device, such as sm_90 or gfx90a
	CodeDir       string // directory for images
	Output        string // table file to write
	KeepDebugInfo bool
	Cache         *buildstep.Cache // cache of images
}

// Run compiles the bitcode in a table to PTX for NVIDIA GPUs, or to code objects for AMD GPUs.
func Run(ctx context.Context, log io.Writer, o Options) error {
	gpu, err := gpuOf(o.Device)
	if err != nil {
		return err
	}
	if gpu.links && o.LLD == "" {
		return cli.Usagef("--lld is required for AMD GPUs: the path of ld.lld")
	}
	t, err := cli.ReadTable(o.Table)
	if err != nil {
		return err
	}
	rows, err := modulefiles.RowsOf(o.Table, t)
	if err != nil {
		return err
	}
	var group outfile.Group
	defer group.Close()
	out, err := modulefiles.NewOutputs(&group, o.CodeDir, "")
	if err != nil {
		return err
	}
	column := t.Column(filetable.Code)
	err = buildstep.Each(ctx, log, len(rows), runtime.GOMAXPROCS(0), func(ctx context.Context, log io.Writer, i int) error {
		code := out.Code.File(rows[i].Stem() + gpu.extension)
		t.Rows[i][column] = code.Path
		m := gpuModule{options: &o, gpu: gpu, row: rows[i], image: code.Scratch}
		return m.compile(ctx, log)
	})
	if err != nil {
		return out.Relabel(err)
	}
	return out.Commit(o.Output, t)
}

// A gpu describes the GPUs of a vendor.
type gpu struct {
	vendor      string
	subGroup    uint32 // sub-group size
	links       bool   // whether ld.lld links object files
	extension   string
	unsupported *regexp.Regexp // mathematical intrinsics that LLVM does not compile, or not accurately
	library     string         // library that implements them
}

// maxGPUWorkGroup is the maximum number of work-items in a work-group on all of these GPUs.
const maxGPUWorkGroup = 1024

// unsupportedFunctions are functions that LLVM does not compile for any type, or compiles inaccurately.
const unsupportedFunctions = `sin|cos|sincos|tan|asin|acos|atan|sinh|cosh|tanh|pow|atan2`

var (
	unsupportedNVIDIA = regexp.MustCompile(`@llvm\.((?:` + unsupportedFunctions + `|exp|exp10|log|log2|log10)\.(?:v\d+)?(?:f16|f32|f64)|exp2\.(?:v\d+)?f64)\(`)
	unsupportedAMD    = regexp.MustCompile(`@llvm\.((?:` + unsupportedFunctions + `)\.(?:v\d+)?(?:f16|f32|f64)|(?:exp|exp2|exp10|log|log2|log10)\.(?:v\d+)?f64)\(`)
)

var gfxName = regexp.MustCompile(`^gfx([0-9]+)[0-9a-f]{2}$`)

// gpuOf returns the description of a GPU, or a usage error for an unknown name.
func gpuOf(device string) (*gpu, error) {
	if strings.HasPrefix(device, "sm_") {
		return &gpu{vendor: "NVIDIA", subGroup: 32, extension: ".ptx", unsupported: unsupportedNVIDIA, library: "CUDA's libdevice"}, nil
	}
	name := gfxName.FindStringSubmatch(device)
	if name == nil {
		return nil, cli.Usagef("--device: unknown GPU '%s'; expected an NVIDIA GPU such as sm_90 or an AMD GPU such as gfx90a", device)
	}
	g := &gpu{vendor: "AMD", subGroup: 64, links: true, extension: ".hsaco", unsupported: unsupportedAMD, library: "ROCm's device library"}
	if major, err := strconv.Atoi(name[1]); err != nil || major >= 10 {
		g.subGroup = 32
	}
	return g, nil
}

// A gpuModule is a module to compile.
type gpuModule struct {
	options *Options
	gpu     *gpu
	row     modulefiles.Row
	image   string // image file to write
}

func (m *gpuModule) compile(ctx context.Context, log io.Writer) error {
	o := m.options
	if n, err := m.row.Size(); err != nil {
		return err
	} else if n == 0 {
		return cli.BadInput(fmt.Errorf("%s: the file is empty", m.row.Code))
	}
	if err := m.check(); err != nil {
		return fmt.Errorf("%s: %w", m.row.Code, err)
	}
	recipe := buildstep.Recipe{
		Programs:  []string{o.Opt, o.LLC, o.LLD, o.LLVMLink, o.LibCLC},
		Options:   []string{o.Device, strconv.FormatBool(o.KeepDebugInfo)},
		InputFile: m.row.Code,
	}
	return o.Cache.Make(recipe, m.image, log, func(log io.Writer) error { return m.run(ctx, log) })
}

// run compiles the module.
func (m *gpuModule) run(ctx context.Context, log io.Writer) error {
	o := m.options
	var text bytes.Buffer
	if err := m.optimize(ctx, nil, m.row.Code, log, &text); err != nil {
		return err
	}
	if err := m.linkLibCLC(ctx, log, &text); err != nil {
		return fmt.Errorf("%s: %w", m.row.Code, err)
	}
	if err := m.checkFunctions(text.Bytes()); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", m.row.Code, err))
	}
	object, maker := m.image, o.LLC
	args := []string{"-O2", "-mcpu=" + o.Device}
	if m.gpu.links {
		object += ".o"
		maker = o.LLD
		args = append(args, "--filetype=obj")
	}
	if err := buildstep.Run(ctx, &text, nil, log, o.LLC, append(args, "-o", object, "-")...); err != nil {
		return fmt.Errorf("%s: %w", m.row.Code, err)
	}
	if m.gpu.links {
		err := buildstep.Run(ctx, nil, nil, log, o.LLD, "-shared", "-Bsymbolic", "--no-undefined", "--build-id=none", object, "-o", m.image)
		if err = cmp.Or(err, os.Remove(object)); err != nil {
			return err
		}
	}
	if n, err := modulefiles.Size(m.image); err != nil || n == 0 {
		return fmt.Errorf("%s exited with 0 but wrote no image for %s (%s)", maker, o.Device, m.row.Code)
	}
	return nil
}

// check returns an error if the module would compute wrong results on the GPU.
//
// The filter drops such modules if the device configuration is correct. This check is needed
// because no later step detects them: PTX does not contain the sub-group size.
func (m *gpuModule) check() error {
	if m.row.Properties == "" {
		return cli.BadInput(errors.New("no property file with the kernel names"))
	}
	data, found, err := cli.ReadListed(m.options.Table, m.row.Properties)
	if err != nil {
		return err
	}
	sets, err := propset.Parse(found, data)
	if err != nil {
		return err
	}
	needs, err := requirement.FromProperties(sets)
	if err != nil {
		return fmt.Errorf("%s: %w", found, err)
	}
	for _, size := range needs.SubGroupSizes {
		if size != m.gpu.subGroup {
			return cli.BadInput(fmt.Errorf("the kernel requires sub-group size %d, but %s has %d; remove the property sub_group_size, or build the kernel for other targets",
				size, m.options.Device, m.gpu.subGroup))
		}
	}
	if n := workItems(needs.WorkGroupSize); n > maxGPUWorkGroup {
		return cli.BadInput(fmt.Errorf("the kernel requires work-groups of %d work-items, but %s supports at most %d", n, m.options.Device, maxGPUWorkGroup))
	}
	return m.checkNames(sets)
}

// workItems returns the number of work-items in a work-group of the given size. To avoid an
// overflow, it returns early if no GPU supports the number.
func workItems(sizes []uint64) uint64 {
	n := uint64(1)
	for _, size := range sizes {
		if n *= min(size, 1<<20); n > 1<<40 {
			return n
		}
	}
	return n
}

// checkNames returns an error if GPU code cannot contain the name of a kernel.
func (m *gpuModule) checkNames(sets *propset.Registry) error {
	for _, p := range sets.Set(propset.KernelNames).Properties() {
		for _, r := range p.Key {
			if !inSymbol(r) {
				return cli.BadInput(fmt.Errorf("kernel name %s contains %q, which code for %s GPUs does not allow; rename the kernel",
					safetext.Escape(kernelname.Display(p.Key)), r, m.gpu.vendor))
			}
		}
	}
	return nil
}

func inSymbol(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_' || r == '$'
}

// inLibCLC matches the intrinsics for which libclc has accurate functions, as measured on a GPU.
// docs/build/stock-clang.md lists the measurements, and explains why others are missing.
var inLibCLC = regexp.MustCompile(`@llvm\.(?:(?:sin|cos|tan|asin|acos|atan|atan2|tanh|log|log2|log10)\.f(?:32|64)|(?:sinh|cosh|exp10|pow)\.f32|(?:exp|exp2|exp10)\.f64)\(`)

// linkLibCLC links libclc's functions into a module that needs them.
func (m *gpuModule) linkLibCLC(ctx context.Context, log io.Writer, text *bytes.Buffer) error {
	o := m.options
	if o.LibCLC == "" || m.gpu.links || !inLibCLC.Match(text.Bytes()) {
		return nil
	}
	// The functions have the C++ names of OpenCL C functions: _Z3sind is sin(double).
	calls := inLibCLC.ReplaceAllFunc(text.Bytes(), func(name []byte) []byte {
		function, bits, _ := strings.Cut(string(name[len("@llvm."):len(name)-1]), ".f")
		letters := map[string]string{"32": "f", "64": "d"}[bits]
		if function == "atan2" || function == "pow" {
			letters += letters
		}
		return fmt.Appendf(nil, "@_Z%d%s%s(", len(function), function, letters)
	})
	var linked bytes.Buffer
	err := buildstep.Run(ctx, bytes.NewReader(calls), &linked, log, o.LLVMLink, "--only-needed", "--internalize", "--suppress-warnings", "-", o.LibCLC, "-o", "-")
	if err != nil {
		return err
	}
	text.Reset()
	return m.optimize(ctx, &linked, "-", log, text)
}

// optimize writes the module as text, without unused code.
func (m *gpuModule) optimize(ctx context.Context, stdin io.Reader, module string, log io.Writer, text io.Writer) error {
	args := []string{"-S", "-mcpu=" + m.options.Device, "-passes=default<O2>"}
	if !m.options.KeepDebugInfo {
		args = append(args, "-strip-debug")
	}
	var stderr bytes.Buffer
	if err := buildstep.Run(ctx, stdin, text, &stderr, m.options.Opt, append(args, module, "-o", "-")...); err != nil {
		return err
	}
	// LLVM only warns, and compiles for a default GPU.
	if bytes.Contains(stderr.Bytes(), []byte("is not a recognized processor")) {
		return fmt.Errorf("%s does not support the GPU %s; use a different version of LLVM, or remove the target", m.options.Opt, m.options.Device)
	}
	_, err := stderr.WriteTo(log)
	return err
}

// checkFunctions returns an error if a module uses functions or variables that are not defined.
// Local memory is an exception, because launching the kernel defines it.
func (m *gpuModule) checkFunctions(text []byte) error {
	var math, undefined []string
	for line := range bytes.Lines(text) {
		if name := undefinedVariable.FindSubmatch(line); name != nil && !bytes.Contains(line, []byte("addrspace(3)")) {
			undefined = append(undefined, safetext.Escape(kernelname.Display(string(name[1]))))
			continue
		}
		if !bytes.HasPrefix(line, []byte("declare ")) {
			continue
		}
		if name := m.gpu.unsupported.FindSubmatch(line); name != nil {
			math = append(math, string(name[1]))
		} else if name := declared.FindSubmatch(line); name != nil && !bytes.HasPrefix(name[1], []byte("llvm.")) {
			undefined = append(undefined, safetext.Escape(kernelname.Display(string(name[1]))))
		}
	}
	slices.Sort(math)
	slices.Sort(undefined)
	switch {
	case len(math) > 0:
		return fmt.Errorf("the code calls mathematical functions that LLVM does not compile for %s GPUs: %s (f32 is float). %s, which is not linked, implements them. %sReplace them, or build the kernel for other targets",
			m.gpu.vendor, strings.Join(math, ", "), m.gpu.library, m.libclcAdvice(text))
	case len(undefined) > 0:
		return fmt.Errorf("undefined functions or variables: %s", strings.Join(undefined, ", "))
	}
	return nil
}

// libclcAdvice returns how to install libclc if it implements some of the missing functions.
func (m *gpuModule) libclcAdvice(text []byte) string {
	if m.gpu.links || !inLibCLC.Match(text) {
		return ""
	}
	return "libclc implements some of them; install it (Debian: libclc-21) and build again, or set the attribute 'libclc' of the sycl_toolchain. "
}

// undefinedVariable matches the declaration of a variable without a definition.
var undefinedVariable = regexp.MustCompile(`^@"?([^" ]+)"? = external `)

// declared matches the name in a function declaration.
var declared = regexp.MustCompile(`@"?([^"(]+)`)
