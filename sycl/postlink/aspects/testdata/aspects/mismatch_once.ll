; A kernel that repeats what the function it calls declares is not reported again.
; want kernel: fp64
; want external: fp64
; want operator: fp64
; says: warning: function 'external' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   external()
; says: compile with '-g' to get source location
; says: warning: function 'operator' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   operator()
; says: compile with '-g' to get source location
define spir_kernel void @kernel() !sycl_declared_aspects !0 {
  call void @operator()
  ret void
}
define void @external() "sycl-module-id"="a.cpp" !sycl_declared_aspects !0 {
  %x = alloca double
  ret void
}
define void @operator() !sycl_declared_aspects !0 {
  %x = alloca double
  ret void
}
!0 = !{}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
