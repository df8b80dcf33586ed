; no constants
; Pointers with types, as LLVM wrote them up to 16.
; not translated: newer tools do not read them.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64"
target triple = "spir64-unknown-unknown"

%id = type { i32 }
%pair = type { i32, i8 }
%base = type { i32, i8 }

define spir_kernel void @kernel(i8 addrspace(1)* %buffer, i32 addrspace(1)* %out) {
  %p = alloca %base, align 4
  %p.cast = addrspacecast %base* %p to %base addrspace(4)*
  %slot = alloca i8 addrspace(4)*, align 8
  %b = addrspacecast i8 addrspace(1)* %buffer to i8 addrspace(4)*
  %x = freeze i32 3
  %constant1 = bitcast %base addrspace(4)* %p.cast to %pair addrspace(4)*
  store %pair { i32 1, i8 2 }, %pair addrspace(4)* %constant1
  store i32 %x, i32 addrspace(1)* %out, align 4
  ret void
}
!sycl.specialization-constants-default-values-module = !{}
