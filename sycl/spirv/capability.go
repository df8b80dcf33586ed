package spirv

import "strconv"

// A Capability is the number of a capability that a module declares.
type Capability uint32

// capabilityNames are those of capabilities that say something about what a device
// must be able to do.
var capabilityNames = map[Capability]string{
	4:    "Addresses",
	5:    "Linkage",
	6:    "Kernel",
	7:    "Vector16",
	8:    "Float16Buffer",
	9:    "Float16",
	10:   "Float64",
	11:   "Int64",
	12:   "Int64Atomics",
	13:   "ImageBasic",
	14:   "ImageReadWrite",
	15:   "ImageMipmap",
	18:   "Groups",
	20:   "LiteralSampler",
	22:   "Int16",
	38:   "GenericPointer",
	39:   "Int8",
	43:   "Sampled1D",
	44:   "Image1D",
	46:   "SampledBuffer",
	47:   "ImageBuffer",
	58:   "SubgroupDispatch",
	61:   "GroupNonUniform",
	62:   "GroupNonUniformVote",
	63:   "GroupNonUniformArithmetic",
	64:   "GroupNonUniformBallot",
	65:   "GroupNonUniformShuffle",
	66:   "GroupNonUniformShuffleRelative",
	67:   "GroupNonUniformClustered",
	4464: "DenormPreserve",
	4465: "DenormFlushToZero",
	4466: "SignedZeroInfNanPreserve",
	4467: "RoundingModeRTE",
	4468: "RoundingModeRTZ",
	5055: "ShaderClockKHR",
	5116: "BFloat16TypeKHR",
	5582: "RoundToInfinityINTEL",
	5583: "FloatingPointModeINTEL",
	5603: "FunctionPointersINTEL",
	5604: "IndirectReferencesINTEL",
	5612: "AtomicFloat32MinMaxEXT",
	5613: "AtomicFloat64MinMaxEXT",
	5616: "AtomicFloat16MinMaxEXT",
	5617: "VectorComputeINTEL",
	5619: "VectorAnyINTEL",
	5629: "ExpectAssumeKHR",
	5817: "VariableLengthArrayINTEL",
	5892: "KernelAttributesINTEL",
	5935: "USMStorageClassesINTEL",
	6019: "DotProduct",
	6022: "CooperativeMatrixKHR",
	6026: "GroupNonUniformRotateKHR",
	6033: "AtomicFloat32AddEXT",
	6034: "AtomicFloat64AddEXT",
	6094: "OptNoneEXT",
	6095: "AtomicFloat16AddEXT",
	6115: "BFloat16ConversionINTEL",
	6118: "JointMatrixINTEL",
	6236: "SubgroupMatrixMultiplyAccumulateINTEL",
	6528: "BindlessImagesINTEL",
}

// String returns the name in the SPIR-V specification or its extensions, or
// "capability N" for one that the package does not know.
func (c Capability) String() string {
	if name, ok := capabilityNames[c]; ok {
		return name
	}
	return "capability " + strconv.FormatUint(uint64(c), 10)
}
