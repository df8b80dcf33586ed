; A second run without exclusions adds what is still used, and reads pairs of name and number.
; want kernel: fp16 fp64
; want gone: fp16
define spir_kernel void @kernel() !sycl_used_aspects !0 {
  %x = fadd double 1.0, 2.0
  call void @gone()
  ret void
}
define void @gone() !sycl_used_aspects !0 {
  ret void
}
!0 = !{!1}
!1 = !{!"fp16", i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
