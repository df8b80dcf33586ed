package postlink_test

import (
	"fmt"
	"os"

	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
)

// linkedCode has two kernels of one source, of which one needs fp64.
const linkedCode = `define spir_kernel void @_ZTS5Float(ptr addrspace(1) %p) #0 {
  store float 1.0, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @_ZTS6Double(ptr addrspace(1) %p) #0 {
  call spir_func void @_Z6doublePU3AS1d(ptr addrspace(1) %p)
  ret void
}

define spir_func void @_Z6doublePU3AS1d(ptr addrspace(1) %p) {
  store double 1.0, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
`

func ExampleRun() {
	m, err := llvmir.Parse("linked.ll", []byte(linkedCode))
	if err != nil {
		fmt.Println(err)
		return
	}
	options := postlink.Options{Split: postlink.SplitOptions{Mode: postlink.SplitPerSource}}
	result, err := postlink.Run(m, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	properties, err := postlink.NewPropertyWriter(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, image := range result.Images {
		sets, err := image.Properties(properties, postlink.PropertyOptions{KernelNames: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("image %d:\n%s", image.Number, sets)
	}
	if err := result.Images[1].WriteTo(os.Stdout, m, options.Split); err != nil {
		fmt.Println(err)
	}
	// Output:
	// image 0:
	// [SYCL/device requirements]
	// aspects=2|gAAAAAAAAAgBAAAA
	// [SYCL/kernel names]
	// _ZTS6Double=1|1
	// image 1:
	// [SYCL/device requirements]
	// aspects=2|AAAAAAAAAAA
	// [SYCL/kernel names]
	// _ZTS5Float=1|1
	// define spir_kernel void @_ZTS5Float(ptr addrspace(1) %p) #0 !sycl_fixed_targets !2 {
	//   store float 1.0, ptr addrspace(1) %p
	//   ret void
	// }
	//
	// attributes #0 = { "sycl-module-id"="a.cpp" }
	// !2 = !{}
}
