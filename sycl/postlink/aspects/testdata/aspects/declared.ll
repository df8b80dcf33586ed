; Declared aspects reach callers, from metadata and from attributes.
; want kernel: gpu fp16 fp64 image
; want f: fp16 fp64
; want g: gpu image
define spir_kernel void @kernel() {
  call void @f()
  call void @g()
  ret void
}
define void @f() !sycl_declared_aspects !0 {
  ret void
}
define void @g() "sycl-device-has"="9, 2" {
  ret void
}
!0 = !{i32 6, i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
