; Diagnostics can be turned off for the second run.
; options: quiet
; want f: fp64
define void @f() !sycl_declared_aspects !0 {
  %x = alloca double
  ret void
}
!0 = !{}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
