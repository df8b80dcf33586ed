package postlink

import (
	"strings"
	"testing"
)

const repeated = `@.str = private unnamed_addr addrspace(1) constant [2 x i8] c"a\\00"
@other = private unnamed_addr addrspace(1) constant [2 x i8] c"b\\00"

define spir_kernel void @k(ptr addrspace(1) %p) #0 !dbg !1 {
  %x = load double, ptr addrspace(1) %p, align 8, !dbg !2
  %y = call spir_func double @twice(double %x) #1, !dbg !2
  %c = load i8, ptr addrspace(1) @.str
  ret void
}

define internal spir_func double @twice(double %x) {
  %y = fadd double %x, %x
  ret double %y
}

attributes #0 = { nounwind "sycl-module-id"="a.cpp" }
attributes #1 = { convergent }
!0 = !DIFile(filename: "a.cpp", directory: "")
!1 = distinct !DISubprogram(name: "k", file: !0, line: 3)
!2 = !DILocation(line: 4, scope: !1)
`

func TestSameFunction(t *testing.T) {
	tests := []struct {
		name string
		edit []string // pairs
		same bool
	}{
		{"the same text", nil, true},
		{"a different source and different lines", []string{`"a.cpp" }`, `"b.cpp" }`, "line: 3", "line: 30", "line: 4", "line: 40"}, true},
		{"different numbers", []string{"!1", "!7", "!2", "!8", "#0", "#3", "#1", "#4"}, true},
		{"without debug information", []string{", !dbg !2", "", " !dbg !1", ""}, true},
		{"different names of local symbols", []string{"@twice", "@twice.5", "@.str", "@.str.7"}, true},
		{"names with escapes", []string{"@twice", `@"twi\63e\22"`}, true},
		{"a different instruction", []string{"load i8", "load i16"}, false},
		{"a different instruction in a callee", []string{"fadd", "fmul"}, false},
		{"a different string", []string{`c"a\\00"`, `c"c\\00"`}, false},
		{"a different attribute", []string{"nounwind", "optnone noinline"}, false},
		{"a different attribute of a call", []string{"{ convergent }", "{ nounwind }"}, false},
		{"a different function of a different module", []string{"define internal spir_func double @twice(double %x) {\n  %y = fadd double %x, %x\n  ret double %y\n}", "declare spir_func double @twice(double)"}, false},
		{"a different required size", []string{"#0 !dbg", "#0 !intel_reqd_sub_group_size !9 !dbg", "!0 = ", "!9 = !{i32 8}\n!0 = "}, false},
		{"a missing kernel", []string{"@k(", "@l("}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := parse(t, repeated)
			b := parse(t, strings.NewReplacer(test.edit...).Replace(repeated))
			if got := sameFunction(a, b, "k"); got != test.same {
				t.Errorf("same: %v", got)
			}
		})
	}
}
