package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// repetitions are statuses that several reports contain under different labels, for example a
// report on a binary and a report on all binaries of a program. A status is repeated if another
// target has a kernel with the same name in the same device images, with the same status for the
// same reasons. It counts once: for the target with more devices or, if they have equally many, for
// the target with fewer kernels.
type repetitions struct {
	byTarget map[*target]*repeated
	peers    map[row][]row // kernels of other targets in the same device images
}

// repeated holds which statuses of a target another target also has.
type repeated struct {
	repeats []bool      // by kernel and device
	of      map[int]row // the kernel with the counted status, by index in repeats
}

// A kernelImage is a device image together with one of its kernels.
type kernelImage struct {
	kernel string
	digest report.Digest
}

// findRepetitions finds the repeated statuses of targets.
func findRepetitions(targets []*target) repetitions {
	r := repetitions{map[*target]*repeated{}, map[row][]row{}}
	targets = sharingImages(targets)
	slices.SortStableFunc(targets, func(a, b *target) int {
		return cmp.Or(cmp.Compare(len(b.devices), len(a.devices)), cmp.Compare(len(a.kernels), len(b.kernels)), strings.Compare(a.label, b.label))
	})
	known := map[kernelImage][]row{}
	reasons := map[*target][][]*problem{}
	for _, t := range targets {
		for i, k := range t.kernels {
			own := row{t, i}
			for _, other := range peersOf(k, known) {
				r.peers[own], r.peers[other] = append(r.peers[own], other), append(r.peers[other], own)
				r.compare(own, other, reasons)
			}
			for _, digest := range k.images {
				const most = 32 // bounds the time for many targets without repetitions
				if at := (kernelImage{k.name, digest}); len(known[at]) < most {
					known[at] = append(known[at], own)
				}
			}
		}
	}
	return r
}

// sharingImages returns the targets that share a device image with another target.
func sharingImages(targets []*target) (list []*target) {
	if len(targets) < 2 {
		return nil
	}
	first, several := map[report.Digest]*target{}, map[*target]bool{}
	for _, t := range targets {
		var last []report.Digest
		for _, k := range t.kernels {
			if len(k.images) == 0 || len(last) == len(k.images) && &last[0] == &k.images[0] {
				continue
			}
			last = k.images
			for _, digest := range k.images {
				other := first[digest]
				switch {
				case other == nil:
					first[digest] = t
				case other != t:
					several[t], several[other] = true, true
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(targets), func(t *target) bool { return !several[t] })
}

// peersOf returns the known kernels with the same name whose images are a subset or a superset of a
// kernel's images.
func peersOf(k *kernel, known map[kernelImage][]row) (list []row) {
	for _, digest := range k.images {
		for _, other := range known[kernelImage{k.name, digest}] {
			if !slices.Contains(list, other) && oneHasAll(k.images, other.kernels[other.index].images) {
				list = append(list, other)
			}
		}
	}
	return list
}

// oneHasAll reports whether one of two sorted lists contains all elements of the other.
func oneHasAll(a, b []report.Digest) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, s := range a {
		at, ok := slices.BinarySearchFunc(b, s, report.Digest.Compare)
		if !ok {
			return false
		}
		b = b[at+1:]
	}
	return true
}

// compare records which statuses of a kernel another kernel also has.
func (r *repetitions) compare(own, other row, reasons map[*target][][]*problem) {
	for col, device := range own.devices {
		at, otherCol := own.at(own.index, col), other.column(device)
		v := own.status(own.index, col)
		if v == compat.NoStatus || v != other.status(other.index, otherCol) || r.byTarget[own.target].has(at) ||
			r.byTarget[other.target].has(other.at(other.index, otherCol)) ||
			!slices.Equal(problemsOn(own, device, reasons), problemsOn(other, device, reasons)) {
			continue
		}
		known := r.byTarget[own.target]
		if known == nil {
			known = &repeated{make([]bool, len(own.statuses)), map[int]row{}}
			r.byTarget[own.target] = known
		}
		known.repeats[at], known.of[at] = true, other
	}
}

// has reports whether the status with an index is repeated. A nil value has no repeated statuses.
func (r *repeated) has(at int) bool { return r != nil && r.repeats[at] }

// A deviceProblem is a problem on a device, without the target.
type deviceProblem struct {
	problemKey
	available string
}

// problemsOn returns the problems of a kernel on a device. byTarget caches the problems of targets
// by kernel.
func problemsOn(k row, device string, byTarget map[*target][][]*problem) (list []deviceProblem) {
	for _, p := range problemsByRow(k.target, byTarget)[k.index] {
		i, ok := slices.BinarySearchFunc(p.on, device, func(a affected, id string) int { return strings.Compare(a.device, id) })
		if ok {
			reason := deviceProblem{p.problemKey, p.on[i].available}
			reason.kernel = 0
			list = append(list, reason)
		}
	}
	return list
}

// problemsByRow returns the problems of a target by kernel, and caches them in known.
func problemsByRow(t *target, known map[*target][][]*problem) [][]*problem {
	if byRow := known[t]; byRow != nil {
		return byRow
	}
	byRow := make([][]*problem, len(t.kernels))
	for _, p := range t.problems {
		byRow[p.kernel] = append(byRow[p.kernel], p)
	}
	known[t] = byRow
	return byRow
}

// withoutRepeated omits the items of repeated statuses. If an exception or a family covers only one
// of two items, it keeps both, because an exception for one target does not apply to another.
func (r *repetitions) withoutRepeated(items []*item) []*item {
	if len(r.byTarget) == 0 {
		return items
	}
	type itemKey struct {
		of *target
		problemKey
		device string
	}
	at := map[itemKey]*item{}
	for _, it := range items {
		at[itemKey{it.target, it.problem.problemKey, it.device.device}] = it
	}
	original := func(it *item) *item {
		known := r.byTarget[it.target]
		if known == nil {
			return nil
		}
		k, ok := known.of[it.statusIndex()]
		if !ok {
			return nil
		}
		key := it.problem.problemKey
		key.kernel = k.index
		return at[itemKey{k.target, key, it.device.device}]
	}
	for _, it := range items {
		if o := original(it); o != nil && o.disposition != it.disposition {
			known := r.byTarget[it.target]
			known.repeats[it.statusIndex()] = false
			delete(known.of, it.statusIndex())
		}
	}
	var out []*item
	for _, it := range items {
		if o := original(it); o != nil {
			o.otherLabels = append(o.otherLabels, it.target.label)
		} else {
			out = append(out, it)
		}
	}
	return out
}

// statusIndex returns the index of an item's status.
func (i *item) statusIndex() int {
	return i.target.at(i.problem.kernel, i.target.column(i.device.device))
}

// counts reports whether a kernel of a target counts: at least one of its statuses is not repeated,
// or it has no status.
func (r *repeated) counts(t *target, index int) bool {
	if r == nil {
		return true
	}
	none := true
	for col := range t.devices {
		if t.status(index, col) == compat.NoStatus {
			continue
		}
		if none = false; !r.has(t.at(index, col)) {
			return true
		}
	}
	return none
}

// isElsewhere reports whether another target has a status of the kernel on a device.
func (r *repetitions) isElsewhere(t *target, index int, device string) bool {
	return slices.ContainsFunc(r.peers[row{t, index}], func(k row) bool {
		return k.status(k.index, k.column(device)) != compat.NoStatus
	})
}
