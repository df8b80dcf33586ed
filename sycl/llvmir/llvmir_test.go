package llvmir

import (
	"errors"
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
	m, err := Parse("a.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func text(t *testing.T, m *Module) string {
	t.Helper()
	var b strings.Builder
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestUntouchedTextIsKept(t *testing.T) {
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
	if k := m.Kernels(); len(k) != 1 || k[0].Name() != "_ZTS1K" || k[0].Line() != 10 {
		t.Errorf("kernels: %v", k)
	}
	if m.Function("twice").Defined() || !m.Function("init").Defined() {
		t.Error("defined is wrong")
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
		t.Error("an attribute of another group is found")
	}
	k.SetAttribute("own", `a"b\`)
	if v, ok := k.Attribute("own"); !ok || v != `a"b\` {
		t.Errorf("own attribute: %q, %v", v, ok)
	}
	want := `define spir_kernel void @_ZTS1K(ptr byval(%"class (x)") align 8 %0) local_unnamed_addr "own"="a\22b\5C" #0 !dbg !2 {`
	if got := text(t, m); !strings.Contains(got, want+"\n") {
		t.Errorf("no line %s in\n%s", want, got)
	}
}

func TestEdits(t *testing.T) {
	m := parse(t, sample)
	if !m.DeleteGlobal("llvm.global_ctors") || m.DeleteGlobal("none") {
		t.Error("DeleteGlobal answers wrongly")
	}
	k := m.Function("_ZTS1K")
	if k.HasMetadata("reqd_work_group_size") || !k.HasMetadata("dbg") {
		t.Error("HasMetadata answers wrongly before the edit")
	}
	k.SetMetadata("reqd_work_group_size", m.AddNode("i32 8, i32 1, i32 1"))
	if !k.HasMetadata("reqd_work_group_size") {
		t.Error("HasMetadata answers wrongly after the edit")
	}
	m.Function("init").Internalize()
	got := text(t, m)
	for _, want := range []string{
		"#0 !dbg !2 !reqd_work_group_size !8 {\n",
		"!8 = !{i32 8, i32 1, i32 1}\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "global_ctors") {
		t.Error("the deleted global is written")
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
		"a body without an end":         {"\ndefine void @f() {\n  ret void\n", "body of function @f does not end", 2},
		"a header without a body":       {"\ndefine void @f()\n", "does not end with {", 2},
		"a header that goes on wrongly": {"define void @f()\n@g = global i32 0\n", "does not belong to the header", 2},
		"a bracket too many":            {"!0 = !{}}\n", "closes nothing", 1},
		"a group that does not end":     {"!0 = !{i32 1\n", "does not end", 1},
		"a string that does not end":    {"!0 = !\"abc\n", "does not end", 1},
		"no IR at all":                  {"#include <x>\n", "top-level entity", 1},
		"an unknown word":               {"hello world\n", "'hello' does not start", 1},
		"a node defined twice":          {"!0 = !{}\n!0 = !{}\n", "defined twice", 2},
		"a global without a value":      {"@a = global i32\n", "initial value", 1},
		"an alias of nothing":           {"@a = alias i32\n", "comma", 1},
		"a function without a name":     {"define void () {\n}\n", "without a name", 1},
		"two functions of one name":     {"declare void @f()\ndeclare void @f()\n", "stands here and in line 1", 2},
		"a NUL byte":                    {"\n\n@a\x00\n", "NUL byte", 3},
		"a group without a body":        {"attributes #0\n", "without a body", 1},
		"a quoted name without an end":  {"declare void @\"f()\n", "does not end", 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("x.ll", []byte(test.text))
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
		_, err := Parse("x.bc", []byte(magic))
		var bitcode *BitcodeError
		if !errors.As(err, &bitcode) || !strings.Contains(err.Error(), "llvm-dis") {
			t.Errorf("got %v", err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(rich))
	f.Add([]byte("define void @f() {\n}\n"))
	f.Add([]byte(`declare void @"a` + "\n"))
	f.Add([]byte("@a = alias void (i8), ptr @b define void @b(i8 %x) comdat {\nret void\n}\n$b = comdat any"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse("fuzz.ll", data)
		if err != nil {
			return
		}
		var b strings.Builder
		if _, err := m.WriteTo(&b); err != nil || b.String() != string(data) {
			t.Fatalf("an unedited module is written differently: %v", err)
		}
		readAll(m)
		var all []Symbol
		for _, fn := range m.Functions() {
			all = append(all, fn)
		}
		for _, g := range m.Globals() {
			all = append(all, g)
		}
		for _, a := range m.Aliases() {
			all = append(all, a)
		}
		again := func(what string, s Subset) {
			t.Helper()
			if sub, err := m.Extract(s); err != nil {
				t.Fatalf("%s cannot be read: %v", what, err)
			} else {
				readAll(sub)
			}
		}
		again("the subset of all", Subset{Define: all})
		for _, s := range all[:min(len(all), 4)] {
			again("the subset of one", Subset{Define: []Symbol{s}, Internal: func(Symbol) bool { return true }})
			again("the closure of one", Subset{Define: m.Closure(s)})
		}
		for _, fn := range m.Functions() {
			fn.SetAttribute("a", "b")
			if fn.Defined() {
				fn.SetMetadata("x", m.AddNode("i32 1"))
				fn.Internalize()
				for in := range fn.Body() {
					fn.InsertAfter(in, "; a comment")
				}
			}
		}
		b.Reset()
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Parse("again.ll", []byte(b.String())); err != nil {
			t.Errorf("what was written cannot be read: %v\n%s", err, b.String())
		}
	})
}

// readAll asks for everything that can be asked for.
func readAll(m *Module) {
	m.SourceFilename()
	m.ModuleAsm()
	for _, t := range m.Types() {
		for range t.Mentions() {
		}
	}
	symbol := func(s Symbol) {
		s.Attributes()
		s.Attachments()
		s.ValueType()
		s.References()
		s.Section()
		s.Comdat()
		s.AddrSpace()
	}
	for _, g := range m.Globals() {
		symbol(g)
		if v, ok := g.InitializerValue(); ok {
			v.Elements()
			v.Bytes()
			v.BaseGlobal()
		}
	}
	for _, a := range m.Aliases() {
		symbol(a)
	}
	for _, f := range m.Functions() {
		symbol(f)
		f.Params()
		f.DebugLoc()
		for in := range f.Body() {
			in.Types()
			in.Operands()
			in.Attributes()
			in.Attachments()
			in.Callee()
			in.CalleeType()
			in.SourceType()
			in.DebugLoc()
		}
	}
	for n := range m.Nodes() {
		n.Kind()
		n.Ints()
		m.Location(n.ID())
	}
	for _, n := range m.NamedMetadata() {
		n.Nodes()
	}
}
