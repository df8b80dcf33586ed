; A warning for each function and missing aspect names the call chain.
; want kernel: fp16 fp64
; want _Z3foov: fp16 fp64
; want _Z3bari: fp16 fp64
; want boo: fp16 fp64
; want _Z4finev: fp16 fp64
; says: warning: function 'foo' uses aspect 'fp16' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   foo()
; says:   bar(int)
; says:   boo()
; says: compile with '-g' to get source location
; says: warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   foo()
; says:   bar(int)
; says:   boo()
; says: compile with '-g' to get source location
define spir_kernel void @kernel() {
  call void @_Z3foov()
  call void @_Z4finev()
  ret void
}
define void @_Z3foov() !sycl_declared_aspects !0 {
  call void @_Z3bari(i32 1)
  ret void
}
define void @_Z3bari(i32 %x) {
  call void @boo()
  ret void
}
define void @boo() !sycl_used_aspects !1 {
  %x = alloca double
  ret void
}
define void @_Z4finev() !sycl_declared_aspects !2 {
  call void @boo()
  ret void
}
!0 = !{}
!1 = !{i32 5}
!2 = !{i32 6, i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
