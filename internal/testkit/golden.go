package testkit

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files again")

// Golden fails the test when testdata/NAME is not what it got.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	GoldenFile(t, filepath.Join("testdata", name), got)
}

// GoldenFile is [Golden] for a file that is elsewhere.
func GoldenFile(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: go test -update writes it", err)
	}
	if want := string(data); got != want {
		n := firstDifference(got, want)
		t.Errorf("%s:%d is the first line that differs; go test -update writes the file again.\nwant %s\ngot  %s\nAll of it:\n%s",
			path, n, line(want, n), line(got, n), got)
	}
}

// line returns a line of a text, which may end before it.
func line(text string, n int) string {
	if lines := strings.Split(text, "\n"); n <= len(lines) {
		return strconv.Quote(lines[n-1])
	}
	return "the end"
}

// firstDifference returns the number of the first line that two texts do not share.
func firstDifference(a, b string) int {
	lines := strings.Split(b, "\n")
	n := 0
	for line := range strings.SplitSeq(a, "\n") {
		if n == len(lines) || line != lines[n] {
			break
		}
		n++
	}
	return n + 1
}
