; Tables without columns that were not asked for.
; run: --split source --properties=false --symbols=false
; run: --split source --properties=false
; run: --split source --symbols=false
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @a() #0 {
  ret void
}

define weak_odr dso_local spir_kernel void @b() #1 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
