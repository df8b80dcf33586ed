; What is computed from specialization constants alone is done before a device runs anything.
; want stores: fp64
; want adds: fp64
; want constants: fp64
define spir_kernel void @converts(ptr %p) {
  %c = call double @_Z20__spirv_SpecConstantid(i32 1, double 2.0)
  %d = fadd double %c, 1.0
  %f = fptrunc double %d to float
  store float %f, ptr %p
  ret void
}
define spir_kernel void @compares(ptr %p) {
  %c = call double @_Z20__spirv_SpecConstantid(i32 1, double 2.0)
  %d = fcmp ogt double %c, 1.0
  br i1 %d, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %no
no:
  ret void
}
define spir_kernel void @stores(ptr %p) {
  %c = call double @_Z20__spirv_SpecConstantid(i32 1, double 2.0)
  store double %c, ptr %p
  ret void
}
define spir_kernel void @adds(ptr %p) {
  %c = call double @_Z20__spirv_SpecConstantid(i32 1, double 2.0)
  %x = load float, ptr %p
  %y = fpext float %x to double
  %z = fadd double %c, %y
  ret void
}
define spir_kernel void @constants(ptr %p) {
  %c = fadd double 1.0, 2.0
  ret void
}
declare double @_Z20__spirv_SpecConstantid(i32, double)
