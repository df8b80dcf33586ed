; AMDGCN: kernels of no source, the program's metadata, and no device libraries.
; run: --split auto
; run: --split kernel --emit-program-metadata
target triple = "amdgcn-amd-amdhsa"

define weak_odr amdgpu_kernel void @_ZTS1K(float %x) !intel_reqd_sub_group_size !0 {
  ret void
}

define weak_odr amdgpu_kernel void @_ZTS1L(float %x) {
  ret void
}

!0 = !{i32 64}
