package link

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A constant is a specialization constant of a module.
type constant struct {
	name    string
	scalars []propset.SpecConstant
	layout  string // places and sizes of its scalars, and its default value
}

// padding is the number of what is no scalar, but takes room in the default values.
const padding = math.MaxUint32

// readConstants reads the specialization constants of a module. Their default values
// stand in their order, each as long as its scalars reach.
func readConstants(r *propset.Registry) ([]constant, error) {
	set := r.Set(propset.SpecializationConstants)
	if set.Len() == 0 {
		return nil, nil
	}
	value, hasDefaults := r.Set(propset.SpecializationConstantDefaults).Get("all")
	defaults := value.Bytes()
	var constants []constant
	offset := uint64(0)
	for _, p := range set.Properties() {
		t, err := propset.Describe(set.Name, p.Key, p.Value)
		if err != nil {
			return nil, err
		}
		c := constant{name: p.Key}
		c.scalars, _ = t.Data.([]propset.SpecConstant)
		size := uint64(0)
		var layout strings.Builder
		for _, s := range c.scalars {
			fmt.Fprintf(&layout, "%d+%d,", s.Offset, s.Size)
			size = max(size, uint64(s.Offset)+uint64(s.Size))
		}
		if hasDefaults && offset+size <= uint64(len(defaults)) {
			fmt.Fprintf(&layout, "=%x", defaults[offset:offset+size])
		}
		offset += size
		c.layout = layout.String()
		constants = append(constants, c)
	}
	return constants, nil
}

// specConstantLayouts reports constants of which modules say different things.
func (l *linker) specConstantLayouts() {
	claims := make(map[string][]claim)
	for _, m := range l.list {
		for _, c := range m.constants {
			claims[c.name] = append(claims[c.name], claim{m, c.layout, m.own})
		}
	}
	for name, list := range claims {
		if conflicting, targets := l.differing(list); len(conflicting) > 0 {
			l.addModules(SpecConstantDiffers, name, conflicting, targets, demangled(name),
				"Specialization constant '%s' has different layouts or default values", safetext.Printable(name))
		}
	}
}

// A constantNumber is a number of constants in modules that are linked with each other.
type constantNumber struct {
	group  int
	number uint32
}

// specConstantNumbers reports numbers that stand for different constants in modules
// which are linked with each other: the drivers know constants by their numbers
// alone, so that setting one would set the other. Native code has no such numbers.
func (l *linker) specConstantNumbers() {
	claims := make(map[constantNumber][]claim)
	for _, m := range l.list {
		irs := m.own.and(l.irs)
		if irs.empty() {
			continue
		}
		for _, c := range m.constants {
			for _, s := range c.scalars {
				if s.ID != padding {
					n := constantNumber{l.find(m.index), s.ID}
					claims[n] = append(claims[n], claim{m, fmt.Sprintf("%s\x00%d", c.name, s.Offset), irs})
				}
			}
		}
	}
	for n, claimed := range claims {
		if conflicting, targets := l.differing(claimed); len(conflicting) > 0 {
			l.addNumber(n.number, claimed, conflicting, targets)
		}
	}
}

// addNumber adds the problem of a number that stands for different constants.
func (l *linker) addNumber(number uint32, claimed []claim, conflicting []*module, targets set) {
	var names []string
	for _, c := range claimed {
		name, _, _ := strings.Cut(c.what, "\x00")
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var quoted []string
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, "'"+safetext.Printable(name)+"'")
	}
	what := "Specialization constants"
	if len(names) == 1 {
		what = "Different parts of specialization constant"
	}
	l.addModules(SpecConstantNumber, names[0], conflicting, targets, nil,
		"%s %s have the number %d in modules that are linked with each other", what, joinFirst(quoted, len(names)), number)
}
