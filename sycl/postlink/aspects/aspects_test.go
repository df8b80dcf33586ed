package aspects

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// smallDevices is the device configuration of cases with the option "devices".
const smallDevices = `
small:
  aspects: [gpu, fp16]
  sub-group-sizes: [16, 32]
  max-work-group-size: 128
  max-work-item-sizes: [128, 128, 64]
open:
  aspects: [gpu]
  sub-group-sizes: []
  may-support-other-aspects: true
`

// An aspectCase is a file in testdata/aspects. Its first line describes it. Other comments are
//
//	; options: exclude=A,B quiet emulate targets=T,U devices
//	; want FUNCTION: the aspects of its !sycl_used_aspects, in order
//	; if FUNCTION: CONDITION -> the aspects that it uses under a condition
//	; targets FUNCTION: its !sycl_fixed_targets; checked only if present
//	; says: a line of a diagnostic
type aspectCase struct {
	name, text    string
	options       Options
	used, targets map[string]string
	conditional   []string
	says          []string
}

func readAspectCase(t testing.TB, file string) *aspectCase {
	t.Helper()
	text, err := os.ReadFile(file)
	testkit.NoError(t, err)
	c := &aspectCase{text: string(text), used: map[string]string{}, targets: map[string]string{}}
	for line := range strings.Lines(c.text) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "; ")
		if !ok {
			break
		}
		key, value, ok := strings.Cut(line, ":")
		if c.name == "" {
			c.name = line
			continue
		}
		value = strings.TrimPrefix(value, " ")
		verb, function, _ := strings.Cut(key, " ")
		switch {
		case !ok:
			t.Fatalf("%s: %s", file, line)
		case verb == "options":
			for option := range strings.FieldsSeq(value) {
				name, list, _ := strings.Cut(option, "=")
				switch name {
				case "exclude":
					c.options.Exclude = strings.Split(list, ",")
				case "quiet":
					c.options.NoMismatch = true
				case "emulate":
					c.options.EmulateFP64Conversions = true
				case "targets":
					c.options.FixedTargets = strings.Split(list, ",")
				case "devices":
					if c.options.Devices, err = deviceconfig.Read("small.yaml", strings.NewReader(smallDevices)); err != nil {
						t.Fatal(err)
					}
				default:
					t.Fatalf("%s: %s", file, line)
				}
			}
		case verb == "want":
			c.used[function] = value
		case verb == "if":
			c.conditional = append(c.conditional, function+": "+value)
		case verb == "targets":
			c.targets[function] = value
		case verb == "says":
			c.says = append(c.says, value)
		default:
			t.Fatalf("%s: %s", file, line)
		}
	}
	return c
}

func aspectFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/aspects/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/aspects: %v", err)
	}
	return files
}

func TestPropagate(t *testing.T) {
	for _, file := range aspectFiles(t) {
		c := readAspectCase(t, file)
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, c.text)
			if err := Renumber(m); err != nil { // the files have the numbers from before 2026
				t.Fatal(err)
			}
			result := testkit.Must(Propagate(m, c.options))(t)
			if derived := m.NamedMetadata("sycl_aspects") == nil; result.Derived != derived {
				t.Errorf("derived: %v", result.Derived)
			}
			var says []string
			for _, d := range result.Diagnostics {
				says = append(says, strings.Split(d.String(), "\n")...)
			}
			if !slices.Equal(says, c.says) {
				t.Errorf("diagnostics:\n%s\nwant:\n%s", strings.Join(says, "\n"), strings.Join(c.says, "\n"))
			}
			// Other readers must be able to read the output.
			written := parse(t, testkit.Text(t, m))
			if got := metadataOf(t, written, "sycl_used_aspects"); !maps.Equal(got, c.used) {
				t.Errorf("used aspects:\n%s\nwant:\n%s", lines(got), lines(c.used))
			}
			if got := conditionalOf(t, written); !slices.Equal(got, slices.Sorted(slices.Values(c.conditional))) {
				t.Errorf("conditional aspects:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.conditional, "\n"))
			}
			if got := metadataOf(t, written, "sycl_fixed_targets"); len(c.targets) > 0 && !maps.Equal(got, c.targets) {
				t.Errorf("fixed targets:\n%s\nwant:\n%s", lines(got), lines(c.targets))
			}
			// The module now contains the results of the first run, as DPC++ modules do.
			again, err := Propagate(written, Options{NoMismatch: true, Exclude: []string{"fp64"}})
			if err != nil || again.Derived != (result.Derived && !IsPropagated(m)) {
				t.Fatalf("a second run: %v", err)
			}
			if got := metadataOf(t, written, "sycl_used_aspects"); !c.options.EmulateFP64Conversions && len(c.options.Exclude) == 0 && !maps.Equal(got, c.used) {
				t.Errorf("used aspects after a second run:\n%s\nwant:\n%s", lines(got), lines(c.used))
			}
		})
	}
}

// TestAspectMetadata checks the exact metadata: pairs of name and number, which are reused if they
// are in the module's enumeration, and a list that functions with the same aspects share.
func TestAspectMetadata(t *testing.T) {
	const functions = `define spir_kernel void @k() {
  call void @f()
  ret void
}
define void @f() !sycl_used_aspects !0 {
  %x = load double, ptr null
  ret void
}
`
	m := parse(t, functions+`!sycl_aspects = !{!1, !2}
!0 = !{i32 999, i32 5}
!1 = !{!"fp64", i32 66}
!2 = !{!"old_name", i32 66}
`)
	testkit.Must(Propagate(m, Options{FixedTargets: []string{"intel_gpu_pvc", `a"b`}}))(t)
	want := `define spir_kernel void @k() !sycl_used_aspects !4 !sycl_fixed_targets !5 {
  call void @f()
  ret void
}
define void @f() !sycl_used_aspects !4 {
  %x = load double, ptr null
  ret void
}
!sycl_aspects = !{!1, !2}
!0 = !{i32 999, i32 5}
!1 = !{!"fp64", i32 66}
!2 = !{!"old_name", i32 66}
!3 = !{!"fp16", i32 5}
!4 = !{!3, !1, i32 999}
!5 = !{!"intel_gpu_pvc", !"a\22b"}
`
	if got := testkit.Text(t, m); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMalformedAspects(t *testing.T) {
	const kernel = "define spir_kernel void @k() %s {\n  ret void\n}\n"
	var many strings.Builder
	many.WriteString("i32 1000")
	for i := range 300 {
		fmt.Fprintf(&many, ", i32 %d", i)
	}
	for name, test := range map[string]struct{ ir, want string }{
		"a string in the list of a function":  {fmt.Sprintf(kernel, "!sycl_used_aspects !0") + `!0 = !{!"x"}`, "function k: !sycl_used_aspects: !0 is not a list of aspects"},
		"a number that does not fit":          {fmt.Sprintf(kernel, "!sycl_declared_aspects !0") + "!0 = !{i64 4294967296}", "function k: !sycl_declared_aspects: !0 is not a list of aspects"},
		"a list that is not there":            {fmt.Sprintf(kernel, "!sycl_used_aspects !7"), "!7 is not a list of aspects"},
		"an instruction's list":               {"define void @f() {\n  ret void, !sycl_used_aspects !0\n}\n!0 = !{!0}", "function f: !sycl_used_aspects: !0 is not a list of aspects"},
		"an attribute":                        {fmt.Sprintf(kernel, `"sycl-device-has"="5,fp64"`), `function k: attribute "sycl-device-has": invalid aspect number "fp64"`},
		"a target that is no string":          {fmt.Sprintf(kernel, "!sycl_fixed_targets !0") + "!0 = !{!0}", "!sycl_fixed_targets: !0 is not a list of targets"},
		"the enumeration":                     {"!sycl_aspects = !{!0}\n!0 = !{i32 6}", "!sycl_aspects: !0 is not a name and an i32"},
		"types without a name":                {"!sycl_aspects = !{}\n!sycl_types_that_use_aspects = !{!0}\n!0 = !{}", "!0 is not the name of a type and aspects"},
		"types with a bad aspect":             {"!sycl_aspects = !{}\n!sycl_types_that_use_aspects = !{!0}\n!0 = !{!\"t\", double 1.0}", "!0 is not the name of a type and aspects"},
		"conditions":                          {fmt.Sprintf(kernel, "!sycl_conditionally_used_aspects !0") + "!0 = !{!0}", "!0 is not a list of pairs of a condition and aspects"},
		"more aspects than anybody could use": {fmt.Sprintf(kernel, "!sycl_used_aspects !0") + "!0 = !{" + many.String() + "}", "the module uses too many different aspects (limit 256)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Propagate(parse(t, test.ir+"\n"), Options{})
			testkit.BlamesInput(t, err, test.want)
		})
	}
	if _, err := Propagate(parse(t, ""), Options{Exclude: []string{"fp46"}}); err == nil || !strings.Contains(err.Error(), "did you mean fp") {
		t.Errorf("an invalid excluded aspect: %v", err)
	}
}

// callTree returns n functions in cycles of ten. Each function calls two others.
func callTree(n int) string {
	var b strings.Builder
	b.WriteString("define spir_kernel void @k() {\n  call void @f0()\n  ret void\n}\n")
	for i := range n {
		fmt.Fprintf(&b, "define void @f%d() {\n  call void @f%d()\n  call void @f%d()\n  ret void\n}\n", i, min(i+1, n-1), i/10*10)
	}
	fmt.Fprintf(&b, "define void @leaf() {\n  %%x = load double, ptr null\n  ret void\n}\n")
	return strings.Replace(b.String(), fmt.Sprintf("@f%d() {\n", n-1), fmt.Sprintf("@f%d() {\n  call void @leaf()\n", n-1), 1)
}

// TestAspectsAreFoundInLinearTime counts steps instead of time, so its result does not depend on
// the system.
func TestAspectsAreFoundInLinearTime(t *testing.T) {
	steps := func(n int) int {
		m := parse(t, callTree(n))
		p := &propagation{module: m}
		testkit.NoError(t, p.run())
		if got := names(must(devicecode.AspectNumbers(m, must(m.Function("k").Metadata("sycl_used_aspects"))))); got != "fp64" {
			t.Fatalf("the kernel uses %q", got)
		}
		k, bit := p.index["k"], p.bit[int32(aspect.FP64)]
		if end := p.nodes[p.reason(k, bit).end[k]].symbol; end != "leaf" {
			t.Fatalf("fp64 is from %q", end)
		}
		return p.steps
	}
	const n = 10_000
	one, four := steps(n), steps(4*n)
	if one < n || float64(four) > 4.1*float64(one) {
		t.Errorf("%d functions take %d steps, %d take %d", n, one, 4*n, four)
	}
}

func TestLongChains(t *testing.T) {
	const n = 2000
	var b strings.Builder
	b.WriteString("!sycl_aspects = !{}\n!0 = !{}\ndefine void @f0() \"sycl-module-id\"=\"a\" !sycl_declared_aspects !0 {\n  call void @f1()\n  ret void\n}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "define void @f%d() {\n  call void @f%d()\n  ret void\n}\n", i, i+1)
	}
	fmt.Fprintf(&b, "define void @f%d() {\n  %%x = load double, ptr null\n  ret void\n}\n", n)
	result, err := Propagate(parse(t, b.String()), Options{})
	if err != nil || len(result.Diagnostics) != 1 {
		t.Fatalf("%v, %v", result, err)
	}
	notes := result.Diagnostics[0].Notes
	if len(notes) > devicecode.MaxChain+5 || !slices.Contains(notes, "  ...") || !slices.Contains(notes, fmt.Sprintf("  f%d()", n)) {
		t.Errorf("got %d notes: %s", len(notes), strings.Join(notes, "\n"))
	}
}

// TestChainsAreShortest checks that the call chain of a diagnostic ends at the nearest use,
// regardless of its position in the module.
func TestChainsAreShortest(t *testing.T) {
	const text = `!sycl_aspects = !{}
!0 = !{}
define void @far() {
  %x = load double, ptr null
  ret void
}
define void @c() {
  call void @far()
  ret void
}
define void @b() {
  call void @c()
  ret void
}
define void @near() {
  %x = load double, ptr null
  ret void
}
define void @a() {
  call void @near()
  ret void
}
define void @entry() "sycl-module-id"="a" !sycl_declared_aspects !0 {
  call void @b()
  call void @a()
  ret void
}
`
	result, err := Propagate(parse(t, text), Options{})
	if err != nil || len(result.Diagnostics) != 1 {
		t.Fatalf("%v, %v", result, err)
	}
	notes := strings.Join(result.Diagnostics[0].Notes, "\n")
	if !strings.Contains(notes, "  a()\n  near()") || strings.Contains(notes, "far()") {
		t.Errorf("got\n%s", notes)
	}
}

func TestManyConditions(t *testing.T) {
	var b strings.Builder
	b.WriteString("!sycl_aspects = !{}\ndeclare void @if(ptr, ptr, i32) \"sycl-call-if-on-device-conditionally\"\ndefine spir_kernel void @k() {\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "  call void @if(ptr @action, ptr null, i32 %d)\n", i)
	}
	b.WriteString("  ret void\n}\ndefine void @action() {\n  %x = alloca double\n  call void @if(ptr @action, ptr null, i32 1)\n  ret void\n}\n")
	m := parse(t, b.String())
	testkit.Must(Propagate(m, Options{}))(t)
	if got := metadataOf(t, m, "sycl_used_aspects")["k"]; got != "fp64" {
		t.Errorf("too many conditions to keep apart: the kernel uses %q", got)
	}
}

func TestManyConditionsInMetadata(t *testing.T) {
	var b, list strings.Builder
	b.WriteString("define spir_kernel void @k() !sycl_conditionally_used_aspects !1 {\n  ret void\n}\n!0 = !{i32 6}\n")
	for i := range 100 {
		fmt.Fprintf(&b, "!%d = !{i32 %d}\n!%d = !{!%d, !0}\n", 2*i+2, i, 2*i+3, 2*i+2)
		fmt.Fprintf(&list, ", !%d", 2*i+3)
	}
	fmt.Fprintf(&b, "!1 = !{%s}\n", list.String()[2:])
	m := parse(t, b.String())
	testkit.Must(Propagate(m, Options{}))(t)
	if got := metadataOf(t, m, "sycl_used_aspects")["k"]; got != "fp64" {
		t.Errorf("the kernel uses %q", got)
	}
}

func must[T any](value T, ok bool) T {
	if !ok {
		panic("not there")
	}
	return value
}

func FuzzPropagate(f *testing.F) {
	for _, file := range aspectFiles(f) {
		f.Add(readAspectCase(f, file).text, uint8(0))
		f.Add(readAspectCase(f, file).text, uint8(7))
	}
	devices, err := deviceconfig.Read("small.yaml", strings.NewReader(smallDevices))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, options uint8) {
		run := func() (string, string) {
			m, err := llvmir.Parse("fuzz.ll", text)
			if err != nil {
				t.Skip()
			}
			o := Options{NoMismatch: options&1 != 0, EmulateFP64Conversions: options&2 != 0, Devices: devices}
			if options&4 != 0 {
				o.Exclude, o.FixedTargets = []string{"fp64"}, []string{"small", "open"}
			}
			result, err := Propagate(m, o)
			if err != nil {
				return "", err.Error()
			}
			var says []string
			for _, d := range result.Diagnostics {
				says = append(says, d.String())
			}
			return testkit.Text(t, m), strings.Join(says, "\n")
		}
		text1, says1 := run()
		text2, says2 := run()
		if text1 != text2 || says1 != says2 {
			t.Errorf("two runs differ:\n%s\n%s\n\n%s\n%s", text1, says1, text2, says2)
		}
	})
}

// metadataOf returns the names of the aspects in functions' metadata of a kind, by function.
func metadataOf(t *testing.T, m *llvmir.Module, kind string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range m.Functions() {
		id, ok := f.Metadata(kind)
		if !ok {
			continue
		}
		if kind == "sycl_fixed_targets" {
			targets, _, err := devicecode.FixedTargets(m, f)
			testkit.NoError(t, err)
			all[f.Name()] = strings.Join(targets, " ")
			continue
		}
		values, ok := devicecode.AspectNumbers(m, id)
		if !ok {
			t.Fatalf("%s: !%d is not a list of aspects", f.Name(), id)
		}
		all[f.Name()] = names(values)
	}
	return all
}

func names(values []int32) string {
	var words []string
	for _, v := range values {
		if a := aspect.Aspect(v); a.IsKnown() {
			words = append(words, a.String())
		} else {
			words = append(words, strconv.Itoa(int(v)))
		}
	}
	return strings.Join(words, " ")
}

func conditionalOf(t *testing.T, m *llvmir.Module) []string {
	t.Helper()
	var all []string
	for _, f := range m.Functions() {
		id, ok := f.Metadata("sycl_conditionally_used_aspects")
		if !ok {
			continue
		}
		for _, o := range m.Node(id).Operands() {
			pair, _ := o.NodeID()
			operands := m.Node(pair).Operands()
			condition, _ := operands[0].NodeID()
			list, _ := operands[1].NodeID()
			values, _ := devicecode.AspectNumbers(m, list)
			all = append(all, fmt.Sprintf("%s: %s -> %s", f.Name(), strings.Trim(fmt.Sprint(m.Node(condition).Ints()), "[]"), names(values)))
		}
	}
	slices.Sort(all)
	return all
}

func lines(m map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%s: %s\n", k, m[k])
	}
	return b.String()
}

func parse(t *testing.T, text string) *llvmir.Module {
	t.Helper()
	m := testkit.Must(llvmir.Parse("test.ll", text))(t)
	return m
}

// featureCode has code with each feature of package aspect: the header and the body of the kernel
// k, and declarations.
var featureCode = map[string][3]string{
	"half":                             {"(half %a)", "%x = fadd half %a, %a"},
	"double":                           {"()", "%x = fadd double 1.0, 2.0"},
	"image":                            {"(target(\"spirv.Image\", void, 1, 0, 0, 0, 0, 0, 0) %a)", ""},
	"sampler":                          {"(target(\"spirv.Sampler\") %a)", ""},
	"sampled image":                    {"(target(\"spirv.SampledImage\", void, 1, 0, 0, 0, 0, 0, 0) %a)", ""},
	"image for video":                  {"(target(\"spirv.VmeImageINTEL\", void, 1, 0, 0, 0, 0, 0, 0) %a)", ""},
	"cooperative matrix":               {"(target(\"spirv.CooperativeMatrixKHR\", float, 3, 8, 8, 1) %a)", ""},
	"joint matrix":                     {"(target(\"spirv.JointMatrixINTEL\", float, 8, 8, 3, 0) %a)", ""},
	"private array of a computed size": {"(i64 %n)", "%x = alloca i32, i64 %n"},
	"call of a pointer":                {"(ptr %f)", "call void %f()"},
	"address of a function":            {"(ptr %p)", "store ptr @k, ptr %p"},
	"matrix product of a sub-group":    {"()", "%x = call i32 @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELi(i32 8)", "declare i32 @_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELi(i32)"},
	"clock of the device":              {"()", "%x = call i64 @_Z20__spirv_ReadClockKHRi(i32 1)", "declare i64 @_Z20__spirv_ReadClockKHRi(i32)"},
	"clock of the work-group":          {"()", "%x = call i64 @_Z20__spirv_ReadClockKHRi(i32 2)", "declare i64 @_Z20__spirv_ReadClockKHRi(i32)"},
	"clock of the sub-group":           {"()", "%x = call i64 @_Z20__spirv_ReadClockKHRi(i32 3)", "declare i64 @_Z20__spirv_ReadClockKHRi(i32)"},
	"bindless image": {"(i64 %h)", "%x = call target(\"spirv.Image\", void, 1) @_Z33__spirv_ConvertHandleToImageINTELm(i64 %h)",
		"declare target(\"spirv.Image\", void, 1) @_Z33__spirv_ConvertHandleToImageINTELm(i64)"},
	"bindless sampler": {"(i64 %h)", "%x = call target(\"spirv.Sampler\") @_Z35__spirv_ConvertHandleToSamplerINTELm(i64 %h)",
		"declare target(\"spirv.Sampler\") @_Z35__spirv_ConvertHandleToSamplerINTELm(i64)"},
	"bindless sampled image": {"(i64 %h)", "%x = call target(\"spirv.SampledImage\", void, 1) @_Z40__spirv_ConvertHandleToSampledImageINTELm(i64 %h)",
		"declare target(\"spirv.SampledImage\", void, 1) @_Z40__spirv_ConvertHandleToSampledImageINTELm(i64)"},
	"atomic operation on 64 bits": {"(ptr %p)", "%x = load atomic i64, ptr %p seq_cst, align 8"},
	"atomic addition of halves":   {"(ptr %p, half %a)", "%x = atomicrmw fadd ptr %p, half %a seq_cst"},
	"explicit SIMD":               {"() !sycl_explicit_simd !0", "", "!0 = !{}"},
}

// TestFeatures checks that the reader supports each row of the table that it shares with the SPIR-V
// reader. Package spirv has the same test.
func TestFeatures(t *testing.T) {
	for _, f := range aspect.Features {
		code, ok := featureCode[f.Name]
		if !ok {
			t.Errorf("%s: there is no code with it", f.Name)
			continue
		}
		want := f.Aspect.String()
		if f.FloatAddition {
			want = "fp16 " + want
		}
		m := parse(t, "define spir_kernel void @k"+code[0]+" {\n  "+code[1]+"\n  ret void\n}\n"+code[2]+"\n")
		if _, err := Propagate(m, Options{}); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if got := metadataOf(t, m, "sycl_used_aspects")["k"]; got != want {
			t.Errorf("%s: aspects %s, want %s", f.Name, got, want)
		}
	}
}
