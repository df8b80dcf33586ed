package llvmir

import (
	"slices"
	"strings"
	"testing"
)

// longest limits the length of a fuzzed text. Longer texts take more time but do not find more
// errors.
const longest = 2048

// seeds are short modules, one for each kind of entity.
var seeds = []string{
	"define void @f() {\n}\n",
	"declare void @\"a\n",
	"@a = alias void (i8), ptr @b define void @b(i8 %x) comdat {\nret void\n}\n$b = comdat any",
	"define spir_kernel void @k(ptr addrspace(1) align 4 \"x\"=\"1\" %p) #0 !dbg !1 {\ne:\n  ret void, !dbg !2\n}\nattributes #0 = { nounwind \"a\"=\"b\" }\n!1 = distinct !{!1, i32 5}\n!2 = !{!\"s\"}\n",
	"%t = type { i32, <2 x half>, %u }\n%u = type opaque\n@g = internal addrspace(1) constant %t zeroinitializer, section \"s\", align 8, !dbg !0\n!0 = !{ptr @g}\n",
	"@llvm.used = appending global [2 x ptr] [ptr @x, ptr @y], section \"llvm.metadata\"\n@x = global i32 0\n@y = external global i8\n",
	"source_filename = \"a\"\ntarget triple = \"t\"\nmodule asm \"nop\"\n; c\n!n = !{!0}\n!0 = !{}\nuselistorder ptr @f, { 1, 0 }\n^0 = module: (path: \"r\")\n",
	"!llvm.dbg.cu = !{!0}\n!0 = distinct !DICompileUnit(file: !1, enums: !2, globals: !{!3})\n!1 = !DIFile(filename: \"a\", directory: \"b\")\n!2 = !{!1, !3}\n!3 = !{}\ndefine void @f() !dbg !4 {\n}\n!4 = !DISubprogram(unit: !0, type: !1)",
	"define i32 @f() personality ptr @g {\n  %1 = invoke i32 @g(i32 1, ...) to label %a unwind label %b\na:\n  ret i32 %1\nb:\n  unreachable\n}\ndeclare i32 @g(i32, ...)\n",
	"@a = weak alias i32, ptr @g\n@i = ifunc void (), ptr @r\n@g = linkonce_odr hidden global i32 1, comdat\n$g = comdat any\ndefine internal ptr @r() { ret ptr blockaddress(@r, %x) }",
}

func FuzzParse(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := fuzzed(t, text)
		if got := textOf(t, m); got != text {
			t.Fatalf("writing changed an unedited module:\n%s", got)
		}
		readAll(m)
		m.edited = true // written entity by entity
		if _, err := Parse("again.ll", textOf(t, m)); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzBody fuzzes the text between the braces of a function.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		"ret void",
		"a:\n  %x = load atomic i32, ptr %p syncscope(\"s\") seq_cst, align 4, !dbg !1\n  br label %a",
		"%0 = call spir_func noundef i32 @f(i32 noundef 5, metadata !2) #1, !dbg !1, !srcloc !{i64 5}",
		"#dbg_value(ptr %a, !6, !DIExpression(), !7)\n%p = phi i32 [ 1, %a ], [ %x, %b ]",
		"switch i32 %x, label %a [\n i32 1, label %b\n]\n\"q\":\ncall void asm sideeffect \"nop ; \\22\", \"r\"(i32 %x)",
		"%6 = extractvalue { i32, { half, i8 } } %agg, 1, 0\nstore <2 x i8> <i8 1, i8 2>, ptr getelementptr (%t, ptr @g, i32 0)",
		"%8 = musttail call ptr (...) %f() [ \"b\"(i32 1) ]\n%9 = cmpxchg weak ptr %p, i64 0, i64 1 acq_rel monotonic",
		"%a = shufflevector <2 x i1> %x, <2 x i1> poison, <2 x i32> zeroinitializer\n%b = select i1 true, half 0xH0, half %h\n; c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := fuzzed(t, "%t = type { i32 }\n@g = global i32 0\ndeclare i32 @f(i32)\n!1 = !DILocation(line: 1, scope: !2)\n!2 = !{}\ndefine void @body() {\n"+body+"\n}\n")
		fn := m.Function("body")
		if fn == nil || !fn.Defined() {
			return
		}
		// Each token of the body belongs to one instruction, in order.
		var got []string
		for in := range fn.Body() {
			for _, token := range in.toks {
				got = append(got, token.span().in(in.text))
			}
			if in.label {
				got = append(got, ":")
			}
		}
		text := fn.bodyText()
		var want []string
		for token := range Tokens(text[1 : len(text)-1]) {
			want = append(want, token.Text)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("instructions have the tokens %q, the body %q", got, want)
		}
		readAll(m)
	})
}

func FuzzSubset(f *testing.F) {
	for i, seed := range seeds {
		f.Add(seed, uint16(1<<i|i))
	}
	f.Fuzz(func(t *testing.T, text string, choice uint16) {
		m := fuzzed(t, text)
		var all, some []Symbol
		for i, s := range symbolsOf(m) {
			all = append(all, s)
			if choice>>(i%12)&1 == 1 {
				some = append(some, s)
			}
		}
		check := func(what string, s Subset) *Module {
			t.Helper()
			sub, err := extract(m, s)
			if err != nil {
				t.Fatalf("cannot parse %s: %v", what, err)
			}
			readAll(sub)
			return sub
		}
		check("the subset of all", Subset{Define: all})
		choose := func(bit int) func(Symbol) bool {
			if choice>>bit&1 == 0 {
				return nil
			}
			return func(s Symbol) bool { return len(s.Name())%2 == 0 }
		}
		check("a subset", Subset{Define: some, Internal: choose(12), External: choose(13)})
		sub := check("a closure", Subset{Define: m.Closure(some...)})
		// A closure contains everything that its symbols refer to.
		for _, s := range m.Closure(some...) {
			if there := sub.Symbol(s.Name()); s.Defined() && (there == nil || !there.Defined()) && s.Linkage() != Appending {
				t.Fatalf("@%s is not in its closure:\n%s", s.Name(), textOf(t, sub))
			}
		}
	})
}

func FuzzEdits(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := fuzzed(t, text)
		names := map[string]string{}
		for i, s := range symbolsOf(m) {
			if _, alias := s.(*Alias); alias {
				continue // other entities have no attributes
			}
			edited := s.base()
			edited.SetAttribute("a", `b"\`)
			edited.removeAttribute("x")
			edited.SetMetadata("x", m.AddNode("i32 1"))
			edited.RemoveMetadata("dbg")
			if s.Defined() && s.Linkage() != Appending {
				edited.SetLinkage(Internal)
			}
			if i%3 == 0 {
				names[s.Name()] = s.Name() + " renamed"
			}
			fn, ok := s.(*Function)
			if !ok {
				continue
			}
			for k := range fn.Params() {
				fn.SetParamAttribute(k, "p", "q")
			}
			for in := range fn.Body() {
				switch len(in.Text()) % 4 {
				case 0:
					fn.Replace(in, in.Text()+"\n; a comment")
				case 3:
					editInstr(in)
				case 1:
					fn.Replace(in, "call void @x()\n"+in.Text())
				default:
					fn.Replace(in, "")
				}
			}
		}
		if err := m.RenameAll(names); err != nil && !strings.Contains(err.Error(), "already") {
			t.Fatal(err)
		}
		again, err := Parse("again.ll", textOf(t, m))
		if err != nil {
			t.Fatalf("%v\n%s", err, textOf(t, m))
		}
		for _, s := range symbolsOf(m) {
			there := again.Symbol(s.Name())
			if there == nil {
				t.Fatalf("@%s was lost:\n%s", s.Name(), textOf(t, m))
			}
			if _, alias := s.(*Alias); alias {
				continue
			}
			if v, ok := there.base().Attribute("a"); !ok || v != `b"\` {
				t.Fatalf("@%s has lost its attribute:\n%s", s.Name(), textOf(t, m))
			}
		}
	})
}

// editInstr makes all supported edits to an instruction.
func editInstr(in *Instr) {
	e := in.Edit()
	for i, o := range in.Operands() {
		if in.Op() == "call" && o.Type != nil && i < 2 {
			e.SetArgumentAlignment(i, 8)
			e.SetOperand(i, o.Text)
		}
		if name, ok := o.Local(); ok && !in.f.m.HasType(name) {
			e.ReplaceLocals(map[string]string{name: o.Text})
		}
	}
	if in.Op() == "load" || in.Op() == "store" {
		e.SetAlignment(8)
	}
	if !in.label && in.Op()[0] != '#' {
		e.SetMetadata("x", 1)
	}
	e.Apply()
}

// fuzzed parses a text, and skips the test if the text is not suitable for fuzzing.
func fuzzed(t *testing.T, text string) *Module {
	t.Helper()
	if len(text) > longest {
		t.SkipNow()
	}
	m, err := Parse("fuzz.ll", text)
	if err != nil {
		t.SkipNow()
	}
	return m
}

func textOf(t *testing.T, m *Module) string {
	t.Helper()
	var b strings.Builder
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func symbolsOf(m *Module) []Symbol {
	var all []Symbol
	for _, f := range m.Functions() {
		all = append(all, f)
	}
	for _, g := range m.Globals() {
		all = append(all, g)
	}
	for _, a := range m.Aliases() {
		all = append(all, a)
	}
	return all
}

// readAll calls all readers.
func readAll(m *Module) {
	m.Triple()
	for name := range m.typeItems {
		m.intern(Type{kind: Named, name: name}).Body()
	}
	symbol := func(s Symbol) {
		s.ValueType()
		s.References()
		s.base().Attributes()
		s.base().Attachments()
		s.base().AddrSpace()
		s.base().comdat()
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
			in.Type()
			in.Operands()
			in.Attributes()
			in.Attachments()
			in.Callee()
			in.CalleeType()
			in.SourceType()
			in.DebugLoc()
		}
	}
	for i := range m.items {
		switch e := m.entityOf(uint32(i)).(type) {
		case *Node:
			e.kind()
			e.Ints()
			m.Location(e.ID())
		case *NamedMetadata:
			e.Nodes()
		}
	}
}
