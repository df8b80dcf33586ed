package spirv

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// PlacesSet is the property set in which a build keeps the places of kernels
// when it ships their code without debug information. It is no set of DPC++,
// whose runtime passes over it. A property has the name of a kernel and a text:
//
//	11:0:src/axpy.cpp
//	fp64	7:19:src/math.hpp	_Z6squared
//
// The first line is the place of the kernel, which may be empty: line, column
// and path. Each of the others is for one aspect: its name, the place that makes
// the kernel need it, and the function there, which is empty for the kernel.
const PlacesSet = "rules_sycl/source places"

// Places says where a kernel is in the source and why it needs what it needs.
type Places struct {
	Location Location // zero when not known
	Origins  []AspectOrigin
}

// An AspectOrigin is what makes a kernel need an aspect.
type AspectOrigin struct {
	Aspect   aspect.Aspect
	Function string   // mangled when debug information says so, "" for the kernel itself
	Location Location // zero when not known
}

// Places returns what the module's code tells about the places of a kernel.
func (m *Module) Places(k *Kernel) Places {
	p := Places{Location: k.Location}
	for _, a := range m.KernelRequirements(k).Aspects {
		o, ok := m.Origin(k, a)
		if ok && (o.Function != "" || o.Location != (Location{})) {
			p.Origins = append(p.Origins, AspectOrigin{a, o.Function, o.Location})
		}
	}
	return p
}

// PutPlaces adds the places of the module's kernels to the property sets of a
// device image. Kernels about which there is nothing to say are left out.
func (m *Module) PutPlaces(r *propset.Registry) {
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if p := m.Places(k); p.Location != (Location{}) || len(p.Origins) > 0 {
			r.Add(PlacesSet).Put(k.Name, propset.String(p.text()))
		}
	}
}

func (p Places) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Location.text())
	for _, o := range p.Origins {
		if !printable(o.Function) {
			o.Function = ""
		}
		fmt.Fprintf(&b, "%v\t%s\t%s\n", o.Aspect, o.Location.text(), o.Function)
	}
	return b.String()
}

func (l Location) text() string {
	if l == (Location{}) {
		return ""
	}
	return fmt.Sprintf("%d:%d:%s", l.Line, l.Column, l.File)
}

// AddPlaces adds to r the places that another registry has. Where that tells a place
// it counts: it is from when the code had all of its debug information.
func AddPlaces(r, more *propset.Registry) {
	for _, property := range more.Set(PlacesSet).Properties() {
		p, ok := PlacesOf(more, property.Key)
		if !ok {
			continue
		}
		own, _ := PlacesOf(r, property.Key)
		if p.Location != (Location{}) {
			own.Location = p.Location
		}
		for _, o := range p.Origins {
			switch i := slices.IndexFunc(own.Origins, func(have AspectOrigin) bool { return have.Aspect == o.Aspect }); {
			case i < 0:
				own.Origins = append(own.Origins, o)
			case o.Location != (Location{}):
				own.Origins[i] = o
			}
		}
		slices.SortFunc(own.Origins, func(a, b AspectOrigin) int { return cmp.Compare(a.Aspect, b.Aspect) })
		r.Add(PlacesSet).Put(property.Key, propset.String(own.text()))
	}
}

// PlacesOf returns what the property sets of a device image tell about the
// places of a kernel. It fails when they tell nothing that can be understood.
func PlacesOf(r *propset.Registry, kernel string) (Places, bool) {
	value, ok := r.Set(PlacesSet).Get(kernel)
	if !ok {
		return Places{}, false
	}
	text, ok := value.Text()
	if !ok || !strings.HasSuffix(text, "\n") {
		return Places{}, false
	}
	first, rest, _ := strings.Cut(text, "\n")
	var p Places
	if p.Location, ok = parseLocation(first); !ok {
		return Places{}, false
	}
	for line := range strings.Lines(rest) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(parts) != 3 || !printable(parts[2]) || len(p.Origins) > int(numUses) {
			return Places{}, false
		}
		o := AspectOrigin{Function: parts[2]}
		var err error
		if o.Aspect, err = aspect.Parse(parts[0]); err != nil {
			return Places{}, false
		}
		if o.Location, ok = parseLocation(parts[1]); !ok {
			return Places{}, false
		}
		p.Origins = append(p.Origins, o)
	}
	return p, true
}

func parseLocation(text string) (Location, bool) {
	if text == "" {
		return Location{}, true
	}
	parts := strings.SplitN(text, ":", 3)
	if len(parts) != 3 {
		return Location{}, false
	}
	line, err1 := strconv.ParseUint(parts[0], 10, 32)
	column, err2 := strconv.ParseUint(parts[1], 10, 32)
	file, ok := WorkspacePath(parts[2])
	if err1 != nil || err2 != nil || line == 0 || !ok {
		return Location{}, false
	}
	return Location{file, uint32(line), uint32(column)}, true
}

// printable reports whether the name of a function is one to show.
func printable(name string) bool {
	return len(name) <= maxFunction && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

const maxFunction = 16 << 10
