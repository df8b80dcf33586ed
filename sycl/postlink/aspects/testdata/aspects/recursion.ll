; The functions of a cycle have the aspects of all of them.
; want kernel: fp16 fp64 image
; want even: fp16 fp64 image
; want odd: fp16 fp64 image
; want leaf: image
define spir_kernel void @kernel() {
  call void @even()
  ret void
}
define void @even() !sycl_used_aspects !0 {
  call void @odd()
  ret void
}
define void @odd() {
  %x = alloca double
  call void @even()
  call void @leaf()
  call void @odd()
  ret void
}
define void @leaf() !sycl_used_aspects !1 {
  ret void
}
!0 = !{i32 5}
!1 = !{i32 9}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
