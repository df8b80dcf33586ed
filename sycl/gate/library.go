package gate

import (
	"path"

	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// A library is a target that may exist for several platforms or Python versions: its label, and its
// kernels if they are known.
type library struct {
	label   string
	kernels map[string]bool
}

// librariesOf returns targets as libraries.
func librariesOf(targets map[string]*target) (list []library) {
	for _, t := range sorted(targets) {
		l := library{t.label, make(map[string]bool, len(t.kernels))}
		for _, k := range t.kernels {
			l.kernels[k.name] = true
		}
		list = append(list, l)
	}
	return list
}

// pairLibraries returns the new labels of renamed libraries by their old labels. It pairs libraries
// whose names differ only in parts specific to a platform or a Python version, and libraries with
// the kernels of one other library. It pairs two libraries only if the match is unambiguous.
func pairLibraries(old, now []library) map[string]string {
	old, now = withoutLabelsOf(old, now), withoutLabelsOf(now, old)
	pairs := map[string]string{}
	for _, key := range []func(library) string{
		func(l library) string { return report.LibraryName(l.label) },
		func(l library) string { return path.Base(report.LibraryName(l.label)) },
	} {
		same := func(a, b library) bool { return key(a) != "" && key(a) == key(b) }
		old, now = pairBy(same, old, now, pairs)
	}
	// Comparing all pairs takes long for many libraries, and such a program has too many to name.
	const most = 64
	if len(old) > most || len(now) > most {
		return pairs
	}
	old, now = pairBy(func(a, b library) bool { return len(a.kernels) == len(b.kernels) && a.hasAllOf(b) }, old, now, pairs)
	pairBy(func(a, b library) bool { return a.hasAllOf(b) || b.hasAllOf(a) }, old, now, pairs)
	return pairs
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
