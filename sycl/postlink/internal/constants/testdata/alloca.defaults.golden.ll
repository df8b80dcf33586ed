; no constants
; private_alloca with a specialization constant as the size.
; not: emulation
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%range = type { ptr addrspace(4), ptr addrspace(4) }

define spir_kernel void @kernel(ptr addrspace(1) %out) {
  %1 = alloca double, i64 10, align 8
  store double 1.0, ptr %1
  %2 = alloca %range, i16 3, align 64
  store ptr addrspace(4) null, ptr %2
  ret void
}
!sycl.specialization-constants-default-values-module = !{}
