; llvm.used goes, in all outputs, with what it names by another type or as a declaration.
; run: --split kernel
; run: --split source
; run: --split source --allow-device-image-dependencies
; run: --ir-output-only --split auto --output OUT.ll
target triple = "spir64-unknown-unknown"

@llvm.used = appending global [5 x ptr] [ptr @kernel1, ptr @kernel2, ptr @_Z18__spirv_still_usedv, ptr addrspacecast (ptr addrspace(1) @variable to ptr), ptr @declared], section "llvm.metadata"
@variable = internal addrspace(1) global [3 x i8] c"abc"

define weak_odr spir_kernel void @kernel1() #0 {
  ret void
}

define weak_odr spir_kernel void @kernel2() #1 {
  call spir_func void @_Z18__spirv_still_usedv()
  ret void
}

declare spir_func void @declared()
declare spir_func void @_Z18__spirv_still_usedv()

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
