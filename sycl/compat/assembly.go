package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// checkAssembly compares inline assembly, which is vISA for Intel GPUs, with what the device and
// its compiler are known to support. Support by other compilers is not known.
func checkAssembly(r *Result, q *requirement.Requirements, d *deviceconfig.Device) {
	unknown := slices.Clone(q.Assembly)
	if d.Intrinsics != nil {
		unknown = checkKnownAssembly(r, q, d)
	}
	if len(unknown) > 0 {
		r.Add(Reason{Rule: UnsupportedAssembly, Status: Undetermined, Required: safetext.JoinFirst(unknown, 3), Text: fmt.Sprintf(
			"Unknown whether the device's compiler supports the inline assembly, which contains %s", safetext.JoinFirst(unknown, 3))})
	}
}

// checkKnownAssembly adds a reason for each requirement that an Intel GPU is known to lack, and
// returns the names whose support is not known.
func checkKnownAssembly(r *Result, q *requirement.Requirements, d *deviceconfig.Device) (unknown []string) {
	for _, name := range q.Assembly {
		need, ok := aspect.AssemblyRequirement(name)
		switch {
		case !ok:
			unknown = append(unknown, name)
		case !hasAssembly(d, need):
			// lsc_load and lsc_store have the same requirement.
			text := fmt.Sprintf("on the device: %s are for %s", need.What, need.Where)
			if i := slices.IndexFunc(r.Reasons, func(r Reason) bool { return strings.HasSuffix(r.Text, text) }); i >= 0 {
				r.Reasons[i].Required += ", " + name
				continue
			}
			r.Add(Reason{Rule: UnsupportedAssembly, Status: Incompatible, Required: name, Text: "The inline assembly is not supported " + text})
		}
	}
	return unknown
}

func hasAssembly(d *deviceconfig.Device, need aspect.AssemblyNeed) bool {
	switch {
	case need.HasAspect() && !d.Has(need.Aspect),
		need.Family != "" && !slices.Contains(d.Intrinsics, need.Family),
		need.SubGroup != 0 && (len(d.SubGroupSizes) == 0 || slices.Min(d.SubGroupSizes) != need.SubGroup):
		return false
	}
	return true
}

// IsCompilerLimit reports whether the reason is that the compiler for the device rejects the code. If
// there is native code for the device, its compiler has accepted it.
func (r *Reason) IsCompilerLimit() bool {
	switch r.Rule {
	case UnsupportedAssembly, UnsupportedExtension, UnsupportedIntrinsic, MissingSPIRVExtension, UnsupportedParameterSize, UnsupportedOption:
		return true
	}
	return false
}
