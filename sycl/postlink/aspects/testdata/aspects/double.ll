; A double counts in signatures, operations and constants, and float does not.
; want in_result: fp64
; want in_parameter: fp64
; want in_operation: fp64
; want in_constant: fp64
; want calls_declaration: fp64
; want in_vector: fp64
define double @in_result(ptr %p) {
  unreachable
}
define void @in_parameter(double %x) {
  ret void
}
define i32 @in_operation(ptr %p) {
  %x = load double, ptr %p
  ret i32 0
}
define void @in_constant(ptr %p) {
  store double 1.0, ptr %p
  ret void
}
define void @calls_declaration() {
  %p = call ptr @f()
  call void @g(double poison)
  ret void
}
define void @in_vector(ptr %p) {
  store <2 x double> zeroinitializer, ptr %p
  ret void
}
define float @single(float %x, half %h, ptr %p) {
  %y = fmul float %x, 2.0
  ret float %y
}
define void @pointer_to_struct(ptr byval(%s) %p) {
  ret void
}
define void @debug_only() {
  call void @llvm.dbg.value(metadata double 0.0, metadata !0, metadata !DIExpression())
  #dbg_value(double 1.0, !0, !DIExpression(), !0)
  ret void
}
declare ptr @f()
declare void @g(double)
declare void @llvm.dbg.value(metadata, metadata, metadata)
%s = type { double }
!0 = !{}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
