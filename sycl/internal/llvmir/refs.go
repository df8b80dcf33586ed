package llvmir

import (
	"runtime"
	"slices"
	"sync"
)

// An Entity is a part of a module that can be referred to or can refer to others: a *Function,
// *Global, *Alias, *Node or *NamedMetadata.
type Entity interface{ entity() uint32 }

// SymbolUsers returns the functions, variables, aliases and metadata that refer to a symbol
// directly, in file order.
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

// usersByItem returns, for each item, the items that refer to it.
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
			// A function may refer to a symbol both directly and in a label address.
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

// Closure returns the roots and every symbol that they reach through bodies, initial values and
// aliasees, in file order.
func (m *Module) Closure(roots ...Symbol) []Symbol { return m.ClosureUpTo(nil, roots...) }

// ClosureUpTo is [Module.Closure] without the symbols for which stop returns true, unless they are
// roots, and without symbols that only they reach.
func (m *Module) ClosureUpTo(stop func(Symbol) bool, roots ...Symbol) []Symbol {
	m.buildIndex()
	marks := m.newMarks()
	defer m.release(marks)
	for _, s := range roots {
		marks.set(s.entity(), full)
	}
	var list []Symbol
	for k := 0; k < len(marks.list); k++ {
		for _, to := range m.references(marks.list[k]) {
			to &^= hardReference
			if m.isSymbol(to) && !m.items[to].gone && (stop == nil || !stop(m.symbolOf(to))) {
				marks.set(to, full)
			}
		}
	}
	slices.Sort(marks.list)
	for _, i := range marks.list {
		if !m.items[i].gone {
			list = append(list, m.symbolOf(i))
		}
	}
	return list
}

// closureOf returns the items of the symbols that the symbols with the given items reach.
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

// hardReference marks a reference that requires a definition: an aliasee, or a function whose
// label's address is taken.
const hardReference = 1 << 31

// An index maps each item to the items that it refers to. It is built on first use.
type index struct {
	n      int // items that it covers
	chunks []refChunk
}

const itemsPerChunk = 512

// A refChunk holds the references of some items. Item k has the references
// data[offsets[k]:offsets[k+1]].
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
				ix.chunks[k], buffer = m.scanChunk(k, buffer)
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

// scanChunk builds a chunk of the index, using buffer as scratch memory.
func (m *Module) scanChunk(k int, buffer []uint32) (refChunk, []uint32) {
	first, last := k*itemsPerChunk, min((k+1)*itemsPerChunk, len(m.items))
	chunk := refChunk{offsets: make([]uint32, 0, last-first+1)}
	buffer = buffer[:0]
	for i := first; i < last; i++ {
		chunk.offsets = append(chunk.offsets, uint32(len(buffer)))
		buffer = m.scanItem(uint32(i), buffer)
	}
	chunk.offsets = append(chunk.offsets, uint32(len(buffer)))
	chunk.data = slices.Clone(buffer)
	return chunk, buffer
}

// references returns the items that an item refers to, sorted, except itself.
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
		m.freshRead = true
		m.lazy.Unlock()
	}
	return refs
}

// forget discards the cached references that depend on names.
func (m *Module) forget() {
	m.lazy.Lock()
	if m.freshRead { // without this condition, adding many symbols would take quadratic time
		for i := range m.fresh {
			m.fresh[i] = nil
		}
		m.freshRead = false
	}
	m.users, m.lists = nil, nil
	m.lazy.Unlock()
}
