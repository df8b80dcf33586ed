package hostbin

// Sizes in 8-byte words.
const openMPImageWords = 4

// isOpenMP reports whether the words at an address are an OpenMP descriptor. The first word is a
// small number. The first image of a descriptor refers to the same entries as the descriptor. In
// objects, the entries are between symbols that only the linker defines.
func (m *memory) isOpenMP(address uint64, w []uint64) bool {
	images, begin, end := w[1], w[2], w[3]
	if images == 0 || images%8 != 0 {
		return false
	}
	start, linked := m.undefined[address+16] // numbers of symbols
	size := end - begin
	if !linked && (begin == 0 || begin%8 != 0 || !m.covers(begin, end) || size%(8*oldEntryWords) != 0 && size%(8*entryWords) != 0) {
		return false // before any read, because small numbers are common
	}
	first, err := m.words(images, openMPImageWords, "an image")
	if err != nil || first[0] == 0 || !m.covers(first[0], first[1]) || first[2] != begin || first[3] != end {
		return false
	}
	if linked {
		stop := m.undefined[address+24]
		return start != stop && m.undefined[images+16] == start && m.undefined[images+24] == stop
	}
	return true
}

// covers reports whether the bytes between two addresses are loaded.
func (m *memory) covers(begin, end uint64) bool {
	_, ok := m.place(begin, end-begin)
	return ok && begin <= end
}

// openMP adds the images of an OpenMP descriptor.
func (m *memory) openMP(descriptor []uint64) error {
	count, address := descriptor[0], descriptor[1]
	entries, err := m.openMPEntries(descriptor[2], descriptor[3])
	if err != nil {
		return err
	}
	for i := range count {
		w, err := m.words(address, openMPImageWords, "an image of a descriptor")
		if err != nil {
			return err
		}
		m.reading = m.at(address)
		if w[2] != descriptor[2] || w[3] != descriptor[3] {
			return m.in.errorf(m.reading, "image %d of %d of an OpenMP descriptor has different entries than the descriptor", i, count)
		}
		at, size, err := m.bounds(w[0], w[1], 1, "the bytes of an image")
		if err != nil {
			return err
		}
		img := &Image{
			Origin:  Origin{Address: address, Offset: m.in.base + at},
			Model:   "openmp",
			Entries: entries,
			Source:  m.in.section(at, int64(size)),
		}
		if err := m.s.add(m.in, img); err != nil {
			return err
		}
		if m.s.described == nil {
			m.s.described = make(map[int64]*Image)
		}
		m.s.described[img.Origin.Offset] = img
		address += 8 * openMPImageWords
	}
	return nil
}

// openMPEntries returns the names of the kernels among the entries: variables have a nonzero size.
// The newer table holds the entries of all programming models of a program.
func (m *memory) openMPEntries(begin, end uint64) ([]string, error) {
	return m.entriesWith(begin, end, func(newer bool, entry []uint64) bool {
		if newer {
			return entry[4] == 0 && uint16(entry[1]>>16) == 1
		}
		return entry[2] == 0
	})
}
