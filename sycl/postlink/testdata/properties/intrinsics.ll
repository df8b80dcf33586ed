; intrinsics of explicit SIMD that only some devices have, before and after DPC++ replaced functions by them
; image: source
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [rules_sycl/device requirements]
; intrinsics: llvm.genx.lsc.load.slm
; image: lowered
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [rules_sycl/device requirements]
; intrinsics: llvm.genx.lsc.load.merge.stateless.512bytes,llvm.genx.nbarrier
; image: all
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
define spir_kernel void @source() {
  call spir_func void @_Z20__esimd_lsc_load_slmIfEvv()
  ret void
}

define spir_kernel void @lowered() {
  call void @llvm.genx.nbarrier(i8 0, i8 1, i8 0)
  call void @llvm.genx.lsc.load.merge.stateless.v64i64.v1i1.v1i64()
  ret void
}

define spir_kernel void @all() {
  call spir_func void @_Z13__esimd_fenceh(i8 0)
  ret void
}

declare spir_func void @_Z20__esimd_lsc_load_slmIfEvv()
declare void @llvm.genx.lsc.load.merge.stateless.v64i64.v1i1.v1i64()
declare void @llvm.genx.nbarrier(i8, i8, i8)
declare spir_func void @_Z13__esimd_fenceh(i8)
