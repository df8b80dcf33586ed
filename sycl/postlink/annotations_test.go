package postlink

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// annotated returns clang's output for annotated functions. Each string is a separate constant.
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
		{"empty device_has", "sycl-device-has:", []string{"!sycl_declared_aspects !0", "!0 = !{}"}, nil, ""},
		{"an unrelated annotation", "sycl-externals", []string{"global [2 x {"}, []string{"sycl-module-id"}, ""},
		{"an invalid aspect", "sycl-device-has:fp65", nil, nil, "device_has of 'f': "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, annotated(test.text))
			if testkit.Fails(t, lowerAnnotations(m, "a.cpp"), test.err) {
				return
			}
			got := testkit.Text(t, m)
			for _, s := range test.has {
				if !strings.Contains(got, s) {
					t.Errorf("missing %q:\n%s", s, got)
				}
			}
			for _, s := range test.not {
				if strings.Contains(got, s) {
					t.Errorf("unexpected %q:\n%s", s, got)
				}
			}
		})
	}
	m := parse(t, "define spir_func void @f() {\n  ret void\n}\n")
	if err := lowerAnnotations(m, "a.cpp"); err != nil {
		t.Error(err)
	}
}

// withArguments returns a function, a variable, and an annotation of one of them with arguments.
func withArguments(of, arguments string) string {
	const pointers = "{ ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1) }"
	if arguments != "null" {
		arguments, of = "@.args", of+"@.args = private addrspace(1) constant "+arguments+"\n"
	}
	of, rest, _ := strings.Cut(of, "\n")
	return rest + `
@.str = private addrspace(1) constant [16 x i8] c"sycl-properties\00"
@.file = private addrspace(1) constant [6 x i8] c"a.cpp\00"
@size = private addrspace(1) constant [20 x i8] c"indirectly-callable\00"
@group = private addrspace(1) constant [20 x i8] c"sycl-sub-group-size\00"
@has = private addrspace(1) constant [16 x i8] c"sycl-device-has\00"
@eight = private addrspace(1) constant [2 x i8] c"8\00"
@empty = private addrspace(1) constant [1 x i8] zeroinitializer
@v = addrspace(1) global i32 0
@llvm.global.annotations = appending addrspace(1) global [1 x ` + pointers + `] [` + pointers + ` { ptr addrspace(1) ` + of + `, ptr addrspace(1) @.str, ptr addrspace(1) @.file, i32 4, ptr addrspace(1) ` + arguments + ` }]
define spir_func void @f() {
  ret void
}
@a = alias void (), ptr @f
`
}

func TestPropertyAnnotations(t *testing.T) {
	const f, v = "addrspacecast (ptr @f to ptr addrspace(1))\n", "@v\n"
	for name, test := range map[string]struct{ of, arguments, want, err string }{
		"texts":                             {f, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @size, ptr addrspace(1) @eight }", `"indirectly-callable"="8"`, ""},
		"an integer":                        {f, "{ ptr addrspace(1), i32 } { ptr addrspace(1) @size, i32 16 }", `"indirectly-callable"="16"`, ""},
		"no value":                          {f, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @size, ptr addrspace(1) null }", `@f() "indirectly-callable" {`, ""},
		"an empty value":                    {v, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @size, ptr addrspace(1) @empty }", `@v = addrspace(1) global i32 0 "indirectly-callable"`, ""},
		"generic pointers":                  {v, "{ ptr addrspace(4), ptr addrspace(4) } { ptr addrspace(4) addrspacecast (ptr addrspace(1) @size to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @eight to ptr addrspace(4)) }", `@v = addrspace(1) global i32 0 "indirectly-callable"="8"`, ""},
		"device_has":                        {f, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @has, ptr addrspace(1) @eight }", "!sycl_declared_aspects !0", ""},
		"empty device_has":                  {f, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @has, ptr addrspace(1) null }", "!sycl_declared_aspects !0", ""},
		"device_has with an unknown aspect": {f, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @has, ptr addrspace(1) @size }", "", "a.cpp:4: annotation \"sycl-properties\" of 'f': function f: device_has of 'f': "},
		"no arguments":                      {f, "null", "", "a.cpp:4: annotation \"sycl-properties\" of 'f': missing property names and values"},
		"an odd number of arguments":        {f, "{ ptr addrspace(1) } { ptr addrspace(1) @size }", "", "a.cpp:4: annotation \"sycl-properties\" of 'f': its arguments are not pairs"},
		"a name that is not text":           {v, "{ i32, ptr addrspace(1) } { i32 1, ptr addrspace(1) @eight }", "", "a.cpp:4: annotation \"sycl-properties\" of 'v': arguments 1 and 2 are not"},
		"a name without a letter":           {v, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @empty, ptr addrspace(1) @eight }", "", "arguments 1 and 2 are not"},
		"a value that is not text":          {v, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @size, ptr addrspace(1) @v }", "", "arguments 1 and 2 are not"},
		"two values":                        {f, "{ ptr addrspace(1), i32, ptr addrspace(1), i32 } { ptr addrspace(1) @size, i32 8, ptr addrspace(1) @size, i32 16 }", "", `property "indirectly-callable" has two values, "8" and "16"`},
		"a repeated value":                  {f, "{ ptr addrspace(1), i32, ptr addrspace(1), i32 } { ptr addrspace(1) @size, i32 8, ptr addrspace(1) @size, i32 8 }", `"indirectly-callable"="8"`, ""},
		"a kernel property":                 {f, "{ ptr addrspace(1), i32 } { ptr addrspace(1) @group, i32 16 }", "", "a.cpp:4: annotation \"sycl-properties\" of 'f': \"sycl-sub-group-size\" is a kernel property"},
		"an alias":                          {"addrspacecast (ptr @a to ptr addrspace(1))\n", "{ ptr addrspace(1), i32 } { ptr addrspace(1) @size, i32 8 }", "", "only functions and variables can have properties"},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, withArguments(test.of, test.arguments))
			if testkit.BlamesInput(t, lowerAnnotations(m, "a.cpp"), test.err) {
				return
			}
			if got := testkit.Text(t, m); !strings.Contains(got, test.want) || strings.Contains(got, annotationsGlobal) {
				t.Errorf("%s missing, or the annotation remains:\n%s", test.want, got)
			}
		})
	}
}

func FuzzAnnotations(f *testing.F) {
	const fn, v = "addrspacecast (ptr @f to ptr addrspace(1))\n", "@v\n"
	for _, text := range []string{
		annotated("sycl-device-has:fp64"), kernelProperties, variableInCode,
		withArguments(fn, "{ ptr addrspace(1), i32 } { ptr addrspace(1) @size, i32 16 }"),
		withArguments(v, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @size, ptr addrspace(1) null }"),
		withArguments(fn, "{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @has, ptr addrspace(1) @eight }"),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			t.SkipNow()
		}
		m, err := llvmir.Parse("fuzz.ll", text)
		if err != nil {
			t.SkipNow()
		}
		if err := lowerAnnotations(m, "a.cpp"); err != nil {
			return
		}
		if _, err := llvmir.Parse("lowered.ll", testkit.Text(t, m)); err != nil {
			t.Fatalf("%v\n%s", err, testkit.Text(t, m))
		}
	})
}
