package show

import (
	"cmp"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// NotBuilt is the brief form of [compat.NoImage].
const NotBuilt = "not built"

// ruleWords holds descriptions of kernel requirements by rule, with %s for the required value.
var ruleWords = map[compat.Rule]struct {
	need, brief string
	used        bool // kernels "use" it, instead of "require"
}{
	compat.MissingAspect:            {"aspect %s", "%s", false},
	compat.UnsupportedSubGroupSize:  {"sub-group size %s", "sub-group size %s", false},
	compat.UnsupportedWorkGroupSize: {"work-group size %s", "work-group size %s", false},
	compat.UnsupportedWorkGroupDims: {"%s work-group dimensions", "%s work-group dimensions", false},
	compat.UnsupportedExtension:     {"extension %s", "%s", true},
	compat.MissingSPIRVExtension:    {"%s of SPIR-V", "%s", true},
	compat.UnsupportedParameterSize: {"%s bytes of parameters", "parameters", true},
	compat.UnsupportedLocalMemory:   {"%s bytes of local memory", "local memory", true},
	compat.UnsupportedOption:        {"option %s", "option %s", true},
	compat.UnsupportedAssembly:      {"%s in inline assembly", "inline assembly", true},
	compat.UnsupportedIntrinsic:     {"intrinsic %s", "ESIMD intrinsic", true},
	compat.UnreadableRequirement:    {"a property %s that can be read", "not readable", false},
	compat.UnsupportedJointMatrix:   {"joint_matrix %s", "joint_matrix", false},
	compat.FixedTargetMismatch:      {"one of the targets %s", "fixed targets", false},
	compat.CompileTargetMismatch:    {"built for %s", "built for %s", false},
	compat.NoImage:                  {"an image that the device can run", NotBuilt, false},
	report.NotReported:              {"a report on the device", "not compared", false},
}

// Need returns a description of the requirement that a rule and a value stand for. The value must
// be escaped.
func Need(rule compat.Rule, value string) string {
	in := ""
	if rule == compat.UnsupportedParameterSize && strings.Contains(value, compat.InRegisters) {
		in = compat.InRegisters
		value = strings.Replace(value, in, "", 1)
	}
	return strings.Replace(cmp.Or(ruleWords[rule].need, "%s"), "%s", value, 1) + in
}

// IsRequirement reports whether [Need] describes something that kernels require or use.
func IsRequirement(rule compat.Rule) bool {
	switch rule {
	case compat.UnreadableRequirement, compat.FixedTargetMismatch, compat.CompileTargetMismatch, compat.NoImage, report.NotReported:
		return false
	}
	return ruleWords[rule].need != ""
}

// Verb returns the verb between a number of kernels and [Need]: require, or use.
func Verb(rule compat.Rule, kernels int) string {
	if ruleWords[rule].used {
		return safetext.Plural(kernels, "uses", "use")
	}
	return safetext.Plural(kernels, "requires", "require")
}

// Brief returns a short form of a requirement.
func Brief(rule compat.Rule, required string) string {
	s := strings.Replace(cmp.Or(ruleWords[rule].brief, "%s"), "%s", safetext.Escape(required), 1)
	const most = 32
	if Width(s) > most {
		s = FirstColumns(s, most-3) + "..."
	}
	return s
}
