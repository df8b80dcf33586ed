; Aspects keep kernels and SYCL_EXTERNAL functions apart; equal sets are together; a called function is in each image.
; run: --split auto
; run: --split source
; run: --split kernel
; run: --ir-output-only --output OUT.ll
; dpcpp: --split auto
target triple = "spir64-unknown-unknown"

define spir_func void @foo() #0 !sycl_used_aspects !1 {
  ret void
}

define spir_func void @bar() #1 !sycl_used_aspects !2 {
  ret void
}

define spir_kernel void @kernel0() #1 !sycl_used_aspects !2 {
  ret void
}

define spir_kernel void @kernel1() #0 !sycl_used_aspects !3 {
  call spir_func void @foo()
  ret void
}

define spir_kernel void @kernel2() #0 !sycl_used_aspects !4 {
  call spir_func void @foo()
  ret void
}

define spir_kernel void @kernel3() #0 {
  ret void
}

attributes #0 = { "sycl-module-id"="TU1.cpp" }
attributes #1 = { "sycl-module-id"="TU2.cpp" }

!sycl_aspects = !{!5, !6, !7}
!1 = !{i32 1}
!2 = !{i32 2}
!3 = !{i32 3, i32 1}
!4 = !{i32 1, i32 3}
!5 = !{!"cpu", i32 1}
!6 = !{!"gpu", i32 2}
!7 = !{!"accelerator", i32 3}
