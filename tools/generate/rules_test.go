package main

import (
	"reflect"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestBadInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.BadInputs(t, tool, []string{"rules INPUT"})
}

func TestUnmarshal(t *testing.T) {
	text := func(b []byte, number protowire.Number, value string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), value)
	}
	attribute := text(nil, 1, "deps")
	attribute = protowire.AppendVarint(protowire.AppendTag(attribute, 3, protowire.VarintType), 7)
	attribute = protowire.AppendVarint(protowire.AppendTag(attribute, 4, protowire.VarintType), 1)
	attribute = text(attribute, 99, "a field that the page does not need")
	rule := text(text(nil, 1, "sycl_binary"), 3, string(attribute))
	data := text(nil, 1, string(rule))

	var m module
	testkit.NoError(t, unmarshal(data, reflect.ValueOf(&m).Elem()))
	if r := m.Rules[0]; r.Name != "sycl_binary" || r.Attributes[0].Name != "deps" || r.Attributes[0].Type.String() != "label list" || !r.Attributes[0].Mandatory {
		t.Errorf("got %+v", r)
	}
	number := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
	for name, data := range map[string][]byte{"cut": data[:len(data)-1], "number for a message": slices.Concat(data, number)} {
		if err := unmarshal(data, reflect.ValueOf(&m).Elem()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFunctionSection(t *testing.T) {
	for _, c := range []struct {
		f    function
		want string
	}{
		{function{Name: "sycl_test", Parameters: []parameter{{Name: "name", Mandatory: true}}}, "macro"},
		{function{Name: "requires_sycl", Doc: "Constraints.", Returns: []returns{{Doc: "A list."}}}, "function"},
	} {
		if s := functionSection(c.f, rule{}); s.kind != c.want {
			t.Errorf("%s is a %s, want %s", c.f.Name, s.kind, c.want)
		} else if s.kind == "function" && s.doc != "Constraints.\n\nReturns: A list." {
			t.Errorf("doc is %q", s.doc)
		}
	}
}
