; Aspects go up each path of the call graph, and not down or sideways.
; want kernel: gpu fp16 fp64
; want left: gpu fp64
; want right: fp16 fp64
; want bottom: fp64
; want other: fp16
define spir_kernel void @kernel() {
  call void @left()
  call void @right()
  ret void
}
define spir_kernel void @other() {
  %x = alloca %B
  ret void
}
define void @left() {
  %x = alloca %A
  call void @bottom()
  ret void
}
define void @right() {
  %x = alloca %B
  call void @bottom()
  ret void
}
define void @bottom() {
  %x = alloca double
  ret void
}
%A = type { i32 }
%B = type { i32 }
!sycl_types_that_use_aspects = !{!0, !1}
!0 = !{!"A", i32 2}
!1 = !{!"B", i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
