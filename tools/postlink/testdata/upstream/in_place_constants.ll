; In place of DPC++'s step: constants that functions read which no kernel calls, by a getter that is declared after the calls.
; run: sycl-post-link -spec-const=native -properties -symbols -S
; run: sycl-post-link -spec-const=native --ir-output-only -S -o OUT.ll
; run: sycl-post-link -spec-const=native -split=source -properties -symbols -S
target triple = "spir64-unknown-unknown"

%id = type { i32 }
@name.a = private constant [2 x i8] c"a\00"
@name.b = private constant [2 x i8] c"b\00"
@name.c = private constant [2 x i8] c"c\00"
@id.a = internal addrspace(1) constant %id { i32 1 }
@id.b = internal addrspace(1) constant %id { i32 2 }
@id.c = internal addrspace(1) constant %id { i32 3 }
@table = weak_odr addrspace(1) constant [1 x i32] zeroinitializer

define spir_func i32 @not_called() {
  %x = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr @name.c, ptr addrspace(1) @id.c, ptr null)
  ret i32 %x
}

define linkonce_odr spir_func void @inline_not_called() {
  ret void
}

define internal spir_func void @static_not_called() {
  ret void
}

define spir_kernel void @kernel(ptr addrspace(1) %out) #0 {
  %x = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr @name.a, ptr addrspace(1) @id.a, ptr null)
  store i32 %x, ptr addrspace(1) %out
  call spir_func void @called(ptr addrspace(1) %out)
  ret void
}

define spir_func void @called(ptr addrspace(1) %out) {
  %x = call spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr @name.b, ptr addrspace(1) @id.b, ptr null)
  store i32 %x, ptr addrspace(1) %out
  ret void
}

declare spir_func i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr, ptr addrspace(1), ptr)

attributes #0 = { "sycl-module-id"="a.cpp" }
