; Static device globals: in place of sycl-post-link they are in the images that use them only.
; run: sycl-post-link -split=source -properties -device-globals -symbols -S
; run: --split source --dpcpp-translator
target triple = "spir64-unknown-unknown"

@llvm.compiler.used = appending global [2 x ptr addrspace(4)] [ptr addrspace(4) addrspacecast (ptr addrspace(1) @hidden to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @unused to ptr addrspace(4))], section "llvm.metadata"
@hidden = internal addrspace(1) constant { i32 } zeroinitializer #0
@unused = internal addrspace(1) constant { i32 } zeroinitializer #1

define weak_odr spir_kernel void @reads() #2 {
  %a = load i32, ptr addrspace(1) @hidden
  ret void
}

define weak_odr spir_kernel void @does_not() #3 {
  ret void
}

attributes #0 = { "sycl-device-global-size"="4" "sycl-unique-id"="hidden" }
attributes #1 = { "sycl-device-global-size"="4" "sycl-unique-id"="unused" }
attributes #2 = { "sycl-module-id"="a.cpp" }
attributes #3 = { "sycl-module-id"="b.cpp" }
