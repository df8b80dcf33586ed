package report

import (
	"encoding/binary"
	"hash/maphash"
	"strings"
)

// texts keeps each text once and calls it by a number. The texts are one after the other
// in pieces of memory, and a string that is taken out shares the memory of its piece.
// A large report has millions of texts, and a string of its own for each takes more memory
// for headers, rounding and the collector than for the bytes.
//
// The number of a text is the offset in all pieces of its length, which is before it. The
// zero texts is empty, and has "" as 0.
type texts struct {
	pieces []string
	last   strings.Builder // the last piece
	long   []string        // texts that would leave much of a piece empty

	table textTable // of numbers, made when it is missing
}

const (
	pieceBits = 16
	longText  = 4 << 10

	isLong    = 1 << 31 // a bit of numbers: the rest is an index of texts.long
	maxPieces = isLong >> pieceBits
)

// at returns the text of a number.
func (t *texts) at(n uint32) string {
	switch {
	case n == 0:
		return ""
	case n&isLong != 0:
		return t.long[n&^isLong]
	}
	text, _ := lengthened(t.pieces[n>>pieceBits][n&(1<<pieceBits-1):])
	return text
}

// lengthened returns the text at the start of a piece, behind its length, and how many
// bytes both take.
func lengthened(piece string) (text string, n int) {
	size, n := int(piece[0]), 1
	if size >= 1<<7 { // a second byte, as of a varint
		size, n = size&(1<<7-1)|int(piece[1])<<7, 2
	}
	return piece[n : n+size], n + size
}

// number returns the number of a text, which is kept if it is new.
func (t *texts) number(text string) uint32 {
	if text == "" {
		return 0
	}
	if t.table.places == nil {
		t.fillTable()
	}
	place := t.table.find(text, t.at)
	n := *place
	if n == 0 {
		n = t.add(text)
		t.table.put(place, n, t.at)
	}
	return n
}

// add keeps a new text.
func (t *texts) add(text string) uint32 {
	offset := t.last.Len()
	if len(text) >= longText || offset+2+len(text) > 1<<pieceBits || len(t.pieces) == 0 {
		if len(text) >= longText || len(t.pieces) == maxPieces {
			t.long = append(t.long, strings.Clone(text))
			return isLong | uint32(len(t.long)-1)
		}
		t.newPiece()
		offset = t.last.Len()
	}
	var size [binary.MaxVarintLen64]byte
	t.last.Write(size[:binary.PutUvarint(size[:], uint64(len(text)))])
	t.last.WriteString(text)
	last := len(t.pieces) - 1
	t.pieces[last] = t.last.String()
	return uint32(last<<pieceBits | offset)
}

// newPiece begins a piece. The first ones are smaller, for small reports.
func (t *texts) newPiece() {
	t.last.Reset()
	if len(t.pieces) == 0 {
		t.last.WriteByte(0) // the empty text
	} else {
		t.last.Grow(1 << pieceBits)
	}
	t.pieces = append(t.pieces, "")
}

// fillTable makes the table of all texts.
func (t *texts) fillTable() {
	t.table = newTextTable(0)
	put := func(n uint32) { t.table.put(t.table.find(t.at(n), t.at), n, t.at) }
	for i, piece := range t.pieces {
		for offset := 0; offset < len(piece); {
			text, n := lengthened(piece[offset:])
			if text != "" {
				put(uint32(i<<pieceBits | offset))
			}
			offset += n
		}
	}
	for i := range t.long {
		put(isLong | uint32(i))
	}
}

// forget gives up the memory that only new texts need.
func (t *texts) forget() { t.table = textTable{} }

// A textTable finds numbers by texts that they stand for. It keeps no text and takes 8
// bytes for each at most, a fifth of a map. Functions that it is given return the text of a
// number.
type textTable struct {
	places []uint32 // as many as a power of two, 0 where there is none
	count  int
	seed   maphash.Seed
}

// newTextTable returns a table with room for so many texts.
func newTextTable(texts int) textTable {
	t := textTable{seed: maphash.MakeSeed()}
	size := 64
	for texts > mostOf(size) {
		size *= 2
	}
	t.places = make([]uint32, size)
	return t
}

// mostOf returns how many of the places of a table may be taken.
func mostOf(places int) int { return places / 4 * 3 }

// find returns the place of a text: it has the number, or 0 if there is none.
func (t *textTable) find(text string, at func(uint32) string) *uint32 {
	mask := len(t.places) - 1
	i := int(maphash.String(t.seed, text)) & mask
	for t.places[i] != 0 && at(t.places[i]) != text {
		i = (i + 1) & mask
	}
	return &t.places[i]
}

// put writes a number into the place that find returned.
func (t *textTable) put(place *uint32, n uint32, at func(uint32) string) {
	*place = n
	t.count++
	if t.count <= mostOf(len(t.places)) {
		return
	}
	old := t.places
	t.places = make([]uint32, 2*len(old))
	for _, n := range old {
		if n != 0 {
			*t.find(at(n), at) = n
		}
	}
}

// An idSet is a set of elements of a list that have different ids.
type idSet struct {
	table textTable // of indexes plus 1
	id    func(int) string
}

// newIDSet returns the empty set for a list of so many elements.
func newIDSet(elements int, id func(int) string) idSet {
	return idSet{newTextTable(elements), id}
}

// add adds an element. It reports whether its id is new.
func (s *idSet) add(i int) bool {
	place := s.table.find(s.id(i), s.at)
	if *place != 0 {
		return false
	}
	s.table.put(place, uint32(i+1), s.at)
	return true
}

// find returns the index of the element with an id, -1 if there is none.
func (s *idSet) find(id string) int { return int(*s.table.find(id, s.at)) - 1 }

func (s *idSet) at(n uint32) string { return s.id(int(n - 1)) }
