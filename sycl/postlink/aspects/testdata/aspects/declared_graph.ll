; Declared and used aspects go up chains and diamonds alike, from a declaration too.
; want kernel: gpu fp16
; want left: gpu
; want right: gpu fp16
; want both: gpu
; want only: fp16
; want chain: fp64
; want first: fp64
; want second: fp64
; want last: fp64
; want calls_declaration: image
; want elsewhere: image
define spir_kernel void @kernel() {
  call void @left()
  call void @right()
  ret void
}
define void @left() {
  call void @both()
  ret void
}
define void @right() {
  call void @both()
  call void @only()
  ret void
}
define void @both() !sycl_used_aspects !0 {
  ret void
}
define void @only() !sycl_declared_aspects !1 {
  ret void
}
define spir_kernel void @chain() {
  call void @first()
  ret void
}
define void @first() {
  call void @second()
  ret void
}
define void @second() {
  call void @last()
  ret void
}
define void @last() !sycl_declared_aspects !2 {
  ret void
}
define spir_kernel void @calls_declaration() {
  call void @elsewhere()
  ret void
}
declare !sycl_declared_aspects !3 void @elsewhere()
!0 = !{i32 2}
!1 = !{i32 5}
!2 = !{i32 6}
!3 = !{i32 9}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
