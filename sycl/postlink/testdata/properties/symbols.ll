; exported and imported functions, and kernels
; options: exported imported kernel-names
; image: kernel external virtual
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/exported symbols]
; external=1|1
; [SYCL/kernel names]
; kernel=1|1
; [SYCL/imported symbols]
; __devicelib_ConvertFToBF16INTEL=1|1
; [SYCL/virtual functions]
; virtual-functions-set: set
; symbols: kernel external virtual
; options: exported imported kernel-names dependencies
; image: kernel
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/kernel names]
; kernel=1|1
; [SYCL/imported symbols]
; __devicelib_ConvertFToBF16INTEL=1|1
; childA=1|1
; childC=1|1
; symbols: kernel
; image: external
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/exported symbols]
; external=1|1
; [SYCL/imported symbols]
; childA=1|1
; options: dependencies
; image: kernel
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
@table = addrspace(1) constant [1 x ptr] [ptr @childA]

declare spir_func float @__devicelib_ConvertFToBF16INTEL(float)

declare spir_func void @childA()

declare spir_func void @unused()

; The demangled name is __hidden(int).
declare spir_func void @_Z8__hiddeni(i32)

declare spir_func void @__reserved()

declare spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()

declare spir_func void @_Z18__sycl_registerXYZv()

declare spir_func void @_Z13__esimd_thingv()

declare spir_func void @virtualD() "indirectly-callable"="set"

declare void @llvm.trap()

define spir_kernel void @kernel() {
  call spir_func void @childC()
  %t = load ptr, ptr addrspace(1) @table
  call spir_func void @_Z8__hiddeni(i32 0)
  call spir_func void @__reserved()
  %x = call spir_func i64 @_Z28__spirv_GlobalInvocationId_xv()
  call spir_func void @_Z18__sycl_registerXYZv()
  call spir_func void @_Z13__esimd_thingv()
  call spir_func void @virtualD()
  call void @llvm.trap()
  %f = call spir_func float @__devicelib_ConvertFToBF16INTEL(float 0.0)
  ret void
}

declare spir_func void @childC()

define spir_func void @external() {
  call spir_func void @childA()
  ret void
}

define spir_func void @virtual() "indirectly-callable"="set" {
  ret void
}
