; The same with pointers that have types, and a table that a constant expression names.
; run: --split source
target triple = "spir64_x86_64-unknown-unknown"

@_Z2f1iTable = weak global i32 (i32)* @_Z2f1i, align 8

define dso_local spir_func i32 @_Z2f1i(i32 %a) {
  ret i32 %a
}

define weak_odr dso_local spir_kernel void @kernel1() #0 {
  %f = load i32 (i32)*, i32 (i32)* addrspace(4)* addrspacecast(i32 (i32)** @_Z2f1iTable to i32 (i32)* addrspace(4)*)
  ret void
}

define weak_odr dso_local spir_kernel void @kernel2() #1 {
  %f = alloca i32 (i32)*
  %g = load i32 (i32)*, i32 (i32)** %f
  %x = call spir_func i32 %g(i32 1)
  ret void
}

define dso_local spir_func i32 @_Z5takeni(i32 %a) #2 {
  ret i32 %a
}

define dso_local spir_func i64 @_Z5otherl(i64 %a) #2 {
  ret i64 %a
}

attributes #0 = { "sycl-module-id"="TU1.cpp" }
attributes #1 = { "sycl-module-id"="TU2.cpp" }
attributes #2 = { "referenced-indirectly" }
