; n64: 0@0+8 = 0a 00 00 00 00 00 00 00
; n16: 1@0+2 = 03 00
; private_alloca with a specialization constant as the size.
; not: emulation
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%range = type { ptr addrspace(4), ptr addrspace(4) }

define spir_kernel void @kernel(ptr addrspace(1) %out) {
  %constant0 = call spir_func i64 @_Z20__spirv_SpecConstantix(i32 0, i64 10)
  %1 = alloca double, i64 %constant0, align 8
  store double 1.0, ptr %1
  %constant2 = call spir_func i16 @_Z20__spirv_SpecConstantis(i32 1, i16 3)
  %2 = alloca %range, i16 %constant2, align 64
  store ptr addrspace(4) null, ptr %2
  ret void
}
declare spir_func i16 @_Z20__spirv_SpecConstantis(i32, i16)
declare spir_func i64 @_Z20__spirv_SpecConstantix(i32, i64)
!0 = !{!"n64", i32 0, i32 0, i32 8}
!1 = !{i64 10}
!2 = !{!"n16", i32 1, i32 0, i32 2}
!3 = !{i16 3}
!sycl.specialization-constants = !{!0, !2}
!sycl.specialization-constants-default-values = !{!1, !3}
