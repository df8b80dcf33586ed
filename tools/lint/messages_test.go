package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMessages: docs/troubleshooting.md quotes messages as the code has them. In a table whose
// first column is "message", each part between "…" of a quoted text is in one source file.
func TestMessages(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(tree(t), "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	joined := regexp.MustCompile(`"\s*\+?\n\s*f?"`) // a text that goes on in the next line
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

// TestIndex: docs/README.md, which is also the navigation of the site, has each page.
func TestIndex(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(tree(t), "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(index), "\n## ")
	files(t, ending(".md"), func(t *testing.T, path string, _ []byte) {
		folder, name := filepath.Split(path)
		if folder != "docs/" || name == "README.md" {
			return
		}
		entry := regexp.MustCompile(`(?m)^\| .*\]\(` + regexp.QuoteMeta(name) + `\)`)
		if n := len(entry.FindAllString(rows, -1)); n == 0 {
			t.Errorf("%s is in no table of docs/README.md", path)
		}
	})
}
