; Matrices keep kernels apart, and are requirements.
; run: --split auto
; run: --split source
; run: --split kernel
; dpcpp: --split per_source
target triple = "spir64-unknown-unknown"

define spir_kernel void @Kernel1() #0 !sycl_joint_matrix !1 {
  ret void
}

define spir_kernel void @Kernel2() #0 !sycl_joint_matrix !1 {
  ret void
}

define spir_kernel void @Kernel3() #0 !sycl_joint_matrix !1 !sycl_joint_matrix_mad !3 {
  ret void
}

define spir_kernel void @Kernel4() #0 !sycl_joint_matrix !2 !sycl_joint_matrix_mad !3 {
  ret void
}

define spir_kernel void @Kernel5() #0 !sycl_joint_matrix !1 !sycl_joint_matrix_mad !3 {
  ret void
}

define spir_kernel void @Kernel6() #0 !sycl_joint_matrix !1 !sycl_joint_matrix_mad !4 {
  ret void
}

define spir_kernel void @Kernel7() #0 {
  ret void
}

define spir_kernel void @Kernel8() #0 !sycl_joint_matrix_mad !4 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
!1 = !{!"matrix_type::fp64,use::a,16,16"}
!2 = !{!"matrix_type::bf16,use::a,12,48;matrix_type::tf32,use::b,12,48"}
!3 = !{!"matrix_type::fp64,matrix_type::fp64,matrix_type::fp64,matrix_type::fp64,16,16,16"}
!4 = !{!"matrix_type::sint8,matrix_type::sint8,matrix_type::sint32,matrix_type::sint32,12,48,12"}
