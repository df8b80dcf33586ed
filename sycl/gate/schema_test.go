package gate

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/docs/schema"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestSchema holds results against the published schema, and the schema against
// the types. The same for baselines.
func TestSchema(t *testing.T) {
	for name, test := range map[string]struct {
		schema []byte
		id     string
		text   string
	}{
		"result":   {schema.Result, ResultSchema, encoded(t, whole(t))},
		"baseline": {schema.Baseline, baselineFormat.schema, wholeBaseline(t)},
	} {
		var root map[string]any
		if err := json.Unmarshal(test.schema, &root); err != nil {
			t.Fatal(err)
		}
		if root["$id"] != test.id {
			t.Errorf("%s: the schema is %v", name, root["$id"])
		}
		if err := testkit.ValidateJSON(test.schema, []byte(test.text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if testkit.ValidateJSON(test.schema, []byte(strings.Replace(test.text, `"schema"`, `"scheme"`, 1))) == nil {
			t.Errorf("%s: the schema takes an unknown member", name)
		}
	}
	for name, data := range map[string][]byte{"result.json": schema.Result, "baseline.json": schema.Baseline} {
		golden, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := testkit.ValidateJSON(data, golden); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := testkit.ValidateYAML(schema.Policy, []byte(wholePolicy)); err != nil {
		t.Error(err)
	}
	if testkit.ValidateYAML(schema.Policy, []byte("version: 1\nfail_on: new\n")) == nil {
		t.Error("the schema of policies takes an unknown key")
	}
	var result, baseline map[string]any
	json.Unmarshal(schema.Result, &result)
	json.Unmarshal(schema.Baseline, &baseline)
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
		{BaselineTarget{}, at(baseline, "properties", "targets", "items", "properties")},
	} {
		typ := reflect.TypeOf(pair.typ)
		for i := range typ.NumField() {
			if tag, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); tag != "" && tag != "-" && pair.properties[tag] == nil {
				t.Errorf("%s has no %s in the schema", typ.Name(), tag)
			} else {
				delete(pair.properties, tag)
			}
		}
		for tag := range pair.properties {
			t.Errorf("%s has %s in the schema only", typ.Name(), tag)
		}
	}
	// The schema of policies names the rules and the keys.
	var p map[string]any
	json.Unmarshal(schema.Policy, &p)
	var ids []string
	for _, v := range at(p, "properties", "allow", "items", "properties", "rule")["enum"].([]any) {
		ids = append(ids, v.(string))
	}
	if !slices.Equal(ids, findingRules()) {
		t.Errorf("the rules of the schema are %q", ids)
	}
	for key := range at(p, "properties") {
		if !strings.Contains("\n"+wholePolicy, "\n"+key+":") {
			t.Errorf("the schema has %s, the policy of the tests has not", key)
		}
	}
	for _, key := range []string{"devices", "limits"} {
		for k := range at(p, "properties", key, "properties") {
			if !strings.Contains(wholePolicy, k+":") {
				t.Errorf("the schema has %s, the policy of the tests has not", k)
			}
		}
	}
}
