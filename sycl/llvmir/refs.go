package llvmir

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// hardReference marks a reference that needs a definition: what an alias stands
// for, and a function whose label's address is taken.
const hardReference = 1 << 31

// An index holds what each item refers to, as items. It is made once, when first
// asked for.
type index struct {
	n      int // items that it covers
	chunks []refChunk
}

const itemsPerChunk = 512

type refChunk struct {
	offsets []uint32
	data    []uint32
}

func (m *Module) buildIndex() {
	m.lazy.Lock()
	defer m.lazy.Unlock()
	if m.index != nil {
		return
	}
	ix := &index{n: len(m.items), chunks: make([]refChunk, (len(m.items)+itemsPerChunk-1)/itemsPerChunk)}
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(ix.chunks)) {
		wg.Go(func() {
			var buffer []uint32
			for k := range next {
				first, last := k*itemsPerChunk, min((k+1)*itemsPerChunk, ix.n)
				chunk := refChunk{offsets: make([]uint32, 0, last-first+1)}
				buffer = buffer[:0]
				for i := first; i < last; i++ {
					chunk.offsets = append(chunk.offsets, uint32(len(buffer)))
					buffer = m.scanItem(uint32(i), buffer)
				}
				chunk.offsets = append(chunk.offsets, uint32(len(buffer)))
				chunk.data = slices.Clone(buffer)
				ix.chunks[k] = chunk
			}
		})
	}
	for k := range ix.chunks {
		next <- k
	}
	close(next)
	wg.Wait()
	m.index = ix
	m.fresh = nil
}

// references returns the items that an item refers to, sorted, but for itself.
func (m *Module) references(i uint32) []uint32 {
	m.lazy.Lock()
	ix, fresh, stale := m.index, m.fresh[i], false
	if fresh == nil {
		_, stale = m.fresh[i]
	}
	m.lazy.Unlock()
	if fresh != nil {
		return fresh
	}
	if ix != nil && !stale && int(i) < ix.n {
		chunk := &ix.chunks[i/itemsPerChunk]
		k := i % itemsPerChunk
		return chunk.data[chunk.offsets[k]:chunk.offsets[k+1]]
	}
	if f, ok := m.entityOf(i).(*Function); ok {
		f.fold()
	}
	refs := m.scanItem(i, nil)
	if refs == nil {
		refs = []uint32{}
	}
	if ix != nil {
		m.lazy.Lock()
		if m.fresh == nil {
			m.fresh = map[uint32][]uint32{}
		}
		m.fresh[i] = refs
		m.lazy.Unlock()
	}
	return refs
}

// forget drops what was found out about references by name.
func (m *Module) forget() {
	m.lazy.Lock()
	for i := range m.fresh {
		m.fresh[i] = nil
	}
	m.users, m.lists = nil, nil
	m.lazy.Unlock()
}

// scanItem appends what an item refers to. Pending edits of a body are not seen.
func (m *Module) scanItem(i uint32, refs []uint32) []uint32 {
	it := &m.items[i]
	from := len(refs)
	if it.gone {
		return refs
	}
	text := m.sources[it.src][it.start:it.end]
	refs = m.scan(text, i, refs)
	switch it.kind {
	case itemFunction, itemGlobal, itemAlias:
		s := m.all[it.index]
		if at := strings.Index(text, "comdat"); at >= 0 {
			if c, ok := m.comdats[s.Comdat()]; ok {
				refs = append(refs, c)
			}
		}
		if f, ok := s.(*Function); ok && f.defined {
			refs = m.scan(f.body.in(m.sources[f.bodySrc]), i, refs)
		}
		if it.kind == itemAlias {
			for k, to := range refs[from:] {
				if m.isSymbol(to) {
					refs[from+k] = to | hardReference
				}
			}
		}
	}
	slices.Sort(refs[from:])
	return refs[:from+len(slices.Compact(refs[from:]))]
}

func (m *Module) isSymbol(i uint32) bool {
	switch m.items[i&^hardReference].kind {
	case itemFunction, itemGlobal, itemAlias:
		return true
	}
	return false
}

// scan appends what a text refers to.
func (m *Module) scan(text string, self uint32, refs []uint32) []uint32 {
	last := ^uint32(0) // the one before: repetition is common
	put := func(to uint32) {
		if to != self && to != last {
			refs = append(refs, to)
			last = to
		}
	}
	number := func(pos int) (uint32, int, bool) {
		end := pos
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		if end == pos || end-pos > 10 {
			return 0, end, false
		}
		n, err := strconv.ParseUint(text[pos:end], 10, 31)
		return uint32(n), end, err == nil
	}
	for pos := 0; pos < len(text); {
		c := text[pos]
		if classes[c]&classRef == 0 {
			pos++
			continue
		}
		switch c {
		case '"':
			if pos = stringEnd(text, pos); pos < 0 {
				return refs
			}
		case ';':
			pos = lineEnd(text, pos)
		case '!', '#':
			n, end, ok := number(pos + 1)
			if ok && c == '!' {
				if to, ok := m.nodes.find(n); ok {
					put(to)
				}
			} else if ok {
				if to, ok := m.groups[n]; ok {
					put(to)
				}
			}
			pos = max(end, pos+1)
		default:
			end := nameEnd(text, pos+1)
			if end < 0 {
				return refs
			}
			switch name := text[pos+1 : end]; {
			case name == "":
			case c == '@':
				if s := m.symbols[plainName(name)]; s != nil {
					to := s.entity()
					if strings.HasSuffix(text[:pos], "blockaddress(") {
						to |= hardReference
					}
					put(to)
				}
			case c == '%':
				if len(m.typeItems) > 0 {
					if to, ok := m.typeItems[plainName(name)]; ok {
						put(to)
					}
				}
			default:
				if to, ok := m.comdats[plainName(name)]; ok {
					put(to)
				}
			}
			pos = max(end, pos+1)
		}
	}
	return refs
}

// Closure returns the roots and every symbol that they reach through bodies,
// initial values and what aliases stand for, in file order.
func (m *Module) Closure(roots ...Symbol) []Symbol {
	m.buildIndex()
	sc := m.scratch()
	defer m.release(sc)
	for _, s := range roots {
		sc.set(s.entity(), full)
	}
	var list []Symbol
	for k := 0; k < len(sc.list); k++ {
		for _, to := range m.references(sc.list[k]) {
			to &^= hardReference
			if m.isSymbol(to) && !m.items[to].gone {
				sc.set(to, full)
			}
		}
	}
	slices.Sort(sc.list)
	for _, i := range sc.list {
		if !m.items[i].gone {
			list = append(list, m.all[m.items[i].index])
		}
	}
	return list
}

// A scratch marks items. Marks of an older epoch do not count, so that starting
// anew costs nothing.
type scratch struct {
	epoch uint32
	marks []uint32
	list  []uint32 // marked items, in order of marking
}

// What marks say: a declaration is written, or all of it.
const (
	declared = 1
	full     = 2
)

func (m *Module) scratch() *scratch {
	m.lazy.Lock()
	var sc *scratch
	if n := len(m.scratches); n > 0 {
		sc = m.scratches[n-1]
		m.scratches = m.scratches[:n-1]
	} else {
		sc = &scratch{}
	}
	m.lazy.Unlock()
	if len(sc.marks) < len(m.items) || sc.epoch >= 1<<29 {
		sc.marks = make([]uint32, len(m.items))
		sc.epoch = 0
	}
	sc.epoch++
	sc.list = sc.list[:0]
	return sc
}

func (m *Module) release(sc *scratch) {
	m.lazy.Lock()
	m.scratches = append(m.scratches, sc)
	m.lazy.Unlock()
}

func (sc *scratch) get(i uint32) uint32 {
	if v := sc.marks[i]; v>>2 == sc.epoch {
		return v & 3
	}
	return 0
}

// set marks an item, and puts it on the list when that is news.
func (sc *scratch) set(i, state uint32) {
	if old := sc.get(i); old < state {
		sc.marks[i] = sc.epoch<<2 | state
		sc.list = append(sc.list, i)
	}
}
