; Exported symbols: SYCL_EXTERNAL functions, per image.
; run: --split none
; run: --split source
; run: --split kernel
target triple = "spir64-unknown-unknown"

define dso_local spir_kernel void @kernel1(float %x) #0 {
  ret void
}

define dso_local spir_kernel void @kernel2(float %x) #2 {
  ret void
}

define dso_local spir_func void @exported1(float %x) #0 {
  ret void
}

define dso_local spir_func void @exported2(i32 %x, i32 %y) #1 {
  ret void
}

define dso_local spir_func void @exported3(float %x) #0 {
  ret void
}

define dso_local spir_func void @plain(float %x) {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
attributes #2 = { "sycl-module-id"="c.cpp" }
