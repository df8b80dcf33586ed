; Without metadata aspects come from the types of values, and memory that is not accessed needs nothing.
; want double: fp64
; want half: fp16
; want stores: fp64
; want aggregate: fp64
; want image: image
; want sampler: image
; want matrix: fp16 ext_intel_matrix
; want copies: fp64
define spir_kernel void @double(double %x) {
  ret void
}
define spir_kernel void @half(ptr %p) {
  %x = load half, ptr %p
  ret void
}
define spir_kernel void @stores(ptr %p) {
  store double 1.0, ptr %p
  ret void
}
define spir_kernel void @aggregate(ptr %p) {
  %x = load { i32, [2 x %s] }, ptr %p
  ret void
}
define spir_kernel void @image(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %i) {
  ret void
}
define spir_kernel void @sampler() {
  %s = call target("spirv.Sampler") @__translate_sampler_initializer(i32 1)
  ret void
}
define spir_kernel void @matrix(ptr %p) {
  %m = call target("spirv.CooperativeMatrixKHR", half, 3, 8, 16, 0) @load()
  ret void
}
define spir_func void @copies(ptr byval(%s) %p) noinline {
  ret void
}
define spir_func void @not_copied(ptr byval(%s) %p) {
  ret void
}
define spir_kernel void @kernel_argument(ptr byval(%s) %p) noinline {
  ret void
}
define spir_kernel void @unused_memory() {
  %x = alloca double
  %y = getelementptr double, ptr %x, i64 1
  ret void
}
define spir_kernel void @bfloat(bfloat %x) {
  ret void
}
%s = type { i32, double }
declare target("spirv.Sampler") @__translate_sampler_initializer(i32)
declare target("spirv.CooperativeMatrixKHR", half, 3, 8, 16, 0) @load()
