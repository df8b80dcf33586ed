package docs

import (
	"embed"
	"regexp"
	"strings"
	"testing"
)

//go:embed *.md
var pages embed.FS

var (
	pageLink = regexp.MustCompile(`\]\(([^()\s]*)\)`)
	fence    = regexp.MustCompile("(?ms)^```.*?^```$")
	notInRef = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// Links between pages lead to pages and headings that exist.
func TestLinks(t *testing.T) {
	files, err := pages.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	anchors := map[string]bool{}
	for _, f := range files {
		data, err := pages.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		text := fence.ReplaceAllString(string(data), "")
		texts[f.Name()] = text
		anchors[f.Name()] = true
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "#") {
				heading := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
				anchors[f.Name()+"#"+strings.ReplaceAll(notInRef.ReplaceAllString(heading, ""), " ", "-")] = true
			}
		}
	}
	checked := 0
	for name, text := range texts {
		for _, m := range pageLink.FindAllStringSubmatch(text, -1) {
			page, _, _ := strings.Cut(m[1], "#")
			if strings.Contains(page, "/") { // of the repository, or elsewhere
				continue
			}
			target := m[1]
			if page == "" {
				target = name + target
			}
			checked++
			if !anchors[target] {
				t.Errorf("%s: nothing is at %s", name, m[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d links found", checked)
	}
}
