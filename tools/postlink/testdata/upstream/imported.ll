; Imported symbols: functions of other images and of other programs, but no built-ins.
; run: --split kernel --allow-device-image-dependencies
; run: --split source --allow-device-image-dependencies
; dpcpp: --split per_source --allow-device-image-dependencies
target triple = "spir64-unknown-unknown"

define weak_odr spir_kernel void @kernel1() #0 {
  call spir_func void @childA()
  call spir_func void @childC()
  call spir_func void @middle()
  ret void
}

define weak_odr spir_kernel void @kernel2() #0 {
  call spir_func void @__itt_offload_wi_start_wrapper()
  call spir_func void @childB()
  call spir_func void @childC()
  call spir_func void @middle()
  %reversed = call i8 @llvm.bitreverse.i8(i8 0)
  call spir_func void @_Z8__hiddenv()
  call spir_func void @_Z7outsidev()
  ret void
}

define spir_func void @middle() #0 {
  call spir_func void @childD()
  ret void
}

declare spir_func void @childA() #1
declare spir_func void @childB() #1
declare spir_func void @childC() #1
declare spir_func void @childD() #1
declare spir_func void @_Z7outsidev() #1
declare spir_func void @unused() #1
declare spir_func void @_Z8__hiddenv() #1
declare i8 @llvm.bitreverse.i8(i8)
declare spir_func void @__itt_offload_wi_start_wrapper()

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="external.cpp" }
