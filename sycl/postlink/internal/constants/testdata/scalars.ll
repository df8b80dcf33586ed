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

@seven = private unnamed_addr constant [6 x i8] c"seven\00", align 1
@flag = private unnamed_addr addrspace(1) constant [5 x i8] c"flag\00", align 1
@letter = private unnamed_addr constant [7 x i8] c"letter\00", align 1
@short = private unnamed_addr constant [6 x i8] c"short\00", align 1
@long = private unnamed_addr constant [5 x i8] c"long\00", align 1
@little = private unnamed_addr constant [7 x i8] c"little\00", align 1
@third = private unnamed_addr constant [6 x i8] c"third\00", align 1
@fine = private unnamed_addr constant [5 x i8] c"fine\00", align 1
@seven_id = internal addrspace(1) constant %id_i32 { i32 7 }, align 4
@flag_id = internal addrspace(1) constant %id_i8 { i8 1 }, align 1
@letter_id = internal addrspace(1) constant %id_i8 { i8 -56 }, align 1
@short_id = internal addrspace(1) constant %id_i16 { i16 -2 }, align 2
@long_id = internal addrspace(1) constant %id_i64 { i64 81985529216486895 }, align 8
@little_id = internal addrspace(1) constant %id_half { half 0xH3C01 }, align 2
@third_id = internal addrspace(1) constant %id_float { float 0x3FD5555560000000 }, align 4
@fine_id = internal addrspace(1) constant %id_double { double 1.250000e-01 }, align 8

define spir_kernel void @kernel(ptr addrspace(1) %out) !dbg !3 {
  %1 = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) noundef addrspacecast (ptr @seven to ptr addrspace(4)), ptr addrspace(4) noundef addrspacecast (ptr addrspace(1) @seven_id to ptr addrspace(4)), ptr addrspace(4) noundef null), !dbg !5
  store i32 %1, ptr addrspace(1) %out
  %2 = tail call spir_func noundef zeroext i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr addrspace(1) @flag to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @flag_id to ptr addrspace(4)), ptr addrspace(4) null)
  %3 = zext i1 %2 to i32
  store i32 %3, ptr addrspace(1) %out
  %4 = call spir_func signext i8 @_Z37__sycl_getScalar2020SpecConstantValueIcET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @letter to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @letter_id to ptr addrspace(4)), ptr addrspace(4) null)
  store i8 %4, ptr addrspace(1) %out
  %5 = call spir_func signext i16 @_Z37__sycl_getScalar2020SpecConstantValueIsET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @short to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @short_id to ptr addrspace(4)), ptr addrspace(4) null)
  store i16 %5, ptr addrspace(1) %out
  %6 = call spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @long to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @long_id to ptr addrspace(4)), ptr addrspace(4) null)
  store i64 %6, ptr addrspace(1) %out
  %7 = call spir_func half @_Z37__sycl_getScalar2020SpecConstantValueIDF16_ET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @little to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @little_id to ptr addrspace(4)), ptr addrspace(4) null)
  store half %7, ptr addrspace(1) %out
  %8 = call spir_func float @_Z37__sycl_getScalar2020SpecConstantValueIfET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @third to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @third_id to ptr addrspace(4)), ptr addrspace(4) null)
  store float %8, ptr addrspace(1) %out
  %9 = call spir_func double @_Z37__sycl_getScalar2020SpecConstantValueIdET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @fine to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @fine_id to ptr addrspace(4)), ptr addrspace(4) null)
  store double %9, ptr addrspace(1) %out
  %constant_ = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) getelementptr inbounds ([6 x i8], ptr addrspace(4) addrspacecast (ptr @seven to ptr addrspace(4)), i64 0, i64 0), ptr addrspace(4) addrspacecast (ptr addrspace(1) @seven_id to ptr addrspace(4)), ptr addrspace(4) null)
  store i32 %constant_, ptr addrspace(1) %out
  ret void
}

define spir_func i32 @helper(ptr addrspace(4) %buffer) {
  %"a name" = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @seven to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @seven_id to ptr addrspace(4)), ptr addrspace(4) %buffer)
  ret i32 %"a name"
}

declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i8 @_Z37__sycl_getScalar2020SpecConstantValueIcET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i16 @_Z37__sycl_getScalar2020SpecConstantValueIsET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func half @_Z37__sycl_getScalar2020SpecConstantValueIDF16_ET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func float @_Z37__sycl_getScalar2020SpecConstantValueIfET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func double @_Z37__sycl_getScalar2020SpecConstantValueIdET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))

!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.cpp", directory: "/src")
!3 = distinct !DISubprogram(name: "kernel", file: !2, line: 3, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !6)
!5 = !DILocation(line: 4, column: 2, scope: !3)
!6 = !{}
