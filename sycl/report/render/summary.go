package render

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// summary returns the result of a report in one line.
func (t *table) summary(quote quoter) string {
	n := len(t.Kernels)
	good, unknown, compared := t.countKernels()
	devices := "every device"
	switch {
	case len(t.Devices) == 1:
		devices = quote(safetext.Escape(t.Devices[0].Name))
	case !compared:
		devices = "every device that they were compared with"
	}
	var s string
	switch {
	case unknown == n && n == 1:
		return "Whether the kernel runs on " + devices + " is known only when the program runs."
	case unknown == n:
		return fmt.Sprintf("Whether the %d kernels run on %s is known only when the program runs.", n, devices)
	case good == n && n == 1:
		s = "The kernel runs on " + devices
	case good == n:
		s = fmt.Sprintf("All %d kernels run on %s", n, devices)
	case good == 0 && n == 1:
		s = "The kernel does not run on " + devices
	case good == 0:
		s = fmt.Sprintf("None of the %d kernels runs on %s", n, devices)
	default:
		s = fmt.Sprintf("%d of %d kernels %s on %s", good, n, safetext.Plural(good, "runs", "run"), devices)
	}
	if unknown > 0 {
		more := "more"
		if good == 0 {
			more = "of them"
		}
		s += fmt.Sprintf("; for %d %s, this is known only when the program runs", unknown, more)
	}
	return s + "."
}

// countKernels counts the kernels that run on every device, as good, and the kernels that are
// undetermined on some devices and incompatible with none, as unknown. compared is false if a
// kernel was not compared with a device.
func (t *table) countKernels() (good, unknown int, compared bool) {
	compared = true
	for k := range len(t.Kernels) {
		worst := compat.NoStatus
		for _, n := range t.row(k) {
			if o := &t.Outcomes[n]; o.IsUnreported() {
				compared = false
			} else {
				worst = max(worst, o.Status)
			}
		}
		switch worst {
		case compat.Compatible:
			good++
		case compat.Undetermined:
			unknown++
		}
	}
	return good, unknown, compared
}
