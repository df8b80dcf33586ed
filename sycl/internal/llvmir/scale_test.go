package llvmir

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// synthetic returns a module of n functions that call each other, each with metadata.
func synthetic(n int) string {
	var b strings.Builder
	b.WriteString("%struct.S = type { i32, double }\n")
	for i := range n {
		fmt.Fprintf(&b, "@g%d = internal global i32 %d, align 4\n", i, i)
	}
	for i := range n {
		fmt.Fprintf(&b, `
; Function Attrs: nounwind
define internal spir_func i32 @f%d(ptr addrspace(4) noundef %%p, i32 noundef %%n) #0 !dbg !%d {
entry:
  %%a = alloca %%struct.S, align 8
  %%q = getelementptr inbounds %%struct.S, ptr %%a, i32 0, i32 1, !dbg !%d
  %%v = load double, ptr %%q, align 8, !dbg !%d
  %%g = load i32, ptr @g%d, align 4, !dbg !%d
  %%r = call spir_func i32 @f%d(ptr addrspace(4) %%p, i32 %%g), !dbg !%d
  ret i32 %%r, !dbg !%d
}
`, i, i, i, i, i, i, max(i-1, 0), i, i)
	}
	b.WriteString("attributes #0 = { nounwind }\n")
	for i := range n {
		fmt.Fprintf(&b, "!%d = distinct !{!%d, i32 %d, !\"a node of metadata\"}\n", i, i, i)
	}
	return b.String()
}

func parseString(t testing.TB, text string) *Module {
	t.Helper()
	m, err := Parse("a.ll", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// memory returns the number of bytes that f allocates, and the number of allocations.
func memory(f func()) (bytes, count uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}

func TestWorkGrowsWithTheText(t *testing.T) {
	small, large := synthetic(2500), synthetic(10000)
	for name, work := range map[string]func(*Module){
		"parse": func(*Module) {},
		"bodies": func(m *Module) {
			for _, f := range m.Functions() {
				for in := range f.Body() {
					in.Type()
				}
			}
		},
		"edits": func(m *Module) {
			for _, f := range m.Functions() {
				f.SetAttribute("a", "b")
				f.SetMetadata("x", m.AddNode("i32 1"))
			}
			m.WriteTo(io.Discard)
		},
		"deletion": func(m *Module) {
			for _, g := range m.Globals() {
				m.Delete(g)
			}
			m.Functions()
		},
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(text string) (uint64, uint64) {
				return memory(func() { work(parseString(t, text)) })
			}
			cost(small)
			b1, n1 := cost(small)
			b4, n4 := cost(large)
			if b4 > 6*b1 || n4 > 6*n1 {
				t.Errorf("four times the text: %d instead of %d bytes, %d instead of %d allocations", b4, b1, n4, n1)
			}
		})
	}
}

func TestSubsetMemory(t *testing.T) {
	cost := func(n int) uint64 {
		m := parseString(t, synthetic(n))
		write := func(i int) {
			if err := m.WriteSubset(io.Discard, Subset{Define: []Symbol{m.Function(fmt.Sprint("f", i))}}); err != nil {
				t.Fatal(err)
			}
		}
		write(0)
		b, _ := memory(func() {
			for i := range 100 {
				write(n/2 + i)
			}
		})
		return b
	}
	if small, large := cost(1000), cost(16000); large > 2*small {
		t.Errorf("equal subsets: %d bytes for a small module, %d for a large one", small, large)
	}
}

// TestWideAndDeepTypes checks the memory for nested types, which keep the text of each level.
func TestWideAndDeepTypes(t *testing.T) {
	const depth = 900
	text := "@a = global " + strings.Repeat("{ ", depth) + strings.Repeat("i8, ", 25_000) + "i8" + strings.Repeat(" }", depth) + " zeroinitializer\n"
	if n, _ := memory(func() { parseString(t, text).Global("a").ValueType() }); n > 200*uint64(len(text)) {
		t.Errorf("%d bytes of text: %d bytes of memory", len(text), n)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	text := []byte(synthetic(100_000))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m, err := Parse("a.ll", string(text))
	if err != nil {
		t.Fatal(err)
	}
	m.buildIndex()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 6*int64(len(text)) {
		t.Errorf("%d MiB of text: %d MiB of memory", len(text)>>20, held>>20)
	} else {
		t.Logf("%d MiB of text take %.1f times that", len(text)>>20, float64(held)/float64(len(text)))
	}
	runtime.KeepAlive(m)
	runtime.KeepAlive(text)
}

// TestLongLines checks an instruction, a node and a list of growing length, each on a single line.
func TestLongLines(t *testing.T) {
	module := func(size int) string {
		n := size / 20
		return "@g = global i32 0\ndefine void @f() {\n  call void @h(" + strings.Repeat("i32 1, ", n) + "i32 1), !x !0\n  ret void\n}\ndeclare void @h(...)\n" +
			"!0 = !{" + strings.Repeat("!1, ", n) + "!1}\n!1 = !{}\n@llvm.used = appending global [" + fmt.Sprint(n) + " x ptr] [" + strings.Repeat("ptr @g, ", n-1) + "ptr @g]\n"
	}
	cost := func(size int) (uint64, uint64) {
		text := module(size)
		return memory(func() {
			m := parseString(t, text)
			operands := 0
			for in := range m.Function("f").Body() {
				operands += in.NumOperands()
				in.Type()
			}
			if want := size/20 + 1; operands != want || len(m.Node(0).Operands()) != want || len(m.Functions()) != 2 {
				t.Errorf("%d operands and %d in the node, want %d", operands, len(m.Node(0).Operands()), want)
			}
			if err := m.WriteSubset(io.Discard, Subset{Define: m.Closure(m.Function("f"), m.Global("g"))}); err != nil {
				t.Error(err)
			}
		})
	}
	bytes, count := cost(1 << 20)
	manyBytes, many := cost(10 << 20)
	if manyBytes > 13*bytes || many > 13*count {
		t.Errorf("10 MiB: %d bytes and %d allocations, 1 MiB: %d and %d", manyBytes, many, bytes, count)
	}
}

func TestLongLinesAndDeepNesting(t *testing.T) {
	long := "@a = global [5000000 x i8] c\"" + strings.Repeat("x", 10<<20) + "\"\n@b = global [1 x i32] [" + strings.Repeat("i32 1, ", 1<<20) + "i32 1]\n"
	m := parseString(t, long)
	if len(m.Globals()) != 2 {
		t.Error("long lines parsed incorrectly")
	}
	deep := parseString(t, "@a = global "+strings.Repeat("[1 x ", 100_000)+"i8"+strings.Repeat("]", 100_000)+" zeroinitializer\n")
	if deep.Global("a").ValueType() != nil {
		t.Error("a too deeply nested type has a structure")
	}
	for depth, want := range map[int]bool{deepestType: true, deepestType + 1: false} {
		m := parseString(t, "@a = global "+strings.Repeat("{ ", depth)+"i8"+strings.Repeat(" }", depth)+" zeroinitializer\n")
		if got := m.Global("a").ValueType() != nil; got != want {
			t.Errorf("type with nesting depth %d is known: %v", depth, got)
		}
	}
	cyclic := parseString(t, "!0 = !DILocation(line: 1, scope: !1, inlinedAt: !0)\n!1 = !DILexicalBlock(scope: !1, line: 2)\n%a = type { %b }\n%b = type { %a }\n")
	if _, ok := cyclic.Location(0); ok {
		t.Error("cyclic scopes have a file")
	}
	if body := cyclic.typeAt("%a").Body(); body.String() != "{ %b }" {
		t.Errorf("body of %%a: %v", body)
	}
}
