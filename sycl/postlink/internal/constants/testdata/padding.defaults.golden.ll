; no constants
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
  store %tail { i32 1, i8 2 }, ptr addrspace(4) %out
  store %written <{ float 1.000000e+00, i32 2, i8 3, [3 x i8] undef }>, ptr addrspace(4) %out
  store %undefined { [3 x float] zeroinitializer, i64 5, [7 x i8] undef, i8 poison }, ptr addrspace(4) %out
  store %nested { %derived <{ %base { float 1.000000e+00, i8 98 }, [8 x i8] undef, i64 5, [5 x i8] [i8 97, i8 98, i8 99, i8 0, i8 -1] }>, [3 x i8] undef }, ptr addrspace(4) %out
  store %first { { i8, i32 } { i8 undef, i32 5 }, i16 6 }, ptr addrspace(4) %out
  ret void
}
!sycl.specialization-constants-default-values-module = !{}
