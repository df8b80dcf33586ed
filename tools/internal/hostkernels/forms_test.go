package hostkernels

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func TestMayHaveLambdas(t *testing.T) {
	for _, tt := range []struct {
		kernel string // after "f("
		want   bool
	}{
		{"[=] { p[0] = n; });", false},
		{"[=](auto i) { p[i] = a [1] + b(2)[3] + c<4>[5] + d[-n] + e[*q]; });", false},
		{"[p, n] () mutable { p[n] = '['; /* [=] */ g(\"[&]\"); // [&]\n });", false},
		{"[=, q = p + 1] { q[0] = n; });", false},
		{"[=] { auto g = [=] { p[0] = n; }; g(); });", true},
		{"[=] { g([&]() { p[0] = n; }); });", true},
		{"[=] { g([n, p] { p[0] = n; }); });", true},
		{"[=] { return [n] { return n; }; });", true},
		{"[=] { g(1, []{ return 1; }); });", true},
		{"[=, g = [n] { return n; }] { p[0] = g(); });", true},
		{"[=] { MAKE(p, n); });", true},
		{"[=] { if (n) {", true},
		{"functor);", true},
		{"[=];", true},
		{`[=] { g(R"(})"); });`, true},
	} {
		text := "int x;\nvoid f() {\n  f(" + tt.kernel + "\n}\n"
		if got := sourceOf(text).mayHaveLambdas(srcloc.Location{Line: 3, Column: 5}); got != tt.want {
			t.Errorf("%s: got %t", tt.kernel, got)
		}
	}
	for _, at := range [][2]uint32{{3, 4}, {3, 99}, {9, 1}, {3, 0}, {0, 0}} {
		if !sourceOf("\n\n  f([=] {});\n").mayHaveLambdas(srcloc.Location{Line: at[0], Column: at[1]}) {
			t.Errorf("there is no lambda at %v", at)
		}
	}
}

// Kernels whose class shows that g++ has the same captures.
func TestFormLayouts(t *testing.T) {
	const plain, nested = "f([=] { p[0] = n; });", "f([=] { [=] { p[0] = n; }(); });"
	for _, tt := range []struct {
		form classForm
		text string
		want bool
	}{
		{unknownForm, plain, true},
		{ownLambda, plain, false},
		{ownLambda, nested, true},
		{ownLambda, "", true},
		{ownClass, "", false},
	} {
		device := Kernel{Name: "K", Size: 16, parameters: []hostwrap.Parameter{pointer(0), sized(4, 8)}}
		device.Location.Path, device.Location.Line, device.Location.Column = "a.cpp", 1, 3
		host := &hostObject{Readable: true, GCC: 16, Submitted: []Kernel{{Name: "K", Size: 16, form: tt.form}}}
		if got := needLayouts([]Kernel{device}, host, map[string]*source{"a.cpp": sourceOf(tt.text)}); got != tt.want {
			t.Errorf("%+v: got %t", tt, got)
		}
	}
}

func TestMayReorder(t *testing.T) {
	three := []hostwrap.Parameter{pointer(0), sized(4, 8), sized(4, 12)}
	for _, tt := range []struct {
		name, text, captures string // the kernel is the last lambda of the text
		want                 bool
	}{
		{"order of the text", "[=] { out[i] = n; }", "out i n", false},
		{"constant at the end", "[=] { out[0] = max(i, n) * m; }", "out n m i", true},
		{"captures in brackets", "[n, &m, k = n + m] { out(k, m, n); }", "n m k", false},
		{"captures in brackets and others", "[=, k = 3] { out[n] = k; }", "k out n", false},
		{"members of equal names", "[=] { out.n = n.out + a::m + m; }", "out n m", false},
		{"member of this", "[=] { field = n; }", "this n", false},
		{"comment and literal", "[=] { /* n */ out[\"m\"] = 1.n + m; // i\n n(); }", "out m n", false},
		{"macro", "[=] { STORE(n); }", "out n", true},
		{"not in the text", "functor", "out n", true},
		{"one capture", "[=] { out[0] = 1; }", "out", false},
		{"constant in order", "const int n = 4; f([=] { out[0] = min(n, 9); })", "out n", true},
		{"constant of constants", "constexpr int a = 3; const long n{a * sizeof(int) + X::y}; f([=] { out[0] = min(n, 9); })", "out n", true},
		{"constant with other letters", "const int größe = 4, ŋ = 5; f([=] { out[0] = min(größe, 9) + min(ŋ, 9); })", "out größe ŋ", true},
		{"variable with other letters", "int größe = 4; f([=] { out[0] = min(größe, 9); })", "out größe", false},
		{"const variable", "void g(int a) { const int n = (a + 255) / 256; f([=] { out[0] = n; }); }", "out n", false},
		{"const variable of one", "void g(v &a) { const int k = a.size(); const auto n = k; f([=] { out[0] = n; }); }", "out n", false},
		{"lambda that uses a constant", "const int n = 4; auto g = [=](int i) { return min(n, i); }; f([=] { out[0] = g(1); })", "out g", true},
		{"lambda that uses a variable", "int n = 4; auto g = [=](int i) { return min(n, i); }; f([=] { out[0] = g(1); })", "out g", false},
		{"removed constant", "const int a = 1, k{2}; f([=] { out[0] = m; use(k); })", "out m", true},
		{"removed constant of another type", "constexpr auto k = 2; f([=] { out[0] = m; use(k); })", "out m", true},
		{"parameter pack", "[=] { g(out, v...); }", "out v v", true},
		{"accessor", "[=] { out[n] = 1; }", "out out out n", false},
		{"const function", "void g() const { f([=] { out[n] = 1; }); }", "out n", false},
		{"removed variable", "int k = 2; const int other = 3; f([=] { out[0] = m; use(k); })", "out m", false},
		{"no names", "[=] { out[0] = n; }", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := Kernel{captures: strings.Fields(tt.captures), parameters: three}
			k.Location = srcloc.Location{Path: "a.cpp", Line: 2, Column: uint32(max(1, 1+strings.LastIndex(tt.text, "[=")))}
			if n := strings.Index(tt.text, "["); n == 0 {
				k.Location.Column = 1
			}
			if got := sourceOf("\n" + tt.text + ";\n").mayReorder(k); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
