; Two modules that were instrumented for dynamic linking: each image has both lists.
; run: --split source
target triple = "spir64-unknown-unknown"

@__asan_kernel_a = internal addrspace(1) constant [2 x i8] c"a\00"
@__AsanKernelMetadata_aaaa = appending dso_local addrspace(1) global [1 x { i64, i64 }] [{ i64, i64 } { i64 ptrtoint (ptr addrspace(1) @__asan_kernel_a to i64), i64 1 }] #2
@__asan_kernel_b = internal addrspace(1) constant [2 x i8] c"b\00"
@__AsanKernelMetadata_bbbb = appending dso_local addrspace(1) global [1 x { i64, i64 }] [{ i64, i64 } { i64 ptrtoint (ptr addrspace(1) @__asan_kernel_b to i64), i64 1 }] #3

define weak_odr dso_local spir_kernel void @a() #0 {
  ret void
}

define weak_odr dso_local spir_kernel void @b() #1 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
attributes #2 = { "sycl-device-global-size"="16" "sycl-device-image-scope" "sycl-host-access"="0" "sycl-unique-id"="__AsanKernelMetadata_aaaa" }
attributes #3 = { "sycl-device-global-size"="16" "sycl-device-image-scope" "sycl-host-access"="0" "sycl-unique-id"="__AsanKernelMetadata_bbbb" }
