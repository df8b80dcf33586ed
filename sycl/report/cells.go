package report

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/compat"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// Nearly all of a report are its cells, which say the same again and again, and
// then its images and kernels. reader reads these in one pass and gives up on
// everything unusual: the decoder of encoding/json, which is twenty times slower,
// then reads the report or finds the fault.

// reader reads JSON. Its methods report whether what they read was there.
type reader struct {
	data     []byte
	i        int // of the next byte
	elements int // of lists, up to now
	last     Cell
	escapes  bool     // whether strings may differ from their bytes
	devices  []string // of the first kernel, which others have in the same order
	column   int
	names    map[string]string
	raw      []byte   // of the last reasons
	list     []Reason // the last reasons
}

// lists reads the three long lists of a report into it. It returns the rest of
// the report, in which they are empty. The bytes of the rest are not looked at.
func (p *reader) lists(r *Report) (rest []byte, ok bool) {
	if !p.skip('{') {
		return nil, false
	}
	copied := 0
	for has := 0; ; {
		if !p.skip('"') {
			return nil, false
		}
		start := p.i
		if !p.plain() {
			return nil, false
		}
		name := string(p.data[start : p.i-1])
		if !p.skip(':') {
			return nil, false
		}
		p.space()
		start = p.i
		member := 0
		switch name {
		case "cells":
			member, ok = 1, p.cells(&r.Cells)
		case "images":
			member, ok = 2, readList(p, &r.Images, (*reader).image)
		case "kernels":
			member, ok = 4, readList(p, &r.Kernels, (*reader).kernel)
		default:
			ok = p.value()
		}
		if !ok || has&member != 0 {
			return nil, false
		}
		has |= member
		if member != 0 {
			rest = append(append(rest, p.data[copied:start]...), "[]"...)
			copied = p.i
		}
		if p.skip(',') {
			continue
		}
		return append(rest, p.data[copied:]...), has == 7 && p.skip('}')
	}
}

// cells reads the cells, into the memory of those that are there.
func (p *reader) cells(to *[]Cell) bool {
	list := (*to)[:0]
	if !p.skip('[') {
		return false
	}
	if p.skip(']') {
		*to = []Cell{}
		return true
	}
	const least = 256 // bytes of a cell that Encode writes
	list = slices.Grow(list, len(p.data)/least)
	for len(list) < maxCells {
		list = append(list, Cell{})
		if !p.cell(&list[len(list)-1]) {
			return false
		}
		if p.literal(",\n    ") {
			continue
		}
		if p.skip(']') {
			*to = list
			return true
		}
		if !p.skip(',') {
			return false
		}
	}
	return false
}

// readList reads a list.
func readList[T any](p *reader, to *[]T, read func(*reader, *T) bool) bool {
	list := []T{}
	if !p.skip('[') {
		return false
	}
	if p.skip(']') {
		*to = list
		return true
	}
	for len(list) < maxListed {
		if p.elements++; p.elements > maxElements {
			return false
		}
		var v T
		if !read(p, &v) {
			return false
		}
		list = append(list, v)
		if p.skip(']') {
			*to = list
			return true
		}
		if !p.skip(',') {
			return false
		}
	}
	return false
}

// members reads an object. One is called after the name of a member and returns
// the bit of the member, 0 when there is no such member or not what it should be.
func (p *reader) members(one func() int) bool {
	if !p.skip('{') {
		return false
	}
	for has := 0; ; {
		if !p.skip('"') {
			return false
		}
		member := one()
		if member == 0 || has&member != 0 {
			return false
		}
		has |= member
		if p.skip('}') {
			return true
		}
		if !p.skip(',') {
			return false
		}
	}
}

// bit returns a bit when what was read was there.
func bit(n int, ok bool) int {
	if !ok {
		return 0
	}
	return 1 << n
}

func (p *reader) image(i *Image) bool {
	return p.members(func() int {
		switch {
		case p.literal(`architecture":`):
			return bit(0, p.text(&i.Architecture, ""))
		case p.literal(`compile-target":`):
			return bit(1, p.text(&i.CompileTarget, ""))
		case p.literal(`digest":`):
			return bit(2, p.own(&i.Digest))
		case p.literal(`esimd":`):
			return bit(3, p.boolean(&i.ESIMD))
		case p.literal(`fixed-targets":`):
			return bit(4, readList(p, &i.FixedTargets, (*reader).string))
		case p.literal(`format":`):
			return bit(5, p.text(&i.Format, ""))
		case p.literal(`id":`):
			return bit(6, p.text(&i.ID, ""))
		case p.literal(`requirements":`):
			return bit(7, p.requirements(&i.Requirements))
		case p.literal(`size":`):
			var size uint64
			ok := p.number(&size, math.MaxInt64)
			i.Size = int64(size)
			return bit(8, ok)
		case p.literal(`triple":`):
			return bit(9, p.text(&i.Triple, ""))
		case p.literal(`unknown-properties":`):
			return bit(10, readList(p, &i.Unknown, (*reader).string))
		}
		return 0
	})
}

func (p *reader) requirements(r *Requirements) bool {
	return p.members(func() int {
		switch {
		case p.literal(`aspects":`):
			return bit(0, readList(p, &r.Aspects, (*reader).aspect))
		case p.literal(`joint-matrix":`):
			return bit(1, readList(p, &r.JointMatrix, (*reader).string))
		case p.literal(`joint-matrix-mad":`):
			return bit(2, readList(p, &r.JointMad, (*reader).string))
		case p.literal(`reqd-sub-group-sizes":`):
			return bit(3, readList(p, &r.SubGroupSizes, (*reader).uint32))
		case p.literal(`reqd-work-group-size":`):
			return bit(4, readList(p, &r.WorkGroupSize, (*reader).uint64))
		case p.literal(`work-group-num-dim":`):
			return bit(5, p.uint32(&r.WorkGroupDims))
		}
		return 0
	})
}

func (p *reader) aspect(a *aspect.Named) bool {
	return p.members(func() int {
		switch {
		case p.literal(`name":`):
			return bit(0, p.text(&a.Name, ""))
		case p.literal(`value":`):
			return bit(1, p.uint32(&a.Value))
		}
		return 0
	})
}

func (p *reader) kernel(k *Kernel) bool {
	return p.members(func() int {
		switch {
		case p.literal(`display-name":`):
			return bit(0, p.own(&k.DisplayName))
		case p.literal(`id":`):
			return bit(1, p.text(&k.ID, ""))
		case p.literal(`images":`):
			return bit(2, readList(p, &k.Images, (*reader).string))
		case p.literal(`location":`):
			return bit(3, p.location(&k.Location))
		case p.literal(`name":`):
			return bit(4, p.own(&k.Name))
		case p.literal(`requirement-origin":`):
			return bit(5, readList(p, &k.Origins, (*reader).origin))
		}
		return 0
	})
}

func (p *reader) location(l *srcloc.Location) bool {
	return p.members(func() int {
		switch {
		case p.literal(`column":`):
			return bit(0, p.uint32(&l.Column))
		case p.literal(`line":`):
			return bit(1, p.uint32(&l.Line))
		case p.literal(`path":`):
			return bit(2, p.text(&l.Path, ""))
		}
		return 0
	})
}

func (p *reader) origin(o *srcloc.Origin) bool {
	return p.members(func() int {
		switch {
		case p.literal(`aspect":`):
			return bit(0, p.aspect(&o.Aspect))
		case p.literal(`function":`):
			return bit(1, p.text(&o.Function, ""))
		case p.literal(`location":`):
			return bit(2, p.location(&o.Location))
		}
		return 0
	})
}

func (p *reader) string(to *string) bool { return p.text(to, "") }

func (p *reader) uint64(to *uint64) bool { return p.number(to, math.MaxUint64) }

func (p *reader) uint32(to *uint32) bool {
	var n uint64
	ok := p.number(&n, math.MaxUint32)
	*to = uint32(n)
	return ok
}

// number reads a number of digits alone.
func (p *reader) number(to *uint64, most uint64) bool {
	p.space()
	start := p.i
	for p.i < len(p.data) && '0' <= p.data[p.i] && p.data[p.i] <= '9' {
		p.i++
	}
	digits := p.data[start:p.i]
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' || p.i < len(p.data) && bytes.IndexByte([]byte(".eE"), p.data[p.i]) >= 0 {
		return false
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	*to = n
	return err == nil && n <= most
}

func (p *reader) boolean(to *bool) bool {
	p.space()
	*to = p.literal("true")
	return *to || p.literal("false")
}

// plain skips the rest of a string without escapes.
func (p *reader) plain() bool {
	n := bytes.IndexByte(p.data[p.i:], '"')
	if n < 0 || bytes.IndexByte(p.data[p.i:p.i+n], '\\') >= 0 {
		return false
	}
	p.i += n + 1
	return true
}

// value skips a value up to the comma or the bracket after it.
func (p *reader) value() bool {
	for depth := 0; p.i < len(p.data); p.i++ {
		switch p.data[p.i] {
		case '"':
			for p.i++; p.i < len(p.data) && p.data[p.i] != '"'; p.i++ {
				if p.data[p.i] == '\\' {
					p.i++
				}
			}
		case '[', '{':
			depth++
		case ',':
			if depth == 0 {
				return true
			}
		case ']', '}':
			if depth == 0 {
				return true
			}
			depth--
		}
	}
	return false
}

// space skips white space.
func (p *reader) space() {
	for p.i < len(p.data) {
		switch p.data[p.i] {
		case ' ', '\n', '\r', '\t':
			p.i++
		default:
			return
		}
	}
}

// skip skips white space and the byte.
func (p *reader) skip(b byte) bool {
	if p.i < len(p.data) && p.data[p.i] == b {
		p.i++
		return true
	}
	p.space()
	if p.i < len(p.data) && p.data[p.i] == b {
		p.i++
		return true
	}
	return false
}

// literal skips the text.
func (p *reader) literal(s string) bool {
	if end := p.i + len(s); end <= len(p.data) && string(p.data[p.i:end]) == s {
		p.i = end
		return true
	}
	return false
}

// text reads a string. Likely is one that it may well be.
func (p *reader) text(to *string, likely string) bool {
	if !p.literal(` "`) && !p.skip('"') {
		return false
	}
	if end := p.i + len(likely); !p.escapes && end < len(p.data) && p.data[end] == '"' && string(p.data[p.i:end]) == likely {
		p.i = end + 1
		*to = likely
		return true
	}
	start := p.i
	for plain := true; p.i < len(p.data); p.i++ {
		switch b := p.data[p.i]; {
		case b == '"' && p.i-start > maxText:
			return false
		case b == '"' && plain:
			*to = p.name(p.data[start:p.i])
			p.i++
			return true
		case b == '"':
			p.i++
			p.escapes = true
			return json.Unmarshal(p.data[start-1:p.i], to) == nil
		case b == '\\':
			plain = false
			p.i++
		case b < ' ':
			return false
		}
	}
	return false
}

// own reads a string that does not occur again.
func (p *reader) own(to *string) bool {
	if !p.skip('"') {
		return false
	}
	start := p.i
	if n := bytes.IndexByte(p.data[start:], '"'); 0 <= n && n <= maxText && !slices.ContainsFunc(p.data[start:start+n], func(b byte) bool { return b < ' ' || b == '\\' }) {
		p.i += n + 1
		*to = string(p.data[start : start+n])
		return true
	}
	p.i--
	return p.text(to, "")
}

// name returns bytes as a string, the same one for the same bytes.
func (p *reader) name(b []byte) string {
	if s, ok := p.names[string(b)]; ok {
		return s
	}
	s := string(b)
	const most = 1 << 16
	if len(p.names) < most {
		p.names[s] = s
	}
	return s
}

// Members of a cell.
const (
	hasDevice = 1 << iota
	hasHolds
	hasImage
	hasKernel
	hasReasons
	hasScope
	hasStatus
)

func (p *reader) cell(c *Cell) bool {
	if !p.skip('{') {
		return false
	}
	p.literal("\n      ") // as Encode writes; anything else is found the slow way
	for has := 0; ; {
		if !p.skip('"') {
			return false
		}
		member, ok := 0, false
		switch {
		case p.literal(`device":`):
			member, ok = hasDevice, p.text(&c.Device, p.likelyDevice())
		case p.literal(`holds":`):
			member, ok = hasHolds, p.text((*string)(&c.Holds), string(p.last.Holds))
		case p.literal(`image":`):
			member, ok = hasImage, p.text(&c.Image, p.last.Image)
		case p.literal(`kernel":`):
			member, ok = hasKernel, p.text(&c.Kernel, p.last.Kernel)
		case p.literal(`reasons":`):
			member, ok = hasReasons, p.reasonList(&c.Reasons)
		case p.literal(`scope":`):
			member, ok = hasScope, p.text((*string)(&c.Scope), string(p.last.Scope))
		case p.literal(`status":`):
			member, ok = hasStatus, p.verdict(&c.Verdict)
		}
		if !ok || has&member != 0 {
			return false
		}
		has |= member
		if p.literal(",\n      ") {
			continue
		}
		if p.literal("\n    }") || p.skip('}') {
			p.learnDevice(c)
			p.last = *c
			return true
		}
		if !p.skip(',') {
			return false
		}
	}
}

// likelyDevice returns the device that the next cell is about in a report whose
// cells are in order: that after the device of the last one, or the first.
func (p *reader) likelyDevice() string {
	if len(p.devices) == 0 {
		return ""
	}
	return p.devices[p.column%len(p.devices)]
}

func (p *reader) learnDevice(c *Cell) {
	if p.column == len(p.devices) && (p.last.Kernel == c.Kernel || p.column == 0) {
		p.devices = append(p.devices, c.Device)
	}
	p.column++
}

// reasonList reads a list of reasons. Cells with the same reasons share them.
func (p *reader) reasonList(to *[]Reason) bool {
	p.space()
	start := p.i
	if len(p.raw) > 0 && bytes.HasPrefix(p.data[start:], p.raw) {
		*to = p.list
		p.i += len(p.raw)
		return true
	}
	if !readList(p, &p.list, (*reader).reason) {
		return false
	}
	p.raw = p.data[start:p.i]
	*to = p.list
	return true
}

// verdict reads the name of a verdict.
func (p *reader) verdict(to *compat.Verdict) bool {
	if !p.literal(` "`) && !p.skip('"') {
		return false
	}
	for _, v := range compat.Verdicts {
		if p.literal(quotedEnds[v]) {
			*to = v
			return true
		}
	}
	return false
}

// quotedEnds has the rest of a verdict after the opening quotation mark.
var quotedEnds = func() (ends [compat.Incompatible + 1]string) {
	for _, v := range compat.Verdicts {
		ends[v] = v.String() + `"`
	}
	return ends
}()

func (p *reader) reason(r *Reason) bool {
	return p.members(func() int {
		switch {
		case p.literal(`available":`):
			return bit(0, p.text(&r.Available, ""))
		case p.literal(`property":`):
			return bit(1, p.text(&r.Property, ""))
		case p.literal(`required":`):
			return bit(2, p.text(&r.Required, ""))
		case p.literal(`rule":`):
			return bit(3, p.text(&r.Rule, ""))
		case p.literal(`status":`):
			return bit(4, p.verdict(&r.Verdict))
		case p.literal(`text":`):
			return bit(5, p.text(&r.Text, ""))
		}
		return 0
	})
}
