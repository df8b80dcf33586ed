; all: 0@0+4 1@4+4 2@8+4 3@12+4 4@16+4 5@20+4 6@24+1 -1@25+7 7@32+8 8@40+4 9@44+4 = 01 00 00 00 02 00 00 00 03 00 00 00 00 00 80 40 05 00 00 00 00 00 c0 40 07 00 00 00 00 00 00 00 00 00 00 00 00 00 20 40 09 00 00 00 00 00 20 41
; some: 10@0+4 11@4+4 = 00 00 00 00 00 00 00 00
; halves: 12@0+2 13@2+2 14@4+2 15@6+2 = 00 3c 00 3c 00 3c 00 3c
; Constants of class types: returned through memory and by value, nested, with arrays and
; vectors, one with members of two classes of one form, one that is no constant in LLVM IR.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%point = type { i32, float }
%other = type { i32, float }
%inner = type { <2 x i32>, [2 x %point], i8 }
%outer = type { %inner, double, %other }
%id_outer = type { %outer }
%id_point = type { %point }
%id_vector = type { <4 x half> }

define spir_kernel void @kernel(ptr addrspace(1) %out) {
entry:
  %a = alloca %outer
  %a.cast = addrspacecast ptr %a to ptr addrspace(4)
  %constant0 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 0, i32 1)
  %constant1 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 1, i32 2)
  %constant2 = call spir_func <2 x i32> @_Z29__spirv_SpecConstantCompositeii_RDv2_i(i32 %constant0, i32 %constant1)
  %constant3 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 2, i32 3)
  %constant4 = call spir_func float @_Z20__spirv_SpecConstantif(i32 3, float 4.000000e+00)
  %constant5 = call spir_func %point @_Z29__spirv_SpecConstantCompositeif_Rpoint(i32 %constant3, float %constant4)
  %constant6 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 4, i32 5)
  %constant7 = call spir_func float @_Z20__spirv_SpecConstantif(i32 5, float 6.000000e+00)
  %constant8 = call spir_func %point @_Z29__spirv_SpecConstantCompositeif_Rpoint(i32 %constant6, float %constant7)
  %constant9 = call spir_func [2 x %point] @_Z29__spirv_SpecConstantCompositepointpoint_RA2_point(%point %constant5, %point %constant8)
  %constant10 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 6, i8 7)
  %constant11 = call spir_func %inner @_Z29__spirv_SpecConstantCompositeDv2_iA2_pointa_Rinner(<2 x i32> %constant2, [2 x %point] %constant9, i8 %constant10)
  %constant12 = call spir_func double @_Z20__spirv_SpecConstantid(i32 7, double 8.000000e+00)
  %constant13 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 8, i32 9)
  %constant14 = call spir_func float @_Z20__spirv_SpecConstantif(i32 9, float 1.000000e+01)
  %constant15 = call spir_func %other @_Z29__spirv_SpecConstantCompositeif_Rother(i32 %constant13, float %constant14)
  %constant16 = call spir_func %outer @_Z29__spirv_SpecConstantCompositeinnerdother_Router(%inner %constant11, double %constant12, %other %constant15)
  store %outer %constant16, ptr addrspace(4) %a.cast
  %constant17 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 10, i32 0)
  %constant18 = call spir_func float @_Z20__spirv_SpecConstantif(i32 11, float 0.000000e+00)
  %p = call spir_func %point @_Z29__spirv_SpecConstantCompositeif_Rpoint(i32 %constant17, float %constant18)
  %constant20 = call spir_func half @_Z20__spirv_SpecConstantiDh(i32 12, half 0xH3C00)
  %constant21 = call spir_func half @_Z20__spirv_SpecConstantiDh(i32 13, half 0xH3C00)
  %constant22 = call spir_func half @_Z20__spirv_SpecConstantiDh(i32 14, half 0xH3C00)
  %constant23 = call spir_func half @_Z20__spirv_SpecConstantiDh(i32 15, half 0xH3C00)
  %h = call spir_func <4 x half> @_Z29__spirv_SpecConstantCompositeDhDhDhDh_RDv4_Dh(half %constant20, half %constant21, half %constant22, half %constant23)
  %value = load %outer, ptr %a
  store %outer %value, ptr addrspace(1) %out
  store %point %p, ptr addrspace(1) %out
  store <4 x half> %h, ptr addrspace(1) %out
  ret void
}
declare spir_func half @_Z20__spirv_SpecConstantiDh(i32, half)
declare spir_func i8 @_Z20__spirv_SpecConstantia(i32, i8)
declare spir_func double @_Z20__spirv_SpecConstantid(i32, double)
declare spir_func float @_Z20__spirv_SpecConstantif(i32, float)
declare spir_func i32 @_Z20__spirv_SpecConstantii(i32, i32)
declare spir_func <4 x half> @_Z29__spirv_SpecConstantCompositeDhDhDhDh_RDv4_Dh(half, half, half, half)
declare spir_func %inner @_Z29__spirv_SpecConstantCompositeDv2_iA2_pointa_Rinner(<2 x i32>, [2 x %point], i8)
declare spir_func %other @_Z29__spirv_SpecConstantCompositeif_Rother(i32, float)
declare spir_func %point @_Z29__spirv_SpecConstantCompositeif_Rpoint(i32, float)
declare spir_func <2 x i32> @_Z29__spirv_SpecConstantCompositeii_RDv2_i(i32, i32)
declare spir_func %outer @_Z29__spirv_SpecConstantCompositeinnerdother_Router(%inner, double, %other)
declare spir_func [2 x %point] @_Z29__spirv_SpecConstantCompositepointpoint_RA2_point(%point, %point)
!0 = !{!"all", i32 0, i32 0, i32 4, i32 1, i32 4, i32 4, i32 2, i32 8, i32 4, i32 3, i32 12, i32 4, i32 4, i32 16, i32 4, i32 5, i32 20, i32 4, i32 6, i32 24, i32 1, i32 -1, i32 25, i32 7, i32 7, i32 32, i32 8, i32 8, i32 40, i32 4, i32 9, i32 44, i32 4}
!1 = !{%outer { %inner { <2 x i32> <i32 1, i32 2>, [2 x %point] [%point { i32 3, float 4.000000e+00 }, %point { i32 5, float 6.000000e+00 }], i8 7 }, double 8.000000e+00, %other { i32 9, float 1.000000e+01 } }}
!2 = !{!"some", i32 10, i32 0, i32 4, i32 11, i32 4, i32 4}
!3 = !{%point zeroinitializer}
!4 = !{!"halves", i32 12, i32 0, i32 2, i32 13, i32 2, i32 2, i32 14, i32 4, i32 2, i32 15, i32 6, i32 2}
!5 = !{<4 x half> splat (half 0xH3C00)}
!sycl.specialization-constants = !{!0, !2, !4}
!sycl.specialization-constants-default-values = !{!1, !3, !5}
