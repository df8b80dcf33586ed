; One image may use a device global of image scope in several kernels.
; run: --split source --device-globals
; dpcpp: --split per_source
target triple = "spir64-unknown-unknown"

@var = linkonce_odr addrspace(1) constant { i32 } zeroinitializer #0

define weak_odr spir_kernel void @k1() #1 {
  %a = load i32, ptr addrspace(1) @var
  ret void
}

define weak_odr spir_kernel void @k2() #1 {
  %a = load i32, ptr addrspace(1) @var
  ret void
}

define weak_odr spir_kernel void @k3() #2 {
  ret void
}

attributes #0 = { "sycl-device-global-size"="4" "sycl-device-image-scope" "sycl-unique-id"="var" }
attributes #1 = { "sycl-module-id"="1.cpp" }
attributes #2 = { "sycl-module-id"="2.cpp" }
