package aspect

import (
	"slices"
)

// A FeatureKind is the kind of a code feature.
type FeatureKind uint8

// The kinds of features.
const (
	TypeFeature        FeatureKind = iota // a value that an instruction produces, or a constant that it uses
	InstructionFeature                    // regardless of its types
	AtomicFeature                         // an atomic operation on a scalar
	MarkFeature                           // a property that code declares about itself
)

// A Feature is something in code that needs an aspect.
type Feature struct {
	Name   string
	Aspect Aspect
	Kind   FeatureKind

	// IR is the feature's name in LLVM IR: the name of a type, without the "target" of types that
	// only a target has; one of the constants below; the name of a function that the SPIR-V
	// translator replaces with an instruction; or the metadata that is a mark. Atomic operations
	// have many forms in LLVM IR.
	IR string

	// SPIRV are the opcodes of SPIR-V, or the capabilities that are a mark.
	SPIRV []uint16

	// Width is the number of bits of a scalar: of a type, or of an atomic operation's operand.
	Width uint32

	// HasElements is true if the type also needs the aspects of its element type.
	HasElements bool

	// FloatAddition is true if, of the atomic operations, only floating-point addition counts. Devices
	// with half support all others.
	FloatAddition bool

	// Scope is the first operand of the instruction, or 0 for any.
	Scope uint32

	// ReplacesType is true if the instruction's result type does not count as a feature.
	ReplacesType bool
}

// LLVM IR instructions that are not function calls, for Feature.IR.
const (
	VariableAlloca  = "alloca"   // with a size computed at run time
	IndirectCall    = "call"     // through a pointer
	FunctionAddress = "constant" // used by an instruction
)

// Features lists all features. Device code is LLVM IR or SPIR-V. Packages postlink/aspects and
// spirv, which read them, share this table, so they find the same features.
var Features = []Feature{
	{Name: "half", Aspect: FP16, Kind: TypeFeature, IR: "half", SPIRV: []uint16{opTypeFloat}, Width: 16},
	{Name: "double", Aspect: FP64, Kind: TypeFeature, IR: "double", SPIRV: []uint16{opTypeFloat}, Width: 64},
	{Name: "image", Aspect: Image, Kind: TypeFeature, IR: "spirv.Image", SPIRV: []uint16{opTypeImage}},
	{Name: "sampler", Aspect: Image, Kind: TypeFeature, IR: "spirv.Sampler", SPIRV: []uint16{opTypeSampler}},
	{Name: "sampled image", Aspect: Image, Kind: TypeFeature, IR: "spirv.SampledImage", SPIRV: []uint16{opTypeSampledImage}},
	{Name: "image for video", Aspect: Image, Kind: TypeFeature, IR: "spirv.VmeImageINTEL", SPIRV: []uint16{opTypeVmeImageINTEL}},
	{Name: "cooperative matrix", Aspect: ExtIntelMatrix, Kind: TypeFeature, IR: "spirv.CooperativeMatrixKHR", SPIRV: []uint16{opTypeCooperativeMatrixKHR}, HasElements: true},
	{Name: "joint matrix", Aspect: ExtIntelMatrix, Kind: TypeFeature, IR: "spirv.JointMatrixINTEL", SPIRV: []uint16{opTypeJointMatrixINTEL}, HasElements: true},

	{Name: "private array of a computed size", Aspect: ExtOneAPIPrivateAlloca, Kind: InstructionFeature, IR: VariableAlloca,
		SPIRV: []uint16{opVariableLengthArrayINTEL, opUntypedVariableLengthArrayINTEL}},
	{Name: "call of a pointer", Aspect: ExtOneAPIVirtualFunctions, Kind: InstructionFeature, IR: IndirectCall, SPIRV: []uint16{opFunctionPointerCallINTEL}},
	{Name: "address of a function", Aspect: ExtOneAPIVirtualFunctions, Kind: InstructionFeature, IR: FunctionAddress, SPIRV: []uint16{opConstantFunctionPointerINTEL}},
	{Name: "matrix product of a sub-group", Aspect: ExtIntelMatrix, Kind: InstructionFeature, IR: "__spirv_SubgroupMatrixMultiplyAccumulateINTEL",
		SPIRV: []uint16{opSubgroupMatrixMultiplyAccumulateINTEL}},
	{Name: "clock of the device", Aspect: ExtOneAPIClockDevice, Kind: InstructionFeature, IR: "__spirv_ReadClockKHR", SPIRV: []uint16{opReadClockKHR}, Scope: 1},
	{Name: "clock of the work-group", Aspect: ExtOneAPIClockWorkGroup, Kind: InstructionFeature, IR: "__spirv_ReadClockKHR", SPIRV: []uint16{opReadClockKHR}, Scope: 2},
	{Name: "clock of the sub-group", Aspect: ExtOneAPIClockSubGroup, Kind: InstructionFeature, IR: "__spirv_ReadClockKHR", SPIRV: []uint16{opReadClockKHR}, Scope: 3},
	{Name: "bindless image", Aspect: ExtOneAPIBindlessImages, Kind: InstructionFeature, IR: "__spirv_ConvertHandleToImageINTEL",
		SPIRV: []uint16{opConvertHandleToImageINTEL}, ReplacesType: true},
	{Name: "bindless sampler", Aspect: ExtOneAPIBindlessImages, Kind: InstructionFeature, IR: "__spirv_ConvertHandleToSamplerINTEL",
		SPIRV: []uint16{opConvertHandleToSamplerINTEL}, ReplacesType: true},
	{Name: "bindless sampled image", Aspect: ExtOneAPIBindlessImages, Kind: InstructionFeature, IR: "__spirv_ConvertHandleToSampledImageINTEL",
		SPIRV: []uint16{opConvertHandleToSampledImageINTEL}, ReplacesType: true},

	{Name: "atomic operation on 64 bits", Aspect: Atomic64, Kind: AtomicFeature, SPIRV: atomics, Width: 64},
	{Name: "atomic addition of halves", Aspect: ExtOneAPIAtomic16, Kind: AtomicFeature, SPIRV: []uint16{opAtomicFAddEXT}, Width: 16, FloatAddition: true},

	{Name: "explicit SIMD", Aspect: ExtIntelESIMD, Kind: MarkFeature, IR: "sycl_explicit_simd", SPIRV: []uint16{vectorComputeINTEL, vectorAnyINTEL}},
}

// OfFeatures returns the aspects that code features can need, without duplicates, in the order of
// the table.
func OfFeatures() []Aspect {
	var list []Aspect
	for _, f := range Features {
		if !slices.Contains(list, f.Aspect) {
			list = append(list, f.Aspect)
		}
	}
	return list
}

// IsKnownAtRunTime reports whether only the driver can tell whether an Intel GPU has an aspect. The
// kind of the device and its compiler determine some aspects. For the others, such as
// ext_intel_device_id and usm_system_allocations, the runtime asks the driver.
//
// The driver also decides about clocks and bindless images, although code features need these
// aspects. Compilers accept code that reads a clock for every Intel GPU, and the SPIR-V capability
// shows which GPUs they accept bindless images for.
func IsKnownAtRunTime(a Aspect) bool {
	switch a {
	case ExtOneAPIClockSubGroup, ExtOneAPIClockWorkGroup, ExtOneAPIClockDevice, ExtOneAPIBindlessImages:
		return true
	case CPU, GPU, Accelerator, Custom, Emulated, HostDebuggable, ExtIntelLegacyImage, ExtOneAPICUDAAsyncBarrier, ExtOneAPICUDAClusterGroup,
		ExtOneAPIFragment, ExtOneAPIChunk, ExtOneAPITangle:
		return false
	}
	return a.IsKnown() && a < Retired && !slices.Contains(OfFeatures(), a)
}

// SPIR-V opcodes and capabilities.
const (
	opTypeFloat                             = 22
	opTypeImage                             = 25
	opTypeSampler                           = 26
	opTypeSampledImage                      = 27
	opAtomicLoad                            = 227
	opAtomicXor                             = 242
	opTypeCooperativeMatrixKHR              = 4456
	opReadClockKHR                          = 5056
	opConstantFunctionPointerINTEL          = 5600
	opFunctionPointerCallINTEL              = 5601
	opAtomicFMinEXT                         = 5614
	opAtomicFMaxEXT                         = 5615
	opTypeVmeImageINTEL                     = 5700
	opVariableLengthArrayINTEL              = 5818
	opAtomicFAddEXT                         = 6035
	opTypeJointMatrixINTEL                  = 6119
	opSubgroupMatrixMultiplyAccumulateINTEL = 6237
	opUntypedVariableLengthArrayINTEL       = 6244
	opConvertHandleToImageINTEL             = 6529
	opConvertHandleToSamplerINTEL           = 6530
	opConvertHandleToSampledImageINTEL      = 6531

	vectorComputeINTEL = 5617
	vectorAnyINTEL     = 5619
)

// atomics are the atomic instructions.
var atomics = func() []uint16 {
	list := []uint16{opAtomicFMinEXT, opAtomicFMaxEXT, opAtomicFAddEXT}
	for op := uint16(opAtomicLoad); op <= opAtomicXor; op++ {
		list = append(list, op)
	}
	return list
}()
