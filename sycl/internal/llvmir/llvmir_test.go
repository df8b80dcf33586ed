package llvmir

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const sample = `; ModuleID = 'a.bc'
source_filename = "a.cpp"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
@table = constant [2 x i32] [i32 1, i32 2]

define internal spir_func void @init() #1 {
  ret void
}

define spir_kernel void @_ZTS1K(ptr byval(%"class (x)") align 8 %0) local_unnamed_addr #0 !dbg !2 {
  %2 = call i32 @twice(i32 1) ; "@quoted"
  %3 = load i32, ptr @table
  call void @"odd name"()
  ret void
}

declare spir_func i32 @twice(i32)
declare void @"odd name"()

attributes #0 = { nounwind "sycl-module-id"="dir/a \22x\22.cpp" "flag" }
attributes #1 = { nounwind }

!llvm.ident = !{!0}
!0 = !{!"clang"}
!7 = !{i32 1}
`

func parse(t *testing.T, text string) *Module {
	t.Helper()
	m, err := Parse("a.ll", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// extract returns a subset of a module as a separate module.
func extract(m *Module, s Subset) (*Module, error) {
	var b strings.Builder
	if err := m.WriteSubset(&b, s); err != nil {
		return nil, err
	}
	return Parse("subset.ll", b.String())
}

func text(t *testing.T, m *Module) string {
	t.Helper()
	var b strings.Builder
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestKeepUntouchedText(t *testing.T) {
	if got := text(t, parse(t, sample)); got != sample {
		t.Errorf("got\n%s", got)
	}
}

func TestFunctions(t *testing.T) {
	m := parse(t, sample)
	var names []string
	for _, f := range m.Functions() {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, ","); got != "init,_ZTS1K,twice,odd name" {
		t.Errorf("functions: %s", got)
	}
	if k := m.Kernels(); len(k) != 1 || k[0].Name() != "_ZTS1K" {
		t.Errorf("kernels: %v", k)
	}
	if m.Function("twice").Defined() || !m.Function("init").Defined() {
		t.Error("Defined is wrong")
	}
	if got := strings.Join(m.Function("_ZTS1K").References(), ","); got != "odd name,table,twice" {
		t.Errorf("references: %s", got)
	}
	if got := m.Function("twice").References(); len(got) != 0 {
		t.Errorf("references of a declaration: %v", got)
	}
}

func TestAttributes(t *testing.T) {
	m := parse(t, sample)
	k := m.Function("_ZTS1K")
	if v, ok := k.Attribute("sycl-module-id"); !ok || v != `dir/a "x".cpp` {
		t.Errorf("attribute of a group: %q, %v", v, ok)
	}
	if v, ok := k.Attribute("flag"); !ok || v != "" {
		t.Errorf("attribute without a value: %q, %v", v, ok)
	}
	if _, ok := m.Function("init").Attribute("sycl-module-id"); ok {
		t.Error("found an attribute of a different group")
	}
	k.SetAttribute("own", `a"b\`)
	if v, ok := k.Attribute("own"); !ok || v != `a"b\` {
		t.Errorf("own attribute: %q, %v", v, ok)
	}
	want := `define spir_kernel void @_ZTS1K(ptr byval(%"class (x)") align 8 %0) local_unnamed_addr "own"="a\22b\5C" #0 !dbg !2 {`
	if got := text(t, m); !strings.Contains(got, want+"\n") {
		t.Errorf("missing line %s in\n%s", want, got)
	}
}

func TestEdits(t *testing.T) {
	m := parse(t, sample)
	if !m.DeleteGlobal("llvm.global_ctors") || m.DeleteGlobal("none") {
		t.Error("DeleteGlobal returns a wrong result")
	}
	k := m.Function("_ZTS1K")
	if k.HasMetadata("reqd_work_group_size") || !k.HasMetadata("dbg") {
		t.Error("HasMetadata is wrong before the edit")
	}
	k.SetMetadata("reqd_work_group_size", m.AddNode("i32 8, i32 1, i32 1"))
	if !k.HasMetadata("reqd_work_group_size") {
		t.Error("HasMetadata is wrong after the edit")
	}
	m.Function("init").Internalize()
	got := text(t, m)
	for _, want := range []string{
		"#0 !dbg !2 !reqd_work_group_size !8 {\n",
		"!8 = !{i32 8, i32 1, i32 1}\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "global_ctors") {
		t.Error("deleted global written")
	}
}

func TestTheGreatestNode(t *testing.T) {
	m := parse(t, "!0 = !{}\n!2147483647 = !{!0}\n!2 = !{}\n")
	if a, b := m.AddNode("i32 1"), m.AddNode("i32 2"); a != 1 || b != 3 {
		t.Errorf("new nodes have the numbers %d and %d", a, b)
	}
	if got := text(t, m); !strings.HasSuffix(got, "!1 = !{i32 1}\n!3 = !{i32 2}\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestDistantNodes checks that the node table does not double in size when node numbers double.
func TestDistantNodes(t *testing.T) {
	var table nodeTable
	for i := range 18 {
		id := uint32(1024<<i - 1)
		table.add(id, uint32(i))
		if item, ok := table.find(id); !ok || item != uint32(i) {
			t.Errorf("node %d is item %d, %v", id, item, ok)
		}
	}
	if n := len(table.dense); n > 2*18+1024 {
		t.Errorf("table has size %d for 18 nodes", n)
	}
}

func TestTheGreatestGroup(t *testing.T) {
	m := parse(t, "define void @f() #2147483647 {\n}\nattributes #0 = { cold }\nattributes #2147483647 = { cold nounwind }\n")
	m.Function("f").removeAttribute("cold")
	if got := text(t, m); !strings.HasPrefix(got, "define void @f() #1 {\n") || !strings.HasSuffix(got, "attributes #1 = { nounwind }\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestDeclaredVariables checks that a declaration keeps the decorations of a variable, but not its
// debug information.
func TestDeclaredVariables(t *testing.T) {
	m := parse(t, "@g = internal addrspace(1) global i32 0, align 4, !dbg !0, !spirv.Decorations !1 \"a\"=\"b\"\n"+
		"define void @f() {\n  store i32 1, ptr addrspace(1) @g\n  ret void\n}\n!0 = !{}\n!1 = !{i32 1}\n")
	var b strings.Builder
	if err := m.WriteSubset(&b, Subset{Define: []Symbol{m.Function("f")}}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "@g = external addrspace(1) global i32, align 4, !spirv.Decorations !1 \"a\"=\"b\"\n"; !strings.HasPrefix(got, want) || strings.Contains(got, "!0") {
		t.Errorf("got\n%s", got)
	}
}

// TestUnusualText edits text that LLVM accepts but compilers do not print.
func TestUnusualText(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		edit func(m *Module)
		want string
	}{
		"an attribute after a comdat": {
			"@g = linkonce_odr global i32 0, comdat \"a\"=\"b\"\n$g = comdat any\n",
			func(m *Module) { m.Global("g").SetAttribute("c", "d") },
			"@g = linkonce_odr global i32 0, comdat \"c\"=\"d\" \"a\"=\"b\"\n$g = comdat any\n",
		},
		"no space after =": {
			"@g=global i32 0\n",
			func(m *Module) { m.Global("g").SetLinkage(Internal) },
			"@g= internal global i32 0\n",
		},
		"a dollar in the name of metadata": {
			"!a$b = !{}\n",
			func(m *Module) { m.AppendNamed("a$b", m.AddNode("")) },
			"!a$b = !{!0}\n!0 = !{}\n",
		},
		"comments and blank lines between entities": {
			"target triple = \"x\"\n\n; a comment\n\n \n;; target datalayout\n\n\n@g = global i32 0 ; \n\n;\n\ndeclare void @f()\n\n",
			func(m *Module) { m.Global("g").SetLinkage(Internal); m.Function("f").SetAttribute("a", "b") },
			"target triple = \"x\"\n\n; a comment\n\n \n;; target datalayout\n\n\n@g = internal global i32 0 ; \n\n;\n\ndeclare void @f() \"a\"=\"b\"\n\n",
		},
		"instructions replaced from the last to the first, and again": {
			"define void @f() {\n  call void @a()\n  call void @b()\n  ret void\n}\n",
			func(m *Module) {
				f := m.Function("f")
				for range 2 {
					var list []Instr
					for in := range f.Calls() {
						list = append(list, *in)
					}
					for i := range slices.Backward(list) {
						f.Replace(&list[i], "")
						f.Replace(&list[i], fmt.Sprintf("call void @n%d()", i))
					}
				}
			},
			"define void @f() {\n  call void @n0()\n  call void @n1()\n  ret void\n}\n",
		},
		"a comment before the end of the body": {
			"define void @f() {\n  call void @f() }\n",
			func(m *Module) {
				f := m.Function("f")
				for in := range f.Calls() {
					f.Replace(in, "; a comment")
				}
			},
			"define void @f() {\n  ; a comment\n }\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, test.text)
			test.edit(m)
			if got := text(t, m); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			parse(t, text(t, m))
		})
	}
}

// TestUnmatchedElements checks that lists keep only elements with symbols that are in the output.
func TestUnmatchedElements(t *testing.T) {
	m := parse(t, "@g = global i32 0\n@llvm.used = appending global [3 x ptr] [ptr null, ptr @g, ptr null]\n")
	sub, err := extract(m, Subset{Define: []Symbol{m.Global("g")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, sub); got != "@g = global i32 0\n@llvm.used = appending global [1 x ptr] [ptr @g]\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestInternalize(t *testing.T) {
	m := parse(t, "define dso_local noundef i32 @main() #0 {\n  ret i32 0\n}\n")
	m.Function("main").Internalize()
	if got := text(t, m); !strings.HasPrefix(got, "define internal noundef i32 @main() #0 {\n") {
		t.Errorf("got %s", got)
	}
}

func TestMalformed(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string
		line       int
	}{
		"an unterminated body":        {"\ndefine void @f() {\n  ret void\n", "unterminated body of function @f", 2},
		"a header without a body":     {"\ndefine void @f()\n", "does not end with {", 2},
		"a typed pointer":             {"declare void @f(i8 addrspace(1)* %p)\n", "typed pointers, which LLVM before 17 wrote, are not supported", 1},
		"an invalid end of a header":  {"define void @f()\n@g = global i32 0\n", "unexpected text in the header", 2},
		"an extra bracket":            {"!0 = !{}}\n", "unmatched '}'", 1},
		"an unterminated group":       {"!0 = !{i32 1\n", "unterminated", 1},
		"an unterminated string":      {"!0 = !\"abc\n", "unterminated", 1},
		"not IR":                      {"#include <x>\n", "top-level entity", 1},
		"an unknown word":             {"hello world\n", "'hello' does not start", 1},
		"a duplicate node":            {"!0 = !{}\n!0 = !{}\n", "duplicate metadata node !0", 2},
		"a global without a value":    {"@a = global i32\n", "initial value", 1},
		"an alias without an aliasee": {"@a = alias i32\n", "comma", 1},
		"a function without a name":   {"define void () {\n}\n", "without a name", 1},
		"an empty name of a function": {"\ndeclare void @\"\"()\n", "a symbol without a name", 2},
		"an empty name of a variable": {"\n@\"\" = global i32 0\n", "a symbol without a name", 2},
		"duplicate functions":         {"declare void @f()\ndeclare void @f()\n", "also in line 1", 2},
		"a NUL byte":                  {"\n\n@a\x00\n", "NUL byte", 3},
		"a group without a body":      {"attributes #0\n", "without a body", 1},
		"a word after a target":       {"target triple = \"x\"\n\n  hello there\n", "unexpected text in a target", 3},
		"a word after the source":     {"source_filename = \"x\"\nhello\n", "unexpected text in the source's name", 2},
		"a word after a node":         {"!0 = !{i32 1} ; (\n; x\nhello\n", "unexpected text after the previous entity", 3},
		"a word after named metadata": {"!n = !{!0}\n{} hello\n", "unexpected text after the previous entity", 2},
		"a word after a type":         {"%t = type { i32 }\nhello\n", "unexpected text in a type", 2},
		"a word after a comdat":       {"$c = comdat any\nhello\n", "unexpected text in a comdat", 2},
		"a word after attributes":     {"attributes #0 = { nounwind }\nhello\n", "unexpected text after the previous entity", 2},
		"a word after assembly":       {"module asm \"nop\"\nhello\n", "unexpected text in module-level assembly", 2},
		"an unterminated quoted name": {"declare void @\"f()\n", "unterminated", 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("x.ll", test.text)
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("got %v", err)
			}
			if format.Line != test.line || !strings.Contains(format.Msg, test.want) {
				t.Errorf("got %v, want line %d: %s", err, test.line, test.want)
			}
		})
	}
}

func TestBitcode(t *testing.T) {
	for _, magic := range []string{"BC\xc0\xde....", "\xde\xc0\x17\x0b...."} {
		_, err := Parse("x.bc", magic)
		var bitcode *BitcodeError
		if !errors.As(err, &bitcode) || !strings.Contains(err.Error(), "llvm-dis") {
			t.Errorf("got %v", err)
		}
	}
}
