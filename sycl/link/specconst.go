package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A constant is a specialization constant of a module.
type constant struct {
	name    string
	scalars []propset.SpecRecord
	layout  string // offsets and sizes of its scalars, and its default value
}

// readConstants reads the specialization constants of a module.
func readConstants(r *propset.Registry) ([]constant, error) {
	list, err := propset.ReadSpecConstants(r)
	if err != nil {
		return nil, err
	}
	var constants []constant
	for _, c := range list {
		var layout strings.Builder
		for _, r := range c.Records {
			fmt.Fprintf(&layout, "%d+%d,", r.Offset, r.Size)
		}
		if c.Default != nil {
			fmt.Fprintf(&layout, "=%x", c.Default)
		}
		constants = append(constants, constant{name: c.Name, scalars: c.Scalars(), layout: layout.String()})
	}
	return constants, nil
}

// specConstantLayouts adds a problem for each constant that modules define differently.
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

// A constantNumber is the number of a constant in a group of modules that are linked with each other.
type constantNumber struct {
	group  int
	number uint32
}

// specConstantNumbers adds a problem for each number that identifies different constants in modules
// that are linked with each other. Drivers identify constants only by number, so setting one
// constant would set the other. Native code does not have these numbers.
func (l *linker) specConstantNumbers() {
	claims := make(map[constantNumber][]claim)
	for _, m := range l.list {
		irs := m.own.and(l.irs)
		if irs.empty() {
			continue
		}
		for _, c := range m.constants {
			for _, s := range c.scalars {
				n := constantNumber{l.find(m.index), s.ID}
				claims[n] = append(claims[n], claim{m, fmt.Sprintf("%s\x00%d", c.name, s.Offset), irs})
			}
		}
	}
	for n, claimed := range claims {
		if conflicting, targets := l.differing(claimed); len(conflicting) > 0 {
			l.addNumber(n.number, claimed, conflicting, targets)
		}
	}
}

// addNumber adds a problem for a number that identifies different constants.
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
		"%s %s have the same number %d in modules that are linked with each other", what, joinFirst(quoted, len(names)), number)
}
