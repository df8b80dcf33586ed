package testkit

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// ValidateJSON validates JSON against a schema, and the schema against its dialect's schema.
func ValidateJSON(schema, data []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return validate(schema, v)
}

// ValidateYAML validates YAML against a schema. Dates are text.
func ValidateYAML(schema, data []byte) error {
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		return err
	}
	daysAreText(&n)
	var v any
	if err := n.Decode(&v); err != nil {
		return err
	}
	return validate(schema, v)
}

// SameMembers compares the JSON members of a struct with the properties of a schema.
func SameMembers(t testing.TB, value any, properties map[string]any) {
	t.Helper()
	typ := reflect.TypeOf(value)
	known := map[string]bool{}
	for field := range typ.Fields() {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		known[tag] = true
		if tag != "" && tag != "-" && properties[tag] == nil {
			t.Errorf("%s has no %s in the schema", typ.Name(), tag)
		}
	}
	for tag := range properties {
		if !known[tag] {
			t.Errorf("%s has %s in the schema only", typ.Name(), tag)
		}
	}
}

func daysAreText(n *yaml.Node) {
	if n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		daysAreText(c)
	}
}

func validate(schema []byte, v any) error {
	s, err := CompileSchema(schema)
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// CompileSchema compiles a schema, for validating many values.
func CompileSchema(schema []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	const url = "https://example.org/schema.json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	return &Schema{s}, nil
}

// A Schema is a compiled JSON Schema.
type Schema struct{ *jsonschema.Schema }

// ValidateJSON validates JSON against the schema.
func (s *Schema) ValidateJSON(data []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(v)
}
