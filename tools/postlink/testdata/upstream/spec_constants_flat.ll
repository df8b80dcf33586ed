; A class with base classes, whose default value is written flat and has undefined members.
; run: --split source
target triple = "spir64-unknown-unknown"

%struct.pair = type { i32, i32 }
%struct.scary = type { %struct.layer2, [4 x i8] }
%struct.layer2 = type <{ %struct.layer1, [4 x i8], %struct.foo }>
%struct.layer1 = type { %struct.base }
%struct.base = type { float, i8, i32, %struct.pair }
%struct.foo = type <{ i32, [4 x i8], [2 x i64] }>

@name = private unnamed_addr constant [6 x i8] c"uid_s\00", align 1
@_ZL5scary = internal addrspace(1) constant { { float, i8, i32, %struct.pair, [4 x i8], i32, [4 x i8], [2 x i64], [4 x i8] } } { { float, i8, i32, %struct.pair, [4 x i8], i32, [4 x i8], [2 x i64], [4 x i8] } { float 0.000000e+00, i8 98, i32 0, %struct.pair zeroinitializer, [4 x i8] undef, i32 3, [4 x i8] undef, [2 x i64] [i64 5, i64 0], [4 x i8] undef } }, align 8

define weak_odr dso_local spir_kernel void @kernel(ptr addrspace(1) %p) #0 {
  %r = alloca %struct.scary, align 8
  %r.ascast = addrspacecast ptr %r to ptr addrspace(4)
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5scaryET_PKcPKvS5_(ptr addrspace(4) sret(%struct.scary) align 8 %r.ascast, ptr addrspace(4) addrspacecast (ptr @name to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZL5scary to ptr addrspace(4)), ptr addrspace(4) null)
  ret void
}

declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI5scaryET_PKcPKvS5_(ptr addrspace(4) sret(%struct.scary) align 8, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))

attributes #0 = { "sycl-module-id"="a.cpp" }
