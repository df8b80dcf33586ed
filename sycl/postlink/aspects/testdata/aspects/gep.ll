; The source element type of a getelementptr counts.
; want direct: fp64
; want nested: fp16 fp64
define ptr @direct(ptr %p) {
  %q = getelementptr double, ptr %p, i64 1
  ret ptr %q
}
define ptr @nested(ptr %p) {
  %q = getelementptr inbounds %outer, ptr %p, i64 0, i32 1
  ret ptr %q
}
define ptr @plain(ptr %p) {
  %q = getelementptr i64, ptr %p, i64 1
  ret ptr %q
}
%inner = type { double }
%outer = type { %h, [2 x %inner] }
%h = type { i16 }
!sycl_types_that_use_aspects = !{!0}
!0 = !{!"h", i32 5}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
