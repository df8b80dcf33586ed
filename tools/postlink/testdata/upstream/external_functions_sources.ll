; With dependencies, two sources that use each other's functions.
; run: --split source --allow-device-image-dependencies
; dpcpp: --split per_source --allow-device-image-dependencies
target triple = "spir64-unknown-unknown"

define weak_odr spir_func void @a2() #0 {
  ret void
}

define weak_odr spir_func void @a1() #0 {
  call spir_func void @a2()
  call spir_func void @b2()
  ret void
}

define weak_odr spir_kernel void @kernel_a() #0 {
  call spir_func void @a1()
  ret void
}

define weak_odr spir_func void @b2() #1 {
  ret void
}

define weak_odr spir_func void @b1() #1 {
  call spir_func void @a2()
  call spir_func void @b2()
  ret void
}

define weak_odr spir_kernel void @kernel_b() #1 {
  call spir_func void @b1()
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
