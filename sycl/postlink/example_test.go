package postlink_test

import (
	"fmt"
	"os"

	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// linkedCode has two kernels of one source, one of which needs fp64.
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
	m, err := postlink.Parse("linked.ll", []byte(linkedCode))
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
	for _, image := range result.Images {
		sets, err := image.Properties(postlink.PropertyOptions{KernelNames: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("image %d:\n%s", image.Number, sets)
	}
	if err := result.Images[1].WriteCode(os.Stdout); err != nil {
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

func ExampleRestore() {
	const code = "define spir_kernel void @_ZTS1K() {\n  ret void\n}\n"
	r, _ := propset.Parse("k.prop", []byte("[SYCL/device requirements]\naspects="+propset.Uint32s(6).String()+"\n[SYCL/kernel names]\n_ZTS1K=1|1\n"))
	m, _, err := postlink.Restore("k.ll", []byte(code), "k.syclbin", r)
	if err != nil {
		panic(err)
	}
	m.WriteTo(os.Stdout)
	// Output:
	// target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
	// target triple = "spirv64-unknown-unknown"
	// define spir_kernel void @_ZTS1K() "sycl-module-id"="k.syclbin" !sycl_used_aspects !1 {
	//   ret void
	// }
	// !0 = !{i32 4, i32 100000}
	// !spirv.Source = !{!0}
	// !1 = !{i32 6}
}
