; Lists of a sanitizer's kernels without attributes get those by which a host finds them.
; run: --split kernel
target triple = "spir64-unknown-unknown"

@__TsanKernelMetadata = addrspace(1) global [1 x { i64, i64 }] [{ i64, i64 } { i64 0, i64 58 }]
@__TsanKernelMetadata_0123 = appending addrspace(1) global [1 x { i64, i64 }] [{ i64, i64 } { i64 0, i64 58 }]

define weak_odr dso_local spir_kernel void @_ZTS1K(ptr addrspace(1) %p) #0 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
