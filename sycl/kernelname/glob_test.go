package kernelname

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "ab", true}, {"*b", "ab", true}, {"*", "", true}, {"", "", true}, {"", "a", false},
		{"a*b", "ab", true}, {"a*a", "a", false}, {"*b*", "abc", true}, {"*ab*ab", "ab", false}, {"**", "x", true},
		{"a*b*c", "axxbyybzzc", true}, {"a*b*c", "axxc", false}, {"a*b*c", "acb", false},
		{"f<*>", "f<double *>", true}, {"[ab]", "a", false}, {"a.c", "abc", false}, {"a?", "ab", false},
	} {
		if got := Match(test.pattern, test.text); got != test.want {
			t.Errorf("Match(%q, %q) = %t", test.pattern, test.text, got)
		}
	}
	// With backtracking, this pattern would take forever.
	if Match(strings.Repeat("a*", 500)+"b", strings.Repeat("a", 100_000)) {
		t.Error("unexpected match")
	}
}

func TestMatchAny(t *testing.T) {
	for _, test := range []struct {
		name            string
		patterns, texts []string
		want            bool
	}{
		{"the last pattern and the last text", []string{"x", "b*"}, []string{"a", "bc"}, true},
		{"no match", []string{"x", "y*"}, []string{"a", "bc"}, false},
		{"no patterns", nil, []string{"a"}, false},
		{"no texts", []string{"*"}, nil, false},
	} {
		if got := MatchAny(test.patterns, test.texts...); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
