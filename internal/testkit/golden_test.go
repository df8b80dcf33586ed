package testkit

import "testing"

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct {
		got, want string
		line      int
	}{
		{"a\nb\n", "a\nc\n", 2},
		{"x", "y", 1},
		{"a\n", "a\nb\n", 2},
		{"a\nb\n", "a\n", 2},
		{"", "a", 1},
	} {
		if n := firstDifference(c.got, c.want); n != c.line {
			t.Errorf("%q and %q: line %d, want %d", c.got, c.want, n, c.line)
		}
		if got, want := line(c.got, c.line), line(c.want, c.line); got == want {
			t.Errorf("%q and %q: line %d is %s in both", c.got, c.want, c.line, got)
		}
	}
}
