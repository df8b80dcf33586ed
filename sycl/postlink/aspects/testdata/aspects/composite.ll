; Types count through structs, arrays and vectors, in any nesting, but not through pointers, typed or opaque.
; want deep: fp16 fp64 image
; want array: fp16
; want literal: fp64
; want returns: fp16
; want takes: fp16 fp64 image
define void @deep() {
  %x = alloca %a
  ret void
}
define void @array() {
  %x = alloca [4 x [2 x %h]]
  ret void
}
define void @literal() {
  %x = alloca { i8, <{ [2 x <4 x double>] }> }
  ret void
}
define %h @returns() {
  unreachable
}
define void @takes(%b %x) {
  ret void
}
define void @behind_pointer() {
  %x = alloca %list
  %y = alloca %typed
  ret void
}
define void @opaque() {
  %x = alloca ptr
  ret void
}
%a = type { i32, %b }
%b = type <{ [3 x %c], %h }>
%c = type { %image }
%h = type { i16 }
%image = type { double }
%list = type { ptr, i32 }
%typed = type { i32, %h* }
!sycl_types_that_use_aspects = !{!0, !1}
!0 = !{!"h", i32 5}
!1 = !{!"image", i32 9}
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
