; Specialization constants in several images: their numbers, default values, images with the default values, and names that go.
; run: --split source
; run: --split kernel --generate-device-image-default-spec-consts
; run: --split source --split-esimd --generate-device-image-default-spec-consts
; run: --split source --spec-const emulation
target triple = "spir64-unknown-unknown"

%struct.A = type { i32, %struct.B }
%struct.B = type { i32, i32, i32 }

@__usid_str = private unnamed_addr constant [6 x i8] c"uid_a\00", align 1
@__usid_str.1 = private unnamed_addr constant [6 x i8] c"uid_s\00", align 1
@_ZL1a = internal addrspace(1) constant { %struct.A } { %struct.A { i32 3, %struct.B { i32 3, i32 2, i32 1 } } }, align 4
@_ZL1z = internal addrspace(1) constant { %struct.A } { %struct.A { i32 3, %struct.B zeroinitializer } }, align 4
@_ZL1s = internal addrspace(1) constant { i32 } { i32 123 }, align 4

declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1AET_PKcPKvS5_(ptr addrspace(4) sret(%struct.A) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))

define spir_kernel void @both(ptr addrspace(1) %_arg__specialization_constants_buffer) #0 {
  %a = alloca %struct.A, align 4
  %a.ascast = addrspacecast ptr %a to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(1) %_arg__specialization_constants_buffer to ptr addrspace(4)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1AET_PKcPKvS5_(ptr addrspace(4) sret(%struct.A) align 4 %a.ascast, ptr addrspace(4) addrspacecast (ptr @__usid_str to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL1a to ptr addrspace(4)), ptr addrspace(4) %b)
  %s = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @__usid_str.1 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL1s to ptr addrspace(4)), ptr addrspace(4) %b)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI1AET_PKcPKvS5_(ptr addrspace(4) sret(%struct.A) align 4 %a.ascast, ptr addrspace(4) addrspacecast (ptr @__usid_str to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL1a to ptr addrspace(4)), ptr addrspace(4) %b)
  call spir_func void @func()
  ret void
}

define spir_kernel void @one(ptr addrspace(1) %_arg__specialization_constants_buffer) #0 !sycl_explicit_simd !0 {
  %b = addrspacecast ptr addrspace(1) %_arg__specialization_constants_buffer to ptr addrspace(4)
  %s = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @__usid_str.1 to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL1s to ptr addrspace(4)), ptr addrspace(4) %b)
  ret void
}

define spir_kernel void @none() #1 {
  ret void
}

define spir_func void @func() {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
!sycl_aspects = !{!1}
!0 = !{}
!1 = !{!"ext_intel_esimd", i32 53}
