; Virtual functions that a kernel reaches only by tables of their classes. The tables name type information, which names more.
; run: --split auto
; dpcpp: --split auto
target triple = "spir64-unknown-unknown"

@_ZTV8Derived1 = linkonce_odr dso_local unnamed_addr addrspace(1) constant { ptr, ptr addrspace(4), ptr } { ptr null, ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZTI8Derived1 to ptr addrspace(4)), ptr @_ZN8Derived17displayEv }, align 8
@_ZTV8Derived2 = linkonce_odr dso_local unnamed_addr addrspace(1) constant { ptr, ptr addrspace(4), ptr } { ptr null, ptr addrspace(4) addrspacecast (ptr addrspace(1) @_ZTI8Derived2 to ptr addrspace(4)), ptr @_ZN8Derived27displayEv }, align 8
@_ZTI8Derived1 = linkonce_odr dso_local addrspace(1) constant { ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) getelementptr inbounds (ptr, ptr addrspace(1) @_ZTVN10__cxxabiv120__si_class_type_infoE, i64 2), ptr addrspace(1) @_ZTI4Base }, align 8
@_ZTI8Derived2 = linkonce_odr dso_local addrspace(1) constant { ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) getelementptr inbounds (ptr, ptr addrspace(1) @_ZTVN10__cxxabiv120__si_class_type_infoE, i64 2), ptr addrspace(1) @_ZTI4Base }, align 8
@_ZTI4Base = linkonce_odr dso_local addrspace(1) constant { ptr addrspace(1) } { ptr addrspace(1) @_ZTS4Base }, align 8
@_ZTS4Base = linkonce_odr dso_local addrspace(1) constant [6 x i8] c"4Base\00", align 1
@_ZTI5Other = linkonce_odr dso_local addrspace(1) constant { ptr addrspace(1) } { ptr addrspace(1) @_ZTS4Base }, align 8
@_ZTVN10__cxxabiv120__si_class_type_infoE = external dso_local addrspace(1) global ptr

define weak_odr dso_local spir_kernel void @_ZTSZ4mainEUlvE_(ptr addrspace(1) %p) #0 {
  store ptr addrspace(1) getelementptr inbounds ({ ptr, ptr addrspace(4), ptr }, ptr addrspace(1) @_ZTV8Derived1, i64 0, i32 2), ptr addrspace(1) %p, align 8
  store ptr addrspace(1) getelementptr inbounds ({ ptr, ptr addrspace(4), ptr }, ptr addrspace(1) @_ZTV8Derived2, i64 0, i32 2), ptr addrspace(1) %p, align 8
  ret void
}

define linkonce_odr dso_local spir_func noundef i32 @_ZN8Derived17displayEv(ptr addrspace(4) %this) align 2 {
  ret i32 2
}

define linkonce_odr dso_local spir_func noundef i32 @_ZN8Derived27displayEv(ptr addrspace(4) %this) align 2 {
  ret i32 3
}

attributes #0 = { "sycl-module-id"="vf2.cpp" "sycl-optlevel"="2" }
