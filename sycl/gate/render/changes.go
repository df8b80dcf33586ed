package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Changes prints the differences found by [gate.Diff], or nothing if there are none. Devices on
// which a kernel changes in the same way share a line. Many changes are grouped, unless all are
// requested.
func Changes(w io.Writer, d *gate.Difference, o ChangeOptions) error {
	changes := d.Changes
	if len(changes) > mostChanges && !o.All {
		return changeGroups(w, d, o)
	}
	out := bufio.NewWriter(w)
	for _, list := range byKernel(changes) {
		for _, line := range changeLines(list) {
			fmt.Fprintln(out, line)
		}
	}
	return out.Flush()
}

// byKernel groups the status changes of each kernel. Every other change is a separate group.
func byKernel(changes []gate.Change) (list [][]gate.Change) {
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && sameKernel(&changes[0], &changes[n]) {
			n++
		}
		list = append(list, changes[:n])
		changes = changes[n:]
	}
	return list
}

// sameKernel reports whether two changes are status changes of the same kernel.
func sameKernel(a, b *gate.Change) bool {
	return a.Kernel != "" && b.Kernel != "" && a.Device != "" && b.Device != "" && a.Kind == b.Kind && a.Name == b.Name && a.Target == b.Target
}

// groupByChange returns how the statuses of a kernel change, and on which devices.
func groupByChange(changes []gate.Change) (ways []string, devices map[string][]string) {
	devices = map[string][]string{}
	for i := range changes {
		way := describeChange(&changes[i])
		if devices[way] == nil {
			ways = append(ways, way)
		}
		devices[way] = append(devices[way], safetext.Escape(changes[i].Device))
	}
	return ways, devices
}

// changeLines returns lines that describe the status changes of a kernel, or one other change.
func changeLines(list []gate.Change) (lines []string) {
	c := &list[0]
	ways, devices := groupByChange(list)
	for _, way := range ways {
		var line string
		switch {
		case c.Kind == "renamed":
			line = fmt.Sprintf("renamed: kernel '%s' → '%s'", safetext.Escape(c.OldKernel), safetext.Escape(c.Kernel))
		case c.Device == "":
			line = fmt.Sprintf("%s: kernel '%s'%s", c.Kind, safetext.Escape(c.Kernel), way)
		case c.Kernel == "":
			line = fmt.Sprintf("%s: device %s%s", c.Kind, devices[way][0], way)
		default:
			line = fmt.Sprintf("%s: kernel '%s' on %s%s", c.Kind, safetext.Escape(c.Kernel), strings.Join(devices[way], ", "), way)
		}
		if c.OldTarget != "" {
			line += fmt.Sprintf(" (%s → %s)", safetext.Escape(c.OldTarget), safetext.Escape(c.Target))
		} else if c.Target != "" {
			line += fmt.Sprintf(" (%s)", safetext.Escape(c.Target))
		}
		lines = append(lines, line)
	}
	return lines
}

// describeChange returns a description of a status change that begins with a colon, or nothing if no
// status changes.
func describeChange(c *gate.Change) string {
	var parts []string
	switch {
	case c.Device == "":
		for _, v := range compat.Statuses {
			var devices []string
			for _, d := range c.Statuses {
				if d.Status == v {
					devices = append(devices, safetext.Escape(d.Device))
				}
			}
			if len(devices) > 0 {
				parts = append(parts, fmt.Sprintf("%v on %s", v, strings.Join(devices, ", ")))
			}
		}
	case c.Kernel == "":
		for _, v := range compat.Statuses {
			if n := c.Counts[v]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %v", safetext.Count(n, "kernel"), v))
			}
		}
	default:
		return fmt.Sprintf(": %s → %s", statusText(c.Old, c.OldReasons), statusText(c.New, c.NewReasons))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// statusText returns a description of a status and its reasons.
func statusText(v compat.Status, reasons []gate.ChangeReason) string {
	if why := reasonsText(reasons); why != "" && v != compat.NoStatus {
		return fmt.Sprintf("%v (%s)", v, why)
	}
	return statusName(v)
}

func statusName(v compat.Status) string {
	if v == compat.NoStatus {
		return "not reported"
	}
	return v.String()
}

// reasonsText returns a description of reasons.
func reasonsText(reasons []gate.ChangeReason) string {
	var list []string
	for _, r := range reasons {
		f := gate.Finding{Cause: r.Cause, Image: r.Image, Required: r.Required, Rule: r.Rule, Text: r.Text, Devices: []gate.DeviceFinding{{Available: r.Available}}}
		if why := plainWords.need(group{&f}, cmp.Or(r.Cause, r.Rule)); why != "" && !slices.Contains(list, why) {
			list = append(list, why)
		}
	}
	return strings.Join(list, "; ")
}
