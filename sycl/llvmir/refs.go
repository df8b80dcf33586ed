package llvmir

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// An Entity is what other parts of a module may refer to or be referred from:
// a *Function, *Global, *Alias, *Node or *NamedMetadata.
type Entity interface{ entity() uint32 }

// SymbolUsers returns what refers to a symbol directly: functions, variables,
// aliases and metadata, in file order.
func (m *Module) SymbolUsers(name string) []Entity {
	s := m.symbols[name]
	if s == nil {
		return nil
	}
	var list []Entity
	for _, i := range m.usersByItem()[s.entity()] {
		if e := m.entityOf(i); e != nil {
			list = append(list, e)
		}
	}
	return list
}

// usersByItem returns the items that refer to each item.
func (m *Module) usersByItem() map[uint32][]uint32 {
	m.buildIndex()
	m.lazy.Lock()
	users := m.users
	m.lazy.Unlock()
	if users != nil {
		return users
	}
	users = map[uint32][]uint32{}
	for i := range uint32(len(m.items)) {
		if m.items[i].gone {
			continue
		}
		for _, to := range m.references(i) {
			to &^= hardReference
			// A function may name a symbol plainly and as that of a label.
			if list := users[to]; len(list) == 0 || list[len(list)-1] != i {
				users[to] = append(list, i)
			}
		}
	}
	m.lazy.Lock()
	m.users = users
	m.lazy.Unlock()
	return users
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
			list = append(list, m.symbolOf(i))
		}
	}
	return list
}

// closureOf returns the items of the symbols that some symbols reach.
func (m *Module) closureOf(items []uint32) []uint32 {
	if len(items) == 0 {
		return nil
	}
	var roots []Symbol
	for _, i := range items {
		roots = append(roots, m.symbolOf(i))
	}
	var list []uint32
	for _, s := range m.Closure(roots...) {
		list = append(list, s.entity())
	}
	return list
}

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
	text := m.text(i)
	refs = m.scan(text, i, refs)
	if m.isSymbol(i) {
		s := m.symbolOf(i)
		if strings.Contains(text, "comdat") {
			if c, ok := m.comdats[s.base().comdat()]; ok {
				refs = append(refs, c)
			}
		}
		if f, ok := s.(*Function); ok && f.defined {
			refs = m.scan(f.body.in(m.sources[f.bodySrc]), i, refs)
		}
	}
	if it.kind == itemAlias {
		for k, to := range refs[from:] {
			if m.isSymbol(to) {
				refs[from+k] = to | hardReference
			}
		}
	}
	slices.Sort(refs[from:])
	return refs[:from+len(slices.Compact(refs[from:]))]
}

// symbolOf returns the symbol that an item is.
func (m *Module) symbolOf(i uint32) Symbol { return m.all[m.items[i].index] }

func (m *Module) isSymbol(i uint32) bool {
	switch m.items[i&^hardReference].kind {
	case itemFunction, itemGlobal, itemAlias:
		return true
	}
	return false
}

// nothing is the reference of a text that refers to no item.
const nothing = ^uint32(0)

// scan appends what a text refers to.
func (m *Module) scan(text string, self uint32, refs []uint32) []uint32 {
	last := nothing // the one before: repetition is common
	for pos := 0; pos < len(text); {
		if classes[text[pos]]&classRef == 0 {
			pos++
			continue
		}
		to, end := m.referenceAt(text, pos)
		if end < 0 {
			return refs
		}
		if to != nothing && to != self && to != last {
			refs = append(refs, to)
			last = to
		}
		pos = end
	}
	return refs
}

// referenceAt returns what a text refers to at a place, and where that ends: -1
// when it does not.
func (m *Module) referenceAt(text string, pos int) (to uint32, end int) {
	c := text[pos]
	switch c {
	case '"':
		return nothing, stringEnd(text, pos)
	case ';':
		return nothing, lineEnd(text, pos)
	case '!', '#':
		return m.numberedAt(text, pos)
	}
	end = nameEnd(text, pos+1)
	if end <= pos+1 {
		return nothing, end
	}
	name := plainName(text[pos+1 : end])
	var ok bool
	switch c {
	case '@':
		s := m.symbols[name]
		if s == nil {
			return nothing, end
		}
		to = s.entity()
		if strings.HasSuffix(text[:pos], "blockaddress(") {
			to |= hardReference
		}
		return to, end
	case '%':
		to, ok = m.typeItems[name]
	default:
		to, ok = m.comdats[name]
	}
	if !ok {
		return nothing, end
	}
	return to, end
}

// numberedAt is referenceAt for metadata nodes and attribute groups.
func (m *Module) numberedAt(text string, pos int) (to uint32, end int) {
	end = pos + 1
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	digits := text[pos+1 : end]
	if digits == "" || len(digits) > 10 {
		return nothing, end
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return nothing, end
	}
	var ok bool
	if text[pos] == '!' {
		to, ok = m.nodes.find(uint32(n))
	} else {
		to, ok = m.groups[uint32(n)]
	}
	if !ok {
		return nothing, end
	}
	return to, end
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
