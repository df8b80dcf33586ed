; virtual functions
; image: foo bar
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/virtual functions]
; virtual-functions-set: set-foo
; image: kernel
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/virtual functions]
; uses-virtual-functions-set: set-bar,set-foo
; image: kernel2 kernel
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/virtual functions]
; uses-virtual-functions-set: set-bar,set-baz,set-foo
; image: none
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
define spir_func void @foo() "indirectly-callable"="set-foo" {
  ret void
}

define spir_func void @bar() "indirectly-callable"="set-foo" {
  ret void
}

define spir_kernel void @kernel() "calls-indirectly"="set-foo,set-bar" {
  ret void
}

define spir_kernel void @kernel2() "calls-indirectly"="set-foo, set-baz," {
  ret void
}

define spir_kernel void @none() "calls-indirectly" {
  ret void
}
