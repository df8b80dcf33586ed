package propset_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// The values come from DPC++'s own tests of its post-link step.
const (
	// { i32, i8 } with 3 bytes of padding, and a bool.
	padded = `[SYCL/specialization constants]
_Z6padded=2|gEAAAAAAAAAAAAAAAAAAAQAAAAQAAAAAEAAAAEAAAAw/////FAAAAMAAAAA
_Z4flag=2|gBAAAAAAAAgAAAAAAAAAAEAAAAA
[SYCL/specialization constants default values]
all=2|IBAAAAAAAAAFAAAAjBAAAEA
`
	// { int, { float, float } }, without default values.
	nested = `[SYCL/specialization constants]
pod=2|gEAAAAAAAAQAAAAAAAAAAQAAAAgAAAAAEAAAAQAAAAwAAAAAIAAAAQAAAAA
`
)

func parse(t testing.TB, text string) *propset.Registry {
	t.Helper()
	r := testkit.Must(propset.Parse("k.prop", []byte(text)))(t)
	return r
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []propset.SpecConstant
		sizes      []uint64
	}{
		{"padding and default values", padded, []propset.SpecConstant{
			{Name: "_Z6padded", Records: []propset.SpecRecord{{ID: 0, Offset: 0, Size: 4}, {ID: 1, Offset: 4, Size: 1}, {ID: propset.SpecPadding, Offset: 5, Size: 3}},
				Default: []byte{20, 0, 0, 0, 'c', 0, 0, 0}},
			{Name: "_Z4flag", Records: []propset.SpecRecord{{ID: 2, Offset: 0, Size: 1}}, Default: []byte{1}},
		}, []uint64{8, 1}},
		{"no default values", nested, []propset.SpecConstant{
			{Name: "pod", Records: []propset.SpecRecord{{ID: 1, Offset: 0, Size: 4}, {ID: 2, Offset: 4, Size: 4}, {ID: 3, Offset: 8, Size: 4}}},
		}, []uint64{12}},
		{"an image without constants", "[SYCL/specialization constants]\n", nil, nil},
		{"no set", "", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := parse(t, test.text)
			got, err := propset.ReadSpecConstants(r)
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Fatalf("got  %+v, %v\nwant %+v", got, err, test.want)
			}
			for i := range got {
				if got[i].Size() != test.sizes[i] {
					t.Errorf("%s has %d bytes, want %d", got[i].Name, got[i].Size(), test.sizes[i])
				}
			}
			written := new(propset.Registry)
			propset.PutSpecConstants(written, got)
			if test.text != "" && written.String() != test.text {
				t.Errorf("written:\n%swant:\n%s", written, test.text)
			}
		})
	}
}

// TestReadEach reads default values with one key per constant, as in DPC++'s document. This package
// writes one key for all constants.
func TestReadEach(t *testing.T) {
	r := parse(t, nested)
	r.Add(propset.SpecializationConstants).Put("flag", propset.Uint32s(0, 0, 1))
	r.Add(propset.SpecializationConstantDefaults).Put("flag", propset.Bytes([]byte{1}))
	list, err := propset.ReadSpecConstants(r)
	if err != nil || len(list) != 2 || list[0].Default != nil || !reflect.DeepEqual(list[1].Default, []byte{1}) {
		t.Fatalf("got %+v, %v", list, err)
	}
	if got := list[0].Scalars(); len(got) != 3 {
		t.Errorf("scalars of the first: %v", got)
	}
	propset.PutSpecConstants(r, list)
	defaults := r.Set(propset.SpecializationConstantDefaults)
	if v, _ := defaults.Get("all"); defaults.Len() != 1 || v != propset.Bytes(append(make([]byte, 12), 1)) {
		t.Errorf("default values: %v", defaults.Properties())
	}
}

// TestSurplus checks that, like DPC++'s runtime, this package ignores bytes after the last default
// value.
func TestSurplus(t *testing.T) {
	r := parse(t, padded)
	r.Set(propset.SpecializationConstantDefaults).Put("all", propset.Bytes(make([]byte, 12)))
	if list, err := propset.ReadSpecConstants(r); err != nil || len(list[1].Default) != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestReadErrors(t *testing.T) {
	constants := func(words ...uint32) *propset.Registry {
		r := new(propset.Registry)
		r.Add(propset.SpecializationConstants).Put("c", propset.Uint32s(words...))
		return r
	}
	withDefaults := func(key string, v propset.Value) *propset.Registry {
		r := constants(0, 0, 4)
		r.Add(propset.SpecializationConstantDefaults).Put(key, v)
		return r
	}
	for _, test := range []struct {
		name, want string
		r          *propset.Registry
	}{
		{"a partial record", "[SYCL/specialization constants] c: 64 bits are not one or more records of 12 bytes", constants(0, 0)},
		{"no record", "0 bits are not one or more records of 12 bytes", constants()},
		{"no size", "record 2 has no size", constants(0, 0, 4, 1, 4, 0)},
		{"overlap", "record 2 begins at offset 3, before the end of the one before it, which is 4", constants(0, 0, 4, 1, 3, 4)},
		{"descending", "record 2 begins at offset 0, before the end", constants(0, 8, 4, 1, 0, 4)},
		{"too large", "record 1 ends at offset 4294967299, which does not fit in 32 bits", constants(0, 0xffffffff, 4)},
		{"truncated default values", `default values] all: the 3 bytes end within the constant "c", which needs 4 bytes from offset 0 on`,
			withDefaults("all", propset.Bytes([]byte{1, 2, 3}))},
		{"default value too long", "default values] c: the default value has 5 bytes, and the constant has 4", withDefaults("c", propset.Bytes(make([]byte, 5)))},
		{"default values are a number", "the value is a 32-bit number; expected a byte array", withDefaults("all", propset.Uint(4))},
		{"default values are not bytes", "3 bits are not whole bytes", withDefaults("all", propset.Bits([]byte{5}, 3))},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := propset.ReadSpecConstants(test.r)
			var syntax *propset.SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// FuzzRead checks that writing preserves the meaning of constants that were read.
func FuzzRead(f *testing.F) {
	f.Add(padded)
	f.Add(nested)
	f.Add("[SYCL/specialization constants]\na=2|gBAAAAAAAAgAAAAAAAAAAEAAAAA\n[SYCL/specialization constants default values]\na=2|IAAAAAAAAAQA\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := propset.Parse("", []byte(text))
		if err != nil {
			return
		}
		list, err := propset.ReadSpecConstants(r)
		if err != nil {
			return
		}
		total := uint64(0)
		for i := range list {
			total += list[i].Size()
			if list[i].Default != nil && uint64(len(list[i].Default)) != list[i].Size() {
				t.Fatalf("%q: %d bytes of %d", list[i].Name, len(list[i].Default), list[i].Size())
			}
		}
		if total > 1<<20 {
			return
		}
		propset.PutSpecConstants(r, list)
		again, err := propset.ReadSpecConstants(r)
		if err != nil || len(again) != len(list) {
			t.Fatalf("after writing and reading: %v, %v", again, err)
		}
		for i := range list {
			if list[i].Default == nil {
				list[i].Default = again[i].Default // constants without a default value may have zeros now
			}
		}
		if !reflect.DeepEqual(again, list) {
			t.Fatalf("got  %v\nwant %v", again, list)
		}
	})
}
