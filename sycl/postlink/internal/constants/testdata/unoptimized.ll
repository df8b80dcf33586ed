; Names in variables, as code that is not optimized has them.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

@name = private unnamed_addr addrspace(1) constant [5 x i8] c"name\00"
@again = private unnamed_addr constant [6 x i8] c"again\00"
@name_id = internal addrspace(1) constant { i32 } { i32 3 }
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
  store ptr addrspace(4) addrspacecast (ptr addrspace(1) @name to ptr addrspace(4)), ptr addrspace(4) %id.ascast, align 8
  %0 = load ptr addrspace(4), ptr addrspace(4) %id.ascast, align 8
  %field = getelementptr inbounds { ptr addrspace(4) }, ptr addrspace(4) %this1, i32 0, i32 0
  %1 = load ptr addrspace(4), ptr addrspace(4) %field, align 8
  %call = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) %0, ptr addrspace(4) addrspacecast (ptr addrspace(1) @name_id to ptr addrspace(4)), ptr addrspace(4) %1)
  ret i32 %call
}

define spir_func i64 @get2() {
  %1 = alloca ptr
  %2 = getelementptr i8, ptr %1, i64 0
  store ptr @again, ptr %2
  %3 = load ptr, ptr %1
  %4 = addrspacecast ptr %3 to ptr addrspace(4)
  %5 = call spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4) %4, ptr addrspace(4) addrspacecast (ptr addrspace(1) @again_id to ptr addrspace(4)), ptr addrspace(4) null)
  ret i64 %5
}

declare void @llvm.lifetime.start.p0(i64, ptr)
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
