; The functions of the bfloat16 library are imported without the option.
; run: --split auto
; dpcpp: --split auto
target triple = "spir64-unknown-unknown"

define weak_odr spir_kernel void @kernel(ptr addrspace(4) %p) #0 {
  %x = call spir_func zeroext i16 @__devicelib_ConvertFToBF16INTEL(ptr addrspace(4) %p)
  ret void
}

declare spir_func zeroext i16 @__devicelib_ConvertFToBF16INTEL(ptr addrspace(4))

attributes #0 = { convergent nounwind }
