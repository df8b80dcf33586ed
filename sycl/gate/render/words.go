package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/show"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// words builds sentences about findings. It passes text from reports and policies through one of
// its functions, which make the text safe for the format.
type words struct {
	name  func(string) string // of kernels and functions
	value func(string) string // devices, requirements and texts
}

// plainWords is for text formats, and for formats whose writers escape all text.
var plainWords = words{
	name:  func(s string) string { return "'" + safetext.Escape(s) + "'" },
	value: safetext.Escape,
}

// longName is the length in bytes above which kernel names are shortened.
const longName = 100

// short returns words that shorten long kernel names of the findings and keep them distinct, see
// [kernelname.ShortNames].
func (w words) short(findings group) words {
	var names []string
	for _, f := range findings {
		if len(f.Kernel) > longName {
			names = append(names, f.Kernel)
		}
	}
	name, shortOf := w.name, kernelname.ShortNames(names)
	w.name = func(s string) string { return name(cmp.Or(shortOf[s], s)) }
	return w
}

// mostKernels is the maximum number of kernel names of a group in a sentence.
const mostKernels = 3

// sentence describes the findings of a group, without a final period.
func (w words) sentence(g group) string {
	f := g[0]
	switch f.Rule {
	case gate.CoverageLost, gate.ReportInvalid:
		var about []string
		if f.Target != "" {
			about = append(about, "target "+w.value(f.Target))
		}
		if len(f.Devices) > 0 {
			about = append(about, safetext.Plural(len(f.Devices), "device ", "devices ")+w.devices(f))
		}
		if len(about) == 0 {
			return w.value(f.Text)
		}
		return strings.Join(about, ", ") + ": " + w.value(f.Text)
	case gate.KernelLost:
		return fmt.Sprintf("%s %s no longer in any report", w.kernels(g), safetext.Plural(len(g), "is", "are"))
	case gate.Undetermined:
		return fmt.Sprintf("whether %s %s on %s is known only when the program runs: %s", w.kernels(g), safetext.Plural(len(g), "runs", "run"), w.devices(f), w.need(g, f.Cause))
	}
	return fmt.Sprintf("%s %s not run on %s: %s", w.kernels(g), safetext.Plural(len(g), "does", "do"), w.devices(f), w.need(g, f.Rule))
}

// kernels returns the names of the kernels of a group, or some of many.
func (w words) kernels(g group) string {
	if len(g) == 1 {
		return "kernel " + w.name(g[0].Kernel)
	}
	var list []string
	for _, f := range g {
		list = append(list, w.name(f.Kernel))
	}
	return fmt.Sprintf("%d kernels (%s)", len(g), safetext.JoinFirst(list, mostKernels))
}

func (w words) devices(f *gate.Finding) string {
	var list []string
	for _, d := range f.Devices {
		list = append(list, w.value(d.ID))
	}
	return show.List(list, "devices")
}

// need returns the requirement of a group's kernels that a device lacks.
func (w words) need(g group, cause gate.RuleID) string {
	f := g[0]
	it, was := "it", "was"
	if len(g) > 1 {
		it, was = "they", "were"
	}
	switch cause {
	case compat.FixedTargetMismatch:
		return it + " " + was + " compiled with -fsycl-fixed-targets for " + w.value(f.Required)
	case compat.CompileTargetMismatch:
		return it + " " + was + " compiled ahead of time for " + w.value(f.Required)
	case compat.NoImage:
		return "there is no code for " + safetext.Plural(len(g), "it", "them")
	}
	if !show.IsRequirement(cause) {
		return w.value(f.Text)
	}
	who, verb := it, show.Verb(cause, len(g))
	if f.Image {
		who, verb = "a kernel in "+safetext.Plural(len(g), "its device image", "their device images"), show.Verb(cause, 1)
	}
	text := who + " " + verb + " " + show.Need(cause, w.value(f.Required)) + w.available(f)
	if origin := g.origin(); origin != "" && cause == compat.MissingAspect {
		text += ", which " + w.name(origin) + " uses"
	}
	return text
}

// available returns what the devices have instead, if all have the same.
func (w words) available(f *gate.Finding) string {
	for _, d := range f.Devices {
		if d.Available != f.Devices[0].Available {
			return ""
		}
	}
	if len(f.Devices) == 0 || f.Devices[0].Available == "" {
		return ""
	}
	return fmt.Sprintf(" (the device%s %s)", safetext.Plural(len(f.Devices), " has", "s have"), w.value(f.Devices[0].Available))
}

// disposition returns a description of the disposition of a finding by the policy and the
// comparison, or "" if it is new.
func (w words) disposition(f *gate.Finding) string {
	switch {
	case f.Suppression != nil:
		s := "allowed"
		if f.Suppression.Expires != "" {
			s += " until " + f.Suppression.Expires
		}
		return s + ": " + w.value(f.Suppression.Reason)
	case f.Family != "":
		return "another kernel of family " + w.value(f.Family) + " runs there"
	case f.Expired:
		return "the exception has expired"
	case f.Class == gate.ClassDeviceData:
		return "the data of the device has changed"
	case f.RenamedFrom != "":
		return "known, renamed from " + w.value(f.RenamedFrom)
	case f.State == gate.StateUnchanged:
		return "known"
	case f.State == gate.StateUpdated:
		return "known by another name"
	}
	return ""
}

// message returns one sentence that describes a finding and is safe to print.
func message(f *gate.Finding) string { return plainWords.sentence(group{f}) }

// Messages returns sentences that describe findings and are safe to print: one for all kernels with
// the same problem.
func Messages(list []*gate.Finding) []string {
	var messages []string
	for _, g := range groupsOf(list) {
		messages = append(messages, plainWords.sentence(g))
	}
	return messages
}

// place returns the location of a finding: a file with its line and column, or else a target, or
// "".
func place(f *gate.Finding) string {
	if f.Path != "" {
		return srcloc.Location{Path: f.Path, Line: uint32(f.Line), Column: uint32(f.Column)}.String()
	}
	if _, _, ok := gate.SplitLabel(f.Target); ok {
		return f.Target
	}
	return ""
}

// Summary returns a one-line summary of a result.
func Summary(r *gate.Result) string {
	c := r.Counts
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, safetext.Plural(n, one, many)))
		}
	}
	known := "known"
	status := "passed"
	if r.Conclusion == gate.Failure {
		status = "failed"
		add(c.Failing, "failing problem", "failing problems")
	}
	if r.Conclusion != gate.Failure && r.Policy.FailOn == gate.FailOnNone {
		status += " (dry run)"
	}
	if r.Compared {
		add(c.New, "new", "new")
		add(c.Unchanged+c.Updated, known, known)
		add(c.DeviceDataChanged, "new because data of a device changed", "new because data of devices changed")
		add(c.Absent, "solved", "solved")
	} else {
		add(c.Errors, "error", "errors")
		add(c.Warnings, "warning", "warnings")
		add(c.Notes, "note", "notes")
	}
	add(c.Allowed, "allowed", "allowed")
	add(c.Family, "with an alternative", "with an alternative")
	add(c.Expired, "with an expired exception", "with expired exceptions")
	warnings := 0 // about the policy and similar
	for _, n := range r.Notices {
		if n.Severity >= gate.Warning && !n.Fails {
			warnings++
		}
	}
	add(warnings, "warning about the check", "warnings about the check")
	if r.OnlyGeneric() {
		var names []string
		for _, d := range r.Devices {
			names = append(names, safetext.Escape(d.ID))
		}
		status += ", but only " + show.List(names, "targets") + safetext.Plural(len(names), " was checked, which is not a specific device", " were checked, which are not specific devices") + " (name devices to check)"
	}
	s := fmt.Sprintf("%s: %s", status, safetext.Count(c.Kernels, "kernel"))
	if !r.OnlyGeneric() {
		s += fmt.Sprintf(" on %s", safetext.Count(c.Devices, "device"))
	}
	if len(parts) == 0 {
		return s + ", no problems"
	}
	return s + ": " + strings.Join(parts, ", ")
}
