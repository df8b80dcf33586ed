package gate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// A library is a target that may exist for several platforms or Python versions. It holds the label
// and, if known, the kernels and the target itself.
type library struct {
	label   string
	kernels map[string]bool
	target  *target
}

// librariesOf returns targets as libraries.
func librariesOf(targets map[string]*target) (list []library) {
	for _, t := range sorted(targets) {
		l := library{t.label, make(map[string]bool, len(t.kernels)), t}
		for _, k := range t.kernels {
			l.kernels[k.name] = true
		}
		list = append(list, l)
	}
	return list
}

// pairLibraries returns the new labels of renamed libraries by their old labels. It pairs libraries
// whose names differ only in parts specific to a platform or a Python version, and libraries with
// the same kernels. It also pairs a library with the only new one that has all its kernels, which
// may replace several. It pairs two libraries only if the match is unambiguous or each choice has
// the same result.
//
// It also returns the old labels of libraries that were split, by the new labels of their parts. A
// part has only kernels of the split library.
func pairLibraries(old, now []library) (pairs, split map[string]string) {
	old, now = withoutLabelsOf(old, now), withoutLabelsOf(now, old)
	pairs, split = map[string]string{}, map[string]string{}
	for _, key := range []func(library) string{
		func(l library) string { return report.LibraryName(l.label) },
		func(l library) string { return path.Base(report.LibraryName(l.label)) },
	} {
		same := func(a, b library) bool { return key(a) != "" && key(a) == key(b) }
		old, now = pairBy(same, old, now, pairs)
	}
	// Comparing all pairs is too slow for many libraries.
	const most = 64
	if len(old) > most || len(now) > most {
		return pairs, split
	}
	replacements := now
	old, now = pairCopies(old, now, pairs)
	old, now = pairBy(func(a, b library) bool { return a.hasAllOf(b) || b.hasAllOf(a) }, old, now, pairs)
	pairWithSuperset(old, replacements, pairs)
	isPaired := func(a library) bool { return pairs[a.label] != "" }
	pairWithSuperset(now, slices.DeleteFunc(slices.Clone(old), isPaired), split)
	return pairs, split
}

// pairWithSuperset adds pairs of a library and the only other one that has all its kernels.
func pairWithSuperset(list, others []library, pairs map[string]string) {
	for _, a := range list {
		supersets := slices.DeleteFunc(slices.Clone(others), func(b library) bool { return !b.hasAllOf(a) })
		if len(supersets) == 1 {
			pairs[a.label] = supersets[0].label
		}
	}
}

// pairCopies adds pairs of libraries with the same kernels if there are as many on both sides, and
// all on one side have the same statuses, so each choice has the same result. It returns the
// unpaired libraries.
func pairCopies(old, now []library, pairs map[string]string) (oldLeft, nowLeft []library) {
	copies := map[string]*[2][]library{} // by kernels
	for side, list := range [][]library{old, now} {
		for _, l := range list {
			key := strings.Join(slices.Sorted(maps.Keys(l.kernels)), "\n")
			if copies[key] == nil {
				copies[key] = new([2][]library)
			}
			copies[key][side] = append(copies[key][side], l)
		}
	}
	delete(copies, "")
	paired := map[string]bool{} // new labels
	for _, c := range copies {
		if a, b := c[0], c[1]; len(a) == len(b) && (haveSameStatuses(a) || haveSameStatuses(b)) {
			for i := range a {
				pairs[a[i].label], paired[b[i].label] = b[i].label, true
			}
		}
	}
	isPaired := func(l library) bool { return pairs[l.label] != "" }
	return slices.DeleteFunc(slices.Clone(old), isPaired), slices.DeleteFunc(slices.Clone(now), func(l library) bool { return paired[l.label] })
}

// haveSameStatuses reports whether libraries with the same kernels have the same statuses.
func haveSameStatuses(list []library) bool {
	for _, l := range list[1:] {
		a, b := list[0].target, l.target
		if !slices.Equal(a.devices, b.devices) {
			return false
		}
		for i, k := range a.kernels {
			for col := range a.devices {
				if a.status(i, col) != b.status(b.row(k.name), col) {
					return false
				}
			}
		}
	}
	return true
}

// withoutLabelsOf returns the libraries in list whose labels are not among the labels of others.
func withoutLabelsOf(list, others []library) (left []library) {
	labels := map[string]bool{}
	for _, l := range others {
		labels[l.label] = true
	}
	for _, l := range list {
		if !labels[l.label] {
			left = append(left, l)
		}
	}
	return left
}

// pairBy adds pairs of equal libraries, unless one of them also equals a third library. It returns
// the unpaired libraries.
func pairBy(same func(a, b library) bool, old, now []library, pairs map[string]string) (oldLeft, nowLeft []library) {
	matches := make([]int, len(now)) // number of equal old libraries
	partners := make([][]int, len(old))
	for i, a := range old {
		for j, b := range now {
			if same(a, b) {
				partners[i] = append(partners[i], j)
				matches[j]++
			}
		}
	}
	paired := map[int]bool{}
	for i, a := range old {
		if len(partners[i]) == 1 && matches[partners[i][0]] == 1 {
			pairs[a.label] = now[partners[i][0]].label
			paired[partners[i][0]] = true
		} else {
			oldLeft = append(oldLeft, a)
		}
	}
	for j, b := range now {
		if !paired[j] {
			nowLeft = append(nowLeft, b)
		}
	}
	return oldLeft, nowLeft
}

// hasAllOf reports whether a library has all kernels of another one, which must have at least one.
func (l library) hasAllOf(other library) bool {
	for name := range other.kernels {
		if !l.kernels[name] {
			return false
		}
	}
	return len(other.kernels) > 0
}
