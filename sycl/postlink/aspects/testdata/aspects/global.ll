; The type of a global variable or function counts for who names it.
; want loads: fp64
; want casts: fp64
; want passes_on: fp64
; want takes_address: fp64
; want calls: fp64
@g = internal global { i32, double } zeroinitializer
@i = internal global i32 0
define i32 @loads() {
  %x = load i32, ptr @g
  ret i32 %x
}
define void @casts(ptr %p) {
  store ptr getelementptr inbounds (i8, ptr @g, i64 4), ptr %p
  ret void
}
define void @passes_on() {
  call void @read(ptr addrspace(4) addrspacecast (ptr @g to ptr addrspace(4)))
  ret void
}
define void @takes_address(ptr %p) {
  store ptr @callee, ptr %p
  ret void
}
define void @calls() {
  call void @callee(double undef)
  ret void
}
define i32 @names_an_int() {
  %x = load i32, ptr @i
  ret i32 %x
}
declare void @callee(double)
declare void @read(ptr addrspace(4))
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
