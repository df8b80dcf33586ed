package gate

import (
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// addedCapabilities returns the parts of a device description that let more kernels pass than an
// older description did. Removed data also counts, because it turns an incompatible status into an
// undetermined one.
func addedCapabilities(old, now *report.Device) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	has := func(d *report.Device, name string) bool {
		return slices.ContainsFunc(d.Aspects, func(a aspect.Named) bool { return a.Name == name })
	}
	for _, a := range now.Aspects {
		if !has(old, a.Name) {
			add("the aspect %s", a.Name)
		}
	}
	if now.OpenWorld && !old.OpenWorld {
		add("aspects that are not listed")
	}
	if now.IsGeneric() && !old.IsGeneric() {
		add("anything, because the device is unknown")
	}
	for _, n := range now.SubGroupSizes {
		if !slices.Contains(old.SubGroupSizes, n) {
			add("the sub-group size %d", n)
		}
	}
	limit := func(name string, old, now uint64) {
		switch {
		case now == old:
		case now == 0:
			add("any %s, because it is no longer stated", name)
		case old == 0 || now > old:
			add("a %s of %d", name, now)
		}
	}
	limit("work-group size", old.MaxWorkGroupSize, now.MaxWorkGroupSize)
	limit("local memory size", old.LocalMemorySize, now.LocalMemorySize)
	for i := range max(len(old.MaxWorkItemSizes), len(now.MaxWorkItemSizes)) {
		size := func(d *report.Device) uint64 {
			if i < len(d.MaxWorkItemSizes) {
				return d.MaxWorkItemSizes[i]
			}
			return 0
		}
		limit(fmt.Sprintf("work-group size in dimension %d", i), size(old), size(now))
	}
	if now.Matrices == nil && old.Matrices != nil {
		add("any matrix combination, because the combinations are no longer listed")
	}
	for _, m := range now.Matrices {
		if !slices.Contains(old.Matrices, m) {
			add("the matrix %s", m)
		}
	}
	// The architecture and the backend determine which device images the device can run.
	if now.Architecture != old.Architecture || now.Backend != old.Backend {
		add("device images for a different architecture")
	}
	return list
}

// weakenedDevices returns descriptions of how the data of required devices is weaker than on the base
// branch, by device name.
func (e *evaluator) weakenedDevices() map[string]string {
	base := e.BaseBaseline
	if e.BaseDecides {
		base = e.Baseline
	}
	trusted := base.digests()
	out := map[string]string{}
	for _, x := range e.Reports {
		// Older versions of compat did not write the local memory size of any device.
		isOlder := len(e.Base) == 0 && !e.BaseDecides
		for _, d := range x.data {
			isOlder = isOlder && d.LocalMemorySize == 0
		}
		for id, d := range x.data {
			if e.tier(id) != Required || trusted[id] == x.devices[id] {
				continue
			}
			if old := e.baseDevice(id); old != nil {
				if isOlder {
					without := *old
					without.LocalMemorySize = 0
					old = &without
				}
				if more := addedCapabilities(old, d); more != nil {
					out[id] = fmt.Sprintf("the data of the required device %s allow more than the base branch's data: %s", id, safetext.JoinFirst(more, mostNamed))
				}
			} else if trusted[id] != "" {
				out[id] = fmt.Sprintf("the data of the required device %s differ from the base branch's baseline", id)
			} else if e.BaseDecides {
				out[id] = fmt.Sprintf("the base branch has no data of the required device %s", id)
			}
		}
	}
	return out
}

// baseDevice returns a device as described on the base branch, or nil if unknown.
func (e *evaluator) baseDevice(id string) *report.Device {
	for _, x := range e.Base {
		if d := x.data[id]; d != nil {
			return d
		}
	}
	for i := range e.BaseDevices {
		if d := &e.BaseDevices[i]; d.Name == id {
			return d
		}
	}
	return nil
}

const mostNamed = 5 // items of a list in a notice
