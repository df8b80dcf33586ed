package kernelname_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

func ExampleShorten() {
	for _, name := range kernelname.Shorten([]string{
		"linear::algebra::detail::axpy<sycl::vec<float, 4>, double>",
		"linear::algebra::detail::axpy<sycl::vec<float, 4>, float>",
		"Sum",
	}) {
		fmt.Println(name)
	}
	// Output:
	// *::axpy<*, double>
	// *::axpy<*, float>
	// Sum
}

// kernels returns kernels of libraries: dpctl 0.22.1, dpnp 0.20.0 and oneMKL 2026.2.0.
func kernels(t testing.TB) (names []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/libraries.txt")
	testkit.NoError(t, err)
	for symbol := range strings.FieldsSeq(string(data)) {
		names = append(names, kernelname.Display(symbol))
	}
	return names
}

func TestShortenLibraries(t *testing.T) {
	names := kernels(t)
	var b strings.Builder
	for i, short := range kernelname.Shorten(names) {
		fmt.Fprintf(&b, "%s\n    %s\n", names[i], short)
	}
	testkit.Golden(t, "shortened.txt", b.String())
}

// checkShort checks that each short form is a pattern that matches only its name.
func checkShort(t *testing.T, names []string) (short []string) {
	t.Helper()
	short = kernelname.Shorten(names)
	for i, pattern := range short {
		for j, name := range names {
			switch matches := kernelname.Match(pattern, name); {
			case i == j && !matches:
				t.Errorf("%q does not match %q", pattern, name)
			case short[i] == short[j] && names[i] != name:
				t.Errorf("%q is short for %q and %q", pattern, names[i], name)
			case matches && names[i] != name:
				t.Errorf("%q, short for %q, matches %q", pattern, names[i], name)
			}
		}
		if len(pattern) > len(names[i]) {
			t.Errorf("%q is longer than %q", pattern, names[i])
		}
	}
	return short
}

func TestShortenDistinct(t *testing.T) {
	checkShort(t, kernels(t))
	for name, c := range map[string]struct{ names, want []string }{
		"none":              {nil, nil},
		"one":               {[]string{"VectorAdd"}, []string{"VectorAdd"}},
		"twice":             {[]string{"a::VectorAdd", "a::VectorAdd"}, []string{"a::VectorAdd", "a::VectorAdd"}},
		"a namespace":       {[]string{"company::product::VectorAdd"}, []string{"*::VectorAdd"}},
		"two namespaces":    {[]string{"company::product::one::Fill", "company::product::two::Fill"}, []string{"*::one::Fill", "*::two::Fill"}},
		"a short namespace": {[]string{"app::Fill<float>"}, []string{"app::Fill<float>"}},
		"common arguments": {[]string{"k<first::argument, float, second::argument, third::argument, 1>", "k<first::argument, double, second::argument, third::argument, 1>"},
			[]string{"k<*, float, *, 1>", "k<*, double, *, 1>"}},
		"arguments in arguments":         {[]string{"k<Tuple<policy::Sequential, float> >", "k<Tuple<policy::Sequential, double> >"}, []string{"k<Tuple<*, float> >", "k<Tuple<*, double> >"}},
		"different numbers of arguments": {[]string{"k<policy::Sequential>", "k<policy::Sequential, int>"}, []string{"k<policy::Sequential>", "k<policy::Sequential, int>"}},
		"a nested template": {[]string{"company::product::Fill<int>", "company::product::Twice<company::product::Fill<int> >", "company::product::Twice<company::product::Fill<float> >"},
			[]string{"company::product::Fill<int>", "*::Twice<*::Fill<int> >", "*::Twice<*::Fill<float> >"}},
		"enumerations": {[]string{"k<(company::product::mode)1>", "k<(company::product::mode)2>"}, []string{"k<(*)1>", "k<(*)2>"}},
		"lambdas": {[]string{"main::{lambda(sycl::handler&)#1}::operator()(sycl::handler&) const::{lambda(sycl::id<1>)#1}", "main::{lambda(sycl::handler&)#1}::operator()(sycl::handler&) const::{lambda(sycl::id<1>)#2}"},
			[]string{"main::{lambda(sycl::handler&)#1}*::{lambda(sycl::id<1>)#1}", "main::{lambda(sycl::handler&)#1}*::{lambda(sycl::id<1>)#2}"}},
		"not a template": {[]string{"operator<", "a->b<", "x<y", "f(int)<", "", "<", ">", "<>", "a<>", "a<b>>"}, []string{"operator<", "a->b<", "x<y", "f(int)<", "", "<", ">", "<>", "a<>", "a<b>>"}},
		"a star":         {[]string{"k<float*, policy::Sequential>", "k<float, policy::Sequential>"}, []string{"k<float*, *>", "k<float, *>"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := kernelname.Shorten(c.names)
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

// TestShortenOrder checks that the result does not depend on the order of the names.
func TestShortenOrder(t *testing.T) {
	names := kernels(t)
	want := map[string]string{}
	for i, short := range kernelname.Shorten(names) {
		want[names[i]] = short
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i, short := range kernelname.Shorten(names) {
		if want[names[i]] != short {
			t.Errorf("%q, but %q in a different order", want[names[i]], short)
		}
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("k<policy::Sequential, int>\nk<policy::Sequential, float>\ncompany::product::Fill")
	f.Add("a<b<c>, d>\na<*>\na<*, d>\n>::<\noperator<<int>")
	f.Fuzz(func(t *testing.T, text string) {
		names := strings.Split(text, "\n")
		seen := map[string]string{}
		for i, short := range kernelname.Shorten(names) {
			if other, ok := seen[short]; ok && other != names[i] {
				t.Errorf("%q is short for %q and %q", short, other, names[i])
			}
			if seen[short] = names[i]; !kernelname.Match(short, names[i]) {
				t.Errorf("%q does not match %q", short, names[i])
			}
		}
	})
}

func BenchmarkShorten(b *testing.B) {
	var names []string
	for i := range 500_000 {
		names = append(names, fmt.Sprintf("company::product::kernels::transform<company::product::Policy<%d>, company::product::Scale<float, %d>, double>", i%700, i/700))
	}
	for b.Loop() {
		kernelname.Shorten(names)
	}
}
