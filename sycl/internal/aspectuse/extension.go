package aspectuse

// RefusedExtensions are extensions of SPIR-V that compilers for devices took once and that
// current ones refuse, with what to do. ocloc 26.27.1 refuses each for every GPU: "input
// SPIR-V module uses extension 'SPV_INTEL_optimization_hints' which were disabled". That
// one is in libraries of 2021; the others are what properties for FPGAs become.
var RefusedExtensions = map[string]string{
	"SPV_INTEL_optimization_hints":                    "a program that is compiled anew uses SPV_KHR_expect_assume",
	"SPV_INTEL_fpga_argument_interfaces":              leaveOut,
	"SPV_INTEL_fpga_buffer_location":                  leaveOut,
	"SPV_INTEL_fpga_cluster_attributes":               leaveOut,
	"SPV_INTEL_fpga_invocation_pipelining_attributes": leaveOut,
	"SPV_INTEL_fpga_latency_control":                  leaveOut,
	"SPV_INTEL_fpga_memory_attributes":                leaveOut,
	"SPV_INTEL_global_variable_fpga_decorations":      leaveOut,
}

const leaveOut = "leave out the properties that are for FPGAs"
