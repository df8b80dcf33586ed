; Aspects of several calls under one condition are one pair, without repetitions.
; if kernel: 0 -> fp16 fp64
; if first: 0 -> fp16 fp64
; if second: 0 -> fp64
; if if1: 0 -> fp16 fp64
; if if2: 0 -> fp64
define spir_kernel void @kernel() {
  call void @if1(ptr @first, ptr null, i32 0, i32 0)
  call void @if2(ptr @second, ptr null, i32 0, i32 0)
  ret void
}
define void @first() {
  %x = alloca %A
  %y = alloca double
  ret void
}
define void @second() {
  %x = alloca double
  ret void
}
declare void @if1(ptr, ptr, i32, i32) #0
declare void @if2(ptr, ptr, i32, i32) #0
attributes #0 = { "sycl-call-if-on-device-conditionally"="true" }
%A = type { i32 }
!sycl_types_that_use_aspects = !{!0}
!0 = !{!"A", i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
