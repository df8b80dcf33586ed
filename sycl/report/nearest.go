package report

import "github.com/rules-sycl/rules_sycl/sycl/safetext"

// Nearest returns up to three kernel names in the report that are spelled similarly to name, most
// similar first.
func (r *Report) Nearest(name string) []string {
	return safetext.Nearest(name, func(yield func(string) bool) {
		for i := range r.Kernels {
			k := &r.Kernels[i]
			if !yield(k.DisplayName) || k.Name != k.DisplayName && !yield(k.Name) {
				return
			}
		}
	}, 3)
}
