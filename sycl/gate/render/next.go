package render

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// mostSteps is the maximum number of listed steps.
const mostSteps = 8

// steps returns what to do next about failing or new findings: one line per rule and, if relevant,
// per requirement. Code in the lines is in backquotes. The only text from reports in them is names
// and paths that need no escaping in any format.
func steps(groups []group) []string {
	var list []string
	left := 0
	for _, g := range groups {
		s := ""
		if isFailingOrNew(g[0]) {
			s = step(g[0])
		}
		if s != "" {
			s = fmt.Sprintf("%s: %s", g[0].Rule, s)
		}
		switch {
		case s == "":
			continue
		case slices.Contains(list, s):
		case len(list) < mostSteps:
			list = append(list, s)
		default:
			left++
		}
	}
	if left > 0 {
		list = append(list, "`compat explain` lists all rules")
	}
	return list
}

// edits returns the step that proposes edits of BUILD files, or "" if no edit fixes a finding. An
// empty command means 'compat fix'.
func edits(r *gate.Result, groups []group, command string) []string {
	i := slices.IndexFunc(groups, func(g group) bool { return isEditable(g[0]) })
	if i < 0 {
		return nil
	}
	command = cmp.Or(command, "compat fix "+reportOf(r, groups[i][0].Target))
	return []string{fmt.Sprintf("`%s` proposes edits of BUILD files", command)}
}

// isFailingOrNew reports whether a finding fails or is new.
func isFailingOrNew(f *gate.Finding) bool {
	return f.Fails || f.State == gate.StateNew && f.Class == ""
}

// step returns what to do next about a finding.
func step(f *gate.Finding) string {
	rule, ok := gate.LookupRule(f.Rule)
	if !ok || rule.Next == "" {
		return ""
	}
	required := "NAME"
	if plainName.MatchString(f.Required) {
		required = f.Required
	}
	return fmt.Sprintf("%s (`compat explain %s`)", strings.ReplaceAll(rule.Next, "{required}", required), f.Rule)
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_]{1,60}$`)

// isEditable reports whether an edit of a BUILD file may fix a finding.
func isEditable(f *gate.Finding) bool {
	if _, _, ok := gate.SplitLabel(f.Target); !ok || !isFailingOrNew(f) {
		return false
	}
	switch f.Rule {
	case compat.NoImage, compat.CompileTargetMismatch, compat.FixedTargetMismatch, compat.MissingAspect, compat.UnsupportedSubGroupSize,
		compat.UnsupportedWorkGroupSize, compat.UnsupportedJointMatrix, compat.UnsupportedIntrinsic, compat.UnsupportedAssembly:
		return true
	}
	return false
}

// reportOf returns the path of a target's report, for use in a shell command.
func reportOf(r *gate.Result, target string) string {
	file := "REPORT"
	for _, t := range r.Targets {
		if t.Label == target && len(t.Reports) > 0 && isShellPath(t.Reports[0]) {
			file = t.Reports[0]
		}
	}
	return file
}

// isShellPath reports whether a path needs no quoting in a shell.
func isShellPath(path string) bool {
	return safetext.IsPath(path) && !strings.ContainsAny(path, " $;()[]{}!~\\:%\"'<>|?*&#`")
}

// plainStep converts a step to text without markup.
func plainStep(s string) string { return strings.ReplaceAll(s, "`", "'") }

// Next returns what to do next about a finding, as one sentence that is safe to print, or "" if
// there is nothing.
func Next(f *gate.Finding) string { return plainStep(step(f)) }
