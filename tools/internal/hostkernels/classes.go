package hostkernels

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// A class is a type in the host code.
type class struct {
	size, align int64
	empty       bool

	hasLambdas bool      // whether it is a lambda or contains lambdas
	members    []*member // only if hasLambdas is true
	element    *class    // of an array of such classes

	line, column int64 // of a lambda, or of a macro for it
}

// A member is a member or base of a class.
type member struct {
	name   string // name of the captured variable, "" for a base
	offset int64
	class  *class
}

// Limits on the debugging information.
const (
	maxMembers = 1000
	maxBytes   = 1 << 20 // size of a kernel
)

var errShape = errors.New("debugging information in an unknown format")

// A reader reads classes in debugging information.
type reader struct {
	*dwarf.Reader
	classes map[dwarf.Offset]*class // nil while a class is read, and for unreadable classes
}

// readClasses returns the classes of the kernels that an object file submits, by symbol.
func readClasses(r io.ReaderAt, submitted []Kernel) (map[string]*class, error) {
	data, local, err := debugInfo(r)
	if err != nil {
		return nil, err
	}
	n := &naming{
		reader: &reader{data.Reader(), make(map[dwarf.Offset]*class)},
		local:  local, keys: make(map[dwarf.Offset]dwarf.Offset), types: make(map[dwarf.Offset]dwarf.Offset),
		hereVariables: make(map[dwarf.Offset]dwarf.Offset), symbols: make(map[string]dwarf.Offset),
	}
	if err := n.readAll(); err != nil {
		return nil, err
	}
	classes := make(map[string]*class)
	for _, k := range submitted {
		if of, ok := n.types[n.keys[n.symbols[k.symbol]]]; ok && k.symbol != "" {
			classes[k.symbol] = n.class(of, 0)
		}
	}
	return classes, nil
}

// debugInfo returns the debugging information of an object file. It also returns the local symbols
// of kernels by address, because the debugging information does not contain their names.
func debugInfo(r io.ReaderAt) (data *dwarf.Data, local map[uint64]string, err error) {
	file, err := elf.NewFile(r)
	if err != nil {
		return nil, nil, err
	}
	if len(file.Sections) >= int(elf.SHN_LORESERVE) {
		if file, err = withSections(r, file); err != nil {
			return nil, nil, err
		}
	}
	if data, err = file.DWARF(); err != nil {
		return nil, nil, err
	}
	symbols, err := file.Symbols()
	if err != nil {
		return nil, nil, err
	}
	local = make(map[uint64]string)
	for _, s := range symbols {
		if elf.ST_BIND(s.Info) == elf.STB_LOCAL && strings.HasPrefix(s.Name, "_ZN10rules_sycl9SubmittedI") {
			if _, twice := local[s.Value]; twice {
				s.Name = ""
			}
			local[s.Value] = s.Name
		}
	}
	return data, local, nil
}

// A naming maps kernels to classes. For each kernel, the headers of rules/dpcpp/host instantiate a
// class Submitted<K, …>, which has the symbol, and a class KernelWrapper<…, K, Type, …>.
type naming struct {
	*reader
	local         map[uint64]string             // symbols by address
	parents       []*dwarf.Entry                // parents of the current entry
	keys          map[dwarf.Offset]dwarf.Offset // K of a class Submitted
	types         map[dwarf.Offset]dwarf.Offset // Type by K
	hereVariables map[dwarf.Offset]dwarf.Offset // the class Submitted of a variable 'here'
	symbols       map[string]dwarf.Offset       // the class Submitted
}

// readAll reads all debugging information.
func (n *naming) readAll() error {
	for {
		e, err := n.Next()
		switch {
		case err != nil:
			return err
		case e == nil:
			return nil
		case e.Tag == 0 && len(n.parents) == 0:
			return errShape
		case e.Tag == 0:
			n.parents = n.parents[:len(n.parents)-1]
			continue
		}
		n.process(e)
		if e.Children {
			n.parents = append(n.parents, e)
		}
	}
}

// process records the names in an entry.
func (n *naming) process(e *dwarf.Entry) {
	switch e.Tag {
	case dwarf.TagTemplateTypeParameter:
		switch name, of := text(e, dwarf.AttrName), offset(e, dwarf.AttrType); {
		case name == "K" && (n.inClass("Submitted<") || n.inClass("KernelWrapper<")):
			n.keys[n.parent()] = of
		case name == "Type" && n.inClass("KernelWrapper<"):
			if _, twice := n.types[n.keys[n.parent()]]; !twice {
				n.types[n.keys[n.parent()]] = of
			}
		}
	case dwarf.TagVariable, dwarf.TagMember:
		if n.inClass("Submitted<") {
			n.hereVariables[e.Offset] = n.parent()
			n.symbols[text(e, dwarf.AttrLinkageName)] = n.parent()
		} else if here, ok := n.hereVariables[offset(e, dwarf.AttrSpecification)]; ok {
			at, _ := e.Val(dwarf.AttrLocation).([]byte)
			if len(at) == 9 { // DW_OP_addr
				n.symbols[n.local[binary.LittleEndian.Uint64(at[1:])]] = here
			}
		}
	}
}

// inClass reports whether the current entry is in a class whose name starts with name.
func (n *naming) inClass(name string) bool {
	return len(n.parents) > 0 && strings.HasPrefix(text(n.parents[len(n.parents)-1], dwarf.AttrName), name)
}

// parent returns the class that contains the current entry.
func (n *naming) parent() dwarf.Offset { return n.parents[len(n.parents)-1].Offset }

// A patched is a file with replaced bytes.
type patched struct {
	io.ReaderAt
	at   int64
	data []byte
}

func (p patched) ReadAt(b []byte, off int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(b, off)
	if first, end := max(off, p.at), min(off+int64(n), p.at+int64(len(p.data))); first < end {
		copy(b[first-off:end-off], p.data[first-p.at:])
	}
	return n, err
}

// withSections returns an object file in which all section numbers of symbols fit in 16 bits,
// because package elf does not apply relocations to symbols with larger numbers. The number itself
// does not matter to package elf.
func withSections(r io.ReaderAt, file *elf.File) (*elf.File, error) {
	symtab := file.SectionByType(elf.SHT_SYMTAB)
	if symtab == nil || file.Class != elf.ELFCLASS64 {
		return file, nil
	}
	data, err := symtab.Data()
	if err != nil {
		return nil, err
	}
	for at := 0; at+elf.Sym64Size <= len(data); at += elf.Sym64Size {
		if section := data[at+6 : at+8]; file.ByteOrder.Uint16(section) == uint16(elf.SHN_XINDEX) {
			file.ByteOrder.PutUint16(section, 1)
		}
	}
	return elf.NewFile(patched{r, int64(symtab.Offset), data})
}

func text(e *dwarf.Entry, a dwarf.Attr) string {
	s, _ := e.Val(a).(string)
	return s
}

// number returns the value of an attribute, or -1 if there is none.
func number(e *dwarf.Entry, a dwarf.Attr) int64 {
	if n, ok := e.Val(a).(int64); ok {
		return n
	}
	return -1
}

func offset(e *dwarf.Entry, a dwarf.Attr) dwarf.Offset {
	o, _ := e.Val(a).(dwarf.Offset)
	return o
}

// entry returns the entry at an offset and its children, or nil if there is none.
func (t *reader) entry(at dwarf.Offset) (e *dwarf.Entry, children []*dwarf.Entry) {
	t.Seek(at)
	e, err := t.Next()
	if err != nil || e == nil {
		return nil, nil
	}
	for last := at; e.Children; {
		child, err := t.Next()
		if err != nil || child == nil || child.Tag == 0 || child.Offset <= last {
			break
		}
		last = child.Offset
		children = append(children, child)
		t.SkipChildren()
	}
	return e, children
}

// class returns the class at an offset, or nil if it is unreadable.
func (t *reader) class(at dwarf.Offset, depth int) *class {
	if c, ok := t.classes[at]; ok || depth > 100 {
		return c
	}
	t.classes[at] = nil // makes a class that contains itself unreadable
	c := t.read(at, depth+1)
	if c == nil || c.size < 0 || c.size > maxBytes || c.align < 1 || c.align > maxBytes || c.align&(c.align-1) != 0 || len(c.members) > maxMembers {
		return nil
	}
	t.classes[at] = c
	return c
}

func (t *reader) read(at dwarf.Offset, depth int) *class {
	e, children := t.entry(at)
	if e == nil {
		return nil
	}
	size, align := number(e, dwarf.AttrByteSize), number(e, dwarf.AttrAlignment)
	switch e.Tag {
	case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagTypedef:
		c := t.class(offset(e, dwarf.AttrType), depth)
		if c != nil && align > c.align {
			aligned := *c
			aligned.align = align
			return &aligned
		}
		return c
	case dwarf.TagBaseType, dwarf.TagEnumerationType, dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		own := size
		if e.Tag == dwarf.TagBaseType && number(e, dwarf.AttrEncoding) == complexFloat {
			own = size / 2
		}
		return &class{size: size, align: max(align, own)}
	case dwarf.TagUnspecifiedType, dwarf.TagPtrToMemberType: // std::nullptr_t and pointers to members, whose sizes are not listed
		size := int64(pointerSize)
		if of, _ := t.entry(offset(e, dwarf.AttrType)); of != nil && of.Tag == dwarf.TagSubroutineType {
			size *= 2
		}
		return &class{size: size, align: pointerSize}
	case dwarf.TagArrayType:
		return t.readArray(e, children, align, depth)
	case dwarf.TagClassType, dwarf.TagStructType, dwarf.TagUnionType:
		return t.readClass(e, children, size, max(align, 1), depth)
	}
	return nil
}

// readArray reads an array or a vector.
func (t *reader) readArray(e *dwarf.Entry, children []*dwarf.Entry, align int64, depth int) *class {
	element := t.class(offset(e, dwarf.AttrType), depth)
	if element == nil {
		return nil
	}
	c := &class{size: element.size, align: max(align, element.align), empty: element.empty}
	for _, child := range children {
		if count := number(child, dwarf.AttrCount); count >= 0 && count <= maxBytes {
			c.size *= count
		} else if last := number(child, dwarf.AttrUpperBound); last >= -1 && last < maxBytes {
			c.size *= last + 1
		}
		if c.size > maxBytes {
			return nil
		}
	}
	if vector, _ := e.Val(dwarf.Attr(0x2107)).(bool); vector { // DW_AT_GNU_vector
		c.align = max(c.align, c.size)
	}
	if c.hasLambdas = element.hasLambdas; c.hasLambdas {
		c.element = element
	}
	return c
}

// readClass reads a class or a union with its members and bases.
func (t *reader) readClass(e *dwarf.Entry, children []*dwarf.Entry, size, align int64, depth int) *class {
	lambda, isPacked := isLambda(e, children), false
	c := &class{size: size, align: align, empty: size == 1, hasLambdas: lambda}
	c.line, c.column = number(e, dwarf.AttrDeclLine), number(e, dwarf.AttrDeclColumn)
	for _, child := range children {
		static, _ := child.Val(dwarf.AttrDeclaration).(bool)
		if child.Tag != dwarf.TagInheritance && (child.Tag != dwarf.TagMember || static) {
			continue
		}
		m := &member{text(child, dwarf.AttrName), number(child, dwarf.AttrDataMemberLoc), t.class(offset(child, dwarf.AttrType), depth)}
		if lambda {
			m.name = strings.TrimPrefix(m.name, "__")
		}
		if m.class == nil {
			return nil
		}
		if bits, at := number(child, dwarf.AttrBitSize), number(child, dwarf.AttrDataBitOffset); bits > 0 && at >= 0 {
			m.offset, m.class = at/8, &class{size: (at%8 + bits + 7) / 8, align: m.class.align}
		}
		isPacked = isPacked || m.offset%m.class.align != 0
		c.align = max(c.align, m.class.align)
		c.hasLambdas = c.hasLambdas || m.class.hasLambdas && e.Tag != dwarf.TagUnionType
		c.empty = c.empty && child.Tag == dwarf.TagInheritance && m.class.empty
		c.members = append(c.members, m)
	}
	if isPacked || size%c.align != 0 {
		c.align = align
	}
	if !c.hasLambdas {
		c.members = nil
	}
	return c
}

// isLambda reports whether a class is a lambda: it has no name or is named <lambda...>, and has a
// call operator or only members that g++ names like captures. A generic lambda has no call operator
// if the host code does not call it.
func isLambda(e *dwarf.Entry, children []*dwarf.Entry) bool {
	if name := text(e, dwarf.AttrName); e.Tag == dwarf.TagUnionType || name != "" && !strings.HasPrefix(name, "<lambda") {
		return false
	}
	members, captures := 0, 0
	for _, child := range children {
		switch name := text(child, dwarf.AttrName); {
		case child.Tag == dwarf.TagSubprogram && strings.HasPrefix(name, "operator()"):
			return true
		case child.Tag == dwarf.TagMember:
			members++
			if strings.HasPrefix(name, "__") {
				captures++
			}
		}
	}
	return members > 0 && captures == members
}

const (
	pointerSize  = 8
	complexFloat = 3 // DW_ATE_complex_float
)
