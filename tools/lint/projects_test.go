package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

var projectColumns = []string{"project", "repository", "commit", "host", "configured", "built", "of", "run", "passed", "changes", "faults"}

// TestProjectsPage checks that docs/project/projects.md is generated from projects.tsv, and that
// its numbers are consistent.
func TestProjectsPage(t *testing.T) {
	root := tree(t)
	text, err := os.ReadFile(filepath.Join(root, "docs", "project", "projects.tsv"))
	testkit.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if want := "# " + strings.Join(projectColumns, "\t"); lines[0] != want {
		t.Fatalf("projects.tsv: the first line is %q, want %q", lines[0], want)
	}

	var b strings.Builder
	b.WriteString(`# Projects

These projects were built with ` + "`syclc++`" + ` and run on Intel's CPU device. ` + "`icpx` and `icx`" + ` were links to ` + "`syclc++`" + `, and the projects' own CMake or
setuptools configured them as their pages describe for icpx. DPC++ 2026.2.0, Clang 23.1.4 and LLVM are from PyPI; g++ is Debian's.
Rows with "Bazel" were built by the rules instead, in a workspace that ` + "`.ci/suites-with-bazel`" + ` writes. None of the projects' files are
part of this project.

| Project | Commit | Host compiler | Sources built | Tests or programs | Passed | Changes | Remaining failures |
|---|---|---|---|---|---|---|---|
`)
	var commands strings.Builder
	seen := map[string]bool{}
	for _, line := range lines[1:] {
		c := strings.Split(line, "\t")
		if len(c) != len(projectColumns) {
			t.Fatalf("projects.tsv: %q has %d columns; expected %d", line, len(c), len(projectColumns))
		}
		var n [4]int // sources built, sources, tests, passed tests
		for i := range n {
			n[i], err = strconv.Atoi(c[5+i])
			testkit.NoError(t, err)
		}
		if n[0] > n[1] || n[3] > n[2] || !regexp.MustCompile(`^[0-9a-f]{8,12}$`).MatchString(c[2]) {
			t.Errorf("projects.tsv: %q: impossible numbers, or no commit", line)
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %d of %d | %d | %d | %s | %s |\n", c[0], c[1], c[2], c[3], n[0], n[1], n[2], n[3], c[9], c[10])
		if name := c[0] + "\t" + c[4]; !seen[name] {
			fmt.Fprintf(&commands, "%s:\n\n```\n%s\n```\n\n", c[0], strings.ReplaceAll(c[4], ` \n `, "\n"))
			seen[name] = true
		}
	}
	b.WriteString(`
- **Sources built**: of the sources that were selected, how many compiled. Only a part of each project was selected, because a full build takes hours.
- **Tests or programs**: how many of the project's own tests or programs were run. A test or program passed if it
  reports success or, if it does not check its results, exits with 0.
- **Remaining failures**: the cause of each failure, or what was not tested.

This page is generated from [projects.tsv](projects.tsv) by ` + "`go test ./tools/lint -update`" + `. The results were recorded by hand.

## Configuration

`)
	b.WriteString(strings.TrimSuffix(commands.String(), "\n"))
	testkit.GoldenFile(t, filepath.Join(root, "docs", "project", "projects.md"), b.String())
}
