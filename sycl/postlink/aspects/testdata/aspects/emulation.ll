; When conversions are emulated, only arithmetic on doubles and calls out of the module count.
; options: emulate
; want arithmetic: fp64
; want chooses: fp64
; want calls_out: fp64
; want calls_arithmetic: fp64
; want other_aspects: fp16
define double @moves(double %x, ptr %p, { double } %s) {
  %a = alloca double
  %q = getelementptr double, ptr %p, i64 1
  %v = load double, ptr %q
  store double %v, ptr %a
  %w = fpext float 1.0 to double
  %n = fptrunc double %w to float
  %c = sitofp i32 1 to double
  %d = uitofp i32 1 to double
  %e = fptosi double %d to i32
  %f = fptoui double %d to i32
  %g = fcmp oeq double %c, %d
  %h = extractvalue { double } %s, 0
  %i = insertvalue { double } %s, double %h, 0
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)
  %r = call double @identity(double %v)
  ret double %r
}
define double @identity(double %x) {
entry:
  br label %next
next:
  %y = phi double [ %x, %entry ]
  ret double %y
}
define double @arithmetic(double %x) {
  %y = fadd double %x, %x
  ret double %y
}
define double @chooses(double %x, i1 %c) {
  %y = select i1 %c, double %x, double 0.0
  ret double %y
}
define double @calls_out(double %x) {
  %y = call double @llvm.fabs.f64(double %x)
  ret double %y
}
define spir_kernel void @calls_arithmetic() {
  %y = call double @arithmetic(double 0.0)
  ret void
}
define double @other_aspects(ptr %p) {
  %x = load double, ptr %p, !sycl_used_aspects !0
  ret double %x
}
declare double @llvm.fabs.f64(double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
