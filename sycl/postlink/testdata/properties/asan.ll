; code that was instrumented with asan
; image: kernel
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/misc properties]
; sanUsed=2|gAAAAAAAAAQYzFmb
@__AsanKernelMetadata = appending addrspace(1) global [1 x { i64, i64 }] [{ i64, i64 } { i64 ptrtoint (ptr @kernel to i64), i64 6 }]

define spir_kernel void @kernel() {
  ret void
}
