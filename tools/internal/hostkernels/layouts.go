package hostkernels

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/hostwrap"
)

// A Layout describes a kernel whose captures the host compiler lays out differently from the device
// compiler. For example, g++ copies constants of a function into a nested lambda, but DPC++ does
// not.
type Layout struct {
	Host, Device int64 // sizes of the kernel's lambda or class

	Moves []move // pieces of the device code's lambda or class, in order
}

// A move is a range of bytes with its offsets in the host code and in the device code.
type move struct{ Host, Device, Size int64 }

// A layoutError states why the arguments of a kernel cannot be converted from the layout of the
// host code to the layout of the device code.
type layoutError string

func (e layoutError) Error() string { return string(e) }

const errDifferent = layoutError("g++ and DPC++ capture different variables of the function; list the captures of its lambdas, as in [a, b], make constants static constexpr, or compile the host code with clang{clang}")

// needLayouts reports whether the host code may lay out a kernel differently from the device
// code. sources are the files that may contain lambdas.
func needLayouts(device []Kernel, host *hostObject, sources []*source) bool {
	pairs, _, _, _ := match(device, host)
	return host.GCC != 0 && slices.ContainsFunc(pairs, differencesIn(sources).mayAffect)
}

// differences describes how g++ may capture variables of lambdas differently from DPC++.
type differences struct {
	sources   []*source
	constants bool // g++ may capture constants that DPC++ does not
	order     bool // g++ may capture variables in a different order
}

func differencesIn(sources []*source) differences {
	d := differences{sources: sources}
	if slices.ContainsFunc(sources, func(s *source) bool { return s.copies }) {
		d.constants = slices.ContainsFunc(sources, (*source).hasConstants)
		d.order = slices.ContainsFunc(sources, func(s *source) bool { return s.reorders })
	}
	return d
}

// mayAffect reports whether g++ may lay out a kernel differently from DPC++.
func (d differences) mayAffect(p pair) bool {
	name := p.device.Name
	return p.host.Size != p.device.Size || p.device.class != nil && !isLibraryKernel(name) && d.mayAffectClass(p.device.class, strings.HasPrefix(name, "sycl::_V1::"))
}

// mayAffectClass reports whether g++ may lay out a class of the same size differently. A constant that
// only g++ captures must fit in a gap. libsycl's kernels may have names that no source declares.
func (d differences) mayAffectClass(c *hostwrap.Class, ofLibrary bool) bool {
	if d.order && len(c.Members) > 1 {
		return true
	}
	end, names := int64(0), make(map[string]bool)
	for _, m := range c.Members {
		switch {
		case m.Name != "" && names[m.Name], // a pack
			d.constants && m.Offset > end,
			m.Const && len(c.Members) > 1 && mayBeConstantIn(d.sources, m.Name, ofLibrary),
			m.Class != nil && d.mayAffectClass(m.Class, ofLibrary):
			return true
		}
		names[m.Name] = true
		end = m.Offset + m.Size
	}
	return d.constants && end < c.Size && len(c.Members) > 0
}

// layouts holds the layouts of kernels by their symbols in the device code.
type layouts struct {
	known   map[string]*Layout // of kernels that the host compiler lays out differently
	unknown map[string]error   // why the layout of a kernel is unknown

	complete bool // the debugging information describes all kernels
}

// find reports whether the layouts have a kernel, or returns why its layout is unknown.
func (l *layouts) find(k Kernel) (known bool, err error) {
	if l == nil {
		return false, nil
	}
	return l.known[k.symbol] != nil, l.unknown[k.symbol]
}

// layoutsOf returns the layouts of kernels. It reads the debugging information of the host object,
// which is complete if the object is compiled with -g -O0 -fno-data-sections. sources are the files
// that may contain lambdas.
func layoutsOf(r io.ReaderAt, device []Kernel, sources []*source) (*layouts, error) {
	object, err := readObject(r)
	if err != nil {
		return nil, err
	}
	classes, err := readClasses(r, object.Submitted)
	if err != nil {
		return nil, err
	}
	pairs, _, _, _ := match(device, object)
	differ := differencesIn(sources)
	found := &layouts{known: make(map[string]*Layout), unknown: make(map[string]error), complete: true}
	for _, p := range pairs {
		c, submitted := classes[p.host.symbol]
		found.complete = found.complete && submitted
		d := p.device.class
		if d == nil || c != nil && !c.hasLambdas || c == nil && !(submitted && differ.mayAffect(p)) {
			continue // it has no lambdas, or no code submits it
		}
		l, err := layoutOf(c, d, sources)
		switch {
		case err != nil:
			found.unknown[p.device.symbol] = err
		case l.Host != l.Device || len(l.Moves) > 1 || len(l.Moves) == 1 && l.Moves[0].Host != l.Moves[0].Device:
			found.known[p.device.symbol] = l
		}
	}
	return found, nil
}

// layoutOf returns the layout of a kernel from its classes in the host code and in the device code.
func layoutOf(c *class, d *hostwrap.Class, sources []*source) (*Layout, error) {
	if c == nil || d.Size > maxBytes {
		return nil, errDifferent
	}
	t := &translation{sources, slices.Repeat([]int64{-1}, int(d.Size))}
	if err := t.class(c, d, 0, 0); err != nil {
		return nil, err
	}
	return &Layout{Host: c.size, Device: d.Size, Moves: moves(t.host)}, nil
}

// A translation records where the bytes of a kernel are in the host code.
type translation struct {
	sources []*source
	host    []int64 // for each byte of the device's kernel, its offset in the host's, or -1
}

// class records the bytes of a class at offsets in the host code and in the device code.
func (t *translation) class(c *class, d *hostwrap.Class, host, device int64) error {
	members := make(map[string][]*member)
	for _, m := range c.members {
		name, _, _ := strings.Cut(m.name, "#") // g++ numbers the elements of a pack
		members[name] = append(members[name], m)
	}
	seen := make(map[string]int)
	first := make(map[string]int64) // offsets
	end, align := int64(0), int64(1)
	for _, m := range d.Members {
		list, at := members[m.Name], seen[m.Name]
		if seen[m.Name]++; at >= len(list) {
			return layoutError(fmt.Sprintf("only the device code captures '%[1]s'; use it in both, outside of any #ifdef, list it in the captures, as in [%[1]s], or declare it static constexpr if it is a constant", m.Name))
		}
		isPack := len(list) > 1 && strings.Contains(list[0].name, "#")
		switch {
		case isPack && at == 0:
			first[m.Name] = m.Offset
			reversed, ok := t.reverses(c, m, list)
			if !ok {
				return layoutError(fmt.Sprintf("g++ and DPC++ may order the elements of '%[1]s' differently; list the captures of the lambda, as in [%[1]s..., n], or compile the host code with clang{clang}", m.Name))
			}
			if reversed {
				slices.Reverse(list)
			}
		case isPack && m.Offset == first[m.Name]: // it describes the first element
			m.Offset, m.Size = roundUp(end, list[at].class.align), list[at].class.size
			if list[at].class != list[0].class {
				m.Class = nil
			}
		}
		next := roundUp(end, list[at].class.align)
		end, align = m.Offset+m.Size, max(align, list[at].class.align)
		if m.Offset < 0 || m.Size < 0 || end > d.Size || len(first) > 0 && m.Offset != next {
			return errDifferent
		}
		if err := t.member(list[at], m, host, device); err != nil {
			return err
		}
	}
	if len(first) > 0 && roundUp(end, align) != d.Size {
		return errDifferent
	}
	return nil
}

// member records the bytes of a member of a class at offsets in the host code and in the device code.
func (t *translation) member(m *member, d hostwrap.Member, host, device int64) error {
	c, count := m.class, int64(1)
	for ; c.element != nil && c.element.size > 0; c = c.element {
		count *= c.size / c.element.size
	}
	host, device = host+m.offset, device+d.Offset
	switch {
	case c.hasLambdas && d.Class != nil && count == max(d.Count, 1):
		for i := range count {
			if err := t.class(c, d.Class, host+i*c.size, device+i*d.Class.Size); err != nil {
				return err
			}
		}
	case c.hasLambdas || c.size*count != d.Size:
		return errDifferent
	case !c.empty:
		for i := range d.Size {
			t.host[device+i] = host + i
		}
	}
	return nil
}

// reverses reports whether DPC++ captures the elements of a parameter pack from last to first. It
// returns ok = false if the order is unknown. If the first and the last element have different sizes,
// the device code shows which one comes first; otherwise the source does.
func (t *translation) reverses(lambda *class, first hostwrap.Member, elements []*member) (reversed, ok bool) {
	if front, back := elements[0].class.size, elements[len(elements)-1].class.size; front != back && first.Class == nil {
		return first.Size == back, first.Size == front || first.Size == back
	}
	for _, s := range t.sources {
		if found, is := s.reverses(first.Name, lambda.line, lambda.column); is {
			if ok && found != reversed {
				return false, false
			}
			reversed, ok = found, true
		}
	}
	return reversed, ok
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

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }
