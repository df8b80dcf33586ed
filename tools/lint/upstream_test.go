package lint

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// An upstreamTest is one of intel/llvm's tests of its post-link step.
type upstreamTest struct {
	dir, name string
	status    string
	where     string // the tests in this repository, or the reason for the status
}

// The statuses of an upstreamTest.
const (
	passed        = "passed"  // a test here uses upstream's input, and upstream's checks hold
	covered       = "covered" // a test here covers the feature that upstream's test is named after; upstream's file was not read
	differs       = "differs"
	notApplicable = "not applicable"
)

// hasTests reports whether a row names tests in this repository instead of a reason.
func (u upstreamTest) hasTests() bool {
	return u.status == passed || u.status == covered
}

// upstreamTests reads docs/project/upstream-tests.tsv.
func upstreamTests(t *testing.T, root string) []upstreamTest {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "project", "upstream-tests.tsv"))
	testkit.NoError(t, err)
	var list []upstreamTest
	dir, seen := "", map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "["):
			dir = strings.Trim(line, "[]")
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 3 || dir == "" || seen[dir+columns[0]] || !slices.Contains([]string{passed, covered, differs, notApplicable}, columns[1]) {
			t.Errorf("upstream-tests.tsv: %q is not a test, a status and where it is, or is there twice", line)
			continue
		}
		seen[dir+columns[0]] = true
		list = append(list, upstreamTest{dir, columns[0], columns[1], columns[2]})
	}
	return list
}

// upstreamFiles maps the word before the colon in a row to the directory of its file.
var upstreamFiles = map[string]string{
	"construct": "tools/postlink/testdata/upstream",
	"aspects":   "sycl/postlink/aspects/testdata/aspects",
	"constants": "sycl/postlink/internal/constants/testdata",
}

// place returns the file that a row names, and the test in it.
func place(word string) (file, test string) {
	kind, rest, _ := strings.Cut(word, ":")
	if dir := upstreamFiles[kind]; dir != "" {
		return path.Join(dir, rest+".ll"), ""
	}
	if kind == "go" {
		file, test, _ = strings.Cut(rest, ":")
	}
	return file, test
}

// TestUpstreamTests checks that each row that is passed or covered names existing tests, and that
// each construct is in a row.
func TestUpstreamTests(t *testing.T) {
	root := tree(t)
	named := map[string]bool{}
	for _, row := range upstreamTests(t, root) {
		if !row.hasTests() { // the reason may still name constructs
			for _, match := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(row.where, -1) {
				named[path.Join(upstreamFiles["construct"], match[1]+".ll")] = true
			}
			continue
		}
		for word := range strings.FieldsSeq(row.where) {
			file, test := place(word)
			text, err := os.ReadFile(filepath.Join(root, file))
			if err != nil || file == "" || strings.HasPrefix(word, "go:") && !regexp.MustCompile(`(?m)^func `+regexp.QuoteMeta(test)+`\(`).Match(text) {
				t.Errorf("%s: there is no %s (%v)", row.name, word, err)
			}
			named[file] = true
		}
	}
	files, err := filepath.Glob(filepath.Join(root, upstreamFiles["construct"], "*.ll"))
	if err != nil || len(files) == 0 {
		t.Fatal("no constructs", err)
	}
	for _, file := range files {
		if name := path.Join(upstreamFiles["construct"], filepath.Base(file)); !named[name] {
			t.Errorf("%s is in no row of docs/project/upstream-tests.tsv", name)
		}
	}
}

// TestUpstreamPage checks that docs/project/upstream-tests.md is generated from the table.
func TestUpstreamPage(t *testing.T) {
	root := tree(t)
	rows := upstreamTests(t, root)
	count := map[string]int{}
	for _, row := range rows {
		count[row.status]++
	}
	applies := len(rows) - count[notApplicable]
	var b strings.Builder
	fmt.Fprintf(&b, `# Upstream tests

[intel/llvm](https://github.com/intel/llvm) has tests for DPC++'s post-link step: IR, and the expected result. This page lists
them by name, as of July 2026, together with earlier tests for constructs that later tests do not cover. Each test that passes or is covered
also has a test in this project with its own IR.

| Result | Tests | Meaning |
|---|---|---|
| passed | %d | The input of a public version of upstream's file, of July 2026 or earlier, was run with the tool in this project; unchecked parts of long inputs were removed. Everything that its checks compare agrees: images, their order, symbols, properties, functions, attributes and metadata. |
| covered | %d | A test in this project has the construct in the name of upstream's test. Upstream's file was not read. |
| differs | %d | The result differs. The row has the reason: a decision, or a missing feature. |
| not applicable | %d | The test covers a feature that this project's tool does not have. The row names it. |

%d tests apply. %.1f%% of them passed.

Constructs are in [tools/postlink/testdata/upstream](../../tools/postlink/testdata/upstream): a `+"`.ll`"+` file with the IR, and a `+"`.txt`"+` file
with the output. If DPC++'s compiler is installed, its own post-link step gets the same IR, and
[a test](../../tools/postlink/dpcpp_test.go) compares images, symbols and properties.

This page is generated from [upstream-tests.tsv](upstream-tests.tsv) by `+"`go test ./tools/lint -update`"+`.
`, count[passed], count[covered], count[differs], count[notApplicable], applies, 100*float64(count[passed])/float64(applies))
	dir := ""
	for _, row := range rows {
		if row.dir != dir {
			dir = row.dir
			fmt.Fprintf(&b, "\n## %s\n\n| Test | Result | Test in this project, or reason |\n|---|---|---|\n", dir)
		}
		where := row.where
		if row.hasTests() {
			var links []string
			for word := range strings.FieldsSeq(row.where) {
				file, test := place(word)
				name := strings.TrimSuffix(path.Base(file), ".ll")
				if test != "" {
					name = test
				}
				links = append(links, fmt.Sprintf("[%s](../../%s)", name, file))
			}
			where = strings.Join(links, ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.name, row.status, where)
	}
	testkit.GoldenFile(t, filepath.Join(root, "docs", "project", "upstream-tests.md"), b.String())
}

// TestNamedTests checks that tests that pages name are in the files that the pages link to.
func TestNamedTests(t *testing.T) {
	root := tree(t)
	link := regexp.MustCompile(`\[((?:Test|Fuzz)\w+)\]\(([^)#]+_test\.go)\)`)
	checked := map[string]int{}
	files(t, ending(".md"), func(t *testing.T, page string, data []byte) {
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			text, err := os.ReadFile(filepath.Join(root, filepath.Dir(page), m[2]))
			if err != nil || !regexp.MustCompile(`(?m)^func `+m[1]+`\(`).Match(text) {
				t.Errorf("%s: %s is not in %s (%v)", page, m[1], m[2], err)
			}
			checked[page]++
		}
	})
	if checked["docs/project/conformance.md"] == 0 || checked["docs/project/upstream-tests.md"] == 0 {
		t.Errorf("tests that pages name: %v", checked)
	}
}
