package testkit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Golden fails the test if testdata/NAME differs from got. With -update it writes the file.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	GoldenFile(t, filepath.Join("testdata", name), got)
}

// GoldenFile is like [Golden] for a file outside testdata.
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
		t.Fatalf("%v; run go test -update to write it", err)
	}
	if want := string(data); got != want {
		t.Errorf("%s differs (- file, + test); run go test -update to rewrite it\n%s", path, lineDiff(want, got))
	}
}

// GoldenSection checks that a section of a page equals got. Comments enclose the section:
//
//	<!-- BEGIN name: written by go test ./docs -update -->
//	<!-- END name -->
//
// With -update, it replaces the section.
func GoldenSection(t testing.TB, path, name, got string) {
	t.Helper()
	page := ReadFile(t, path)
	begin := strings.Index(page, "<!-- BEGIN "+name+": ")
	end := strings.Index(page, "<!-- END "+name+" -->")
	if begin < 0 || end < begin {
		t.Fatalf("%s has no part between <!-- BEGIN %s: ... --> and <!-- END %[2]s -->", path, name)
	}
	comment, _, _ := strings.Cut(page[begin:end], "\n")
	want := page[begin+len(comment)+1 : end]
	if got == want {
		return
	}
	if *update {
		WriteFile(t, path, page[:begin+len(comment)+1]+got+page[end:])
		return
	}
	t.Errorf("%s is out of date after %s; differing lines (- page, + test):\n%s", path, comment, lineDiff(want, got))
}

// maxDiffLines limits the lines that lineDiff returns.
const maxDiffLines = 40

// lineDiff returns the lines that differ between two texts, with their line numbers.
func lineDiff(old, new string) string {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(new, "\n")
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	for min(len(a), len(b)) > first && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out []string
	for _, e := range lineEdits(a[first:], b[first:]) {
		if len(out) == maxDiffLines {
			out = append(out, "...")
			break
		}
		out = append(out, fmt.Sprintf("%5d %c %q", first+e.line+1, e.sign, e.text))
	}
	return strings.Join(out, "\n")
}

// A lineEdit is a line that only one of two texts contains.
type lineEdit struct {
	sign rune // - for the old text, + for the new
	line int  // index in that text
	text string
}

// maxResync limits the distance at which lineEdits looks for equal lines.
const maxResync = 200

// lineEdits compares two lists of lines. After a difference, it continues at the nearest pair of
// equal lines, so the result is short but not always minimal.
func lineEdits(a, b []string) (edits []lineEdit) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		skipA, skipB := resync(a[i:], b[j:])
		for k := range skipA {
			edits = append(edits, lineEdit{'-', i + k, a[i+k]})
		}
		for k := range skipB {
			edits = append(edits, lineEdit{'+', j + k, b[j+k]})
		}
		i, j = i+skipA, j+skipB
	}
	return edits
}

// resync returns how many lines of a and of b to skip until both continue with the same line.
func resync(a, b []string) (skipA, skipB int) {
	for n := 1; n <= maxResync; n++ {
		for skipA := max(0, n-len(b)+1); skipA <= min(n, len(a)-1); skipA++ {
			if a[skipA] == b[n-skipA] {
				return skipA, n - skipA
			}
		}
	}
	return len(a), len(b)
}
