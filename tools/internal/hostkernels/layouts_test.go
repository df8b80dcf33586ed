package hostkernels

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// The relevant parts of rules/dpcpp/host and libsycl's headers.
const library = `
namespace rules_sycl {
template <class K, unsigned long Size, unsigned long Name, unsigned long Form>
struct Submitted {
  __attribute__((used, visibility("hidden"))) static inline char here = 0;
};
}
template <class K, class Type>
struct KernelWrapper {
  static void wrap(const Type &) { (void)&rules_sycl::Submitted<K, sizeof(Type), Name, rules_sycl::form<Type>()>::here; }
};
struct Accessor {
  Accessor(const Accessor &);
  char bytes[24];
  double *p;
};
struct Empty {
  void operator=(const Accessor &) const;
};
struct Handler {
  template <class F>
  void single_task(F f) { KernelWrapper<F, F>::wrap(f); }
  template <class K, class F>
  void named(F f) { KernelWrapper<K, F>::wrap(f); }
};
template <class F>
struct Rounded {
  long range;
  F f;
  void operator()() const;
};
template <class F>
void submit(F f) { Handler h; f(h); }
int runtime();
template <class T>
void use(const T &);
`

// compiled compiles the body of a function with g++, for kernels whose names have a hash.
func compiled(t testing.TB, body string, hash uint64) []byte {
	t.Helper()
	dir := t.TempDir()
	source, out := filepath.Join(dir, "a.cpp"), filepath.Join(dir, "a.o")
	text := fmt.Sprintf("constexpr unsigned long Name = %du;%svoid f(int *out, short s, Accessor acc) {\n#line 1\n%s\n}\n", hash, library, body)
	testkit.NoError(t, os.WriteFile(source, []byte(text), 0o644))
	const form = "../../../rules/dpcpp/host/rules_sycl/form.hpp"
	if text, err := exec.Command(testkit.Program(t, "g++"), "-include", form, "-std=c++17", "-g", "-O0", "-c", "-o", out, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	object := testkit.Must(os.ReadFile(out))(t)
	return object
}

func sized(size, offset int64) hostwrap.Parameter {
	return hostwrap.Parameter{Kind: "std_layout", Info: size, Offset: offset}
}

func pointer(offset int64) hostwrap.Parameter {
	return hostwrap.Parameter{Kind: "pointer", Info: 8, Offset: offset}
}

func accessor(offset int64) hostwrap.Parameter {
	return hostwrap.Parameter{Kind: "accessor", Info: 4062, Offset: offset}
}

// kernelAt returns the location of the last lambda in a body that is passed to a function.
func kernelAt(body string) srcloc.Location {
	begin := strings.LastIndex(body, "task([") + len("task(")
	line := strings.Count(body[:begin], "\n")
	return srcloc.Location{Path: "a.cpp", Line: uint32(line) + 1, Column: uint32(begin - strings.LastIndex(body[:begin], "\n"))}
}

func TestLayouts(t *testing.T) {
	type parameters = []hostwrap.Parameter
	type kernel struct {
		size       int64 // in the device compile
		parameters parameters
		want       *Layout
		captures   []string // in the order of the device compile, none if unknown
	}
	same := &Layout{} // stands for a kernel that is not among the layouts
	tests := []struct {
		name    string
		body    string
		kernels []kernel // the one that the body submits and its Rounded, if any
	}{
		{"copied object", `struct P { _Complex float v; constexpr P() : v(1) {} constexpr P(const P &o) : v(o.v) {} };
			constexpr P p; const long n = 7; submit([&](Handler &h) { h.single_task([=] { use(s); auto q = p; out[0] = int(__real__ q.v) + n; }); });`,
			[]kernel{{24, parameters{sized(2, 0), sized(8, 4), pointer(16)}, &Layout{32, 24, []move{{0, 0, 24}}}, nil}}},
		{"pointers to members", `struct P { int x; void f() {} }; int P::*data = &P::x; void (P::*function)() = &P::f; const int step = 4;
			submit([&](Handler &h) { h.single_task([=] { if (function && data) out[0] = step; }); });`,
			[]kernel{{32, parameters{sized(16, 0), sized(8, 16), pointer(24)}, &Layout{40, 32, []move{{0, 0, 32}}}, nil}}},
		{"nullptr_t", `decltype(nullptr) null = nullptr; const int step = 4;
			submit([&](Handler &h) { h.single_task([=] { if (null == nullptr) out[0] = step + s; }); });`,
			[]kernel{{24, parameters{sized(8, 0), pointer(8), sized(2, 16)}, &Layout{24, 24, []move{{0, 0, 16}, {20, 16, 2}}}, nil}}},
		{"packed, with a constant", `struct __attribute__((packed)) P { char c; int i; }; P p{}; short t = s; const int step = 4;
			submit([&](Handler &h) { h.single_task([=] { out[0] = s; auto q = p; out[1] = step + t; }); });`,
			[]kernel{{24, parameters{pointer(0), sized(2, 8), sized(5, 10), sized(2, 16)}, nil, nil}}},
		{"packed", `struct __attribute__((packed)) P { char c; int i; }; P p{}; short t = s;
			submit([&](Handler &h) { h.single_task([=] { out[0] = s; auto q = p; out[1] = t; }); });`,
			[]kernel{{24, parameters{pointer(0), sized(2, 8), sized(5, 10), sized(2, 16)}, same, nil}}},
		{"too large", `char large[2 << 20]; const int step = 4;
			submit([&](Handler &h) { h.single_task([=] { out[0] = large[0] + step + s; }); });`,
			[]kernel{{2<<20 + 16, parameters{pointer(0), sized(2<<20, 8), sized(2, 2<<20+8)}, nil, nil}}},
		{"discarded statement", `bool b = s; auto run = [&](auto tag) { constexpr bool one = sizeof tag == 1;
			Handler().single_task([=] { if constexpr (one) { if (b) use(s); } use(acc); }); }; run(1);`,
			[]kernel{{32, parameters{accessor(0)}, &Layout{40, 32, []move{{8, 0, 32}}}, nil}}},
		{"many sections", `asm(".macro section\n.pushsection .x\\@\n.popsection\n.endm\n.rept 66000\nsection\n.endr");
			const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step; }); });`,
			[]kernel{{8, parameters{pointer(0)}, &Layout{16, 8, []move{{0, 0, 8}}}, nil}}},
		{"template, g++ 16", `struct I { operator long() const; }; auto run = [&](auto v) { constexpr long n = 4;
			Handler().single_task([=] { out[I() / n] = v; }); }; run(s);`,
			[]kernel{{16, parameters{pointer(0), sized(2, 8)}, &Layout{24, 16, []move{{0, 0, 8}, {16, 8, 2}}}, nil}}},
		{"last", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step; }); });`,
			[]kernel{{8, parameters{pointer(0)}, &Layout{16, 8, []move{{0, 0, 8}}}, nil}}},
		{"of one size", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step + s; }); });`,
			[]kernel{{16, parameters{pointer(0), sized(2, 8)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 2}}}, nil}}},
		{"types", `enum class E : short { e = 3 }; struct P { int x; double y; };
			const char c = 'c'; const bool b = true; constexpr E e = E::e; constexpr P p{1, 2}; constexpr double d = 2.5; const long n = 7;
			submit([&](Handler &h) { h.single_task([=] { out[0] = c + s + b + int(e) + p.x + int(d) + n; }); });`,
			[]kernel{{16, parameters{pointer(0), sized(2, 8)}, &Layout{48, 16, []move{{0, 0, 8}, {10, 8, 2}}}, nil}}},
		{"floating point", `const double d = 2.5; const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step + int(d); }); });`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, &Layout{24, 16, []move{{0, 0, 8}, {16, 8, 8}}}, nil}}},
		{"run time", `const int n = runtime(), step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step + n; }); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 4}}}, nil}}},
		{"of the lambda around", `submit([&](Handler &h) { const int n = runtime(); h.single_task([=] { out[0] = n; }); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8)}, same, nil}}},
		{"in the brackets", `const int step = 4; submit([&](Handler &h) { h.single_task([step, out] { out[0] = step; }); });`,
			[]kernel{{16, parameters{sized(4, 0), pointer(8)}, same, nil}}},
		{"no constant", `submit([&](Handler &h) { h.single_task([=] { out[0] = s; }); });`,
			[]kernel{{16, parameters{pointer(0), sized(2, 8)}, same, nil}}},
		{"accessor", `const long step = 4; submit([&](Handler &h) { h.single_task([=] { use(acc); use(step + s); }); });`,
			[]kernel{{40, parameters{accessor(0), sized(2, 32)}, &Layout{48, 40, []move{{0, 0, 32}, {40, 32, 2}}}, nil}}},
		{"constant alone", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { use(step + 1); }); });`,
			[]kernel{{1, nil, &Layout{4, 1, nil}, nil}}},
		{"lambda in a kernel", `const int step = 4; submit([&](Handler &h) { auto g = [=](int i) { return step * i + s; }; h.single_task([=] { out[0] = g(1); }); });`,
			[]kernel{{16, parameters{pointer(0), sized(2, 8)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 2}}}, nil}}},
		{"with a name", `const int step = 4; submit([&](Handler &h) { h.named<class Named>([=] { out[0] = step; }); });`,
			[]kernel{{8, parameters{pointer(0)}, &Layout{16, 8, []move{{0, 0, 8}}}, nil}}},
		{"any range", `const int step = 4; submit([&](Handler &h) {
			auto k = [=] { out[0] = step + s; }; h.single_task(k); h.single_task(Rounded<decltype(k)>{8, k}); });`,
			[]kernel{
				{16, parameters{pointer(0), sized(2, 8)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 2}}}, nil},
				{24, parameters{sized(8, 0), sized(16, 8)}, &Layout{24, 24, []move{{0, 0, 16}, {20, 16, 2}}}, nil},
			}},
		{"generic lambda around", `const int step = 4; submit([&](auto &h) {
			auto k = [=] { out[0] = step + s; }; h.single_task(k); h.single_task(Rounded<decltype(k)>{8, k}); });`,
			[]kernel{
				{16, parameters{pointer(0), sized(2, 8)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 2}}}, nil},
				{24, parameters{sized(8, 0), sized(16, 8)}, &Layout{24, 24, []move{{0, 0, 16}, {20, 16, 2}}}, nil},
			}},
		{"doubt", `const int step = 4, n = runtime(); submit([&](auto &h) { h.single_task([=] { out[0] = step + n + s; }); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8), sized(2, 12)}, nil, nil}}},
		{"doubt of one size", `const int step = 4, n = runtime(); submit([&](auto &h) { h.single_task([=] { out[0] = step + n; }); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8)}, nil, nil}}},
		{"bound to a reference", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = s; use(step); }); });`,
			[]kernel{{16, parameters{pointer(0), sized(2, 8), sized(4, 12)}, same, nil}}},
		{"bound after an object", `struct P { long x; }; const P p{runtime()}; const long step = 4; submit([&](Handler &h) { h.single_task([=] { use((&p)->x); use(step); }); });`,
			[]kernel{{16, parameters{sized(8, 0), sized(8, 8)}, same, nil}}},
		{"bound after a constant object", `struct P { long x; }; constexpr P p{1}; const long step = 4; submit([&](Handler &h) { h.single_task([=] { use((&p)->x); use(step); }); });`,
			[]kernel{{16, parameters{sized(8, 0), sized(8, 8)}, nil, nil}}},
		{"bound before another capture", `const int step = 4; int n = 3; submit([&](Handler &h) { h.single_task([=] { use(step); out[0] = n; }); });`,
			[]kernel{{24, parameters{sized(4, 0), pointer(8), sized(4, 16)}, nil, nil}}},
		{"two constants bound to references", `const int a = 1, b = 2; submit([&](Handler &h) { h.single_task([=] { out[0] = 1; use(a); use(b); }); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8), sized(4, 12)}, nil, nil}}},
		{"bound to a reference first", `const int step = 4; int n = 3; submit([&](Handler &h) { h.single_task([=] { out[0] = (use(step), n); }); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8), sized(4, 12)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 4}, {8, 12, 4}}}, []string{"out", "n", "step"}}}},
		{"bound in a function", `const int step = 4; int n = 3; Handler().single_task([=] { out[0] = (use(step), n); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8), sized(4, 12)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 4}, {8, 12, 4}}}, []string{"out", "n", "step"}}}},
		{"bound in any range", `const int step = 4; int n = 3; auto k = [=] { out[0] = (use(step), n); }; Handler h; h.single_task(k); h.single_task(Rounded<decltype(k)>{8, k});`,
			[]kernel{
				{16, parameters{pointer(0), sized(4, 8), sized(4, 12)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 4}, {8, 12, 4}}}, []string{"out", "n", "step"}},
				{24, parameters{sized(8, 0), sized(16, 8)}, &Layout{24, 24, []move{{0, 0, 16}, {20, 16, 4}, {16, 20, 4}}}, []string{"range", "f"}},
			}},
		{"bound in order", `const int step = 4; int n = 3; Handler().single_task([=] { out[0] = n; use(step); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8), sized(4, 12)}, same, []string{"out", "n", "step"}}}},
		{"constant at run time", `const int n = runtime(); int m = 3; Handler().single_task([=] { out[0] = (use(n), m); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8), sized(4, 12)}, same, []string{"out", "n", "m"}}}},
		{"two bound to references", `const int a = 1; const short b = 2; int n = 3; Handler().single_task([=] { out[0] = (use(a), use(b), n); });`,
			[]kernel{{24, parameters{pointer(0), sized(4, 8), sized(4, 12), sized(2, 16)}, &Layout{24, 24, []move{{0, 0, 8}, {16, 8, 4}, {8, 12, 6}}}, []string{"out", "n", "a", "b"}}}},
		{"removed argument", `const int step = 4; int n = 3; Handler().single_task([=] { out[0] = s; (use(step), n); });`,
			[]kernel{{24, parameters{pointer(0), sized(2, 8), sized(4, 12), sized(4, 16)}, &Layout{24, 24, []move{{0, 0, 10}, {16, 12, 4}, {12, 16, 4}}}, []string{"out", "s", "n", "step"}}}},
		{"removed variable", `const int step = 4; int n = 3; Handler().single_task([=] { out[0] = (use(step), n); (void)s; });`,
			[]kernel{{24, parameters{pointer(0), sized(4, 8), sized(4, 12), sized(2, 16)}, nil, []string{"out", "n", "step"}}}},
		{"right fold", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); }); }; run(1, 2, 3);`,
			[]kernel{{12, parameters{sized(4, 0), sized(4, 4), sized(4, 8)}, &Layout{12, 12, []move{{8, 0, 4}, {4, 4, 4}, {0, 8, 4}}}, []string{"v", "v", "v"}}}},
		{"left fold", `auto run = [&](auto... v) { Handler().single_task([=] { (..., use(v)); }); }; run(1, 2, 3);`,
			[]kernel{{12, parameters{sized(4, 0), sized(4, 4), sized(4, 8)}, same, []string{"v", "v", "v"}}}},
		{"right fold with a variable", `int n = 3; auto run = [&](auto... v) { Handler().single_task([=] { (use(v + n), ...); }); }; run(1, 2);`,
			[]kernel{{12, parameters{sized(4, 0), sized(4, 4), sized(4, 8)}, &Layout{12, 12, []move{{8, 0, 4}, {0, 4, 8}}}, []string{"v", "n", "v"}}}},
		{"right fold in three parts", `int n = 3; auto run = [&](auto... v) { Handler().single_task([=] { (use(v + n), ...); }); }; run(1, 2);`,
			[]kernel{{12, parameters{sized(4, 0), sized(4, 4), sized(4, 8)}, nil, []string{"v", "n", "v", "out", "v"}}}},
		{"pack in brackets", `auto run = [&](auto... v) { Handler().single_task([v...] { (use(v), ...); }); }; run(1, 2, 3);`,
			[]kernel{{12, parameters{sized(4, 0), sized(4, 4), sized(4, 8)}, same, []string{"v", "v", "v"}}}},
		{"pack with a removed element", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); }); }; run(1, 2, 3);`,
			[]kernel{{12, parameters{sized(4, 0), sized(4, 4), sized(4, 8)}, &Layout{12, 12, []move{{8, 0, 4}, {4, 4, 4}, {0, 8, 4}}}, []string{"v", "v"}}}},
		{"evaluated by g++", `const int step = 4; int n = 3, m = 2; Handler().single_task([=] { int a = n; out[0] = a + m; });`,
			[]kernel{{24, parameters{sized(4, 0), sized(4, 4), pointer(8), sized(4, 16)}, nil, []string{"step", "n", "out", "m"}}}},
		{"lambda that binds a constant", `const int step = 4; int n = 3; auto f = [=] { return (use(step), n); }; Handler().single_task([=] { out[0] = f(); });`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, nil, []string{"out", "f"}}}},
		{"generic lambda with a constant", `const int step = 4; submit([&](Handler &h) { auto g = [=](auto &sum) { sum += step * s; }; h.single_task([=, r = Rounded<decltype(g)>{8, g}] { use(r); out[0] = 1; }); });`,
			[]kernel{{24, parameters{sized(16, 0), pointer(16)}, same, []string{"r", "out"}}}},
		{"lambda with a constant at run time", `const int step = runtime(); int n = 3; auto f = [=] { return (use(step), n); }; Handler().single_task([=] { out[0] = f(); });`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, same, []string{"out", "f"}}}},
		{"removed constant", `const int step = 4; int n = 3; Handler().single_task([=] { out[0] = (use(step), n); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8), sized(4, 12)}, nil, []string{"out", "n"}}}},
		{"removed constant at run time", `int n = 3; const int step = runtime(); Handler().single_task([=] { out[0] = (use(step), n); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8), sized(4, 12)}, same, []string{"out", "n"}}}},
		{"removed pack", `int n = 3; auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); out[0] = n; }); }; run(1, 2);`,
			[]kernel{{24, parameters{sized(4, 0), sized(4, 4), pointer(8), sized(4, 16)}, &Layout{24, 24, []move{{12, 0, 8}, {0, 8, 12}}}, []string{"out", "n"}}}},
		{"removed pack, mentioned last", `int n = 3; auto run = [&](auto... v) { Handler().single_task([=] { out[0] = n; (use(v), ...); }); }; run(1, 2);`,
			[]kernel{{24, parameters{pointer(0), sized(4, 8), sized(4, 12), sized(4, 16)}, nil, []string{"out", "n"}}}},
		{"removed pack in a fold with a value", `int n = 3, m = 4; auto run = [&](auto... v) { Handler().single_task([=] { n + (v + ... + m); out[0] = 1; }); }; run(1);`,
			[]kernel{{24, parameters{sized(4, 0), sized(4, 4), sized(4, 8), pointer(16)}, nil, []string{"n", "m", "out"}}}},
		{"empty element of a pack", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); use(acc); out[0] = s; }); }; run(Empty());`,
			[]kernel{{56, parameters{sized(1, 0), accessor(8), pointer(40), sized(2, 48)}, &Layout{48, 56, []move{{42, 0, 1}, {0, 8, 42}}}, []string{"acc", "out", "s"}}}},
		{"empty element of a pack in a fold with a value", `auto run = [&](auto... v) { Handler().single_task([=] { (v = ... = acc); out[0] = 1; }); }; run(Empty());`,
			[]kernel{{48, parameters{accessor(0), sized(1, 32), pointer(40)}, &Layout{48, 48, []move{{0, 0, 32}, {40, 32, 1}, {32, 40, 8}}}, []string{"acc", "out"}}}},
		{"pack in a lambda", `int n = 3; auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(); }); };
			auto make = [](int n, auto... v) { return [=] { return n + (v + ...); }; }; run(make(n, s));`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, nil, []string{"out", "v"}}}},
		{"only a pack in a lambda", `auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(); }); };
			auto make = [](auto... v) { return [=] { return (v + ...); }; }; run(make(s));`,
			[]kernel{{16, parameters{pointer(0), sized(2, 8)}, same, []string{"out", "v"}}}},
		{"pack in a subscript", `auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(); }); };
			auto make = [](int *t, auto... v) { return [=] { int x = 0; ((x = x * 10 + t[v]), ...); return x; }; }; run(make(out, 1, 2));`,
			[]kernel{{24, parameters{pointer(0), sized(16, 8)}, nil, []string{"out", "v"}}}},
		{"pack in a lambda in a lambda", `auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(); }); };
			auto make = [](auto... v) { return [=] { int x = 0; ([&] { x = x * 10 + v; }(), ...); return x; }; }; run(make(1, 2));`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, nil, []string{"out", "v"}}}},
		{"capture list with a pack", `int n = 3; auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(); }); };
			auto make = [](int n, auto... v) { return [v..., n] { return ((v * n) + ...); }; }; run(make(n, 1, 2));`,
			[]kernel{{24, parameters{pointer(0), sized(12, 8)}, same, []string{"out", "v"}}}},
		{"variable in a discarded branch of a kernel", `int n = 3, m = 4; auto run = [&](auto tag) { Handler().single_task([=] { int x = 0; if constexpr (sizeof tag == 1) { x = m; } x = n; out[0] = x * 10 + m; }); }; run(1);`,
			[]kernel{{16, parameters{sized(4, 0), sized(4, 4), pointer(8)}, &Layout{16, 16, []move{{4, 0, 4}, {0, 4, 4}, {8, 8, 8}}}, []string{"n", "m", "out"}}}},
		{"variable in two branches", `auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(1); }); };
			auto make = [](int n, int m) { return [=](auto i) { int x = 0; if constexpr (sizeof i == 1) { x = m; } else { x = n; x = x * 10 + m; } return x; }; }; run(make(1, 2));`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, nil, []string{"out", "v"}}}},
		{"branch without braces", `auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(1); }); };
			auto make = [](int n, int m) { return [=](auto i) { int x = 0; if constexpr (sizeof i == 1) while (i < 0) { i += m; } x = n * 10 + m; return x; }; }; run(make(1, 2));`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, nil, []string{"out", "v"}}}},
		{"branch after braces of parameters", `auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(1); }); };
			auto make = [](int n, int m) { return [=](auto i, Empty e = {}) noexcept(noexcept(Empty{})) { int x = 0; if constexpr (sizeof i == 1) x = m; x = n * 10 + m; return x; }; }; run(make(1, 2));`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, nil, []string{"out", "v"}}}},
		{"variables before a branch", `auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(1); }); };
			auto make = [](int n, int m) { return [=](auto i) { int x = n * 10 + m; if constexpr (sizeof i == 1) x = m; else x += n; return x; }; }; run(make(1, 2));`,
			[]kernel{{16, parameters{pointer(0), sized(8, 8)}, same, []string{"out", "v"}}}},
		{"variable in a discarded branch of a lambda", `long n = 3; auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(1); }); };
			auto make = [](auto n, short s, auto out) { return [=](auto i) { if constexpr (sizeof(i) == 1) out[0] = s; else out[0] = n; out[1] = s; return 1; }; }; run(make(n, s, out));`,
			[]kernel{{32, parameters{pointer(0), sized(24, 8)}, nil, []string{"out", "v"}}}},
		{"variable only in a discarded branch of a lambda", `long n = 3; auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(1); }); };
			auto make = [](long n, short s, short t) { return [=](auto i) { long m = n; if constexpr (sizeof(i) == 1) m = s; else m++; return m + t; }; }; run(make(n, s, s));`,
			[]kernel{{24, parameters{pointer(0), sized(16, 8)}, nil, []string{"out", "v"}}}},
		{"capture list with a variable in a discarded branch", `long n = 3; auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(1); }); };
			auto make = [](long n, short s, short t) { return [n, s, t](auto i) { long m = n; if constexpr (sizeof(i) == 1) m = s; else m++; return m + t; }; }; run(make(n, s, s));`,
			[]kernel{{24, parameters{pointer(0), sized(16, 8)}, same, []string{"out", "v"}}}},
		{"empty class and a pack", `Empty e; auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); use(e); out[0] = 1; }); }; run('a');`,
			[]kernel{{16, parameters{sized(1, 0), sized(1, 1), pointer(8)}, nil, []string{"v", "out"}}}},
		{"no doubt with names", `const int step = 4, n = runtime(); submit([&](auto &h) { h.single_task([=] { out[0] = step + n; }); });`,
			[]kernel{{16, parameters{pointer(0), sized(4, 8)}, &Layout{16, 16, []move{{0, 0, 8}, {12, 8, 4}}}, []string{"out", "n"}}}},
		{"another kernel", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step; }); });`,
			[]kernel{{12, parameters{pointer(0), sized(4, 8)}, nil, nil}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var name uint64
			if strings.Contains(tt.body, "class Named") {
				name = hash("_ZTSZ1fPis8AccessorE5Named")
			}
			object := compiled(t, tt.body, name)
			host := testkit.Must(readObject(bytes.NewReader(object)))(t)
			if strings.HasSuffix(tt.name, "g++ 16") && host.GCC < 16 {
				t.Skip("an older g++ does not capture the constant")
			}
			if len(host.Submitted) != len(tt.kernels) {
				t.Fatalf("the object has %v", host.Submitted)
			}
			slices.SortFunc(host.Submitted, func(a, b Kernel) int {
				return strings.Index(a.Name, "Rounded<") - strings.Index(b.Name, "Rounded<")
			})
			var device []Kernel
			for i, k := range tt.kernels {
				submitted := host.Submitted[i]
				device = append(device, Kernel{Name: submitted.Name, Size: k.size, symbol: fmt.Sprint("_ZTS", i), parameters: k.parameters, hash: submitted.hash, captures: k.captures, Location: kernelAt(tt.body)})
			}
			layouts := testkit.Must(layoutsOf(bytes.NewReader(object), device, map[string]*source{"a.cpp": sourceOf(tt.body)}))(t)
			errors := 0
			for i, k := range tt.kernels {
				got, ok := layouts[device[i].symbol]
				if ok != (k.want != same) || ok && !reflect.DeepEqual(got, k.want) {
					t.Errorf("%d: got %v %+v, want %+v", i, ok, got, k.want)
				}
				if k.want == nil {
					errors++
				} else if k.want != same && !needLayouts(device, host, nil) {
					t.Error("layouts are needed")
				}
			}
			host.Layouts = layouts
			if found := compare(device, host); len(found) != errors {
				t.Errorf("found %v", found)
			}
		})
	}
}

func TestNeedLayouts(t *testing.T) {
	for _, tt := range []struct {
		size, host int64
		parameters []hostwrap.Parameter
		want       bool
	}{
		{8, 8, []hostwrap.Parameter{pointer(0)}, false},
		{8, 16, []hostwrap.Parameter{pointer(0)}, true},
		{16, 8, []hostwrap.Parameter{pointer(0), pointer(8)}, true},
		{16, 16, []hostwrap.Parameter{pointer(0), sized(2, 8)}, true},
		{16, 16, []hostwrap.Parameter{sized(4, 0), pointer(8)}, true},
		{40, 40, []hostwrap.Parameter{accessor(0), pointer(32)}, false},
		{40, 40, []hostwrap.Parameter{pointer(0), accessor(8)}, false},
		{24, 24, []hostwrap.Parameter{pointer(0), sized(16, 8)}, true},
		{1, 1, nil, false},
	} {
		device := []Kernel{{Name: "K", Size: tt.size, parameters: tt.parameters}}
		host := &hostObject{Readable: true, GCC: 16, Submitted: []Kernel{{Name: "K", Size: tt.host}}}
		if got := needLayouts(device, host, nil); got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
		host.GCC = 0
		if needLayouts(device, host, nil) {
			t.Errorf("%+v: clang", tt)
		}
	}
}

func FuzzLayouts(f *testing.F) {
	object := compiled(f, `const int step = 4; submit([&](auto &h) {
		const int n = runtime(); auto k = [=] { use(acc); out[0] = step + s + n; }; h.single_task(k); h.single_task(Rounded<decltype(k)>{8, k}); });`, 0)
	host, err := readObject(bytes.NewReader(object))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, []byte{})
	for at := 0; at < len(object); at += 97 {
		f.Add(at, []byte{0xff, 0x80, 0, 0x13})
	}
	device := slices.Clone(host.Submitted)
	for i := range device {
		device[i].Size -= 8
	}
	f.Fuzz(func(t *testing.T, at int, patch []byte) {
		if at < 0 || at > len(object) {
			return
		}
		patched := slices.Clone(object)
		copy(patched[at:], patch)
		layouts, err := layoutsOf(bytes.NewReader(patched), device, map[string]*source{"a.cpp": sourceOf("[=](auto i) { if constexpr (i) f(); }")})
		for symbol, l := range layouts {
			if err != nil || l != nil && l.Host < 0 {
				t.Errorf("%s: %+v, %v", symbol, l, err)
			}
		}
	})
}

func TestReorders(t *testing.T) {
	for text, want := range map[string]bool{
		"[=](auto... i) { f(i...); }":                                      true,
		"[ = ] { if  constexpr (true) f(); }":                              true,
		"[=, w = 1](int i, S z = {}) noexcept(noexcept(S{})) { g(v...); }": true,
		"KOKKOS_LAMBDA(int i) { IF_CONSTEXPR (i) f(); }":                   true,
		"[=] { [&] { f(v...); }(); }":                                      true,
		"[=] { f(); } template <class... T> void g(T... t) { h(t...); }":   false,
		"[v..., n] { f(v...); }":                                           false,
		"[&] { f(v...); }":                                                 false,
		"[=] { constexpr int n = 1; }":                                     false,
		"a[0] = { 1 }; f(t...);":                                           false,
	} {
		if got := reorders(bare(text)); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
	if reorders(bare("[=] { /* } */ f('}', \"}\", v...); }")) != true {
		t.Error("a bracket in a comment or a literal ends a lambda")
	}
}

func TestSources(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "main.cpp", "#include <sycl/sycl.hpp>\n#include \"a/make.hpp\"\n# include <make.hpp>\n#include \"plain.hpp\"\n#include \"missing.hpp\"\n")
	testkit.WriteFile(t, "a/make.hpp", "#include \"list.hpp\"\n[=] { f(v...); }")
	testkit.WriteFile(t, "a/list.hpp", "[v...] { f(v...); }\n#include \"make.hpp\"\n")
	testkit.WriteFile(t, "b/make.hpp", "[=] { if constexpr (n) f(); }")
	testkit.WriteFile(t, "plain.hpp", "[=] { f(); }")
	testkit.WriteFile(t, "b/sycl/sycl.hpp", "[=] { f(v...); }")
	s := Source{Name: "main.cpp", Compile: []string{"g++", "-I", "b", "-iquotea/none"}}
	sources := s.sources(nil)
	if got, want := strings.Join(slices.Sorted(maps.Keys(sources)), " "), "./a/make.hpp ./b/make.hpp list.hpp main.cpp"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !mayReorderIn(sources) || sources["main.cpp"].reorders || sources["list.hpp"].reorders {
		t.Error("the wrong files may reorder captures")
	}
}

func FuzzSource(f *testing.F) {
	f.Add("[=](int i, S z = {}) noexcept(true) {\n  if constexpr (i) f(v...); }", int64(1), int64(1))
	f.Add("KOKKOS_LAMBDA(int i) { [v...] { ((f(v), ...)); }(); }", int64(1), int64(1))
	f.Add("(v + ...)", int64(1), int64(5))
	f.Fuzz(func(t *testing.T, text string, line, column int64) {
		s := sourceOf(text)
		if at := s.branchesOf(line, column); at >= len(s.text) {
			t.Errorf("a branch at %d of %d", at, len(s.text))
		}
		if s.isEllipsis(line, column) && !strings.Contains(text, "...") {
			t.Error("found an ellipsis")
		}
		if before, ok := expansion(s.text); ok && !strings.HasPrefix(s.text[len(before):], "...") {
			t.Errorf("found %q", before)
		}
		s.reverses("v", srcloc.Location{Path: "a.cpp", Line: uint32(line), Column: uint32(column)})
	})
}
