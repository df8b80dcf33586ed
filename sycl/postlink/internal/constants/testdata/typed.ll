; Pointers with types, as LLVM wrote them up to 16.
; not translated: newer tools do not read them.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64"
target triple = "spir64-unknown-unknown"

%id = type { i32 }
%pair = type { i32, i8 }
%base = type { i32, i8 }
@name = private unnamed_addr constant [7 x i8] c"number\00", align 1
@pair = private unnamed_addr constant [5 x i8] c"pair\00", align 1
@name_id = internal addrspace(1) constant %id { i32 3 }, align 4
@pair_id = internal addrspace(1) constant { %base } { %base { i32 1, i8 2 } }, align 4

define spir_kernel void @kernel(i8 addrspace(1)* %buffer, i32 addrspace(1)* %out) {
  %p = alloca %base, align 4
  %p.cast = addrspacecast %base* %p to %base addrspace(4)*
  %slot = alloca i8 addrspace(4)*, align 8
  %b = addrspacecast i8 addrspace(1)* %buffer to i8 addrspace(4)*
  store i8 addrspace(4)* getelementptr inbounds ([5 x i8], [5 x i8] addrspace(4)* addrspacecast ([5 x i8]* @pair to [5 x i8] addrspace(4)*), i64 0, i64 0), i8 addrspace(4)** %slot, align 8
  %n = load i8 addrspace(4)*, i8 addrspace(4)** %slot, align 8
  %x = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(i8 addrspace(4)* addrspacecast (i8* getelementptr inbounds ([7 x i8], [7 x i8]* @name, i64 0, i64 0) to i8 addrspace(4)*), i8 addrspace(4)* addrspacecast (i8 addrspace(1)* bitcast (%id addrspace(1)* @name_id to i8 addrspace(1)*) to i8 addrspace(4)*), i8 addrspace(4)* %b)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI4PairET_PKcPKvS5_(%base addrspace(4)* sret(%pair) align 4 %p.cast, i8 addrspace(4)* %n, i8 addrspace(4)* addrspacecast (i8 addrspace(1)* bitcast ({ %base } addrspace(1)* @pair_id to i8 addrspace(1)*) to i8 addrspace(4)*), i8 addrspace(4)* %b)
  store i32 %x, i32 addrspace(1)* %out, align 4
  ret void
}

declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(i8 addrspace(4)*, i8 addrspace(4)*, i8 addrspace(4)*)
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI4PairET_PKcPKvS5_(%pair addrspace(4)* sret(%pair) align 4, i8 addrspace(4)*, i8 addrspace(4)*, i8 addrspace(4)*)
