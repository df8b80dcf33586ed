; A kernel has the aspects of the sets of virtual functions that it calls, itself or in a function.
; want both: fp16 fp64
; want one: fp64
; want below: fp64
; want foo: fp64
; want bar: fp16
; want other: image
define spir_kernel void @both(ptr %f) "calls-indirectly"="setFoo,setBar" {
  call void %f() #0
  ret void
}
define spir_kernel void @one(ptr %f) "calls-indirectly"="setFoo" {
  call void %f() #0
  ret void
}
define spir_kernel void @below(ptr %f) "calls-indirectly"="setFoo" {
  call void @calls(ptr %f)
  ret void
}
define spir_func void @calls(ptr %f) {
  call void %f() #0
  ret void
}
define spir_kernel void @none() {
  ret void
}
define spir_func void @foo() "indirectly-callable"="setFoo" {
  %x = alloca double
  ret void
}
define spir_func void @bar() "indirectly-callable"="setBar" !sycl_used_aspects !0 {
  ret void
}
define spir_func void @other() "indirectly-callable"="setOther" !sycl_used_aspects !1 {
  ret void
}
attributes #0 = { "virtual-call" }
!0 = !{i32 5}
!1 = !{i32 9}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
