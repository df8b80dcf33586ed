; Atomic operations on 64 bits, and the addition to a half, have aspects of their own.
; want rmw: atomic64
; want rmw_double: fp64 atomic64
; want exchange: atomic64
; want load: atomic64
; want store: atomic64
; want half_add: fp16 ext_oneapi_atomic16
; want half_max: fp16
; want builtin: atomic64
; want builtin_store: atomic64
; want builtin_double: fp64 atomic64
; want opencl: atomic64
define spir_kernel void @rmw(ptr %p) {
  %x = atomicrmw volatile add ptr %p, i64 1 seq_cst
  ret void
}
define spir_kernel void @rmw_double(ptr %p) {
  %x = atomicrmw fadd ptr %p, double 1.0 seq_cst
  ret void
}
define spir_kernel void @exchange(ptr %p) {
  %x = cmpxchg ptr %p, i64 1, i64 2 seq_cst seq_cst
  ret void
}
define spir_kernel void @load(ptr %p) {
  %x = load atomic i64, ptr %p seq_cst, align 8
  ret void
}
define spir_kernel void @store(ptr %p) {
  store atomic volatile i64 1, ptr %p seq_cst, align 8
  ret void
}
define spir_kernel void @half_add(ptr %p) {
  %x = atomicrmw fadd ptr %p, half 1.0 seq_cst
  ret void
}
define spir_kernel void @half_max(ptr %p) {
  %x = atomicrmw fmax ptr %p, half 1.0 seq_cst
  ret void
}
define spir_kernel void @builtin(ptr %p) {
  %x = call spir_func i64 @_Z18__spirv_AtomicIAddPliil(ptr %p, i32 1, i32 0, i64 1)
  ret void
}
define spir_kernel void @builtin_store(ptr %p, i64 %v) {
  call spir_func void @_Z19__spirv_AtomicStorePliil(ptr %p, i32 1, i32 0, i64 %v)
  ret void
}
define spir_kernel void @builtin_double(ptr %p) {
  %x = call spir_func double @_Z21__spirv_AtomicFAddEXTPdiid(ptr %p, i32 1, i32 0, double 1.0)
  ret void
}
define spir_kernel void @opencl(ptr %p) {
  %x = call spir_func i64 @_Z8atom_addPU3AS1Vll(ptr %p, i64 1)
  ret void
}
define spir_kernel void @only_32_bits(ptr %p) {
  %x = atomicrmw add ptr %p, i32 1 seq_cst
  %y = load volatile i64, ptr %p
  store volatile i64 1, ptr %p
  %z = call spir_func i32 @_Z18__spirv_AtomicIAddPiiii(ptr %p, i32 1, i32 0, i32 1)
  %w = call spir_func i64 @_Z11atomic_minel(i64 1)
  ret void
}
define spir_func i64 @_Z11atomic_minel(i64 %x) {
  ret i64 %x
}
declare i64 @_Z18__spirv_AtomicIAddPliil(ptr, i32, i32, i64)
declare i32 @_Z18__spirv_AtomicIAddPiiii(ptr, i32, i32, i32)
declare void @_Z19__spirv_AtomicStorePliil(ptr, i32, i32, i64)
declare double @_Z21__spirv_AtomicFAddEXTPdiid(ptr, i32, i32, double)
declare i64 @_Z8atom_addPU3AS1Vll(ptr, i64)
