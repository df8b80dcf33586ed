; Calls through pointers reach functions of their type whose address is taken, also by way of each other.
; run: --split source
; run: --split kernel
target triple = "spir64-unknown-unknown"

define spir_func i32 @foo(ptr %f, ptr %g) {
  %1 = call spir_func i32 %f(i32 42, ptr %g)
  ret i32 %1
}

define spir_func i32 @bar(i32 %x, ptr %f) #3 {
  call spir_func void %f()
  ret i32 %x
}

define spir_func void @plain() {
  ret void
}

define spir_func void @taken() #3 {
  ret void
}

define spir_func i32 @other(i32 %x) #3 {
  ret i32 %x
}

define spir_kernel void @kernel_A() #0 {
  call spir_func void @plain()
  ret void
}

define spir_kernel void @kernel_B() #1 {
  %x = call spir_func i32 @foo(ptr null, ptr null)
  ret void
}

define spir_kernel void @kernel_C() #2 {
  %x = call spir_func i32 @bar(i32 42, ptr null)
  ret void
}

define spir_kernel void @kernel_D() #0 {
  %p = alloca i32
  %x = call spir_func i32 %p(i32 1)
  ret void
}

attributes #0 = { "sycl-module-id"="TU1.cpp" }
attributes #1 = { "sycl-module-id"="TU2.cpp" }
attributes #2 = { "sycl-module-id"="TU3.cpp" }
attributes #3 = { "referenced-indirectly" }
