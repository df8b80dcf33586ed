package deviceconfig_test

import (
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

func ExampleRead() {
	user, err := deviceconfig.Read("devices.yaml", strings.NewReader(`
intel_gpu_next:
  aspects: [gpu, fp16, atomic64]
  sub-group-sizes: [16, 32]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := deviceconfig.Default()
	c.Merge(user)
	for _, target := range []string{"intel_gpu_12_55_8", "intel_gpu_next", "intel_gpu_acm-g10"} {
		d, ok := c.Lookup(target)
		if !ok {
			fmt.Println("unknown target", target, "- near:", c.Nearest(target)[0])
			continue
		}
		fmt.Println(d.Name, "fp64:", d.Has(aspect.FP64), d.AOTToolchain, d.OclocDevice)
	}
	// Output:
	// intel_gpu_acm_g10 fp64: false ocloc acm-g10
	// intel_gpu_next fp64: false ocloc next
	// unknown target intel_gpu_acm-g10 - near: intel_gpu_acm_g10
}
