package report

import (
	"bytes"
	"encoding/json"
)

// Nearly all of a report are its cells, which say the same again and again.
// readCells reads them in one pass when they come first, as Encode writes them,
// and gives up on everything unusual: the decoder of encoding/json, which is
// twenty times slower, then reads the report or finds the fault.
//
// It returns the cells and where their list begins and ends.
func readCells(data []byte) (cells []Cell, start, end int, ok bool) {
	p := cellReader{data: data, names: map[string]string{}, reasons: map[string][]Reason{}}
	if !p.skip('{') || !p.skip('"') || !p.literal(`cells"`) || !p.skip(':') {
		return nil, 0, 0, false
	}
	p.space()
	start = p.i
	if !p.skip('[') {
		return nil, 0, 0, false
	}
	const least = 256 // bytes of a cell that Encode writes
	cells = make([]Cell, 0, len(data)/least)
	if p.skip(']') {
		return cells, start, p.i, true
	}
	for {
		cells = append(cells, Cell{})
		if !p.cell(&cells[len(cells)-1]) {
			return nil, 0, 0, false
		}
		if p.literal(",\n    ") {
			continue
		}
		if p.skip(']') {
			return cells, start, p.i, true
		}
		if !p.skip(',') {
			return nil, 0, 0, false
		}
	}
}

// cellReader reads cells. Its methods report whether what they read was there.
type cellReader struct {
	data    []byte
	i       int // of the next byte
	last    Cell
	escapes bool     // whether strings may differ from their bytes
	devices []string // of the first kernel, which others have in the same order
	column  int
	names   map[string]string
	reasons map[string][]Reason // by their bytes
	raw     []byte              // of the last reasons
}

// space skips white space.
func (p *cellReader) space() {
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
func (p *cellReader) skip(b byte) bool {
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
func (p *cellReader) literal(s string) bool {
	if end := p.i + len(s); end <= len(p.data) && string(p.data[p.i:end]) == s {
		p.i = end
		return true
	}
	return false
}

// text reads a string. Likely is one that it may well be.
func (p *cellReader) text(to *string, likely string) bool {
	if !p.skip('"') {
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

// name returns bytes as a string, the same one for the same bytes.
func (p *cellReader) name(b []byte) string {
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

func (p *cellReader) cell(c *Cell) bool {
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
			member, ok = hasStatus, p.text((*string)(&c.Status), string(p.last.Status))
		}
		if !ok || has&member != 0 {
			return false
		}
		has |= member
		if p.literal(",\n      ") {
			continue
		}
		if p.skip('}') {
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
func (p *cellReader) likelyDevice() string {
	if len(p.devices) == 0 {
		return ""
	}
	return p.devices[p.column%len(p.devices)]
}

func (p *cellReader) learnDevice(c *Cell) {
	if p.column == len(p.devices) && (p.last.Kernel == c.Kernel || p.column == 0) {
		p.devices = append(p.devices, c.Device)
	}
	p.column++
}

// reasonList reads a list of reasons. Cells with the same reasons share them.
func (p *cellReader) reasonList(to *[]Reason) bool {
	p.space()
	start := p.i
	if known, ok := p.reasons[string(p.raw)]; ok && bytes.HasPrefix(p.data[start:], p.raw) {
		*to = known
		p.i += len(p.raw)
		return true
	}
	list := []Reason{}
	if !p.skip('[') {
		return false
	}
	if !p.skip(']') {
		for {
			list = append(list, Reason{})
			if !p.reason(&list[len(list)-1]) {
				return false
			}
			if p.skip(']') {
				break
			}
			if !p.skip(',') {
				return false
			}
		}
	}
	p.raw = p.data[start:p.i]
	const most = 1 << 16
	if len(p.reasons) < most {
		p.reasons[string(p.raw)] = list
	}
	*to = list
	return true
}

func (p *cellReader) reason(r *Reason) bool {
	if !p.skip('{') {
		return false
	}
	for has := 0; ; {
		if !p.skip('"') {
			return false
		}
		var to *string
		member := 0
		switch {
		case p.literal(`available":`):
			to, member = &r.Available, 1
		case p.literal(`property":`):
			to, member = &r.Property, 2
		case p.literal(`required":`):
			to, member = &r.Required, 4
		case p.literal(`rule":`):
			to, member = &r.Rule, 8
		case p.literal(`status":`):
			to, member = (*string)(&r.Status), 16
		case p.literal(`text":`):
			to, member = &r.Text, 32
		}
		if to == nil || has&member != 0 || !p.text(to, "") {
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
