; Kernels and SYCL_EXTERNAL definitions get the fixed targets, others and marked ones do not.
; options: targets=intel_gpu_pvc,intel_gpu_dg2
; targets kernel: intel_gpu_pvc intel_gpu_dg2
; targets external: intel_gpu_pvc intel_gpu_dg2
; targets marked:
; targets by_number: gpu
define spir_kernel void @kernel() {
  ret void
}
define spir_kernel void @marked() !sycl_fixed_targets !0 {
  ret void
}
define spir_kernel void @by_number() !sycl_fixed_targets !1 {
  ret void
}
define spir_func void @external() "sycl-module-id"="a.cpp" {
  ret void
}
define spir_func void @_Z33__spirv_BuiltInGlobalInvocationIdi(i32) "sycl-module-id"="a.cpp" {
  ret void
}
define spir_func void @inner() {
  ret void
}
declare spir_func void @elsewhere() "sycl-module-id"="a.cpp"
!0 = !{}
!1 = !{i32 2}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
