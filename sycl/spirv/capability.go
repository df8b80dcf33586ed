package spirv

import "strconv"

// A Capability is the number of a capability that a module declares.
type Capability uint32

// Capabilities that say something about what a device must be able to do.
const (
	Addresses                             Capability = 4
	Linkage                               Capability = 5
	KernelCapability                      Capability = 6
	Vector16                              Capability = 7
	Float16Buffer                         Capability = 8
	Float16                               Capability = 9
	Float64                               Capability = 10
	Int64                                 Capability = 11
	Int64Atomics                          Capability = 12
	ImageBasic                            Capability = 13
	ImageReadWrite                        Capability = 14
	ImageMipmap                           Capability = 15
	Groups                                Capability = 18
	LiteralSampler                        Capability = 20
	Int16                                 Capability = 22
	GenericPointer                        Capability = 38
	Int8                                  Capability = 39
	Sampled1D                             Capability = 43
	Image1D                               Capability = 44
	SampledBuffer                         Capability = 46
	ImageBuffer                           Capability = 47
	SubgroupDispatch                      Capability = 58
	GroupNonUniform                       Capability = 61
	GroupNonUniformVote                   Capability = 62
	GroupNonUniformArithmetic             Capability = 63
	GroupNonUniformBallot                 Capability = 64
	GroupNonUniformShuffle                Capability = 65
	GroupNonUniformShuffleRelative        Capability = 66
	GroupNonUniformClustered              Capability = 67
	ShaderClockKHR                        Capability = 5055
	BFloat16TypeKHR                       Capability = 5116
	FunctionPointersINTEL                 Capability = 5603
	IndirectReferencesINTEL               Capability = 5604
	AtomicFloat32MinMaxEXT                Capability = 5612
	AtomicFloat64MinMaxEXT                Capability = 5613
	AtomicFloat16MinMaxEXT                Capability = 5616
	VectorComputeINTEL                    Capability = 5617
	VectorAnyINTEL                        Capability = 5619
	ExpectAssumeKHR                       Capability = 5629
	VariableLengthArrayINTEL              Capability = 5817
	USMStorageClassesINTEL                Capability = 5935
	DotProduct                            Capability = 6019
	CooperativeMatrixKHR                  Capability = 6022
	GroupNonUniformRotateKHR              Capability = 6026
	AtomicFloat32AddEXT                   Capability = 6033
	AtomicFloat64AddEXT                   Capability = 6034
	OptNoneEXT                            Capability = 6094
	AtomicFloat16AddEXT                   Capability = 6095
	BFloat16ConversionINTEL               Capability = 6115
	JointMatrixINTEL                      Capability = 6118
	SubgroupMatrixMultiplyAccumulateINTEL Capability = 6236
	BindlessImagesINTEL                   Capability = 6528
)

var capabilityNames = map[Capability]string{
	Addresses: "Addresses", Linkage: "Linkage", KernelCapability: "Kernel", Vector16: "Vector16",
	Float16Buffer: "Float16Buffer", Float16: "Float16", Float64: "Float64", Int64: "Int64", Int64Atomics: "Int64Atomics",
	ImageBasic: "ImageBasic", ImageReadWrite: "ImageReadWrite", ImageMipmap: "ImageMipmap", Groups: "Groups",
	LiteralSampler: "LiteralSampler", Int16: "Int16", GenericPointer: "GenericPointer", Int8: "Int8",
	Sampled1D: "Sampled1D", Image1D: "Image1D", SampledBuffer: "SampledBuffer", ImageBuffer: "ImageBuffer",
	SubgroupDispatch: "SubgroupDispatch", GroupNonUniform: "GroupNonUniform",
	GroupNonUniformVote: "GroupNonUniformVote", GroupNonUniformArithmetic: "GroupNonUniformArithmetic",
	GroupNonUniformBallot: "GroupNonUniformBallot", GroupNonUniformShuffle: "GroupNonUniformShuffle",
	GroupNonUniformShuffleRelative: "GroupNonUniformShuffleRelative",
	GroupNonUniformClustered:       "GroupNonUniformClustered", ShaderClockKHR: "ShaderClockKHR",
	BFloat16TypeKHR: "BFloat16TypeKHR", FunctionPointersINTEL: "FunctionPointersINTEL",
	IndirectReferencesINTEL: "IndirectReferencesINTEL", AtomicFloat32MinMaxEXT: "AtomicFloat32MinMaxEXT",
	AtomicFloat64MinMaxEXT: "AtomicFloat64MinMaxEXT", AtomicFloat16MinMaxEXT: "AtomicFloat16MinMaxEXT",
	VectorComputeINTEL: "VectorComputeINTEL", VectorAnyINTEL: "VectorAnyINTEL", ExpectAssumeKHR: "ExpectAssumeKHR",
	VariableLengthArrayINTEL: "VariableLengthArrayINTEL", USMStorageClassesINTEL: "USMStorageClassesINTEL",
	DotProduct: "DotProduct", CooperativeMatrixKHR: "CooperativeMatrixKHR",
	GroupNonUniformRotateKHR: "GroupNonUniformRotateKHR", AtomicFloat32AddEXT: "AtomicFloat32AddEXT",
	AtomicFloat64AddEXT: "AtomicFloat64AddEXT", OptNoneEXT: "OptNoneEXT", AtomicFloat16AddEXT: "AtomicFloat16AddEXT",
	BFloat16ConversionINTEL: "BFloat16ConversionINTEL", JointMatrixINTEL: "JointMatrixINTEL",
	SubgroupMatrixMultiplyAccumulateINTEL: "SubgroupMatrixMultiplyAccumulateINTEL", BindlessImagesINTEL: "BindlessImagesINTEL",
}

// String returns the name in the SPIR-V specification or its extensions, or
// "capability N" for one that the package does not know.
func (c Capability) String() string {
	if name, ok := capabilityNames[c]; ok {
		return name
	}
	return "capability " + strconv.FormatUint(uint64(c), 10)
}
