; Virtual functions and kernels with the aspects of what the functions call.
; want kernelA: fp16
; want kernelB: image
; want vfnFoo: fp16
; want vfnBar: image
; want subFoo: fp16
; want subBar: image
define spir_func void @vfnFoo() "indirectly-callable"="setFoo" {
  call void @subFoo()
  ret void
}
define spir_func void @subFoo() {
  %x = alloca %Foo
  ret void
}
define spir_func void @vfnBar() "indirectly-callable"="setBar" {
  call void @subBar()
  ret void
}
define spir_func void @subBar() {
  %x = alloca %Bar
  ret void
}
define spir_kernel void @kernelA(ptr %f) "calls-indirectly"="setFoo" {
  call void %f() "virtual-call"
  ret void
}
define spir_kernel void @kernelB(ptr %f) "calls-indirectly"="setBar" {
  call void %f() "virtual-call"
  ret void
}
%Foo = type { i32 }
%Bar = type { i32 }
!sycl_types_that_use_aspects = !{!1, !2}
!1 = !{!"Foo", i32 5}
!2 = !{!"Bar", i32 9}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
