; Removed parameters of kernels: masks of 2 and 11 bits, and metadata of another name.
; run: --emit-param-info
; dpcpp:
target triple = "spir64-unknown-unknown"

define weak_odr spir_kernel void @k1(float %x) #0 !sycl_kernel_omit_args !0 {
  ret void
}

define weak_odr spir_kernel void @k2(i8 %a, i8 %b, i8 %c) #0 !sycl_kernel_omit_args !1 {
  ret void
}

define weak_odr spir_kernel void @k3() #0 !sycl_kernel_omit_args !2 {
  ret void
}

define weak_odr spir_kernel void @k4() #0 !spir_kernel_omit_args !2 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
!0 = !{i1 true, i1 false}
!1 = !{i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 true, i1 true}
!2 = !{}
