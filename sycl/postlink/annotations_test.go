package postlink

import (
	"strings"
	"testing"
)

// annotated is what clang writes for annotated functions, one string constant each.
func annotated(text string) string {
	return `@.str = private unnamed_addr addrspace(1) constant [` + length(text) + ` x i8] c"` + text + `\00", section "llvm.metadata"
@.str.1 = private unnamed_addr addrspace(1) constant [6 x i8] c"a.cpp\00", section "llvm.metadata"
@.str.2 = private unnamed_addr addrspace(1) constant [6 x i8] c"other\00", section "llvm.metadata"
@llvm.global.annotations = appending addrspace(1) global [2 x { ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1) }] [{ ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1) } { ptr addrspace(1) addrspacecast (ptr @f to ptr addrspace(1)), ptr addrspace(1) @.str, ptr addrspace(1) @.str.1, i32 4, ptr addrspace(1) null }, { ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1) } { ptr addrspace(1) addrspacecast (ptr @f to ptr addrspace(1)), ptr addrspace(1) @.str.2, ptr addrspace(1) @.str.1, i32 4, ptr addrspace(1) null }], section "llvm.metadata"

define spir_func void @f() {
  ret void
}
`
}

func length(text string) string {
	return string(rune('0'+(len(text)+1)/10)) + string(rune('0'+(len(text)+1)%10))
}

func TestLowerAnnotations(t *testing.T) {
	tests := []struct {
		name, text string
		has, not   []string
		err        string
	}{
		{"SYCL_EXTERNAL", "sycl-external", []string{`"sycl-module-id"="a.cpp"`, "global [1 x {", "@.str.2"}, []string{"sycl_declared_aspects"}, ""},
		{"device_has", "sycl-device-has:fp64,fp16", []string{"!sycl_declared_aspects !0", "!0 = !{i32 5, i32 6}", "global [1 x {"}, []string{"sycl-module-id"}, ""},
		{"device_has of nothing", "sycl-device-has:", []string{"!sycl_declared_aspects !0", "!0 = !{}"}, nil, ""},
		{"an annotation of somebody else", "sycl-externals", []string{"global [2 x {"}, []string{"sycl-module-id"}, ""},
		{"an aspect that is none", "sycl-device-has:fp65", nil, nil, "device_has of 'f': "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, annotated(test.text))
			err := lowerAnnotations(m, "a.cpp")
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := write(t, m)
			for _, s := range test.has {
				if !strings.Contains(got, s) {
					t.Errorf("%q is missing:\n%s", s, got)
				}
			}
			for _, s := range test.not {
				if strings.Contains(got, s) {
					t.Errorf("%q is there:\n%s", s, got)
				}
			}
		})
	}
	m := parse(t, "define spir_func void @f() {\n  ret void\n}\n")
	if err := lowerAnnotations(m, "a.cpp"); err != nil {
		t.Error(err)
	}
}
