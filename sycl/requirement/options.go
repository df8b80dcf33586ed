package requirement

import (
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// LargeRegisterFile is the option of compilers for Intel GPUs that doubles the registers of a
// work-item.
const LargeRegisterFile = "-ze-opt-large-register-file"

const autoRegisterFile = "-ze-intel-enable-auto-large-GRF-mode"

// registerOption returns the option that the runtime adds for the register properties of an image.
func registerOption(r *propset.Registry) string {
	set := r.Set(propset.MiscProperties)
	for _, p := range []struct {
		key         string
		large, auto uint32
	}{{"sycl-register-alloc-mode", 2, 0}, {"sycl-grf-size", 256, 0}} {
		v, _ := set.Get(p.key)
		switch n, ok := v.Uint(); {
		case ok && n == p.large:
			return LargeRegisterFile
		case ok && n == p.auto:
			return autoRegisterFile
		}
	}
	return ""
}

// HasLargeRegisters reports whether the image's IR is compiled with [LargeRegisterFile] or an alias
// of it.
func (q *Requirements) HasLargeRegisters() bool {
	return q.RegisterOption == LargeRegisterFile || slices.ContainsFunc(strings.Fields(q.BuildOptions.Compile+" "+q.BuildOptions.Link), IsLargeRegisterOption)
}

// IsLargeRegisterOption reports whether an option of compilers for Intel GPUs doubles the
// registers of a work-item.
func IsLargeRegisterOption(option string) bool {
	switch option {
	case LargeRegisterFile, "-ze-exp-register-file-size=256", "-cl-intel-256-GRF-per-thread", "-doubleGRF":
		return true
	}
	return false
}
