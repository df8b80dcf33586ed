package spirv_test

import (
	"fmt"
	"log"
	"os"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

func Example() {
	data, err := os.ReadFile("testdata/kernels.spv")
	if err != nil {
		log.Fatal(err)
	}
	m, err := spirv.Parse(data)
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range m.Kernels[:5] {
		fmt.Println(k.Name, m.KernelRequirements(&k).Aspects)
	}
	why, _ := m.Origin(m.Kernel("_ZTS4Deep"), aspect.FP64)
	fmt.Println(why.Function)
	// Output:
	// _ZTS5Plain []
	// _ZTS9Untouched []
	// _ZTS6Folded []
	// _ZTS4Deep [fp64]
	// _ZTS4Half [fp16]
	// _Z9viaDoublef
}
