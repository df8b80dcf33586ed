; Private memory whose size only the running kernel knows.
;
; for T: i32 half double
; spirv: --spirv-ext=+SPV_INTEL_variable_length_array
target triple = "spirv64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %out, i32 %n, i32 %m) {
  %held = alloca ${T}, i32 %n
  %x = load ${T}, ptr addrspace(1) %out
  %at = getelementptr ${T}, ptr %held, i32 %m
  store ${T} %x, ptr %at
  %y = load ${T}, ptr %held
  store ${T} %y, ptr addrspace(1) %out
  ret void
}
