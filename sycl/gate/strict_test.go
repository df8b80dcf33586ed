package gate

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestStrict checks that the readers reject what the schemas reject, and vice versa, except for
// what a schema cannot express.
func TestStrict(t *testing.T) {
	var policy any
	testkit.NoError(t, yaml.Unmarshal([]byte(wholePolicy), &policy))
	policyJSON, err := json.Marshal(policy)
	testkit.NoError(t, err)
	// A few findings have all members.
	result := whole(t)
	result.Findings = slices.DeleteFunc(result.Findings, func(f Finding) bool { return f.Suppression == nil && f.Family == "" && f.Text == "" && f.Cause == "" })
	for _, test := range []struct {
		name     string
		schema   []byte
		document []byte
		read     func(data []byte) error
		stricter string // rejected only by the reader
	}{
		{"policy", docs.PolicySchema, bytes.ReplaceAll(policyJSON, []byte("T00:00:00Z"), nil), func(data []byte) error { _, err := ReadPolicy("x", bytes.NewReader(data)); return err }, "duplicate family|limits.max-allow is 0\\)$"},
		{"baseline", docs.BaselineSchema, []byte(wholeBaseline(t)), func(data []byte) error { _, err := ReadBaseline("x", bytes.NewReader(data)); return err }, "does not match its entry"},
		{"result", docs.ResultSchema, []byte(encoded(t, result)), func(data []byte) error { _, err := ReadResult("x", bytes.NewReader(data)); return err }, "^$"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := testkit.CompileSchema(test.schema)
			testkit.NoError(t, err)
			stricter := regexp.MustCompile(test.stricter)
			n := 0
			for name, data := range testkit.JSONMutations(test.document) {
				n++
				wrong, refused := s.ValidateJSON(data), test.read(data)
				switch {
				case wrong != nil && refused == nil:
					t.Errorf("%s: accepted by the reader, but not by the schema", name)
				case wrong == nil && refused != nil && !stricter.MatchString(refused.Error()):
					t.Errorf("%s: accepted by the schema, but not by the reader: %v", name, refused)
				}
			}
			t.Logf("%d mutations", n)
		})
	}
}
