; Explicit SIMD code and other code, apart and together; a shared function is in both.
; run: --split source --split-esimd
; run: --split kernel --split-esimd
; run: --split source
; run: --split kernel
; run: sycl-post-link -split=none -split-esimd -symbols -S
; run: sycl-post-link -split=none -symbols -S
target triple = "spir64-unknown-unknown"

define dso_local spir_kernel void @ESIMD_kernel1() #0 !sycl_explicit_simd !3 {
  %x = tail call spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()
  call spir_func void @shared()
  ret void
}

define dso_local spir_kernel void @ESIMD_kernel2() #1 !sycl_explicit_simd !3 {
  %x = tail call spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()
  ret void
}

define dso_local spir_kernel void @SYCL_kernel1() #0 {
  %x = tail call spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()
  call spir_func void @shared()
  ret void
}

define dso_local spir_kernel void @SYCL_kernel2() #1 {
  %x = tail call spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()
  ret void
}

define internal spir_func void @shared() {
  ret void
}

declare dso_local spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
!3 = !{}
!sycl_aspects = !{!9}
!9 = !{!"ext_intel_esimd", i32 53}
