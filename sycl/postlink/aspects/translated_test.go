package aspects

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
}

// TestAspectsAgreeWithTranslatedModule compares the aspects that are derived from code of stock
// clang with the aspects that package spirv finds after translation, by kernel.
func TestAspectsAgreeWithTranslatedModule(t *testing.T) {
	clang, as, translator := testkit.Program(t, "clang++"), testkit.Program(t, "llvm-as"), testkit.Program(t, "llvm-spirv")
	for _, level := range []string{"-O0", "-O1", "-O2", "-O3"} {
		t.Run(level, func(t *testing.T) {
			dir := t.TempDir()
			name := func(ext string) string { return filepath.Join(dir, "kernels."+ext) }
			run(t, clang, "-std=c++20", "-fsycl", "-fsycl-device-only", level, "-g", "-S", "-emit-llvm", "testdata/kernels.cpp", "-o", name("ll"))
			text := testkit.Must(os.ReadFile(name("ll")))(t)
			m := testkit.Must(llvmir.Parse("kernels.ll", string(text)))(t)
			result, err := Propagate(m, Options{})
			if err != nil || len(result.Diagnostics) > 0 || !result.Derived {
				t.Fatalf("%+v, %v", result, err)
			}
			// The module is translated with its metadata.
			testkit.NoError(t, os.WriteFile(name("ll"), []byte(testkit.Text(t, m)), 0o644))
			run(t, as, name("ll"), "-o", name("bc"))
			run(t, translator, "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float16_add", name("bc"), "-o", name("spv"))
			code := testkit.Must(os.ReadFile(name("spv")))(t)
			translated := testkit.Must(spirv.Parse(code))(t)
			used := metadataOf(t, m, "sycl_used_aspects")
			if len(translated.Kernels) < 30 || len(translated.Kernels) != len(m.Kernels()) {
				t.Errorf("%d kernels, %d after translation", len(m.Kernels()), len(translated.Kernels))
			}
			seen := map[string]bool{}
			for i := range translated.Kernels {
				k := &translated.Kernels[i]
				want := strings.Trim(fmt.Sprint(translated.KernelRequirements(k).Aspects), "[]")
				if used[k.Name] != want {
					t.Errorf("%s: got %s, but its SPIR-V uses %s", k.Name, used[k.Name], want)
				}
				for name := range strings.FieldsSeq(want) {
					seen[name] = true
				}
			}
			if got := fmt.Sprint(slices.Sorted(maps.Keys(seen))); got != "[atomic64 ext_oneapi_atomic16 fp16 fp64]" {
				t.Errorf("aspects seen: %s", got)
			}
		})
	}
}
