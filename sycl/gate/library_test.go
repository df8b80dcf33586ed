package gate

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/reporttest"
)

// TestRenamedIntegers checks kernels with size_t, whose names differ between Linux and Windows.
func TestRenamedIntegers(t *testing.T) {
	kernels := func(size string) map[string]uint32 {
		return map[string]uint32{
			"a::K<int, " + size + ">": 0,
			"f(float const*, unsigned " + size + ", unsigned " + size + ")::{lambda(h&)#1}": 0,
		}
	}
	linux, windows := renamable("libx.so", kernels("long"), nil), renamable("x.dll", kernels("long long"), nil)
	d := Diff([]*Index{linux}, []*Index{windows})
	if want := []Renaming{{"long", 2, "long long", RenamedArguments}}; !slices.Equal(d.Renames, want) || d.Lost() || d.Unpaired != [2]int{} {
		t.Errorf("%+v", d)
	}
	other := kernels("long long")
	other["a::K<int, long>"] = 0 // ambiguous
	if d := Diff([]*Index{renamable("libx.so", other, nil)}, []*Index{renamable("x.dll", kernels("short"), nil)}); d.Unpaired != [2]int{3, 2} {
		t.Errorf("%+v", d)
	}
}

func TestPairLibraries(t *testing.T) {
	of := func(label string, kernels ...string) library {
		l := library{label, map[string]bool{}, newTarget(label, nil)}
		for _, k := range kernels {
			l.kernels[k] = true
		}
		return l
	}
	for name, test := range map[string]struct {
		old, now []library
		want     map[string]string
		split    map[string]string
	}{
		"platforms": {[]library{of("lib/libone.so", "A", "B"), of("lib/libtwo.so", "A", "B", "C")}, []library{of("one.dll", "A", "B"), of("two.dll", "A", "B", "C")},
			map[string]string{"lib/libone.so": "one.dll", "lib/libtwo.so": "two.dll"}, nil},
		"Python versions": {[]library{of("x/a.cpython-310-x86_64-linux-gnu.so", "A"), of("y/a.cpython-310-x86_64-linux-gnu.so", "B")},
			[]library{of("y/a.cpython-313-x86_64-linux-gnu.so", "B"), of("x/a.cpython-313-x86_64-linux-gnu.so", "A")},
			map[string]string{"x/a.cpython-310-x86_64-linux-gnu.so": "x/a.cpython-313-x86_64-linux-gnu.so", "y/a.cpython-310-x86_64-linux-gnu.so": "y/a.cpython-313-x86_64-linux-gnu.so"}, nil},
		"an unchanged name":           {[]library{of("libone.so", "A"), of("one.dll", "A")}, []library{of("one.dll", "A")}, nil, nil},
		"the same kernels":            {[]library{of("old.so", "A", "B")}, []library{of("new.so", "A", "B"), of("other.so", "A")}, map[string]string{"old.so": "new.so"}, nil},
		"a superset of kernels":       {[]library{of("old.so", "A", "B")}, []library{of("new.so", "A", "B", "C"), of("other.so", "D")}, map[string]string{"old.so": "new.so"}, nil},
		"kernels of two libraries":    {[]library{of("old.so", "A")}, []library{of("new.so", "A"), of("other.so", "A")}, nil, map[string]string{"new.so": "old.so", "other.so": "old.so"}},
		"two copies":                  {[]library{of("a.so", "A"), of("b.so", "A")}, []library{of("c.so", "A"), of("d.so", "A")}, map[string]string{"a.so": "c.so", "b.so": "d.so"}, nil},
		"three copies, two left":      {[]library{of("a.so", "A"), of("b.so", "A"), of("e.so", "A")}, []library{of("c.so", "A"), of("d.so", "A")}, nil, nil},
		"merged copies":               {[]library{of("a.so", "A"), of("b.so", "A")}, []library{of("c.so", "A")}, map[string]string{"a.so": "c.so", "b.so": "c.so"}, nil},
		"merged libraries":            {[]library{of("a.so", "A", "B"), of("b.so", "B"), of("e.so", "E")}, []library{of("c.so", "A", "B", "D"), of("d.so", "D")}, map[string]string{"a.so": "c.so", "b.so": "c.so"}, nil},
		"merged into a longer one":    {[]library{of("a.so", "A", "B"), of("b.so", "B")}, []library{of("c.so", "A", "B")}, map[string]string{"a.so": "c.so", "b.so": "c.so"}, nil},
		"split library":               {[]library{of("a.so", "A", "B", "C")}, []library{of("c.so", "A", "B"), of("d.so", "B", "C")}, nil, map[string]string{"c.so": "a.so", "d.so": "a.so"}},
		"split copies":                {[]library{of("a.so", "A", "B"), of("b.so", "A", "B")}, []library{of("c.so", "A"), of("d.so", "B")}, nil, nil},
		"no kernels":                  {[]library{of("old.so")}, []library{of("new.so")}, nil, nil},
		"different kernels":           {[]library{of("old.so", "A", "B")}, []library{of("new.so", "A", "C")}, nil, nil},
		"two libraries with one name": {[]library{of("a/libx.so", "A")}, []library{of("b/x.dll", "B"), of("c/x.dll", "C")}, nil, nil},
	} {
		if got, split := pairLibraries(test.old, test.now); !maps.Equal(got, test.want) || !maps.Equal(split, test.split) {
			t.Errorf("%s: %v and %v, want %v and %v", name, got, split, test.want, test.split)
		}
	}
}

// TestRenamedLibraries checks that no check is lost if all libraries with the same kernels are
// renamed, even with a baseline.
func TestRenamedLibraries(t *testing.T) {
	fp64 := map[string]reporttest.Problems{"Foo": {"a": {reporttest.FP64}}, "Bar": {}}
	var old, now []*Index
	for _, name := range []string{"one", "two"} {
		old = append(old, NewIndex(name, reporttest.Report("lib"+name+".so", []string{"a", "b"}, fp64)))
		now = append(now, NewIndex(name, reporttest.Report(name+".dll", []string{"a", "b"}, fp64)))
	}
	d := Diff(old, now)
	if d.Lost() || d.Unpaired != [2]int{} || len(d.Renames) != 2 || d.Renames[0].Kernels != 2 {
		t.Errorf("%+v", d)
	}
	baseline := NewBaseline(Evaluate(Input{Reports: old, Today: today}))
	r := Evaluate(Input{Reports: now, Baseline: baseline, Today: today})
	if r.Conclusion != Success {
		t.Errorf("with the baseline of a different platform: %v", fmt.Sprintf("%+v", r.Counts))
	}
	if r := Evaluate(Input{Reports: now[:1], Baseline: baseline, Today: today}); r.Conclusion != Failure {
		t.Error("the check passes without a library of the baseline")
	}
	if r := Evaluate(Input{Reports: now, Base: old, Today: today}); r.Conclusion != Success {
		t.Errorf("with the reports of a different platform: %+v", r.Counts)
	}
}

// TestRenamedCopies checks that copies of a library are paired with copies, unless the choice would
// matter, and with a merged library, and that a split library is paired with its parts.
func TestRenamedCopies(t *testing.T) {
	index := func(label string, fp64 ...string) *Index {
		kernels := map[string]reporttest.Problems{"Foo": {}, "Bar": {}}
		for _, k := range fp64 {
			kernels[k] = reporttest.Problems{"a": {reporttest.FP64}}
		}
		return NewIndex(label, reporttest.Report(label, []string{"a", "b"}, kernels))
	}
	part := func(label, more string) *Index {
		kernels := map[string]reporttest.Problems{"Foo": {}, more: {}}
		return NewIndex(label, reporttest.Report(label, []string{"a", "b"}, kernels))
	}
	whole := NewIndex("a", reporttest.Report("a", []string{"a", "b"}, map[string]reporttest.Problems{"Foo": {}, "Bar": {}, "Baz": {}}))
	for name, test := range map[string]struct {
		old, now []*Index
		renamed  int
		unpaired [2]int
		lost     int // statuses
	}{
		"two copies":         {[]*Index{index("a"), index("b")}, []*Index{index("c"), index("d")}, 4, [2]int{}, 0},
		"one copy is worse":  {[]*Index{index("a"), index("b")}, []*Index{index("c"), index("d", "Foo")}, 4, [2]int{}, 1},
		"different statuses": {[]*Index{index("a"), index("b", "Foo")}, []*Index{index("c"), index("d", "Bar")}, 0, [2]int{4, 4}, 0},
		"merged":             {[]*Index{index("a"), index("b")}, []*Index{index("c")}, 4, [2]int{}, 0},
		"split":              {[]*Index{whole}, []*Index{part("c", "Bar"), part("d", "Baz")}, 4, [2]int{}, 0},
		"split and worse":    {[]*Index{whole}, []*Index{index("c", "Foo"), part("d", "Baz")}, 4, [2]int{}, 1},
		"merged and worse":   {[]*Index{index("a"), index("b")}, []*Index{index("c", "Foo")}, 4, [2]int{}, 2},
	} {
		d := Diff(test.old, test.now)
		renamed, lost := 0, 0
		for _, c := range d.Changes {
			switch c.Kind {
			case "renamed":
				renamed++
			case "lost":
				lost++
				if len(c.NewReasons) != 1 || len(c.OldReasons) != 0 {
					t.Errorf("%s: %+v", name, c)
				}
			}
		}
		if renamed != test.renamed || lost != test.lost || d.Unpaired != test.unpaired {
			t.Errorf("%s: %d renamed, %d lost, %d unpaired", name, renamed, lost, d.Unpaired)
		}
	}
}
