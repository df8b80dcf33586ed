; seven: 0@0+4 = 07 00 00 00
; flag: 1@0+1 = 01
; letter: 2@0+1 = c8
; short: 3@0+2 = fe ff
; long: 4@0+8 = ef cd ab 89 67 45 23 01
; little: 5@0+2 = 01 3c
; third: 6@0+4 = ab aa aa 3e
; fine: 7@0+8 = 00 00 00 00 00 00 c0 3f
; Constants of all scalar types. "seven" is read twice, and by two functions.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%id_i8 = type { i8 }
%id_i16 = type { i16 }
%id_i32 = type { i32 }
%id_i64 = type { i64 }
%id_half = type { half }
%id_float = type { float }
%id_double = type { double }

define spir_kernel void @kernel(ptr addrspace(1) %out) !dbg !3 {
  %1 = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 0, i32 7), !dbg !5
  store i32 %1, ptr addrspace(1) %out
  %constant.1 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 1, i8 1)
  %2 = trunc i8 %constant.1 to i1
  %3 = zext i1 %2 to i32
  store i32 %3, ptr addrspace(1) %out
  %4 = call spir_func i8 @_Z20__spirv_SpecConstantia(i32 2, i8 -56)
  store i8 %4, ptr addrspace(1) %out
  %5 = call spir_func i16 @_Z20__spirv_SpecConstantis(i32 3, i16 -2)
  store i16 %5, ptr addrspace(1) %out
  %6 = call spir_func i64 @_Z20__spirv_SpecConstantix(i32 4, i64 81985529216486895)
  store i64 %6, ptr addrspace(1) %out
  %7 = call spir_func half @_Z20__spirv_SpecConstantiDh(i32 5, half 0xH3C01)
  store half %7, ptr addrspace(1) %out
  %8 = call spir_func float @_Z20__spirv_SpecConstantif(i32 6, float 0x3FD5555560000000)
  store float %8, ptr addrspace(1) %out
  %9 = call spir_func double @_Z20__spirv_SpecConstantid(i32 7, double 1.250000e-01)
  store double %9, ptr addrspace(1) %out
  %constant_ = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 0, i32 7)
  store i32 %constant_, ptr addrspace(1) %out
  ret void
}

define spir_func i32 @helper(ptr addrspace(4) %buffer) {
  %"a name" = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 0, i32 7)
  ret i32 %"a name"
}

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.cpp", directory: "/src")
!3 = distinct !DISubprogram(name: "kernel", file: !2, line: 3, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !6)
!5 = !DILocation(line: 4, column: 2, scope: !3)
!6 = !{}
declare spir_func half @_Z20__spirv_SpecConstantiDh(i32, half)
declare spir_func i8 @_Z20__spirv_SpecConstantia(i32, i8)
declare spir_func double @_Z20__spirv_SpecConstantid(i32, double)
declare spir_func float @_Z20__spirv_SpecConstantif(i32, float)
declare spir_func i32 @_Z20__spirv_SpecConstantii(i32, i32)
declare spir_func i16 @_Z20__spirv_SpecConstantis(i32, i16)
declare spir_func i64 @_Z20__spirv_SpecConstantix(i32, i64)
!7 = !{!"seven", i32 0, i32 0, i32 4}
!8 = !{i32 7}
!9 = !{!"flag", i32 1, i32 0, i32 1}
!10 = !{i8 1}
!11 = !{!"letter", i32 2, i32 0, i32 1}
!12 = !{i8 -56}
!13 = !{!"short", i32 3, i32 0, i32 2}
!14 = !{i16 -2}
!15 = !{!"long", i32 4, i32 0, i32 8}
!16 = !{i64 81985529216486895}
!17 = !{!"little", i32 5, i32 0, i32 2}
!18 = !{half 0xH3C01}
!19 = !{!"third", i32 6, i32 0, i32 4}
!20 = !{float 0x3FD5555560000000}
!21 = !{!"fine", i32 7, i32 0, i32 8}
!22 = !{double 1.250000e-01}
!sycl.specialization-constants = !{!7, !9, !11, !13, !15, !17, !19, !21}
!sycl.specialization-constants-default-values = !{!8, !10, !12, !14, !16, !18, !20, !22}
