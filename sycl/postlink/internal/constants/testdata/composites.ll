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

@all = private unnamed_addr constant [4 x i8] c"all\00"
@some = private unnamed_addr constant [5 x i8] c"some\00"
@halves = private unnamed_addr constant [7 x i8] c"halves\00"
@all_id = internal addrspace(1) constant %id_outer { %outer { %inner { <2 x i32> <i32 1, i32 2>, [2 x %point] [%point { i32 3, float 4.000000e+00 }, %point { i32 5, float 6.000000e+00 }], i8 7 }, double 8.000000e+00, %other { i32 9, float 1.000000e+01 } } }
@some_id = internal addrspace(1) global %id_point zeroinitializer
@halves_id = internal addrspace(1) constant %id_vector { <4 x half> splat (half 0xH3C00) }

define spir_kernel void @kernel(ptr addrspace(1) %out) {
entry:
  %a = alloca %outer
  %a.cast = addrspacecast ptr %a to ptr addrspace(4)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5OuterET_PKcPKvS5_(ptr addrspace(4) dead_on_unwind writable sret(%outer) align 8 %a.cast, ptr addrspace(4) addrspacecast (ptr @all to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @all_id to ptr addrspace(4)), ptr addrspace(4) null)
  %p = call spir_func %point @_Z40__sycl_getComposite2020SpecConstantValueI5PointET_PKcPKvS5_(ptr addrspace(4) addrspacecast (ptr @some to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @some_id to ptr addrspace(4)), ptr addrspace(4) null)
  %h = call spir_func <4 x half> @_Z40__sycl_getComposite2020SpecConstantValueIDv4_DF16_ET_PKcPKvS5_(ptr addrspace(4) addrspacecast (ptr @halves to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @halves_id to ptr addrspace(4)), ptr addrspace(4) null)
  %value = load %outer, ptr %a
  store %outer %value, ptr addrspace(1) %out
  store %point %p, ptr addrspace(1) %out
  store <4 x half> %h, ptr addrspace(1) %out
  ret void
}

declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5OuterET_PKcPKvS5_(ptr addrspace(4) sret(%outer) align 8, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func %point @_Z40__sycl_getComposite2020SpecConstantValueI5PointET_PKcPKvS5_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func <4 x half> @_Z40__sycl_getComposite2020SpecConstantValueIDv4_DF16_ET_PKcPKvS5_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
