; kernels with registered names, in the order of the list
; image: k1 k2 k3
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/registered kernels]
; second: k2
; first: k1
; also_first: k1
; inline: k3
; image: k1
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/registered kernels]
; first: k1
; also_first: k1
; image: k4
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
define spir_kernel void @k1() {
  ret void
}

define spir_kernel void @k2() {
  ret void
}

define spir_kernel void @k3() {
  ret void
}

define spir_kernel void @k4() {
  ret void
}

!sycl_registered_kernels = !{!0, !1}

!0 = !{!2, !3, !4, !5}
!1 = !{!{!"inline", !"k3"}}
!2 = !{!"second", !"k2"}
!3 = !{!"first", !"k1"}
!4 = !{!"also_first", !"k1"}
!5 = !{!"not a pair"}
