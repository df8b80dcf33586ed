package srcloc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// Set is the name of the property set that holds the source locations of kernels in code shipped
// without debug information. It is not a DPC++ set; DPC++'s runtime ignores it. The key of a
// property is the name of a kernel, and the value is a text:
//
//	11:0:src/axpy.cpp
//	fp64	7:19:src/math.hpp	_Z6squared
//
// The first line is the location of the kernel, which may be empty: line, column and path. Each
// further line is for one aspect: its name, the location that causes the requirement, and the
// function there, which is empty for the kernel itself. An aspect without a name is given by its
// number. Functions are given by their symbols.
const Set = "rules_sycl/source places"

// mostOrigins is the maximum number of origins in a property. Builds do not produce more.
const mostOrigins = 64

// ReadKernel returns the source information about a kernel in the property sets of a device image. ok is
// false if there is none or if it is invalid.
func ReadKernel(r *propset.Registry, kernel string) (Kernel, bool) {
	value, ok := r.Set(Set).Get(kernel)
	if !ok {
		return Kernel{}, false
	}
	text, ok := value.Text()
	if !ok || !strings.HasSuffix(text, "\n") {
		return Kernel{}, false
	}
	first, rest, _ := strings.Cut(text, "\n")
	var k Kernel
	if k.Location, ok = parseLocation(first); !ok {
		return Kernel{}, false
	}
	for line := range strings.Lines(rest) {
		o, ok := parseOrigin(strings.TrimSuffix(line, "\n"))
		if !ok || len(k.Origins) == mostOrigins {
			return Kernel{}, false
		}
		k.Origins = append(k.Origins, o)
	}
	return k, true
}

// Put adds the source information about a kernel to the property sets of its device image. It adds
// nothing if there is no information.
func Put(r *propset.Registry, kernel string, k Kernel) {
	if !k.IsZero() {
		r.Add(Set).Put(kernel, propset.String(k.text()))
	}
}

// Merge adds the source information in more to r. Locations in more take precedence, because they
// come from code with complete debug information.
func Merge(r, more *propset.Registry) {
	for _, property := range more.Set(Set).Properties() {
		k, ok := ReadKernel(more, property.Key)
		if !ok {
			continue
		}
		own, _ := ReadKernel(r, property.Key)
		if !k.Location.IsZero() {
			own.Location = k.Location
		}
		for _, o := range k.Origins {
			switch i := slices.IndexFunc(own.Origins, func(have Origin) bool { return have.Aspect == o.Aspect }); {
			case i < 0:
				own.Origins = append(own.Origins, o)
			case !o.Location.IsZero():
				own.Origins[i] = o
			}
		}
		slices.SortFunc(own.Origins, Origin.Compare)
		r.Add(Set).Put(property.Key, propset.String(own.text()))
	}
}

func (k Kernel) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", k.Location.text())
	for _, o := range k.Origins {
		if !printable(o.Function) {
			o.Function = ""
		}
		name := o.Aspect.Name
		if _, err := aspect.Parse(name); err != nil { // an aspect without a name
			name = strconv.FormatUint(uint64(o.Aspect.Value), 10)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", name, o.Location.text(), o.Function)
	}
	return b.String()
}

func (l Location) text() string {
	if l.IsZero() {
		return ""
	}
	return fmt.Sprintf("%d:%d:%s", l.Line, l.Column, l.Path)
}

func parseOrigin(line string) (Origin, bool) {
	parts := strings.Split(line, "\t")
	if len(parts) != 3 || !printable(parts[2]) {
		return Origin{}, false
	}
	a, err := aspect.Parse(parts[0])
	if err != nil {
		return Origin{}, false
	}
	at, ok := parseLocation(parts[1])
	return Origin{a.Named(), parts[2], at}, ok
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
	return Location{Path: file, Line: uint32(line), Column: uint32(column)}, true
}

// printable reports whether the name of a function is safe to show.
func printable(name string) bool {
	return len(name) <= maxFunction && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

const maxFunction = 16 << 10
