; SYCL_EXTERNAL functions with required sizes of their own, and a sub-group size that is written twice.
; run: --split source
; run: --ir-output-only --output OUT.ll
target triple = "spir64-unknown-unknown"

define spir_func void @foo() #0 !intel_reqd_sub_group_size !1 {
  ret void
}

define spir_func void @bar() #1 !intel_reqd_sub_group_size !2 {
  ret void
}

define spir_kernel void @kernel0() #1 !intel_reqd_sub_group_size !2 {
  ret void
}

define spir_kernel void @kernel1() #0 !intel_reqd_sub_group_size !3 {
  call void @foo()
  ret void
}

attributes #0 = { "sycl-module-id"="TU1.cpp" }
attributes #1 = { "sycl-module-id"="TU2.cpp" }
!1 = !{i32 32}
!2 = !{i32 64}
!3 = !{i32 16, i32 16}
