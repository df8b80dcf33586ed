; Device globals: their sizes and scope, their symbols, and what is none.
; run: --device-globals --emit-program-metadata --allow-no-kernels
; dpcpp:
target triple = "spir64-unknown-unknown"

@_ZL4int1 = addrspace(1) constant { ptr addrspace(4) } zeroinitializer, align 8 #0
@_ZL4int2 = weak_odr addrspace(1) constant { ptr addrspace(4) } zeroinitializer, align 8 #1
@_ZL5bool3 = weak_odr addrspace(1) constant { i8 } zeroinitializer, align 1 #2
@_ZL5bool4 = weak_odr addrspace(1) constant { i8 } zeroinitializer, align 1 #3
@_ZL5none5 = weak_odr addrspace(1) constant { i8 } zeroinitializer, align 1 #4

define weak_odr spir_kernel void @_ZTS1K(ptr addrspace(1) %p) #5 {
  %a = load ptr addrspace(4), ptr addrspace(1) @_ZL4int1
  %b = load ptr addrspace(4), ptr addrspace(1) @_ZL4int2
  %c = load i8, ptr addrspace(1) @_ZL5bool3
  %d = load i8, ptr addrspace(1) @_ZL5bool4
  %e = load i8, ptr addrspace(1) @_ZL5none5
  ret void
}

attributes #0 = { "sycl-device-global-size"="4" "sycl-device-image-scope"="false" "sycl-host-access"="1" "sycl-unique-id"="uid1____ZL4int1" }
attributes #1 = { "sycl-device-global-size"="4" "sycl-unique-id"="uid2____ZL4int2" }
attributes #2 = { "sycl-device-global-size"="1" "sycl-device-image-scope"="true" "sycl-host-access"="0" "sycl-unique-id"="uid3____ZL5bool3" }
attributes #3 = { "sycl-device-global-size"="1" "sycl-device-image-scope" "sycl-host-access"="2" "sycl-unique-id"="uid4____ZL5bool4" }
attributes #4 = { "sycl-device-image-scope"="false" "sycl-host-access"="1" "sycl-unique-id"="uid5____ZL5none5" }
attributes #5 = { "sycl-module-id"="a.cpp" }
