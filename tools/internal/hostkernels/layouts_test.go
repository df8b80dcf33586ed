package hostkernels

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
)

// library contains the relevant parts of rules/dpcpp/host and of libsycl's headers.
const library = `
namespace rules_sycl {
template <class K, unsigned long Size, unsigned long Name>
struct Submitted {
  __attribute__((used, visibility("hidden"))) static inline char here = 0;
};
}
template <class K, class Type>
struct KernelWrapper {
  static void wrap(const Type &) { (void)&rules_sycl::Submitted<K, sizeof(Type), Name>::here; }
};
struct P2 { int x; };
struct __attribute__((packed)) Packed { char c; short s; };
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
func compiled(t testing.TB, body string, hash uint64, options ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	source, out := filepath.Join(dir, "a.cpp"), filepath.Join(dir, "a.o")
	text := fmt.Sprintf("constexpr unsigned long Name = %du;%svoid f(int *out, short s, Accessor acc) {\n#line 1\n%s\n}\n", hash, library, body)
	testkit.NoError(t, os.WriteFile(source, []byte(text), 0o644))
	args := append([]string{"-std=c++17", "-c", "-o", out, source}, options...)
	if text, err := exec.Command(testkit.Program(t, "g++"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	object := testkit.Must(os.ReadFile(out))(t)
	return object
}

// described returns the class with the given description, which is "" for a kernel without lambdas.
func described(t testing.TB, description string) *hostwrap.Class {
	t.Helper()
	if description == "" {
		return nil
	}
	kernels := hostwrap.ParseHeader("template <> struct KernelInfo<K> {\n  getName() { return \"K\"; }\n};\n// Class of K: " + description + "\n")
	if len(kernels) != 1 || kernels[0].Class == nil {
		t.Fatalf("cannot read %q", description)
	}
	return kernels[0].Class
}

func TestLayouts(t *testing.T) {
	type kernel struct {
		device string // the class of the kernel in the device compile
		moves  []move // nil if it has the same layout
		err    string // part of the error
	}
	var same []move
	tests := []struct {
		name    string
		body    string
		kernels []kernel // the kernel that the body submits, and its Rounded kernel, if any
	}{
		{"no constant", `submit([&](Handler &h) { h.single_task([=] { out[0] = s; }); });`,
			[]kernel{{"16{out@0:8 s@8:2}", same, ""}}},
		{"last", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step; }); });`,
			[]kernel{{"8{out@0:8}", []move{{0, 0, 8}}, ""}}},
		{"of one size", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step + s; }); });`,
			[]kernel{{"16{out@0:8 s@8:2}", []move{{0, 0, 8}, {12, 8, 2}}, ""}}},
		{"only a constant", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { use(step + 1); }); });`,
			[]kernel{{"1{}", []move{}, ""}}},
		{"types", `struct P { _Complex float v; constexpr P() : v(1) {} constexpr P(const P &o) : v(o.v) {} }; constexpr P p; int P2::*data = &P2::x; decltype(nullptr) null = nullptr;
			const long n = 7; int list[3] = {}; submit([&](Handler &h) { h.single_task([=] { auto q = p; use(s); out[list[0]] = int(__real__ q.v) + n; use(data); use(null == nullptr); use(acc); }); });`,
			[]kernel{{"88{p@0c:8 s@8:2 out@16:8 list@24:12 data@40:8 null@48:8 acc@56:32}", []move{{0, 0, 36}, {48, 40, 48}}, ""}}},
		{"packed", `struct __attribute__((packed)) P { char c; int i; }; P p{}; short t = s; const int step = 4;
			submit([&](Handler &h) { h.single_task([=] { out[0] = s; auto q = p; out[1] = step + t; }); });`,
			[]kernel{{"24{out@0:8 s@8:2 p@10:5 t@16:2}", []move{{0, 0, 15}, {20, 16, 2}}, ""}}},
		{"too large", `char large[2 << 20]; const int step = 4;
			submit([&](Handler &h) { h.single_task([=] { out[0] = large[0] + step + s; }); });`,
			[]kernel{{"2097168{out@0:8 large@8:2097152 s@2097160:2}", nil, "g++ and DPC++ capture different variables"}}},
		{"many sections", `asm(".macro section\n.pushsection .x\\@\n.popsection\n.endm\n.rept 66000\nsection\n.endr");
			const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step; }); });`,
			[]kernel{{"8{out@0:8}", []move{{0, 0, 8}}, ""}}},
		{"empty class", `Empty e; short t = s; Handler().single_task([=] { use(t); use(e); out[0] = 1; });`,
			[]kernel{{"16{t@0:2 e@2:1 out@8:8}", same, ""}}},
		{"capture list", `const int step = 4; submit([&](Handler &h) { h.single_task([step, out] { out[0] = step; }); });`,
			[]kernel{{"16{step@0:4 out@8:8}", same, ""}}},
		{"with a name", `const int step = 4; submit([&](Handler &h) { h.named<class Named>([=] { out[0] = step; }); });`,
			[]kernel{{"8{out@0:8}", []move{{0, 0, 8}}, ""}}},
		{"bound to a reference", `const int step = 4; int n = 3; Handler().single_task([=] { out[0] = (use(step), n); });`,
			[]kernel{{"16{out@0:8 n@8:4 step@12c:4}", []move{{0, 0, 8}, {12, 8, 4}, {8, 12, 4}}, ""}}},
		{"branch", `int n = 3, m = 4; auto run = [&](auto tag) { Handler().single_task([=] { int x = 0; if constexpr (sizeof tag == 1) { x = m; } x = n; out[0] = x * 10 + m; }); }; run(1);`,
			[]kernel{{"16{n@0:4 m@4:4 out@8:8}", []move{{4, 0, 4}, {0, 4, 4}, {8, 8, 8}}, ""}}},
		{"lambda in a lambda", `const int step = 4; submit([&](Handler &h) { auto g = [=](int i) { return step * i + s; }; h.single_task([=] { out[0] = g(1); }); });`,
			[]kernel{{"16{out@0:8 g@8:2{s@0:2}}", []move{{0, 0, 8}, {12, 8, 2}}, ""}}},
		{"array of lambdas", `const short a = 4; submit([&](Handler &h) { auto g = [=] { return a + s; }; decltype(g) list[2] = {g, g}; h.single_task([=] { out[0] = list[1](); }); });`,
			[]kernel{{"16{out@0:8 list@8:2x2{s@0:2}}", []move{{0, 0, 8}, {10, 8, 2}, {14, 10, 2}}, ""}}},
		{"array of arrays of lambdas", `const short a = 4; submit([&](Handler &h) { auto g = [=] { return a + s; }; decltype(g) list[2][3] = {{g, g, g}, {g, g, g}}; h.single_task([=] { out[0] = list[1][2](); }); });`,
			[]kernel{{"24{out@0:8 list@8:6x2{s@0:2}}", []move{{0, 0, 8}, {10, 8, 2}, {14, 10, 2}, {18, 12, 2}, {22, 14, 2}, {26, 16, 2}, {30, 18, 2}}, ""}}},
		{"fewer lambdas", `submit([&](Handler &h) { auto g = [=] { return s; }; decltype(g) list[2] = {g, g}; h.single_task([=] { out[0] = list[1](); }); });`,
			[]kernel{{"16{out@0:8 list@8:1x2{s@0:2}}", nil, "g++ and DPC++ capture different variables"}}},
		{"bit-field beside a lambda", `const int step = 4; submit([&](Handler &h) { auto g = [=] { return step + s; }; struct B { decltype(g) f; unsigned c : 5, d : 7; }; B b{g, 6, 7}; h.single_task([=] { out[0] = b.f() + b.c + b.d; }); });`,
			[]kernel{{"16{out@0:8 b@8:4{f@0:2{s@0:2} c@2:1 d@2:2}}", []move{{0, 0, 8}, {12, 8, 2}, {16, 10, 2}}, ""}}},
		{"base class with a lambda", `const int step = 4; submit([&](Handler &h) { auto g = [=] { return step + s; }; struct D : Empty, decltype(g) { long n; }; D d{{}, {g}, 1}; h.single_task([=] { out[d.n] = d(); }); });`,
			[]kernel{{"24{out@0:8 d@8:16{@0:1 @0:2{s@0:2} n@8:8}}", []move{{0, 0, 8}, {12, 8, 2}, {16, 16, 8}}, ""}}},
		{"any range", `const int step = 4; submit([&](auto &h) {
			auto k = [=] { out[0] = step + s; }; h.single_task(k); h.single_task(Rounded<decltype(k)>{8, k}); });`,
			[]kernel{
				{"16{out@0:8 s@8:2}", []move{{0, 0, 8}, {12, 8, 2}}, ""},
				{"24{range@0:8 f@8:16{out@0:8 s@8:2}}", []move{{0, 0, 16}, {20, 16, 2}}, ""},
			}},
		{"right fold", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); }); }; run(1, 2, 3);`,
			[]kernel{{"12{v@0:4 v@0:4 v@0:4}", []move{{8, 0, 4}, {4, 4, 4}, {0, 8, 4}}, ""}}},
		{"left fold", `auto run = [&](auto... v) { Handler().single_task([=] { (..., use(v)); }); }; run(1, 2, 3);`,
			[]kernel{{"12{v@0:4 v@0:4 v@0:4}", same, ""}}},
		{"right fold with a variable", `int n = 3; auto run = [&](auto... v) { Handler().single_task([=] { (use(v + n), ...); }); }; run(s, 2);`,
			[]kernel{{"12{v@0:4 n@4:4 v@0:4}", []move{{8, 0, 4}, {0, 4, 6}}, ""}}},
		{"elements of different sizes", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); }); }; run(s, 2, 'a', 3L);`,
			[]kernel{{"24{v@0:8 v@0:8 v@0:8 v@0:8}", []move{{16, 0, 8}, {8, 8, 1}, {4, 12, 4}, {0, 16, 2}}, ""}}},
		{"one element", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); out[0] = s; }); }; run(1);`,
			[]kernel{{"24{v@0:4 out@8:8 s@16:2}", []move{{12, 0, 4}, {0, 8, 10}}, ""}}},
		{"pack in a capture list", `auto run = [&](auto... v) { Handler().single_task([v...] { (use(v), ...); }); }; run(1, 2, 3);`,
			[]kernel{{"12{v@0:4 v@0:4 v@0:4}", same, ""}}},
		{"pack in a captured lambda", `auto run = [&](auto v) { Handler().single_task([=] { out[0] = v(); }); };
			auto make = [](int n, auto... v) { return [=] { return (((v * n)) + ...); }; }; run(make(3, s, 2));`,
			[]kernel{{"24{out@0:8 v@8:12{v@0:4 n@4:4 v@0:4}}", []move{{0, 0, 8}, {16, 8, 4}, {8, 12, 6}}, ""}}},
		{"pack in a macro", `#define KERNEL [=] { (use(v), ...); }
			auto run = [&](auto... v) { Handler().single_task(KERNEL); }; run(1, 2, 3);`,
			[]kernel{{"12{v@0:4 v@0:4 v@0:4}", nil, "may order the elements of 'v' differently"}}},
		{"packed class in a pack", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v), ...); }); }; run('a', Packed{}, 3L);`,
			[]kernel{{"16{v@0:8 v@0:8 v@0:8}", []move{{8, 0, 8}, {1, 8, 3}, {0, 11, 1}}, ""}}},
		{"initialized pack", `auto run = [&](auto... v) { Handler().single_task([=, ...w = v] { (use(w), ...); }); }; run(1, 2);`,
			[]kernel{{"8{w@0:4 w@0:4}", same, ""}}},
		{"lambdas in a pack", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v()), ...); }); };
			int n = 3; auto a = [n] { return n; }; run(a, a);`,
			[]kernel{{"8{v@0:4{n@0:4} v@0:4{n@0:4}}", []move{{4, 0, 4}, {0, 4, 4}}, ""}}},
		{"different lambdas in a pack", `auto run = [&](auto... v) { Handler().single_task([=] { (use(v()), ...); }); };
			int n = 3; run([n] { return n; }, [n, s] { return n + s; });`,
			[]kernel{{"12{v@0:8{n@0:4 s@4:2} v@0:8{n@0:4 s@4:2}}", nil, "g++ and DPC++ capture different variables"}}},
		{"evaluated by g++", `const int step = 4; int n = 3; Handler().single_task([=] { use(n); use(step + 1); });`,
			[]kernel{{"8{n@0:4 step@4c:4}", nil, "only the device code captures 'step'"}}},
		{"another kernel", `const int step = 4; submit([&](Handler &h) { h.single_task([=] { out[0] = step; }); });`,
			[]kernel{{"16{out@0:8 n@8:4}", nil, "only the device code captures 'n'"}}},
		{"another type", `submit([&](Handler &h) { h.single_task([=] { out[0] = s; }); });`,
			[]kernel{{"16{out@0:8 s@8:4}", nil, "g++ and DPC++ capture different variables"}}},
		{"outside of the kernel", `submit([&](Handler &h) { h.single_task([=] { out[0] = s; }); });`,
			[]kernel{{"16{out@0:8 s@16:2}", nil, "g++ and DPC++ capture different variables"}}},
		{"class", `struct K { int *p; const int n; void operator()() const {} }; submit([&](Handler &h) { h.single_task(K{out, 1}); });`,
			[]kernel{{"16{p@8:8 n@0c:4}", same, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var name uint64
			if strings.Contains(tt.body, "class Named") {
				name = hostwrap.Hash("_ZTSZ1fPis8AccessorE5Named")
			}
			object := compiled(t, tt.body, name, "-g", "-O0")
			host := testkit.Must(readObject(bytes.NewReader(object)))(t)
			if len(host.Submitted) != len(tt.kernels) {
				t.Fatalf("the object has %v", host.Submitted)
			}
			slices.SortFunc(host.Submitted, func(a, b Kernel) int { return cmp.Compare(len(a.Name), len(b.Name)) })
			var device []Kernel
			for i, k := range tt.kernels {
				submitted, class := host.Submitted[i], described(t, k.device)
				device = append(device, Kernel{Name: submitted.Name, Size: class.Size, symbol: fmt.Sprint("_ZTS", i), hash: submitted.hash, class: class})
			}
			sources := []*source{sourceOf(tt.body)}
			layouts := testkit.Must(layoutsOf(bytes.NewReader(object), device, sources))(t)
			errors := 0
			for i, k := range tt.kernels {
				got, err := layouts.known[device[i].symbol], layouts.unknown[device[i].symbol]
				switch {
				case k.err != "":
					errors++
					if err == nil || !strings.Contains(err.Error(), k.err) {
						t.Errorf("got the error %v, want %q", err, k.err)
					}
				case err != nil:
					t.Error(err)
				case k.moves == nil && got != nil:
					t.Errorf("%d: got %+v", i, got)
				case k.moves != nil && (got == nil || !slices.Equal(got.Moves, k.moves) || got.Host != host.Submitted[i].Size || got.Device != device[i].Size):
					t.Errorf("%d: got %+v, want %+v", i, got, k.moves)
				case k.moves != nil && !needLayouts(device, host, sources):
					t.Error("layouts are needed")
				}
			}
			host.Layouts = layouts
			if found := compare(device, host); len(found) != errors {
				t.Errorf("found %v", found)
			}

			object = compiled(t, tt.body, name, "-g", "-O2")
			optimized := testkit.Must(layoutsOf(bytes.NewReader(object), device, sources))(t)
			if !optimized.complete || len(optimized.unknown) != errors || !reflect.DeepEqual(optimized.known, layouts.known) {
				t.Errorf("-O2: got %+v, want %+v", optimized, layouts)
			}
		})
	}
}

func TestLayoutsWithoutDebugInfo(t *testing.T) {
	object := compiled(t, "submit([&](Handler &h) { h.single_task([=] { out[0] = s; }); });", 0, "-O2")
	if l, err := layoutsOf(bytes.NewReader(object), nil, nil); err == nil {
		t.Errorf("got %+v", l)
	}
}

func TestNeedLayouts(t *testing.T) {
	const pair, gap, flat = "16{p@0:8 n@8:4 m@12:4}", "16{p@0:8 n@8:4}", "[=] { p[0] = n; }"
	for _, tt := range []struct {
		class, text string
		host        int64
		want        bool
	}{
		{"8{p@0:8}", flat, 8, false},
		{"8{p@0:8}", flat, 16, true},
		{"", flat, 16, true},
		{"", "const int k = 4; " + flat, 8, false},
		{pair, flat, 16, false},

		// Constants in a gap.
		{gap, flat, 16, false},
		{gap, "const int k = 4; " + flat, 16, true},
		{gap, "const int k = 4; KOKKOS_LAMBDA(int i) { p[i] = n; }", 16, true},
		{gap, "const int k = 4; [ = ] { p[0] = n; }", 16, true},
		{gap, "const int k = 4; [p, n] { p[0] = n; }", 16, false},
		{gap, "constexpr char t[2] = {1, 2}; " + flat, 16, true},
		{gap, "const short &r = limit; " + flat, 16, true},
		{gap, "constexpr Config k; " + flat, 16, true},
		{gap, "constexpr int k = square(2); " + flat, 16, true},
		{gap, "template <int N, class T> void f() { const int k = N; " + flat + "}", 16, true},
		{gap, "void f(auto n, short s) { const int step = 2; " + flat + "}", 16, true},
		{gap, "void f(v &x) { const int k = x.size(); " + flat + "}", 16, false},
		{"16{n@0:4 p@8:8}", "const int k = 4; " + flat, 16, true},
		{"16{n@0:8 p@8:8}", "const int k = 4; " + flat, 16, false},
		{"16{p@0:8 g@8:8{n@0:4}}", "const int k = 4; " + flat, 16, true},
		{"1{}", "const int k = 4; " + flat, 1, false},

		// Different orders.
		{pair, "[=] { if constexpr (x) p[0] = n; }", 16, true},
		{pair, "[=, k = Pair{1, 2}] { IF_CONSTEXPR(x) p[0] = n; }", 16, true},
		{pair, "[=] { (f(v), ...); }", 16, true},
		{pair, "[=] { auto g = [n, k = w](int j) { return n * 10 + k + j; }; }", 16, true},
		{pair, "[=] { auto g = [n, &k = w](int j) { return n * 10 + k + j; }; }", 16, true},
		{pair, "[=] { auto g = [this, a = 1, n, k{w}] { return n * 10 + k; }; }", 16, true},
		{pair, "try { [=] { p[0] = n; } } catch (...) {}", 16, false},
		{pair, "[=, p = q] { auto g = [=, k = w] { p[k, n] = 1; }; }", 16, false},
		{pair, "[k = w, n] { int a[2] = {1, 2}; return k == n; }", 16, false},
		{"8{p@0:8}", "[=] { if constexpr (x) p[0] = n; }", 8, false},
		{"16{p@0:8 g@8:8{n@0:4 m@4:4}}", "[=] { if constexpr (x) p[0] = n; }", 16, true},
		{"16{p@0:8 v@8:4 v@8:4}", flat, 16, true},

		// Constants in a different place.
		{"16{p@0:8 n@8c:8}", flat, 16, true}, // a macro may declare n
		{"16{p@0:8 n@8c:8}", "const long n = 4; " + flat, 16, true},
		{"16{p@0:8 n@8c:8}", "constexpr long n[1] = {4}; " + flat, 16, true},
		{"16{p@0:8 n@8c:8}", "constexpr int n = square(2); " + flat, 16, true},
		{"16{p@0:8 n@8c:8}", "template <class T, class U> void f() { constexpr int n = sizeof(T); " + flat + "}", 16, true},
		{"16{p@0:8 n@8c:8}", "template <class T> void f(T v) { const int n = v; " + flat + "}", 16, true},
		{"16{p@0:8 n@8c:8}", "struct S { int x, N; static constexpr int M = 2; }; void f(int x) { const int n = S::M; " + flat + "}", 16, true},
		{"16{p@0:8 n@8c:8}", "void f(char x) { const int n = sizeof(x); " + flat + "}", 16, true},
		{"16{p@0:8 n@8c:8}", "void f(v &x) { const long n = x.size(); " + flat + "}", 16, false},
		{"16{p@0:8 n@8c:8}", "void f(const long n) { " + flat + "}", 16, false},
		{"16{p@0:8 n@8c:8}", "void f(v &a) { const int k = a.size(); const auto n = k; " + flat + "}", 16, false},
		{"8{n@0c:8}", "const long n = 4; " + flat, 8, false},
	} {
		class := described(t, tt.class)
		device := []Kernel{{Name: "K", Size: 8, class: class}}
		if class != nil {
			device[0].Size = class.Size
		}
		host := &hostObject{Readable: true, GCC: 16, Submitted: []Kernel{{Name: "K", Size: tt.host}}}
		sources := []*source{sourceOf(tt.text)}
		if got := needLayouts(device, host, sources); got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
		host.GCC = 0
		if needLayouts(device, host, sources) {
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
	f.Add(0, []byte{}, "40{acc@0:32 out@32:8 s@40:2 n@44:4}")
	f.Add(0, []byte{}, "24{v@0:8 v@0:8 @0:1{}}")
	for at := 0; at < len(object); at += 97 {
		f.Add(at, []byte{0xff, 0x80, 0, 0x13}, "48{range@0:8 f@8:40{acc@0:32 out@32:8}}")
	}
	device := slices.Clone(host.Submitted)
	f.Fuzz(func(t *testing.T, at int, patch []byte, class string) {
		if at < 0 || at > len(object) {
			return
		}
		patched := slices.Clone(object)
		copy(patched[at:], patch)
		kernels := hostwrap.ParseHeader("template <> struct KernelInfo<K> {\n  getName() { return \"K\"; }\n};\n// Class of K: " + class + "\n")
		for i := range device {
			device[i].class = kernels[0].Class
		}
		layouts, err := layoutsOf(bytes.NewReader(patched), device, []*source{sourceOf(class)})
		if err != nil {
			return
		}
		for symbol, l := range layouts.known {
			for _, m := range l.Moves {
				if m.Host < 0 || m.Device < 0 || m.Size < 1 || m.Device+m.Size > l.Device {
					t.Errorf("%s: %+v", symbol, l)
				}
			}
		}
	})
}

// TestReverses checks capture orders that were observed with DPC++ 2026.2.0.
func TestReverses(t *testing.T) {
	const forward, backward, unknown = "forward", "backward", "unknown"
	for body, want := range map[string]string{
		"((s = s * 5 + v), ...);":                                 backward,
		"(..., (s = s * 5 + v));":                                 forward,
		"([&] { s = s * 5 + v; }(), ...);":                        backward,
		"(..., [&] { s = s * 5 + v; }());":                        forward,
		"[&] { ((s = s * 5 + v), ...); }();":                      backward,
		"([=] { return v; }() + ...);":                            backward,
		"([&](auto z) { s += v + z; }(1), ...);":                  backward,
		"((s += [&] { return v; }()), ...);":                      backward,
		"f(v...);":                                                forward,
		"f([&] { return v; }()...);":                              forward,
		"f(1, v...);":                                             forward,
		"(f(v, w...), ...);":                                      backward,
		"(f(w..., v), ...);":                                      backward,
		"([&] { [&] { s += v; }(); }(), ...);":                    backward,
		"(s + ... + v);":                                          forward,
		"(v + ... + s);":                                          backward,
		"f((v + s)...);":                                          forward,
		"(void)sizeof...(v); ((s += v), ...);":                    backward,
		"(void)sizeof (v); (..., (s += v));":                      forward,
		"{ long a[] = {v...}; s = a[0]; }":                        forward,
		"((v, ...), s);":                                          backward,
		"((s += v), ...), (..., (s += v));":                       backward,
		"if constexpr (sizeof...(v) == 3) ((s += v), ...);":       backward,
		"if constexpr (c) ((s += v), ...); else (..., (s += v));": unknown,
		"decltype((v + ...)) x = 0; (..., (x = x * 10 + v));":     unknown,
		"(void)sizeof((v + ...)); (..., (s += v));":               forward,
		"static_assert(noexcept((v + ...))); (..., (s += v));":    unknown,
		"[](int v) { return v + 1; }(1); ((s += v), ...);":        unknown,
		"struct L { int v; }; ((s += v), ...);":                   unknown,
		"FOLD(v);":                                                unknown,
		"[&](auto... w) { ((s += v + w), ...); }(v...);":          unknown,
		"(([&] { s += v; }(), s += v), ...);":                     backward,
		"s = 1;":                                                  unknown,
	} {
		for _, column := range []int64{3, 5} { // g++ 12 and 16
			reversed, ok := sourceOf("f([=] { long s = 1; "+body+" });").reverses("v", 1, column)
			if got := map[bool]string{false: forward, true: backward}[reversed]; ok && got != want || !ok && want != unknown {
				t.Errorf("%s: got %s, %t, want %s", body, got, ok, want)
			}
		}
	}
}

func FuzzSource(f *testing.F) {
	f.Add("[=](int i, S z = {}) noexcept(true) {\n  if constexpr (i) f(v...); }", int64(1), int64(1))
	f.Add("KOKKOS_LAMBDA(int i) { [v...] { ((f(v), ...)); }(); }", int64(1), int64(1))
	f.Add("[=] { const int n = 4; (v + ... + n); }", int64(1), int64(1))
	f.Fuzz(func(t *testing.T, text string, line, column int64) {
		s := sourceOf(text)
		if _, ok := s.reverses("v", line, column); ok && !strings.Contains(text, "v") {
			t.Error("found a pack")
		}
		s.mayBeConstant("n")
	})
}
