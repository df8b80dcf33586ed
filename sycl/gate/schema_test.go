package gate

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs"
	"github.com/rules-sycl/rules_sycl/internal/reporttest"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestDiffSchema validates differences of many reports against the published schema.
func TestDiffSchema(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	kinds := map[string]bool{}
	for i := range 200 {
		old, now := facts(reporttest.Random(random)...), facts(reporttest.Random(random)...)
		if i == 0 {
			old, now = facts(reporttest.Before()), facts(reporttest.Everything())
		}
		d := Diff(old, now)
		for _, c := range d.Changes {
			kinds[c.Kind] = true
		}
		text, err := json.Marshal(d)
		testkit.NoError(t, err)
		if err := testkit.ValidateJSON(docs.DiffSchema, text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	if len(kinds) != 6 {
		t.Errorf("only these kinds of changes are tested: %v", kinds)
	}
}

// TestSchema validates results and baselines against the published schemas, and compares the
// schemas with the types.
func TestSchema(t *testing.T) {
	for name, test := range map[string]struct {
		schema []byte
		id     string
		text   string
	}{
		"result":   {docs.ResultSchema, ResultSchema, encoded(t, whole(t))},
		"baseline": {docs.BaselineSchema, baselineFormat.schema, wholeBaseline(t)},
	} {
		var root map[string]any
		testkit.NoError(t, json.Unmarshal(test.schema, &root))
		if root["$id"] != test.id {
			t.Errorf("%s: schema id %v", name, root["$id"])
		}
		if err := testkit.ValidateJSON(test.schema, []byte(test.text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if testkit.ValidateJSON(test.schema, []byte(strings.Replace(test.text, `"schema"`, `"scheme"`, 1))) == nil {
			t.Errorf("%s: the schema accepts an unknown member", name)
		}
	}
	for name, data := range map[string][]byte{"result.json": docs.ResultSchema, "baseline.json": docs.BaselineSchema} {
		golden := []byte(testkit.ReadFile(t, "testdata/"+name))
		if err := testkit.ValidateJSON(data, golden); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := testkit.ValidateYAML(docs.PolicySchema, []byte(wholePolicy)); err != nil {
		t.Error(err)
	}
	if testkit.ValidateYAML(docs.PolicySchema, []byte("version: 1\nfail_on: new\n")) == nil {
		t.Error("the schema of policies accepts an unknown key")
	}
	var result, baseline, diff map[string]any
	json.Unmarshal(docs.DiffSchema, &diff)
	json.Unmarshal(docs.ResultSchema, &result)
	json.Unmarshal(docs.BaselineSchema, &baseline)
	at := func(v any, path ...string) map[string]any {
		for _, p := range path {
			v = v.(map[string]any)[p]
		}
		return v.(map[string]any)
	}
	for _, pair := range []struct {
		typ        any
		properties map[string]any
	}{
		{Result{}, at(result, "properties")}, {Counts{}, at(result, "properties", "counts", "properties")}, {Finding{}, at(result, "$defs", "finding", "properties")},
		{DeviceFinding{}, at(result, "$defs", "finding", "properties", "devices", "items", "properties")}, {Suppression{}, at(result, "$defs", "finding", "properties", "suppression", "properties")},
		{Notice{}, at(result, "$defs", "notice", "properties")}, {PolicySummary{}, at(result, "properties", "policy", "properties")},
		{TargetSummary{}, at(result, "properties", "targets", "items", "properties")}, {DeviceTier{}, at(result, "properties", "devices", "items", "properties")},
		{Entry{}, at(baseline, "properties", "findings", "items", "properties")}, {BaselineDevice{}, at(baseline, "properties", "devices", "items", "properties")},
		{Difference{}, at(diff, "properties")}, {Change{}, at(diff, "$defs", "change", "properties")}, {ChangeReason{}, at(diff, "$defs", "reason", "properties")},
		{DeviceStatus{}, at(diff, "$defs", "change", "properties", "statuses", "items", "properties")}, {DeviceChange{}, at(diff, "$defs", "device", "properties")},
		{Renaming{}, at(diff, "$defs", "renaming", "properties")},
		{BaselineTarget{}, at(baseline, "properties", "targets", "items", "properties")},
	} {
		testkit.SameMembers(t, pair.typ, pair.properties)
	}
	// The policy schema names the rules and the keys.
	var p map[string]any
	json.Unmarshal(docs.PolicySchema, &p)
	var ids []string
	for _, v := range at(p, "properties", "allow", "items", "properties", "rule")["enum"].([]any) {
		ids = append(ids, v.(string))
	}
	if !slices.Equal(ids, findingRules()) {
		t.Errorf("rules in the schema: %q", ids)
	}
	for key := range at(p, "properties") {
		if !strings.Contains("\n"+wholePolicy, "\n"+key+":") {
			t.Errorf("the policy in the tests lacks %s", key)
		}
	}
	for _, key := range []string{"devices", "limits"} {
		for k := range at(p, "properties", key, "properties") {
			if !strings.Contains(wholePolicy, k+":") {
				t.Errorf("the policy in the tests lacks %s", k)
			}
		}
	}
}
