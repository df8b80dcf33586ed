; Register files of kernels, and optimization levels: apart, and in the properties.
; run: --split source --split-esimd
; run: --split source
; dpcpp: --split per_source
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @plain() #0 {
  ret void
}

define weak_odr dso_local spir_kernel void @grf() #1 {
  ret void
}

define weak_odr dso_local spir_kernel void @level0() #3 {
  ret void
}

define weak_odr dso_local spir_kernel void @level2() #4 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="a.cpp" "sycl-grf-size"="256" }
attributes #3 = { "sycl-module-id"="a.cpp" "sycl-optlevel"="0" }
attributes #4 = { "sycl-module-id"="b.cpp" "sycl-optlevel"="2" }
