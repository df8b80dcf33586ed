; no constants
; Names in variables, as code that is not optimized has them.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"
@again_id = linkonce_odr addrspace(1) constant { i64 } zeroinitializer

define spir_func i32 @get(ptr addrspace(4) %this) {
entry:
  %retval = alloca i32, align 4
  %this.addr = alloca ptr addrspace(4), align 8
  %id = alloca ptr addrspace(4), align 8
  %id.ascast = addrspacecast ptr %id to ptr addrspace(4)
  %this.addr.ascast = addrspacecast ptr %this.addr to ptr addrspace(4)
  store ptr addrspace(4) %this, ptr addrspace(4) %this.addr.ascast, align 8
  %this1 = load ptr addrspace(4), ptr addrspace(4) %this.addr.ascast, align 8
  call void @llvm.lifetime.start.p0(i64 8, ptr %id)
  %field = getelementptr inbounds { ptr addrspace(4) }, ptr addrspace(4) %this1, i32 0, i32 0
  %1 = load ptr addrspace(4), ptr addrspace(4) %field, align 8
  %call = freeze i32 3
  ret i32 %call
}

define spir_func i64 @get2() {
  %1 = alloca ptr
  %2 = getelementptr i8, ptr %1, i64 0
  %5 = freeze i64 0
  ret i64 %5
}

declare void @llvm.lifetime.start.p0(i64, ptr)
!sycl.specialization-constants-default-values-module = !{}
