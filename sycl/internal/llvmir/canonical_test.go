package llvmir

import (
	"strings"
	"testing"
)

// alone is the module of a source that was linked without other sources.
const alone = `source_filename = "llvm-link"
target triple = "spirv64-unknown-unknown"

%class.anon = type { ptr, %struct.pair }
%struct.pair = type { i32, i32 }
%spirv.Event = type opaque

$inline = comdat any

@.str = private constant [2 x i8] c"a\00"
@table = internal constant [1 x i32] [i32 1]

; Function Attrs: nounwind
define spir_kernel void @K(ptr byval(%class.anon) %0, target("spirv.Event") %1, ptr byval(%struct.pair) %2, ptr byval(%spirv.Event) %3) #0 !dbg !6 {
  br label %5

5:                                                ; preds = %4
  call void @inline(ptr @.str), !dbg !9
  ret void, !dbg !10
}

define linkonce_odr void @inline(ptr %0) #1 comdat !dbg !8 {
  %2 = load i32, ptr @table
  ret void, !dbg !11
}

attributes #0 = { nounwind }
attributes #1 = { noinline }

!llvm.dbg.cu = !{!0}
!llvm.ident = !{!2}
!sycl_aspects = !{!3, !4}
!llvm.module.flags = !{!5}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "b.cpp", directory: ".")
!2 = !{!"a compiler"}
!3 = !{!"cpu", i32 1}
!4 = !{!"gpu", i32 2}
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = distinct !DISubprogram(name: "K", file: !1, unit: !0)
!7 = !DIFile(filename: "h.hpp", directory: ".")
!8 = distinct !DISubprogram(name: "inline", file: !7, unit: !0)
!9 = !DILocation(line: 1, scope: !8, inlinedAt: !10)
!10 = distinct !DILocation(line: 2, scope: !6)
!11 = !DILocation(line: 3, scope: !8)
`

// linked is the same code, extracted from a module of several sources. The function comes from a
// different source, and so does the compile unit of its debug information.
const linked = `source_filename = "llvm-link"
target triple = "spirv64-unknown-unknown"

%struct.other = type { i32, i32 }
%spirv.Event = type opaque
%class.anon.12 = type { ptr, %struct.other }
%struct.pair.3 = type { i32, i32 }

$inline = comdat any

@table.4.5 = internal constant [1 x i32] [i32 1]
@.str.7 = private constant [2 x i8] c"a\00"

define linkonce_odr void @inline(ptr %0) #4 comdat !dbg !18 {
  %2 = load i32, ptr @table.4.5
  ret void, !dbg !21
}

define spir_kernel void @K(ptr byval(%class.anon.12) %0, target("spirv.Event") %1, ptr byval(%struct.pair.3) %2, ptr byval(%spirv.Event) %3) #7 !dbg !16 {
  br label %5

5:                                                ; preds = %4, %9
  call void @inline(ptr @.str.7), !dbg !19
  ret void, !dbg !20
}

attributes #4 = { noinline }
attributes #7 = { nounwind }

!llvm.module.flags = !{!15}
!llvm.ident = !{!12, !12}
!llvm.dbg.cu = !{!31, !30}
!sycl_aspects = !{!14, !13, !14, !13}

!10 = !DIFile(filename: "b.cpp", directory: ".")
!12 = !{!"a compiler"}
!13 = !{!"cpu", i32 1}
!14 = !{!"gpu", i32 2}
!15 = !{i32 2, !"Debug Info Version", i32 3}
!16 = distinct !DISubprogram(name: "K", file: !10, unit: !30)
!17 = !DIFile(filename: "h.hpp", directory: ".")
!18 = distinct !DISubprogram(name: "inline", file: !17, unit: !31)
!19 = !DILocation(line: 1, scope: !22, inlinedAt: !20)
!20 = distinct !DILocation(line: 2, scope: !16)
!21 = !DILocation(line: 3, scope: !18)
!22 = distinct !DISubprogram(name: "inline", file: !17, unit: !30)
!30 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !10, emissionKind: LineTablesOnly)
!31 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !32, emissionKind: LineTablesOnly)
!32 = !DIFile(filename: "a.cpp", directory: ".")
`

const canonicalText = `source_filename = "llvm-link"
target triple = "spirv64-unknown-unknown"
%struct.0 = type { ptr, %struct.1 }
%struct.1 = type { i32, i32 }
%spirv.Event = type opaque
$inline = comdat any
@.str = private constant [2 x i8] c"a\00"
@table = internal constant [1 x i32] [i32 1]
define spir_kernel void @K(ptr byval(%struct.0) %0, target("spirv.Event") %1, ptr byval(%struct.1) %2, ptr byval(%spirv.Event) %3) #0 !dbg !0 {
  br label %5

5:
  call void @inline(ptr @.str), !dbg !1
  ret void, !dbg !2
}
define linkonce_odr void @inline(ptr %0) #1 comdat !dbg !3 {
  %2 = load i32, ptr @table
  ret void, !dbg !4
}
attributes #0 = { nounwind }
attributes #1 = { noinline }
!llvm.dbg.cu = !{!5}
!llvm.ident = !{!6}
!llvm.module.flags = !{!7}
!sycl_aspects = !{!8, !9}
!0 = distinct !DISubprogram(name: "K", file: !10, unit: !5)
!1 = !DILocation(line: 1, scope: !3, inlinedAt: !2)
!2 = distinct !DILocation(line: 2, scope: !0)
!3 = distinct !DISubprogram(name: "inline", file: !11, unit: !5)
!4 = !DILocation(line: 3, scope: !3)
!5 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !10, emissionKind: LineTablesOnly)
!6 = !{!"a compiler"}
!7 = !{i32 2, !"Debug Info Version", i32 3}
!8 = !{!"cpu", i32 1}
!9 = !{!"gpu", i32 2}
!10 = !DIFile(filename: "b.cpp", directory: ".")
!11 = !DIFile(filename: "h.hpp", directory: ".")
`

func canonicalOf(t *testing.T, name, text string) string {
	t.Helper()
	m, err := Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := m.WriteCanonical(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCanonical checks that WriteCanonical writes the same text for the code of a source alone, for
// the same code extracted from a linked module, and for its own output.
func TestCanonical(t *testing.T) {
	for name, text := range map[string]string{"alone": alone, "linked": linked, "canonical": canonicalText} {
		if got := canonicalOf(t, name, text); got != canonicalText {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// TestCanonicalKeeps checks that different entities are not merged.
func TestCanonicalKeeps(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"types of two kinds of fields": {
			"%a = type { i32 }\n%b = type <{ i32 }>\n@x = global %a zeroinitializer\n@y = global %b zeroinitializer\n",
			"%struct.0 = type { i32 }\n%struct.1 = type <{ i32 }>\n@x = global %struct.0 zeroinitializer\n@y = global %struct.1 zeroinitializer\n",
		},
		"recursive types, which LLVM rejects": {
			"%a = type { %a }\n%b = type { %b }\n@x = global %a zeroinitializer\n@y = global %b zeroinitializer\n",
			"%a = type { %a }\n%b = type { %b }\n@x = global %a zeroinitializer\n@y = global %b zeroinitializer\n",
		},
		"types without fields": {
			"%a = type opaque\n%b = type opaque\n@x = external global %a\n@y = external global %b\n",
			"%a = type opaque\n%b = type opaque\n@x = external global %a\n@y = external global %b\n",
		},
		"a local value named like a type": {
			"%a = type { i32 }\ndefine i32 @f(i32 %struct.0) {\n  %a = alloca %a\n  ret i32 %struct.0\n}\n",
			"%struct.1 = type { i32 }\ndefine i32 @f(i32 %struct.0) {\n  %struct.1 = alloca %struct.1\n  ret i32 %struct.0\n}\n",
		},
		"local symbols with the same base name": {
			"define void @f() {\n  call void @g.4()\n  call void @g()\n  call void @g.1.2()\n  ret void\n}\ndefine internal void @g() { ret void }\n" +
				"define internal void @g.4() { unreachable }\ndefine internal void @g.1.2() { ret void }\n",
			"define void @f() {\n  call void @g()\n  call void @g.1()\n  call void @g.2()\n  ret void\n}\ndefine internal void @g() { unreachable }\n" +
				"define internal void @g.1() { ret void }\ndefine internal void @g.2() { ret void }\n",
		},
		"a local symbol with a conflicting name": {
			"@v = external global i32\n@v.3 = internal global i32 0\n@0 = private global i32 1\n",
			"@.unnamed = private global i32 1\n@v = external global i32\n@v.1 = internal global i32 0\n",
		},
		"a type and a value with the same number": {
			"%0 = type { i32 }\ndefine void @f(ptr %0) {\n  %2 = getelementptr %0, ptr %0, i32 0\n  ret void\n}\n",
			"%0 = type { i32 }\ndefine void @f(ptr %0) {\n  %2 = getelementptr %0, ptr %0, i32 0\n  ret void\n}\n",
		},
		"a type with a name that would be assigned to a different type": {
			"%struct.0 = type opaque\n%a = type { i32 }\n@x = external global %a\n@y = external global %struct.0\n",
			"%struct.1 = type { i32 }\n%struct.0 = type opaque\n@x = external global %struct.1\n@y = external global %struct.0\n",
		},
		"lists of specialization constants": {
			"!sycl.specialization-constants = !{!4, !5}\n!sycl.specialization-constants-default-values = !{!6, !6}\n" +
				"!4 = !{!\"b\", i32 0, i32 0, i32 4}\n!5 = !{!\"a\", i32 1, i32 0, i32 4}\n!6 = !{i32 7}\n",
			"!sycl.specialization-constants = !{!0, !1}\n!sycl.specialization-constants-default-values = !{!2, !2}\n" +
				"!0 = !{!\"b\", i32 0, i32 0, i32 4}\n!1 = !{!\"a\", i32 1, i32 0, i32 4}\n!2 = !{i32 7}\n",
		},
		"distinct nodes": {
			"!a = !{!4, !5}\n!4 = distinct !{}\n!5 = distinct !{}\n",
			"!a = !{!0, !1}\n!0 = distinct !{}\n!1 = distinct !{}\n",
		},
		"nodes that refer to themselves": {
			"!a = !{!4, !5}\n!4 = distinct !{!4}\n!5 = distinct !{!5}\n",
			"!a = !{!0, !1}\n!0 = distinct !{!0}\n!1 = distinct !{!1}\n",
		},
		"the subprograms of two functions": {
			"define void @f() !dbg !1 { ret void }\ndefine void @g() !dbg !2 { ret void, !dbg !3 }\n!1 = distinct !DISubprogram(name: \"f\")\n" +
				"!2 = distinct !DISubprogram(name: \"f\")\n!3 = !DILocation(scope: !4)\n!4 = distinct !DISubprogram(name: \"f\")\n",
			"define void @f() !dbg !0 { ret void }\ndefine void @g() !dbg !1 { ret void, !dbg !2 }\n!0 = distinct !DISubprogram(name: \"f\")\n" +
				"!1 = distinct !DISubprogram(name: \"f\")\n!2 = !DILocation(scope: !0)\n",
		},
	} {
		if got := canonicalOf(t, name, test.text); got != test.want {
			t.Errorf("%s: got:\n%s\nwant:\n%s", name, got, test.want)
		}
	}
}
