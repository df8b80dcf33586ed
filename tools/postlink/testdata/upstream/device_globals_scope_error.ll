; A device global of image scope that two images use is an error.
; run: --split source --device-globals
; run: --split source
target triple = "spir64-unknown-unknown"

@var = linkonce_odr addrspace(1) constant { i32 } zeroinitializer #0

define weak_odr spir_kernel void @k1() #1 {
  call spir_func void @reads()
  ret void
}

define weak_odr spir_kernel void @k2() #2 {
  %a = load i32, ptr addrspace(1) @var
  ret void
}

define internal spir_func void @reads() {
  %p = alloca ptr addrspace(4)
  store ptr addrspace(4) addrspacecast (ptr addrspace(1) @var to ptr addrspace(4)), ptr %p
  ret void
}

attributes #0 = { "sycl-device-global-size"="4" "sycl-device-image-scope"="true" "sycl-unique-id"="var" }
attributes #1 = { "sycl-module-id"="1.cpp" }
attributes #2 = { "sycl-module-id"="2.cpp" }
