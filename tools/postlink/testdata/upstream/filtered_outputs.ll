; Tables for targets: each has the images that the target can run, with property files that name it.
; run: --split auto --S --o OUT.table --o intel_gpu_pvc,OUT-pvc.table --o intel_gpu_tgllp,OUT-tgllp.table
; run: --split auto --S --o OUT.table --o intel_gpu_cfl,OUT-cfl.table
; run: --split auto --S --o unknown_target,OUT-unknown.table
target triple = "spir64-unknown-unknown"

define spir_kernel void @double() #0 !sycl_used_aspects !1 {
  ret void
}

define spir_kernel void @float() #0 {
  ret void
}

define spir_kernel void @sg8() #0 !intel_reqd_sub_group_size !2 {
  ret void
}

define spir_kernel void @sg16() #0 !intel_reqd_sub_group_size !3 {
  ret void
}

define spir_kernel void @sg32() #0 !intel_reqd_sub_group_size !4 {
  ret void
}

define spir_kernel void @sg64() #0 !intel_reqd_sub_group_size !5 {
  ret void
}

attributes #0 = { "sycl-module-id"="double.cpp" "sycl-optlevel"="3" }
!1 = !{!6}
!2 = !{i32 8}
!3 = !{i32 16}
!4 = !{i32 32}
!5 = !{i32 64}
!6 = !{!"fp64", i32 6}
!sycl_aspects = !{!6}
