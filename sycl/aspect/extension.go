package aspect

import "slices"

// RetiredExtensions are SPIR-V extensions that device compilers used to accept and that current
// ones reject, with the fix. ocloc 26.27.1 rejects each for every GPU: "input SPIR-V module uses
// extension 'SPV_INTEL_optimization_hints' which were disabled". That extension occurs in libraries
// of 2021; the others are generated for FPGA properties.
var RetiredExtensions = map[string]string{
	"SPV_INTEL_optimization_hints":                    "recompile the program, so that it uses SPV_KHR_expect_assume",
	"SPV_INTEL_fpga_argument_interfaces":              removeProperties,
	"SPV_INTEL_fpga_buffer_location":                  removeProperties,
	"SPV_INTEL_fpga_cluster_attributes":               removeProperties,
	"SPV_INTEL_fpga_invocation_pipelining_attributes": removeProperties,
	"SPV_INTEL_fpga_latency_control":                  removeProperties,
	"SPV_INTEL_fpga_memory_attributes":                removeProperties,
	"SPV_INTEL_global_variable_fpga_decorations":      removeProperties,
}

const removeProperties = "remove the properties for FPGAs"

// An Extension is a SPIR-V extension that only some compilers for devices accept. Device
// configurations list the extensions that their compilers reject. SPIR-V 1.4 includes some
// extensions without their names, so modules are matched by their capabilities.
type Extension struct {
	Name         string
	Capabilities []uint32
	Advice       string
}

// Extensions are the extensions that device configurations can list.
var Extensions = []Extension{
	{"SPV_INTEL_float_controls2", []uint32{5582, 5583}, "remove fp_control with rounding up or down"},
	{"SPV_INTEL_kernel_attributes", []uint32{5892}, "remove max_work_group_size"},
	{"SPV_KHR_float_controls", []uint32{4464, 4465, 4466, 4467, 4468}, "remove fp_control"},
}

// ExtensionOf returns the extension that a capability belongs to, or nil.
func ExtensionOf(capability uint32) *Extension {
	return findExtension(func(e *Extension) bool { return slices.Contains(e.Capabilities, capability) })
}

// ExtensionNamed returns the extension with a name, or nil.
func ExtensionNamed(name string) *Extension {
	return findExtension(func(e *Extension) bool { return e.Name == name })
}

func findExtension(is func(*Extension) bool) *Extension {
	for i := range Extensions {
		if is(&Extensions[i]) {
			return &Extensions[i]
		}
	}
	return nil
}
