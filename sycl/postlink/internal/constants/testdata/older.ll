; The functions of SYCL 1.2.1, which get no default value: it is 0. No buffer is there for
; emulation.
; not: emulation
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

%pair = type { i32, { float, i8 } }
@number = private unnamed_addr constant [7 x i8] c"number\00"
@pair = private unnamed_addr constant [5 x i8] c"pair\00"
@flag = private unnamed_addr constant [5 x i8] c"flag\00"

define spir_kernel void @kernel(ptr addrspace(4) %out) {
  %1 = call spir_func float @_Z33__sycl_getScalarSpecConstantValueIfET_PKc(ptr addrspace(4) addrspacecast (ptr @number to ptr addrspace(4)))
  store float %1, ptr addrspace(4) %out
  %2 = call spir_func zeroext i1 @_Z33__sycl_getScalarSpecConstantValueIbET_PKc(ptr addrspace(4) addrspacecast (ptr @flag to ptr addrspace(4)))
  %3 = zext i1 %2 to i8
  store i8 %3, ptr addrspace(4) %out
  call spir_func void @_Z36__sycl_getCompositeSpecConstantValueI4PairET_PKc(ptr addrspace(4) sret(%pair) align 4 %out, ptr addrspace(4) addrspacecast (ptr @pair to ptr addrspace(4)))
  ret void
}

declare spir_func float @_Z33__sycl_getScalarSpecConstantValueIfET_PKc(ptr addrspace(4))
declare spir_func i1 @_Z33__sycl_getScalarSpecConstantValueIbET_PKc(ptr addrspace(4))
declare spir_func void @_Z36__sycl_getCompositeSpecConstantValueI4PairET_PKc(ptr addrspace(4) sret(%pair) align 4, ptr addrspace(4))
