; A function that fails an assertion and can be called through a pointer counts for all kernels of the image.
; run: --split source
; run: --split source --keep-aspects
target triple = "spir64-unknown-unknown"

define weak_odr dso_local spir_kernel void @calls(ptr %f) #0 {
  call spir_func void %f()
  ret void
}

define weak_odr dso_local spir_kernel void @fine() #0 {
  ret void
}

define weak_odr dso_local spir_kernel void @elsewhere() #1 {
  ret void
}

define dso_local spir_func void @pointee() #2 {
  call spir_func void @__devicelib_assert_fail()
  ret void
}

declare spir_func void @__devicelib_assert_fail()

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
attributes #2 = { "referenced-indirectly" }
!sycl_aspects = !{!0}
!0 = !{!"fp64", i32 6}
