; no constants
; The functions of SYCL 1.2.1, which get no default value: it is 0. No buffer is there for
; emulation.
; not: emulation
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%pair = type { i32, { float, i8 } }

define spir_kernel void @kernel(ptr addrspace(4) %out) {
  %1 = freeze float 0.000000e+00
  store float %1, ptr addrspace(4) %out
  %2 = freeze i1 false
  %3 = zext i1 %2 to i8
  store i8 %3, ptr addrspace(4) %out
  store %pair zeroinitializer, ptr addrspace(4) %out
  ret void
}
!sycl.specialization-constants-default-values-module = !{}
