package postlink

// Attributes of device code.
const (
	attrReferencedIndirectly = "referenced-indirectly"    // its address is taken
	attrRegisterAllocMode    = "sycl-register-alloc-mode" // a number
	attrGRFSize              = "sycl-grf-size"            // a number
	attrOptLevel             = "sycl-optlevel"            // a number
	attrWorkGroupStatic      = "sycl-work-group-static"   // of a kernel with memory that a work-group shares
	attrImplicitLocalArg     = "sycl-implicit-local-arg"  // of the parameter that points to it
	attrWorkGroupScratch     = "sycl-work-group-scratch"  // of a kernel that asks for the part whose size is set when it is submitted
	attrUniqueID             = "sycl-unique-id"           // by which hosts know a variable
	attrDeviceGlobalSize     = "sycl-device-global-size"  // in bytes
	attrDeviceImageScope     = "sycl-device-image-scope"  // each image has its own variable
	attrHostPipe             = "sycl-host-pipe"
	attrHostPipeSize         = "sycl-host-pipe-size" // in bytes
	attrExported             = "rules_sycl-exported" // of a variable that an image exports, whatever its linkage
)
