; What the front end has noted stays: kernels get nothing from what they call, and an image needs all of its functions' aspects.
; run: --split auto --keep-aspects
; run: --split kernel --keep-aspects
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @first(ptr %f) #0 {
  call spir_func void %f()
  call spir_func void @foo()
  ret void
}

define dso_local spir_func void @foo() !sycl_used_aspects !0 {
  ret void
}

define weak_odr dso_local spir_kernel void @second() #0 {
  %x = fadd double 1.0, 2.0
  call spir_func void @bar()
  ret void
}

define dso_local spir_func void @bar() !sycl_used_aspects !1 {
  ret void
}

define weak_odr dso_local spir_kernel void @third() #0 !sycl_explicit_simd !6 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }

!sycl_aspects = !{!2, !3, !4, !5, !7}
!0 = !{i32 6, i32 1}
!1 = !{i32 12, i32 0, i32 9}
!2 = !{!"host", i32 0}
!3 = !{!"cpu", i32 1}
!4 = !{!"fp64", i32 6}
!5 = !{!"image", i32 9}
!6 = !{}
!7 = !{!"queue_profiling", i32 12}
