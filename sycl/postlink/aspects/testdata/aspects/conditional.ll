; What is called under a condition is no requirement, and conditions add up.
; want kernel: gpu fp16
; want always: gpu
; want branch: fp16
; if kernel: 1 2 -> fp64
; if kernel: 1 2 3 4 -> atomic64
; if branch: 1 2 -> fp64
; if branch: 1 2 3 4 -> atomic64
; if action: 1 2 -> fp64
; if action: 1 2 3 4 -> atomic64
; if nested: 1 2 3 4 -> atomic64
; if if1: 1 2 -> fp64
; if if1: 1 2 3 4 -> atomic64
; if if2: 1 2 3 4 -> atomic64
define spir_kernel void @kernel() {
  call void @always()
  call void @branch()
  ret void
}
define void @always() {
  %x = alloca %A
  ret void
}
define void @branch() {
  %x = alloca %B
  call void @if1(ptr @action, ptr %x, i32 1, i32 2)
  ret void
}
define void @action() {
  %x = alloca double
  call void @if2(ptr @nested, ptr %x, i32 3, i32 4)
  ret void
}
define void @nested() {
  %x = alloca %C
  ret void
}
declare void @if1(ptr, ptr, i32, i32) #0
declare void @if2(ptr, ptr, i32, i32) #0
attributes #0 = { "sycl-call-if-on-device-conditionally"="true" }
%A = type { i32 }
%B = type { i32 }
%C = type { i32 }
!sycl_types_that_use_aspects = !{!0, !1, !2}
!0 = !{!"A", i32 2}
!1 = !{!"B", i32 5}
!2 = !{!"C", i32 28}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
