package testkit

import (
	"strings"
	"testing"
)

// TestLineDiff checks that a mismatch in a long file does not print the whole file.
func TestLineDiff(t *testing.T) {
	long := strings.Repeat("line\n", 10_000)
	if got := lineDiff(long+"a\n"+long, long+"b\n"+long); !strings.Contains(got, "\n-a\n+b\n") || strings.Count(got, "\n") > 12 {
		t.Errorf("one changed line: %s", got)
	}
	if got := lineDiff(long, strings.Repeat("other\n", 10_000)); strings.Count(got, "\n") != maxDiffLines {
		t.Errorf("%d lines, want %d", strings.Count(got, "\n"), maxDiffLines)
	}
}
