package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/linkir"
)

// common is a header whose functions each source contains, called and inlined.
const common = `
struct pair { float *data; long count; };
__attribute__((noinline)) inline float helper(float x, int n) {
  static const float table[4] = {1.5f, 2.f, 3.f, 4.f};
  return n > 2 ? table[n & 3] * x : x;
}
__attribute__((noinline)) inline void step(pair p, long i) { if (i < p.count) p.data[i] *= 2; }
`

// sourceOf returns a source with two kinds of unnamed functions, a unique function, and
// functions of a header.
func sourceOf(n string) string {
	return `#include "sycl_lite.hpp"
#include "common.hpp"
using namespace sycl_lite;
class K` + n + `; class L` + n + `;
static float own(int k) { static const float t[4] = {1.f, 2.f, ` + n + `.f, 4.f}; return t[k & 3]; }
void run` + n + `(float *data, float s, long count) {
  parallel_for<K` + n + `>(nd_range<1>{1024, 64}, [=](nd_item<1> it) { auto i = it.get_global_id(0); data[i] = helper(data[i], ` + n + `) + s + own(i); });
  parallel_for<L` + n + `>(nd_range<1>{1024, 64}, [=](nd_item<1> it) { step(pair{data, count}, it.get_global_id(0)); });
}
`
}

// TestOtherSources checks that the output for a source does not depend on the sources that it is
// linked with.
func TestOtherSources(t *testing.T) {
	clang, dis, link, opt := testkit.Program(t, "clang++"), testkit.Program(t, "llvm-dis"), testkit.Program(t, "llvm-link"), testkit.Program(t, "opt")
	header := testkit.Must(filepath.Abs(filepath.Join("..", "..", "rules", "device")))(t)
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "common.hpp", common)
	for n := range 4 {
		name := strconv.Itoa(n)
		testkit.WriteFile(t, name+".cpp", sourceOf(name))
		args := []string{"-fsycl", "-fsycl-device-only", "-gdwarf-4", "-gline-tables-only", "-fdebug-info-for-profiling", "-ffile-compilation-dir=.", "-std=c++20", "-O2", "-I" + header, "-c", name + ".cpp", "-o", name + ".bc"}
		if out, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	// built returns all files of source 2.
	built := func(sources ...string) map[string]string {
		dir := t.TempDir()
		o := linkir.Options{LLVMDis: dis, LLVMLink: link, Output: filepath.Join(dir, "all.bc")}
		args := []string{"--llvm-dis", dis, "--opt", opt, "--emit-only-kernels-as-entry-points"}
		for _, s := range sources {
			o.Sources = append(o.Sources, linkir.Source{Source: s + ".cpp", File: s + ".bc"})
			args = append(args, "--module="+s+".cpp="+filepath.Join(dir, s))
		}
		testkit.NoError(t, linkir.Run(t.Context(), os.Stderr, o))
		mustRun(t, append(args, o.Output)...)
		files := map[string]string{}
		for _, name := range []string{"0.bc", "0.prop", "0.sym"} {
			data := testkit.Must(os.ReadFile(filepath.Join(dir, "2", name)))(t)
			files[name] = string(data)
		}
		return files
	}
	want := built("2")
	for _, sources := range [][]string{{"0", "2"}, {"2", "3"}, {"0", "1", "2", "3"}, {"3", "2", "1", "0"}} {
		for name, content := range built(sources...) {
			if content != want[name] {
				t.Errorf("linked with %v, %s of source 2 is not what it is alone", sources, name)
			}
		}
	}
}
