; Imported symbols: SYCL_EXTERNAL functions that no source defines, of which there are warnings.
; run: --split kernel --allow-undefined
; run: --split source --allow-undefined
target triple = "spir64-unknown-unknown"

@llvm.used = appending global [2 x ptr] [ptr @kernel1, ptr @declared], section "llvm.metadata"

define weak_odr spir_kernel void @kernel1() #0 {
  call spir_func void @first()
  call spir_func void @shared()
  ret void
}

define weak_odr spir_kernel void @kernel2() #0 {
  call spir_func void @__wrapper()
  call spir_func void @_Z6secondv()
  call spir_func void @_Z8__hiddenv()
  call spir_func void @shared()
  call spir_func void @ofNoSource()
  ret void
}

define spir_func void @shared() #0 {
  call spir_func void @first()
  ret void
}

declare spir_func void @first() #1
declare spir_func void @_Z6secondv() #1
declare spir_func void @_Z8__hiddenv() #1
declare spir_func void @declared() #1
declare spir_func void @ofNoSource()
declare spir_func void @__wrapper()

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
