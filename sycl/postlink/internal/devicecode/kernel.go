package devicecode

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

const executionModeMD = "spirv.ExecutionMode"

// A kernelProperty is a kernel property that is lowered to metadata.
type kernelProperty struct {
	name     string // of the attribute
	metadata string // kind of the attached metadata
	content  func(k *kernel, value string) (string, error)
}

// kernelProperties lists the properties in the order in which their metadata is attached.
var kernelProperties = []kernelProperty{
	{"sycl-work-group-size", "reqd_work_group_size", (*kernel).sizes},
	{"sycl-work-group-size-hint", "work_group_size_hint", (*kernel).sizes},
	{"sycl-max-work-group-size", "max_work_group_size", (*kernel).sizes},
	{"sycl-max-linear-work-group-size", "max_linear_work_group_size", (*kernel).linearSize},
	{"sycl-sub-group-size", "intel_reqd_sub_group_size", (*kernel).subGroupSize},
	{attrGRFSize, registerAllocMode, (*kernel).grfSize},
	{attrGRFSize, maximumRegisters, (*kernel).largestGRF},
	{attrRegisterAllocMode, registerAllocMode, (*kernel).allocMode},
	{attrMaximumRegisters, maximumRegisters, (*kernel).registers},
	{attrMaximumRegisters, registerAllocMode, (*kernel).registersAsMode},
	{"sycl-single-task", "max_global_work_dim", (*kernel).singleTask},
	{"sycl-fpga-cluster", "stall_free", clusterOf("0")},
	{"sycl-fpga-cluster", "stall_enable", clusterOf("1")},
	{"sycl-streaming-interface", "ip_interface", interfaceOf("streaming", "stall_free_return")},
	{"sycl-register-map-interface", "ip_interface", interfaceOf("csr", "wait_for_done_write")},
}

const (
	attrGRFSize           = "sycl-grf-size"
	attrMaximumRegisters  = "sycl-maximum-registers"
	attrRegisterAllocMode = "sycl-register-alloc-mode" // until DPC++ 2025
	registerAllocMode     = "RegisterAllocMode"
	maximumRegisters      = "MaximumRegisters"
	attrFloatingPoint     = "sycl-floating-point-control"
)

// A kernel holds the context for lowering a kernel's properties.
type kernel struct {
	*llvmir.Function
	triple     string // of the module
	dpcpp      bool   // whether DPC++ translates the module
	attributes map[string]string
}

// kernel lowers the properties of a kernel and its parameters.
func (l *lowering) kernel(f *llvmir.Function) error {
	k := &kernel{f, l.triple, l.options.DPCPP, map[string]string{}}
	attributes := propertiesOf(f.Attributes())
	for _, a := range attributes {
		k.attributes[a.Key] = a.Value
	}
	if _, ok := k.attributes[attrGRFSize]; ok {
		if _, ok := k.attributes[attrRegisterAllocMode]; ok {
			return &MetadataError{Function: f.Name(), Msg: propertyError(attrGRFSize, fmt.Errorf("cannot be combined with %q; remove one of them", attrRegisterAllocMode)).Error()}
		}
	}
	for _, p := range kernelProperties {
		value, ok := k.attributes[p.name]
		if !ok || f.HasMetadata(p.metadata) {
			continue
		}
		content, err := p.content(k, value)
		if err != nil {
			return &MetadataError{Function: f.Name(), Msg: propertyError(p.name, err).Error()}
		}
		if content != "" {
			f.SetMetadata(p.metadata, l.node(content))
		}
	}
	l.dimensions(k)
	return errors.Join(l.sizeForPTX(k), l.floatingPoint(k), l.kernelDecorations(f, attributes), l.parameters(f))
}

// dimensions records the dimensionality of kernels whose sizes have fewer than three dimensions,
// because the metadata of the sizes always has three.
func (l *lowering) dimensions(k *kernel) {
	const kind = "work_group_num_dim"
	value := cmp.Or(k.attributes["sycl-work-group-size"], k.attributes["sycl-max-work-group-size"])
	if dims := strings.Count(value, ",") + 1; value != "" && dims < 3 && !k.HasMetadata(kind) {
		k.SetMetadata(kind, l.node(integer(32, uint64(dims))))
	}
}

// sizeForPTX adds to kernels for NVIDIA GPUs the attribute that LLVM lowers to the .reqntid
// directive, because LLVM does not read the metadata.
func (l *lowering) sizeForPTX(k *kernel) error {
	if !strings.HasPrefix(k.triple, "nvptx64-") {
		return nil
	}
	sizes, err := WorkGroupSize(l.m, k.Function)
	if sizes == nil || err != nil {
		return err
	}
	words := make([]string, len(sizes))
	for i, size := range sizes {
		if size > math.MaxUint32 {
			return &MetadataError{k.Name(), fmt.Sprintf("required work-group size %d is out of range; use at most %d", size, uint32(math.MaxUint32))}
		}
		words[i] = strconv.FormatUint(size, 10)
	}
	k.SetAttribute("nvvm.reqntid", strings.Join(words, ","))
	return nil
}

// sizes returns the metadata for a work-group size, whose slowest dimension is first. In metadata,
// the fastest dimension is first.
func (k *kernel) sizes(value string) (string, error) {
	words := strings.Split(value, ",")
	if len(words) > 3 {
		return "", fmt.Errorf("%q has more than three dimensions", value)
	}
	sizes := []string{}
	for _, word := range words {
		n, err := positive(word, k.sizeBits())
		if err != nil {
			return "", err
		}
		sizes = append(sizes, integer(k.sizeBits(), n))
	}
	slices.Reverse(sizes)
	for len(sizes) < 3 {
		sizes = append(sizes, integer(k.sizeBits(), 1))
	}
	return strings.Join(sizes, ", "), nil
}

func (k *kernel) linearSize(value string) (string, error) {
	n, err := positive(value, k.sizeBits())
	return integer(k.sizeBits(), n), err
}

func (k *kernel) subGroupSize(value string) (string, error) {
	n, err := positive(value, 32)
	return integer(32, n), err
}

// grfSize returns the metadata for a number of registers that has a mode. Other numbers have no
// mode; a device compiler that supports them reads them from the property sets.
func (k *kernel) grfSize(value string) (string, error) {
	n, err := unsigned(value, 32)
	mode, ok := map[uint64]uint64{0: 0, 128: 1, 256: 2}[n]
	if err != nil || !ok || k.explicitSIMD() {
		return "", err
	}
	return integer(32, mode), nil
}

// largestGRF returns the metadata for the size without a mode. DPC++ emits it only for
// ahead-of-time compilation.
func (k *kernel) largestGRF(value string) (string, error) {
	if value != "512" || !strings.HasPrefix(k.triple, "spir64_gen-") {
		return "", nil
	}
	return integer(32, 512), nil
}

func (k *kernel) allocMode(value string) (string, error) {
	n, err := unsigned(value, 32)
	if err == nil && n > 2 {
		err = fmt.Errorf("%q is not 0 (automatic), 1 (small) or 2 (large)", value)
	}
	if k.explicitSIMD() {
		return "", err
	}
	return integer(32, n), err
}

// explicitSIMD reports whether the kernel is explicit SIMD code, whose compiler reads the number of
// registers from the property sets.
func (k *kernel) explicitSIMD() bool { return k.HasMetadata("sycl_explicit_simd") }

func (k *kernel) registers(value string) (string, error) {
	n, err := unsigned(value, 32)
	if n == 0 && err == nil {
		return `!"AutoINTEL"`, nil
	}
	return integer(32, n), err
}

// registersAsMode returns the mode for a number of registers, for translators that do not read
// registers: llvm-spirv 21 drops them.
func (k *kernel) registersAsMode(value string) (string, error) {
	if k.dpcpp {
		return "", nil
	}
	return k.grfSize(value)
}

// singleTask returns the metadata for kernels with one work-item, which only FPGAs use.
func (k *kernel) singleTask(string) (string, error) {
	if !strings.HasPrefix(k.triple, "spir64_fpga-") {
		return "", nil
	}
	return integer(32, 0), nil
}

// clusterOf returns a function that lowers a property that specifies whether the pipeline may
// stall. Only one value of the property has metadata.
func clusterOf(value string) func(*kernel, string) (string, error) {
	return func(_ *kernel, v string) (string, error) {
		switch {
		case v != "0" && v != "1":
			return "", fmt.Errorf("%q is not 0 or 1", v)
		case v == value:
			return integer(32, 1), nil
		}
		return "", nil
	}
}

// interfaceOf returns a function that lowers a property that selects an interface and, unless its
// value is 0, an option of the interface.
func interfaceOf(name, option string) func(*kernel, string) (string, error) {
	return func(_ *kernel, value string) (string, error) {
		content := `!"` + name + `"`
		if value == "" {
			return content, nil
		}
		n, err := unsigned(value, 32)
		if n != 0 {
			content += `, !"` + option + `"`
		}
		return content, err
	}
}

// A floatingPointMode is a bit of sycl-floating-point-control.
type floatingPointMode struct {
	bit    uint64
	mode   int // of SPIR-V
	widths []int
}

var floatingPointModes = []floatingPointMode{
	{1 << 0, 4462, []int{64, 32, 16}}, // RoundingModeRTE
	{1 << 1, 5620, []int{64, 32, 16}}, // RoundingModeRTPINTEL
	{1 << 2, 5621, []int{64, 32, 16}}, // RoundingModeRTNINTEL
	{1 << 3, 4463, []int{64, 32, 16}}, // RoundingModeRTZ
	{1 << 4, 4460, []int{64, 32, 16}}, // DenormFlushToZero
	{1 << 7, 4459, []int{16}},         // DenormPreserve
	{1 << 6, 4459, []int{32}},
	{1 << 5, 4459, []int{64}},
}

// floatingPoint sets a kernel's rounding and denormal modes.
func (l *lowering) floatingPoint(k *kernel) error {
	value, ok := k.attributes[attrFloatingPoint]
	if !ok {
		return nil
	}
	bits, err := unsigned(value, 32)
	switch {
	case err != nil:
		return &MetadataError{Function: k.Name(), Msg: propertyError(attrFloatingPoint, err).Error()}
	case bits > 255:
		return &MetadataError{Function: k.Name(), Msg: propertyError(attrFloatingPoint, fmt.Errorf("%q has unknown mode bits", value)).Error()}
	}
	for _, m := range floatingPointModes {
		if bits&m.bit == 0 {
			continue
		}
		for _, width := range m.widths {
			l.mode(k.Function, m.mode, width)
		}
	}
	return nil
}

// mode adds an execution mode for numbers of a given width, unless it exists.
func (l *lowering) mode(f *llvmir.Function, mode, width int) {
	if l.hasMode == nil {
		l.hasMode = map[executionMode]bool{}
		l.readModes()
	}
	if e := (executionMode{f.Name(), mode, width}); !l.hasMode[e] {
		l.hasMode[e] = true
		l.modes = append(l.modes, l.m.AddNode(fmt.Sprintf("%s, i32 %d, i32 %d", l.m.Reference(f), mode, width)))
	}
}

type executionMode struct {
	kernel      string
	mode, width int
}

// readModes records the execution modes that kernels already have.
func (l *lowering) readModes() {
	named := l.m.NamedMetadata(executionModeMD)
	if named == nil {
		return
	}
	for _, id := range named.Nodes() {
		n := l.m.Node(id)
		if n == nil {
			continue
		}
		operands, numbers := n.Operands(), n.Ints()
		if len(operands) != 3 || len(numbers) != 2 {
			continue
		}
		if v, err := l.m.Value(operands[0].Text); err == nil {
			if name, ok := v.Global(); ok {
				l.hasMode[executionMode{name, int(numbers[0]), int(numbers[1])}] = true
			}
		}
	}
}

// sizeBits returns the width of size_t.
func (k *kernel) sizeBits() int {
	if t := k.triple; strings.HasPrefix(t, "spir-") || strings.HasPrefix(t, "spirv32-") {
		return 32
	}
	return 64
}
