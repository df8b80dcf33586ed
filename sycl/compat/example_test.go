package compat_test

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

func Example() {
	config := deviceconfig.Default()
	checker := compat.New(config)
	needs := &requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{8}}
	for _, name := range []string{"intel_gpu_dg2", "intel_gpu_pvc", "x86_64"} {
		d, _ := config.Lookup(name)
		result := checker.Check(needs, d)
		fmt.Println(name, result.Status)
		for _, r := range result.Reasons {
			fmt.Println(" ", r.Text)
		}
	}
	// Output:
	// intel_gpu_dg2 incompatible
	//   Required aspect fp64 is not supported on the device
	// intel_gpu_pvc incompatible
	//   Sub-group size 8 is not supported on the device
	// x86_64 compatible
}
