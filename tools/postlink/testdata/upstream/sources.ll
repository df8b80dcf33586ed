; Splits by source: shared functions are in both images, variables in those that use them.
; run: --split source
; run: --split auto
; run: --split kernel
; dpcpp: --split per_source
; dpcpp: --split auto
; dpcpp: --split per_kernel
target triple = "spir64-unknown-unknown"

@_ZL2GV = internal addrspace(1) constant [1 x i32] [i32 42], align 4

define dso_local spir_kernel void @_ZTS2K0() #0 {
  call spir_func void @_Z3foov()
  ret void
}

define dso_local spir_func void @_Z3foov() {
  %x = call spir_func i32 @_Z3barIiET_S0_(i32 1)
  ret void
}

define linkonce_odr dso_local spir_func i32 @_Z3barIiET_S0_(i32 %x) {
  ret i32 %x
}

define dso_local spir_kernel void @_ZTS2K1() #0 {
  call spir_func void @_Z4foo1v()
  ret void
}

define dso_local spir_func void @_Z4foo1v() #2 {
  ret void
}

define dso_local spir_kernel void @_ZTS2K2() #1 {
  %x = load i32, ptr addrspace(4) getelementptr inbounds ([1 x i32], ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL2GV to ptr addrspace(4)), i64 0, i64 0), align 4
  ret void
}

define linkonce_odr dso_local spir_func void @_Z6unusedv() {
  ret void
}

attributes #0 = { "sycl-module-id"="TU1.cpp" }
attributes #1 = { "sycl-module-id"="TU2.cpp" }
attributes #2 = { "referenced-indirectly" }

!opencl.spir.version = !{!0, !0}
!spirv.Source = !{!1, !1}
!0 = !{i32 1, i32 2}
!1 = !{i32 4, i32 100000}
