; Excluded aspects are reported too.
; options: exclude=fp64
; says: warning: function 'f' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   f()
; says: compile with '-g' to get source location
define void @f() !sycl_declared_aspects !0 {
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
