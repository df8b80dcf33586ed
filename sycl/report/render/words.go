package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// place returns a place without the column, "" for none.
func place(l srcloc.Location) string {
	if l.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s:%d", safetext.Escape(l.Path), l.Line)
}

// cellWords is what a cell of a table says.
func cellWords(c *report.Outcome) string {
	switch {
	case c.Status == compat.Compatible && c.Code == report.Native:
		return "yes (native)"
	case c.Status == compat.Compatible && c.Code == report.NativeOrIR:
		return "yes (native or JIT)"
	case c.Status == compat.Compatible:
		return "yes (JIT)"
	case c.Status == compat.NotApplicable:
		return "-"
	}
	return statusWord(c.Status) + ": " + briefly(c)
}

// briefly names the reasons of a cell in a few words.
func briefly(c *report.Outcome) string {
	var list []string
	for _, r := range c.Reasons {
		if r.Status == c.Status {
			list = append(list, brief(r))
		}
	}
	list = distinct(list)
	// That nothing was built follows from any other reason.
	if len(list) > 1 {
		list = slices.DeleteFunc(list, func(s string) bool { return s == notBuilt })
	}
	const most = 2
	if n := len(list); n > most {
		list = append(list[:most-1:most-1], fmt.Sprintf("%d more", n-most+1))
	}
	return strings.Join(list, ", ")
}

// statusWord returns the word that cells and reasons begin with.
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

// brief names a reason in a few words.
func brief(r report.Reason) string {
	s := need(r)
	switch compat.Rule(r.Rule) {
	case compat.MissingAspect, compat.UnsupportedExtension:
		s = safetext.Escape(r.Required)
	case compat.UnsupportedAssembly:
		s = "inline assembly"
	case compat.UnsupportedIntrinsic:
		s = "ESIMD intrinsic"
	case compat.UnreadableRequirement:
		s = "not readable"
	case compat.UnsupportedJointMatrix:
		s = "joint_matrix"
	case compat.FixedTargetMismatch:
		s = "fixed targets"
	case compat.NoImage:
		s = notBuilt
	case report.NotReported:
		s = "not compared"
	}
	const most = 32
	if width(s) > most {
		s = firstColumns(s, most-3) + "..."
	}
	return s
}

// need says what the kernel of a reason needs.
func need(r report.Reason) string {
	s := safetext.Escape(r.Required)
	switch compat.Rule(r.Rule) {
	case compat.MissingAspect:
		return "aspect " + s
	case compat.UnsupportedSubGroupSize:
		return "sub-group size " + s
	case compat.UnsupportedWorkGroupSize:
		return "work-group size " + s
	case compat.UnsupportedWorkGroupDims:
		return s + " work-group dimensions"
	case compat.UnsupportedExtension:
		return "extension " + s
	case compat.UnsupportedAssembly:
		return s + " in inline assembly"
	case compat.UnsupportedIntrinsic:
		return "intrinsic " + s
	case compat.UnreadableRequirement:
		return "a property " + s + " that can be read"
	case compat.UnsupportedJointMatrix:
		return "joint_matrix " + s
	case compat.FixedTargetMismatch:
		return "one of the targets " + s
	case compat.CompileTargetMismatch:
		return "built for " + s
	case compat.NoImage:
		return "an image that the device can run"
	case report.NotReported:
		return "a report on the device"
	}
	return s
}

// offer says what a device, or the file for it, has instead.
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

// sentence says a reason in a sentence without a full stop.
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
