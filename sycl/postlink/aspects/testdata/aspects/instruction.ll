; Metadata of an instruction counts for its function and for callers.
; want kernel: fp16 atomic64
; want f: fp16 atomic64
; want other_kernel: -2 gpu fp16 atomic64
; want own: -2 gpu
define spir_kernel void @kernel() {
  call void @f(ptr null)
  ret void
}
define void @f(ptr %p) {
  %x = load i16, ptr %p, !sycl_used_aspects !0
  call void @g(), !sycl_used_aspects !1
  ret void
}
define spir_kernel void @other_kernel() {
  call void @own()
  call void @f(ptr null)
  ret void
}
define void @own() {
  %x = alloca %A
  call void @g(), !sycl_used_aspects !3
  ret void
}
declare void @g()
%A = type { i32 }
!sycl_types_that_use_aspects = !{!4}
!0 = !{i32 5}
!1 = !{!2}
!2 = !{!"atomic64", i32 28}
!3 = !{i32 -2}
!4 = !{!"A", i32 2}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
