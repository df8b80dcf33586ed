; Specialization constants and compile-time properties, as passes before and after
; the split write them, on two kernels of two sources.
target triple = "spir64-unknown-unknown"

%composite = type { i32, i8 }

@.props = private unnamed_addr addrspace(1) constant [16 x i8] c"sycl-properties\00", section "llvm.metadata"
@.file = private unnamed_addr addrspace(1) constant [6 x i8] c"a.cpp\00", section "llvm.metadata"
@.key = private unnamed_addr addrspace(1) constant [15 x i8] c"sycl-init-mode\00", section "llvm.metadata"
@.value = private unnamed_addr addrspace(1) constant [2 x i8] c"1\00", section "llvm.metadata"
@.args = private unnamed_addr addrspace(1) constant { ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @.key, ptr addrspace(1) @.value }, section "llvm.metadata"
@.decorated = private unnamed_addr addrspace(1) constant [11 x i8] c"{5826:\22x\22}\00", section "llvm.metadata"
@dg = addrspace(1) global i32 0, align 4, !spirv.Decorations !10 #2
@llvm.compiler.used = appending global [1 x ptr addrspace(1)] [ptr addrspace(1) @dg], section "llvm.metadata"

define spir_kernel void @first(ptr addrspace(1) align 64 "sycl-buffer-location"="2" %p) #0 !spirv.ParameterDecorations !12 !spirv.Decorations !14 !work_group_size_hint !16 !max_work_group_size !17 !max_linear_work_group_size !18 !RegisterAllocMode !19 !max_global_work_dim !20 !ip_interface !21 {
  %c = call i32 @_Z20__spirv_SpecConstantii(i32 0, i32 20)
  %d = call i8 @_Z20__spirv_SpecConstantia(i32 1, i8 99)
  %s = call %composite @_Z29__spirv_SpecConstantCompositeia_Rcomposite(i32 %c, i8 %d)
  %a = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %p, ptr addrspace(1) @.props, ptr addrspace(1) @.file, i32 7, ptr addrspace(1) @.args)
  %b = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %a, ptr addrspace(1) @.decorated, ptr addrspace(1) @.file, i32 8, ptr addrspace(1) null), !spirv.Decorations !22
  store i32 %c, ptr addrspace(1) %b, align 4
  store i32 %c, ptr addrspace(1) @dg, align 4
  ret void
}

define spir_kernel void @second(ptr addrspace(1) %p) #1 {
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

declare i32 @_Z20__spirv_SpecConstantii(i32, i32)
declare i8 @_Z20__spirv_SpecConstantia(i32, i8)
declare %composite @_Z29__spirv_SpecConstantCompositeia_Rcomposite(i32, i8)
declare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))

attributes #0 = { "sycl-module-id"="a.cpp" "sycl-work-group-size"="8,4,2" "sycl-pipelined"="1" "sycl-floating-point-control"="1" "sycl-single-task" }
attributes #1 = { "sycl-module-id"="b.cpp" }
attributes #2 = { "sycl-device-global-size"="4" "sycl-unique-id"="id_of_dg" "sycl-host-access"="1" "sycl-init-mode"="0" "sycl-implement-in-csr" }

!sycl.specialization-constants = !{!0}
!sycl.specialization-constants-default-values = !{!1, !2}
!spirv.ExecutionMode = !{!3, !4}
!0 = !{!"id", i32 0, i32 0, i32 4, i32 1, i32 4, i32 1, i32 -1, i32 5, i32 3}
!1 = !{%composite { i32 20, i8 99 }}
!2 = !{[4 x i8] zeroinitializer}
!3 = !{ptr @first, i32 4462, i32 64}
!4 = !{ptr @second, i32 4460, i32 32}
!10 = !{!11}
!11 = !{i32 6188, i32 2, !"id_of_dg"}
!12 = !{!13}
!13 = !{!23}
!14 = !{!15}
!15 = !{i32 5919, i32 1}
!16 = !{i64 2, i64 4, i64 8}
!17 = !{i64 16, i64 16, i64 16}
!18 = !{i64 256}
!19 = !{i32 2}
!20 = !{i32 0}
!21 = !{!"csr"}
!22 = !{!24}
!23 = !{i32 44, i32 64}
!24 = !{i32 6442, i32 0, i32 1}
