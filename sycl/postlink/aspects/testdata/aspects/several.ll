; A chain of functions gathers aspects, of which one type may have two, and unused types count for nothing.
; want kernel: gpu fp16 fp64 image
; want a: gpu
; want b: gpu fp16
; want c: gpu fp16 fp64 image
; want returns: gpu
define spir_kernel void @kernel() {
  call void @c()
  ret void
}
define void @c() {
  %x = alloca %C
  call void @b()
  ret void
}
define void @b() {
  %x = alloca %B
  call void @a()
  ret void
}
define void @a() {
  %x = alloca %A
  ret void
}
define spir_kernel void @uses_nothing() {
  call void @nothing()
  ret void
}
define weak void @nothing() {
  ret void
}
define %A @returns(%D %x) {
  unreachable
}
%A = type { i32 }
%B = type { i32 }
%C = type { i32 }
%D = type { i32 }
!sycl_types_that_use_aspects = !{!0, !1, !2}
!0 = !{!"A", i32 2}
!1 = !{!"B", i32 5}
!2 = !{!"C", i32 6, i32 9}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
