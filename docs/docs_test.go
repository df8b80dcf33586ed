package docs

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/link"
)

//go:embed reference/packager-rules.md
var packagerPage string

// packagerParts returns the parts of the page about packager verify and packager link.
func packagerParts(t *testing.T) (verify, linking string) {
	t.Helper()
	verify, linking, ok := strings.Cut(packagerPage, "\n## packager link\n")
	if !ok {
		t.Fatal("packager-rules.md has no section packager link")
	}
	return verify, linking
}

// idSections returns the ids for which a text has a section.
func idSections(text string) (ids []string) {
	for line := range strings.Lines(text) {
		if id, ok := strings.CutPrefix(line, "### "); ok {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	return ids
}

func TestEveryVerifyRuleHasASection(t *testing.T) {
	verify, _ := packagerParts(t)
	sections := idSections(verify)
	var ids []string
	for _, r := range link.Rules() {
		ids = append(ids, r.ID)
	}
	slices.Sort(sections)
	slices.Sort(ids)
	if !slices.Equal(sections, ids) {
		t.Errorf("sections %q, rules %q", sections, ids)
	}
}
