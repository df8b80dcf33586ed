; Metadata that an earlier run has left on callers does not shorten the chain.
; want kernel: fp16 fp64
; want _Z3foov: fp16 fp64
; want _Z3barv: fp16 fp64
; want _Z3boov: fp16 fp64
; says: warning: function 'foo' uses aspect 'fp16' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   foo()
; says:   bar()
; says:   boo()
; says: compile with '-g' to get source location
; says: warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   foo()
; says:   bar()
; says:   boo()
; says: compile with '-g' to get source location
define spir_kernel void @kernel() !sycl_used_aspects !1 {
  call void @_Z3foov()
  ret void
}
define void @_Z3foov() !sycl_declared_aspects !0 !sycl_used_aspects !1 {
  call void @_Z3barv()
  ret void
}
define void @_Z3barv() !sycl_used_aspects !1 {
  call void @_Z3boov()
  ret void
}
define void @_Z3boov() !sycl_used_aspects !1 {
  %x = load double, ptr null
  ret void
}
!0 = !{}
!1 = !{i32 5, i32 6}
!sycl_aspects = !{!2}
!2 = !{!"fp64", i32 6}
