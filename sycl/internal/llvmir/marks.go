package llvmir

// A markSet marks items. Marks of an older epoch are ignored, so a reset only increments the epoch.
type markSet struct {
	epoch uint32
	marks []uint32 // epoch and mark of each item
	list  []uint32 // marked items, in order of marking
}

// The marks: whether a declaration or the whole item is written.
const (
	declared = 1
	full     = 2
)

// newMarks returns an empty set. [Module.release] recycles it.
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

// spareMarks returns a recycled set, or a new one.
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

// get returns the mark of an item, or 0.
func (s *markSet) get(i uint32) uint32 {
	if v := s.marks[i]; v>>2 == s.epoch {
		return v & 3
	}
	return 0
}

// set marks an item, and adds it to the list if it did not have the mark before.
func (s *markSet) set(i, mark uint32) {
	if old := s.get(i); old < mark {
		s.marks[i] = s.epoch<<2 | mark
		s.list = append(s.list, i)
	}
}
