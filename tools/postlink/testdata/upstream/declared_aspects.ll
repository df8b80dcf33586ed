; Aspects that functions declare, and those of functions that they call.
; run: --split auto
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @kernel() #0 {
  call spir_func void @foo()
  ret void
}

define dso_local spir_func void @foo() !sycl_declared_aspects !0 {
  call spir_func void @bar()
  ret void
}

define dso_local spir_func void @bar() !sycl_used_aspects !1 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }

!sycl_aspects = !{!2, !3, !4}
!0 = !{i32 5, i32 6}
!1 = !{i32 9}
!2 = !{!"fp16", i32 5}
!3 = !{!"fp64", i32 6}
!4 = !{!"image", i32 9}
