package jitoptions

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

func TestPut(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		want    string
	}{
		{"none", Options{}, ""},
		{"one kind", Options{Compile: "asan"}, "[rules_sycl/options]\ncompile=2|gAAAAAAAAAQYzFmb\n"},
		{"both", Options{Compile: "asan", Link: "asan"}, "[rules_sycl/options]\ncompile=2|gAAAAAAAAAQYzFmb\nlink=2|gAAAAAAAAAQYzFmb\n"},
	} {
		r := new(propset.Registry)
		r.Add(Set).Put("old", propset.Uint(1))
		Put(r, test.options)
		if r.String() != test.want {
			t.Errorf("%s: got %q", test.name, r)
		}
		if got := Of(r); got != test.options {
			t.Errorf("%s: read %+v", test.name, got)
		}
	}
}

func TestOfOthers(t *testing.T) {
	for name, v := range map[string]propset.Value{
		"a number": propset.Uint(1), "a NUL": propset.String("-a\x00-b"), "not UTF-8": propset.Bytes([]byte{0xff, 0xfe}),
	} {
		r := new(propset.Registry)
		r.Add(Set).Put(keyCompile, v)
		if got := Of(r); got != (Options{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := Of(new(propset.Registry)); got != (Options{}) {
		t.Errorf("no set: %+v", got)
	}
}
