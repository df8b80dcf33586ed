; fixed targets, and the target of an ahead-of-time image
; image: number
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; fixed_target=2|gAAAAAAAAAQAAAAA
; image: name
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; fixed_target: intel_gpu_dg1,intel_gpu_pvc
; image: without
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; image: other
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; fixed_target: intel_gpu_pvc
; image: nothing
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; fixed_target=2|AAAAAAAAAAA
; options: target=intel_gpu_pvc
; image: plain
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; compile_target=2|oBAAAAAAAAQauRXZs91ZwV3XwZ3Y
define spir_kernel void @plain() {
  ret void
}

; Numbers of aspects, here of a callee.
define spir_kernel void @number() {
  call spir_func void @cpu()
  ret void
}

define spir_func void @cpu() !sycl_fixed_targets !0 {
  ret void
}

define spir_kernel void @name() !sycl_fixed_targets !1 {
  ret void
}

; An empty list means that the switch was not given.
define spir_kernel void @without() !sycl_fixed_targets !2 {
  ret void
}

; The callee was compiled for fewer targets, one of which goes by its number.
define spir_kernel void @other() !sycl_fixed_targets !1 {
  call spir_func void @pvc()
  ret void
}

define spir_func void @pvc() !sycl_fixed_targets !3 {
  call spir_func void @unasked()
  ret void
}

define spir_func void @unasked() !sycl_fixed_targets !2 {
  ret void
}

; No target is left.
define spir_kernel void @nothing() !sycl_fixed_targets !1 {
  call spir_func void @tgl()
  ret void
}

define spir_func void @tgl() !sycl_fixed_targets !4 {
  ret void
}

!0 = !{i32 1}
!1 = !{!"intel_gpu_pvc", !"intel_gpu_dg1"}
!2 = !{}
!3 = !{!"intel_gpu_12_60_7", !"intel_gpu_tgllp"}
!4 = !{!"intel_gpu_tgllp"}
