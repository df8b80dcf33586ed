; kernels that may fail an assertion
; image: direct far aliased taken none
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/assert used]
; direct=1|1
; far=1|1
; aliased=1|1
; image: none
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; image: none pointer
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/assert used]
; none=1|1
; pointer=1|1
@alias = alias void (), ptr @checks

define spir_kernel void @direct() {
  call spir_func void @__devicelib_assert_fail()
  ret void
}

define spir_kernel void @far() {
  call spir_func void @middle()
  ret void
}

define spir_func void @middle() {
  call spir_func void @checks()
  call spir_func void @middle()
  ret void
}

define spir_func void @checks() {
  call spir_func void @__devicelib_assert_fail()
  ret void
}

define spir_kernel void @aliased() {
  call spir_func void @alias()
  ret void
}

; It takes the address of a function, and does not call it.
define spir_kernel void @taken() {
  %p = alloca ptr
  store ptr @checks, ptr %p
  ret void
}

define spir_kernel void @none() {
  ret void
}

define spir_kernel void @pointer() {
  call spir_func void @callable()
  ret void
}

define spir_func void @callable() "referenced-indirectly" {
  call spir_func void @__devicelib_assert_fail()
  ret void
}

declare spir_func void @__devicelib_assert_fail()
