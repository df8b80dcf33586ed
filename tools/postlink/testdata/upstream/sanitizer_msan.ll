; Code that was instrumented with msan: each image has the list of kernels.
; run: --split kernel
target triple = "spir64-unknown-unknown"

@__msan_kernel = internal addrspace(1) constant [6 x i8] c"_ZTS1K"
@__MsanKernelMetadata = appending dso_local local_unnamed_addr addrspace(1) global [1 x { i64, i64 }] [{ i64, i64 } { i64 ptrtoint (ptr addrspace(1) @__msan_kernel to i64), i64 6 }] #0

define weak_odr dso_local spir_kernel void @_ZTS1K(ptr addrspace(1) %p, i64 %launch) #1 {
  %1 = ptrtoint ptr addrspace(1) %p to i64
  call void @__msan_load4(i64 %1, i32 1)
  ret void
}

declare void @__msan_load4(i64, i32)

attributes #0 = { "sycl-device-global-size"="16" "sycl-device-image-scope" "sycl-host-access"="0" "sycl-unique-id"="_Z20__MsanKernelMetadata" }
attributes #1 = { "sycl-module-id"="a.cpp" }
