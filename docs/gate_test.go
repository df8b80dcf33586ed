package docs

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
)

//go:embed check/policies.md
var policyPage string

// TestGateRules checks that the page contains the text of every rule.
func TestGateRules(t *testing.T) {
	var b strings.Builder
	for i, r := range gate.Rules() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n%s Level: %v.\n\n%s\n", r.ID, r.Short, r.Level, r.Long)
	}
	testkit.GoldenSection(t, "reference/gate-rules.md", "rules", b.String())
}

// TestGatePolicy checks the policies on the page; the last one uses every key.
func TestGatePolicy(t *testing.T) {
	policies := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(policyPage, -1)
	if len(policies) != 2 {
		t.Fatalf("the page has %d policies, want 2", len(policies))
	}
	var last *gate.Policy
	for _, text := range policies {
		p, err := gate.ReadPolicy("policies.md", strings.NewReader(text[1]))
		testkit.NoError(t, err)
		if err := testkit.ValidateYAML(PolicySchema, []byte(text[1])); err != nil {
			t.Error(err)
		}
		last = p
	}
	if len(last.Families) != 1 || len(last.Allow) != 1 || last.MaxBaseline != 500 {
		t.Errorf("got %+v", last)
	}
}
