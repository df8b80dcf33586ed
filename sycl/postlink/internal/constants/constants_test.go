package constants

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

func parse(t testing.TB, text string) *llvmir.Module {
	t.Helper()
	m, err := llvmir.Parse("test.ll", text)
	testkit.NoError(t, err)
	return m
}

// describe formats constants in readable form.
func describe(list []propset.SpecConstant) string {
	if list == nil {
		return "; no constants\n"
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "; %s:", c.Name)
		for _, r := range c.Records {
			fmt.Fprintf(&b, " %d@%d+%d", int32(r.ID), r.Offset, r.Size)
		}
		fmt.Fprintf(&b, " = % x\n", c.Default)
	}
	return b.String()
}

// sources are the modules of testdata, by name.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	list := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden.ll") {
			continue
		}
		text, err := os.ReadFile(file)
		testkit.NoError(t, err)
		list[strings.TrimSuffix(filepath.Base(file), ".ll")] = string(text)
	}
	return list
}

var modes = []Mode{Native, Emulation, Defaults}

func TestLower(t *testing.T) {
	for name, text := range sources(t) {
		for _, mode := range modes {
			t.Run(name+" "+string(mode), func(t *testing.T) {
				m := parse(t, text)
				list, err := Lower(m, Options{Mode: mode})
				if strings.Contains(text, "; not: "+string(mode)) {
					var bad interface{ BadInput() }
					if !errors.As(err, &bad) {
						t.Errorf("error %v", err)
					}
					return
				}
				testkit.NoError(t, err)
				testkit.Golden(t, name+"."+string(mode)+".golden.ll", describe(list)+testkit.Text(t, m))
			})
		}
	}
}

// debugInfo matches debug information whose translation spirv-val rejects.
var debugInfo = regexp.MustCompile(`,? !dbg !\d+|!llvm.dbg.cu.*`)

// TestTranslated compares the numbers and default values of constants with the translated SPIR-V,
// and checks that no calls remain.
func TestTranslated(t *testing.T) {
	as, translator, validator := testkit.Program(t, "llvm-as"), testkit.Program(t, "llvm-spirv"), testkit.Program(t, "spirv-val")
	run := func(t *testing.T, name string, args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
		}
	}
	for name, text := range sources(t) {
		for _, mode := range modes {
			if strings.Contains(text, "; not: "+string(mode)) || strings.Contains(text, "; not translated") {
				continue
			}
			t.Run(name+" "+string(mode), func(t *testing.T) {
				m := parse(t, text)
				list, err := Lower(m, Options{Mode: mode})
				testkit.NoError(t, err)
				file := func(ext string) string { return filepath.Join(t.TempDir(), "m."+ext) }
				ll, bc, spv := file("ll"), file("bc"), file("spv")
				testkit.NoError(t, os.WriteFile(ll, []byte(debugInfo.ReplaceAllString(testkit.Text(t, m), "")), 0o644))
				run(t, as, ll, "-o", bc)
				run(t, translator, "--spirv-max-version=1.4", "--spirv-ext=+SPV_INTEL_variable_length_array", bc, "-o", spv)
				run(t, validator, spv)
				code, err := os.ReadFile(spv)
				testkit.NoError(t, err)
				module, err := spirv.Parse(code)
				testkit.NoError(t, err)
				if len(module.Imports) > 0 {
					t.Errorf("it imports %q", module.Imports)
				}
				translated, err := spirv.ReadSpecConstants(bytes.NewReader(code))
				testkit.NoError(t, err)
				compareConstants(t, list, translated, mode)
			})
		}
	}
}

// compareConstants compares constants with a translated module's.
func compareConstants(t *testing.T, list []propset.SpecConstant, translated []spirv.SpecConstant, mode Mode) {
	t.Helper()
	if mode != Native {
		if len(translated) > 0 {
			t.Errorf("SPIR-V has the constants %+v", translated)
		}
		return
	}
	want, got := map[uint32]string{}, map[uint32]string{}
	for _, c := range list {
		if c.Size() != uint64(len(c.Default)) {
			t.Errorf("%s has %d bytes and a default value of %d", c.Name, c.Size(), len(c.Default))
		}
		for _, r := range c.Scalars() {
			want[r.ID] = fmt.Sprintf("% x", c.Default[r.Offset:r.Offset+r.Size])
		}
	}
	for _, c := range translated {
		text := fmt.Sprintf("% x", c.Default)
		if old, ok := got[c.ID]; ok && old != text {
			t.Errorf("SpecId %d has the default values %s and %s", c.ID, old, text)
		}
		got[c.ID] = text
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("SPIR-V has the default values %v, want %v", got, want)
	}
}

// TestNumbersMatchCode checks code that already contains SPIR-V constants.
func TestNumbersMatchCode(t *testing.T) {
	m := parse(t, fmt.Sprintf(reading, "declare i64 @_Z20__spirv_SpecConstantIlET_iS0_(i32, i64)\n"+
		kernel("  %x = call i32 "+get+"(ptr @name, ptr @id, ptr null)\n  %y = call i64 @_Z20__spirv_SpecConstantIlET_iS0_(i32 6, i64 1)")))
	list, err := Lower(m, Options{Mode: Native})
	if err != nil || describe(list) != "; n: 7@0+4 = 05 00 00 00\n" {
		t.Errorf("%v: %s", err, describe(list))
	}
}

// TestClassNames checks that function names distinguish a class from a numeric type of one letter.
func TestClassNames(t *testing.T) {
	const code = `%i = type { float }
@n1 = private constant [3 x i8] c"n1\00"
@n2 = private constant [3 x i8] c"n2\00"
@d1 = internal constant { [2 x i32] } zeroinitializer
@d2 = internal constant { [2 x %i] } zeroinitializer
define [2 x i32] @f() {
  %1 = call [2 x i32] @_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_(ptr @n1, ptr @d1, ptr null)
  ret [2 x i32] %1
}
define [2 x %i] @g() {
  %1 = call [2 x %i] @_Z40__sycl_getComposite2020SpecConstantValueI1YET_PKcPKvS5_(ptr @n2, ptr @d2, ptr null)
  ret [2 x %i] %1
}
declare [2 x i32] @_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_(ptr, ptr, ptr)
declare [2 x %i] @_Z40__sycl_getComposite2020SpecConstantValueI1YET_PKcPKvS5_(ptr, ptr, ptr)
`
	for range 20 { // the names are deterministic
		namesOfClasses(t, parse(t, code))
	}
}

func namesOfClasses(t *testing.T, m *llvmir.Module) {
	t.Helper()
	if _, err := Lower(m, Options{Mode: Native}); err != nil {
		t.Fatal(err)
	}
	text := testkit.Text(t, m)
	for _, want := range []string{
		"declare [2 x i32] @_Z29__spirv_SpecConstantCompositeii_RA2_i(i32, i32)\n", "= call [2 x %i] @_Z29__spirv_SpecConstantCompositeii_RA2_i_(%i ",
		"declare [2 x %i] @_Z29__spirv_SpecConstantCompositeii_RA2_i_(%i, %i)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestUndefinedEnd checks that records extend to the end even for types other than classes, because
// the next constant's default value follows.
func TestUndefinedEnd(t *testing.T) {
	const getter = "@_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_"
	for value, want := range map[string]string{
		"[3 x i16] [i16 1, i16 2, i16 undef]": "; n: 0@0+2 1@2+2 -1@4+2 = 01 00 02 00 00 00\n",
		"[3 x i16] undef":                     "; n: -1@0+6 = 00 00 00 00 00 00\n",
	} {
		m := parse(t, fmt.Sprintf(reading, "@c = internal constant { [3 x i16] } { "+value+" }\ndeclare [3 x i16] "+getter+"(ptr, ptr, ptr)\n"+kernel("  %x = call [3 x i16] "+getter+"(ptr @name, ptr @c, ptr null)")))
		list, err := Lower(m, Options{Mode: Native})
		if err != nil || describe(list) != want {
			t.Errorf("%s: %v: %s", value, err, describe(list))
		}
	}
}
