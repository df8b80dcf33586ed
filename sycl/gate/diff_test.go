package gate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// renamable makes a report on kernels by name, with the lines of their locations, or 0 for none.
func renamable(label string, lines map[string]uint32, problems map[string]reporttest.Problems) *Index {
	kernels := map[string]reporttest.Problems{}
	for name := range lines {
		kernels[name] = problems[name]
	}
	r := reporttest.Report(label, []string{"a", "b"}, kernels)
	for i := range r.Kernels {
		if line := lines[r.Kernels[i].DisplayName]; line > 0 {
			r.Kernels[i].Location = srcloc.Location{Path: "k.cpp", Line: line}
		}
	}
	return NewIndex(label, r)
}

func TestRenamed(t *testing.T) {
	fp64 := reporttest.Problems{"a": {reporttest.FP64}}
	many := func(namespace string) map[string]uint32 {
		lines := map[string]uint32{}
		for i := range 5 {
			lines[fmt.Sprintf("%s::K<%d, %s::Op<int> >", namespace, i, namespace)] = 0
		}
		return lines
	}
	for _, test := range []struct {
		name             string
		old, now         map[string]uint32
		oldFP64, nowFP64 string
		renames          []Renaming
		lost             bool
		unpaired         [2]int
	}{
		{name: "namespace", old: many("lib::v1"), now: many("lib::v2"), renames: []Renaming{{"v1", 5, "v2", RenamedNamespace}}},
		{name: "outer namespace", old: many("dpctl::tensor"), now: many("dpnp::tensor"), renames: []Renaming{{"dpctl", 5, "dpnp", RenamedNamespace}}},
		{name: "inline namespace", old: many("lib::x"), now: many("lib::v1::x"), renames: []Renaming{{"lib", 5, "lib::v1", RenamedNamespace}}},
		{name: "all removed", old: many("K"), now: map[string]uint32{}, unpaired: [2]int{5, 0}, lost: true},
		{name: "place", old: map[string]uint32{"Axpy<int>": 7, "Other": 9}, now: map[string]uint32{"Saxpy<int>": 7, "Other": 9}, renames: []Renaming{{"Axpy", 1, "Saxpy", RenamedKernel}}},
		{name: "instances at a location", old: map[string]uint32{"Axpy<int>": 7, "Axpy<long>": 7}, now: map[string]uint32{"Saxpy<int>": 7, "Saxpy<long>": 7}, renames: []Renaming{{"Axpy", 2, "Saxpy", RenamedKernel}}},
		{name: "moved lines", old: map[string]uint32{"Axpy<int>": 7}, now: map[string]uint32{"Saxpy<int>": 9}, renames: []Renaming{{"Axpy", 1, "Saxpy", RenamedKernel}}},
		{name: "different requirements", old: map[string]uint32{"Axpy<int>": 7}, now: map[string]uint32{"Saxpy<int>": 7}, nowFP64: "Saxpy<int>", unpaired: [2]int{1, 1}, lost: true},
		{name: "no location", old: map[string]uint32{"Axpy<int>": 0}, now: map[string]uint32{"Saxpy<int>": 0}, unpaired: [2]int{1, 1}, lost: true},
		{name: "two candidates", old: map[string]uint32{"a::K": 0}, now: map[string]uint32{"b::K": 0, "c::K": 0}, unpaired: [2]int{1, 2}, lost: true},
		{name: "ambiguous, with a known namespace", old: map[string]uint32{"a::K": 0, "a::L": 0}, now: map[string]uint32{"b::K": 0, "c::K": 0, "b::L": 0}, renames: []Renaming{{"a", 2, "b", RenamedNamespace}}, unpaired: [2]int{0, 1}},
		{name: "types of numbers", old: map[string]uint32{"a::K<int, 4u, 2>": 0}, now: map[string]uint32{"a::K<int, (unsigned char)4, 2>": 0}, renames: []Renaming{{"4u", 1, "(unsigned char)4", RenamedArguments}}},
		{name: "types of numbers and a namespace", old: map[string]uint32{"a::K<8ul>": 0}, now: map[string]uint32{"b::K<8>": 0}, renames: []Renaming{{"a", 1, "b", RenamedNamespace}}},
		{name: "different numbers", old: map[string]uint32{"K<4u>": 0}, now: map[string]uint32{"K<(unsigned char)8>": 0}, unpaired: [2]int{1, 1}, lost: true},
		{name: "two types of a number", old: map[string]uint32{"K<4u>": 0}, now: map[string]uint32{"K<(unsigned char)4>": 0, "K<4ul>": 0}, unpaired: [2]int{1, 2}, lost: true},
		{name: "numbers of lambdas", old: map[string]uint32{"f()::{lambda(h&)#10002}": 0}, now: map[string]uint32{"f()::{lambda(h&)#1}": 0}, renames: []Renaming{{"", 1, "", RenamedSymbol}}},
		{name: "several lambdas", old: map[string]uint32{"f()::{lambda(h&)#1}": 0, "f()::{lambda(h&)#3}": 0}, now: map[string]uint32{"f()::{lambda(h&)#2}": 0}, unpaired: [2]int{2, 1}, lost: true},
		{name: "status is lost", old: map[string]uint32{"a::K": 0}, now: map[string]uint32{"b::K": 0}, nowFP64: "b::K", renames: []Renaming{{"a", 1, "b", RenamedNamespace}}, lost: true},
		{name: "status is gained", old: map[string]uint32{"a::K": 0}, now: map[string]uint32{"b::K": 0}, oldFP64: "a::K", renames: []Renaming{{"a", 1, "b", RenamedNamespace}}},
	} {
		old := renamable("l", test.old, map[string]reporttest.Problems{test.oldFP64: fp64})
		now := renamable("l", test.now, map[string]reporttest.Problems{test.nowFP64: fp64})
		d := Diff([]*Index{old}, []*Index{now})
		if !slices.Equal(d.Renames, test.renames) || d.Lost() != test.lost || d.Unpaired != test.unpaired {
			t.Errorf("%s: %+v, lost %t, unpaired %v", test.name, d.Renames, d.Lost(), d.Unpaired)
		}
		for _, c := range d.Changes {
			if isRenamed := c.OldKernel != ""; (c.Kind == "lost" || c.Kind == "gained" || c.Kind == "renamed") != isRenamed {
				t.Errorf("%s: %+v", test.name, c)
			}
		}
	}
}

// TestMovedTarget checks that a kernel that moves to a different target is the same kernel, and
// that a device that all targets have is not an added device.
func TestMovedTarget(t *testing.T) {
	kernels := map[string]uint32{"K": 0}
	d := Diff([]*Index{renamable("old", kernels, nil)}, []*Index{renamable("new", kernels, nil)})
	if want := []Renaming{{"old", 1, "new", RenamedTarget}}; !slices.Equal(d.Renames, want) || len(d.Changes) != 1 || d.Lost() {
		t.Errorf("%+v", d)
	}
	if c := d.Changes[0]; c.OldTarget != "old" || c.Target != "new" {
		t.Errorf("%+v", c)
	}
}

func TestUnqualified(t *testing.T) {
	for name, want := range map[string]string{
		"K":                            "K []",
		"a::b::K<c::T, int>":           "K<T, int> [a::b c ]",
		"(anonymous namespace)::K":     "K [(anonymous namespace)]",
		"a::f(b::T)::{lambda(c::U)#1}": "f(T)::{lambda(U)#1} [a b  c ]",
		"a::{lambda(int)#1}":           "@{lambda(int)#1} [a   ]",
		"::":                           ":: []",
		"A<int>::B":                    "A<int>::B [  ]",
		"\xff::ä":                      "ä [\xff]",
	} {
		bare, scopes := unqualified(name)
		if got := fmt.Sprint(bare, " ", scopes); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestDifferenceOnce checks that the difference, which is slow to compute, is computed once for all
// drafts of a summary.
func TestDifferenceOnce(t *testing.T) {
	was, now := renamable("t", map[string]uint32{"K": 0}, nil), renamable("t", map[string]uint32{"L": 0}, nil)
	r := Evaluate(Input{Reports: []*Index{now}, Base: []*Index{was}, Today: today})
	if d := r.Difference(); d == nil || d != r.Difference() || len(d.Changes) != 2 {
		t.Errorf("%+v", d)
	}
	if d := Evaluate(Input{Reports: []*Index{now}, Today: today}).Difference(); d != nil {
		t.Errorf("difference without a base: %+v", d)
	}
}

// FuzzRenamed checks that kernels with any names can be paired.
func FuzzRenamed(f *testing.F) {
	f.Add("a::K<(unsigned char)4, c::T>", "b::K<4u, d::T>")
	f.Add("f()::{lambda(h&)#10002}", "f()::{lambda(h&)#1}")
	f.Add("(anonymous namespace)::K<(bool)1>", "::K<1ull)")
	f.Fuzz(func(t *testing.T, was, is string) {
		of := func(name string) row {
			return row{&target{label: "t", kernels: []*kernel{{name: name, display: name}}}, 0}
		}
		needs := func(row) []string { return nil }
		pairs := pairRenamed([]row{of(was)}, []row{of(is)}, needs)
		back := pairRenamed([]row{of(is)}, []row{of(was)}, needs)
		if len(pairs) > 1 || len(back) != len(pairs) {
			t.Errorf("%d pairs, but %d in reverse", len(pairs), len(back))
		}
		if plain := withoutTypes(was); withoutTypes(plain) != plain {
			t.Errorf("withoutTypes is not idempotent: %q, %q, %q", was, plain, withoutTypes(plain))
		}
	})
}
