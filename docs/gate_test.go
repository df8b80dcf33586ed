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

//go:embed reference/gate-rules.md
var rulesPage string

//go:embed check/gate-policy.md
var policyPage string

// The page explains each rule in the words of the tool.
func TestGateRules(t *testing.T) {
	for _, r := range gate.Rules() {
		want := fmt.Sprintf("\n## %s\n\n%s Level: %v.\n\n%s\n", r.ID, r.Short, r.Level, r.Long)
		if !strings.Contains(rulesPage, want) {
			t.Errorf("gate-rules.md does not have:%s", want)
		}
	}
	if n := strings.Count(rulesPage, "\n## "); n != len(gate.Rules()) {
		t.Errorf("%d sections for %d rules", n, len(gate.Rules()))
	}
}

func TestGatePolicy(t *testing.T) {
	text := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(policyPage)[1]
	p, err := gate.ReadPolicy("gate-policy.md", strings.NewReader(text))
	testkit.NoError(t, err)
	if err := testkit.ValidateYAML(PolicySchema, []byte(text)); err != nil {
		t.Error(err)
	}
	if len(p.Families) != 1 || len(p.Allow) != 1 || p.MaxBaseline != 500 {
		t.Errorf("got %+v", p)
	}
}
