package postlink

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// started is the beginning of a module with static constructors. The constructor of its source
// calls @init, which the test defines.
const started = `target triple = "spirv64-unknown-unknown"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_GLOBAL__sub_I_a.cpp, ptr null }]
@x = internal addrspace(1) global float 0.0
@y = internal addrspace(1) global [4 x float] zeroinitializer
define internal void @_GLOBAL__sub_I_a.cpp() {
  call void @init()
  ret void
}
define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) "sycl-module-id"="a" {
  %v = load float, ptr addrspace(1) @x
  store float %v, ptr addrspace(1) %p
  ret void
}
`

func TestCheckStaticConstructors(t *testing.T) {
	const (
		of    = "addrspacecast (ptr addrspace(1) @x to ptr addrspace(4))"
		errX  = "error: variable 'x' is initialized when the program starts, which does not happen on a device. Make it constexpr, initialize it in the kernel, or pass its value to the kernel\nit is read by kernel 'K'\ncompile with '-g' to get source location"
		readY = "define spir_kernel void @_ZTS1L(ptr addrspace(1) %p) \"sycl-module-id\"=\"a\" {\n  call void @use(ptr addrspace(1) %p)\n  ret void\n}\n" +
			"define void @use(ptr addrspace(1) %p) {\n  %v = load float, ptr addrspace(1) @y\n  store float %v, ptr addrspace(1) %p\n  ret void\n}\n"
	)
	init := func(body string) string { return "define internal void @init() {\n" + body + "  ret void\n}\n" }
	for name, test := range map[string]struct {
		ir   string
		want []string
	}{
		"a store":                    {init("  store float 1.0, ptr addrspace(1) @x\n"), []string{errX}},
		"a store through an address": {init("  %c = load float, ptr addrspace(1) @y\n  store float %c, ptr addrspace(4) " + of + "\n"), []string{errX}},
		"a variable for hosts":       {init("  store float 1.0, ptr addrspace(1) @y\n"), nil},
		"a load":                     {init("  %c = load float, ptr addrspace(1) @x\n  store float %c, ptr addrspace(1) @y\n"), nil},
		"an atomic operation":        {init("  %c = atomicrmw fadd ptr addrspace(1) @x, float 1.0 seq_cst\n"), []string{errX}},
		"a copy to it":               {init("  call void @llvm.memcpy.p4.p4.i64(ptr addrspace(4) "+of+", ptr addrspace(4) null, i64 4, i1 false)\n") + "declare void @llvm.memcpy.p4.p4.i64(ptr addrspace(4), ptr addrspace(4), i64, i1)\n", []string{errX}},
		"a copy of it":               {init("  %a = alloca float\n  call void @llvm.memcpy.p0.p4.i64(ptr %a, ptr addrspace(4) "+of+", i64 4, i1 false)\n") + "declare void @llvm.memcpy.p0.p4.i64(ptr, ptr addrspace(4), i64, i1)\n", nil},
		"the end of its lifetime":    {init("  %r = call i32 @__cxa_atexit(ptr @destroy, ptr addrspace(4) "+of+", ptr null)\n") + "declare i32 @__cxa_atexit(ptr, ptr addrspace(4), ptr)\ndefine void @destroy(ptr addrspace(4) %0) {\n  store float 0.0, ptr addrspace(4) %0\n  ret void\n}\n", nil},
		"a function that reads":      {init("  call void @f(ptr addrspace(4) "+of+")\n") + "define void @f(ptr addrspace(4) %0) {\n  %a = load float, ptr addrspace(4) %0\n  ret void\n}\n", nil},
		"a function that writes":     {init("  call void @f(i32 1, ptr addrspace(4) "+of+")\n") + "define void @f(i32 %0, ptr addrspace(4) %1) {\n  store float 1.0, ptr addrspace(4) %1\n  ret void\n}\n", []string{errX}},
		"an unoptimized constructor that a different constructor calls": {init("  call void @_ZN1CC1Ev(ptr addrspace(4) "+of+")\n") + `@_ZN1CC1Ev = alias void (ptr addrspace(4)), ptr @_ZN1CC2Ev
define void @_ZN1CC2Ev(ptr addrspace(4) %0) {
  %2 = alloca ptr addrspace(4)
  %3 = addrspacecast ptr %2 to ptr addrspace(4)
  store ptr addrspace(4) %0, ptr addrspace(4) %3
  %4 = load ptr addrspace(4), ptr addrspace(4) %3
  %5 = call ptr addrspace(4) @at(ptr addrspace(4) %4, i64 0)
  store float 1.0, ptr addrspace(4) %5
  ret void
}
define ptr addrspace(4) @at(ptr addrspace(4) %0, i64 %1) {
  %3 = getelementptr float, ptr addrspace(4) %0, i64 %1
  ret ptr addrspace(4) %3
}
`, []string{errX}},
		"an undefined constructor":            {init("  call void @_ZN2ns1CC1ERKS0_(ptr addrspace(4) "+of+", ptr null)\n") + "declare void @_ZN2ns1CC1ERKS0_(ptr addrspace(4), ptr)\n", []string{errX}},
		"a result returned through a pointer": {init("  call void @make(ptr addrspace(4) sret(float) "+of+")\n") + "declare void @make(ptr addrspace(4) sret(float))\n", []string{errX}},
		"an undefined function":               {init("  call void @_ZN1C3getEv(ptr addrspace(4) "+of+")\n") + "declare void @_ZN1C3getEv(ptr addrspace(4))\n", nil},
		"a copy as an argument":               {init("  call void @f(ptr byval(float) "+of+")\n") + "define void @f(ptr byval(float) %0) {\n  store float 1.0, ptr %0\n  ret void\n}\n", nil},
		"a variable of a function that host and device call": {init("  call void @local()\n") + `define spir_kernel void @_ZTS1L() "sycl-module-id"="a" {
  call void @local()
  ret void
}
define void @local() {
  store float 1.0, ptr addrspace(1) @x
  ret void
}
`, nil},
		"a SYCL_EXTERNAL function": {init("  store float 1.0, ptr addrspace(1) @y\n") + "define spir_func float @shared() \"sycl-module-id\"=\"a\" {\n  %v = load float, ptr addrspace(1) @y\n  ret float %v\n}\n",
			[]string{strings.NewReplacer("'x'", "'y'", "kernel 'K'", "function 'shared'").Replace(errX)}},
		"two variables": {readY + init("  store float 1.0, ptr addrspace(1) @y\n  store float 1.0, ptr addrspace(1) @x\n"),
			[]string{errX, strings.NewReplacer("'x'", "'y'", "kernel 'K'", "function 'use', called by kernel 'L'").Replace(errX)}},
		"mutually recursive functions": {init("  call void @f(ptr addrspace(4) "+of+")\n") + "define void @f(ptr addrspace(4) %0) {\n  call void @g(ptr addrspace(4) %0)\n  ret void\n}\ndefine void @g(ptr addrspace(4) %0) {\n  call void @f(ptr addrspace(4) %0)\n  store float 1.0, ptr addrspace(4) %0\n  ret void\n}\n", []string{errX}},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, started+test.ir)
			var got []string
			for _, d := range checkStaticConstructors(m, SplitOptions{Mode: SplitOff}) {
				if !d.IsError {
					t.Errorf("unexpected warning: %v", d)
				}
				got = append(got, d.String())
			}
			if strings.Join(got, "\n\n") != strings.Join(test.want, "\n\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n\n"), strings.Join(test.want, "\n\n"))
			}
		})
	}
	m := parse(t, strings.Replace(started, "@llvm.global_ctors", "@list", 1)+init("  store float 1.0, ptr addrspace(1) @x\n"))
	if list := checkStaticConstructors(m, SplitOptions{}); len(list) > 0 {
		t.Errorf("without constructors: %v", list)
	}
	// Only entry points count.
	external := "define spir_func float @shared() \"sycl-module-id\"=\"a\" {\n  %v = load float, ptr addrspace(1) @y\n  ret float %v\n}\n"
	m = parse(t, started+external+init("  store float 1.0, ptr addrspace(1) @y\n"))
	if list := checkStaticConstructors(m, SplitOptions{KernelsOnly: true}); len(list) > 0 {
		t.Errorf("no kernel reads the variable: %v", list)
	}
}

// startedSource is a source with variables that a program initializes at startup.
const startedSource = `unsigned long __spirv_BuiltInGlobalInvocationId(int dimension);
template <class Name, class F>
[[clang::sycl_kernel_entry_point(Name)]] void entry(F f) { f((int)__spirv_BuiltInGlobalInvocationId(0)); }
template <class Name, class F> void parallel_for(F f) { entry<Name>(f); }
template <class T, int N> struct array {
  T values[N];
  T &operator[](int i) { return values[i]; }
  const T &operator[](int i) const { return values[i]; }
};
float from_host(float);
inline float add(const float &a, const float &b) { return a + b; }
struct Table { array<float, 4> roots; Table() { for (int i = 0; i < 4; ++i) roots[i] = __builtin_sqrtf(i); } };
struct Known { float value; constexpr Known(float v) : value(v) {} };
static const Table table;
static const float root = __builtin_sqrtf(2.0f);
static const float
    measured = from_host(1.0f);
static float scale = 3.0f;
static const float only_host = add(scale, from_host(2.0f));
static const Known known(2.0f);
constexpr float two = 2.0f;
class A; class B; class C; class D;
void kernels(float *f) {
  parallel_for<A>([=](int i) { f[i] = table.roots[i & 3]; });
  parallel_for<B>([=](int i) { f[i] = root; });
  parallel_for<C>([=](int i) { f[i] = measured * scale; });
  parallel_for<D>([=](int i) { f[i] = known.value * two; });
}
float host() { return only_host; }
`

// TestStaticConstructorsWithRealCompilers compiles startedSource. The compiler computes the values
// of variables if it optimizes and if no constructor of the source calls host-only code.
func TestStaticConstructorsWithRealCompilers(t *testing.T) {
	clang := testkit.Program(t, "clang++")
	dir := t.TempDir()
	source := filepath.Join(dir, "start.cpp")
	what := regexp.MustCompile(`(?m)^(?:.*start\.cpp:(\d+):?\d*: )?error: variable '(\w+)'[^\n]*\nit is read by (?:function '[^\n]*', called by )?(kernel '\w')$`)
	for name, test := range map[string]struct {
		options []string
		known   bool // no constructor calls host-only code
		want    string
	}{
		"unoptimized":                   {options: []string{"-O0", "-gline-tables-only"}, want: "14 table kernel 'A'\n15 root kernel 'B'\n17 measured kernel 'C'\n"},
		"unoptimized, with -g":          {options: []string{"-O0", "-g"}, want: "14 table kernel 'A'\n15 root kernel 'B'\n17 measured kernel 'C'\n"},
		"no debug information":          {options: []string{"-O0", "-g0"}, want: " measured kernel 'C'\n root kernel 'B'\n table kernel 'A'\n"},
		"known values, unoptimized":     {options: []string{"-O0", "-gline-tables-only"}, known: true, want: "14 table kernel 'A'\n15 root kernel 'B'\n"},
		"known values":                  {options: []string{"-O2", "-gline-tables-only"}, known: true},
		"optimized, read in line 25":    {options: []string{"-O2", "-gline-tables-only"}, want: "14 table kernel 'A'\n17 measured kernel 'C'\n25 root kernel 'B'\n"},
		"optimized, defined in line 15": {options: []string{"-O2", "-g"}, want: "14 table kernel 'A'\n15 root kernel 'B'\n17 measured kernel 'C'\n"},
	} {
		t.Run(name, func(t *testing.T) {
			text := startedSource
			if test.known {
				text = strings.NewReplacer("from_host(1.0f)", "1.0f", "from_host(2.0f)", "2.0f").Replace(text)
			}
			testkit.NoError(t, os.WriteFile(source, []byte(text), 0o644))
			out := filepath.Join(dir, "start.ll")
			args := append([]string{"-std=c++20", "-fno-math-errno", "-fsycl", "-fsycl-device-only", "-S", "-emit-llvm", source, "-o", out}, test.options...)
			if said, err := exec.CommandContext(t.Context(), clang, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			ir := testkit.Must(os.ReadFile(out))(t)
			m := testkit.Must(llvmir.Parse("start.ll", string(ir)))(t)
			testkit.NoError(t, markSource(m, "start.cpp", false))
			var all, got strings.Builder
			for _, d := range checkStaticConstructors(m, SplitOptions{}) {
				all.WriteString(d.String() + "\n")
			}
			for _, match := range what.FindAllStringSubmatch(all.String(), -1) {
				got.WriteString(strings.Join(match[1:], " ") + "\n")
			}
			if got.String() != test.want || strings.Count(all.String(), "error: ") != strings.Count(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", all.String(), test.want)
			}
		})
	}
}
