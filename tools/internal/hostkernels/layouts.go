package hostkernels

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
)

// A Layout describes a kernel whose captures the host compiler lays out differently from the device
// compile. For example, g++ copies constants of a function into a nested lambda, but DPC++ does
// not.
type Layout struct {
	Host, Device int64 // sizes of the kernel's lambda or class

	Moves []move // pieces of the device compile's lambda or class, in order
}

// A move is a range of bytes with its offsets in the host code and in the device code.
type move struct{ Host, Device, Size int64 }

// needLayouts reports whether the host code may lay out a kernel differently from the device
// compile. This is the case if g++ compiled it, and the kernel is larger, has gaps in which a
// capture that g++ adds would fit, or may have its captures in a different order. sources maps
// names to sources.
func needLayouts(device []Kernel, host *hostObject, sources map[string]*source) bool {
	pairs, _, _, _ := match(device, host)
	return host.GCC != 0 && slices.ContainsFunc(pairs, func(p pair) bool { return p.needsLayout(sources) })
}

// needsLayout is needLayouts for one kernel.
func (p pair) needsLayout(sources map[string]*source) bool {
	if p.host.Size != p.device.Size || isLibraryKernel(p.device.Name) {
		return p.host.Size != p.device.Size
	}
	s := sources[p.device.Location.Path]
	switch {
	case p.host.form == ownClass:
		return false
	case !strings.HasPrefix(p.device.Name, "sycl::_V1::") && (s.mayReorder(p.device) || mayReorderIn(sources)):
		return true
	case p.host.form == ownLambda:
		return hasRoom(p.device) && s.mayHaveLambdas(p.device.Location)
	}
	return hasRoom(p.device)
}

// hasRoom reports whether a kernel may contain bytes that do not belong to a parameter.
func hasRoom(k Kernel) bool {
	at := int64(0)
	for i, p := range k.parameters {
		size, ok := p.Size()
		switch {
		case at >= 0 && p.Offset > at, ok && size > 8:
			return true // a class may contain such bytes
		case ok:
			at = p.Offset + size
		case i+1 == len(k.parameters):
			return false
		default:
			at = -1 // its size is unknown, so it may end where the next parameter starts
		}
	}
	return at >= 0 && at < k.Size && k.Size > 1
}

// layoutsOf returns the layouts for hostObject.Layouts. It reads the debugging information of the
// host object, which must be compiled with -g -O0 -fno-data-sections. sources maps names to
// sources.
func layoutsOf(r io.ReaderAt, device []Kernel, sources map[string]*source) (map[string]*Layout, error) {
	object, err := readObject(r)
	if err != nil {
		return nil, err
	}
	classes, err := readClasses(r, object.Submitted)
	if err != nil {
		return nil, err
	}
	pairs, _, _, _ := match(device, object)
	layouts := make(map[string]*Layout)
	known := make(map[*member]bool) // whether the device compile omits a member
	for _, p := range pairs {
		c, submitted := classes[p.host.symbol]
		if c == nil {
			if submitted && p.needsLayout(sources) {
				layouts[p.device.symbol] = nil // the layouts may differ
			}
			continue
		}
		c.each(func(m *member) {
			m.fixed = m.constant && isConstantIn(sources, m.name)
			m.bound = m.bound && m.fixed
		})
		c.readText(sources)
		c.each(func(m *member) { m.class.readText(sources) })
		if c.lambda && c.captures == nil {
			c.setCaptures(p.device, sources[p.device.Location.Path])
			for _, m := range c.members {
				if c.position(m) >= 0 {
					known[m] = false
				}
			}
		}
	}
	for again := true; again; {
		again = false
		for _, p := range pairs {
			if solve(classes[p.host.symbol], p, sources, known, layouts) {
				again = true
			}
		}
	}
	return layouts, nil
}

const (
	maxDoubts = 12      // maximum number of members that the device compile may omit
	maxParts  = 1000    // maximum number of members, including nested ones
	maxBytes  = 1 << 20 // maximum size of a kernel
)

// solve determines the layout of a kernel. It reports whether it learned which members the device
// compile omits.
func solve(c *class, p pair, sources map[string]*source, known map[*member]bool, layouts map[string]*Layout) (learned bool) {
	if c == nil || c.size != p.host.Size || !c.matchesHostLayout() {
		if p.host.Size > p.device.Size || c != nil && c.mayCaptureConstants() && p.needsLayout(sources) {
			layouts[p.device.symbol] = nil
		}
		return false
	}
	var s solutions
	for _, doubted := range [][2]removal{{possible, possible}, {templated, possible}, {discarded, possible}, {possible, certain}, {discarded, certain}} {
		s = solutionsOf(c, p.device, doubted[0], doubted[1], known)
		if s.count > 0 {
			break
		}
	}
	for i, m := range s.doubts {
		if s.count > 0 && (s.omissions[i] == 0 || s.omissions[i] == s.count) {
			known[m], learned = s.omissions[i] > 0, true
		}
	}
	switch {
	case s.count > 0 && s.same:
		l := &Layout{Host: c.size, Device: p.device.Size, Moves: moves(s.host)}
		layouts[p.device.symbol] = l
		if c.size == p.device.Size && len(l.Moves) == 1 && l.Moves[0].Host == l.Moves[0].Device {
			delete(layouts, p.device.symbol)
		}
	case s.own && !slices.ContainsFunc(s.doubts, func(m *member) bool { return m.branch }):
		delete(layouts, p.device.symbol)
	default:
		layouts[p.device.symbol] = nil
	}
	return learned
}

// solutions summarizes the sets of members that the device compile may have omitted from a kernel.
type solutions struct {
	doubts    []*member // members that may be omitted
	host      []int64   // for each byte of the device's kernel, its offset in the host's, or -1
	count     int       // number of solutions
	omissions []int     // for each doubt, the number of solutions that omit it
	same      bool      // whether all solutions agree
	own       bool      // whether a solution is the layout of the host code
}

// solutionsOf searches for sets of members whose omission makes the parameters fit. Doubts are the
// undetermined members whose removal is between least and most. Members with a higher removal are
// always omitted.
func solutionsOf(c *class, device Kernel, least, most removal, known map[*member]bool) solutions {
	s := solutions{same: true}
	omitted := make(map[*member]bool)
	c.each(func(m *member) {
		omit, ok := known[m]
		switch {
		case ok && omit, !ok && m.removal > most:
			omitted[m] = true
		case m.removal >= least && !ok && !slices.Contains(s.doubts, m):
			s.doubts = append(s.doubts, m)
		}
	})
	sure := len(omitted)
	s.omissions = make([]int, len(s.doubts))
	places := c.loosePlaces()
	if len(s.doubts) > maxDoubts || len(places)<<len(s.doubts) > 1<<maxDoubts {
		return s
	}
	for set := range 1 << len(s.doubts) {
		for i, m := range s.doubts {
			omitted[m] = set>>i&1 == 1
		}
		if !c.ordered(omitted) {
			continue
		}
		for _, c.looseAt = range places {
			f := form{omitted: omitted, device: true, exact: c.looseAt != nil}
			if size, _ := f.place(c, 0); size != device.Size || !f.fits(device.parameters) {
				continue
			}
			s.count++
			s.own = s.own || sure+set == 0 && !f.exact
			for i := range s.doubts {
				s.omissions[i] += set >> i & 1
			}
			var agree bool
			s.host, agree = merge(s.host, f.parts, device.Size)
			s.same = s.same && agree
		}
	}
	return s
}

// isLoose reports whether the position of a capture in the device compile is unknown: the device
// code has no name for it, because it is an empty class or not used, and its order may differ from
// the host code's.
func (c *class) isLoose(m *member) bool {
	return len(c.captures) > 0 && (c.latePacks || m.branch) && c.position(m) < 0
}

// loosePlaces returns the possible positions of loose captures among the others, or nil if there are
// no loose captures.
func (c *class) loosePlaces() [][]int {
	loose := 0
	for _, m := range c.members {
		if c.isLoose(m) {
			loose++
		}
	}
	if loose == 0 {
		return [][]int{nil}
	}
	all := [][]int{{}} // sequences of ascending positions
	for range loose {
		var longer [][]int
		for _, places := range all {
			first := 0
			if len(places) > 0 {
				first = places[len(places)-1]
			}
			for at := first; at <= len(c.members)-loose && len(longer) <= 1<<maxDoubts; at++ {
				longer = append(longer, append(slices.Clip(places), at))
			}
		}
		if all = longer; len(all) > 1<<maxDoubts {
			break // too many to search
		}
	}
	return all
}

// ordered reports whether the order of the captures in the device compile is known.
func (c *class) ordered(omitted map[*member]bool) bool {
	members, known := c.deviceMembers(omitted)
	return known && !slices.ContainsFunc(members, func(m *member) bool { return !m.class.ordered(omitted) })
}

// mayCaptureConstants reports whether the device compile may omit constants that g++ captures.
func (c *class) mayCaptureConstants() (may bool) {
	c.each(func(m *member) { may = may || m.removal >= templated })
	return may
}

// setCaptures sets the order of captures in the device compile. In host code, g++ numbers the
// elements of a parameter pack. In device code, they all have the name of the pack.
func (c *class) setCaptures(k Kernel, s *source) {
	packs := make(map[string][]string) // elements of packs that are not yet assigned
	for _, m := range c.members {
		if pack, _, ok := strings.Cut(m.name, "#"); ok {
			packs[pack] = append(packs[pack], m.name)
		}
	}
	for at, end := 0, 0; at < len(k.captures); at = end {
		name := k.captures[at]
		for end = at; end < len(k.captures) && k.captures[end] == name; {
			end++
		}
		elements, isPack := packs[name]
		first := !slices.Contains(k.captures[:at], name)
		switch {
		case !isPack && first:
			c.captures = append(c.captures, name)
		case isPack && first:
			reversed, ok := s.reverses(name, k.Location)
			c.unknown = c.unknown || !ok && len(elements) > 1
			if reversed {
				slices.Reverse(elements)
			}
			count := len(elements)
			if slices.Contains(k.captures[end:], name) {
				count = 1 // other variables follow the first element
				c.unknown = c.unknown || occurrences(k.captures, name) != len(elements)*(end-at)
			}
			c.captures = append(c.captures, elements[:count]...)
			packs[name] = elements[count:]
		case isPack:
			c.unknown = c.unknown || slices.Contains(k.captures[end:], name)
			c.captures = append(c.captures, elements...)
			packs[name] = nil
		}
	}
	c.positions = make(map[string]int)
	for at, name := range slices.Backward(c.captures) {
		c.positions[name] = at
	}
}

// position returns the position of a member in the device compile, or -1 if it is unknown.
func (c *class) position(m *member) int {
	if at, ok := c.positions[m.name]; ok {
		return at
	}
	return -1
}

// readText finds the captures of a lambda whose order in the device compile the debugging information
// does not tell.
func (c *class) readText(sources map[string]*source) {
	if !c.lambda || c.read {
		return
	}
	c.read = true
	for _, m := range c.members {
		if strings.Contains(m.name, "#") {
			m.late = !slices.ContainsFunc(slices.Collect(maps.Values(sources)), func(s *source) bool { return s.isEllipsis(m.line, m.column) })
			c.latePacks = c.latePacks || m.late
		}
	}
	for _, s := range sources {
		branches := s.branchesOf(c.line, c.column)
		for _, m := range c.members {
			at, ok := s.offsetOf(m.line, m.column)
			if m.branch = m.branch || branches >= 0 && ok && at >= branches; m.branch {
				m.removal = max(m.removal, possible)
			}
		}
	}
}

// occurrences returns how often a list contains a name.
func occurrences(list []string, name string) (n int) {
	for _, each := range list {
		if each == name {
			n++
		}
	}
	return n
}

// isConstantIn reports whether a name may be a constant expression in any of the sources.
func isConstantIn(sources map[string]*source, name string) bool {
	for _, s := range sources {
		if s.mayBeConstant(name) {
			return true
		}
	}
	return false
}

// deviceMembers returns the members of a class in the order of the device compile, except for
// omitted ones. It reports whether this order is known.
//
// g++ captures variables in the order in which a lambda mentions them. DPC++ captures a constant
// that the lambda binds to a reference only at the end of the full expression.
func (c *class) deviceMembers(omitted map[*member]bool) (members []*member, known bool) {
	kept := slices.DeleteFunc(slices.Clone(c.members), func(m *member) bool { return omitted[m] })
	if c.unknown {
		return kept, false
	}
	if len(c.captures) == 0 {
		branches := 0
		for _, m := range kept {
			if m.branch {
				branches++
			}
			if m.late && len(kept) > 1 || branches > 1 {
				return kept, false
			}
		}
		isConstant := func(m *member) bool { return m.constant || m.removal == certain }
		// The order is the same if there is only one such constant and it is the last member.
		for i, m := range kept {
			if (m.removal == certain || m.bound) && (i+1 < len(kept) || slices.ContainsFunc(kept[:i], isConstant)) {
				return kept, false
			}
		}
		return kept, true
	}
	position := c.position
	// Both compilers capture variables in the order in which they are mentioned. A variable has no
	// position if the device compile removed it, or if its arguments are named after its members.
	isVariable := func(m *member) bool {
		return !m.fixed && m.removal != certain && (position(m) < 0 || !m.branch && !strings.Contains(m.name, "#"))
	}
	var loose []*member
	for _, m := range kept {
		switch {
		case c.isLoose(m):
			loose = append(loose, m)
		case isVariable(m):
			members = append(members, m)
		}
	}
	for i, m := range kept {
		at := slices.IndexFunc(members, func(other *member) bool { return position(other) > position(m) })
		switch {
		case isVariable(m) || c.isLoose(m):
			continue
		case position(m) < 0 && i+1 < len(kept):
			return kept, false
		case position(m) < 0 || at < 0:
			at = len(members)
		}
		// DPC++ never captures a constant before its first mention.
		if at > 0 && position(members[at-1]) < 0 && slices.Index(kept, members[at-1]) > i {
			return kept, false
		}
		members = slices.Insert(members, at, m)
	}
	for i, at := range slices.Backward(c.looseAt) {
		if i < len(loose) {
			members = slices.Insert(members, min(at, len(members)), loose[i])
		}
	}
	return members, true
}

// merge adds the offsets of a solution's parts to the offsets of previous solutions. It reports
// whether they agree.
func merge(host []int64, parts []part, size int64) ([]int64, bool) {
	if host == nil {
		host = slices.Repeat([]int64{-1}, int(size))
	}
	agree := true
	for _, p := range parts {
		for i := int64(0); p.whole && i < p.size && p.device+i < size; i++ {
			at := &host[p.device+i]
			agree = agree && (*at < 0 || *at == p.host+i)
			*at = p.host + i
		}
	}
	return host, agree
}

// moves returns the largest ranges of bytes whose offsets differ by the same amount.
func moves(host []int64) []move {
	var list []move
	for device, at := range host {
		if at < 0 {
			continue
		}
		if n := len(list); n > 0 && at-int64(device) == list[n-1].Host-list[n-1].Device {
			list[n-1].Size = int64(device) + 1 - list[n-1].Device
		} else {
			list = append(list, move{at, int64(device), 1})
		}
	}
	return list
}

// A form lays out a class without some of its members according to the ABI.
type form struct {
	omitted map[*member]bool // omitted members
	device  bool             // whether lambdas have the captures of the device compile
	exact   bool             // whether each part must have a parameter at its start
	parts   []part
}

// A part is a class, or a direct or nested member of it.
type part struct {
	class        *class
	host, device int64
	size         int64 // size in the device compile
	whole        bool  // whether its members are not parts themselves
}

// place lays out a class whose offset in the host code is host, and returns its size and alignment.
// The caller then sets its offset in the device code, which is 0 until then.
func (f *form) place(c *class, host int64) (size, align int64) {
	own := len(f.parts)
	f.parts = append(f.parts, part{class: c, host: host, size: c.size, whole: !c.open})
	if !c.open {
		return c.size, c.align
	}
	align = c.minAlign
	members := c.members
	if f.device {
		members, _ = c.deviceMembers(f.omitted)
	}
	for _, m := range members {
		first := len(f.parts)
		n, a := f.place(m.class, host+m.offset)
		size = roundUp(size, a)
		for i := range f.parts[first:] {
			f.parts[first+i].device += size
		}
		size += n
		align = max(align, a)
	}
	size = max(roundUp(size, align), 1)
	f.parts[own].size = size
	return size, align
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// matchesHostLayout reports whether place reproduces the host compiler's layout.
func (c *class) matchesHostLayout() bool {
	var f form
	size, _ := f.place(c, 0)
	return size == c.size && !slices.ContainsFunc(f.parts, func(p part) bool { return p.host != p.device || p.size != p.class.size })
}

// fits reports whether every parameter of a kernel is in a part, and every part has a parameter.
func (f *form) fits(parameters []hostwrap.Parameter) bool {
	used, starts := make([]bool, len(f.parts)), make([]bool, len(f.parts))
	for _, param := range parameters {
		size, sized := param.Size()
		found := false
		for i, p := range f.parts {
			same := sized && param.Offset == p.device && size == p.size
			inside := p.whole && !p.class.scalar && !(f.exact && p.class.empty) && p.device <= param.Offset && param.Offset < p.device+p.size &&
				(!sized || param.Offset+size <= p.device+p.size)
			if !same && !inside || p.class.scalar && p.class.pointer != (param.Kind == "pointer") {
				continue
			}
			found = true
			starts[i] = starts[i] || param.Offset == p.device
			for j, inner := range f.parts[i:] {
				if p.device <= inner.device && inner.device < p.device+p.size {
					used[i+j] = true
				}
			}
		}
		if !found {
			return false
		}
	}
	for i, p := range f.parts {
		if p.whole && (!p.class.empty && !used[i] || f.exact && !starts[i]) {
			return false
		}
	}
	return true
}
