package llvmir

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// A Layout computes the memory layout of types from a module's data layout and LLVM's defaults. It
// is not safe for concurrent use.
type Layout struct {
	ints, floats, vectors []alignment // by bits, ascending
	pointers              map[int]pointerLayout
	aggregate             uint64 // the minimum alignment of structs that are not packed
	sizes                 map[*Type]Size
	structs               map[*Type][]uint64
}

// An alignment is the alignment of values with a number of bits.
type alignment struct{ bits, align uint64 }

type pointerLayout struct{ size, align uint64 } // in bytes

// A Size is the size of a type in memory, in bytes.
type Size struct {
	Store uint64 // bytes that a store writes
	Alloc uint64 // from one element of an array to the next
	Align uint64
}

// Layout returns the layout of the module's target.
func (m *Module) Layout() (*Layout, error) { return newLayout(m.target("datalayout")) }

// newLayout parses a data layout.
func newLayout(text string) (*Layout, error) {
	l := &Layout{
		ints:     []alignment{{1, 1}, {8, 1}, {16, 2}, {32, 4}, {64, 4}},
		floats:   []alignment{{16, 2}, {32, 4}, {64, 8}, {128, 16}},
		vectors:  []alignment{{64, 8}, {128, 16}},
		pointers: map[int]pointerLayout{0: {8, 8}},
		// An alignment of 0 counts as 1.
		aggregate: 1,
		sizes:     map[*Type]Size{},
		structs:   map[*Type][]uint64{},
	}
	if text == "" {
		return l, nil
	}
	for part := range strings.SplitSeq(text, "-") {
		if err := l.part(part); err != nil {
			return nil, fmt.Errorf("the data layout's part '%s': %w", part, err)
		}
	}
	return l, nil
}

var errLayoutPart = errors.New("expected a number of bits and an alignment")

// part parses a part of a data layout such as v96:128. It ignores parts unrelated to sizes and
// alignments.
func (l *Layout) part(text string) error {
	if text == "" {
		return errors.New("it is empty")
	}
	words := strings.Split(text[1:], ":")
	switch text[0] {
	case 'E':
		return errors.New("big-endian data layouts are not supported")
	case 'i', 'f', 'v', 'a':
		return l.alignmentPart(text[0], words)
	case 'p':
		return l.pointerPart(words)
	}
	return nil
}

// alignmentPart parses the bits and the alignment of a kind of types.
func (l *Layout) alignmentPart(kind byte, words []string) error {
	if kind == 'a' && words[0] == "" {
		words[0] = "0"
	}
	if len(words) < 2 {
		return errLayoutPart
	}
	size, err := strconv.ParseUint(words[0], 10, 24)
	if err != nil {
		return errLayoutPart
	}
	align, ok := alignmentOf(words[1])
	if !ok {
		return errLayoutPart
	}
	if kind == 'a' {
		l.aggregate = align
		return nil
	}
	list := map[byte]*[]alignment{'i': &l.ints, 'f': &l.floats, 'v': &l.vectors}[kind]
	i, found := slices.BinarySearchFunc(*list, size, func(a alignment, bits uint64) int { return int(a.bits) - int(bits) })
	if found {
		(*list)[i].align = align
	} else {
		*list = slices.Insert(*list, i, alignment{size, align})
	}
	return nil
}

// pointerPart reads the address space, the bits and the alignment of pointers. A letter before the
// address space specifies further properties.
func (l *Layout) pointerPart(words []string) error {
	space := 0
	if digits := strings.TrimLeft(words[0], "abcdefghijklmnopqrstuvwxyz"); digits != "" {
		n, err := strconv.ParseUint(digits, 10, 24)
		if err != nil {
			return errLayoutPart
		}
		space = int(n)
	}
	if len(words) < 3 {
		return errLayoutPart
	}
	size, err := strconv.ParseUint(words[1], 10, 24)
	align, ok := alignmentOf(words[2])
	if err != nil || !ok || size == 0 {
		return errLayoutPart
	}
	l.pointers[space] = pointerLayout{(size + 7) / 8, align}
	return nil
}

// alignmentOf parses an alignment in bits, which must be a power of two in bytes, and returns it in
// bytes.
func alignmentOf(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n%8 != 0 {
		return 0, false
	}
	if n == 0 {
		return 1, true
	}
	return n / 8, bits.OnesCount64(n) == 1
}

// mostMemory limits the sizes of types, so that sums of sizes do not overflow.
const mostMemory = 1 << 48

// Size returns the size of a type in memory.
func (l *Layout) Size(t *Type) (Size, error) { return l.size(t, 0) }

// unfinished is the size of a struct whose fields are being processed.
var unfinished = Size{}

// deepestLayout limits the nesting of classes.
const deepestLayout = 1000

func (l *Layout) size(t *Type, depth int) (Size, error) {
	if t == nil {
		return Size{}, errors.New("unreadable type")
	}
	if s, ok := l.sizes[t]; ok {
		if s == unfinished {
			return Size{}, fmt.Errorf("the type %s contains itself", t)
		}
		return s, nil
	}
	if depth > deepestLayout {
		return Size{}, fmt.Errorf("the type %s is nested too deeply (limit %d)", t, deepestLayout)
	}
	l.sizes[t] = unfinished
	s, err := l.compute(t, depth)
	if err == nil && (s.Store > mostMemory || s.Alloc > mostMemory) {
		err = fmt.Errorf("the type %s is too large", t)
	}
	if err != nil {
		delete(l.sizes, t)
		return Size{}, err
	}
	l.sizes[t] = s
	return s, nil
}

func (l *Layout) compute(t *Type, depth int) (Size, error) {
	switch t.kind {
	case Int:
		store := uint64(t.bits+7) / 8
		return sizeOf(store, integerAlignment(l.ints, uint64(t.bits))), nil
	case Half, BFloat, Float, Double, X86FP80, FP128, PPCFP128:
		store := uint64(t.bits+7) / 8
		return sizeOf(store, exactAlignment(l.floats, uint64(t.bits), store)), nil
	case Pointer:
		p, ok := l.pointers[t.space]
		if !ok {
			p = l.pointers[0]
		}
		return sizeOf(p.size, p.align), nil
	case Vector:
		return l.vectorSize(t, depth)
	case Array:
		e, err := l.size(t.elem, depth+1)
		if err != nil {
			return Size{}, err
		}
		n := t.length
		if e.Alloc > 0 && n > mostMemory/e.Alloc {
			return Size{}, fmt.Errorf("the type %s is too large", t)
		}
		return Size{n * e.Alloc, n * e.Alloc, e.Align}, nil
	case Named:
		body := t.Body()
		if body == nil {
			return Size{}, fmt.Errorf("the type %s is not defined", t)
		}
		return l.size(body, depth+1)
	case Struct:
		return l.structSize(t, depth)
	case Target:
		if strings.HasPrefix(t.name, "spirv.") && t.name != "spirv.Padding" && t.name != "spirv.Type" {
			p := l.pointers[0] // a handle
			return sizeOf(p.size, p.align), nil
		}
	}
	return Size{}, fmt.Errorf("the type %s has no size", t)
}

func (l *Layout) vectorSize(t *Type, depth int) (Size, error) {
	if t.scalable {
		return Size{}, fmt.Errorf("unknown size of type %s", t)
	}
	e, err := l.size(t.elem, depth+1)
	if err != nil {
		return Size{}, err
	}
	width := uint64(t.elem.bits)
	if width == 0 {
		width = 8 * e.Store
	}
	if width == 0 {
		return Size{}, fmt.Errorf("the type %s has elements without a size", t)
	}
	if t.length > mostMemory/width {
		return Size{}, fmt.Errorf("the type %s is too large", t)
	}
	store := (t.length*width + 7) / 8
	return sizeOf(store, exactAlignment(l.vectors, t.length*width, store)), nil
}

// structSize returns the size of a struct and records the offsets of its fields.
func (l *Layout) structSize(t *Type, depth int) (Size, error) {
	align, end := uint64(1), uint64(0)
	if !t.packed {
		align = l.aggregate
	}
	offsets := make([]uint64, len(t.fields))
	for i, f := range t.fields {
		s, err := l.size(f, depth+1)
		if err != nil {
			return Size{}, err
		}
		if !t.packed {
			align = max(align, s.Align)
			end = alignTo(end, s.Align)
		}
		offsets[i] = end
		if end += s.Alloc; end > mostMemory {
			return Size{}, fmt.Errorf("the type %s is too large", t)
		}
	}
	l.structs[t] = offsets
	end = alignTo(end, align)
	return Size{end, end, align}, nil
}

// Offsets returns the offsets of the fields of a struct, in bytes. The list must not be modified.
func (l *Layout) Offsets(t *Type) ([]uint64, error) {
	if _, err := l.Size(t); err != nil {
		return nil, err
	}
	body := t.Body()
	if body.kind != Struct {
		return nil, fmt.Errorf("the type %s is not a struct", t)
	}
	return l.structs[body], nil
}

// sizeOf returns the size of a type with the given store size.
func sizeOf(store, align uint64) Size { return Size{store, alignTo(store, align), align} }

// alignTo rounds an offset up to an alignment.
func alignTo(at, align uint64) uint64 { return (at + align - 1) &^ (align - 1) }

// integerAlignment returns the alignment of an integer: the alignment of the smallest integer in
// list that is not smaller, or else of the largest integer.
func integerAlignment(list []alignment, bits uint64) uint64 {
	for _, a := range list {
		if a.bits >= bits {
			return a.align
		}
	}
	return list[len(list)-1].align
}

// exactAlignment returns the alignment of values with exactly that many bits. It defaults to the
// smallest power of two that can hold them.
func exactAlignment(list []alignment, width, store uint64) uint64 {
	for _, a := range list {
		if a.bits == width {
			return a.align
		}
	}
	if store <= 1 {
		return 1
	}
	return 1 << bits.Len64(store-1)
}
