; Modes of allocating registers of explicit SIMD kernels and others.
; run: --split source --split-esimd
; run: --split none
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @sycl_plain() #0 {
  ret void
}

define weak_odr dso_local spir_kernel void @sycl_mode() #1 {
  ret void
}

define weak_odr dso_local spir_kernel void @esimd_plain() #0 !sycl_explicit_simd !0 !intel_reqd_sub_group_size !1 {
  ret void
}

define weak_odr dso_local spir_kernel void @esimd_mode() #1 !sycl_explicit_simd !0 !intel_reqd_sub_group_size !1 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="a.cpp" "sycl-register-alloc-mode"="2" }
!0 = !{}
!1 = !{i32 1}
!sycl_aspects = !{!9}
!9 = !{!"ext_intel_esimd", i32 53}
