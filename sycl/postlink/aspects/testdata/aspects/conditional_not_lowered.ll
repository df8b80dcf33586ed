; Before it is lowered, the conditional caller has a body that calls the action.
; if kernel: 7 -> fp64
; if caller: 7 -> fp64
; if action: 7 -> fp64
define spir_kernel void @kernel() {
  %this = alloca i8
  call void @caller(ptr %this, i32 7)
  ret void
}
define void @caller(ptr %this, i32 %c) "sycl-call-if-on-device-conditionally"="true" {
  call void @action(ptr %this)
  ret void
}
define void @action(ptr %this) {
  %x = alloca double
  ret void
}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
