package postlink

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// A propertyCase is an image in a file in testdata/properties. The first line of a file describes
// it; the comments after it are
//
//	; options: options for the following images
//	; image: entry points, and variables as @NAME
//	; a line of the text of its properties, where "KEY: TEXT" is a string
//	; symbols: the lines of its symbol file
type propertyCase struct {
	options imageOptions
	roots   []string
	want    string
	symbols string // ignored if empty
}

func readPropertyCases(t testing.TB, text string) (name string, cases []propertyCase) {
	t.Helper()
	var options imageOptions
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "; ")
		if !ok {
			break
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "":
			name = line
		case key == "options":
			options = propertyOptions(t, value)
		case key == "image":
			cases = append(cases, propertyCase{options: options, roots: strings.Fields(value)})
		case key == "symbols":
			cases[len(cases)-1].symbols = strings.Join(strings.Fields(value), "\n") + "\n"
		case strings.HasPrefix(line, "["), strings.Contains(line, "="):
			cases[len(cases)-1].want += line + "\n"
		default:
			cases[len(cases)-1].want += key + "=" + propset.String(value).String() + "\n"
		}
	}
	if len(cases) == 0 {
		t.Fatalf("%s: no image", name)
	}
	return name, cases
}

func propertyOptions(t testing.TB, words string) imageOptions {
	t.Helper()
	var o imageOptions
	for word := range strings.FieldsSeq(words) {
		option, value, _ := strings.Cut(word, "=")
		switch option {
		case "param-info":
			o.ParamInfo = true
		case "exported":
			o.ExportedSymbols = true
		case "imported":
			o.ImportedSymbols = true
		case "kernel-names":
			o.KernelNames = true
		case "program-metadata":
			o.ProgramMetadata = true
		case "device-globals":
			o.DeviceGlobals = true
		case "dependencies":
			o.dependencies = true
		case "target":
			o.CompileTarget = value
		default:
			t.Fatalf("unknown option %s", word)
		}
	}
	return o
}

// image returns the symbols that an image with the given roots defines, and its entry points.
func image(t testing.TB, m *llvmir.Module, roots ...string) (define []llvmir.Symbol, entryPoints []*llvmir.Function) {
	t.Helper()
	var symbols []llvmir.Symbol
	for _, name := range roots {
		s := m.Symbol(strings.TrimPrefix(name, "@"))
		if s == nil {
			t.Fatalf("missing symbol %s", name)
		}
		symbols = append(symbols, s)
	}
	define = m.Closure(symbols...)
	for _, s := range define {
		if f, ok := s.(*llvmir.Function); ok && slices.Contains(symbols, s) {
			entryPoints = append(entryPoints, f)
		}
	}
	return define, entryPoints
}

func propertyFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/properties/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/properties: %v", err)
	}
	return files
}

func TestProperties(t *testing.T) {
	for _, file := range propertyFiles(t) {
		text := testkit.Must(os.ReadFile(file))(t)
		name, cases := readPropertyCases(t, string(text))
		m := mustParse(t, string(text))
		w := testkit.Must(newPropertyWriter(m))(t)
		for _, c := range cases {
			t.Run(fmt.Sprintf("%s: %s", name, strings.Join(c.roots, " ")), func(t *testing.T) {
				define, entryPoints := image(t, m, c.roots...)
				r := testkit.Must(w.properties(define, entryPoints, c.options))(t)
				if got := r.String(); got != c.want {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
				if symbols, err := symbols(entryPoints); err != nil || c.symbols != "" && symbols != c.symbols {
					t.Errorf("symbols %q, %v; want %q", symbols, err, c.symbols)
				}
				checkProperties(t, r)
				needs := testkit.Must(w.read(define, entryPoints).requirements())(t)
				needs.CompileTarget = c.options.CompileTarget
				needs.WorkGroupSizesDiffer = false // not written
				read, err := requirement.FromProperties(r)
				testkit.NoError(t, err)
				needs.RegisterOption = read.RegisterOption // the runtime passes it to the device's compiler
				if read.Key() != needs.Key() {
					t.Errorf("requirements %+v, written %+v, %v", needs, read, err)
				}
			})
		}
	}
}

// checkProperties checks that readers support all of the properties.
func checkProperties(t testing.TB, r *propset.Registry) {
	t.Helper()
	text := testkit.Must(r.MarshalText())(t)
	again, err := propset.Parse("image.prop", text)
	if err != nil || !again.Equal(r) {
		t.Fatalf("cannot parse the output: %v\n%s", err, text)
	}
	if _, err := requirement.FromProperties(again); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// TestPropertiesAreDescribed checks that readers support each key and interpret its value
// correctly.
func TestPropertiesAreDescribed(t *testing.T) {
	text := testkit.Must(os.ReadFile("testdata/properties/everything.ll"))(t)
	_, cases := readPropertyCases(t, string(text))
	m := mustParse(t, string(text))
	define, entryPoints := image(t, m, cases[0].roots...)
	r := testkit.Must(properties(m, define, entryPoints, cases[0].options))(t)
	for _, s := range r.Sets() {
		for _, p := range s.Properties() {
			if d, err := propset.Describe(s.Name, p.Key, p.Value); err != nil || !d.Known {
				t.Errorf("[%s] %s: unknown key or invalid value in sycl/propset/describe.go: %v", s.Name, p.Key, err)
			}
		}
	}
}

func mustParse(t testing.TB, text string) *llvmir.Module {
	t.Helper()
	m := testkit.Must(llvmir.Parse("test.ll", text))(t)
	return m
}

// TestPropertyEncoding compares the output with the bytes in DPC++'s tests and documents.
func TestPropertyEncoding(t *testing.T) {
	for name, test := range map[string]struct {
		attached string // to a kernel
		metadata string // node !0
		line     string
	}{
		"no aspects":               {"", "", "aspects=2|AAAAAAAAAAA"},
		"aspects out of order":     {"!sycl_used_aspects !0", "!{i32 6, i32 1}", "aspects=2|ABAAAAAAAAQAAAAAGAAAAA"},
		"the aspect 0":             {"!sycl_used_aspects !0", "!{i32 12, i32 0, i32 9}", "aspects=2|gBAAAAAAAAAAAAAAJAAAAwAAAAA"},
		"five aspects":             {"!sycl_used_aspects !0", "!{i32 12, i32 0, i32 9, i32 6, i32 1}", "aspects=2|gCAAAAAAAAAAAAAABAAAAYAAAAQCAAAAMAAAAA"},
		"declared aspects":         {"!sycl_declared_aspects !0", "!{i32 5, i32 6, i32 9}", "aspects=2|gBAAAAAAAAQBAAAAGAAAAkAAAAA"},
		"a fixed target by number": {"!sycl_fixed_targets !0", "!{i32 1}", "fixed_target=2|gAAAAAAAAAQAAAAA"},
		"a work-group size of 64":  {"!reqd_work_group_size !0", "!{i64 64}", "reqd_work_group_size_uint64_t=2|ABAAAAAAAAAQAAAAAAAAAA"},
		"a work-group size of 32":  {"!reqd_work_group_size !0", "!{i32 32}", "reqd_work_group_size_uint64_t=2|ABAAAAAAAAAIAAAAAAAAAA"},
		"a three-dimensional size": {"!reqd_work_group_size !0", "!{i64 8, i64 4, i64 2}", "reqd_work_group_size_uint64_t=2|ADAAAAAAAAACAAAAAAAAAQAAAAAAAAAACAAAAAAAAAA"},
		"a size of 1, 1, 32":       {"!reqd_work_group_size !0", "!{i64 1, i64 1, i64 32}", "reqd_work_group_size_uint64_t=2|ADAAAAAAAAQAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAA"},
		"a size of 2^32":           {"!reqd_work_group_size !0", "!{i64 4294967296, i32 1, i32 1}", "reqd_work_group_size_uint64_t=2|ADAAAAAAAAAAAAAABAAAAEAAAAAAAAAABAAAAAAAAAA"},
		"2^32 from SPIR-V":         {"!reqd_work_group_size !0", "!{i32 0, i32 1, i32 1}", "reqd_work_group_size_uint64_t=2|ADAAAAAAAAAAAAAABAAAAEAAAAAAAAAABAAAAAAAAAA"},
		"a sub-group size":         {"!intel_reqd_sub_group_size !0", "!{i32 32}", "reqd_sub_group_size=1|32"},
		"a matrix":                 {"!sycl_joint_matrix !0", `!{!"matrix_type::fp64,use::a,16,16"}`, "joint_matrix=2|wDAAAAAAAAQbhRncph3X0lHclpjOmBnN0wSdzVmO6EGLxYDLxYD"},
		"a target":                 {"", "", "compile_target=2|oBAAAAAAAAQauRXZs91ZwV3XwZ3Y"},
		"all parameters removed":   {"!sycl_kernel_omit_args !0", "!{i1 true, i1 true}", "k=2|CAAAAAAAAAwA"},
		"one parameter removed":    {"!sycl_kernel_omit_args !0", "!{i1 false, i1 true, i1 false}", "k=2|DAAAAAAAAAgA"},
		"first and third removed":  {"!sycl_kernel_omit_args !0", "!{i1 true, i1 false, i1 true}", "k=2|DAAAAAAAAAQB"},
		"2^32 for the program":     {"!reqd_work_group_size !0", "!{i64 4294967296, i32 1, i32 1}", "k@reqd_work_group_size=2|gBAAAAAAAAAAAAAABAAAAEAAAAA"},
		"sizes for the program":    {"!reqd_work_group_size !0", "!{i32 1, i32 2, i32 4}", "k@reqd_work_group_size=2|gBAAAAAAAAQAAAAACAAAAQAAAAA"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "define spir_kernel void @k() " + test.attached + " {\n  ret void\n}\n"
			if test.metadata != "" {
				text += "!0 = " + test.metadata + "\n"
			}
			m := mustParse(t, text)
			define, entryPoints := image(t, m, "k")
			r := testkit.Must(properties(m, define, entryPoints, imageOptions{PropertyOptions: PropertyOptions{ParamInfo: true, ProgramMetadata: true, CompileTarget: "intel_gpu_pvc"}}))(t)
			if got := r.String(); !slices.Contains(strings.Split(got, "\n"), test.line) {
				t.Errorf("got\n%s\nwant the line\n%s", got, test.line)
			}
		})
	}
}

var allProperties = PropertyOptions{
	ParamInfo: true, ExportedSymbols: true, ImportedSymbols: true, KernelNames: true,
	ProgramMetadata: true, DeviceGlobals: true,
}

// properties returns the properties of one image of a module.
func properties(m *llvmir.Module, define []llvmir.Symbol, entryPoints []*llvmir.Function, o imageOptions) (*propset.Registry, error) {
	w, err := newPropertyWriter(m)
	if err != nil {
		return nil, err
	}
	return w.properties(define, entryPoints, o)
}

func TestMalformedModuleProperties(t *testing.T) {
	for name, test := range map[string]struct {
		rest     string // rest of the kernel's header
		metadata string
		fail     string
	}{
		"an aspect that is text":              {"!sycl_used_aspects !0", `!0 = !{!"fp64"}`, "function k: !sycl_used_aspects: !0 is not a list of aspects"},
		"an aspect of 64 bits":                {"!sycl_declared_aspects !0", `!0 = !{i64 4294967296}`, "!sycl_declared_aspects: !0 is not a list of aspects"},
		"metadata in place":                   {"!sycl_used_aspects !{i32 1}", "", "there is no node !{i32 1}"},
		"missing metadata":                    {"!sycl_used_aspects !7", "", "there is no node !7"},
		"null targets":                        {"!sycl_fixed_targets !0", `!0 = !{null}`, "!0 is not a list of targets"},
		"a target with a comma":               {"!sycl_fixed_targets !0", `!0 = !{!"a,b"}`, "!0 is not a list of targets"},
		"a target without a name":             {"!sycl_fixed_targets !0", `!0 = !{!""}`, "!0 is not a list of targets"},
		"a target with a large number":        {"!sycl_fixed_targets !0", `!0 = !{i32 1633771873}`, "!0 is not a list of targets"},
		"no work-group size":                  {"!reqd_work_group_size !0", `!0 = !{}`, "!reqd_work_group_size: invalid node !0; expected 1 to 3 sizes"},
		"four work-group sizes":               {"!reqd_work_group_size !0", `!0 = !{i32 1, i32 1, i32 1, i32 1}`, "invalid node !0; expected 1 to 3 sizes"},
		"a negative work-group size":          {"!max_work_group_size !0", `!0 = !{i32 -1}`, "!max_work_group_size: invalid node !0; expected 1 to 3 sizes"},
		"a work-group size that is a float":   {"!reqd_work_group_size !0", `!0 = !{float 1.0}`, "invalid node !0; expected 1 to 3 sizes"},
		"four dimensions":                     {"!work_group_num_dim !0", `!0 = !{i32 4}`, "4 is not a number of dimensions from 1 to 3"},
		"two dimensionalities":                {"!work_group_num_dim !0", `!0 = !{i32 1, i32 2}`, "invalid node !0; expected one number"},
		"two linear sizes":                    {"!max_linear_work_group_size !0", `!0 = !{i32 1, i32 2}`, "invalid node !0; expected one number"},
		"two sub-group sizes":                 {"!intel_reqd_sub_group_size !0", `!0 = !{i32 8, i32 16}`, "invalid node !0; expected one number"},
		"a 64-bit sub-group size":             {"!intel_reqd_sub_group_size !0", `!0 = !{i64 4294967296}`, "invalid node !0; expected one number"},
		"a matrix that is a number":           {"!sycl_joint_matrix !0", `!0 = !{i32 1}`, "!sycl_joint_matrix: !0 is not a list of texts"},
		"a matrix that is not text":           {"!sycl_joint_matrix_mad !0", `!0 = !{!"\FF"}`, "!sycl_joint_matrix_mad: !0 is not a list of texts"},
		"removed parameters that are text":    {"!sycl_kernel_omit_args !0", `!0 = !{!"x"}`, "!sycl_kernel_omit_args: !0 is not a list of i1"},
		"removed parameters with many bits":   {"!sycl_kernel_omit_args !0", `!0 = !{i32 2}`, "!0 is not a list of i1"},
		"a register size in words":            {`"sycl-grf-size"="large"`, "", `attribute "sycl-grf-size": "large" is not a 32-bit number`},
		"an optimization level below 0":       {`"sycl-optlevel"="-1"`, "", `attribute "sycl-optlevel": "-1" is not a 32-bit number`},
		"registered kernels without a node":   {"", "!sycl_registered_kernels = !{!9}", "!sycl_registered_kernels: missing node !9"},
		"registered kernels without a list":   {"", "!sycl_registered_kernels = !{!0}\n" + `!0 = !{!"a", !"k"}`, "!0 is not a list of nodes"},
		"registered kernels without a name":   {"", "!sycl_registered_kernels = !{!0}\n!0 = !{!1}\n!1 = !{i32 1, i32 2}", "is not a name and a symbol"},
		"a registered name with a line break": {"", "!sycl_registered_kernels = !{!0}\n!0 = !{!1}\n" + `!1 = !{!"a\0Ab", !"k"}`, "SYCL/registered kernels"},
	} {
		t.Run(name, func(t *testing.T) {
			m := mustParse(t, "define spir_kernel void @k() "+test.rest+" {\n  ret void\n}\n"+test.metadata+"\n")
			define, entryPoints := image(t, m, "k")
			r, err := properties(m, define, entryPoints, imageOptions{PropertyOptions: allProperties, dependencies: true})
			checkMetadataError(t, r, err, test.fail)
		})
	}
	for name, test := range map[string]struct{ attributes, fail string }{
		"a device global without an id":             {`"sycl-device-global-size"="4"`, `variable g has no attribute "sycl-unique-id"`},
		"a device global whose size is text":        {`"sycl-device-global-size"="big" "sycl-unique-id"="x"`, `variable g: attribute "sycl-device-global-size": "big"`},
		"a device global with a size above 32 bits": {`"sycl-device-global-size"="4294967296" "sycl-unique-id"="x"`, "is not a 32-bit number"},
		"a host pipe without an id":                 {`"sycl-host-pipe" "sycl-host-pipe-size"="4"`, `variable g has no attribute "sycl-unique-id"`},
		"a host pipe without a number":              {`"sycl-host-pipe" "sycl-host-pipe-size" "sycl-unique-id"="x"`, `attribute "sycl-host-pipe-size": "" is not`},
		"an id that is not a valid key":             {`"sycl-host-pipe" "sycl-host-pipe-size"="4" "sycl-unique-id"="a=b"`, "SYCL/host pipes"},
	} {
		t.Run(name, func(t *testing.T) {
			m := mustParse(t, "@g = addrspace(1) global i32 0 "+test.attributes+"\n")
			define, entryPoints := image(t, m, "@g")
			r, err := properties(m, define, entryPoints, imageOptions{PropertyOptions: allProperties, dependencies: true})
			checkMetadataError(t, r, err, test.fail)
		})
	}
	t.Run("an entry point with a line break", func(t *testing.T) {
		m := mustParse(t, "define spir_kernel void @\"a\\0Ab\"() {\n  ret void\n}\n")
		_, err := symbols(m.Functions())
		checkMetadataError(t, nil, err, "line break")
	})
}

func checkMetadataError(t testing.TB, r *propset.Registry, err error, text string) {
	t.Helper()
	var bad *devicecode.MetadataError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), text) || r != nil {
		t.Errorf("got %v, %v; want a MetadataError with %q", r, err, text)
	}
}

// TestManyImageProperties checks that the cost of an image depends only on its content, and that
// several goroutines can share a writer.
func TestManyImageProperties(t *testing.T) {
	const kernels = 3000
	var b strings.Builder
	b.WriteString("declare spir_func void @__devicelib_assert_fail()\n!sycl_registered_kernels = !{!0}\n!0 = !{")
	for i := range kernels {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "!{!\"name%d\", !\"k%d\"}", i, i)
	}
	b.WriteString("}\n!1 = !{i32 6}\n")
	for i := range kernels {
		fmt.Fprintf(&b, "define spir_kernel void @k%d() !sycl_used_aspects !1 {\n  call void @__devicelib_assert_fail()\n  ret void\n}\n", i)
	}
	m := mustParse(t, b.String())
	w := testkit.Must(newPropertyWriter(m))(t)
	var wg sync.WaitGroup
	for part := range 3 {
		wg.Go(func() {
			for i := part; i < kernels; i += 3 {
				f := m.Function(fmt.Sprintf("k%d", i))
				r, err := w.properties(m.Closure(f), []*llvmir.Function{f}, imageOptions{PropertyOptions: allProperties, dependencies: true})
				want := fmt.Sprintf("[SYCL/device requirements]\naspects=2|gAAAAAAAAAgBAAAA\n[SYCL/kernel param opt]\n[SYCL/kernel names]\nk%d=1|1\n[SYCL/assert used]\nk%d=1|1\n[SYCL/registered kernels]\nname%d=%v\n",
					i, i, i, propset.String(fmt.Sprintf("k%d", i)))
				if err != nil || r.String() != want {
					t.Errorf("k%d: %v, %s", i, err, r)
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzProperties(f *testing.F) {
	for _, file := range propertyFiles(f) {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := llvmir.Parse("fuzz.ll", string(text))
		if err != nil {
			return
		}
		w, err := newPropertyWriter(m)
		if err != nil {
			checkMetadataError(t, nil, err, "")
			return
		}
		roots := [][]llvmir.Symbol{nil}
		for _, k := range m.Kernels() {
			roots = append(roots, []llvmir.Symbol{k})
		}
		for _, f := range m.Functions() {
			roots[0] = append(roots[0], f)
		}
		for _, g := range m.Globals() {
			roots[0] = append(roots[0], g)
		}
		for _, list := range roots {
			var entryPoints []*llvmir.Function
			for _, s := range list {
				if f, ok := s.(*llvmir.Function); ok && f.Defined() {
					entryPoints = append(entryPoints, f)
				}
			}
			define := m.Closure(list...)
			r, err := w.properties(define, entryPoints, imageOptions{PropertyOptions: allProperties, dependencies: true})
			if err != nil {
				checkMetadataError(t, r, err, "")
				continue
			}
			checkProperties(t, r)
			again, err := w.properties(define, entryPoints, imageOptions{PropertyOptions: allProperties, dependencies: true})
			if err != nil || again.String() != r.String() {
				t.Fatalf("parsing the output returns different properties: %v", err)
			}
			if _, err := symbols(entryPoints); err != nil {
				checkMetadataError(t, nil, err, "")
			}
		}
	})
}
