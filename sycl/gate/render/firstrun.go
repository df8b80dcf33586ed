package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// adoptionSteps returns steps for introducing the gate in a project with problems: the current
// problems can be accepted so that only new ones fail. It returns nothing if some problems are
// already known, or for problems without a kernel, which a baseline cannot hold.
func adoptionSteps(r *gate.Result, groups []group) []string {
	i := slices.IndexFunc(groups, func(g group) bool { return g[0].Fails && g[0].Kernel != "" })
	if i < 0 || r.Compared {
		return nil
	}
	command := r.Update
	if command == "" || safetext.Escape(command) != command || strings.Contains(command, "`") {
		command = "compat baseline update --baseline sycl-compat-baseline.json REPORT..."
	}
	return []string{fmt.Sprintf("`%s` accepts the current problems, so that only new ones fail; commit the file and set `--baseline` or the action's `baseline-file`", command)}
}

// mostExceptions is the maximum number of proposed exceptions, and mostPatterns the maximum number
// of kernels in each.
const (
	mostExceptions = 10
	mostPatterns   = 20
	daysToFix      = 90
)

// exceptions returns policy lines that temporarily allow the failing findings of groups. Texts from
// reports are quoted as in JSON.
func exceptions(r *gate.Result, groups []group) (lines []string, left int) {
	today, err := gate.ParseDate(r.Today)
	if err != nil {
		return nil, 0
	}
	end := today.Add(daysToFix * 24 * time.Hour).Format("2006-01-02")
	n := 0
	for _, g := range groups {
		f := g[0]
		if !f.Fails || f.Kernel == "" || len(f.Devices) == 0 {
			continue
		}
		if n == mostExceptions || len(g) > mostPatterns {
			left++
			continue
		}
		n++
		kernels, devices := []string{}, []string{}
		for _, f := range g {
			if k := quoted(f.Kernel); !slices.Contains(kernels, k) {
				kernels = append(kernels, k)
			}
		}
		for _, d := range f.Devices {
			devices = append(devices, quoted(d.ID))
		}
		line := fmt.Sprintf("  - rule: %s\n    kernels: [%s]\n    devices: [%s]\n", f.Rule, strings.Join(kernels, ", "), strings.Join(devices, ", "))
		if f.Rule == compat.MissingAspect && f.Required != "" {
			line += fmt.Sprintf("    detail: {aspect: %s}\n", quoted(f.Required))
		}
		lines = append(lines, line+fmt.Sprintf("    reason: say why\n    expires: %s\n", end))
	}
	return lines, left
}

// quoted returns a YAML string without markup or commands: all characters that are rare in names
// are escaped by number.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("_<>(), *&.:{}+-/=", c):
			b.WriteRune(c)
		case c > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, c)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// proposeExceptions writes the exceptions as lines for copying.
func (m *markdown) proposeExceptions(r *gate.Result, groups []group) {
	lines, left := exceptions(r, groups)
	if len(lines) == 0 {
		return
	}
	text := fmt.Sprintf("\n<details><summary>Policy lines that accept these problems for %d days</summary>\n\n```yaml\nallow:\n%s```\n", daysToFix, strings.Join(lines, ""))
	if left > 0 {
		text += fmt.Sprintf("\n%d more are not listed.\n", left)
	}
	m.add(text + "\n</details>\n")
}
