; explicit SIMD code, registers, optimization level
; image: simd
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/misc properties]
; isEsimdImage=1|1
; sycl-register-alloc-mode=1|2
; optLevel=1|2
; image: grf
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/misc properties]
; sycl-grf-size=1|256
; optLevel=1|0
; image: simd grf
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/misc properties]
; sycl-register-alloc-mode=1|2
; sycl-grf-size=1|256
; image: plain
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
define spir_kernel void @simd() "sycl-register-alloc-mode"="2" "sycl-optlevel"="2" !sycl_explicit_simd !0 {
  ret void
}

define spir_kernel void @grf() "sycl-grf-size"="256" "sycl-optlevel"="0" {
  ret void
}

define spir_kernel void @plain() {
  ret void
}

!0 = !{}
