; An explicit SIMD kernel that may fail an assertion: functions of the device library are in an image of other code as well.
; run: --split none --split-esimd
; run: --split source --split-esimd
target triple = "spir64-unknown-unknown"

@SPIR_AssertHappenedMem = linkonce_odr dso_local addrspace(1) global i32 0, align 8

define weak_odr dso_local spir_kernel void @esimd_kernel() #0 !sycl_explicit_simd !0 {
  tail call spir_func void @__assert_fail(ptr addrspace(4) null)
  ret void
}

define weak dso_local spir_func void @__assert_fail(ptr addrspace(4) %expr) #1 {
  tail call spir_func void @__devicelib_assert_fail(ptr addrspace(4) %expr)
  ret void
}

define weak dso_local spir_func void @__devicelib_assert_fail(ptr addrspace(4) %expr) {
  store i32 1, ptr addrspace(1) @SPIR_AssertHappenedMem
  ret void
}

attributes #0 = { "sycl-module-id"="foo.cpp" "sycl-optlevel"="2" }
attributes #1 = { "sycl-module-id"="bar.cpp" "sycl-optlevel"="2" }
!sycl_aspects = !{!1}
!0 = !{}
!1 = !{!"ext_intel_esimd", i32 53}
