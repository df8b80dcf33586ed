package spirv

import (
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Places returns what the module's code says about the source of a kernel.
func (m *Module) Places(k *Kernel) srcloc.Kernel {
	p := srcloc.Kernel{Location: k.Location}
	for _, a := range m.KernelRequirements(k).Aspects {
		o, ok := m.Origin(k, a)
		if ok && (o.Function != "" || !o.Location.IsZero()) {
			p.Origins = append(p.Origins, o)
		}
	}
	return p
}

// PutPlaces adds the places of the module's kernels to the property sets of a
// device image. Kernels of which nothing is known are left out.
func (m *Module) PutPlaces(r *propset.Registry) {
	for i := range m.Kernels {
		k := &m.Kernels[i]
		srcloc.Put(r, k.Name, m.Places(k))
	}
}
