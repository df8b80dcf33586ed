package spirv

import (
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Places returns the source locations of a kernel, according to the module's code.
func (m *Module) Places(k *Kernel) srcloc.Kernel {
	p := srcloc.Kernel{Location: k.Location}
	for _, a := range m.aspects(k.uses) {
		o, ok := m.Origin(k, a)
		if ok && (o.Function != "" || !o.Location.IsZero()) {
			p.Origins = append(p.Origins, o)
		}
	}
	return p
}

// PutPlaces adds the source locations of the module's kernels to the property sets of a device
// image. It omits kernels without locations.
func (m *Module) PutPlaces(r *propset.Registry) {
	for i := range m.Kernels {
		k := &m.Kernels[i]
		srcloc.Put(r, k.Name, m.Places(k))
	}
}
