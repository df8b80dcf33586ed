; With dependencies a function that can be imported is in no image but its own.
; run: --split kernel --allow-device-image-dependencies
target triple = "spir64-unknown-unknown"

define weak_odr spir_func void @plain() {
  ret void
}

define weak_odr spir_func void @__private() #0 {
  ret void
}

define weak_odr spir_func void @childB() #0 {
  call spir_func void @plain()
  call spir_func void @__private()
  ret void
}

define weak_odr spir_func void @childA() #0 {
  call spir_func void @childB()
  ret void
}

define weak_odr spir_kernel void @kernel1() #0 {
  call spir_func void @childA()
  ret void
}

define weak_odr spir_kernel void @kernel2() #0 {
  call spir_func void @childA()
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
