package aspects

import (
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// checkDeclared warns about functions that use aspects that they do not declare.
func (p *propagation) checkDeclared() {
	type reported struct{ node, bit int }
	seen := map[reported]bool{}
	for i := range p.nodes {
		n := &p.nodes[i]
		if !n.declares || n.function == nil || !n.function.Defined() {
			continue
		}
		missing := n.used
		missing.remove(n.declared)
		for _, bit := range p.sorted(missing) {
			blamed := p.blamed(i, bit)
			if blamed < 0 || seen[reported{blamed, bit}] {
				continue
			}
			seen[reported{blamed, bit}] = true
			c, use := p.chain(blamed, bit)
			p.diagnostics = append(p.diagnostics, devicecode.Diagnostic{
				Location: devicecode.Place(use),
				Text: fmt.Sprintf("function '%s' uses aspect '%s' not listed in 'sycl::device_has'",
					devicecode.BriefName(p.nodes[blamed].function.Name()), p.name(bit)),
				Notes: c.Notes(use),
			})
		}
	}
}

// blamed returns the function that the warning about an undeclared aspect names, or -1 if there is
// no warning.
func (p *propagation) blamed(i, bit int) int {
	n := &p.nodes[i]
	if !n.root {
		return i
	}
	next := p.nextFunction(i, bit)
	switch {
	case next < 0:
		return i
	case p.nodes[next].declares && !p.nodes[next].declared.has(bit):
		// The kernel repeats the declaration of the function that it wraps. The warning is about that
		// function.
		return -1
	case n.byAttribute && n.function.Kernel():
		return next
	}
	return i
}
