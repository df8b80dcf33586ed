package steps

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/gpucode"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/translate"
)

// TestKept checks that with a cache, compilers run only for new modules and the output files are
// the same as without it.
func TestKept(t *testing.T) {
	t.Chdir(t.TempDir())
	counted := map[string]string{}
	for _, name := range []string{"opt", "llvm-spirv", "spirv-val", "llc"} {
		counted[name] = testkit.Script(t, name, fmt.Sprintf("exec %q \"$@\"", testkit.Program(t, name)))
	}
	ran := func() string {
		var calls []string
		for _, name := range slices.Sorted(maps.Keys(counted)) {
			data, err := os.ReadFile(counted[name] + ".calls")
			if err == nil {
				err = os.Remove(counted[name] + ".calls")
				calls = append(calls, fmt.Sprint(name, " ", strings.Count(string(data), "\n")))
			}
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		return strings.Join(calls, ", ")
	}
	build := func(kept *buildstep.Cache, source string, debug bool) map[string]string {
		t.Helper()
		for _, triple := range []string{"spirv64-unknown-unknown", "nvptx64-nvidia-cuda"} {
			testkit.NoError(t, os.RemoveAll(triple))
			text := "target triple = \"" + triple + "\"\n" + source
			if triple == "nvptx64-nvidia-cuda" {
				text = strings.ReplaceAll(text, "spir_kernel", "ptx_kernel")
			}
			testkit.WriteFile(t, triple+"/in.ll", text)
			split := filepath.Join(triple, "split.table")
			err := splitir.Run(t.Context(), io.Discard, splitir.Options{
				Input: triple + "/in.ll", Opt: counted["opt"], Output: split, Cache: kept,
				Run: postlink.Options{Source: "a.cpp", Split: postlink.SplitOptions{Mode: postlink.SplitPerKernel, KernelsOnly: true}},
			})
			if err == nil && triple == "nvptx64-nvidia-cuda" {
				err = gpucode.Run(t.Context(), io.Discard, gpucode.Options{
					Table: split, Opt: counted["opt"], LLC: counted["llc"], Device: "sm_90",
					CodeDir: triple + "/ptx", Output: triple + "/out.table", Cache: kept, KeepDebugInfo: debug,
				})
			} else if err == nil {
				err = translate.Run(t.Context(), io.Discard, translate.Options{
					In: split, LLVMSPIRV: counted["llvm-spirv"], SPIRVVal: counted["spirv-val"],
					CodeDir: triple + "/spv", PropertiesDir: triple + "/properties", Table: triple + "/out.table", Cache: kept, KeepDebugInfo: debug,
				})
			}
			testkit.NoError(t, err)
		}
		return filesBelow(t, "spirv64-unknown-unknown", "nvptx64-nvidia-cuda")
	}

	// Each kernel has a type whose name contains the number of kernels before it.
	source := func(kernels ...string) string {
		var types, code strings.Builder
		for i, k := range kernels {
			name, number, _ := strings.Cut(k, "=")
			fmt.Fprintf(&types, "%%class.anon.%d = type { i32 }\n", i)
			fmt.Fprintf(&code, "define spir_kernel void @_ZTS1%s(ptr addrspace(1) %%p) {\n  %%q = getelementptr %%class.anon.%d, ptr addrspace(1) %%p, i64 %s\n  store i32 %s, ptr addrspace(1) %%q\n  ret void\n}\n",
				name, i, number, number)
		}
		return types.String() + code.String()
	}
	kept := buildstep.NewCache(1 << 20)
	for _, test := range []struct {
		name, source string
		debug        bool
		ran          string
	}{
		{"the first build", source("A=1", "B=2"), false, "llc 2, llvm-spirv 2, opt 6, spirv-val 2"},
		{"nothing", source("A=1", "B=2"), false, ""},
		{"one kernel", source("A=1", "B=3"), false, "llc 1, llvm-spirv 1, opt 3, spirv-val 1"},
		{"a kernel after the others", source("A=1", "B=3", "C=4"), false, "llc 1, llvm-spirv 1, opt 3, spirv-val 1"},
		{"a kernel before the others", source("D=5", "A=1", "B=3"), false, "llc 1, llvm-spirv 1, opt 3, spirv-val 1"},
		{"back to the first", source("A=1", "B=2"), false, ""},
		{"the debug information of images", source("A=1", "B=2"), true, "llc 2, opt 2"},
	} {
		got := build(kept, test.source, test.debug)
		if calls := ran(); calls != test.ran {
			t.Errorf("%s: ran %q, want %q", test.name, calls, test.ran)
		}
		want := build(nil, test.source, test.debug)
		ran()
		if !maps.Equal(got, want) {
			t.Errorf("%s: the files differ from a build that keeps nothing: %q, %q", test.name, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
}

// filesBelow returns the content of the files in directories.
func filesBelow(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	content := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				content[path] = testkit.ReadFile(t, path)
			}
			return err
		})
		testkit.NoError(t, err)
	}
	return content
}
