; Aspects that are excluded by name or number are not written. Declared and existing ones are, and existing ones do not spread.
; options: exclude=fp64,9
; want kernel: gpu fp16 fp64
; want declares: fp64
; want has: gpu image
; want above: gpu
; want uses: fp16
; want unreached: atomic64
define spir_kernel void @kernel() {
  call void @declares()
  call void @above()
  call void @uses()
  ret void
}
define void @declares() !sycl_declared_aspects !0 {
  %x = alloca double
  ret void
}
define void @has() !sycl_used_aspects !1 {
  ret void
}
define void @above() {
  call void @has()
  ret void
}
define void @in_types() {
  %a = alloca [4 x double]
  %v = alloca <4 x double>
  %s = alloca %doubles
  ret void
}
define void @uses() {
  %x = alloca double
  %y = alloca %half
  ret void
}
define void @unreached() !sycl_used_aspects !2 {
  call void @uses()
  ret void
}
%doubles = type { double }
%half = type { i16 }
!sycl_types_that_use_aspects = !{!3}
!0 = !{i32 6}
!1 = !{i32 9, i32 2}
!2 = !{i32 28}
!3 = !{!"half", i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
