; The names by which free functions ask for kernels: an image has those of its kernels,
; of one kernel all its names, each once, and an entry without a kernel counts for none.
; run: --split source
; dpcpp: --split per_source
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @a() #0 {
  ret void
}

define weak_odr dso_local spir_kernel void @b() #1 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
!sycl_registered_kernels = !{!0}
!0 = !{!1, !2, !3, !4, !5, !6}
!1 = !{!"foo", !"a"}
!2 = !{!"(int(*)[42])bar", !"b"}
!3 = !{!"gone", !"c"}
!4 = !{!"nameless"}
!5 = !{!"foo", !"a"}
!6 = !{!"(void(*)())foo", !"a"}
