; NVPTX: one image a kernel, with the annotations of its own kernel alone.
; run: --split kernel
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @_ZTS1K() #0 !reqd_work_group_size !0 {
  call void @helper()
  ret void
}

define ptx_kernel void @_ZTS1L() #0 {
  call void @helper()
  ret void
}

define internal void @helper() {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
!nvvm.annotations = !{!1, !2}
!0 = !{i32 8, i32 4, i32 2}
!1 = !{ptr @_ZTS1K, !"kernel", i32 1}
!2 = !{ptr @_ZTS1L, !"kernel", i32 1}
