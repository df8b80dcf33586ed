; Inline SYCL_EXTERNAL functions: those that nothing uses go, and only those.
; run: --split none --split-esimd
; run: --split source
; run: --split kernel --allow-device-image-dependencies
target triple = "spir64-unknown-unknown"

define weak_odr spir_kernel void @kernel() #0 {
  call spir_func void @used()
  ret void
}

define linkonce_odr spir_func void @used() #0 {
  ret void
}

define linkonce_odr spir_func void @unused() #0 {
  call spir_func void @ofUnused()
  ret void
}

define linkonce spir_func void @ofUnused() #0 {
  ret void
}

define weak_odr spir_func void @exported() #0 {
  ret void
}

define linkonce_odr spir_func void @indirect() #1 {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="a.cpp" "referenced-indirectly" }
