; Required work-group and sub-group sizes: equal ones are together, also when a size is written twice.
; run: --split auto
; run: --split source --emit-only-kernels-as-entry-points
; run: --split kernel
; run: --split none
; run: --ir-output-only --output OUT.ll
; dpcpp: --split per_source
; dpcpp: --split per_kernel
target triple = "spir64-unknown-unknown"

define spir_kernel void @wg64a() #0 !reqd_work_group_size !1 {
  ret void
}

define spir_kernel void @wg32() #0 !reqd_work_group_size !2 {
  ret void
}

define spir_kernel void @wg64b() #0 !reqd_work_group_size !1 {
  ret void
}

define spir_kernel void @wg842() #0 !reqd_work_group_size !3 {
  ret void
}

define spir_kernel void @sg16a() #0 !intel_reqd_sub_group_size !4 {
  ret void
}

define spir_kernel void @sg32() #0 !intel_reqd_sub_group_size !2 {
  ret void
}

define spir_kernel void @sg16b() #0 !intel_reqd_sub_group_size !4 {
  ret void
}

define spir_kernel void @dims() #0 !work_group_num_dim !5 {
  ret void
}

define spir_kernel void @plain() #0 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
!1 = !{i64 64}
!2 = !{i32 32}
!3 = !{i64 8, i64 4, i64 2}
!4 = !{i32 16}
!5 = !{i32 3}
