package llvmir_test

import (
	"fmt"
	"os"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

const program = `define spir_kernel void @first(ptr addrspace(1) %p) #0 {
  %v = call spir_func i32 @twice(i32 21), !dbg !0
  store i32 %v, ptr addrspace(1) %p
  ret void
}

define spir_kernel void @second() #0 {
  ret void
}

define spir_func i32 @twice(i32 %x) {
  %r = mul i32 %x, 2
  ret i32 %r
}

attributes #0 = { "sycl-module-id"="a.cpp" }

!0 = !DILocation(line: 3, column: 5, scope: !1)
!1 = distinct !DISubprogram(name: "first", file: !2, line: 1)
!2 = !DIFile(filename: "a.cpp", directory: "/src")
`

func ExampleFunction_Body() {
	m, err := llvmir.Parse("a.ll", program)
	if err != nil {
		fmt.Println(err)
		return
	}
	for in := range m.Function("first").Body() {
		callee, _ := in.Callee()
		place, _ := in.DebugLoc()
		fmt.Printf("%s %v '%s' '%s'\n", in.Op(), in.Type(), callee, place)
	}
	// Output:
	// call i32 'twice' '/src/a.cpp:3:5'
	// store void '' ''
	// ret void '' ''
}

func ExampleModule_WriteSubset() {
	m, err := llvmir.Parse("a.ll", program)
	if err != nil {
		fmt.Println(err)
		return
	}
	kernel := m.Function("second")
	kernel.SetMetadata("intel_reqd_sub_group_size", m.AddNode("i32 16"))
	if err := m.WriteSubset(os.Stdout, llvmir.Subset{Define: m.Closure(kernel)}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// define spir_kernel void @second() #0 !intel_reqd_sub_group_size !3 {
	//   ret void
	// }
	//
	// attributes #0 = { "sycl-module-id"="a.cpp" }
	// !3 = !{i32 16}
}
