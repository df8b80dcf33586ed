; joint matrices
; image: matrix
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; joint_matrix=2|wDAAAAAAAAQbhRncph3X0lHclpjOmBnN0wSdzVmO6EGLxYDLxYD
; image: mad
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; joint_matrix: matrix_type::fp64,use::a,16,16
; joint_matrix_mad: matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,16,16
; image: matrix matrix2
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; joint_matrix: matrix_type::fp64,use::a,16,16;matrix_type::sint8,use::b,32,16
; image: none
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
define spir_kernel void @matrix() !sycl_joint_matrix !0 {
  call spir_func void @again()
  ret void
}

define spir_func void @again() !sycl_joint_matrix !0 {
  ret void
}

define spir_kernel void @mad() !sycl_joint_matrix !0 !sycl_joint_matrix_mad !1 {
  ret void
}

define spir_kernel void @matrix2() !sycl_joint_matrix !2 {
  ret void
}

define spir_kernel void @none() !sycl_joint_matrix !3 !sycl_joint_matrix_mad !4 {
  ret void
}

!0 = !{!"matrix_type::fp64,use::a,16,16"}
!1 = !{!"matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,16,16"}
!2 = !{!"matrix_type::sint8,use::b,32,16"}
!3 = !{!""}
!4 = !{}
