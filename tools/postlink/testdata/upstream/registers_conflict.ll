; A kernel that says twice which registers it needs is an error.
; run: --split source
; run: --split none
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @kernel() #0 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" "sycl-grf-size"="256" "sycl-register-alloc-mode"="0" }
