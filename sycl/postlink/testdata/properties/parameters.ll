; removed parameters, and the one for memory of a work-group
; options: param-info
; image: both middle none many
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/kernel param opt]
; both=2|CAAAAAAAAAwA
; middle=2|DAAAAAAAAAgA
; none=2|CAAAAAAAAAAA
; many=2|JAAAAAAAAAQABA
; [SYCL/implicit local arg]
; middle=1|2
; none=1|0
; [SYCL/work group dynamic local mem]
; middle=1|1
; image: empty
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/kernel param opt]
; [SYCL/implicit local arg]
; empty=1|4294967295
; options:
; image: both
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
define spir_kernel void @both() !sycl_kernel_omit_args !0 {
  ret void
}

define spir_kernel void @middle(i32 %a, ptr %b, ptr addrspace(3) "sycl-implicit-local-arg" %c) #0 "sycl-work-group-scratch" !sycl_kernel_omit_args !1 {
  ret void
}

define spir_kernel void @none(ptr addrspace(3) "sycl-implicit-local-arg" %a) #0 !sycl_kernel_omit_args !2 {
  ret void
}

define spir_kernel void @many() !sycl_kernel_omit_args !3 {
  ret void
}

; The parameter is not there, and the list is empty.
define spir_kernel void @empty() #0 !sycl_kernel_omit_args !4 {
  ret void
}

attributes #0 = { "sycl-work-group-static" }

!0 = !{i1 true, i1 true}
!1 = !{i1 false, i1 true, i1 false}
!2 = !{i1 false, i1 false}
!3 = !{i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 true}
!4 = !{}
