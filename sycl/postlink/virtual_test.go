package postlink

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// calls returns a kernel or function whose body refers to names: "@x" is a variable that it reads,
// "f" a function that it calls, and "virtual" a virtual call.
func calls(head string, names ...string) string {
	var b strings.Builder
	b.WriteString("define " + head + " {\n")
	for _, name := range names {
		switch {
		case name == "virtual":
			b.WriteString("  call spir_func void null() \"virtual-call\"\n")
		case strings.HasPrefix(name, "@"):
			fmt.Fprintf(&b, "  store volatile ptr addrspace(1) %s, ptr null\n", name)
		default:
			fmt.Fprintf(&b, "  call spir_func void @%s()\n", name)
		}
	}
	b.WriteString("  ret void\n}\n")
	return b.String()
}

func virtualFunction(name, set string, names ...string) string {
	return calls(fmt.Sprintf("spir_func void @%s() \"indirectly-callable\"=%q", name, set), names...)
}

// table returns a variable that contains the address of a symbol.
func table(name, symbol string) string {
	return fmt.Sprintf("@%s = addrspace(1) constant { [2 x ptr] } { [2 x ptr] [ptr null, ptr @%s] }\n", name, symbol)
}

var virtualCases = []struct {
	name string
	ir   string
	sets string // by kernel, "-" for one without the attribute
	says string // lines of the diagnostics
}{
	{
		name: "a kernel that uses a vtable may call its functions",
		ir:   table("vtable", "f") + virtualFunction("f", "set") + calls("spir_kernel void @k()", "@vtable") + calls("spir_kernel void @other()"),
		sets: "k=set other=-",
	},
	{
		name: "so does one that calls code which uses it",
		ir: table("vtable", "f") + virtualFunction("f", "set") + calls("spir_kernel void @k()", "make") +
			calls("spir_func void @make()", "construct") + calls("spir_func void @construct()", "@vtable"),
		sets: "k=set",
	},
	{
		name: "and one that names the code in a variable",
		ir: table("vtable", "f") + virtualFunction("f", "set") + table("pointers", "make") + calls("spir_kernel void @k()", "@pointers") +
			calls("spir_func void @make()", "@vtable"),
		sets: "k=set",
	},
	{
		name: "a vtable in a variable, as a constant expression",
		ir: table("vtable", "f") + virtualFunction("f", "set") +
			"@vtt = addrspace(1) constant [1 x ptr] [ptr addrspacecast (ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @vtable, i64 8) to ptr)]\n" +
			calls("spir_kernel void @k()", "@vtt"),
		sets: "k=set",
	},
	{
		name: "a function in a vtable, as a constant expression",
		ir: "@vtable = addrspace(1) constant [1 x ptr addrspace(1)] [ptr addrspace(1) addrspacecast (ptr @f to ptr addrspace(1))]\n" + virtualFunction("f", "set") +
			calls("spir_kernel void @k()", "@vtable"),
		sets: "k=set",
	},
	{
		name: "a constant expression in code",
		ir: table("vtable", "f") + virtualFunction("f", "set") +
			"define spir_kernel void @k() {\n  store ptr addrspace(1) getelementptr inbounds (i8, ptr addrspace(1) @vtable, i64 16), ptr null\n  ret void\n}\n",
		sets: "k=set",
	},
	{
		name: "aliases of functions and of vtables",
		ir: table("vtable", "inner") + "@inner = alias void (), ptr @f\n@outer = alias { [2 x ptr] }, ptr addrspace(1) @vtable\n" + virtualFunction("f", "set") +
			calls("spir_kernel void @k()", "@outer"),
		sets: "k=set",
	},
	{
		name: "a function of a set that is only declared",
		ir:   table("vtable", "f") + "declare spir_func void @f() \"indirectly-callable\"=\"set\"\n" + calls("spir_kernel void @k()", "@vtable"),
		sets: "k=set",
	},
	{
		name: "the sets that were there come first, new ones sorted",
		ir: "@vtable = addrspace(1) constant [4 x ptr] [ptr @d, ptr @c, ptr @b, ptr @a]\n" +
			virtualFunction("d", "D") + virtualFunction("c", "C") + virtualFunction("b", "B") + virtualFunction("a", "A") +
			calls(`spir_kernel void @k() "calls-indirectly"="Z,B"`, "@vtable") + calls("spir_kernel void @new()", "@vtable") +
			calls(`spir_kernel void @spaces() "calls-indirectly"=" C , D,"`, "@vtable") +
			calls(`spir_kernel void @empty() "calls-indirectly"=""`, "@vtable"),
		sets: "k=Z,B,A,C,D new=A,B,C,D spaces=C,D,A,B empty=A,B,C,D",
	},
	{
		name: "a list that lacks nothing stays as it is",
		ir: table("vtable", "f") + virtualFunction("f", "set") + calls(`spir_kernel void @k() "calls-indirectly"="other, set,"`, "@vtable") +
			calls(`spir_kernel void @l() "calls-indirectly"="b,a"`),
		sets: "k=other, set, l=b,a",
	},
	{
		name: "a virtual function that uses the vtable of another set",
		ir: table("tableA", "f") + virtualFunction("f", "A", "make") + calls("spir_func void @make()", "@tableB") +
			table("tableB", "g") + virtualFunction("g", "B") +
			calls("spir_kernel void @k()", "@tableA") + calls(`spir_kernel void @says() "calls-indirectly"="A"`) + calls("spir_kernel void @onlyB()", "@tableB"),
		sets: "k=A,B says=A,B onlyB=B",
	},
	{
		name: "which another function of the first set is enough for",
		ir: table("tableA", "f") + virtualFunction("f", "A") + virtualFunction("f2", "A", "@tableB") +
			table("tableB", "g") + virtualFunction("g", "B") + calls("spir_kernel void @k()", "@tableA"),
		sets: "k=A,B",
	},
	{
		name: "sets that use each other's vtables",
		ir: table("tableA", "f") + virtualFunction("f", "A", "@tableB") + table("tableB", "g") + virtualFunction("g", "B", "@tableA") +
			calls("spir_kernel void @k()", "@tableA") + calls("spir_kernel void @l()", "@tableB"),
		sets: "k=A,B l=A,B",
	},
	{
		name: "what goes in circles",
		ir: "@a = alias void (), ptr @b\n@b = alias void (), ptr @a\n@x = addrspace(1) constant [2 x ptr addrspace(1)] [ptr addrspace(1) @y, ptr addrspace(1) @vtable]\n" +
			"@y = addrspace(1) constant [1 x ptr addrspace(1)] [ptr addrspace(1) @x]\n" + table("vtable", "f") + virtualFunction("f", "set", "even") +
			calls("spir_func void @even()", "odd", "@y") + calls("spir_func void @odd()", "even") + calls("spir_kernel void @k()", "odd"),
		sets: "k=set",
	},
	{
		name: "no table, no set: calls of a virtual function itself",
		ir:   table("vtable", "f") + virtualFunction("f", "set") + calls("spir_kernel void @k()", "f"),
		sets: "k=-",
	},
	{
		name: "tables of other functions, and functions of no set",
		ir: table("plain", "g") + calls("spir_func void @g()") + table("nameless", "f") + virtualFunction("f", "") +
			calls("spir_kernel void @k()", "@plain", "@nameless"),
		sets: "k=-",
	},
	{
		name: "lists of used symbols and annotations are no code",
		ir: table("vtable", "f") + virtualFunction("f", "set") + "@llvm.compiler.used = appending global [1 x ptr addrspace(1)] [ptr addrspace(1) @vtable], section \"llvm.metadata\"\n" +
			calls("spir_kernel void @k()"),
		sets: "k=-",
	},
	{
		name: "only kernels say what they call",
		ir: table("vtable", "f") + virtualFunction("f", "set") + calls(`spir_func void @external() "sycl-module-id"="a.cpp"`, "@vtable") +
			calls("amdgpu_kernel void @amd()", "external") + calls("ptx_kernel void @nvidia()", "external"),
		sets: "amd=set nvidia=set",
	},
	{
		name: "a virtual call in a kernel",
		ir:   calls("spir_kernel void @_ZTS1K()", "virtual"),
		sets: "_ZTS1K=-",
		says: `warning: kernel 'K' makes a virtual call, but does not specify the set of virtual functions
Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?
use is from this call chain:
  K
compile with '-g' to get source location
`,
	},
	{
		name: "and in what it calls, by the shortest way",
		ir: calls("spir_kernel void @_ZTS1K()", "_Z4longv", "_Z5shortv") + calls("spir_func void @_Z4longv()", "_Z5shortv") + calls("spir_func void @_Z5shortv()", "_Z4makei") +
			calls("spir_func void @_Z4makei()", "virtual", "virtual"),
		sets: "_ZTS1K=-",
		says: `warning: kernel 'K' makes a virtual call, but does not specify the set of virtual functions
Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?
use is from this call chain:
  K
  short()
  make(int)
compile with '-g' to get source location
`,
	},
	{
		name: "through variables, which are not in the chain",
		ir:   calls("spir_kernel void @_ZTS1K()", "@pointers") + table("pointers", "_Z4callv") + calls("spir_func void @_Z4callv()", "virtual"),
		sets: "_ZTS1K=-",
		says: `warning: kernel 'K' makes a virtual call, but does not specify the set of virtual functions
Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?
use is from this call chain:
  K
  call()
compile with '-g' to get source location
`,
	},
	{
		name: "the attribute in a group, of an invoke",
		ir: "define spir_kernel void @_ZTS1K(ptr %f) {\n  invoke spir_func void %f() #0 to label %a unwind label %b\na:\n  ret void\nb:\n  unreachable\n}\n" +
			"attributes #0 = { nounwind \"virtual-call\" }\n",
		sets: "_ZTS1K=-",
		says: `warning: kernel 'K' makes a virtual call, but does not specify the set of virtual functions
Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?
use is from this call chain:
  K
compile with '-g' to get source location
`,
	},
	{
		name: "a warning for each kernel, in their order",
		ir: calls("spir_kernel void @_ZTS1B()", "call") + calls("spir_kernel void @_ZTS1A()", "call") + calls("spir_func void @call()", "virtual") +
			calls("spir_kernel void @_ZTS1C()"),
		sets: "_ZTS1B=- _ZTS1A=- _ZTS1C=-",
		says: `warning: kernel 'B' makes a virtual call, but does not specify the set of virtual functions
Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?
use is from this call chain:
  B
  call()
compile with '-g' to get source location
warning: kernel 'A' makes a virtual call, but does not specify the set of virtual functions
Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?
use is from this call chain:
  A
  call()
compile with '-g' to get source location
`,
	},
	{
		name: "kernels that say what they call, or make the objects",
		ir: table("vtable", "f") + virtualFunction("f", "set", "virtual") + calls(`spir_kernel void @says() "calls-indirectly"="other"`, "virtual") +
			calls(`spir_kernel void @any() "calls-indirectly"`, "virtual") + calls("spir_kernel void @makes()", "@vtable", "virtual"),
		sets: "says=other any= makes=set",
	},
	{
		name: "calls through pointers that are not virtual, and virtual ones that no kernel reaches",
		ir: "define spir_kernel void @k(ptr %f) {\n  call spir_func void %f()\n  ret void\n}\n" + calls("spir_func void @dead()", "virtual") +
			calls(`spir_func void @external() "sycl-module-id"="a.cpp"`, "virtual"),
		sets: "k=-",
	},
	{
		name: "with debug information: the place of the call, and what was inlined",
		ir: `define spir_kernel void @_ZTS1K() !dbg !10 {
  call spir_func void @_Z3foov(), !dbg !20
  ret void
}
define spir_func void @_Z3foov() !dbg !11 {
  call spir_func void null() "virtual-call", !dbg !23
  call spir_func void null(), !dbg !21
  call spir_func void null() "virtual-call", !dbg !22
  ret void
}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !2)
!2 = !DIFile(filename: "src/a.cpp", directory: "")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "K", linkageName: "_ZTS1K", scope: !2, file: !2, line: 3, unit: !1)
!11 = distinct !DISubprogram(name: "foo", linkageName: "_Z3foov", scope: !2, file: !2, line: 8, unit: !1)
!12 = distinct !DISubprogram(name: "bar", linkageName: "_Z3barv", scope: !2, file: !2, line: 14, unit: !1)
!20 = !DILocation(line: 4, column: 5, scope: !10)
!21 = distinct !DILocation(line: 9, column: 3, scope: !11)
!22 = !DILocation(line: 15, column: 7, scope: !12, inlinedAt: !21)
!23 = !DILocation(line: 0, scope: !11)
`,
		sets: "_ZTS1K=-",
		says: `src/a.cpp:15:7: warning: kernel 'K' makes a virtual call, but does not specify the set of virtual functions
Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?
use is from this call chain:
  K
  foo() src/a.cpp:4:5
  bar() src/a.cpp:9:3
`,
	},
	{
		name: "a call without a place is where its function is",
		ir: `define spir_kernel void @_ZTS1K() !dbg !10 {
  call spir_func void null() "virtual-call", !dbg !20
  ret void
}
!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!3}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !2)
!2 = !DIFile(filename: "src/a.cpp", directory: "")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!10 = distinct !DISubprogram(name: "K", linkageName: "_ZTS1K", scope: !2, file: !2, line: 3, unit: !1)
!20 = !DILocation(line: 0, scope: !10)
`,
		sets: "_ZTS1K=-",
		says: `src/a.cpp:3: warning: kernel 'K' makes a virtual call, but does not specify the set of virtual functions
Missing property 'assume_indirect_calls' or 'assume_indirect_calls_to' of the kernel?
use is from this call chain:
  K
`,
	},
}

func TestFindVirtualFunctions(t *testing.T) {
	for _, test := range virtualCases {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, test.ir)
			says := ""
			for _, d := range findVirtualFunctions(m) {
				says += d.String() + "\n"
			}
			if says != test.says {
				t.Errorf("diagnostics:\n%swant:\n%s", says, test.says)
			}
			text := testkit.Text(t, m)
			written := parse(t, text)
			if got := setsOf(written); got != test.sets {
				t.Errorf("sets: %s, want %s", got, test.sets)
			}
			for _, f := range written.Functions() {
				if f.HasAttribute(devicecode.AttrCallsIndirectly) && !f.Kernel() {
					t.Errorf("%s is no kernel", f.Name())
				}
			}
			findVirtualFunctions(written)
			if again := testkit.Text(t, written); again != text {
				t.Errorf("a second run changes\n%sto\n%s", text, again)
			}
		})
	}
}

func setsOf(m *llvmir.Module) string {
	var words []string
	for _, k := range m.Kernels() {
		sets, ok := k.Attribute(devicecode.AttrCallsIndirectly)
		if !ok && !k.HasAttribute(devicecode.AttrCallsIndirectly) {
			sets = "-"
		}
		words = append(words, k.Name()+"="+sets)
	}
	return strings.Join(words, " ")
}

// TestVirtualCasesAreIR checks that LLVM accepts the modules of the table.
func TestVirtualCasesAreIR(t *testing.T) {
	opt := testkit.Program(t, "opt")
	for _, test := range virtualCases {
		if test.name == "what goes in circles" || strings.Contains(test.ir, "invoke") {
			continue // LLVM rejects cyclic aliases and code without landing pads
		}
		cmd := exec.Command(opt, "-passes=verify", "-disable-output", "-")
		cmd.Stdin = strings.NewReader(test.ir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", test.name, err, out, test.ir)
		}
	}
}

// TestVirtualFunctionsInProperties checks the effect of sets on the aspects, property sets and
// contents of images.
func TestVirtualFunctionsInProperties(t *testing.T) {
	const source = ` "sycl-module-id"="a.cpp"`
	ir := "target triple = \"spir64-unknown-unknown\"\n" + table("vtable", "f") +
		strings.Replace(virtualFunction("f", "set"), " {\n", source+" {\n  %x = load volatile double, ptr null\n", 1) +
		calls("spir_kernel void @makes()"+source, "@vtable") +
		calls(`spir_kernel void @says() "calls-indirectly"="other,more"`+source, "@vtable") +
		calls("spir_kernel void @plain()"+source) +
		calls("spir_kernel void @forgets()"+source, "virtual")
	m := parse(t, ir)
	o := Options{Split: SplitOptions{Mode: SplitPerKernel}}
	result := testkit.Must(run(m, o))(t)
	if len(result.Diagnostics) != 1 || !strings.HasPrefix(result.Diagnostics[0].String(), "warning: kernel 'forgets' makes a virtual call") {
		t.Errorf("diagnostics: %v", result.Diagnostics)
	}
	const fp64 = "aspects=2|gAAAAAAAAAgBAAAA\n"
	want := map[string]struct{ key, sets string }{
		"f":       {"virtual-functions-set", "set"},
		"makes":   {"uses-virtual-functions-set", "set"},
		"says":    {"uses-virtual-functions-set", "more,other,set"},
		"plain":   {},
		"forgets": {},
	}
	if len(result.Images) != len(want) {
		t.Fatalf("%d images", len(result.Images))
	}
	for _, image := range result.Images {
		name := image.entryPoints[0].Name()
		r := testkit.Must(image.Properties(PropertyOptions{}))(t)
		text := r.String()
		expected := "[SYCL/virtual functions]\n" + want[name].key + "=" + propset.String(want[name].sets).String() + "\n"
		needs := want[name].key != ""
		if needs && !strings.HasSuffix(text, expected) || needs != strings.Contains(text, "virtual") {
			t.Errorf("image of %s: properties\n%swant\n%s", name, text, expected)
		}
		if needs && !strings.Contains(text, fp64) || !needs && name == "plain" && strings.Contains(text, fp64) {
			t.Errorf("image of %s: aspects in\n%s", name, text)
		}
		var code bytes.Buffer
		testkit.NoError(t, image.WriteCode(&code))
		if sets, _ := parse(t, code.String()).Function(name).Attribute(devicecode.AttrCallsIndirectly); sets != map[string]string{"makes": "set", "says": "other,more,set"}[name] {
			t.Errorf("image of %s calls %q", name, sets)
		}
	}
}

// TestLongVirtualCallChains checks a chain of a thousand calls.
func TestLongVirtualCallChains(t *testing.T) {
	const n = 1000
	var b strings.Builder
	b.WriteString(calls("spir_kernel void @k()", "f0"))
	for i := range n {
		b.WriteString(calls(fmt.Sprintf("spir_func void @f%d()", i), fmt.Sprintf("f%d", i+1)))
	}
	b.WriteString(calls(fmt.Sprintf("spir_func void @f%d()", n), "virtual"))
	list := findVirtualFunctions(parse(t, b.String()))
	if len(list) != 1 {
		t.Fatalf("%d diagnostics", len(list))
	}
	notes := list[0].Notes
	// The lines are the question, the heading, the chain, its end, and the advice.
	if want := 2 + devicecode.MaxChain + 2 + 1; len(notes) != want || notes[want-3] != "  ..." || notes[want-2] != fmt.Sprintf("  f%d()", n) {
		t.Errorf("%d lines, want %d: %q", len(notes), want, notes)
	}
}

// TestVirtualFunctionsAreFoundInLinearTime compares the allocations for a module and a module of
// four times the size. In both, all kernels share code.
func TestVirtualFunctionsAreFoundInLinearTime(t *testing.T) {
	cost := func(n int) uint64 {
		var b strings.Builder
		for i := range n {
			b.WriteString(calls(fmt.Sprintf("spir_kernel void @k%d()", i), "f0"))
			b.WriteString(calls(fmt.Sprintf("spir_func void @f%d()", i), fmt.Sprintf("f%d", i+1), fmt.Sprintf("f%d", i/2)))
			b.WriteString(virtualFunction(fmt.Sprintf("v%d", i), fmt.Sprintf("set%d", i%3), "f0"))
			b.WriteString(table(fmt.Sprintf("t%d", i), fmt.Sprintf("v%d", i)))
			b.WriteString(calls(fmt.Sprintf("spir_kernel void @bad%d()", i), "g"))
		}
		b.WriteString(calls(fmt.Sprintf("spir_func void @f%d()", n), "@t0") + calls("spir_func void @g()", "virtual"))
		m := parse(t, b.String())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		list := findVirtualFunctions(m)
		runtime.ReadMemStats(&after)
		if len(list) != n {
			t.Fatalf("%d diagnostics", len(list))
		}
		if sets, _ := m.Function(fmt.Sprintf("k%d", n-1)).Attribute(devicecode.AttrCallsIndirectly); sets != "set0" {
			t.Fatalf("the last kernel calls %q", sets)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	const n = 2000
	one, four := cost(n), cost(4*n)
	if float64(four) > 5*float64(one) {
		t.Errorf("%d kernels take %d bytes, %d take %d", 2*n, one, 8*n, four)
	}
}
