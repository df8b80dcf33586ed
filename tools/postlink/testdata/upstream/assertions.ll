; Kernels that may fail an assertion, directly, through others and through the C library's function.
; run: --split auto
; run: --split kernel
target triple = "spir64-unknown-unknown"

@SPIR_AssertHappenedMem = linkonce_odr dso_local addrspace(1) global i32 0, align 8

define weak_odr dso_local spir_kernel void @fails() #0 {
  call spir_func void @check()
  ret void
}

define weak_odr dso_local spir_kernel void @fine() #0 {
  ret void
}

define weak_odr dso_local spir_kernel void @fails_elsewhere() #1 {
  call spir_func void @deep()
  ret void
}

define weak_odr dso_local spir_kernel void @fails_in_library() #1 {
  call spir_func void @__assert_fail(ptr addrspace(4) null)
  ret void
}

define weak dso_local spir_func void @__assert_fail(ptr addrspace(4) %expr) {
  call spir_func void @__devicelib_assert_fail(ptr addrspace(4) %expr)
  ret void
}

define dso_local spir_func void @deep() {
  call spir_func void @check()
  ret void
}

define dso_local spir_func void @check() {
  call spir_func void @__devicelib_assert_fail(ptr addrspace(4) null)
  ret void
}

define dso_local spir_func void @__devicelib_assert_fail(ptr addrspace(4) %expr) {
  store i32 1, ptr addrspace(1) @SPIR_AssertHappenedMem
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
