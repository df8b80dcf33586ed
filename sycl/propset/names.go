package propset

// KernelDigests is the name of a property set with a number for each kernel: the digest of its
// SPIR-V code. Two kernels with the same name but different digests have different code. It is not
// a DPC++ set; DPC++'s runtime ignores it.
const KernelDigests = "rules_sycl/kernel digests"

// PartialDigest is a bit that is set in a digest that does not cover all of the code, because the
// code uses string literals, other arrays of bytes, specialization constants or function pointers.
const PartialDigest = 1

// IsPartialDigest reports whether different code can have the same digest.
func IsPartialDigest(digest uint32) bool { return digest&PartialDigest != 0 }

// Names of the sets that DPC++ defines. [Describe] reports whether its tools still write them.
const (
	SpecializationConstants        = "SYCL/specialization constants"
	SpecializationConstantDefaults = "SYCL/specialization constants default values"
	DeviceLibReqMask               = "SYCL/devicelib req mask"
	DeviceLibMetadata              = "SYCL/devicelib metadata"
	KernelParamOpt                 = "SYCL/kernel param opt"
	ProgramMetadata                = "SYCL/program metadata"
	MiscProperties                 = "SYCL/misc properties"
	AssertUsed                     = "SYCL/assert used"
	ExportedSymbols                = "SYCL/exported symbols"
	ImportedSymbols                = "SYCL/imported symbols"
	KernelNames                    = "SYCL/kernel names"
	DeviceGlobals                  = "SYCL/device globals"
	DeviceRequirements             = "SYCL/device requirements"
	HostPipes                      = "SYCL/host pipes"
	VirtualFunctions               = "SYCL/virtual functions"
	ImplicitLocalArg               = "SYCL/implicit local arg"
	WorkGroupDynamicLocalMem       = "SYCL/work group dynamic local mem"
	RegisteredKernels              = "SYCL/registered kernels"
	SYCLBINGlobal                  = "SYCLBIN/global metadata"
	SYCLBINIR                      = "SYCLBIN/ir module metadata"
	SYCLBINNative                  = "SYCLBIN/native device code image metadata"

	// SYCLBINNativeAlias is the SYCLBIN design document's spelling of SYCLBINNative. Readers accept
	// it, but no tool writes it.
	SYCLBINNativeAlias = "SYCLBIN/native device code image module metadata"
)

// Keys of [VirtualFunctions].
const (
	VirtualFunctionsSet     = "virtual-functions-set"      // the set that an image defines
	UsesVirtualFunctionsSet = "uses-virtual-functions-set" // the sets that its kernels call
)
