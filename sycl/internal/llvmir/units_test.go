package llvmir

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestUnitLists checks a subset with one function of a module whose compile unit has lists.
func TestUnitLists(t *testing.T) {
	const rest = `!llvm.dbg.cu = !{!1}
!2 = !DIFile(filename: "(a).cpp", directory: "/src")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, unit: !1, type: !4)
!4 = !DISubroutineType(types: !5)
!5 = !{!20}
!20 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "used")
!21 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "unused")
!30 = !DIGlobalVariableExpression(var: !31, expr: !DIExpression())
!31 = distinct !DIGlobalVariable(name: "mine", scope: !1)
!32 = !DIGlobalVariableExpression(var: !33, expr: !DIExpression())
!33 = distinct !DIGlobalVariable(name: "other", scope: !1, declaration: !21)
!40 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !1, entity: !41)
!41 = distinct !DISubprogram(name: "elsewhere", unit: !1)
!50 = !{}
`
	for name, test := range map[string]struct {
		unit, lists string
		want        string   // the compile unit in the output
		has, not    []string // in the output
	}{
		"members with other references are kept": {
			`file: !2, enums: !60, globals: !61, splitDebugInlining: false`, "!60 = !{!20, !21}\n!61 = !{!32, !30}\n",
			`file: !2, enums: !{!20}, globals: !{!30}, splitDebugInlining: false`,
			[]string{`"used"`, `"mine"`}, []string{"!60 =", "!61 =", `"unused"`, `"other"`},
		},
		"a list with all of its members is unchanged": {
			`file: !2,  enums: !60`, "!60 = !{!20}\n",
			`file: !2,  enums: !60`, []string{"!60 = !{!20}\n"}, nil,
		},
		"an empty list is unchanged": {
			`file: !2, enums: !50, retainedTypes: !50`, "",
			`file: !2, enums: !50, retainedTypes: !50`, []string{"!50 = !{}\n"}, nil,
		},
		"a list without members is removed": {
			`file: !2, imports: !60, producer: "imports: (, )"`, "!60 = !{!40}\n",
			`file: !2, producer: "imports: (, )"`, nil, []string{"!40 =", "!41 =", "!60 ="},
		},
		"an inline list": {
			`enums: !{!20, !21}, file: !2`, "",
			`enums: !{!20}, file: !2`, nil, []string{`"unused"`},
		},
		"an inline member": {
			`file: !2, enums: !{!20, !DICompositeType(tag: DW_TAG_enumeration_type, name: "here")}`, "",
			`file: !2, enums: !{!20}`, nil, []string{`"here"`},
		},
		"a list with other references": {
			`file: !2, enums: !5`, "",
			`file: !2, enums: !5`, []string{"!5 = !{!20}"}, nil,
		},
		"members of several lists": {
			`file: !2, enums: !60, retainedTypes: !61`, "!60 = !{!20, null, !21}\n!61 = !{!21, !20}\n",
			`file: !2, enums: !{!20}, retainedTypes: !{!20}`, nil, []string{"!60 =", "!61 ="},
		},
		"no lists": {
			`file: !2, macros: !60`, "!60 = !{!DIMacro(type: DW_MACINFO_define, name: \"X\")}\n",
			`file: !2, macros: !60`, []string{"!60 ="}, nil,
		},
		"a null list, or none": {
			`file: !2, enums: null, globals: !99`, "",
			`file: !2, enums: null, globals: !99`, nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "@mine = internal global i32 0, !dbg !30\n@other = internal global i32 0, !dbg !32\n"+
				"define void @f() !dbg !3 {\n  %x = load i32, ptr @mine\n  ret void\n}\n"+rest+
				"!1 = distinct !DICompileUnit("+test.unit+")\n"+test.lists)
			var b strings.Builder
			testkit.NoError(t, m.WriteSubset(&b, Subset{Define: m.Closure(m.Function("f"))}))
			got := b.String()
			for _, s := range append(test.has, "!1 = distinct !DICompileUnit("+test.want+")\n") {
				if !strings.Contains(got, s) {
					t.Errorf("missing %q in\n%s", s, got)
				}
			}
			for _, s := range test.not {
				if strings.Contains(got, s) {
					t.Errorf("unexpected %q in\n%s", s, got)
				}
			}
			// A subset of the output has the same contents.
			again := parse(t, got)
			b.Reset()
			if err := again.WriteSubset(&b, Subset{Define: again.Closure(again.Function("f"))}); err != nil || b.String() != got {
				t.Errorf("subset of the output (%v):\n%s\nof\n%s", err, b.String(), got)
			}
		})
	}
}

// TestUnitListMemory checks the memory for subsets of a module with a single compile unit.
func TestUnitListMemory(t *testing.T) {
	cost := func(n int) (bytes uint64, written int) {
		var b strings.Builder
		var list []string
		for i := range n {
			fmt.Fprintf(&b, "@g%d = internal global i32 0, !dbg !%d\n", i, 10+i)
			fmt.Fprintf(&b, "define void @f%d() {\n  %%x = load i32, ptr @g%d\n  ret void\n}\n", i, i)
			list = append(list, fmt.Sprint("!", 10+i))
		}
		b.WriteString("!llvm.dbg.cu = !{!0}\n!0 = distinct !DICompileUnit(globals: !1)\n!1 = !{" + strings.Join(list, ", ") + "}\n")
		for i := range n {
			fmt.Fprintf(&b, "!%d = !DIGlobalVariableExpression(var: !DIGlobalVariable(name: \"g\", scope: !0))\n", 10+i)
		}
		m := parseString(t, b.String())
		write := func(w io.Writer, i int) {
			testkit.NoError(t, m.WriteSubset(w, Subset{Define: m.Closure(m.Function(fmt.Sprint("f", i)))}))
		}
		var out strings.Builder
		write(&out, 0)
		bytes, _ = memory(func() {
			for i := range 100 {
				write(io.Discard, n/2+i)
			}
		})
		return bytes, out.Len()
	}
	small, short := cost(1000)
	large, long := cost(16000)
	if large > 2*small || long > short+100 {
		t.Errorf("equal subsets: %d bytes for a small module, %d for a large one; sizes %d and %d", small, large, short, long)
	}
}

// TestSubsetDebugInfo splits the output of clang -g. Each kernel's module must be valid, must be
// translatable, and must not contain debug information of other kernels.
func TestSubsetDebugInfo(t *testing.T) {
	clang, opt, as, translator := testkit.Program(t, "clang++"), testkit.Program(t, "opt"), testkit.Program(t, "llvm-as"), testkit.Program(t, "llvm-spirv")
	own := map[string][]string{
		"_ZTS5First":  {`"table_of_first"`},
		"_ZTS6Second": {`"table_of_second"`, `"counter"`},
		"_ZTS5Third":  nil,
	}
	for _, level := range []string{"-O0", "-O2"} {
		cmd := exec.Command(clang, "-g", level, "-std=c++20", "-fsycl", "-fsycl-device-only", "-S", "-emit-llvm", "-o", "-", filepath.Join("testdata", "debug.cpp"))
		cmd.Stderr = new(strings.Builder)
		data, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, cmd.Stderr)
		}
		m, err := Parse("debug.cpp", string(data))
		testkit.NoError(t, err)
		for kernel := range own {
			t.Run(level+" "+kernel, func(t *testing.T) {
				s := Subset{Define: m.Closure(m.Function(kernel))}
				var b, untrimmed bytes.Buffer
				testkit.NoError(t, m.WriteSubset(&b, s))
				// With unchanged lists.
				lists := m.subsetLists()
				compileUnits := lists.compileUnits
				lists.compileUnits = nil
				err := m.WriteSubset(&untrimmed, s)
				lists.compileUnits = compileUnits
				testkit.NoError(t, err)
				if b.Len() > untrimmed.Len()*9/10 {
					t.Errorf("%d bytes, but %d with the lists of the compile unit", b.Len(), untrimmed.Len())
				}
				t.Logf("%d bytes, %d with the lists of the compile unit", b.Len(), untrimmed.Len())
				for _, name := range []string{`"host_table"`, `"folded"`, `"Unused"`} {
					if strings.Contains(b.String(), name) {
						t.Errorf("unexpected %s in\n%s", name, b.String())
					}
				}
				for other, names := range own {
					for _, name := range names {
						if has := strings.Contains(b.String(), "name: "+name); has != (other == kernel) {
							t.Errorf("%s present: %t", name, has)
						}
					}
				}
				dir := t.TempDir()
				file := func(ext string) string { return filepath.Join(dir, "k."+ext) }
				testkit.NoError(t, os.WriteFile(file("ll"), b.Bytes(), 0o666))
				for _, args := range [][]string{
					{as, file("ll"), "-o", file("bc")},
					{opt, "-passes=verify", "-disable-output", file("bc")},
					{translator, "--spirv-max-version=1.4", file("bc"), "-o", file("spv")},
					{translator, "--spirv-debug-info-version=ocl-100", "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", file("bc"), "-o", file("debug.spv")},
				} {
					// LLVM only warns about unusable debug information.
					if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil || len(out) > 0 {
						t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
					}
				}
			})
		}
	}
}
