; metadata of kernels and variables for runtimes that cannot read it from the image
; options: program-metadata
; image: SpirKernel1 SpirKernel2 @global
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_sub_group_size=1|16
; [SYCL/program metadata]
; SpirKernel1@reqd_work_group_size=2|gBAAAAAAAAQAAAAACAAAAQAAAAA
; SpirKernel2@reqd_work_group_size=2|ABAAAAAAAAwAAAAACAAAAA
; SpirKernel2@reqd_sub_group_size=1|16
; SpirKernel2@work_group_num_dim=1|2
; SpirKernel2@max_work_group_size=2|gAAAAAAAAAAAAAAA
; SpirKernel2@max_linear_work_group_size=1|512
; unique@global_id_mapping: global
; image: SpirKernel0
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; image: PTXKernel
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; reqd_work_group_size_uint64_t=2|ABAAAAAAAAAQAAAAAAAAAA
; [SYCL/program metadata]
; PTXKernel@reqd_work_group_size=2|gAAAAAAAAAAQAAAA
@global = addrspace(1) global i32 0 #0

define spir_kernel void @SpirKernel0() {
  ret void
}

define spir_kernel void @SpirKernel1() !reqd_work_group_size !0 {
  ret void
}

define spir_kernel void @SpirKernel2() !reqd_work_group_size !1 !intel_reqd_sub_group_size !2 !work_group_num_dim !3 !max_work_group_size !4 !max_linear_work_group_size !5 {
  ret void
}

define ptx_kernel void @PTXKernel() !reqd_work_group_size !6 {
  ret void
}

attributes #0 = { "sycl-device-global-size"="4" "sycl-unique-id"="unique" }

!0 = !{i32 1, i32 2, i32 4}
!1 = !{i64 3, i64 2}
!2 = !{i32 16}
!3 = !{i32 2}
; Sizes beyond 32 bits are cut.
!4 = !{i64 4294967296}
!5 = !{i64 512}
!6 = !{i32 64}
