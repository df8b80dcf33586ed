; With debug information the warning starts with the use, and the chain has the calls.
; want kernel: fp16 fp64
; want _Z3foov: fp16 fp64
; want _Z3barv: fp64
; want _Z3boov: fp64
; says: src/hw.cpp:27:4: warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has'
; says: use is from this call chain:
; says:   foo()
; says:   bar() src/hw.cpp:15:3
; says:   boo() src/hw.cpp:25:5
define spir_kernel void @kernel() {
  call void @_Z3foov()
  ret void
}
define void @_Z3foov() !sycl_declared_aspects !0 !dbg !10 {
  call void @_Z3barv(), !dbg !20
  ret void
}
define void @_Z3barv() !dbg !11 {
  call void @_Z3boov(), !dbg !21
  ret void
}
define void @_Z3boov() !dbg !12 {
  %y = load i32, ptr null, !dbg !23
  %x = load double, ptr null, !dbg !22
  ret void
}
!llvm.dbg.cu = !{!1}
!0 = !{i32 5}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !2)
!2 = !DIFile(filename: "src/hw.cpp", directory: "")
!10 = distinct !DISubprogram(name: "foo", linkageName: "_Z3foov", scope: !2, file: !2, line: 14, unit: !1)
!11 = distinct !DISubprogram(name: "bar", linkageName: "_Z3barv", scope: !2, file: !2, line: 24, unit: !1)
!12 = distinct !DISubprogram(name: "boo", linkageName: "_Z3boov", scope: !2, file: !2, line: 26, unit: !1)
!20 = !DILocation(line: 15, column: 3, scope: !10)
!21 = !DILocation(line: 25, column: 5, scope: !11)
!22 = !DILocation(line: 27, column: 4, scope: !12)
!23 = !DILocation(line: 26, column: 9, scope: !12)
!sycl_aspects = !{!90, !91, !92, !93, !94}
!90 = !{!"gpu", i32 2}
!91 = !{!"fp16", i32 5}
!92 = !{!"fp64", i32 6}
!93 = !{!"image", i32 9}
!94 = !{!"atomic64", i32 28}
