; What -lower-esimd does with explicit SIMD code that uses no built-in function, beside other code.
; run: sycl-post-link -split=source -split-esimd -lower-esimd -properties -symbols -S
; run: sycl-post-link -split=source -lower-esimd -properties -symbols -S
; run: --split source --split-esimd --lower-esimd
target triple = "spir64-unknown-unknown"

@__spirv_BuiltInGlobalSize = external addrspace(1) constant <3 x i64>

define weak_odr spir_kernel void @scalar() #0 {
  %s = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalSize
  ret void
}

define weak_odr spir_kernel void @vector() #0 !sycl_explicit_simd !0 !intel_reqd_sub_group_size !1 {
  ret void
}

define weak_odr spir_kernel void @vector_of_many_registers() #1 !sycl_explicit_simd !0 !intel_reqd_sub_group_size !1 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="a.cpp" "sycl-register-alloc-mode"="2" }

!0 = !{}
!1 = !{i32 1}
