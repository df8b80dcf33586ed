; Some instructions and built-ins have aspects without a type that tells.
; want variable_alloca: ext_oneapi_private_alloca
; want clock_device: ext_oneapi_clock_device
; want clock_work_group: ext_oneapi_clock_work_group
; want clock_sub_group: ext_oneapi_clock_sub_group
; want esimd: ext_intel_esimd
; want indirect: ext_oneapi_virtual_functions
; want address: ext_oneapi_virtual_functions
; want bindless: ext_oneapi_bindless_images
; want multiply: ext_intel_matrix
define spir_kernel void @variable_alloca(i64 %n) {
  %x = alloca i32, i64 %n
  ret void
}
define spir_kernel void @fixed_alloca(i64 %n) {
  %x = alloca i32, i64 8, align 4
  ret void
}
define spir_kernel void @clock_device() {
  %x = call i64 @_Z20__spirv_ReadClockKHRi(i32 1)
  ret void
}
define spir_kernel void @clock_work_group() {
  %x = call i64 @_Z27__spirv_ReadClockKHR_Rulongi(i32 2)
  ret void
}
define spir_kernel void @clock_sub_group() {
  %x = call i64 @__spirv_ReadClockKHR(i32 3)
  ret void
}
define spir_kernel void @esimd() !sycl_explicit_simd !0 {
  ret void
}
define spir_kernel void @indirect(ptr %f) {
  call void %f()
  ret void
}
define spir_kernel void @address(ptr %p) {
  store ptr @callee, ptr %p
  ret void
}
define spir_kernel void @calls() {
  call void @callee()
  call void asm sideeffect "nop", ""()
  ret void
}
define spir_kernel void @bindless(i64 %h) {
  %i = call target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) @_Z33__spirv_ConvertHandleToImageINTELm(i64 %h)
  %x = call <4 x float> @_Z17__spirv_ImageReadxi(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %i, i32 0)
  ret void
}
define spir_kernel void @multiply(<8 x i32> %a) {
  %x = call <8 x i32> @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_i(i32 8, <8 x i32> %a)
  ret void
}
define void @callee() {
  ret void
}
declare i64 @_Z20__spirv_ReadClockKHRi(i32)
declare i64 @_Z27__spirv_ReadClockKHR_Rulongi(i32)
declare i64 @__spirv_ReadClockKHR(i32)
declare target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) @_Z33__spirv_ConvertHandleToImageINTELm(i64)
declare <4 x float> @_Z17__spirv_ImageReadxi(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0), i32)
declare <8 x i32> @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_i(i32, <8 x i32>)
!0 = !{}
