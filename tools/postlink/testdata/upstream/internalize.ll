; Which functions other images can see: entry points, and what is called through pointers.
; run: --split source
; run: --split kernel
; run: --split source --emit-only-kernels-as-entry-points
; run: --split kernel --emit-only-kernels-as-entry-points
; dpcpp: --split per_source
; dpcpp: --split per_kernel
target triple = "spir64-unknown-unknown"

define spir_func void @helper() {
  ret void
}

define spir_func void @external() #0 {
  ret void
}

define spir_func void @by_pointer() #2 {
  ret void
}

define spir_func void @virtual() #3 {
  ret void
}

define spir_kernel void @kernelA() #0 {
  call spir_func void @helper()
  call spir_func void @external()
  call spir_func void @by_pointer()
  call spir_func void @virtual()
  ret void
}

define spir_kernel void @kernelB() #1 {
  call spir_func void @helper()
  call spir_func void @external()
  call spir_func void @by_pointer()
  call spir_func void @virtual()
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
attributes #2 = { "referenced-indirectly" }
attributes #3 = { "sycl-module-id"="a.cpp" "indirectly-callable"="set-a" }
