; Kernels of all calling conventions are listed, functions are not.
; run: --split none
; run: --split source
; run: --split kernel
target triple = "spir64-unknown-unknown"

define dso_local spir_kernel void @SpirKernel1(float %x) #2 {
  ret void
}

define dso_local ptx_kernel void @PtxKernel1(float %x) #2 {
  ret void
}

define dso_local amdgpu_kernel void @AmdgpuKernel1(float %x) #1 {
  ret void
}

define dso_local spir_func void @SpirFunc1(float %x) #0 {
  ret void
}

define dso_local ptx_device void @PtxFunc1(i32 %x) #1 {
  ret void
}

define dso_local amdgpu_cs void @AmdgpuFunc1(float %x) {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
attributes #2 = { "sycl-module-id"="c.cpp" }
