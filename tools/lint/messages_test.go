package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMessages checks that docs/reference/messages.md quotes messages as they are in the code. In
// tables whose first column is "message", each part between "…" of a quoted text must be in one
// source file.
func TestMessages(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(tree(t), "docs", "reference", "messages.md"))
	if err != nil {
		t.Fatal(err)
	}
	joined := regexp.MustCompile(`"\s*\+?\n\s*f?"`) // a text that continues on the next line
	var sources []string
	files(t, ending(".bzl", ".cpp", ".hpp", ".h", ".c", ".go", ".py"), func(t *testing.T, path string, data []byte) {
		if !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "tests/") {
			sources = append(sources, strings.ReplaceAll(joined.ReplaceAllString(string(data), ""), `\"`, `"`))
		}
	})
	quoted := regexp.MustCompile("`([^`]+)`")
	inTable, n := false, 0
	for line := range strings.Lines(string(page)) {
		switch {
		case strings.HasPrefix(line, "| message |"):
			inTable = true
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable:
			message := strings.Split(line, " | ")[0]
			for _, m := range quoted.FindAllStringSubmatch(message, -1) {
				n++
				parts := strings.Split(m[1], "…")
				if !slices.ContainsFunc(sources, func(source string) bool {
					return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(source, part) })
				}) {
					t.Errorf("no source has the message %q", m[1])
				}
			}
		}
	}
	if n < 35 {
		t.Errorf("only %d messages found", n)
	}
}

// TestIndex checks that the tables of docs/README.md, which are the navigation of the site, link to every page
// in docs/ and its directories. Stubs are not listed.
func TestIndex(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(tree(t), "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(index), "\n## ")
	n := 0
	files(t, ending(".md"), func(t *testing.T, path string, data []byte) {
		name, ok := strings.CutPrefix(path, "docs/")
		if !ok || name == "README.md" || isStub(data) {
			return
		}
		n++
		if !regexp.MustCompile(`(?m)^\| .*\]\(` + regexp.QuoteMeta(name) + `\)`).MatchString(rows) {
			t.Errorf("%s is in no table of docs/README.md", path)
		}
	})
	if n < 30 {
		t.Errorf("only %d pages found", n)
	}
}

// isStub reports whether a page only states where its text has moved.
func isStub(page []byte) bool { return strings.HasPrefix(string(page), "# Moved\n") }

// TestStubs checks that no page links to a stub, because stubs are only for external links.
func TestStubs(t *testing.T) {
	n := 0
	files(t, ending(".md"), func(t *testing.T, path string, data []byte) {
		if filepath.Dir(path) != "docs" || !isStub(data) {
			return
		}
		n++
		link := regexp.MustCompile(`(?m)\]\((\.\./)*(docs/)?` + regexp.QuoteMeta(filepath.Base(path)) + `[#)]`)
		files(t, ending(".md"), func(t *testing.T, page string, text []byte) {
			if dir := filepath.Dir(page); (dir == "." || dir == "docs") && link.Match(text) {
				t.Errorf("%s links to the stub %s", page, path)
			}
		})
	})
	if n == 0 {
		t.Error("no stub found")
	}
}

// TestPaths checks that the pages that sources name, by path or by URL, exist and are not stubs.
func TestPaths(t *testing.T) {
	name := regexp.MustCompile(`(?:^|rules_sycl/blob/main/|[^\w/.-])(docs/[\w/-]+\.(?:md|tsv))`)
	checked := 0
	files(t, ending(".go", ".bzl", ".bazel", ".BUILD", ".cpp", ".hpp", ".h", ".c", ".py", "e2e", "run"), func(t *testing.T, path string, data []byte) {
		for _, m := range name.FindAllSubmatch(data, -1) {
			checked++
			page, err := os.ReadFile(filepath.Join(tree(t), string(m[1])))
			if err != nil || isStub(page) {
				t.Errorf("%s names the page %s, which does not exist or is a stub", path, m[1])
			}
		}
	})
	if checked < 30 {
		t.Errorf("only %d paths found", checked)
	}
}
