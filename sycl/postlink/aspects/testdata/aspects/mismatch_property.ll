; The property device_has on a kernel blames the function that the kernel calls.
; want _ZTS1K: gpu fp64
; want _ZN1KclEv: fp64
; want helper: fp64
; want direct: gpu fp64
; says: warning: function 'K::operator()' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   K::operator()()
; says:   helper()
; says: compile with '-g' to get source location
; says: warning: function 'direct' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   direct
; says: compile with '-g' to get source location
define spir_kernel void @_ZTS1K() "sycl-device-has"="2" {
  call void @_ZN1KclEv()
  ret void
}
define void @_ZN1KclEv() {
  call void @helper()
  ret void
}
define void @helper() {
  %x = alloca double
  ret void
}
define spir_kernel void @direct() "sycl-device-has"="2" {
  %x = alloca double
  ret void
}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
