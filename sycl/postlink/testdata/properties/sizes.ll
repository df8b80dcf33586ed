; work-group and sub-group sizes
; image: wg64
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_work_group_size_uint64_t=2|ABAAAAAAAAAQAAAAAAAAAA
; image: wg64 wg64too
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_work_group_size_uint64_t=2|ABAAAAAAAAAQAAAAAAAAAA
; image: wg842
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_work_group_size_uint64_t=2|ADAAAAAAAAACAAAAAAAAAQAAAAAAAAAACAAAAAAAAAA
; image: wg64 wg842
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; image: wg64 wg842 wg64too
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; image: dims
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; work_group_num_dim=1|2
; image: both
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_work_group_size_uint64_t=2|ABAAAAAAAAAIAAAAAAAAAA
; work_group_num_dim=1|1
; image: dims wg64
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_work_group_size_uint64_t=2|ABAAAAAAAAAQAAAAAAAAAA
; image: sg32
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_sub_group_size=1|32
; image: sg16 sg32
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_sub_group_size=2|ABAAAAAAAAAEAAAAgAAAAA
; image: named
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; image: calls_sg16
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; image: calls_external
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_sub_group_size=1|8
; image: fixed_calls_external
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; fixed_target=2|oBAAAAAAAAQauRXZs91ZwV3XwZ3Y
define spir_kernel void @wg64() !reqd_work_group_size !0 {
  ret void
}

define spir_kernel void @wg64too() !reqd_work_group_size !1 {
  ret void
}

define spir_kernel void @wg842() !reqd_work_group_size !2 {
  ret void
}

define spir_kernel void @dims() !work_group_num_dim !3 {
  ret void
}

define spir_kernel void @both() !reqd_work_group_size !4 !work_group_num_dim !5 {
  ret void
}

define spir_kernel void @sg32() !intel_reqd_sub_group_size !4 {
  ret void
}

define spir_func void @sg16() !intel_reqd_sub_group_size !6 {
  ret void
}

; Sub-group sizes are of entry points and SYCL_EXTERNAL functions.
define spir_kernel void @calls_sg16() {
  call spir_func void @sg16()
  ret void
}

define spir_func void @external() "sycl-module-id"="other.cpp" !intel_reqd_sub_group_size !8 {
  ret void
}

define spir_kernel void @calls_external() {
  call spir_func void @external()
  ret void
}

; For fixed targets only these count.
define spir_kernel void @fixed_calls_external() !sycl_fixed_targets !9 {
  call spir_func void @external()
  ret void
}

; A size by name, such as "automatic".
define spir_kernel void @named() !intel_reqd_sub_group_size !7 {
  ret void
}

!0 = !{i64 64}
!1 = !{i32 64}
!2 = !{i64 8, i64 4, i64 2}
!3 = !{i32 2}
!4 = !{i32 32}
!5 = !{i32 1}
!6 = !{i32 16}
!7 = !{i32 -1}
!8 = !{i32 8}
!9 = !{!"intel_gpu_pvc"}
