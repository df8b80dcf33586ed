package docs

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/link"
)

//go:embed reference/packager-rules.md
var verifyFile string

//go:embed reference/verify-images.md
var verifyImages string

func TestEveryVerifyRuleHasASection(t *testing.T) {
	var sections []string
	for line := range strings.Lines(verifyFile + verifyImages) {
		if id, ok := strings.CutPrefix(line, "### "); ok {
			sections = append(sections, strings.TrimSpace(id))
		}
	}
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
