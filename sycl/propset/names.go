package propset

// Names of the sets that DPC++ defines. Which of them its tools still write is
// in the answer of [Describe].
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

	// SYCLBINNativeAlias is how the SYCLBIN design document spells
	// SYCLBINNative. Nothing writes it; readers accept it.
	SYCLBINNativeAlias = "SYCLBIN/native device code image module metadata"
)

// Keys of [VirtualFunctions].
const (
	VirtualFunctionsSet     = "virtual-functions-set"      // the set that an image defines
	UsesVirtualFunctionsSet = "uses-virtual-functions-set" // those that its kernels call
)
