package llvmir

// A markSet marks items. Marks of an older epoch do not count, so that starting
// anew costs nothing.
type markSet struct {
	epoch uint32
	marks []uint32 // epoch and mark of each item
	list  []uint32 // marked items, in order of marking
}

// What marks say: a declaration is written, or all of it.
const (
	declared = 1
	full     = 2
)

// newMarks returns a set without marks. [Module.release] gives it back.
func (m *Module) newMarks() *markSet {
	s := m.spareMarks()
	if len(s.marks) < len(m.items) || s.epoch >= 1<<29 {
		s.marks = make([]uint32, len(m.items))
		s.epoch = 0
	}
	s.epoch++
	s.list = s.list[:0]
	return s
}

// spareMarks returns a set that was given back, or a new one.
func (m *Module) spareMarks() *markSet {
	m.lazy.Lock()
	defer m.lazy.Unlock()
	n := len(m.spare)
	if n == 0 {
		return &markSet{}
	}
	s := m.spare[n-1]
	m.spare = m.spare[:n-1]
	return s
}

func (m *Module) release(s *markSet) {
	m.lazy.Lock()
	m.spare = append(m.spare, s)
	m.lazy.Unlock()
}

// get returns the mark of an item, 0 when it has none.
func (s *markSet) get(i uint32) uint32 {
	if v := s.marks[i]; v>>2 == s.epoch {
		return v & 3
	}
	return 0
}

// set marks an item. It goes on the list when it was not marked so before.
func (s *markSet) set(i, mark uint32) {
	if old := s.get(i); old < mark {
		s.marks[i] = s.epoch<<2 | mark
		s.list = append(s.list, i)
	}
}
