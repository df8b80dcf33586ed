; first: 0@0+12 = 00 00 00 00 05 00 00 00 06 00 00 00
; nested: 1@0+32 -1@32+4 = 00 00 80 3f 62 00 00 00 00 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 61 62 63 00 ff 00 00 00 00 00 00 00
; undefined: 2@0+32 = 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
; written: 3@0+12 = 00 00 80 3f 02 00 00 00 03 00 00 00
; tail: 4@0+8 = 01 00 00 00 02 00 00 00
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
  %constant0 = getelementptr i8, ptr addrspace(4) null, i32 92
  %constant1 = load %tail, ptr addrspace(4) %constant0
  store %tail %constant1, ptr addrspace(4) %out
  %constant2 = getelementptr i8, ptr addrspace(4) null, i32 80
  %constant3 = load %written, ptr addrspace(4) %constant2
  store %written %constant3, ptr addrspace(4) %out
  %constant4 = getelementptr i8, ptr addrspace(4) null, i32 48
  %constant5 = load %undefined, ptr addrspace(4) %constant4
  store %undefined %constant5, ptr addrspace(4) %out
  %constant6 = getelementptr i8, ptr addrspace(4) null, i32 12
  %constant7 = load %nested, ptr addrspace(4) %constant6
  store %nested %constant7, ptr addrspace(4) %out
  %constant8 = getelementptr i8, ptr addrspace(4) null, i32 0
  %constant9 = load %first, ptr addrspace(4) %constant8
  store %first %constant9, ptr addrspace(4) %out
  ret void
}
!0 = !{!"first", i32 0, i32 0, i32 12}
!1 = !{%first { { i8, i32 } { i8 undef, i32 5 }, i16 6 }}
!2 = !{!"nested", i32 1, i32 0, i32 32, i32 -1, i32 32, i32 4}
!3 = !{{ float, i8, [4 x i8], i64, [5 x i8], [3 x i8] } { float 1.000000e+00, i8 98, [4 x i8] undef, i64 5, [5 x i8] c"abc\00\FF", [3 x i8] undef }}
!4 = !{[4 x i8] zeroinitializer}
!5 = !{!"undefined", i32 2, i32 0, i32 32}
!6 = !{%undefined { [3 x float] zeroinitializer, i64 5, [7 x i8] undef, i8 poison }}
!7 = !{!"written", i32 3, i32 0, i32 12}
!8 = !{{ float, i32, i8 } { float 1.000000e+00, i32 2, i8 3 }}
!9 = !{!"tail", i32 4, i32 0, i32 8}
!10 = !{%tail { i32 1, i8 2 }}
!sycl.specialization-constants = !{!0, !2, !5, !7, !9}
!sycl.specialization-constants-default-values = !{!1, !3, !4, !6, !8, !10}
