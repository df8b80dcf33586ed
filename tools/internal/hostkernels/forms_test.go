package hostkernels

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
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
		if got := mayHaveLambdas(text, 3, 5); got != tt.want {
			t.Errorf("%s: got %t", tt.kernel, got)
		}
	}
	for _, at := range [][2]int{{3, 4}, {3, 99}, {9, 1}, {3, 0}, {0, 0}} {
		if !mayHaveLambdas("\n\n  f([=] {});\n", at[0], at[1]) {
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
		if got := needLayouts([]Kernel{device}, host, map[string]string{"a.cpp": tt.text}); got != tt.want {
			t.Errorf("%+v: got %t", tt, got)
		}
	}
}
