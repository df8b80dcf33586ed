package testkit

import (
	"strings"
	"testing"
)

func TestLineDiff(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"changed line":       {"a\nb\nc\n", "a\nx\nc\n", `2 - "b\n"|2 + "x\n"`},
		"added line":         {"a\nc\n", "a\nb\nc\n", `2 + "b\n"`},
		"removed line":       {"a\nb\nc\n", "a\nc\n", `2 - "b\n"`},
		"two changes":        {"a\nb\nc\nd\n", "x\nb\nc\ny\n", `1 - "a\n"|1 + "x\n"|4 - "d\n"|4 + "y\n"`},
		"moved block":        {"a\nb\nc\n", "b\nc\na\n", `1 - "a\n"|3 + "a\n"`},
		"no newline at end":  {"a\n", "a", `1 - "a\n"|2 - ""|1 + "a"`},
		"empty old text":     {"", "a\n", `1 + "a\n"`},
		"shorter new text":   {"a\nb\nc\n", "a\n", `2 - "b\n"|3 - "c\n"`},
		"nothing in common":  {"a", "b", `1 - "a"|1 + "b"`},
		"repeated last line": {"a\n", "a\na\n", `2 + "a\n"`},
		"added entry":        {"k\nl\n b\n c\n", "k\nm\n b\n c\nl\n b\n c\n", `2 + "m\n"|3 + " b\n"|4 + " c\n"`},
	} {
		var lines []string
		for line := range strings.SplitSeq(lineDiff(c.old, c.new), "\n") {
			lines = append(lines, strings.TrimSpace(line))
		}
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// A mismatch in a long file must not print the file.
func TestLineDiffIsShort(t *testing.T) {
	long := strings.Repeat("line\n", 10_000)
	if got := lineDiff(long+"a\n"+long, long+"b\n"+long); strings.Count(got, "\n") != 1 {
		t.Errorf("one changed line: %s", got)
	}
	if got := lineDiff(long, strings.Repeat("other\n", 10_000)); strings.Count(got, "\n") != maxDiffLines {
		t.Errorf("%d lines, want %d", strings.Count(got, "\n"), maxDiffLines)
	}
}
