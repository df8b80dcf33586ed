package report

import (
	"errors"
	"io"
	"unicode/utf8"
)

// A reader has a part of the file in memory: the window. When little of it is left
// between two elements of a list of the report, the rest moves to its start. Within an
// element the window grows instead, so that offsets of the window stay what they are.
const (
	windowBytes = 1 << 20
	maxElement  = 64 << 20
)

// source is where the bytes of a reader come from.
type source struct {
	in      io.Reader // nil: the window is all
	left    int       // bytes of the window that are few
	passed  int64     // bytes of the file before the window
	checked int       // bytes of the window that are UTF-8
	err     error     // what reading ended with, not the end of the file
}

// readFrom makes a reader read a file, with a window in that memory.
func (p *reader) readFrom(in io.Reader, memory []byte) {
	p.in, p.data = in, memory[:0]
	p.left = cap(memory) / 8
	p.fill()
}

// refill is called between two elements, where no offset of the window is in use.
func (p *reader) refill() {
	if p.in == nil || len(p.data)-p.i >= p.left {
		return
	}
	n := copy(p.data[:cap(p.data)], p.data[p.i:])
	p.passed += int64(p.i)
	p.checked = max(p.checked-p.i, 0)
	p.data, p.i = p.data[:n], 0
	p.known, p.raw = [len(p.known)]knownCell{}, nil // they are where they were
	for len(p.data) < p.left && p.fill() {
	}
}

// has reports whether the window has n more bytes, which it reads when they are missing.
func (p *reader) has(n int) bool {
	for len(p.data)-p.i < n {
		if !p.fill() {
			return false
		}
	}
	return true
}

// fill reads more of the file. It reports whether there was more.
func (p *reader) fill() bool {
	if p.in == nil {
		return false
	}
	if len(p.data) == cap(p.data) {
		if len(p.data) >= maxElement {
			p.in = nil
			return p.fail(p.i, "an element has more than %d MiB", maxElement>>20)
		}
		p.data = append(make([]byte, 0, 2*cap(p.data)), p.data...)
	}
	n, err := io.ReadAtLeast(p.in, p.data[len(p.data):cap(p.data)], 1)
	p.data = p.data[:len(p.data)+n]
	if p.passed+int64(len(p.data)) > maxBytes {
		err = errTooLarge
	}
	if err != nil {
		p.in = nil
		if !errors.Is(err, io.EOF) {
			p.err = err
		}
	}
	if bad := p.checkText(); bad >= 0 {
		p.in = nil
		p.fault = &FormatError{Offset: p.passed + int64(bad), Msg: notUTF8}
		return false
	}
	return n > 0
}

const notUTF8 = "not valid UTF-8"

// checkText returns the offset in the window of what is not UTF-8, or -1. A character at
// the end may lack bytes that are still to come.
func (p *reader) checkText() int {
	if rest := p.data[p.checked:]; !utf8.Valid(rest) {
		at := invalidUTF8(rest)
		if p.in != nil && !utf8.FullRune(rest[at:]) {
			p.checked += at
			return -1
		}
		return p.checked + at
	}
	p.checked = len(p.data)
	return -1
}
