package specconst

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

	"github.com/rules-sycl/rules_sycl/internal/golden"
	"github.com/rules-sycl/rules_sycl/internal/programs"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

func parse(t testing.TB, text string) *llvmir.Module {
	t.Helper()
	m, err := llvmir.Parse("test.ll", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func write(t testing.TB, m *llvmir.Module) string {
	t.Helper()
	var b strings.Builder
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// describe writes a set for people.
func describe(s *Set) string {
	if s == nil {
		return "; no constants\n"
	}
	var b strings.Builder
	for _, c := range s.Constants {
		fmt.Fprintf(&b, "; %s:", c.Name)
		for _, p := range c.Parts {
			fmt.Fprintf(&b, " %d@%d+%d", int32(p.ID), p.Offset, p.Size)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "; default values: % x\n", s.Defaults)
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
		if err != nil {
			t.Fatal(err)
		}
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
				set, err := Lower(m, mode)
				if strings.Contains(text, "; not: "+string(mode)) {
					var bad interface{ BadInput() }
					if !errors.As(err, &bad) {
						t.Errorf("error %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				golden.Check(t, name+"."+string(mode)+".golden.ll", describe(set)+write(t, m))
			})
		}
	}
}

// debugInfo is what makes translated modules that spirv-val does not take.
var debugInfo = regexp.MustCompile(`,? !dbg !\d+|!llvm.dbg.cu.*`)

// TestTranslated compares the numbers of constants with those that SPIR-V has after
// translation, with their default values, and looks for what is left of the calls.
func TestTranslated(t *testing.T) {
	as, translator, validator := programs.Find(t, "llvm-as"), programs.Find(t, "llvm-spirv"), programs.Find(t, "spirv-val")
	run := func(t *testing.T, name string, args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
		}
	}
	for name, text := range sources(t) {
		for _, mode := range modes {
			if strings.Contains(text, "; not: "+string(mode)) {
				continue
			}
			t.Run(name+" "+string(mode), func(t *testing.T) {
				m := parse(t, text)
				set, err := Lower(m, mode)
				if err != nil {
					t.Fatal(err)
				}
				file := func(ext string) string { return filepath.Join(t.TempDir(), "m."+ext) }
				ll, bc, spv := file("ll"), file("bc"), file("spv")
				if err := os.WriteFile(ll, []byte(debugInfo.ReplaceAllString(write(t, m), "")), 0o644); err != nil {
					t.Fatal(err)
				}
				run(t, as, ll, "-o", bc)
				run(t, translator, "--spirv-max-version=1.4", "--spirv-ext=+SPV_INTEL_variable_length_array", bc, "-o", spv)
				run(t, validator, spv)
				code, err := os.ReadFile(spv)
				if err != nil {
					t.Fatal(err)
				}
				module, err := spirv.Parse(code)
				if err != nil {
					t.Fatal(err)
				}
				if len(module.Imports) > 0 {
					t.Errorf("it imports %q", module.Imports)
				}
				constants, err := spirv.ReadSpecConstants(bytes.NewReader(code))
				if err != nil {
					t.Fatal(err)
				}
				compareConstants(t, set, constants, mode)
			})
		}
	}
}

// compareConstants compares what a set says with what a translated module has.
func compareConstants(t *testing.T, set *Set, constants []spirv.SpecConstant, mode Mode) {
	t.Helper()
	if mode != Native {
		if len(constants) > 0 {
			t.Errorf("SPIR-V has the constants %+v", constants)
		}
		return
	}
	want := map[uint32]string{}
	base := uint64(0)
	for _, c := range set.Constants {
		size := uint64(0)
		for _, p := range c.Parts {
			end := uint64(p.Offset) + uint64(p.Size)
			size = max(size, end)
			if p.ID != Padding {
				want[p.ID] = fmt.Sprintf("% x", set.Defaults[base+uint64(p.Offset):base+end])
			}
		}
		base += size
	}
	if base != uint64(len(set.Defaults)) {
		t.Errorf("constants reach to %d, there are default values to %d", base, len(set.Defaults))
	}
	got := map[uint32]string{}
	for _, c := range constants {
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
