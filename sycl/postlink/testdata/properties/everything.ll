; the order of all sets
; options: param-info exported imported kernel-names program-metadata device-globals dependencies
; image: kernel external @variable @pipe
; [SYCL/device requirements]
; aspects=2|ABAAAAAAAAQAAAAAGAAAAA
; reqd_sub_group_size=1|16
; [SYCL/kernel param opt]
; kernel=2|CAAAAAAAAAwA
; [SYCL/exported symbols]
; external=1|1
; variable=1|1
; [SYCL/kernel names]
; kernel=1|1
; [SYCL/imported symbols]
; imported=1|1
; [SYCL/program metadata]
; kernel@reqd_sub_group_size=1|16
; id.variable@global_id_mapping: variable
; [SYCL/misc properties]
; sycl-grf-size=1|128
; [SYCL/assert used]
; kernel=1|1
; [SYCL/implicit local arg]
; kernel=1|0
; [SYCL/device globals]
; id.variable=2|ABAAAAAAAAABAAAAAAAAAA
; [SYCL/host pipes]
; id.pipe=2|gAAAAAAAAAgAAAAA
; [SYCL/virtual functions]
; uses-virtual-functions-set: set
; [SYCL/registered kernels]
; name: kernel
; symbols: kernel external
@variable = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="id.variable"
@pipe = addrspace(1) constant i8 0 "sycl-host-pipe" "sycl-host-pipe-size"="2" "sycl-unique-id"="id.pipe"

define spir_kernel void @kernel(ptr addrspace(3) "sycl-implicit-local-arg" %p) "sycl-grf-size"="128" "sycl-work-group-static" "calls-indirectly"="set" !sycl_used_aspects !0 !sycl_kernel_omit_args !1 !intel_reqd_sub_group_size !2 {
  call spir_func void @imported()
  call spir_func void @__devicelib_assert_fail()
  ret void
}

define spir_func void @external() {
  ret void
}

declare spir_func void @imported()

declare spir_func void @__devicelib_assert_fail()

!sycl_registered_kernels = !{!3}

!0 = !{i32 1, i32 6}
!1 = !{i1 true, i1 true}
!2 = !{i32 16}
!3 = !{!4}
!4 = !{!"name", !"kernel"}
