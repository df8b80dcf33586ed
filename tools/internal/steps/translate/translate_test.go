package translate

import (
	"slices"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// TestAddEmulatedConversionProperties checks that a module whose SPIR-V contains double requires
// fp64, unless conversions are emulated and the post-link step found no other use of double.
func TestAddEmulatedConversionProperties(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(file string, aspects ...aspect.Aspect) *propset.Registry {
		r := new(propset.Registry)
		(&requirement.Requirements{Aspects: aspects}).Put(r)
		testkit.WriteFile(t, file, r.String())
		return r
	}
	write("none.prop")
	write("fp64.prop", aspect.FP64)
	for _, test := range []struct {
		file    string
		emulate bool
		want    []aspect.Aspect
	}{
		{"none.prop", false, []aspect.Aspect{aspect.FP16, aspect.FP64}},
		{"none.prop", true, []aspect.Aspect{aspect.FP16}},
		{"fp64.prop", true, []aspect.Aspect{aspect.FP16, aspect.FP64}},
	} {
		own := write("spirv.prop", aspect.FP16, aspect.FP64)
		testkit.NoError(t, addProperties(own, test.file, test.emulate))
		got, err := requirement.FromProperties(own)
		if err != nil || !slices.Equal(got.Aspects, test.want) {
			t.Errorf("%s, %v: %v, %v", test.file, test.emulate, got.Aspects, err)
		}
	}
}
