; seven: 0@0+4 = 07 00 00 00
; flag: 1@0+1 = 01
; letter: 2@0+1 = c8
; short: 3@0+2 = fe ff
; long: 4@0+8 = ef cd ab 89 67 45 23 01
; little: 5@0+2 -1@2+2 = 01 3c 00 00
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
  %constant.0 = getelementptr i8, ptr addrspace(4) null, i32 0, !dbg !5
  %1 = load i32, ptr addrspace(4) %constant.0, !dbg !5
  store i32 %1, ptr addrspace(1) %out
  %constant.2 = getelementptr i8, ptr addrspace(4) null, i32 4
  %constant.3 = load i8, ptr addrspace(4) %constant.2
  %2 = trunc i8 %constant.3 to i1
  %3 = zext i1 %2 to i32
  store i32 %3, ptr addrspace(1) %out
  %constant.5 = getelementptr i8, ptr addrspace(4) null, i32 5
  %4 = load i8, ptr addrspace(4) %constant.5
  store i8 %4, ptr addrspace(1) %out
  %constant.7 = getelementptr i8, ptr addrspace(4) null, i32 6
  %5 = load i16, ptr addrspace(4) %constant.7
  store i16 %5, ptr addrspace(1) %out
  %constant.9 = getelementptr i8, ptr addrspace(4) null, i32 8
  %6 = load i64, ptr addrspace(4) %constant.9
  store i64 %6, ptr addrspace(1) %out
  %constant.11 = getelementptr i8, ptr addrspace(4) null, i32 16
  %7 = load half, ptr addrspace(4) %constant.11
  store half %7, ptr addrspace(1) %out
  %constant.13 = getelementptr i8, ptr addrspace(4) null, i32 20
  %8 = load float, ptr addrspace(4) %constant.13
  store float %8, ptr addrspace(1) %out
  %constant.15 = getelementptr i8, ptr addrspace(4) null, i32 24
  %9 = load double, ptr addrspace(4) %constant.15
  store double %9, ptr addrspace(1) %out
  %constant.17 = getelementptr i8, ptr addrspace(4) null, i32 0
  %constant_ = load i32, ptr addrspace(4) %constant.17
  store i32 %constant_, ptr addrspace(1) %out
  ret void
}

define spir_func i32 @helper(ptr addrspace(4) %buffer) {
  %constant0 = getelementptr i8, ptr addrspace(4) %buffer, i32 0
  %"a name" = load i32, ptr addrspace(4) %constant0
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
!17 = !{!"little", i32 5, i32 0, i32 2, i32 -1, i32 2, i32 2}
!18 = !{half 0xH3C01}
!19 = !{[2 x i8] zeroinitializer}
!20 = !{!"third", i32 6, i32 0, i32 4}
!21 = !{float 0x3FD5555560000000}
!22 = !{!"fine", i32 7, i32 0, i32 8}
!23 = !{double 1.250000e-01}
!sycl.specialization-constants = !{!7, !9, !11, !13, !15, !17, !20, !22}
!sycl.specialization-constants-default-values = !{!8, !10, !12, !14, !16, !18, !19, !21, !23}
