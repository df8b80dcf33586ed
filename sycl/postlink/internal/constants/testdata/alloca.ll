; private_alloca with a specialization constant as the size.
; not: emulation
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%range = type { ptr addrspace(4), ptr addrspace(4) }
@n64 = private unnamed_addr constant [4 x i8] c"n64\00"
@n16 = private unnamed_addr constant [4 x i8] c"n16\00"
@n64_id = internal addrspace(1) constant { i64 } { i64 10 }
@n16_id = internal addrspace(1) constant { i16 } { i16 3 }

define spir_kernel void @kernel(ptr addrspace(1) %out) {
  %1 = call ptr @llvm.sycl.alloca.p0.p4.p4.p4.f64(ptr addrspace(4) addrspacecast (ptr @n64 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @n64_id to ptr addrspace(4)), ptr addrspace(4) null, double 0.000000e+00, i64 8)
  store double 1.0, ptr %1
  %2 = call ptr @llvm.sycl.alloca.p0.p4.p4.p4.s_range(ptr addrspace(4) addrspacecast (ptr @n16 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @n16_id to ptr addrspace(4)), ptr addrspace(4) null, %range zeroinitializer, i64 64)
  store ptr addrspace(4) null, ptr %2
  ret void
}

declare ptr @llvm.sycl.alloca.p0.p4.p4.p4.f64(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), double, i64)
declare ptr @llvm.sycl.alloca.p0.p4.p4.p4.s_range(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4), %range, i64)
