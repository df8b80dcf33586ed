package devicecode

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// annotated returns a module with a function that consists of instructions. In these, %x = %p {a=1
// b} is a call of llvm.ptr.annotation that annotates %p with the properties a, with the value 1,
// and b, without a value.
func annotated(instructions string) string {
	var globals strings.Builder
	strs := map[string]string{}
	str := func(text string) string {
		if strs[text] == "" {
			strs[text] = fmt.Sprintf("@s%d", len(strs))
			fmt.Fprintf(&globals, "%s = private unnamed_addr addrspace(1) constant [%d x i8] c\"%s\\00\", section \"llvm.metadata\"\n", strs[text], len(text)+1, strings.ReplaceAll(text, `"`, `\22`))
		}
		return strs[text]
	}
	lists := 0
	list := func(properties string) string {
		if properties == "" {
			return "null"
		}
		var values []string
		for word := range strings.FieldsSeq(properties) {
			name, value, ok := strings.Cut(word, "=")
			values = append(values, "ptr addrspace(1) "+str(name))
			switch {
			case !ok:
				values = append(values, "ptr addrspace(1) null")
			case strings.HasPrefix(value, "#"):
				values = append(values, "i32 "+value[1:])
			default:
				values = append(values, "ptr addrspace(1) "+str(value))
			}
		}
		var types []string
		for _, v := range values {
			types = append(types, v[:strings.LastIndexByte(v, ' ')])
		}
		lists++
		fmt.Fprintf(&globals, "@l%d = private unnamed_addr addrspace(1) constant { %s } { %s }, section \"llvm.metadata\"\n", lists, strings.Join(types, ", "), strings.Join(values, ", "))
		return fmt.Sprintf("@l%d", lists)
	}
	call := regexp.MustCompile(`(@?%?[\w.]+) \{(.*?)\}`)
	code := call.ReplaceAllStringFunc(instructions, func(text string) string {
		parts := call.FindStringSubmatch(text)
		return fmt.Sprintf("call ptr @llvm.ptr.annotation.p0.p1(ptr %s, ptr addrspace(1) %s, ptr addrspace(1) %s, i32 7, ptr addrspace(1) %s)", parts[1], str("sycl-properties"), str("a.cpp"), list(parts[2]))
	})
	return globals.String() + "declare ptr @llvm.ptr.annotation.p0.p1(ptr, ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))\ndefine spir_func void @f(ptr %p, ptr %q) {\n  " + code + "\n}\n"
}

// code returns the instructions of @f, with annotations written as {TEXT} and metadata expanded.
func code(t *testing.T, m *llvmir.Module) string {
	t.Helper()
	var lines []string
	for in := range m.Function("f").Body() {
		text := in.Text()
		if name, ok := in.Callee(); ok && strings.HasPrefix(name, "llvm.ptr.annotation") {
			g, _ := in.Operand(1).BaseGlobal()
			content, _ := m.Global(g).InitializerValue()
			bytes, _ := content.Bytes()
			head, _, _ := strings.Cut(text, "call")
			text = head + in.Operand(0).Text + " " + strings.TrimSuffix(string(bytes), "\x00")
			if last := in.Operand(4).Text; last != "null" {
				text += " " + last
			}
			for _, a := range in.Attachments() {
				text += ", !" + a.Kind + " " + a.Text
			}
		}
		for _, a := range in.Attachments() {
			if a.ID >= 0 {
				text = strings.Replace(text, a.Text, expand(m, a.ID), 1)
			}
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// TestPointers checks that annotated pointers are lowered as in DPC++ 2026.2, except that clearing
// memory also gets the alignment.
func TestPointers(t *testing.T) {
	const control = ", !spirv.DecorationCacheControlINTEL "
	for name, test := range map[string]struct{ in, want, dpcpp, fail string }{
		"an alignment of loads and stores": {
			in:   "%x = %p {sycl-alignment=64}\n%v = load i32, ptr %x, align 4\nstore i32 %v, ptr %x",
			want: "%v = load i32, ptr %p, align 64\nstore i32 %v, ptr %p, align 64"},
		"through casts": {
			in:   "%x = %p {sycl-alignment=64}\n%y = addrspacecast ptr %x to ptr addrspace(4)\n%z = bitcast ptr addrspace(4) %y to ptr addrspace(4)\n%v = load i8, ptr addrspace(4) %z, align 1, !m !{}",
			want: "%y = addrspacecast ptr %p to ptr addrspace(4)\n%z = bitcast ptr addrspace(4) %y to ptr addrspace(4)\n%v = load i8, ptr addrspace(4) %z, align 64, !m !{}"},
		"of memory that is copied": {
			in:   "%x = %p {sycl-alignment=64}\n%y = %q {sycl-alignment=32}\ncall void @llvm.memcpy.p0.p0.i64(ptr align 4 %x, ptr %y, i64 8, i1 false)\ncall void @llvm.memmove.p0.p0.i64(ptr %q, ptr align 4 %x, i64 8, i1 false)\ncall void @llvm.memset.p0.i64(ptr align 4 %x, i8 0, i64 8, i1 false)",
			want: "call void @llvm.memcpy.p0.p0.i64(ptr align 64 %p, ptr align 32 %q, i64 8, i1 false)\ncall void @llvm.memmove.p0.p0.i64(ptr %q, ptr align 64 %p, i64 8, i1 false)\ncall void @llvm.memset.p0.i64(ptr align 64 %p, i8 0, i64 8, i1 false)"},
		"a pointer that is stored is not accessed": {
			in:   "%x = %p {sycl-alignment=64}\nstore ptr %x, ptr %q, align 8",
			want: "%x = %p {44:\"64\"}\nstore ptr %x, ptr %q, align 8"},
		"a pointer that is passed on is not accessed": {
			in:   "%x = %p {sycl-alignment=64}\ncall void @g(ptr %x)",
			want: "%x = %p {44:\"64\"}\ncall void @g(ptr %x)"},
		"an alignment that is a number": {in: "%x = %p {sycl-alignment=#64}\nstore i32 1, ptr %x", want: "store i32 1, ptr %p, align 64"},

		"properties in the order of the list": {
			in:    "%x = %p {sycl-init-mode=1 sycl-implement-in-csr=true}",
			want:  `%x = %p {6190:"1"}{6191:"true"}`,
			dpcpp: `%x = %p {6148:"1"}{6149:"true"}`},
		"without a value":               {in: "%x = %p {sycl-datapath}", want: "%x = %p {5825}"},
		"with an empty value":           {in: "%x = %p {sycl-conduit=}", want: "%x = %p {6175}"},
		"a text":                        {in: "%x = %p {sycl-resource=MLAB}", want: `%x = %p {5826:"MLAB"}`},
		"numbers":                       {in: "%x = %p {sycl-latency-constraint=1,2,3}", want: `%x = %p {6173:"1,2,3"}`},
		"an anchor and what is from it": {in: "%x = %p {sycl-latency-anchor-id=1 sycl-latency-constraint=0,1,5}", want: `%x = %p {6172:"1"}{6173:"0,1,5"}`},
		"what is false is left out":     {in: "%x = %p {sycl-stable=false sycl-awidth=32}", want: `%x = %p {6177:"32"}`},
		"what is only false":            {in: "%x = %p {sycl-stable=false}\nstore i32 1, ptr %x", want: "store i32 1, ptr %p"},
		"unknown ones are left out":     {in: "%x = %p {sycl-strange=1 sycl-awidth=32 other}", want: `%x = %p {6177:"32"}`},
		"only an unknown one":           {in: "%x = %p {sycl-strange=1}\n%v = load i32, ptr %x", want: "%v = load i32, ptr %p"},
		"for the runtime only":          {in: "%x = %p {sycl-usm-kind=1 sycl-unaliased}\n%v = load i32, ptr %x", want: "%v = load i32, ptr %p"},
		"no list":                       {in: "%x = %p {}\n%v = load i32, ptr %x", want: "%v = load i32, ptr %p"},
		"a pointer that nothing uses":   {in: "%p {sycl-alignment=8}", want: `%p {44:"8"}`},
		"nothing left and nothing uses": {in: "%p {sycl-strange}\nret void", want: "ret void"},
		"a prefetch":                    {in: "%x = %p {sycl-prefetch-hint=0}\n%y = %p {sycl-prefetch-hint-nt=2}", want: "%x = %p {6442:\"0,1\"}\n%y = %p {6442:\"2,3\"}"},

		"one pointer after the other": {
			in:   "%x = %p {sycl-strange}\n%y = %x {sycl-alignment=8}\n%z = %y {sycl-alignment=16}\nstore i32 1, ptr %y\nstore i32 2, ptr %z",
			want: "store i32 1, ptr %p, align 8\nstore i32 2, ptr %p, align 16"},
		"a pointer that stays after one that goes": {
			in:   "%x = %p {sycl-strange}\n%y = %x {sycl-datapath}\nstore ptr %y, ptr %x",
			want: "%y = %p {5825}\nstore ptr %y, ptr %p"},
		"numbered values": {in: "%1 = %p {sycl-alignment=8}\n%2 = load i32, ptr %1\nret void", want: "%2 = load i32, ptr %p, align 8\nret void"},
		"a variable":      {in: "%x = @s0 {sycl-alignment=8}\nstore i32 1, ptr %x", want: "store i32 1, ptr @s0, align 8"},
		"values that merge, and debug records": {
			in:   "%x = %p {sycl-strange}\nbr label %l\nl:\n%y = phi ptr [ %x, %0 ], [ %y, %l ]\n#dbg_value(ptr %x, !1, !DIExpression(), !2)\nbr label %l",
			want: "br label %l\nl:\n%y = phi ptr [ %p, %0 ], [ %y, %l ]\n#dbg_value(ptr %p, !1, !DIExpression(), !2)\nbr label %l"},
		"a circle in code that is not reached": {
			in:   "ret void\nl:\n%x = %y {sycl-strange}\n%y = %x {sycl-strange}\nbr label %l",
			want: "ret void\nl:\n%x = bitcast ptr %x to ptr\nbr label %l"},

		"cache controls of reads and writes": {
			in:   "%x = %p {sycl-cache-read-hint=32 sycl-cache-write-hint=16777216}\n%v = load i32, ptr %x\nstore i32 %v, ptr %x",
			want: "%v = load i32, ptr %p" + control + "{{i32 6442, i32 1, i32 1, i32 0}, {i32 6443, i32 0, i32 2, i32 0}}\nstore i32 %v, ptr %p" + control + "{{i32 6442, i32 1, i32 1, i32 1}, {i32 6443, i32 0, i32 2, i32 1}}"},
		"cache controls with an alignment": {
			in:   "%x = %p {sycl-cache-read-assertion=80 sycl-alignment=8}\n%v = load i32, ptr %x, align 4, !m !{}",
			want: "%v = load i32, ptr %p, align 8, !m !{}" + control + "{{i32 6442, i32 0, i32 1, i32 0}, {i32 6442, i32 2, i32 1, i32 0}}"},
		"cache controls of memory that is copied": {
			in:   "%x = %p {sycl-cache-read-hint=1}\n%y = %q {sycl-cache-write-hint=1}\ncall void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 8, i1 false)",
			want: "call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 8, i1 false)" + control + "{{i32 6443, i32 0, i32 0, i32 0}, {i32 6442, i32 0, i32 0, i32 1}}"},
		"cache controls of a pointer that stays": {
			in:   "%x = %p {sycl-datapath sycl-cache-read-hint=1}\n%v = load i32, ptr %x",
			want: "%x = %p {5825}" + control + "{{i32 6442, i32 0, i32 0, i32 0}}\n%v = load i32, ptr %x"},
		"no level of a cache": {in: "%x = %p {sycl-cache-read-hint=0}\n%v = load i32, ptr %x", want: "%v = load i32, ptr %p"},

		"an invalid alignment":          {in: "%x = %p {sycl-alignment=24}", fail: `function f: a.cpp:7: annotation of a pointer: property "sycl-alignment": "24" is not a power of two`},
		"an alignment without a value":  {in: "%x = %p {sycl-alignment}", fail: `property "sycl-alignment": "" is not a 32-bit number`},
		"an invalid number":             {in: "%x = %p {sycl-awidth=wide}", fail: `a.cpp:7: annotation of a pointer: property "sycl-awidth": "wide" is not a 32-bit number`},
		"a mode that reads do not have": {in: "%x = %p {sycl-cache-read-hint=1048576}", fail: `"1048576" has cache mode write_through, which reads do not support`},
		"a quotation mark":              {in: `%x = %p {sycl-resource=M"}`, fail: `"M\"" has a quotation mark`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dpcpp := range []bool{false, true} {
				m := parse(t, annotated(test.in))
				_, err := lower(t, m, PropertyOptions{DPCPP: dpcpp})
				if test.fail != "" {
					if err == nil || !strings.Contains(err.Error(), test.fail) {
						t.Fatalf("got %v, want an error with %q", err, test.fail)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				want := test.want
				if dpcpp && test.dpcpp != "" {
					want = test.dpcpp
				}
				if got := code(t, m); got != want {
					t.Errorf("for DPC++ %v: got\n%s\nwant\n%s", dpcpp, got, want)
				}
			}
		})
	}
}

// TestAnnotationTexts checks that equal texts share a constant, in the address space and section of
// the original.
func TestAnnotationTexts(t *testing.T) {
	m := parse(t, annotated("%x = %p {sycl-awidth=1}\n%y = %p {sycl-awidth=1 sycl-strange}\n%z = %q {sycl-awidth=2}"))
	if _, err := lower(t, m, PropertyOptions{}); err != nil {
		t.Fatal(err)
	}
	text := write(t, m)
	for _, want := range []string{
		`@.str = private unnamed_addr addrspace(1) constant [11 x i8] c"{6177:\221\22}\00", section "llvm.metadata"`,
		"%x = call ptr @llvm.ptr.annotation.p0.p1(ptr %p, ptr addrspace(1) @.str, ptr addrspace(1) @s1, i32 7, ptr addrspace(1) null)",
		"%y = call ptr @llvm.ptr.annotation.p0.p1(ptr %p, ptr addrspace(1) @.str, ptr addrspace(1) @s1, i32 7, ptr addrspace(1) null)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "c\"{6177:"); n != 2 {
		t.Errorf("%d texts of annotations instead of 2:\n%s", n, text)
	}
}

// TestOtherAnnotations checks that other annotations are kept, and that SYCL property annotations
// are checked.
func TestOtherAnnotations(t *testing.T) {
	const head = `@p = private addrspace(1) constant [16 x i8] c"sycl-properties\00"
@n = private addrspace(1) constant [12 x i8] c"sycl-strict\00"
@o = private addrspace(1) constant [6 x i8] c"other\00"
@unended = private addrspace(1) constant [2 x i8] c"ab"
declare ptr @llvm.ptr.annotation.p0.p1(ptr, ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))
@list = private addrspace(1) constant `
	call := func(text, list string) string {
		return "\ndefine void @f(ptr %p) {\n  %x = call ptr @llvm.ptr.annotation.p0.p1(ptr %p, ptr addrspace(1) " + text + ", ptr addrspace(1) null, i32 0, ptr addrspace(1) " + list + ")\n  ret void\n}\n"
	}
	for name, test := range map[string]struct{ list, call, fail string }{
		"another annotation":             {"i32 0", call("@o", "@list"), ""},
		"a text that is not in the file": {"i32 0", call("%p", "@list"), ""},
		"a text that does not end":       {"i32 0", call("@unended", "@list"), ""},
		"an odd list":                    {"{ ptr addrspace(1) } { ptr addrspace(1) @n }", call("@p", "@list"), "function f: annotation of a pointer: its properties @list are not pairs of names and values"},
		"no list":                        {"i32 0", call("@p", "@list"), "its properties @list are not pairs of names and values"},
		"an empty list":                  {"{ ptr addrspace(1), ptr addrspace(1) } zeroinitializer", call("@p", "@list"), "the name of property 1 in @list is not a string"},
		"a list that is not defined":     {"i32 0\n@extern = external addrspace(1) constant i32", call("@p", "@extern"), "its properties are not a constant of the module"},
		"a list that is not in the file": {"i32 0", call("@p", "%p"), "its properties are not a constant of the module"},
		"a name that is a number":        {"{ i32, ptr addrspace(1) } { i32 1, ptr addrspace(1) null }", call("@p", "@list"), "the name of property 1 in @list is not a string"},
		"a value that is neither":        {"{ ptr addrspace(1), float } { ptr addrspace(1) @n, float 1.0 }", call("@p", "@list"), `property "sycl-strict": the value is neither a string nor a number`},
		"a value that does not end":      {"{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @n, ptr addrspace(1) @unended }", call("@p", "@list"), `property "sycl-strict": the value is neither a string nor a number`},
		"a value that names itself":      {"{ ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @n, ptr addrspace(1) @list }", call("@p", "@list"), `property "sycl-strict": the value is neither a string nor a number`},
		"four operands":                  {"i32 0", "\ndefine void @f(ptr %p) {\n  %x = call ptr @llvm.ptr.annotation.p0.p1(ptr %p, ptr addrspace(1) @p, ptr addrspace(1) null, i32 0)\n  ret void\n}\n", "expected 5 operands, got 4"},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, head+test.list+test.call)
			before := write(t, m)
			_, err := lower(t, m, PropertyOptions{})
			switch {
			case test.fail != "" && (err == nil || !strings.Contains(err.Error(), test.fail)):
				t.Errorf("got %v, want an error with %q", err, test.fail)
			case test.fail == "" && err != nil:
				t.Error(err)
			case test.fail == "" && write(t, m) != before:
				t.Errorf("changed to\n%s", write(t, m))
			}
		})
	}
}

// TestUnknownPointerProperties checks that each unknown property is reported once, with its
// location.
func TestUnknownPointerProperties(t *testing.T) {
	m := parse(t, annotated("%x = %p {sycl-new=1}\n%y = %p {sycl-new=2 other sycl-stable sycl-conduit=false}"))
	diagnostics, err := lower(t, m, PropertyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range diagnostics {
		got = append(got, d.String())
	}
	want := "a.cpp:7: warning: unknown property 'sycl-new' of a pointer in 'f' has no effect\na.cpp:7: warning: unknown property 'other' of a pointer in 'f' has no effect\n" +
		"a.cpp:7: warning: property 'sycl-stable' of a pointer in 'f' does not reach the SPIR-V: translators drop it"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}
