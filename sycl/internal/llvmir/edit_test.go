package llvmir

import (
	"strings"
	"testing"
)

// TestInstrEdit checks that an edit of an instruction does not change the rest of its text.
func TestInstrEdit(t *testing.T) {
	for name, test := range map[string]struct {
		in, want string
		edit     func(*InstrEdit)
	}{
		"an alignment":                        {"%x = load i32, ptr %p, align 4", "%x = load i32, ptr %p, align 64", func(e *InstrEdit) { e.SetAlignment(64) }},
		"a new alignment":                     {"store i32 1, ptr %p", "store i32 1, ptr %p, align 64", func(e *InstrEdit) { e.SetAlignment(64) }},
		"an alignment before metadata":        {"store volatile i32 %align, ptr %p, !dbg !1, !m !{}", "store volatile i32 %align, ptr %p, align 8, !dbg !1, !m !{}", func(e *InstrEdit) { e.SetAlignment(8) }},
		"an alignment of an atomic operation": {`%x = load atomic i32, ptr %p syncscope("align") seq_cst, align 4, !m !1`, `%x = load atomic i32, ptr %p syncscope("align") seq_cst, align 8, !m !1`, func(e *InstrEdit) { e.SetAlignment(8) }},
		"metadata":                            {"%x = load i32, ptr %p, align 4", "%x = load i32, ptr %p, align 4, !spirv.Decorations !7", func(e *InstrEdit) { e.SetMetadata("spirv.Decorations", 7) }},
		"metadata of a kind":                  {"%x = load i32, ptr %p, !m !1, !n !2", "%x = load i32, ptr %p, !m !7, !n !2", func(e *InstrEdit) { e.SetMetadata("m", 7) }},
		"alignment and metadata":              {"store i32 1, ptr %p", "store i32 1, ptr %p, align 8, !m !7", func(e *InstrEdit) { e.SetAlignment(8); e.SetMetadata("m", 7) }},
		"arguments": {"call void @llvm.memcpy.p0.p0.i64(ptr align 4 %a, ptr noundef %b, i64 8, i1 false)", "call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 32 noundef %b, i64 8, i1 false)",
			func(e *InstrEdit) { e.SetArgumentAlignment(0, 16); e.SetArgumentAlignment(1, 32) }},
		"operands": {"%c = call ptr @f(ptr nonnull %a, ptr getelementptr ([2 x i8], ptr @s, i32 0, i32 0), i32 3)", "%c = call ptr @f(ptr nonnull @x, ptr null, i32 3)",
			func(e *InstrEdit) { e.SetOperand(0, "@x"); e.SetOperand(1, "null") }},
		"local values":                {`%a = phi ptr [ %a, %one ], [ %"b c", %two ]`, "%a = phi ptr [ @g, %one ], [ %9, %two ]", func(e *InstrEdit) { e.ReplaceLocals(map[string]string{"a": "@g", "b c": "%9"}) }},
		"local values without result": {"store ptr %a, ptr %a", "store ptr %b, ptr %b", func(e *InstrEdit) { e.ReplaceLocals(map[string]string{"a": "%b"}) }},
		"a value that occurs twice":   {"store ptr %a, ptr %c", "store ptr null, ptr %c", func(e *InstrEdit) { e.SetOperand(0, "null"); e.ReplaceLocals(map[string]string{"a": "%b"}) }},
		"a debug record":              {"#dbg_value(ptr %a, !1, !DIExpression(), !2)", "#dbg_value(ptr %b, !1, !DIExpression(), !2)", func(e *InstrEdit) { e.ReplaceLocals(map[string]string{"a": "%b"}) }},
		"nothing":                     {"ret void", "ret void", func(e *InstrEdit) { e.ReplaceLocals(nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "define void @f() {\n  "+test.in+"\n}\n")
			for in := range m.Function("f").Body() {
				e := in.Edit()
				test.edit(e)
				e.Apply()
			}
			if got := text(t, m); got != "define void @f() {\n  "+test.want+"\n}\n" {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestAddString(t *testing.T) {
	m := parse(t, "@.str = constant i32 0\n@.str.1 = constant i32 0, section \"a b\"\n")
	g := m.AddString(`{6442:"0,1"}`, 1, m.Global(".str.1").Section())
	m.AddString("x", 0, m.Global(".str").Section())
	got := text(t, m)
	for _, want := range []string{
		`@` + g.Name() + ` = private unnamed_addr addrspace(1) constant [13 x i8] c"{6442:\220,1\22}\00", section "a b"`,
		` = private unnamed_addr constant [2 x i8] c"x\00"` + "\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %s in\n%s", want, got)
		}
	}
	if value, _ := g.InitializerValue(); g.AddrSpace() != 1 || value.Text != `c"{6442:\220,1\22}\00"` {
		t.Errorf("got %d, %s", g.AddrSpace(), value.Text)
	}
	parse(t, got)
}
