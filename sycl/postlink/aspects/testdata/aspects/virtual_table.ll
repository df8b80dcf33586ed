; A kernel that makes objects of a class calls none of its functions by that.
; want foo: fp64
@vtable = linkonce_odr addrspace(1) constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @foo] }
define linkonce_odr spir_func void @foo() "indirectly-callable"="set-foo" {
  %x = alloca double
  ret void
}
define spir_kernel void @construct(ptr addrspace(1) %p) {
  store ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @vtable, i64 16), ptr addrspace(1) %p, align 8
  ret void
}
define spir_kernel void @constructAndName(ptr addrspace(1) %p) "calls-indirectly"="set-foo" {
  store ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @vtable, i64 16), ptr addrspace(1) %p, align 8
  ret void
}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
