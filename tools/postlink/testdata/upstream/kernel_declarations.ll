; Declarations are no entry points.
; run: --split source
; run: --split kernel
; dpcpp: --split per_source
target triple = "spir64-unknown-unknown"

define spir_kernel void @_ZTS2K0() #0 {
  ret void
}

define spir_kernel void @_ZTS2K1() #0 {
  ret void
}

define spir_kernel void @_ZTS2K2() #1 {
  ret void
}

declare spir_kernel void @_ZTS2K3() #1

attributes #0 = { "sycl-module-id"="TU1.cpp" }
attributes #1 = { "sycl-module-id"="TU2.cpp" }
