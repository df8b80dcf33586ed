package aspectuse

// RefusedExtensions are extensions of SPIR-V that compilers for devices took once and that
// current ones refuse, with what took their places. Compilers of DPC++ write those today.
// The one that is listed is in libraries of 2021; ocloc 26.27.1 refuses it for every GPU:
// "input SPIR-V module uses extension 'SPV_INTEL_optimization_hints' which were disabled".
var RefusedExtensions = map[string]string{
	"SPV_INTEL_optimization_hints": "SPV_KHR_expect_assume",
}
