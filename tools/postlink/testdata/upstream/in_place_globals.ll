; Device globals that nothing uses but llvm.compiler.used. In place of DPC++'s step they go, as in DPC++.
; run: --split auto
; run: sycl-post-link -split=auto -properties -symbols -device-globals -S
; run: sycl-post-link -properties -device-globals -S
; dpcpp: --split auto
target triple = "spir64-unknown-unknown"

@llvm.compiler.used = appending global [3 x ptr addrspace(4)] [ptr addrspace(4) addrspacecast (ptr addrspace(1) @used to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @unused to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @ordinary to ptr addrspace(4))], section "llvm.metadata"
@used = internal addrspace(1) global i32 0 #1
@unused = weak_odr addrspace(1) global i32 0 #2
@unlisted = weak_odr addrspace(1) global i32 0 #3
@ordinary = internal addrspace(1) constant i32 0

define spir_kernel void @kernel() #0 {
  store i32 1, ptr addrspace(1) @used
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-device-global-size"="4" "sycl-unique-id"="id.used" }
attributes #2 = { "sycl-device-global-size"="4" "sycl-unique-id"="id.unused" }
attributes #3 = { "sycl-device-global-size"="4" "sycl-unique-id"="id.unlisted" }
