package safetext

import (
	"slices"
	"testing"
)

func TestCompareNatural(t *testing.T) {
	want := []string{"", "0.9", "0.009.1", "0.10", "0.10a", "0.10b", "01", "1", "a", "a2", "a10", "a10b", "b1"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareNatural)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
