package show

import (
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// mostGPUs is the maximum number of devices whose names [GPUs] explains.
const mostGPUs = 8

// GPUs returns a legend of the GPUs that targets stand for, as in "GPUs: intel_gpu_acm_g10 (Arc
// A770)". Renderings print the names of targets, because policies, flags and BUILD files contain
// them. The legend is empty if no target has a marketing name, or if too many have one.
func GPUs(targets []string, quote func(string) string) string {
	var list []string
	for _, target := range targets {
		if name := deviceconfig.GPUName(target); name != "" {
			list = append(list, quote(safetext.Escape(target))+" ("+name+")")
		}
	}
	if len(list) == 0 || len(list) > mostGPUs {
		return ""
	}
	return "GPUs: " + strings.Join(list, ", ")
}
