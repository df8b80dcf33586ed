package report

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

// JoinRounded makes one kernel of each parallel_for over a range, for which DPC++ has
// two ([kernelname.Rounded]): the runtime takes one of them by the range, so a device
// runs the kernel only if it can run both. What was made of a kernel that no module has,
// or of one of several that have the same name, stays as it is.
func JoinRounded(modules []Module) {
	written := map[string]string{} // symbols by the names that people know
	for _, m := range modules {
		for _, k := range m.Kernels {
			if _, ok := kernelname.Rounded(k.Name); ok {
				continue
			}
			name := kernelname.Display(k.Name)
			if other, ok := written[name]; ok && other != k.Name {
				written[name] = ""
			} else {
				written[name] = k.Name
			}
		}
	}
	for _, m := range modules {
		for i := range m.Kernels {
			k := &m.Kernels[i]
			if name, ok := kernelname.Rounded(k.Name); ok && written[name] != "" {
				k.Name, k.rounded = written[name], true
			}
		}
	}
}

// joined returns the cell of a kernel of which there are two, from the cells of both:
// the worse one, with all that keeps either from running.
func joined(a, b Cell) Cell {
	if cellRank(b) > cellRank(a) {
		a, b = b, a
	}
	a.Reasons = slices.Clip(a.Reasons)
	for _, reason := range b.Reasons {
		if !slices.Contains(a.Reasons, reason) {
			a.Reasons = append(a.Reasons, reason)
		}
	}
	if b.Scope == ScopeImage {
		a.Scope = ScopeImage
	}
	if a.Holds == Native {
		a.Holds = b.Holds // NativeOrIR is no worse
	}
	return a
}
