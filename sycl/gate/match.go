package gate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
)

// A matcher pairs items with the entries of a baseline.
type matcher struct {
	entries []Entry // entries with their remaining counts
}

// match sets the state of items that have entries, and returns the remaining entries. Entries match
// items of the same target first, then of any target, because targets can be renamed. Compilers
// number unnamed lambdas, so an additional lambda renames others. Therefore, remaining entries
// match in the same source file if only such numbers differ. A kernel matches the entries of all of
// its forms, because baselines and reports may predate the joining of forms, and a source change
// may change the form that the kernel is named after. Renamed kernels, whose old names former
// returns, are matched last.
func (m *matcher) match(items []*item, former func() map[*kernel]*kernel) (left []Entry) {
	m.matchBy(items, StateUnchanged, func(target, _, kernel string) (identity, bool) {
		return identity{target: target, kernel: kernel}, true
	})
	m.matchBy(items, StateUnchanged, func(_, _, kernel string) (identity, bool) {
		return identity{kernel: kernel}, true
	})
	m.matchBy(items, StateUpdated, func(target, _, kernel string) (identity, bool) {
		form, ok := kernelname.FormOf(kernel)
		return identity{target: target, kernel: form.Kernel}, ok
	})
	m.matchBy(items, StateUpdated, func(target, file, kernel string) (identity, bool) {
		plain, unnamed := withoutNumbers(kernel)
		return identity{target: target, file: file, kernel: plain}, unnamed
	})
	isNew := func(i *item) bool { return i.state == StateNew }
	if slices.ContainsFunc(items, isNew) && len(m.remaining()) > 0 {
		m.matchRenamed(items, former())
	}
	return m.remaining()
}

// remaining returns the entries that are left, with their remaining counts.
func (m *matcher) remaining() (list []Entry) {
	for _, e := range m.entries {
		if e.Count > 0 {
			list = append(list, e)
		}
	}
	return list
}

// An identity holds the fields in which matching entries and items agree.
type identity struct{ target, file, kernel, device, required, rule string }

// An identify function returns the part of an identity that is about the kernel. ok is false for
// kernels that cannot match.
type identify func(target, file, kernel string) (id identity, ok bool)

// matchBy sets the state of the new items for which entries remain.
func (m *matcher) matchBy(items []*item, state State, of identify) {
	open := m.remainingByIdentity(of)
	if len(open) == 0 {
		return
	}
	for _, it := range items {
		if it.state == StateNew {
			m.find(it, it.kernelNames(), state, of, open)
		}
	}
}

// matchRenamed sets the state of the items of renamed kernels.
func (m *matcher) matchRenamed(items []*item, former map[*kernel]*kernel) {
	of := func(_, _, kernel string) (identity, bool) { return identity{kernel: kernel}, true }
	open := m.remainingByIdentity(of)
	for _, it := range items {
		was := former[it.kernel()]
		if it.state != StateNew || was == nil {
			continue
		}
		if m.find(it, was.names(), StateUpdated, of, open); it.state == StateUpdated {
			it.renamedFrom = cmp.Or(was.display, was.name)
		}
	}
}

// find searches for an entry that matches an item under any of its labels and names.
func (m *matcher) find(it *item, names []string, state State, of identify, open map[identity][]int) {
	for n := range 1 + len(it.otherLabels) {
		label := it.target.label
		if n > 0 {
			label = it.otherLabels[n-1]
		}
		for _, name := range names {
			id, ok := of(label, it.file(), name)
			id.device, id.required, id.rule = it.device.device, it.problem.requirement(), string(it.problem.rule)
			if list := open[id]; ok && len(list) > 0 {
				it.state = state
				e := &m.entries[list[0]]
				if e.Count--; e.Count == 0 {
					open[id] = list[1:]
				}
			}
		}
		if it.state == state {
			return
		}
	}
}

// remainingByIdentity returns the indexes of the remaining entries.
func (m *matcher) remainingByIdentity(of identify) map[identity][]int {
	open := map[identity][]int{}
	for i, e := range m.entries {
		if e.Count <= 0 {
			continue
		}
		if id, ok := of(e.Target, e.File, e.Kernel); ok {
			id.device, id.required, id.rule = e.Device, e.Required, string(e.Rule)
			open[id] = append(open[id], i)
		}
	}
	return open
}

// withoutNumbers returns a mangled name without the numbers that compilers give to unnamed lambdas
// and types, and whether it has any. These are "Ul" types "E" [number] "_" and "Ut" [number] "_".
func withoutNumbers(name string) (string, bool) {
	if !strings.Contains(name, "Ul") && !strings.Contains(name, "Ut") {
		return name, false
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		b.WriteByte(name[i])
		if name[i] != 'E' && !strings.HasSuffix(name[:i+1], "Ut") {
			continue
		}
		end := i + 1
		for end < len(name) && '0' <= name[end] && name[end] <= '9' {
			end++
		}
		if end < len(name) && name[end] == '_' {
			i = end - 1
		}
	}
	return b.String(), true
}
