; first: 1@4+4 2@8+2 -1@10+2 = 00 00 00 00 05 00 00 00 06 00 00 00
; nested: 3@0+4 4@4+1 -1@5+3 6@16+8 7@24+1 8@25+1 9@26+1 10@27+1 11@28+1 -1@29+3 = 00 00 80 3f 62 00 00 00 00 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 61 62 63 00 ff 00 00 00
; undefined: 13@0+4 14@4+4 15@8+4 16@16+8 -1@31+1 = 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
; written: 19@0+4 20@4+4 21@8+1 -1@9+3 = 00 00 80 3f 02 00 00 00 03 00 00 00
; tail: 23@0+4 24@4+1 -1@5+3 = 01 00 00 00 02 00 00 00
; Room in classes: at the end, written out in the type but not in the default value, left
; undefined in it, in the middle, and default values that are flat where the type is nested.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%tail = type { i32, i8 }
%written = type <{ float, i32, i8, [3 x i8] }>
%undefined = type { [3 x float], i64, [7 x i8], i8 }
%base = type { float, i8 }
%derived = type <{ %base, [8 x i8], i64, [5 x i8] }>
%nested = type { %derived, [3 x i8] }
%first = type { { i8, i32 }, i16 }

define spir_kernel void @kernel(ptr addrspace(4) %out) {
  %constant0 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 23, i32 1)
  %constant1 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 24, i8 2)
  %constant2 = call spir_func %tail @_Z29__spirv_SpecConstantCompositeia_Rtail(i32 %constant0, i8 %constant1)
  store %tail %constant2, ptr addrspace(4) %out
  %constant3 = call spir_func float @_Z20__spirv_SpecConstantif(i32 19, float 1.000000e+00)
  %constant4 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 20, i32 2)
  %constant5 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 21, i8 3)
  %constant6 = call spir_func %written @_Z29__spirv_SpecConstantCompositefiaA3_a_Rwritten(float %constant3, i32 %constant4, i8 %constant5, [3 x i8] undef)
  store %written %constant6, ptr addrspace(4) %out
  %constant7 = call spir_func float @_Z20__spirv_SpecConstantif(i32 13, float 0.000000e+00)
  %constant8 = call spir_func float @_Z20__spirv_SpecConstantif(i32 14, float 0.000000e+00)
  %constant9 = call spir_func float @_Z20__spirv_SpecConstantif(i32 15, float 0.000000e+00)
  %constant10 = call spir_func [3 x float] @_Z29__spirv_SpecConstantCompositefff_RA3_f(float %constant7, float %constant8, float %constant9)
  %constant11 = call spir_func i64 @_Z20__spirv_SpecConstantix(i32 16, i64 5)
  %constant12 = call spir_func %undefined @_Z29__spirv_SpecConstantCompositeA3_fxA7_aa_Rundefined([3 x float] %constant10, i64 %constant11, [7 x i8] undef, i8 undef)
  store %undefined %constant12, ptr addrspace(4) %out
  %constant13 = call spir_func float @_Z20__spirv_SpecConstantif(i32 3, float 1.000000e+00)
  %constant14 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 4, i8 98)
  %constant15 = call spir_func %base @_Z29__spirv_SpecConstantCompositefa_Rbase(float %constant13, i8 %constant14)
  %constant16 = call spir_func i64 @_Z20__spirv_SpecConstantix(i32 6, i64 5)
  %constant17 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 7, i8 97)
  %constant18 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 8, i8 98)
  %constant19 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 9, i8 99)
  %constant20 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 10, i8 0)
  %constant21 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 11, i8 -1)
  %constant22 = call spir_func [5 x i8] @_Z29__spirv_SpecConstantCompositeaaaaa_RA5_a(i8 %constant17, i8 %constant18, i8 %constant19, i8 %constant20, i8 %constant21)
  %constant23 = call spir_func %derived @_Z29__spirv_SpecConstantCompositebaseA8_axA5_a_Rderived(%base %constant15, [8 x i8] undef, i64 %constant16, [5 x i8] %constant22)
  %constant24 = call spir_func %nested @_Z29__spirv_SpecConstantCompositederivedA3_a_Rnested(%derived %constant23, [3 x i8] undef)
  store %nested %constant24, ptr addrspace(4) %out
  %constant25 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 1, i32 5)
  %constant26 = call spir_func { i8, i32 } @"_Z29__spirv_SpecConstantCompositeai_R{ i8, i32 }"(i8 undef, i32 %constant25)
  %constant27 = call spir_func i16 @_Z20__spirv_SpecConstantis(i32 2, i16 6)
  %constant28 = call spir_func %first @"_Z29__spirv_SpecConstantComposite{ i8, i32 }s_Rfirst"({ i8, i32 } %constant26, i16 %constant27)
  store %first %constant28, ptr addrspace(4) %out
  ret void
}
declare spir_func i8 @_Z20__spirv_SpecConstantia(i32, i8)
declare spir_func float @_Z20__spirv_SpecConstantif(i32, float)
declare spir_func i32 @_Z20__spirv_SpecConstantii(i32, i32)
declare spir_func i16 @_Z20__spirv_SpecConstantis(i32, i16)
declare spir_func i64 @_Z20__spirv_SpecConstantix(i32, i64)
declare spir_func %undefined @_Z29__spirv_SpecConstantCompositeA3_fxA7_aa_Rundefined([3 x float], i64, [7 x i8], i8)
declare spir_func [5 x i8] @_Z29__spirv_SpecConstantCompositeaaaaa_RA5_a(i8, i8, i8, i8, i8)
declare spir_func { i8, i32 } @"_Z29__spirv_SpecConstantCompositeai_R{ i8, i32 }"(i8, i32)
declare spir_func %derived @_Z29__spirv_SpecConstantCompositebaseA8_axA5_a_Rderived(%base, [8 x i8], i64, [5 x i8])
declare spir_func %nested @_Z29__spirv_SpecConstantCompositederivedA3_a_Rnested(%derived, [3 x i8])
declare spir_func %base @_Z29__spirv_SpecConstantCompositefa_Rbase(float, i8)
declare spir_func [3 x float] @_Z29__spirv_SpecConstantCompositefff_RA3_f(float, float, float)
declare spir_func %written @_Z29__spirv_SpecConstantCompositefiaA3_a_Rwritten(float, i32, i8, [3 x i8])
declare spir_func %tail @_Z29__spirv_SpecConstantCompositeia_Rtail(i32, i8)
declare spir_func %first @"_Z29__spirv_SpecConstantComposite{ i8, i32 }s_Rfirst"({ i8, i32 }, i16)
!0 = !{!"first", i32 1, i32 4, i32 4, i32 2, i32 8, i32 2, i32 -1, i32 10, i32 2}
!1 = !{%first { { i8, i32 } { i8 undef, i32 5 }, i16 6 }}
!2 = !{!"nested", i32 3, i32 0, i32 4, i32 4, i32 4, i32 1, i32 -1, i32 5, i32 3, i32 6, i32 16, i32 8, i32 7, i32 24, i32 1, i32 8, i32 25, i32 1, i32 9, i32 26, i32 1, i32 10, i32 27, i32 1, i32 11, i32 28, i32 1, i32 -1, i32 29, i32 3}
!3 = !{{ float, i8, [4 x i8], i64, [5 x i8], [3 x i8] } { float 1.000000e+00, i8 98, [4 x i8] undef, i64 5, [5 x i8] c"abc\00\FF", [3 x i8] undef }}
!4 = !{!"undefined", i32 13, i32 0, i32 4, i32 14, i32 4, i32 4, i32 15, i32 8, i32 4, i32 16, i32 16, i32 8, i32 -1, i32 31, i32 1}
!5 = !{%undefined { [3 x float] zeroinitializer, i64 5, [7 x i8] undef, i8 poison }}
!6 = !{!"written", i32 19, i32 0, i32 4, i32 20, i32 4, i32 4, i32 21, i32 8, i32 1, i32 -1, i32 9, i32 3}
!7 = !{{ float, i32, i8 } { float 1.000000e+00, i32 2, i8 3 }}
!8 = !{!"tail", i32 23, i32 0, i32 4, i32 24, i32 4, i32 1, i32 -1, i32 5, i32 3}
!9 = !{%tail { i32 1, i8 2 }}
!sycl.specialization-constants = !{!0, !2, !4, !6, !8}
!sycl.specialization-constants-default-values = !{!1, !3, !5, !7, !9}
