; no constants
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
  %1 = freeze i32 7, !dbg !5
  store i32 %1, ptr addrspace(1) %out
  %2 = freeze i1 true
  %3 = zext i1 %2 to i32
  store i32 %3, ptr addrspace(1) %out
  %4 = freeze i8 -56
  store i8 %4, ptr addrspace(1) %out
  %5 = freeze i16 -2
  store i16 %5, ptr addrspace(1) %out
  %6 = freeze i64 81985529216486895
  store i64 %6, ptr addrspace(1) %out
  %7 = freeze half 0xH3C01
  store half %7, ptr addrspace(1) %out
  %8 = freeze float 0x3FD5555560000000
  store float %8, ptr addrspace(1) %out
  %9 = freeze double 1.250000e-01
  store double %9, ptr addrspace(1) %out
  %constant_ = freeze i32 7
  store i32 %constant_, ptr addrspace(1) %out
  ret void
}

define spir_func i32 @helper(ptr addrspace(4) %buffer) {
  %"a name" = freeze i32 7
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
!sycl.specialization-constants-default-values-module = !{}
