package link

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// maxTargets limits the work that a hostile file can cause: time and memory grow with the number
// of modules times the number of targets.
const maxTargets = 1024

// A tooManyTargetsError is returned if inputs have more targets than maxTargets.
type tooManyTargetsError struct{ Targets int }

// BadInput marks errors caused by an input file.
func (*tooManyTargetsError) BadInput() {}

func (e *tooManyTargetsError) Error() string {
	return fmt.Sprintf("link: too many targets: %d (limit %d); combine files with fewer targets at a time", e.Targets, maxTargets)
}

// A target is a kind of code that a device accepts: native code, or IR if arch is "".
type target struct {
	triple string // of native code; only the architecture for IR
	arch   string
	fixed  string // for IR: one fixed target, or "" for all that no module names
}

func (t target) String() string {
	switch {
	case t.arch != "" && t.triple != "":
		return t.triple + "=" + t.arch
	case t.arch != "":
		return t.arch
	case t.fixed != "":
		return t.triple + " for " + t.fixed
	}
	return t.triple
}

// family returns the architecture of a triple, which is the same for all triples of Intel's
// compilers. The runtime treats IR without a triple as spir64.
func family(triple string) string {
	arch, _, _ := strings.Cut(triple, "-")
	if arch == "" || strings.HasPrefix(arch, "spir64_") {
		return "spir64"
	}
	return arch
}

// targets finds the targets of all modules, and the targets of each module.
func (l *linker) targets() error {
	all := targetIndex{
		needs: make([]targetNeeds, len(l.list)), families: map[string]bool{}, fixed: map[string]bool{}, native: map[target]bool{},
	}
	for i, m := range l.list {
		q, err := requirement.FromProperties(m.Metadata)
		switch {
		case err != nil && l.lenient:
			q = new(requirement.Requirements)
		case err != nil:
			return m.places[0].wrap(err)
		}
		m.kinds = kinds(q)
		all.needs[i].fixed, all.needs[i].anyIR = fixedTargets(q)
		all.add(m, all.needs[i])
	}
	list, err := all.targets()
	if err != nil {
		return err
	}
	l.irs = newSet(len(list))
	for i, t := range list {
		l.names = append(l.names, safetext.Printable(t.String()))
		if !all.native[t] {
			l.irs.add(i)
		}
	}
	index := make(map[target]int, len(list))
	for i, t := range list {
		index[t] = i
	}
	for i, m := range l.list {
		m.own = l.irTargets(m, all.needs[i], list)
		for _, img := range m.Native {
			m.own.add(index[nativeTarget(img)])
		}
	}
	return nil
}

// targetNeeds holds the targets that a module's IR may be compiled for.
type targetNeeds struct {
	fixed []string // names of the only targets
	anyIR bool     // all
}

// A targetIndex collects the targets of modules.
type targetIndex struct {
	needs    []targetNeeds   // of each module
	families map[string]bool // of IR
	fixed    map[string]bool // names of fixed targets
	native   map[target]bool
}

// add collects the targets of a module.
func (x *targetIndex) add(m *module, needs targetNeeds) {
	for _, img := range m.IR {
		x.families[family(img.Triple())] = true
		for _, name := range needs.fixed {
			x.fixed[name] = true
		}
	}
	for _, img := range m.Native {
		x.native[nativeTarget(img)] = true
	}
}

// targets returns all targets, sorted.
func (x *targetIndex) targets() ([]target, error) {
	if n := len(x.native) + len(x.families)*(1+len(x.fixed)); n > maxTargets {
		return nil, &tooManyTargetsError{n}
	}
	list := slices.Collect(maps.Keys(x.native))
	for f := range x.families {
		list = append(list, target{triple: f})
		for name := range x.fixed {
			list = append(list, target{triple: f, fixed: name})
		}
	}
	slices.SortFunc(list, func(a, b target) int { return strings.Compare(a.String()+"\x00"+a.fixed, b.String()+"\x00"+b.fixed) })
	return list, nil
}

// irTargets returns the targets that a module has IR for.
func (l *linker) irTargets(m *module, needs targetNeeds, list []target) set {
	irs := make(map[string]bool, 1) // by family
	for _, img := range m.IR {
		irs[family(img.Triple())] = true
	}
	own := newSet(len(list))
	for i, t := range list {
		if l.irs.has(i) && irs[t.triple] && (needs.anyIR || slices.Contains(needs.fixed, t.fixed)) {
			own.add(i)
		}
	}
	return own
}

// nativeTarget returns the target of a native image.
func nativeTarget(img *syclbin.Image) target {
	arch := cmp.Or(img.Arch(), "unknown architecture")
	return target{triple: img.Triple(), arch: arch}
}

// fixedTargets returns the architectures that IR may be compiled for, or true if all are allowed.
func fixedTargets(q *requirement.Requirements) (names []string, all bool) {
	// The aspect numbers that DPC++ writes do not name devices.
	if !q.HasFixedTargets || len(q.FixedTargetAspects) > 0 {
		return nil, true
	}
	devices := deviceconfig.Default()
	for _, name := range q.FixedTargets {
		d, ok := devices.Lookup(name)
		switch {
		case !ok:
			names = append(names, name)
		case d.IsGeneric():
			return nil, true // such as spir64, which is not a device
		default:
			names = append(names, d.Arch())
		}
	}
	slices.Sort(names)
	return slices.Compact(names), false
}

var deviceKinds = []aspect.Aspect{aspect.CPU, aspect.GPU, aspect.Accelerator, aspect.Custom}

// kinds returns the required kinds of device. A device is of one kind.
func kinds(q *requirement.Requirements) (mask uint8) {
	for i, a := range deviceKinds {
		if slices.Contains(q.Aspects, a) {
			mask |= 1 << i
		}
	}
	return mask
}

func kindNames(mask uint8) string {
	var list []string
	for i, a := range deviceKinds {
		if mask&(1<<i) != 0 {
			list = append(list, a.String())
		}
	}
	return strings.Join(list, " and ")
}

// canBeBoth reports whether a device can be of both kinds.
func canBeBoth(a, b uint8) bool { return a == 0 || b == 0 || a&b != 0 }

// targetNames returns the names of targets.
func (l *linker) targetNames(s set) []string {
	list := []string{}
	for i := range s.all() {
		list = append(list, l.names[i])
	}
	return list
}

// A set is a set of targets.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }

func (s set) addAll(o set) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s set) removeAll(o set) {
	for i := range s {
		s[i] &^= o[i]
	}
}

// and returns the intersection of the sets.
func (s set) and(o set) set {
	both := slices.Clone(s)
	for i := range both {
		both[i] &= o[i]
	}
	return both
}

// overlaps reports whether all the sets have a common element.
func (s set) overlaps(others ...set) bool {
	for i, w := range s {
		for _, o := range others {
			w &= o[i]
		}
		if w != 0 {
			return true
		}
	}
	return false
}

func (s set) empty() bool { return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 }) }

// all yields the members in order.
func (s set) all() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}
