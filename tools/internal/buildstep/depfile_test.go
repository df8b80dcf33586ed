package buildstep

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestDependencies(t *testing.T) {
	got := Dependencies("out/a\\ b.bc: a\\ b.cpp \\\n  in\\#c.hpp $$d.hpp \\\n  e\\f.hpp\n", false)
	if want := []string{"out/a b.bc:", "a b.cpp", "in#c.hpp", "$d.hpp", `e\f.hpp`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWriteUnused(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "rule", "a.bc: a.cpp ./used.hpp dir/../other.hpp\n")
	testkit.WriteFile(t, "candidates", "used.hpp\nunused.hpp\nother.hpp\ndir/used.hpp\nback\\slash.hpp\n"+
		"options.txt\nignore=list.txt\nmodule.map\nplain.hpp\ntxt\n")
	options := []string{"@options.txt", "-fsanitize-ignorelist=./ignore=list.txt", "-fx=a,b:module.map", "plain.hpp"}
	testkit.NoError(t, WriteUnused("rule", "candidates", "", "unused", options))
	if got, want := testkit.ReadFile(t, "unused"), "unused.hpp\ndir/used.hpp\ntxt\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := WriteUnused("none", "candidates", "", "unused", nil); err == nil || !strings.Contains(err.Error(), "the compiler wrote no dependency file") {
		t.Errorf("got %v", err)
	}
}

// TestEscapedDepfile checks that names are escaped as g++ does, and that Dependencies restores them.
func TestEscapedDepfile(t *testing.T) {
	names := []string{"a b", "a#b", "a$b", "a\tb", `a\b`, `a\ b`, `a\#b`, `a\\b`, `a\\ b`, `a\$b`, "a:b", "a%b", "[ab]", "a'b", "a\nb", " a", "é", "$(x)"}
	gxx := testkit.Program(t, "g++")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "x.cpp", "")
	for _, name := range names {
		escaped := EscapedDepfile(name)
		out := string(testkit.Must(exec.Command(gxx, "-MM", "-MQ", name, "x.cpp").Output())(t))
		if got := strings.TrimSuffix(out, ": x.cpp\n"); got != escaped {
			t.Errorf("%q: %q, but g++ writes %q", name, escaped, got)
		}
		if got := Dependencies("k.o: "+escaped+" \\\n b.hpp\n", true); !slices.Equal(got, []string{"k.o:", name, "b.hpp"}) {
			t.Errorf("%q: read as %q", name, got)
		}
	}
	if got := Dependencies("a\tb.o: a\tb.cpp\n", true); !slices.Equal(got, []string{"a\tb.o:", "a\tb.cpp"}) {
		t.Errorf("a rule of clang, which does not escape tabs: read as %q", got)
	}
}

// FuzzDependencies checks that Dependencies restores names that compilers have escaped.
func FuzzDependencies(f *testing.F) {
	f.Add("a b.hpp\n$c#.hpp", "x: y")
	f.Fuzz(func(t *testing.T, names, rule string) {
		Dependencies(rule, false)
		want, text := []string{"k.bc:"}, "k.bc:"
		for name := range strings.SplitSeq(names, "\n") {
			if name != "" && !strings.HasSuffix(name, `\`) {
				want = append(want, name)
				text += " \\\n  " + EscapedDepfile(name)
			}
		}
		if got := Dependencies(text+"\n", false); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestUndeclared(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "candidates", "hdr.hpp\n")
	testkit.WriteFile(t, "inputs", "./k.cpp\nexternal/dpcpp/\n")
	for read, want := range map[string]string{
		"":                         "",
		"external/dpcpp/a.hpp":     "",
		"/usr/include/stdio.h":     "",
		"./a/../hidden.hpp":        "hidden.hpp",
		"external/dpcpp-other/a.h": "external/dpcpp-other/a.h",
		"two\\ words.hpp":          "two words.hpp",
	} {
		testkit.WriteFile(t, "rule", "k.bc: k.cpp ./hdr.hpp "+read+"\n")
		err := WriteUnused("rule", "candidates", "inputs", "unused", nil)
		var undeclared *Undeclared
		if want == "" && err != nil || want != "" && (!errors.As(err, &undeclared) || *undeclared != Undeclared{"k.cpp", want}) {
			t.Errorf("%q: got %v, want %q", read, err, want)
		}
	}
}
