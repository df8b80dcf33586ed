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

@n1 = private unnamed_addr constant [5 x i8] c"tail\00"
@n2 = private unnamed_addr constant [8 x i8] c"written\00"
@n3 = private unnamed_addr constant [10 x i8] c"undefined\00"
@n4 = private unnamed_addr constant [7 x i8] c"nested\00"
@n5 = private unnamed_addr constant [6 x i8] c"first\00"
@d1 = internal addrspace(1) constant { %tail } { %tail { i32 1, i8 2 } }
@d2 = internal addrspace(1) constant { { float, i32, i8 } } { { float, i32, i8 } { float 1.000000e+00, i32 2, i8 3 } }
@d3 = internal addrspace(1) constant { %undefined } { %undefined { [3 x float] zeroinitializer, i64 5, [7 x i8] undef, i8 poison } }
@d4 = internal addrspace(1) constant { { float, i8, [4 x i8], i64, [5 x i8], [3 x i8] } } { { float, i8, [4 x i8], i64, [5 x i8], [3 x i8] } { float 1.000000e+00, i8 98, [4 x i8] undef, i64 5, [5 x i8] c"abc\00\FF", [3 x i8] undef } }
@d5 = internal addrspace(1) constant { %first } { %first { { i8, i32 } { i8 undef, i32 5 }, i16 6 } }

define spir_kernel void @kernel(ptr addrspace(4) %out) {
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI4TailET_PKcPKvS5_(ptr addrspace(4) sret(%tail) align 4 %out, ptr addrspace(4) addrspacecast (ptr @n1 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d1 to ptr addrspace(4)), ptr addrspace(4) null)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI7WrittenET_PKcPKvS5_(ptr addrspace(4) sret(%written) align 4 %out, ptr addrspace(4) addrspacecast (ptr @n2 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d2 to ptr addrspace(4)), ptr addrspace(4) null)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI9UndefinedET_PKcPKvS5_(ptr addrspace(4) sret(%undefined) align 4 %out, ptr addrspace(4) addrspacecast (ptr @n3 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d3 to ptr addrspace(4)), ptr addrspace(4) null)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI6NestedET_PKcPKvS5_(ptr addrspace(4) sret(%nested) align 4 %out, ptr addrspace(4) addrspacecast (ptr @n4 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d4 to ptr addrspace(4)), ptr addrspace(4) null)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5FirstET_PKcPKvS5_(ptr addrspace(4) sret(%first) align 4 %out, ptr addrspace(4) addrspacecast (ptr @n5 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @d5 to ptr addrspace(4)), ptr addrspace(4) null)
  ret void
}

declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5FirstET_PKcPKvS5_(ptr addrspace(4) sret(%first) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI6NestedET_PKcPKvS5_(ptr addrspace(4) sret(%nested) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI9UndefinedET_PKcPKvS5_(ptr addrspace(4) sret(%undefined) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI7WrittenET_PKcPKvS5_(ptr addrspace(4) sret(%written) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI4TailET_PKcPKvS5_(ptr addrspace(4) sret(%tail) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
