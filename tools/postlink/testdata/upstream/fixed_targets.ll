; Fixed targets of a function that a kernel calls.
; run: --split auto
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @kernel() #0 {
  call spir_func void @foo()
  ret void
}

define dso_local spir_func void @foo() !sycl_fixed_targets !0 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
!sycl_aspects = !{!1}
!0 = !{i32 1}
!1 = !{!"cpu", i32 1}
