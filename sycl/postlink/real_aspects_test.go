package postlink

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// program returns the path of one of LLVM's programs.
func program(t *testing.T, name string) string {
	t.Helper()
	for _, candidate := range []string{"/usr/lib/llvm-21/bin/" + name, name + "-21", name} {
		if found, err := exec.LookPath(candidate); err == nil {
			return found
		}
	}
	text := name + " is not installed (Debian: clang-21, llvm-21, llvm-spirv-21)"
	if os.Getenv("TEST_SRCDIR") != "" {
		t.Fatal(text)
	}
	t.Skip(text)
	return ""
}

func runProgram(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
}

// TestAspectsAgreeWithTranslatedModule compares what is derived from the code of
// stock clang with what package spirv finds after translation, kernel by kernel.
func TestAspectsAgreeWithTranslatedModule(t *testing.T) {
	clang, as, translator := program(t, "clang++"), program(t, "llvm-as"), program(t, "llvm-spirv")
	for _, level := range []string{"-O0", "-O1", "-O2", "-O3"} {
		t.Run(level, func(t *testing.T) {
			dir := t.TempDir()
			name := func(ext string) string { return filepath.Join(dir, "kernels."+ext) }
			runProgram(t, clang, "-std=c++20", "-fsycl", "-fsycl-device-only", level, "-g", "-S", "-emit-llvm", "testdata/kernels.cpp", "-o", name("ll"))
			text, err := os.ReadFile(name("ll"))
			if err != nil {
				t.Fatal(err)
			}
			m, err := llvmir.Parse("kernels.ll", text)
			if err != nil {
				t.Fatal(err)
			}
			result, diagnostics, err := PropagateAspects(m, AspectOptions{})
			if err != nil || len(diagnostics) > 0 || !result.Derived {
				t.Fatalf("derived %v, %v, %v", result != nil && result.Derived, diagnostics, err)
			}
			// The module is translated with the metadata in it.
			if err := os.WriteFile(name("ll"), []byte(write(t, m)), 0o644); err != nil {
				t.Fatal(err)
			}
			runProgram(t, as, name("ll"), "-o", name("bc"))
			runProgram(t, translator, "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", "--spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float16_add", name("bc"), "-o", name("spv"))
			code, err := os.ReadFile(name("spv"))
			if err != nil {
				t.Fatal(err)
			}
			translated, err := spirv.Parse(code)
			if err != nil {
				t.Fatal(err)
			}
			if len(translated.Kernels) < 30 || len(translated.Kernels) != len(result.Origins) {
				t.Errorf("%d kernels, %d after translation", len(result.Origins), len(translated.Kernels))
			}
			seen := map[string]bool{}
			for i := range translated.Kernels {
				k := &translated.Kernels[i]
				got := slices.Sorted(maps.Keys(result.Origins[k.Name]))
				want := translated.KernelRequirements(k).Aspects
				if !slices.Equal(got, want) {
					t.Errorf("%s: got %v, but its SPIR-V uses %v", k.Name, got, want)
				}
				for _, a := range got {
					seen[a.String()] = true
					if o := result.Origins[k.Name][a]; !strings.HasSuffix(o.Location.File, "testdata/kernels.cpp") || o.Location.Line == 0 {
						t.Errorf("%s: %v is from %s at %v", k.Name, a, o.Function, o.Location)
					}
				}
			}
			if got := fmt.Sprint(slices.Sorted(maps.Keys(seen))); got != "[atomic64 ext_oneapi_atomic16 fp16 fp64]" {
				t.Errorf("aspects seen: %s", got)
			}
		})
	}
}
