; A function that is called with and without a condition counts.
; want kernel: fp64
; want action: fp64
; if kernel: 7 -> fp64
; if action: 7 -> fp64
; if if: 7 -> fp64
define spir_kernel void @kernel() {
  call void @if(ptr @action, ptr null, i32 7)
  call void @action()
  ret void
}
define void @action() {
  %x = alloca double
  ret void
}
declare void @if(ptr, ptr, i32) "sycl-call-if-on-device-conditionally"
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
