; What functions state that they use goes up like what they use, and adds to it.
; want kernel: gpu fp16 image
; want f1: gpu
; want f2: gpu fp16 image
; want f3: gpu
; want f4: fp16 image
; want call_operator: fp64
; want foo: fp64
; want other_kernel: fp64
define spir_kernel void @kernel() {
  call void @f1()
  call void @f2()
  ret void
}
define void @f1() {
  call void @f3()
  ret void
}
define void @f2() {
  call void @f3()
  call void @f4()
  ret void
}
define void @f3() {
  %x = alloca %A
  ret void
}
define void @f4() !sycl_used_aspects !0 {
  %x = alloca %B
  ret void
}
define spir_kernel void @other_kernel() {
  call void @call_operator()
  ret void
}
define internal void @call_operator() {
  call void @foo()
  ret void
}
define void @foo() !sycl_used_aspects !1 {
  ret void
}
%A = type { i32 }
%B = type { i32 }
!sycl_types_that_use_aspects = !{!2, !3}
!0 = !{i32 9}
!1 = !{i32 6}
!2 = !{!"A", i32 2}
!3 = !{!"B", i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
