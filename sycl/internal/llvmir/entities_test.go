package llvmir

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rich contains nearly all kinds of entities, in old and new syntax.
const rich = `source_filename = "r.cpp"
target datalayout = "e-p:64:64"
target triple = "spirv64-unknown-unknown"
module asm ".globl \22x\22"

%struct.A = type { i32, %"struct.B C", [2 x double] }
%"struct.B C" = type <{ i8, half }>
%opaque = type opaque
%list = type { ptr, i32 }

$comdat.a = comdat any

@llvm.used = appending global [2 x ptr] [ptr @k1, ptr addrspacecast (ptr addrspace(1) @dg to ptr)], section "llvm.metadata"
@dg = linkonce_odr hidden addrspace(1) constant { i32, %struct.A } zeroinitializer, section "a b", comdat($comdat.a), align 8, !dbg !9 #2
@text = private unnamed_addr addrspace(1) constant [4 x i8] c"a\22;\00", align 1
@ext = external thread_local(initialexec) global i32, align 4
@pointer = internal global ptr addrspace(1) getelementptr inbounds ([4 x i8], ptr addrspace(1) @text, i32 0, i32 0)
@0 = private constant i32 7
@al = weak alias i32 (i32), ptr @f1
@ifn = ifunc void (), ptr @resolver

define internal ptr @resolver() { ret ptr null }

; Function Attrs: nounwind
define spir_kernel void @k1(ptr addrspace(1) noundef align 4 captures(none) "sycl-x"="1" %a, ptr byval(%struct.A) align 8 %"odd b", i32 range(i32 0, 9)) local_unnamed_addr #0 section ".t" !dbg !5 !reqd !{i32 1}
{
entry:
    #dbg_value(ptr addrspace(1) %a, !6, !DIExpression(), !7)
  %0 = alloca %struct.A, align 8
  %1 = load atomic volatile double, ptr %p syncscope("agent") seq_cst, align 8, !dbg !7
  %2 = fadd fast double -nan(0x1), 0x3FF0000000000000
  %3 = call spir_func noundef i32 @f1(i32 noundef 5) #3, !dbg !8, !srcloc !{i64 5}
  %4 = call i32 (ptr, ...) @printf(ptr @ext, i32 %3)
  call void asm sideeffect "nop ; \22", "r,~{memory}"(i32 %3)
  %5 = getelementptr inbounds %struct.A, ptr %0, i64 0, i32 2
  %6 = extractvalue { i32, { half, i8 } } %agg, 1, 0
  %7 = icmp slt <4 x i32> %v, splat (i32 1)
  switch i32 %3, label %other [
    i32 1, label %one
    i32 2, label %other
  ]
one:                                              ; preds = %entry
  %8 = phi i32 [ 1, %entry ], [ %9, %one ]
  %9 = invoke i32 %fp(half 1.0)
          to label %other unwind label %pad
pad:
  %lp = landingpad { ptr, i32 }
          cleanup
          catch ptr @ext
  br label %other
"other":
  call void @llvm.foo(metadata i32 %3, metadata !6)
  %10 = zext nneg i16 %w to i64
  %11 = atomicrmw fadd ptr addrspace(1) %a, float 1.0 monotonic, align 4
  %12 = cmpxchg ptr %p, i64 %x, i64 %y acq_rel monotonic
  store i8 -1, ptr @text
  ret void, !dbg !7
  uselistorder i32 %3, { 1, 0 }
}

declare !note !3 spir_func i32 @f2(i32, ...) #1
declare i32 @printf(ptr, ...)
declare void @llvm.foo(metadata, metadata)
define linkonce_odr i32 @f1(i32 %0) #1 comdat personality ptr @f2 {
  %2 = musttail call i32 @f2(i32 %0)
  ret i32 %2
}
$f1 = comdat any

uselistorder ptr @f1, { 1, 0 }
attributes #0 = { nounwind "sycl-module-id"="r.cpp" memory(read, argmem: none) alignstack=16 }
attributes #1 = { nounwind }
attributes #2 = { "sycl-unique-id"="u" }
attributes #3 = { "virtual-call" }

!llvm.dbg.cu = !{!1}
!exec = !{!2, !3}
!odd\20name = !{}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !4, emissionKind: FullDebug)
!2 = !{ptr @k1, i32 6}
!3 = !{!3, !"s, \22}", null, i1 true, !DIExpression(DW_OP_deref), ptr @f1}
!4 = !DIFile(filename: "src/r.cpp", directory: "/home/u")
!5 = distinct !DISubprogram(name: "K<1>", linkageName: "k1", scope: !4, file: !4, line: 10, unit: !1)
!6 = !DILocalVariable(name: "a", scope: !5, file: !4)
!7 = !DILocation(line: 12, column: 3, scope: !10)
!8 = !DILocation(line: 20, column: 5, scope: !11, inlinedAt: !7)
!9 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
!10 = distinct !DILexicalBlock(scope: !5, file: !4, line: 11, column: 1)
!11 = distinct !DISubprogram(name: "inner", scope: !4, file: !4, line: 19, unit: !1)
^0 = module: (path: "r", hash: (0, 0))
`

func TestRichModule(t *testing.T) {
	m := parse(t, rich)
	if got := text(t, m); got != rich {
		t.Error("text not preserved")
	}
	if got := text(t, parse(t, strings.ReplaceAll(rich, "\n", "\r\n"))); got != strings.ReplaceAll(rich, "\n", "\r\n") {
		t.Error("text with CRLF not preserved")
	}
	check := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	check("triple", m.Triple(), "spirv64-unknown-unknown")
	dg := m.Global("dg")
	check("linkage", dg.Linkage(), LinkOnceODR)
	check("space", dg.AddrSpace(), 1)
	check("constant", dg.Constant(), true)
	fields := func(s Symbol, fields ...field) []string {
		var words []string
		for _, f := range fields {
			words = append(words, s.base().header().word(f))
		}
		return words
	}
	check("fields of a variable", fields(dg, fieldVisibility, fieldSection, fieldAlign), `[hidden section "a b" align 8]`)
	check("a thread-local variable", fields(m.Global("ext"), fieldThreadLocal), "[thread_local(initialexec)]")
	check("fields of functions", append(fields(m.Function("k1"), fieldUnnamed, fieldSection), fields(m.Function("f1"), fieldPersonality)...), `[local_unnamed_addr section ".t" personality ptr @f2]`)
	check("comdat", dg.comdat(), "comdat.a")
	check("initializer", dg.Initializer(), "zeroinitializer")
	check("type", dg.ValueType(), "{ i32, %struct.A }")
	check("attribute", dg.HasAttribute("sycl-unique-id"), true)
	id, _ := dg.Metadata("dbg")
	check("metadata", id, 9)
	b, _ := mustInit(m, "text").Bytes()
	check("bytes", string(b), "a\";\x00")
	base, _ := mustInit(m, "pointer").BaseGlobal()
	check("base", base, "text")
	check("external", m.Global("ext").Defined(), false)
	check("unnamed", mustInit(m, "0").Text, "7")
	check("alias", m.Alias("al").Aliasee(), "ptr @f1")

	k := m.Function("k1")
	check("kernel", k.Kernel(), true)
	check("params", k.Params()[1].Name, "odd b")
	by, _ := k.Params()[1].Attribute("byval")
	check("byval", by.Value, "%struct.A")
	x, _ := k.Params()[0].Attribute("sycl-x")
	check("string attribute of a parameter", x.Value, "1")
	check("function type", k.ValueType(), "void (ptr addrspace(1), ptr, i32)")
	check("memory", k.HasAttribute("memory"), true)
	check("comdat of a function", m.Function("f1").comdat(), "f1")
	check("variadic function type", m.Function("f2").ValueType(), "i32 (i32, ...)")
	check("attachment of a declaration", m.Function("f2").Attachments()[0].ID, 3)
	check("one-line body", strings.TrimSpace(strings.Trim(m.Function("resolver").bodyText(), "{}")), "ret ptr null")
	loc := k.DebugLoc()
	check("function's place", loc, "/home/u/src/r.cpp:10")
	check("references", m.Function("f1").References(), "[f2]")

	n := m.Node(3)
	ops := n.Operands()
	check("operands of a node", len(ops), 6)
	check("string of a node", n.Strings(), `[s, "}]`)
	check("ints of a node", n.Ints(), "[1]")
	inline, _ := ops[4].Inline()
	check("node in place", inline.kind(), "DIExpression")
	v, _ := ops[5].value()
	check("value in a node", v.Text, "@f1")
	check("distinct", m.Node(5).Distinct(), true)
	check("kind", m.Node(5).kind(), "DISubprogram")
	check("users of a symbol", len(m.SymbolUsers("f1")), 3)
	check("named", m.NamedMetadata("odd name").Nodes(), "[]")
}

func mustInit(m *Module, name string) Value { v, _ := m.Global(name).InitializerValue(); return v }

func TestInstructions(t *testing.T) {
	m := parse(t, rich)
	type row struct{ op, result, typ, operands, extra string }
	var got []row
	for in := range m.Function("k1").Body() {
		r := row{op: in.Op(), result: in.Result(), typ: in.Type().String()}
		var words []string
		for _, o := range in.Operands() {
			words = append(words, o.Type.String()+" "+o.Text)
		}
		r.operands = strings.Join(words, "|")
		if in.isCall() {
			r.extra, _ = in.Callee()
			r.extra += fmt.Sprint(" ", in.isAsm(), in.IsIndirect())
		}
		if l, ok := in.DebugLoc(); ok {
			r.extra += " " + l.String()
			if l.InlinedAt != nil {
				r.extra += " in " + l.Function + " at " + l.InlinedAt.String()
			}
		}
		got = append(got, r)
	}
	want := []row{
		{"label", "entry", "void", "", ""},
		{"#dbg_value", "", "void", "ptr addrspace(1) %a", " /home/u/src/r.cpp:12:3"},
		{"alloca", "0", "ptr", "", ""},
		{"load", "1", "double", "ptr %p", " /home/u/src/r.cpp:12:3"},
		{"fadd", "2", "double", "double -nan(0x1)|double 0x3FF0000000000000", ""},
		{"call", "3", "i32", "i32 5", "f1 false false /home/u/src/r.cpp:20:5 in inner at /home/u/src/r.cpp:12:3"},
		{"call", "4", "i32", "ptr @ext|i32 %3", "printf false false"},
		{"call", "", "void", "i32 %3", " true false"},
		{"getelementptr", "5", "ptr", "ptr %0|i64 0|i32 2", ""},
		{"extractvalue", "6", "half", "{ i32, { half, i8 } } %agg|? 1|? 0", ""},
		{"icmp", "7", "<4 x i1>", "<4 x i32> %v|<4 x i32> splat (i32 1)", ""},
		{"switch", "", "void", "i32 %3|label %other|i32 1|label %one|i32 2|label %other", ""},
		{"label", "one", "void", "", ""},
		{"phi", "8", "i32", "i32 1|i32 %9", ""},
		{"invoke", "9", "i32", "half 1.0|label %other|label %pad", " false true"},
		{"label", "pad", "void", "", ""},
		{"landingpad", "lp", "{ ptr, i32 }", "ptr @ext", ""},
		{"br", "", "void", "label %other", ""},
		{"label", "other", "void", "", ""},
		{"call", "", "void", "metadata %3|metadata !6", "llvm.foo false false"},
		{"zext", "10", "i64", "i16 %w", ""},
		{"atomicrmw", "11", "float", "ptr addrspace(1) %a|float 1.0", ""},
		{"cmpxchg", "12", "{ i64, i1 }", "ptr %p|i64 %x|i64 %y", ""},
		{"store", "", "void", "i8 -1|ptr @text", ""},
		{"ret", "", "void", "", " /home/u/src/r.cpp:12:3"},
		{"uselistorder", "", "void", "i32 %3", ""},
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("%d: missing, want %v", i, want[i])
		case i >= len(want):
			t.Errorf("%d: got %v", i, got[i])
		case got[i] != want[i] && want[i].op != "uselistorder":
			t.Errorf("%d:\n got %q\nwant %q", i, got[i], want[i])
		}
	}
}

func TestRichModuleSubset(t *testing.T) {
	m := parse(t, rich)
	var b strings.Builder
	if err := m.WriteSubset(&b, Subset{Define: m.Closure(m.Function("f1")), Internal: func(s Symbol) bool { return true }}); err != nil {
		t.Fatal(err)
	}
	want := `source_filename = "r.cpp"
target datalayout = "e-p:64:64"
target triple = "spirv64-unknown-unknown"
module asm ".globl \22x\22"

declare !note !3 spir_func i32 @f2(i32, ...) #1
define internal i32 @f1(i32 %0) #1 personality ptr @f2 {
  %2 = musttail call i32 @f2(i32 %0)
  ret i32 %2
}
$f1 = comdat any
attributes #1 = { nounwind }
!exec = !{!3}
!3 = !{!3, !"s, \22}", null, i1 true, !DIExpression(DW_OP_deref), ptr @f1}
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	b.Reset()
	if err := m.WriteSubset(&b, Subset{Define: []Symbol{m.Function("k1")}}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"@llvm.used = appending global [1 x ptr] [ptr @k1], section \"llvm.metadata\"\n",
		"declare i32 @f1(i32 %0) #1\n",
		"@text = external unnamed_addr addrspace(1) constant [4 x i8], align 1\n",
		"!llvm.dbg.cu = !{!1}\n",
		"!exec = !{!2}\n",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("missing %q in\n%s", line, b.String())
		}
	}
	for _, word := range []string{"uselistorder", "^0", "@dg", "personality"} {
		if strings.Contains(b.String(), word) {
			t.Errorf("unexpected %s in\n%s", word, b.String())
		}
	}
}

func TestMissingMetadataSymbolsBecomeNull(t *testing.T) {
	m := parse(t, "define void @f() !x !0 {\n  ret void\n}\ndefine void @g() {\n  ret void\n}\n"+
		"!0 = !{ptr @g, i32 1, ptr addrspacecast (ptr @g to ptr addrspace(1)), !1, ptr @f}\n!1 = !DITemplateValueParameter(name: \"x\", value: ptr @g)\n")
	sub, err := extract(m, Subset{Define: []Symbol{m.Function("f")}})
	if err != nil {
		t.Fatal(err)
	}
	if got := sub.Node(0).Text() + sub.Node(1).Text(); got != `!{null, i32 1, null, !1, ptr @f}!DITemplateValueParameter(name: "x", value: null)` {
		t.Errorf("got %s", got)
	}
}

func TestBodyEdits(t *testing.T) {
	m := parse(t, "define void @f(ptr %p) {\nentry:\n  %a = call i32 @old(i32 1) ; note\n  store i32 %a, ptr %p\n  fence seq_cst\n  ret void\n}\ndeclare i32 @old(i32)\ndeclare i32 @new(i32, i32)\n")
	f := m.Function("f")
	for in := range f.Body() {
		switch in.Op() {
		case "call":
			f.Replace(in, "%b = call i32 @old(i32 0)")
			f.Replace(in, "%b = call i32 @new(i32 0, i32 1)\n\n%a = add i32 %b, 1")
		case "fence":
			f.Replace(in, "")
		}
	}
	m.Delete(m.Function("old"))
	want := "define void @f(ptr %p) {\nentry:\n  %b = call i32 @new(i32 0, i32 1)\n  %a = add i32 %b, 1 ; note\n  store i32 %a, ptr %p\n  ret void\n}\ndeclare i32 @new(i32, i32)\n"
	if got := text(t, m); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := fmt.Sprint(f.References()); got != "[new]" {
		t.Errorf("references: %s", got)
	}
}

func TestSymbolEdits(t *testing.T) {
	const src = "$f = comdat any\n@g = external addrspace(1) global i32, align 4\n@h = global i32 1, comdat($f), align 4, !a !0\ndefine linkonce_odr hidden i32 @f(ptr %x) #0 comdat !dbg !1 {\n  %r = call i32 @f(ptr @h)\n  ret i32 %r\n}\ndeclare void @d() #0\nattributes #0 = { nounwind \"k\"=\"v\" }\n!0 = !{}\n!1 = !{ptr @f}\n"
	for name, test := range map[string]struct {
		edit func(m *Module)
		want []string
	}{
		"an attribute of a shared group is replaced": {func(m *Module) { m.Function("f").SetAttribute("k", "w") }, []string{`@f(ptr %x) "k"="w" #1 comdat`, "attributes #1 = { nounwind }", "@d() #0"}},
		"an attribute of a shared group is removed":  {func(m *Module) { m.Function("d").removeAttribute("k") }, []string{"@d() #1"}},
		"a function becomes internal":                {func(m *Module) { m.Function("f").Internalize() }, []string{"define internal i32 @f(ptr %x) #0 !dbg !1 {"}},
		"a declaration gets metadata":                {func(m *Module) { m.Function("d").SetMetadata("n", 0) }, []string{"declare !n !0 void @d() #0"}},
		"metadata is replaced":                       {func(m *Module) { m.Function("f").SetMetadata("dbg", 0) }, []string{"comdat !dbg !0 {"}},
		"metadata is removed":                        {func(m *Module) { m.Function("f").RemoveMetadata("dbg") }, []string{"@f(ptr %x) #0 comdat {"}},
		"metadata of a variable is removed":          {func(m *Module) { m.Global("h").RemoveMetadata("a") }, []string{"@h = global i32 1, comdat($f), align 4\n"}},
		"a variable gets metadata and an attribute":  {func(m *Module) { m.Global("h").SetAttribute("q", "1"); m.Global("h").SetMetadata("b", 1) }, []string{`align 4, !a !0, !b !1 "q"="1"`}},
		"a variable becomes internal":                {func(m *Module) { m.Global("h").SetLinkage(Internal) }, []string{"@h = internal global i32 1, align 4, !a !0\n"}},
		"a declared variable is defined":             {func(m *Module) { m.Global("g").SetDefinition("i32", "2") }, []string{"@g = addrspace(1) global i32 2, align 4"}},
		"a variable gets a different type":           {func(m *Module) { m.Global("h").SetDefinition("[2 x i8]", `c"ab"`) }, []string{`@h = global [2 x i8] c"ab", comdat`}},
		"a parameter gets attributes":                {func(m *Module) { m.Function("f").SetParamAttribute(0, "s", "1") }, []string{`@f(ptr "s"="1" %x)`}},
		"all uses follow a rename":                   {func(m *Module) { must(m.RenameAll(map[string]string{"f": "a b", "h": "0x"})) }, []string{`i32 @"a b"(ptr %x) #0 comdat($f)`, `call i32 @"a b"(ptr @"0x")`, `!1 = !{ptr @"a b"}`, `@"0x" = global`}},
		"named metadata is extended":                 {func(m *Module) { m.AppendNamed("n", 0); m.AppendNamed("n", m.AddNode("i8 1")) }, []string{"!n = !{!0, !2}", "!2 = !{i8 1}"}},
		"a node is replaced":                         {func(m *Module) { must(m.SetNode(0, `!{!"x"}`)) }, []string{"!0 = !{!\"x\"}\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, src)
			test.edit(m)
			got := text(t, m)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("missing %q in\n%s", want, got)
				}
			}
			parse(t, got)
		})
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// TestUsersOnce checks that a function that refers to a symbol both directly and in a blockaddress
// is listed as a user once, even on repeated calls.
func TestUsersOnce(t *testing.T) {
	m, err := Parse("", `define void @f() {
  br label %next
next:
  ret void
}

define ptr @g() {
  call void @f()
  ret ptr blockaddress(@f, %next)
}

define void @h() {
  call void @f()
  ret void
}
`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var names []string
		for _, e := range m.SymbolUsers("f") {
			names = append(names, e.(*Function).Name())
		}
		if want := []string{"g", "h"}; !slices.Equal(names, want) {
			t.Errorf("users of f: %q, want %q", names, want)
		}
	}
}

// TestReference checks the text of symbols as operands.
func TestReference(t *testing.T) {
	for name, test := range map[string]struct{ ir, symbol, want string }{
		"a function":       {"define void @f(ptr %p) { ret void }\n", "f", "ptr @f"},
		"a variable":       {"@g = addrspace(1) global i32 0\n", "g", "ptr addrspace(1) @g"},
		"a name in quotes": {"declare void @\"a b\"()\n", "a b", `ptr @"a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, test.ir)
			if got := m.Reference(m.Symbol(test.symbol)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestParamAttributes checks that an alignment replaces an existing one, and that other attributes
// are kept.
func TestParamAttributes(t *testing.T) {
	m := parse(t, "define void @f(i32 %a, ptr addrspace(1) noundef align 4 \"x\"=\"1\" %b) { ret void }\n")
	f := m.Function("f")
	f.SetParamAlignment(0, 8)
	f.SetParamAlignment(1, 64)
	f.RemoveParamAttribute(1, "x")
	f.RemoveParamAttribute(1, "y")
	if got, want := text(t, m), "define void @f(i32 align 8 %a, ptr addrspace(1) align 64 noundef %b) { ret void }\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestBaseGlobal checks constant expressions, which LLVM prints with or without a space after the
// keyword.
func TestBaseGlobal(t *testing.T) {
	m := parse(t, "@g = global i32 0\n")
	for text, want := range map[string]string{
		"ptr @g": "g",
		"ptr getelementptr inbounds ([4 x i32], ptr @g, i64 0, i64 1)":                                "g",
		"ptr getelementptr(i32, ptr @g, i64 1)":                                                       "g",
		"ptr addrspace(4) addrspacecast(ptr addrspace(1) @g to ptr addrspace(4))":                     "g",
		"ptr addrspace(4) addrspacecast (ptr getelementptr (i32, ptr @g, i64 1) to ptr addrspace(4))": "g",
		"i64 add (i64 ptrtoint (ptr @g to i64), i64 1)":                                               "",
		"ptr null": "",
	} {
		v, err := m.Value(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, _ := v.BaseGlobal(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestRenameErrors checks that the first of several errors in name order is reported.
func TestRenameErrors(t *testing.T) {
	m := parseString(t, "@a = global i32 0\n@b = global i32 0\n@c = global i32 0\n")
	for range 20 {
		err := m.RenameAll(map[string]string{"b": "", "a": "c", "x": "y"})
		if err == nil || err.Error() != "duplicate symbol @c" {
			t.Fatalf("error %v", err)
		}
	}
}
