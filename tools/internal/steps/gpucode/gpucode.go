// Package gpucode is the step that compiles modules for NVIDIA and AMD GPUs with LLVM.
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

// Options say what to compile for a GPU that LLVM makes code for.
type Options struct {
	Table         string
	Opt, LLC, LLD string // paths; LLD is for AMD GPUs alone
	LLVMLink      string // its path, beside LibCLC
	LibCLC        string // bitcode with mathematical functions for NVIDIA GPUs, or empty
	Device        string // as LLVM calls it: sm_90, gfx90a
	CodeDir       string // for images
	Output        string // the table with them
	KeepDebugInfo bool
	Kept          *buildstep.Kept // images that were made before
}

// Run compiles the bitcode of a table's rows: to PTX for NVIDIA GPUs, to code objects
// for AMD GPUs.
func Run(ctx context.Context, log io.Writer, o Options) error {
	gpu, err := gpuOf(o.Device)
	if err != nil {
		return err
	}
	if gpu.links && o.LLD == "" {
		return cli.Usagef("--lld is missing: ld.lld, which makes code objects for AMD GPUs")
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

// A gpu holds what the GPUs of a vendor share.
type gpu struct {
	vendor    string
	subGroup  uint32 // its size
	links     bool   // object files, by ld.lld
	extension string
	lacks     *regexp.Regexp // intrinsics for mathematics without code, or without good code
	library   string         // which has such code
}

// maxGPUWorkGroup is how many work-items a work-group has on all of them.
const maxGPUWorkGroup = 1024

// LLVM compiles none of these well: some for no type, others with few correct bits.
const lackingFunctions = `sin|cos|sincos|tan|asin|acos|atan|sinh|cosh|tanh|pow|atan2`

var (
	lackingNVIDIA = regexp.MustCompile(`@llvm\.((?:` + lackingFunctions + `|exp|exp10|log|log2|log10)\.(?:v\d+)?(?:f16|f32|f64)|exp2\.(?:v\d+)?f64)\(`)
	lackingAMD    = regexp.MustCompile(`@llvm\.((?:` + lackingFunctions + `)\.(?:v\d+)?(?:f16|f32|f64)|(?:exp|exp2|exp10|log|log2|log10)\.(?:v\d+)?f64)\(`)
)

var gfxName = regexp.MustCompile(`^gfx([0-9]+)[0-9a-f]{2}$`)

// gpuOf returns what is known of a GPU by its name.
func gpuOf(device string) (*gpu, error) {
	if strings.HasPrefix(device, "sm_") {
		return &gpu{vendor: "NVIDIA", subGroup: 32, extension: ".ptx", lacks: lackingNVIDIA, library: "CUDA's libdevice"}, nil
	}
	name := gfxName.FindStringSubmatch(device)
	if name == nil {
		return nil, cli.Usagef("--device: '%s' is neither an NVIDIA GPU (sm_90) nor an AMD GPU (gfx90a)", device)
	}
	g := &gpu{vendor: "AMD", subGroup: 64, links: true, extension: ".hsaco", lacks: lackingAMD, library: "ROCm's device library"}
	if major, err := strconv.Atoi(name[1]); err != nil || major >= 10 {
		g.subGroup = 32
	}
	return g, nil
}

// A gpuModule is a module that is compiled.
type gpuModule struct {
	options *Options
	gpu     *gpu
	row     modulefiles.Row
	image   string // the file to write
}

func (m *gpuModule) compile(ctx context.Context, log io.Writer) error {
	o := m.options
	if n, err := m.row.Size(); err != nil {
		return err
	} else if n == 0 {
		return cli.BadInput(fmt.Errorf("%s: it is empty", m.row.Code))
	}
	if err := m.check(); err != nil {
		return fmt.Errorf("%s: %w", m.row.Code, err)
	}
	recipe := buildstep.Recipe{
		Programs:  []string{o.Opt, o.LLC, o.LLD, o.LLVMLink, o.LibCLC},
		Options:   []string{o.Device, strconv.FormatBool(o.KeepDebugInfo)},
		InputFile: m.row.Code,
	}
	return o.Kept.Make(recipe, m.image, log, func(log io.Writer) error { return m.run(ctx, log) })
}

// run runs the compilers.
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

// check refuses what the GPU would compute wrong numbers for.
//
// A filter with the configuration of the device has dropped such modules, unless it says
// otherwise than the GPU is. PTX has no place for the size of a sub-group, so that
// nothing after this step would notice.
func (m *gpuModule) check() error {
	if m.row.Properties == "" {
		return cli.BadInput(errors.New("the property file with the kernel names is missing"))
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
			return cli.BadInput(fmt.Errorf("the required sub-group size is %d, and that of %s is %d: remove the property sub_group_size, or build the kernel for other targets",
				size, m.options.Device, m.gpu.subGroup))
		}
	}
	if n := workItems(needs.WorkGroupSize); n > maxGPUWorkGroup {
		return cli.BadInput(fmt.Errorf("the required work-group has %d work-items, and %s has at most %d", n, m.options.Device, maxGPUWorkGroup))
	}
	return m.checkNames(sets)
}

// workItems returns how many work-items a work-group has. It stops counting at numbers that
// no GPU takes.
func workItems(sizes []uint64) uint64 {
	n := uint64(1)
	for _, size := range sizes {
		if n *= min(size, 1<<20); n > 1<<40 {
			return n
		}
	}
	return n
}

// checkNames refuses names of kernels that code for GPUs cannot have.
func (m *gpuModule) checkNames(sets *propset.Registry) error {
	for _, p := range sets.Set(propset.KernelNames).Properties() {
		for _, r := range p.Key {
			if !inSymbol(r) {
				return cli.BadInput(fmt.Errorf("the name of the kernel %s has the character %q, which is not allowed in names for %s GPUs: rename the kernel",
					safetext.Escape(kernelname.Display(p.Key)), r, m.gpu.vendor))
			}
		}
	}
	return nil
}

func inSymbol(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_' || r == '$'
}

// inLibCLC finds the intrinsics that libclc has functions for, which were measured on a GPU.
// docs/build/stock-clang.md has the figures, and says what is wrong with others.
var inLibCLC = regexp.MustCompile(`@llvm\.(?:(?:sin|cos|tan|asin|acos|atan|atan2|tanh|log|log2|log10)\.f(?:32|64)|(?:sinh|cosh|exp10|pow)\.f32|(?:exp|exp2|exp10)\.f64)\(`)

// linkLibCLC adds libclc's functions to a module that needs them.
func (m *gpuModule) linkLibCLC(ctx context.Context, log io.Writer, text *bytes.Buffer) error {
	o := m.options
	if o.LibCLC == "" || m.gpu.links || !inLibCLC.Match(text.Bytes()) {
		return nil
	}
	// They have the names of OpenCL C in C++: _Z3sind is sin(double).
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

// optimize writes the module as text, without code that it no longer needs.
func (m *gpuModule) optimize(ctx context.Context, stdin io.Reader, module string, log io.Writer, text io.Writer) error {
	args := []string{"-S", "-mcpu=" + m.options.Device, "-passes=default<O2>"}
	if !m.options.KeepDebugInfo {
		args = append(args, "-strip-debug")
	}
	var said bytes.Buffer
	if err := buildstep.Run(ctx, stdin, text, &said, m.options.Opt, append(args, module, "-o", "-")...); err != nil {
		return err
	}
	// LLVM goes on as if no GPU was given.
	if bytes.Contains(said.Bytes(), []byte("is not a recognized processor")) {
		return fmt.Errorf("%s does not know the GPU %s: use another version of LLVM, or remove the target", m.options.Opt, m.options.Device)
	}
	_, err := said.WriteTo(log)
	return err
}

// checkFunctions refuses a module that uses what neither it nor LLVM has. Local memory is
// defined by the launch.
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
		if name := m.gpu.lacks.FindSubmatch(line); name != nil {
			math = append(math, string(name[1]))
		} else if name := declared.FindSubmatch(line); name != nil && !bytes.HasPrefix(name[1], []byte("llvm.")) {
			undefined = append(undefined, safetext.Escape(kernelname.Display(string(name[1]))))
		}
	}
	slices.Sort(math)
	slices.Sort(undefined)
	switch {
	case len(math) > 0:
		return fmt.Errorf("the code calls mathematical functions that LLVM does not compile for %s GPUs: %s (f32 is float). They are in %s, which is not linked. %sReplace them, or build the kernel for other targets",
			m.gpu.vendor, strings.Join(math, ", "), m.gpu.library, m.libclcAdvice(text))
	case len(undefined) > 0:
		return fmt.Errorf("the code uses functions or variables that no source defines: %s", strings.Join(undefined, ", "))
	}
	return nil
}

// libclcAdvice tells how to get libclc if it has some of the missing functions.
func (m *gpuModule) libclcAdvice(text []byte) string {
	if m.gpu.links || !inLibCLC.Match(text) {
		return ""
	}
	return "libclc has some: install it (Debian: libclc-21) and build again, or set the attribute 'libclc' of the sycl_toolchain. "
}

// undefinedVariable finds the name of a variable without a definition.
var undefinedVariable = regexp.MustCompile(`^@"?([^" ]+)"? = external `)

// declared finds the name in a declaration.
var declared = regexp.MustCompile(`@"?([^"(]+)`)
