; A call through a pointer, of the kind that virtual functions take.
;
; spirv: --spirv-ext=+SPV_INTEL_function_pointers
target triple = "spirv64-unknown-unknown"

define internal spir_func i32 @one(i32 %x) noinline {
  %r = add i32 %x, 1
  ret i32 %r
}

define internal spir_func i32 @two(i32 %x) noinline {
  %r = mul i32 %x, 3
  ret i32 %r
}

define spir_kernel void @k(ptr addrspace(1) %out, i32 %n) {
  %is_zero = icmp eq i32 %n, 0
  %f = select i1 %is_zero, ptr @one, ptr @two
  %x = load i32, ptr addrspace(1) %out
  %r = call spir_func i32 %f(i32 %x)
  store i32 %r, ptr addrspace(1) %out
  ret void
}
