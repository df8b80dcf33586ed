package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// place returns a location without the column, or "" if it is unknown.
func place(l srcloc.Location) string {
	if l.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s:%d", safetext.Escape(l.Path), l.Line)
}

// cellWords returns the text of a table cell.
func cellWords(c *report.Outcome) string {
	switch word := statusWord(c.Status); c.Status {
	case compat.Compatible:
		return word + " (" + codeWords(c.Code) + ")"
	case compat.NotApplicable:
		return word
	default:
		return word + ": " + briefly(c)
	}
}

// codeWords returns the name of the code that a device runs.
func codeWords(c report.Code) string {
	switch c {
	case report.Native:
		return "native"
	case report.NativeOrIR:
		return "native or JIT"
	}
	return "JIT"
}

// briefly returns a short form of the reasons of a cell.
func briefly(c *report.Outcome) string {
	var list []string
	for _, r := range c.Reasons {
		if r.Status == c.Status {
			list = append(list, brief(r))
		}
	}
	list = distinct(list)
	// A missing image follows from any other reason.
	if len(list) > 1 {
		list = slices.DeleteFunc(list, func(s string) bool { return s == notBuilt })
	}
	const most = 2
	if n := len(list); n > most {
		list = append(list[:most-1:most-1], fmt.Sprintf("%d more", n-most+1))
	}
	return strings.Join(list, ", ")
}

// statusWord returns the word for a status that begins cells and reasons.
func statusWord(s compat.Status) string {
	switch s {
	case compat.Compatible:
		return "yes"
	case compat.NotApplicable:
		return "-"
	case compat.Undetermined:
		return "?"
	}
	return "no"
}

// notBuilt is the brief form of [compat.NoImage].
const notBuilt = "not built"

// ruleWords describe requirements of kernels by rule, with %s for the required value.
var ruleWords = map[compat.Rule]struct{ need, brief string }{
	compat.MissingAspect:            {"aspect %s", "%s"},
	compat.UnsupportedSubGroupSize:  {"sub-group size %s", "sub-group size %s"},
	compat.UnsupportedWorkGroupSize: {"work-group size %s", "work-group size %s"},
	compat.UnsupportedWorkGroupDims: {"%s work-group dimensions", "%s work-group dimensions"},
	compat.UnsupportedExtension:     {"extension %s", "%s"},
	compat.MissingSPIRVExtension:    {"%s of SPIR-V", "%s"},
	compat.UnsupportedParameterSize: {"%s bytes of parameters", "parameters"},
	compat.UnsupportedLocalMemory:   {"%s bytes of local memory", "local memory"},
	compat.UnsupportedAssembly:      {"%s in inline assembly", "inline assembly"},
	compat.UnsupportedIntrinsic:     {"intrinsic %s", "ESIMD intrinsic"},
	compat.UnreadableRequirement:    {"a property %s that can be read", "not readable"},
	compat.UnsupportedJointMatrix:   {"joint_matrix %s", "joint_matrix"},
	compat.FixedTargetMismatch:      {"one of the targets %s", "fixed targets"},
	compat.CompileTargetMismatch:    {"built for %s", "built for %s"},
	compat.NoImage:                  {"an image that the device can run", notBuilt},
	report.NotReported:              {"a report on the device", "not compared"},
}

// need returns a description of the requirement of a reason.
func need(r report.Reason) string {
	return strings.Replace(cmp.Or(ruleWords[compat.Rule(r.Rule)].need, "%s"), "%s", safetext.Escape(r.Required), 1)
}

// brief returns a short form of a reason.
func brief(r report.Reason) string {
	s := strings.Replace(cmp.Or(ruleWords[compat.Rule(r.Rule)].brief, "%s"), "%s", safetext.Escape(r.Required), 1)
	const most = 32
	if width(s) > most {
		s = firstColumns(s, most-3) + "..."
	}
	return s
}

// offer returns what a device, or the file for it, has instead.
func offer(r report.Reason) string {
	switch {
	case r.Available != "":
		return safetext.Escape(r.Available)
	case compat.Rule(r.Rule) == compat.NoImage:
		return "none in the file"
	case compat.Rule(r.Rule) == report.NotReported:
		return "none"
	case r.Status == compat.Undetermined:
		return "not known"
	}
	return "not supported"
}

// sentence returns a reason as a sentence without a final period.
func sentence(r report.Reason) string {
	switch {
	case compat.Rule(r.Rule) == compat.NoImage:
		return "the file has neither native code for the device nor code that can be compiled for it"
	case compat.Rule(r.Rule) == compat.UnsupportedSubGroupSize && r.Available != "" && r.Status == compat.Incompatible:
		return safetext.Escape(r.Text) + ", which offers " + safetext.Escape(r.Available)
	case compat.Rule(r.Rule) == compat.UnsupportedWorkGroupSize && r.Available != "" && r.Status == compat.Incompatible:
		return safetext.Escape(r.Text) + ": it is " + safetext.Escape(r.Required) + ", and the device takes " + safetext.Escape(r.Available)
	}
	return strings.TrimSuffix(safetext.Escape(r.Text), ".")
}

func count(n int, what string) string {
	return fmt.Sprintf("%d %s", n, safetext.Plural(n, what, what+"s"))
}
