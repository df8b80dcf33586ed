package safetext

import (
	"slices"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1},
		{"abc", "ac", 1}, {"ac", "abc", 1}, {"kitten", "sitting", 3}, {"abcd", "dcba", 3}, {"pcv", "pvc", 1}, {"abcd", "badc", 2},
	} {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	candidates := []string{"intel_gpu_dg1", "intel_gpu_pvc", "intel_gpu_dg2", "x86_64", strings.Repeat("x", 101)}
	for _, tt := range []struct {
		name string
		n    int
		want []string
	}{
		{"intel_gpu_dg3", 3, []string{"intel_gpu_dg1", "intel_gpu_dg2", "intel_gpu_pvc"}},
		{"intel_gpu_dg3", 1, []string{"intel_gpu_dg1"}},
		{"intel_gpu_dg2", 2, []string{"intel_gpu_dg2", "intel_gpu_dg1"}},
		{"x86", 3, nil},
		{"x86-64", 3, []string{"x86_64"}},
		{"", 3, nil},
		{strings.Repeat("x", 101), 3, nil},
	} {
		if got := Nearest(tt.name, slices.Values(candidates), tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("Nearest(%q, %d) = %q, want %q", tt.name, tt.n, got, tt.want)
		}
	}
}

// TestNearestComparesLengths checks that names of very different length are skipped.
func TestNearestComparesLengths(t *testing.T) {
	cost := func(n int) float64 {
		candidates := slices.Values(slices.Repeat([]string{strings.Repeat("x", 11), strings.Repeat("x", 4)}, n))
		return testing.AllocsPerRun(10, func() { Nearest("xxxxxxx", candidates, 1) })
	}
	if none, many := cost(0), cost(100); many > none {
		t.Errorf("%v allocations, %v without any", many, none)
	}
}

func TestMeant(t *testing.T) {
	for name, want := range map[string]string{"aspect": "did you mean aspects?", "x": "expected one of aspects, sizes"} {
		if got := Suggest(name, []string{"aspects", "sizes"}); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
