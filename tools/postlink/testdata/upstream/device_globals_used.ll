; What llvm.compiler.used keeps alive: device globals go from the list, and those that nothing else uses go.
; run: --device-globals
; dpcpp:
target triple = "spir64-unknown-unknown"

@llvm.compiler.used = appending global [3 x ptr addrspace(4)] [ptr addrspace(4) addrspacecast (ptr addrspace(1) @used to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @unused to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @other to ptr addrspace(4))], section "llvm.metadata"
@used = weak_odr addrspace(1) constant { i32 } zeroinitializer #0
@unused = weak_odr addrspace(1) constant { i32 } zeroinitializer #1
@other = weak_odr addrspace(1) constant { i32 } zeroinitializer

define weak_odr spir_kernel void @k() #2 {
  %a = load i32, ptr addrspace(1) @used
  ret void
}

attributes #0 = { "sycl-device-global-size"="4" "sycl-unique-id"="used" }
attributes #1 = { "sycl-device-global-size"="4" "sycl-unique-id"="unused" }
attributes #2 = { "sycl-module-id"="a.cpp" }
