; Sizes that are attributes still: the properties of DPC++'s kernels.
; run: --split source
target triple = "spir64-unknown-unknown"

define spir_kernel void @wg84() #0 {
  ret void
}

define spir_kernel void @wg16() #1 {
  ret void
}

define spir_kernel void @sg16() #2 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" "sycl-work-group-size"="8,4" }
attributes #1 = { "sycl-module-id"="a.cpp" "sycl-work-group-size"="16" }
attributes #2 = { "sycl-module-id"="a.cpp" "sycl-sub-group-size"="16" }
