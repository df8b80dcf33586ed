package safetext

import "testing"

func TestOf(t *testing.T) {
	for n, want := range map[int]string{0: "kernels", 1: "kernel", 2: "kernels", -1: "kernels"} {
		if got := Plural(n, "kernel", "kernels"); got != want {
			t.Errorf("%d %s", n, got)
		}
	}
}
