// Package stepstest builds SYCLBINs with real compilers for tests.
package stepstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/linkir"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/translate"
)

// header is prepended to each source. A line directive after it preserves the source's line
// numbers.
const header = `#define SYCL_EXTERNAL [[clang::annotate("sycl-external")]]
unsigned long __spirv_BuiltInGlobalInvocationId(int dimension);
template <class Name, class F>
[[clang::sycl_kernel_entry_point(Name)]] void entry(F f) {
  f(static_cast<int>(__spirv_BuiltInGlobalInvocationId(0)));
}
template <class Name, class F>
void parallel_for(F f) {
  entry<Name>(f);
}
namespace sycl_lite {
template <class Name, unsigned X, unsigned Y, unsigned Z, unsigned SubGroup>
class kernel_with;
}
#line 1
`

// A Binary is a SYCLBIN to build from one source.
type Binary struct {
	Name    string // file name; the source is NAME.cpp
	Source  string
	Options []string // options for clang
	State   syclbin.State
	Version int  // format version; 0 means 1
	Bitcode bool // whether the IR is LLVM bitcode instead of SPIR-V
	Names   bool // whether kernels have the same names as in SYCLBINs that the rules build
}

// Build builds a SYCLBIN in the current directory. If the compilers are missing, it skips the test,
// or fails it under Bazel.
func Build(t testing.TB, b Binary) {
	t.Helper()
	clang, dis, link, opt := testkit.Program(t, "clang++"), testkit.Program(t, "llvm-dis"), testkit.Program(t, "llvm-link"), testkit.Program(t, "opt")
	translator, val := testkit.Program(t, "llvm-spirv"), testkit.Program(t, "spirv-val")
	var stderr strings.Builder
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v\n%s", b.Name, err, &stderr)
		}
	}
	source := b.Name + ".cpp"
	must(os.WriteFile(source, []byte(header+b.Source), 0o644))
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	args := append([]string{"-fsycl", "-fsycl-device-only", "-std=c++20", "-fno-math-errno", "-gdwarf-4", "-gline-tables-only",
		"-fdebug-info-for-profiling", "-ffile-compilation-dir=."}, b.Options...)
	if out, err := exec.Command(clang, append(args, "-c", source, "-o", file("a.bc"))...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	must(linkir.Run(t.Context(), &stderr, linkir.Options{
		LLVMDis: dis, LLVMLink: link, Sources: []linkir.Source{{Source: source, File: file("a.bc")}}, Output: file("linked.bc"),
	}))
	must(splitir.Run(t.Context(), &stderr, splitir.Options{
		Input: file("linked.bc"), LLVMDis: dis, Opt: opt, Output: file("split.table"),
		Run: postlink.Options{
			Split:              postlink.SplitOptions{Mode: postlink.SplitAuto, KernelsOnly: b.State == syclbin.Executable, Dependencies: b.State != syclbin.Executable},
			SYCLBINKernelNames: b.Names,
		},
	}))
	must(translate.Run(t.Context(), &stderr, translate.Options{
		In: file("split.table"), LLVMSPIRV: translator, SPIRVVal: val, CodeDir: file("spv"), PropertiesDir: file("properties"), Table: file("table"),
	}))

	var builder syclbin.Builder
	modules, err := filepath.Glob(file("spv/*.spv"))
	must(err)
	for _, module := range modules {
		stem := strings.TrimSuffix(filepath.Base(module), ".spv")
		properties, err := os.ReadFile(file("properties/" + stem + ".prop"))
		must(err)
		metadata, err := propset.Parse(stem, properties)
		must(err)
		if b.Bitcode {
			module = file(stem + ".bc")
		}
		code, err := os.ReadFile(module)
		must(err)
		must(builder.Add(stem, metadata, syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", strings.NewReader(string(code)))))
	}
	Write(t, b.Name+".syclbin", builder.File(b.State), b.Version)
}

// Write writes a SYCLBIN with the given format version.
func Write(t testing.TB, name string, f *syclbin.File, version int) {
	t.Helper()
	f.Global.Add(propset.SYCLBINGlobal)
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := syclbin.Write(out, f, syclbin.Options{Version: version}); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
