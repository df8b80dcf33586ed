; no constants
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
  store %outer { %inner { <2 x i32> <i32 1, i32 2>, [2 x %point] [%point { i32 3, float 4.000000e+00 }, %point { i32 5, float 6.000000e+00 }], i8 7 }, double 8.000000e+00, %other { i32 9, float 1.000000e+01 } }, ptr addrspace(4) %a.cast
  %p = freeze %point zeroinitializer
  %h = freeze <4 x half> splat (half 0xH3C00)
  %value = load %outer, ptr %a
  store %outer %value, ptr addrspace(1) %out
  store %point %p, ptr addrspace(1) %out
  store <4 x half> %h, ptr addrspace(1) %out
  ret void
}
!sycl.specialization-constants-default-values-module = !{}
