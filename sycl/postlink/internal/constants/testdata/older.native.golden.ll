; number: 0@0+4 = 00 00 00 00
; flag: 1@0+1 = 00
; pair: 2@0+4 3@4+4 4@8+1 -1@9+3 = 00 00 00 00 00 00 00 00 00 00 00 00
; The functions of SYCL 1.2.1, which get no default value: it is 0. No buffer is there for
; emulation.
; not: emulation
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%pair = type { i32, { float, i8 } }

define spir_kernel void @kernel(ptr addrspace(4) %out) {
  %1 = call spir_func float @_Z20__spirv_SpecConstantif(i32 0, float 0.000000e+00)
  store float %1, ptr addrspace(4) %out
  %2 = call spir_func i1 @_Z20__spirv_SpecConstantib(i32 1, i1 false)
  %3 = zext i1 %2 to i8
  store i8 %3, ptr addrspace(4) %out
  %constant2 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 2, i32 0)
  %constant3 = call spir_func float @_Z20__spirv_SpecConstantif(i32 3, float 0.000000e+00)
  %constant4 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 4, i8 0)
  %constant5 = call spir_func { float, i8 } @"_Z29__spirv_SpecConstantCompositefa_R{ float, i8 }"(float %constant3, i8 %constant4)
  %constant6 = call spir_func %pair @"_Z29__spirv_SpecConstantCompositei{ float, i8 }_Rpair"(i32 %constant2, { float, i8 } %constant5)
  store %pair %constant6, ptr addrspace(4) %out
  ret void
}
declare spir_func i8 @_Z20__spirv_SpecConstantia(i32, i8)
declare spir_func i1 @_Z20__spirv_SpecConstantib(i32, i1)
declare spir_func float @_Z20__spirv_SpecConstantif(i32, float)
declare spir_func i32 @_Z20__spirv_SpecConstantii(i32, i32)
declare spir_func { float, i8 } @"_Z29__spirv_SpecConstantCompositefa_R{ float, i8 }"(float, i8)
declare spir_func %pair @"_Z29__spirv_SpecConstantCompositei{ float, i8 }_Rpair"(i32, { float, i8 })
!0 = !{!"number", i32 0, i32 0, i32 4}
!1 = !{float 0.000000e+00}
!2 = !{!"flag", i32 1, i32 0, i32 1}
!3 = !{i1 false}
!4 = !{!"pair", i32 2, i32 0, i32 4, i32 3, i32 4, i32 4, i32 4, i32 8, i32 1, i32 -1, i32 9, i32 3}
!5 = !{%pair zeroinitializer}
!sycl.specialization-constants = !{!0, !2, !4}
!sycl.specialization-constants-default-values = !{!1, !3, !5}
