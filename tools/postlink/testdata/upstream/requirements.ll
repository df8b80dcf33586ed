; What an image needs: the union of what its functions use, sorted, the aspect 0 included, and none.
; run: --split auto
; run: --split kernel
; dpcpp: --split per_source
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @first() #0 !sycl_used_aspects !0 {
  call spir_func void @foo()
  ret void
}

define dso_local spir_func void @foo() !sycl_used_aspects !0 {
  ret void
}

define weak_odr dso_local spir_kernel void @second() #1 !sycl_used_aspects !2 {
  call spir_func void @bar()
  call spir_func void @foo()
  ret void
}

define dso_local spir_func void @bar() !sycl_used_aspects !1 {
  ret void
}

define weak_odr dso_local spir_kernel void @third() #2 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
attributes #2 = { "sycl-module-id"="c.cpp" }

!sycl_aspects = !{!3, !4, !5, !6, !7}
!0 = !{i32 6, i32 1}
!1 = !{i32 12, i32 0, i32 9}
!2 = !{i32 12, i32 0, i32 9, i32 6, i32 1}
!3 = !{!"host", i32 0}
!4 = !{!"cpu", i32 1}
!5 = !{!"fp64", i32 6}
!6 = !{!"image", i32 9}
!7 = !{!"queue_profiling", i32 12}
