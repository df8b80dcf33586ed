package report

import (
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

// JoinRounded makes one kernel of each parallel_for over a range. DPC++ makes two kernels
// of it ([kernelname.Rounded]), and the runtime takes one of them by the range. So a
// device runs the kernel only if it can run both. A rounded kernel stays as it is if no
// module has the kernel that it was made from, or if several have its name.
func JoinRounded(modules []Module) {
	written := map[string]string{} // symbols by demangled names
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

// joined returns the cell of a kernel that has a rounded one, from the cells of both. It
// is the worse one, with the reasons of both.
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
	if a.Code == Native {
		a.Code = b.Code // NativeOrIR is no worse
	}
	return a
}
