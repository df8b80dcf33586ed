; Virtual functions have images of their sets. Others declare them, and neither export nor import them.
; run: --split auto --emit-only-kernels-as-entry-points --allow-device-image-dependencies
; run: --split auto
; run: --split kernel
; dpcpp: --split auto
target triple = "spir64-unknown-unknown"

$foo = comdat any

@vtable = linkonce_odr dso_local unnamed_addr addrspace(1) constant { [3 x ptr addrspace(4)] } { [3 x ptr addrspace(4)] [ptr addrspace(4) null, ptr addrspace(4) null, ptr addrspace(4) addrspacecast (ptr @foo to ptr addrspace(4))] }, align 8

define linkonce_odr spir_func void @foo() #0 comdat {
  call spir_func void @helper()
  ret void
}

define linkonce_odr spir_func void @helper() {
  ret void
}

define spir_func void @bar() #1 {
  ret void
}

define spir_func void @baz() #1 {
  ret void
}

define weak_odr dso_local spir_kernel void @kernel(ptr addrspace(1) %p) #2 {
  store ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @vtable, i64 16), ptr addrspace(1) %p, align 8
  ret void
}

attributes #0 = { "indirectly-callable"="set-foo" "sycl-module-id"="v.cpp" }
attributes #1 = { "indirectly-callable"="set-bar" "sycl-module-id"="v.cpp" }
attributes #2 = { "sycl-module-id"="v.cpp" "calls-indirectly"="set-foo" }
