package postlink

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// everything runs the whole post-link step on a module, except for file access, and returns the
// text of the images.
func everything(t testing.TB, m *llvmir.Module, o Options) ([]string, error) {
	t.Helper()
	result, err := run(m, o)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, image := range result.Images {
		r, err := image.Properties(allProperties)
		if err != nil {
			return nil, err
		}
		checkProperties(t, r)
		if _, err := image.Symbols(); err != nil {
			return nil, err
		}
		var b bytes.Buffer
		testkit.NoError(t, image.WriteCode(&b))
		texts = append(texts, b.String())
	}
	return texts, nil
}

func FuzzRun(f *testing.F) {
	const kernel = "define spir_kernel void @k() #0 !sycl_used_aspects !0 {\n  ret void\n}\nattributes #0 = { \"sycl-module-id\"=\"a\" }\n"
	for i, text := range []string{
		kernel + "!sycl_aspects = !{!1}\n!0 = !{!1}\n!1 = !{!\"fp64\", i32 6}\n",
		"define spir_kernel void @k(ptr byval(%t) %p) \"sycl-module-id\"=\"a\" !reqd_work_group_size !0 {\n  %x = load double, ptr %p\n  call void @f(double %x)\n  ret void\n}\ndefine spir_func void @f(double %x) \"sycl-module-id\"=\"b\" {\n  ret void\n}\n%t = type { double }\n!0 = !{i32 8, i32 1}\n",
		"@g = addrspace(1) global i32 0 \"sycl-device-global-size\"=\"4\" \"sycl-unique-id\"=\"u\"\n@llvm.used = appending global [1 x ptr addrspace(1)] [ptr addrspace(1) @g]\ndefine spir_kernel void @k() \"sycl-module-id\"=\"a\" {\n  store i32 1, ptr addrspace(1) @g\n  ret void\n}\n",
		kernel + "!sycl_registered_kernels = !{!2}\n!2 = !{!3}\n!3 = !{!\"n\", !\"k\"}\n!0 = !{}\n",
		"define spir_kernel void @k() \"calls-indirectly\"=\"s\" \"sycl-module-id\"=\"a\" !sycl_fixed_targets !0 !intel_reqd_sub_group_size !1 {\n  call void %p(i32 1)\n  ret void\n}\ndefine void @v(i32 %x) \"indirectly-callable\"=\"s\" \"referenced-indirectly\" {\n  ret void\n}\n!0 = !{!\"t\"}\n!1 = !{i32 16}\n",
		"@t = addrspace(1) constant [1 x ptr] [ptr @a]\n@a = alias void (), ptr @v\ndefine spir_kernel void @k() \"sycl-module-id\"=\"a\" {\n  %x = load ptr, ptr addrspace(1) @t\n  ret void\n}\ndefine spir_kernel void @l() \"sycl-module-id\"=\"a\" {\n  call void @f()\n  ret void\n}\ndefine void @f() {\n  call void %p() \"virtual-call\"\n  ret void\n}\ndefine void @v() \"indirectly-callable\"=\"s\" \"calls-indirectly\"=\"s,u\" {\n  ret void\n}\n",
		"!llvm.dbg.cu = !{!0}\n!0 = distinct !DICompileUnit(file: !1, globals: !2)\n!1 = !DIFile(filename: \"a\", directory: \"b\")\n!2 = !{!1}\ndefine spir_kernel void @k() \"sycl-module-id\"=\"a\" \"sycl-device-has\"=\"5\" !dbg !4 {\n  %x = fadd double 0.0, 1.0, !dbg !5\n}\n!4 = !DISubprogram(unit: !0, file: !1, line: 3)\n!5 = !DILocation(line: 1, scope: !4, inlinedAt: !5)\n",
		kernel + "!0 = !{i32 -1}\n@llvm.global.annotations = appending global [1 x { ptr, ptr }] [{ ptr, ptr } { ptr @k, ptr @s }]\n@s = constant [16 x i8] c\"sycl-device-has\\00\"\n",
		started + "define void @init() {\n  %a = alloca ptr addrspace(1)\n  store ptr addrspace(1) @x, ptr %a\n  %b = load ptr addrspace(1), ptr %a\n  %c = call ptr addrspace(1) @at(ptr addrspace(1) %b)\n  store float 1.0, ptr addrspace(1) %c\n  ret void\n}\ndefine ptr addrspace(1) @at(ptr addrspace(1) %0) {\n  ret ptr addrspace(1) %0\n}\n",
		"@n = constant [2 x i8] c\"n\\00\"\n@d = constant { { i32, [2 x i8] } } { { i32, [2 x i8] } { i32 5, [2 x i8] c\"ab\" } }\ndefine spir_kernel void @k(ptr %p) \"sycl-module-id\"=\"a\" {\n  call void @_Z40__sycl_getComposite2020SpecConstantValueI1AET_PKcPKvS5_(ptr sret({ i32, i16 }) %p, ptr @n, ptr @d, ptr %p)\n  ret void\n}\ndeclare void @_Z40__sycl_getComposite2020SpecConstantValueI1AET_PKcPKvS5_(ptr, ptr, ptr, ptr)\n",
		kernel + "!0 = !{}\n!sycl.specialization-constants = !{!2}\n!sycl.specialization-constants-default-values = !{!3}\n!2 = !{!\"a\", i32 0, i32 0, i32 4}\n!3 = !{i32 5}\n",
	} {
		f.Add(text, uint8(i*37))
	}
	f.Fuzz(func(t *testing.T, text string, choice uint8) {
		if len(text) > 2048 {
			t.SkipNow()
		}
		m, err := llvmir.Parse("fuzz.ll", text)
		if err != nil {
			t.SkipNow()
		}
		var o Options
		o.Split = SplitOptions{Mode: SplitModes[choice%4], KernelsOnly: choice&4 != 0, ESIMD: choice&8 != 0, Dependencies: choice&16 != 0}
		o.EmulateFP64Conversions = choice&32 != 0
		if choice&64 != 0 {
			o.ExcludeAspects, o.FixedTargets = []string{"fp64"}, []string{"intel_gpu_pvc"}
		}
		o.SYCLBINKernelNames = len(text)%2 == 1
		o.DefaultValueImages = len(text)%3 == 1
		if len(text)%5 == 1 {
			o.SpecConstants = SpecConstantsEmulation
		}
		if choice&128 != 0 {
			if err := markSource(m, "a.cpp", false); err != nil {
				return
			}
		}
		texts, err := everything(t, m, o)
		if err != nil {
			return
		}
		for _, text := range texts {
			if _, err := llvmir.Parse("image.ll", text); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	})
}

// TestCycles checks that the whole step terminates on cyclic inputs, with images or an input error.
func TestCycles(t *testing.T) {
	const kernel = "define spir_kernel void @k() \"sycl-module-id\"=\"a\" %s {\n  ret void\n}\n"
	for name, test := range map[string]struct{ ir, fail string }{
		"aspects":                  {fmt.Sprintf(kernel, "!sycl_used_aspects !0") + "!0 = distinct !{!0}\n", "!0 is not a list of aspects"},
		"aspects of two nodes":     {fmt.Sprintf(kernel, "!sycl_declared_aspects !0") + "!0 = !{!1}\n!1 = !{!0}\n", "!0 is not a list of aspects"},
		"the enumeration":          {"!sycl_aspects = !{!0}\n!0 = !{!0, i32 6}\n" + fmt.Sprintf(kernel, ""), "!0 is not a name and an i32"},
		"conditions":               {fmt.Sprintf(kernel, "!sycl_conditionally_used_aspects !0") + "!0 = !{!1}\n!1 = !{!0, !1}\n", "is not a list of"},
		"fixed targets":            {fmt.Sprintf(kernel, "!sycl_fixed_targets !0") + "!0 = !{!0}\n", "!0 is not a list of targets"},
		"sizes":                    {fmt.Sprintf(kernel, "!reqd_work_group_size !0") + "!0 = !{!0}\n", "invalid node !0; expected 1 to 3 sizes"},
		"matrices":                 {fmt.Sprintf(kernel, "!sycl_joint_matrix !0") + "!0 = !{!0}\n", "!0 is not a list of texts"},
		"registered kernels":       {"!sycl_registered_kernels = !{!0}\n!0 = !{!0}\n" + fmt.Sprintf(kernel, ""), ""},
		"execution modes":          {"!spirv.ExecutionMode = !{!0}\n!0 = !{ptr @k, !0, !1}\n!1 = !{!0}\n" + fmt.Sprintf(kernel, ""), ""},
		"a compile unit":           {"!llvm.dbg.cu = !{!0}\n!0 = distinct !DICompileUnit(enums: !1, globals: !1, file: !0)\n!1 = !{!0, !1, !2}\n!2 = distinct !DISubprogram(unit: !0, scope: !2, file: !2)\n" + fmt.Sprintf(kernel, "!dbg !2"), ""},
		"places in the source":     {"define spir_kernel void @k() \"sycl-module-id\"=\"a\" \"sycl-device-has\"=\"\" !dbg !2 {\n  %x = fadd double 0.0, 1.0, !dbg !1\n}\n!1 = !DILocation(line: 1, scope: !2, inlinedAt: !1)\n!2 = distinct !DISubprogram(scope: !3, name: \"k\")\n!3 = !DILexicalBlock(scope: !3)\n", ""},
		"types":                    {"%a = type { %b, double }\n%b = type { [2 x %a] }\ndefine spir_kernel void @k(%a %x) \"sycl-module-id\"=\"a\" {\n  ret void\n}\n", ""},
		"calls":                    {fmt.Sprintf(kernel, "") + "define void @f() {\n  call void @g()\n  ret void\n}\ndefine void @g() {\n  call void @f()\n  ret void\n}\n", ""},
		"aliases":                  {"@a = alias void (), ptr @b\n@b = alias void (), ptr @a\ndefine spir_kernel void @k() \"sycl-module-id\"=\"a\" {\n  call void @a()\n  ret void\n}\n", ""},
		"variables":                {"@a = addrspace(1) constant ptr addrspace(1) @b\n@b = addrspace(1) constant ptr addrspace(1) @a\ndefine spir_kernel void @k() \"sycl-module-id\"=\"a\" {\n  %x = load ptr, ptr addrspace(1) @a\n  ret void\n}\n", ""},
		"specialization constants": {"!sycl.specialization-constants = !{!0}\n!0 = !{!\"id\", i32 0, !0}\n" + fmt.Sprintf(kernel, ""), "a node that is not a name and three numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			texts, err := everything(t, parse(t, test.ir), Options{Split: SplitOptions{Mode: SplitPerKernel}})
			if testkit.BlamesInput(t, err, test.fail) {
				return
			}
			if len(texts) != 1 {
				t.Fatalf("%d images", len(texts))
			}
			parse(t, texts[0])
		})
	}
}

// TestWorkGrowsWithTheModule compares modules with 25,000 and 100,000 functions. Every tenth
// function is a kernel. The allocations for all images must be proportional to the number of
// functions.
func TestWorkGrowsWithTheModule(t *testing.T) {
	module := func(functions int) string {
		var b strings.Builder
		b.WriteString("target triple = \"spir64-unknown-unknown\"\n!sycl_aspects = !{!0}\n!0 = !{!\"fp64\", i32 6}\n!1 = !{!0}\n")
		b.WriteString("!llvm.dbg.cu = !{!2}\n!2 = distinct !DICompileUnit(file: !3, imports: !4)\n!3 = !DIFile(filename: \"a.cpp\", directory: \"\")\n!sycl_registered_kernels = !{!5}\n")
		var imports, registered []string
		for i := range functions {
			head, rest := "define internal spir_func void @f%d()", ""
			if i%10 == 0 {
				head, rest = "define spir_kernel void @k%d()", fmt.Sprintf(" \"sycl-module-id\"=\"s%d\"", i/100)
				registered = append(registered, fmt.Sprintf("!{!\"r%d\", !\"k%d\"}", i, i))
			}
			fmt.Fprintf(&b, head+"%s !dbg !%d {\n", i, rest, 10+i)
			if i%10 < 9 {
				fmt.Fprintf(&b, "  call spir_func void @f%d()\n", i+1)
			} else {
				b.WriteString("  %x = fadd double 1.0, 2.0\n")
			}
			b.WriteString("  ret void\n}\n")
			imports = append(imports, fmt.Sprintf("!%d", 10+i))
		}
		for i := range functions {
			fmt.Fprintf(&b, "!%d = distinct !DISubprogram(name: \"f%d\", file: !3, unit: !2)\n", 10+i, i)
		}
		fmt.Fprintf(&b, "!4 = !{%s}\n!5 = !{%s}\n", strings.Join(imports, ", "), strings.Join(registered, ", "))
		return b.String()
	}
	cost := func(functions int) (bytes, count uint64) {
		text := module(functions)
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m := testkit.Must(llvmir.Parse("a.ll", text))(t)
		o := Options{Split: SplitOptions{Mode: SplitPerKernel}}
		result := testkit.Must(run(m, o))(t)
		for _, image := range result.Images {
			testkit.Must(image.Properties(allProperties))(t)
			testkit.NoError(t, image.WriteCode(io.Discard))
		}
		runtime.ReadMemStats(&after)
		if len(result.Images) != functions/10 {
			t.Fatalf("%d images", len(result.Images))
		}
		return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
	}
	b1, n1 := cost(25_000)
	b4, n4 := cost(100_000)
	t.Logf("25,000 functions take %d MiB and %d allocations, 100,000 %d MiB and %d", b1>>20, n1, b4>>20, n4)
	if b4 > 5*b1 || n4 > 5*n1 {
		t.Errorf("four times the functions: %d instead of %d bytes, %d instead of %d allocations", b4, b1, n4, n1)
	}
}
