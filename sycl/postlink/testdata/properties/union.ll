; the aspects of all functions of an image, each once, sorted
; image: kernel0
; [SYCL/device requirements]
; aspects=2|ABAAAAAAAAQAAAAAGAAAAA
; image: kernel1
; [SYCL/device requirements]
; aspects=2|gBAAAAAAAAAAAAAAJAAAAwAAAAA
; image: kernel0 kernel1
; [SYCL/device requirements]
; aspects=2|gCAAAAAAAAAAAAAABAAAAYAAAAQCAAAAMAAAAA
; image: kernel2
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; image: kernel3
; [SYCL/device requirements]
; aspects=2|gBAAAAAAAAQBAAAAGAAAAkAAAAA
; image: kernel4
; [SYCL/device requirements]
; aspects=2|ABAAAAAAAAQAAAAAGAAAAA
define spir_kernel void @kernel0() !sycl_used_aspects !0 {
  ret void
}

define spir_kernel void @kernel1() {
  call spir_func void @helper()
  ret void
}

define spir_func void @helper() !sycl_used_aspects !1 {
  ret void
}

; No aspect.
define spir_kernel void @kernel2() {
  ret void
}

; What a callee declares counts as well.
define spir_kernel void @kernel3() {
  call spir_func void @declares()
  ret void
}

define spir_func void @declares() !sycl_declared_aspects !3 {
  ret void
}

; Pairs, and a number that only keeps kernels apart.
define spir_kernel void @kernel4() !sycl_used_aspects !4 {
  ret void
}

!0 = !{i32 6, i32 1}
!1 = !{i32 12, i32 0, i32 9}
!3 = !{i32 5, i32 6, i32 9, i32 5}
!4 = !{i32 -1, !5, !{!"cpu", i32 1}}
!5 = !{!"fp64", i32 6}
