; A kernel that a fixed target cannot run is reported with the reason.
; options: targets=small,open,nowhere devices
; want kernel: fp16 fp64
; want fits: fp16
; want helper: fp64
; targets kernel: small open nowhere
; targets fits: small open nowhere
; targets sizes: small open nowhere
; targets total: small open nowhere
; targets dimension: small open nowhere
; targets wraps: small open nowhere
; says: warning: function 'kernel' uses aspect 'fp64' not supported by target 'small' listed in '-fsycl-fixed-targets'
; says: use is from this call chain:
; says:   kernel
; says:   helper()
; says: compile with '-g' to get source location
; says: warning: target 'nowhere' listed in '-fsycl-fixed-targets' is not in the device configuration, so no code is checked for it
; says: warning: function 'sizes' has required sub-group size '64' not supported by target 'small' listed in '-fsycl-fixed-targets'
; says: warning: function 'total' has required work-group size '64, 4' not supported by target 'small' listed in '-fsycl-fixed-targets'
; says: warning: function 'dimension' has required work-group size '1, 1, 65' not supported by target 'small' listed in '-fsycl-fixed-targets'
; says: warning: function 'wraps' has required work-group size '4294967296, 4294967296' not supported by target 'small' listed in '-fsycl-fixed-targets'
define spir_kernel void @kernel() !sycl_declared_aspects !0 {
  call void @helper()
  ret void
}
define spir_kernel void @fits() !sycl_used_aspects !1 !intel_reqd_sub_group_size !2 !reqd_work_group_size !3 {
  ret void
}
define spir_kernel void @sizes() !intel_reqd_sub_group_size !4 {
  ret void
}
define spir_kernel void @total() !reqd_work_group_size !5 {
  ret void
}
define spir_kernel void @dimension() !reqd_work_group_size !6 {
  ret void
}
define spir_kernel void @wraps() !reqd_work_group_size !7 {
  ret void
}
define void @helper() {
  %x = alloca double
  ret void
}
!0 = !{i32 6, i32 5}
!1 = !{i32 5}
!2 = !{i32 16}
!3 = !{i64 64, i64 2}
!4 = !{i32 64}
!5 = !{i64 64, i64 4}
!6 = !{i64 1, i64 1, i64 65}
!7 = !{i64 4294967296, i64 4294967296}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
