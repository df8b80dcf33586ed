package propset

import (
	"testing"
)

func TestPut(t *testing.T) {
	for _, test := range []struct {
		name    string
		options JITOptions
		want    string
	}{
		{"none", JITOptions{}, ""},
		{"one kind", JITOptions{Compile: "asan"}, "[rules_sycl/options]\ncompile=2|gAAAAAAAAAQYzFmb\n"},
		{"both", JITOptions{Compile: "asan", Link: "asan"}, "[rules_sycl/options]\ncompile=2|gAAAAAAAAAQYzFmb\nlink=2|gAAAAAAAAAQYzFmb\n"},
	} {
		r := new(Registry)
		r.Add(JITOptionsSet).Put("old", Uint(1))
		PutJITOptions(r, test.options)
		if r.String() != test.want {
			t.Errorf("%s: got %q", test.name, r)
		}
		if got := JITOptionsOf(r); got != test.options {
			t.Errorf("%s: read %+v", test.name, got)
		}
	}
}

func TestOfOthers(t *testing.T) {
	for name, v := range map[string]Value{
		"a number": Uint(1), "a NUL": String("-a\x00-b"), "not UTF-8": Bytes([]byte{0xff, 0xfe}),
	} {
		r := new(Registry)
		r.Add(JITOptionsSet).Put(keyCompile, v)
		if got := JITOptionsOf(r); got != (JITOptions{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := JITOptionsOf(new(Registry)); got != (JITOptions{}) {
		t.Errorf("no set: %+v", got)
	}
}
