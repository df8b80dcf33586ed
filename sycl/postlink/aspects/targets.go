package aspects

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// fixedTargets adds the fixed targets to kernels and SYCL_EXTERNAL functions, and compares their
// requirements with the targets' capabilities.
func (p *propagation) fixedTargets() error {
	list := -1
	unknown := map[string]bool{}
	for i := range p.nodes {
		n := &p.nodes[i]
		if !n.root {
			continue
		}
		targets, ok, err := devicecode.FixedTargets(p.module, n.function)
		if err != nil {
			return err
		}
		if !ok {
			if list < 0 {
				var quoted []string
				for _, target := range p.options.FixedTargets {
					quoted = append(quoted, "!"+devicecode.MDString(target))
				}
				list = p.module.AddNode(strings.Join(quoted, ", "))
			}
			n.function.SetMetadata(devicecode.FixedTargetsMD, list)
			targets = p.options.FixedTargets
		}
		if p.options.Devices != nil {
			for _, target := range targets {
				p.checkTarget(i, target, unknown)
			}
		}
	}
	return nil
}

func (p *propagation) checkTarget(i int, target string, unknown map[string]bool) {
	n := &p.nodes[i]
	const listed = "listed in '-fsycl-fixed-targets'"
	device, ok := p.options.Devices.Lookup(target)
	if !ok {
		if !unknown[target] {
			unknown[target] = true
			d := devicecode.Diagnostic{Text: fmt.Sprintf("target '%s' %s is not in the device configuration, so no code is checked for it", target, listed)}
			if near := p.options.Devices.Nearest(target); len(near) > 0 {
				d.Notes = []string{fmt.Sprintf("did you mean '%s'?", near[0])}
			}
			p.diagnostics = append(p.diagnostics, d)
		}
		return
	}
	name := devicecode.BriefName(n.function.Name())
	needs := n.used
	needs.join(n.allDeclared)
	for _, bit := range p.sorted(needs) {
		value := p.numbers[bit]
		if value < 0 || device.MayHaveOtherAspects || device.Has(aspect.Aspect(value)) {
			continue
		}
		c, use := p.chain(i, bit)
		p.diagnostics = append(p.diagnostics, devicecode.Diagnostic{
			Location: devicecode.Place(use),
			Text:     fmt.Sprintf("function '%s' uses aspect '%s' not supported by target '%s' %s", name, p.name(bit), target, listed),
			Notes:    c.Notes(use),
		})
	}
	where := n.function.DebugLoc()
	// The step that writes properties reports sizes that cannot be read.
	if size, err := devicecode.SubGroupSize(p.module, n.function); err == nil && size > 0 && len(device.SubGroupSizes) > 0 && !device.HasSubGroupSize(size) {
		p.diagnostics = append(p.diagnostics, devicecode.Diagnostic{
			Location: devicecode.Place(where),
			Text:     fmt.Sprintf("function '%s' has required sub-group size '%d' not supported by target '%s' %s", name, size, target, listed),
		})
	}
	if size, err := devicecode.WorkGroupSize(p.module, n.function); err == nil && size != nil && !fitsWorkGroup(size, device.Limits) {
		var text []string
		for _, s := range size {
			text = append(text, strconv.FormatUint(s, 10))
		}
		p.diagnostics = append(p.diagnostics, devicecode.Diagnostic{
			Location: devicecode.Place(where),
			Text:     fmt.Sprintf("function '%s' has required work-group size '%s' not supported by target '%s' %s", name, strings.Join(text, ", "), target, listed),
		})
	}
}

// fitsWorkGroup reports whether a size, which is in OpenCL order, is within all known limits.
func fitsWorkGroup(size []uint64, limits deviceconfig.Limits) bool {
	total := uint64(1)
	for i, s := range size {
		if i < len(limits.MaxWorkItemSizes) && s > limits.MaxWorkItemSizes[i] {
			return false
		}
		high, low := bits.Mul64(total, s)
		if high != 0 {
			low = math.MaxUint64
		}
		total = low
	}
	return limits.MaxWorkGroupSize == 0 || total <= limits.MaxWorkGroupSize
}
