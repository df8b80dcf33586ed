package testkit

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// JSONMutations returns named copies of a JSON document with one change each: a member removed or
// replaced, a value of a different type, numbers and texts that may be out of range, or an element
// added or removed.
func JSONMutations(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(name string, mutation []byte) bool) {
		var root any
		if err := unmarshal(data, &root); err != nil {
			panic(err) // an error in the test
		}
		m := mutator{seen: map[string]bool{}, yield: func(name string) bool {
			out, err := json.Marshal(root)
			if err != nil {
				panic(err)
			}
			return yield(name, out)
		}}
		m.value("", root, func(v any) { root = v })
	}
}

func unmarshal(data []byte, to *any) (err error) {
	*to, err = jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	return err
}

type mutator struct {
	seen  map[string]bool // locations by their paths: one element per list is enough
	yield func(name string) bool
	done  bool
}

// try sets a value, passes on the document, and restores the old value.
func (m *mutator) try(name string, set func(any), old, v any) {
	if m.done {
		return
	}
	set(v)
	m.done = !m.yield(name)
	set(old)
}

func (m *mutator) value(at string, v any, set func(any)) {
	if m.done {
		return
	}
	first := !m.seen[at]
	m.seen[at] = true
	if first {
		for _, other := range []any{nil, true, json.Number("7"), "text", []any{}, map[string]any{}} {
			m.try(fmt.Sprintf("%s is %v", at, show(other)), set, v, other)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		m.object(at, v, set, first)
	case []any:
		m.list(at, v, set, first)
	case json.Number:
		for _, n := range []string{"-1", "0", "1", "1.5", "4294967296", "9223372036854775808", "18446744073709551616", "1e999"} {
			if first {
				m.try(at+" is "+n, set, v, json.Number(n))
			}
		}
	case string:
		for _, s := range []string{"", " ", "x", v + "x", strings.ToUpper(v), "2026-13-41", strings.Repeat("f", 64)} {
			if first && s != v {
				m.try(fmt.Sprintf("%s is %q", at, s), set, v, s)
			}
		}
	}
}

func (m *mutator) object(at string, v map[string]any, set func(any), first bool) {
	if first {
		m.try(at+" has another member", set, v, withMember(v, "unknown-member", json.Number("1")))
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		path := at + "." + name
		if !m.seen[path] {
			less := maps.Clone(v)
			delete(less, name)
			m.try(path+" is missing", set, v, less)
		}
		m.value(path, v[name], func(other any) { set(withMember(v, name, other)) })
	}
}

func (m *mutator) list(at string, v []any, set func(any), first bool) {
	if len(v) > 0 && first {
		m.try(at+" has an element twice", set, v, append(slices.Clone(v), v[0]))
		m.try(at+" is without its first element", set, v, v[1:])
	}
	for i := range v {
		m.value(at+"[]", v[i], func(other any) {
			changed := slices.Clone(v)
			changed[i] = other
			set(changed)
		})
	}
}

func withMember(v map[string]any, name string, value any) map[string]any {
	out := maps.Clone(v)
	out[name] = value
	return out
}

func show(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}
