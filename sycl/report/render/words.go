package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
)

// cellWords returns the text of a table cell.
func cellWords(c *report.Outcome) string {
	switch word := statusWord(c.Status); c.Status {
	case compat.Compatible:
		return word + " (" + codeWords(c.Code) + ")"
	case compat.NotApplicable:
		return word
	default:
		return word + ": " + briefReasons(c)
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

// briefReasons returns a short form of the reasons of a cell.
func briefReasons(c *report.Outcome) string {
	var list []string
	for _, r := range c.Reasons {
		if r.Status == c.Status {
			list = append(list, brief(r))
		}
	}
	list = distinct(list)
	// Any other reason explains a missing image.
	if len(list) > 1 {
		list = slices.DeleteFunc(list, func(s string) bool { return s == show.NotBuilt })
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

// available returns a description of what the device, or the file for the device, has instead.
func available(r report.Reason) string {
	switch {
	case r.Available != "":
		return safetext.Escape(r.Available)
	case r.Rule == compat.NoImage:
		return "none in the file"
	case r.Rule == report.NotReported:
		return "none"
	case r.Status == compat.Undetermined:
		return "unknown"
	}
	return "not supported"
}

// sentence returns a reason as a sentence without a final period.
func sentence(r report.Reason) string {
	switch {
	case r.Rule == compat.NoImage:
		return "the file has neither native code for the device nor code that can be compiled for it"
	case r.Rule == compat.UnsupportedSubGroupSize && r.Available != "" && r.Status == compat.Incompatible:
		return safetext.Escape(r.Text) + ", which offers " + safetext.Escape(r.Available)
	case r.Rule == compat.UnsupportedWorkGroupSize && r.Available != "" && r.Status == compat.Incompatible:
		return safetext.Escape(r.Text) + ": the kernel requires " + safetext.Escape(r.Required) + ", and the device supports " + safetext.Escape(r.Available)
	}
	return strings.TrimSuffix(safetext.Escape(r.Text), ".")
}

// need returns a description of the requirement of a reason.
func need(r report.Reason) string { return show.Need(r.Rule, safetext.Escape(r.Required)) }

// brief returns a short form of a reason.
func brief(r report.Reason) string { return show.Brief(r.Rule, r.Required) }
