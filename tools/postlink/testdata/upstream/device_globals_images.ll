; Device globals and several images: each is in those that use it, or in all when others see it.
; run: --split source --device-globals
; dpcpp: --split per_source
target triple = "spir64-unknown-unknown"

@once = linkonce_odr addrspace(1) constant { i32 } zeroinitializer #0
@own1 = internal addrspace(1) constant { i32 } zeroinitializer #1
@own2 = internal addrspace(1) constant { i32 } zeroinitializer #2
@none = linkonce_odr addrspace(1) constant { i32 } zeroinitializer #3

define weak_odr spir_kernel void @k1() #4 {
  call spir_func void @reads()
  %a = load i32, ptr addrspace(1) @own1
  %b = load i32, ptr addrspace(1) @none
  ret void
}

define weak_odr spir_kernel void @k2() #5 {
  call spir_func void @reads()
  %a = load i32, ptr addrspace(1) @own2
  %b = load i32, ptr addrspace(1) @none
  ret void
}

define weak_odr spir_kernel void @main_kernel() #6 {
  ret void
}

define internal spir_func void @reads() {
  %a = load i32, ptr addrspace(1) @once
  ret void
}

attributes #0 = { "sycl-device-global-size"="4" "sycl-unique-id"="once" }
attributes #1 = { "sycl-device-global-size"="4" "sycl-device-image-scope" "sycl-unique-id"="own1" }
attributes #2 = { "sycl-device-global-size"="4" "sycl-device-image-scope"="true" "sycl-unique-id"="own2" }
attributes #3 = { "sycl-device-image-scope" "sycl-unique-id"="none" }
attributes #4 = { "sycl-module-id"="1.cpp" }
attributes #5 = { "sycl-module-id"="2.cpp" }
attributes #6 = { "sycl-module-id"="main.cpp" }
