; Functions that only a table names, which no linker may discard, are in all images.
; run: --split source
; run: --split kernel
; run: --split auto
; run: --split none
; dpcpp: --split per_source
; dpcpp: --split per_kernel
target triple = "spir64-unknown-unknown"

@tableX = weak addrspace(1) global [1 x ptr] [ptr @foo], align 8
@tableY = weak addrspace(1) global [1 x ptr] [ptr @bar], align 8
@tableZ = linkonce_odr addrspace(1) constant [1 x ptr] [ptr @once], align 8

define linkonce_odr dso_local spir_func void @foo() {
  ret void
}

define weak dso_local spir_func void @baz() {
  ret void
}

define linkonce_odr dso_local spir_func void @bar() {
  call spir_func void @baz()
  ret void
}

define linkonce_odr dso_local spir_func void @once() {
  ret void
}

define weak_odr dso_local spir_kernel void @kernel1() #0 {
  ret void
}

define weak_odr dso_local spir_kernel void @kernel2() #1 {
  %f = load ptr, ptr addrspace(1) @tableZ
  ret void
}

attributes #0 = { "sycl-module-id"="module1.cpp" }
attributes #1 = { "sycl-module-id"="module2.cpp" }
