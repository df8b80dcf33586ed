package testkit

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
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
		t.Errorf("%s differs; run go test -update to rewrite it\n%s", path, lineDiff(want, got))
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
	t.Errorf("%s is out of date after %s:\n%s", path, comment, lineDiff(want, got))
}

// maxDiffLines limits the lines that lineDiff returns.
const maxDiffLines = 40

// lineDiff returns the start of a unified diff of two texts.
func lineDiff(old, new string) string {
	lines := strings.Split(udiff.Unified("file", "test", old, new), "\n")
	if len(lines) > maxDiffLines {
		lines = append(lines[:maxDiffLines], "...")
	}
	return strings.Join(lines, "\n")
}
