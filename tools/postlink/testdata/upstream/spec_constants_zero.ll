; Default values that are zeros: of classes, of arrays of arrays, of bool.
; run: --split source
; run: --split source --spec-const emulation
target triple = "spir64-unknown-unknown"

%struct.coeff = type { [2 x [2 x i64]], %i1x }
%i1x = type { i8 }

@name = private unnamed_addr constant [6 x i8] c"uid_c\00", align 1
@flag = private unnamed_addr constant [6 x i8] c"uid_b\00", align 1
@_ZL1c = internal addrspace(1) constant { %struct.coeff } zeroinitializer, align 8
@_ZL1b = internal addrspace(1) constant { i8 } zeroinitializer, align 1

declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5coeffET_PKcPKvS5_(ptr addrspace(4) sret(%struct.coeff) align 8, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func zeroext i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))

define spir_kernel void @kernel(ptr addrspace(1) %_arg__specialization_constants_buffer) #0 {
  %a = alloca %struct.coeff, align 8
  %a.ascast = addrspacecast ptr %a to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %_arg__specialization_constants_buffer to ptr addrspace(4)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5coeffET_PKcPKvS5_(ptr addrspace(4) sret(%struct.coeff) align 8 %a.ascast, ptr addrspace(4) addrspacecast (ptr @name to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL1c to ptr addrspace(4)), ptr addrspace(4) %b)
  %f = call spir_func zeroext i1 @_Z37__sycl_getScalar2020SpecConstantValueIbET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @flag to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL1b to ptr addrspace(4)), ptr addrspace(4) %b)
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
