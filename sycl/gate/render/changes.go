package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/gate"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Changes prints what [gate.Diff] found, nothing when there are no changes. Kernels
// that change in the same way on several devices have one line.
func Changes(w io.Writer, changes []gate.Change) error {
	out := bufio.NewWriter(w)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && sameButDevice(changes[0], changes[n]) {
			n++
		}
		fmt.Fprintln(out, changeLine(changes[:n]))
		changes = changes[n:]
	}
	return out.Flush()
}

// sameButDevice reports whether two changes of a kernel differ in nothing but the
// device.
func sameButDevice(a, b gate.Change) bool {
	a.Device, b.Device = "", ""
	return a == b && a.Kernel != ""
}

// changeLine says what changes are that differ in nothing but the device.
func changeLine(list []gate.Change) string {
	c := list[0]
	what := fmt.Sprintf("kernel '%s'", safetext.Escape(c.Kernel))
	switch {
	case c.Device == "":
	case c.Kernel == "":
		what = "device " + safetext.Escape(c.Device)
	default:
		var devices []string
		for _, c := range list {
			devices = append(devices, safetext.Escape(c.Device))
		}
		what += fmt.Sprintf(" on %s: %s, was %s", strings.Join(devices, ", "), verdict(c.New), verdict(c.Old))
	}
	if c.Target != "" {
		what += fmt.Sprintf(" (%s)", safetext.Escape(c.Target))
	}
	return fmt.Sprintf("%s: %s", c.Kind, what)
}

// verdict returns a verdict for people.
func verdict(v compat.Verdict) string {
	if v == compat.NoVerdict {
		return "not reported"
	}
	return v.String()
}
