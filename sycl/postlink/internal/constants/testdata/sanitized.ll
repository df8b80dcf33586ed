
; Names in the memory that a sanitizer makes of all variables of a function.
; not translated: it calls the sanitizer, and a variable that is no name has the name too
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"

@other = private unnamed_addr constant [6 x i8] c"other\00"
@sanitized = private unnamed_addr constant [10 x i8] c"sanitized\00"
@sanitized_id = internal addrspace(1) constant { i32 } { i32 7 }

; The sanitizer watches what reads and writes it.
define spir_func i32 @get() {
  %frame = alloca [256 x i8], align 32
  %address = ptrtoint ptr %frame to i64
  %shadow = lshr i64 %address, 3
  %id = getelementptr i8, ptr %frame, i64 96
  %other = getelementptr i8, ptr %frame, i64 104
  store ptr @other, ptr %other
  call void @__asan_store8(ptr %id)
  store ptr @sanitized, ptr %id
  call void @__asan_load8(ptr %id)
  %1 = load ptr, ptr %id
  %2 = addrspacecast ptr %1 to ptr addrspace(4)
  %3 = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) %2, ptr addrspace(4) addrspacecast (ptr addrspace(1) @sanitized_id to ptr addrspace(4)), ptr addrspace(4) null)
  ret i32 %3
}

define spir_func i32 @get2() {
  %frame = alloca i8, i64 256, align 32
  %1 = ptrtoint ptr %frame to i64
  %2 = add i64 %1, 64
  %3 = inttoptr i64 %2 to ptr
  store ptr @sanitized, ptr %3
  %4 = load ptr, ptr %3
  %5 = addrspacecast ptr %4 to ptr addrspace(4)
  %6 = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4) %5, ptr addrspace(4) addrspacecast (ptr addrspace(1) @sanitized_id to ptr addrspace(4)), ptr addrspace(4) null)
  ret i32 %6
}

declare void @__asan_store8(ptr)
declare void @__asan_load8(ptr)
declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
