package report

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Distribution is a wheel, as described by its file name.
type Distribution struct {
	Name, Version string
	Tags          string // Python and platform tags
}

func (d Distribution) String() string { return d.Name + " " + d.Version }

var wheelName = regexp.MustCompile(`^([A-Za-z0-9_.]+)-([^-]+)(?:-[0-9][^-]*)?-([^-]+-[^-]+-[^-]+)\.whl$`)

// ParseWheel parses the file name of a wheel.
func ParseWheel(name string) (d Distribution, ok bool) {
	m := wheelName.FindStringSubmatch(name)
	if m == nil {
		return Distribution{}, false
	}
	return Distribution{m[1], m[2], m[3]}, true
}

// Wheel returns the wheel that contains a file of a report, and the path up to and including the
// wheel.
func (f *File) Wheel() (d Distribution, path string, ok bool) {
	for end := 0; end < len(f.Name); {
		start := end
		if n := strings.IndexAny(f.Name[end:], `/\`); n >= 0 {
			end += n
		} else {
			end = len(f.Name)
		}
		if d, ok := ParseWheel(f.Name[start:end]); ok {
			return d, f.Name[:end], true
		}
		end++
	}
	return Distribution{}, "", false
}

// Distributions returns the wheels that contain the files of a report. It returns nil if a file is
// not in a wheel.
func (r *Report) Distributions() (list []Distribution) {
	for i := range r.Files {
		d, _, ok := r.Files[i].Wheel()
		if !ok {
			return nil
		}
		if !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b Distribution) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), safetext.CompareNatural(a.Version, b.Version), strings.Compare(a.Tags, b.Tags))
	})
	return list
}

// Title returns the names of the wheels that a report is about, or "" if it is not only about
// wheels.
func (r *Report) Title() string {
	var names []string
	for _, d := range r.Distributions() {
		if s := d.String(); !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	if n := len(names) - mostTitled; n > 0 {
		return ""
	}
	return strings.Join(names, ", ")
}

const mostTitled = 3
