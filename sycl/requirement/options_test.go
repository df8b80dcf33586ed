package requirement

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		text, option string
		isLarge      bool
	}{
		{"", "", false},
		{"[SYCL/misc properties]\nsycl-grf-size=1|256\n", LargeRegisterFile, true},
		{"[SYCL/misc properties]\nsycl-grf-size=1|128\n", "", false},
		{"[SYCL/misc properties]\nsycl-grf-size=1|0\n", autoRegisterFile, false},
		{"[SYCL/misc properties]\nsycl-register-alloc-mode=1|2\n", LargeRegisterFile, true},
		{"[SYCL/misc properties]\nsycl-register-alloc-mode=1|1\n", "", false},
		{"[SYCL/misc properties]\nsycl-register-alloc-mode=1|0\n", autoRegisterFile, false},
		{"[SYCL/misc properties]\noptLevel=1|2\n", "", false},
	} {
		r, err := propset.Parse("x", []byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		q := Readable(r)
		if q.RegisterOption != test.option || q.HasLargeRegisters() != test.isLarge {
			t.Errorf("%q: option %q, large registers %t, want %q and %t", test.text, q.RegisterOption, q.HasLargeRegisters(), test.option, test.isLarge)
		}
	}
	r := new(propset.Registry)
	propset.PutJITOptions(r, propset.JITOptions{Compile: "-g -ze-opt-large-register-file", Link: "-x"})
	q := Readable(r)
	if q.BuildOptions != propset.JITOptionsOf(r) || !q.HasLargeRegisters() {
		t.Errorf("options %q, large registers %t", q.BuildOptions, q.HasLargeRegisters())
	}
	if q.Key() == new(Requirements).Key() {
		t.Error("the key does not include the options")
	}
	merged := new(Requirements)
	if err := merged.Merge(q); err != nil || merged.BuildOptions != q.BuildOptions {
		t.Errorf("merged options %q, %v", merged.BuildOptions, err)
	}
}
