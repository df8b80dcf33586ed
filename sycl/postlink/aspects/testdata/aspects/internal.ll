; DPC++'s own numbers below zero are kept, aspects without a name stay numbers, and numbers are sorted.
; want kernel: -1 fp16 4711
define spir_kernel void @kernel() !sycl_used_aspects !0 {
  ret void
}
!0 = !{i32 4711, i32 5, i32 -1, i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
