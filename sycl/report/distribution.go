package report

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Distribution is a wheel, by its file name.
type Distribution struct {
	Name, Version string
	Tags          string // for which Python and platform
}

func (d Distribution) String() string { return d.Name + " " + d.Version }

var wheelName = regexp.MustCompile(`^([A-Za-z0-9_.]+)-([^-]+)(?:-[0-9][^-]*)?-([^-]+-[^-]+-[^-]+)\.whl$`)

// ParseWheel returns what the file name of a wheel says.
func ParseWheel(name string) (d Distribution, ok bool) {
	m := wheelName.FindStringSubmatch(name)
	if m == nil {
		return Distribution{}, false
	}
	return Distribution{m[1], m[2], m[3]}, true
}

// Wheel returns the wheel that a file of a report is in, with the part of its name that ends
// with the wheel.
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

// Distributions returns the wheels that the files of a report are in. It is nil when some
// file is in none.
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

// Title names the wheels that a report is about, "" when it is not about wheels alone.
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
