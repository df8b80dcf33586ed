package postlink

// Attributes of device code.
const (
	attrReferencedIndirectly = "referenced-indirectly"    // its address is taken
	attrRegisterAllocMode    = "sycl-register-alloc-mode" // a number
	attrGRFSize              = "sycl-grf-size"            // a number
	attrOptLevel             = "sycl-optlevel"            // a number
	attrWorkGroupStatic      = "sycl-work-group-static"   // of a kernel with memory shared by a work-group
	attrImplicitLocalArg     = "sycl-implicit-local-arg"  // of the parameter that points to that memory
	attrWorkGroupScratch     = "sycl-work-group-scratch"  // of a kernel that uses memory whose size is set at submission
	attrUniqueID             = "sycl-unique-id"           // name by which hosts find a variable
	attrDeviceGlobalSize     = "sycl-device-global-size"  // in bytes
	attrDeviceImageScope     = "sycl-device-image-scope"  // each image has its own variable
	attrHostPipe             = "sycl-host-pipe"
	attrHostPipeSize         = "sycl-host-pipe-size" // in bytes
	attrExported             = "rules_sycl-exported" // of a variable that an image exports, regardless of its linkage
)
