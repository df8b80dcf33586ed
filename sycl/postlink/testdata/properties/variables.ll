; device globals and host pipes
; options: device-globals
; image: @noscope @scope @bare @not_scope @plain @pipe @old_pipe
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/device globals]
; id.noscope=2|ABAAAAAAAAABAAAAAAAAAA
; id.scope=2|ABAAAAAAAAQAAAAABAAAAA
; id.bare=2|ABAAAAAAAAQAAAAABAAAAA
; id.not=2|ABAAAAAAAAABAAAAAAAAAA
; [SYCL/host pipes]
; id.pipe=2|gAAAAAAAAAgAAAAA
; image: kernel
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
; [SYCL/device globals]
; id.scope=2|ABAAAAAAAAQAAAAABAAAAA
; options:
; image: @noscope
; [SYCL/device requirements]
; aspects=2|AAAAAAAAAAA
@noscope = addrspace(1) global i32 0 #0
@scope = addrspace(1) global i8 0 #1
@bare = addrspace(1) global i8 0 #2
@not_scope = addrspace(1) global i32 0 #3
@plain = addrspace(1) global i32 0 #4
@pipe = addrspace(1) constant i8 0 #5
@old_pipe = addrspace(1) constant i8 0 #6

define spir_kernel void @kernel() {
  store i8 1, ptr addrspace(1) @scope
  ret void
}

attributes #0 = { "sycl-device-global-size"="4" "sycl-unique-id"="id.noscope" }
attributes #1 = { "sycl-device-global-size"="1" "sycl-unique-id"="id.scope" "sycl-device-image-scope"="true" }
attributes #2 = { "sycl-device-global-size"="1" "sycl-unique-id"="id.bare" "sycl-device-image-scope" }
attributes #3 = { "sycl-device-global-size"="4" "sycl-unique-id"="id.not" "sycl-device-image-scope"="false" }
attributes #4 = { "sycl-unique-id"="id.plain" "sycl-device-image-scope" }
attributes #5 = { "sycl-host-pipe" "sycl-host-pipe-size"="2" "sycl-unique-id"="id.pipe" }
attributes #6 = { "sycl-host-pipe" "sycl-unique-id"="id.old" }
