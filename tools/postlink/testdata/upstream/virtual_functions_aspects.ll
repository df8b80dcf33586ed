; A set of virtual functions that need an aspect: one image, without a second one that does nothing.
; run: --split auto
; dpcpp: --split auto
target triple = "spir64-unknown-unknown"

define spir_func void @foo() #0 {
  ret void
}

define spir_func void @bar() #0 !sycl_used_aspects !1 {
  %x = alloca double
  %d = load double, ptr %x
  ret void
}

attributes #0 = { "sycl-module-id"="v.cpp" "indirectly-callable"="setA" }
!sycl_aspects = !{!0}
!0 = !{!"fp64", i32 6}
!1 = !{i32 6}
