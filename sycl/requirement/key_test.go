package requirement

import (
	"reflect"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// TestKey sets each field individually, to check that the key covers all of them.
func TestKey(t *testing.T) {
	seen := map[string]string{new(Requirements).Key(): "nothing"}
	add := func(what string, q *Requirements) {
		key := q.Key()
		if other, ok := seen[key]; ok {
			t.Errorf("%s has the same key as %s", what, other)
		}
		seen[key] = what
		if key != q.Key() {
			t.Errorf("key of %s is not deterministic", what)
		}
	}
	values := []any{
		[]aspect.Aspect{1, 2}, []uint32{1, 2}, []uint64{1, 2}, uint32(3), uint64(4), true, []string{"a"}, "b",
		[]propset.Property{{Key: "k", Value: propset.Uint(1)}}, []*propset.SyntaxError{{Key: "k"}},
		propset.JITOptions{Compile: "c"},
	}
	typ := reflect.TypeFor[Requirements]()
	for i := range typ.NumField() {
		q := new(Requirements)
		field := reflect.ValueOf(q).Elem().Field(i)
		for _, v := range values {
			if reflect.TypeOf(v) == field.Type() {
				field.Set(reflect.ValueOf(v))
			}
		}
		if field.IsZero() {
			t.Fatalf("no test value for %s", typ.Field(i).Name)
		}
		add(typ.Field(i).Name, q)
	}
	add("one aspect", &Requirements{Aspects: []aspect.Aspect{1}})
	add("an aspect and a size", &Requirements{Aspects: []aspect.Aspect{1}, SubGroupSizes: []uint32{2}})
	add("two names", &Requirements{FixedTargets: []string{"a", "b"}})
	add("one name with a comma", &Requirements{FixedTargets: []string{"a,b"}})
	add("a matrix that looks like the next field", &Requirements{JointMatrix: "b\x00"})
	add("another property", &Requirements{Unknown: []propset.Property{{Key: "k", Value: propset.Uint(2)}}})
	add("a property of bytes", &Requirements{Unknown: []propset.Property{{Key: "k", Value: propset.Bytes([]byte{1})}}})
	add("a property of bits", &Requirements{Unknown: []propset.Property{{Key: "k", Value: propset.Bits([]byte{1}, 3)}}})
}
