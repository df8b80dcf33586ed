; Sizes of kernels in the program's metadata, for one to three dimensions.
; run: --emit-program-metadata --split none
target triple = "spir64-unknown-unknown"

define weak_odr spir_kernel void @k1(float %x) #0 !reqd_work_group_size !0 !intel_reqd_sub_group_size !3 {
  ret void
}

define weak_odr spir_kernel void @k2(float %x) #0 !reqd_work_group_size !1 !max_work_group_size !0 {
  ret void
}

define weak_odr spir_kernel void @k3(float %x) #0 !reqd_work_group_size !2 !max_linear_work_group_size !3 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
!0 = !{i32 1, i32 2, i32 4}
!1 = !{i32 2, i32 4}
!2 = !{i32 4}
!3 = !{i32 64}
