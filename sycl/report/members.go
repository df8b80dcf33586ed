package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// checkMembers walks over JSON and reports what encoding/json would let pass:
// names of members that are not distinct, or that are not in lower case, which it
// would match with fields all the same, deep nesting and data after the end.
//
// It stops without an error at what is not JSON: that is for the decoder to say.
func checkMembers(data []byte) (offset int64, err error) {
	m := memberChecker{data: data}
	m.space()
	if strings.IndexByte("[\"-0123456789tfn", m.peek()) >= 0 {
		return int64(m.i), errors.New("not a JSON object")
	}
	if m.peek() != '{' {
		return 0, nil
	}
	err = m.walk()
	return int64(m.i), err
}

type memberChecker struct {
	data     []byte
	i        int // of the next byte
	stack    []nesting
	names    [][]byte // in lower case, of all objects on the stack
	elements int      // of all arrays but the cells
}

// nesting is an object or an array that is open.
type nesting struct {
	object bool
	free   bool            // inside of "extensions"
	names  int             // index of its first name
	values int             // of an array, up to now
	many   map[string]bool // its names, when they are many
}

var errNotJSON = errors.New("not JSON")

func (m *memberChecker) walk() error {
	for {
		if err := m.count(); err != nil {
			return err
		}
		more, err := m.value()
		if err == errNotJSON {
			return nil
		}
		if err != nil {
			return err
		}
		for !more {
			// A value has ended.
			if len(m.stack) == 0 {
				m.space()
				if m.i < len(m.data) {
					return errors.New("there is data after the end of the report")
				}
				return nil
			}
			top := &m.stack[len(m.stack)-1]
			m.space()
			switch b := m.peek(); {
			case b == ',':
				m.i++
				more = true
				if top.object {
					m.space()
					if err := m.name(); err != nil {
						return ignoreNotJSON(err)
					}
				}
			case b == '}' && top.object, b == ']' && !top.object:
				m.i++
				m.names = m.names[:top.names]
				m.stack = m.stack[:len(m.stack)-1]
			default:
				return nil
			}
		}
	}
}

// count counts the value that is next, if it is in an array. Small ones take much
// more memory than room in the file.
func (m *memberChecker) count() error {
	if len(m.stack) == 0 || m.stack[len(m.stack)-1].object {
		return nil
	}
	top := &m.stack[len(m.stack)-1]
	top.values++
	if len(m.stack) == 2 && string(m.names[len(m.names)-1]) == "cells" {
		if top.values > maxCells {
			return fmt.Errorf("more than %d cells", maxCells)
		}
		return nil
	}
	if m.elements++; top.values > maxListed && !top.free || m.elements > maxElements {
		return fmt.Errorf("a list has more than %d members, or all lists more than %d", maxListed, maxElements)
	}
	return nil
}

func ignoreNotJSON(err error) error {
	if err == errNotJSON {
		return nil
	}
	return err
}

// value reads a value, or the start of one up to the value in it: then more is
// set.
func (m *memberChecker) value() (more bool, err error) {
	m.space()
	switch b := m.peek(); b {
	case '{', '[':
		if len(m.stack) == maxDepth {
			return false, fmt.Errorf("more than %d levels of nesting", maxDepth)
		}
		free := len(m.stack) > 0 && m.stack[len(m.stack)-1].free || len(m.stack) == 1 && len(m.names) > 0 && string(m.names[len(m.names)-1]) == "extensions"
		m.stack = append(m.stack, nesting{object: b == '{', free: free, names: len(m.names)})
		m.i++
		m.space()
		if end := m.peek(); end == '}' && b == '{' || end == ']' && b == '[' {
			m.i++
			m.stack = m.stack[:len(m.stack)-1]
			return false, nil
		}
		if b == '{' {
			return true, m.name()
		}
		return true, nil
	case '"':
		_, _, err := m.text()
		return false, err
	}
	start := m.i
	for m.i < len(m.data) && !strings.ContainsRune(",]}: \t\r\n\"[{", rune(m.data[m.i])) {
		m.i++
	}
	if m.i == start {
		return false, errNotJSON
	}
	return false, nil
}

// name reads the name of a member and the colon.
func (m *memberChecker) name() error {
	raw, escapes, err := m.text()
	if err != nil {
		return err
	}
	top := &m.stack[len(m.stack)-1]
	name := raw
	if escapes || !isLower(raw) {
		var s string
		if json.Unmarshal(m.data[m.i-len(raw)-2:m.i], &s) != nil {
			return errNotJSON
		}
		folded := strings.ToLower(s)
		// Some letters that are not in ASCII are the same as one that is, for those
		// who take no notice of case.
		isASCII := !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
		switch {
		case m.twice(top, []byte(folded)):
			return fmt.Errorf("member %q occurs twice", s)
		case top.free:
		case folded != s:
			return fmt.Errorf("member %q has capital letters", s)
		case !isASCII:
			return fmt.Errorf("member %q has letters that are not in ASCII", s)
		}
		name = []byte(folded)
	} else if m.twice(top, name) {
		return fmt.Errorf("member %q occurs twice", name)
	}
	m.names = append(m.names, name)
	m.space()
	if m.peek() != ':' {
		return errNotJSON
	}
	m.i++
	return nil
}

// twice reports whether an object has a name already.
func (m *memberChecker) twice(top *nesting, name []byte) bool {
	const few = 32
	names := m.names[top.names:]
	if top.many == nil && len(names) < few {
		for _, n := range names {
			if bytes.Equal(n, name) {
				return true
			}
		}
		return false
	}
	if top.many == nil {
		top.many = map[string]bool{}
		for _, n := range names {
			top.many[string(n)] = true
		}
	}
	if top.many[string(name)] {
		return true
	}
	top.many[string(name)] = true
	return false
}

func isLower(name []byte) bool {
	for _, b := range name {
		if 'A' <= b && b <= 'Z' || b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// text skips a string and returns what is between its quotes.
func (m *memberChecker) text() (raw []byte, escapes bool, err error) {
	if m.peek() != '"' {
		return nil, false, errNotJSON
	}
	start := m.i + 1
	for i := start; ; {
		n := bytes.IndexByte(m.data[i:], '"')
		if n < 0 {
			return nil, false, errNotJSON
		}
		// The quote counts if an even number of backslashes is before it.
		end := i + n
		back := end
		for back > start && m.data[back-1] == '\\' {
			back--
		}
		if (end-back)%2 == 0 {
			raw = m.data[start:end]
			if len(raw) > maxText {
				return nil, false, fmt.Errorf("a text has more than %d bytes", maxText)
			}
			m.i = end + 1
			return raw, bytes.IndexByte(raw, '\\') >= 0, nil
		}
		i = end + 1
	}
}

// space skips white space.
func (m *memberChecker) space() {
	for m.i < len(m.data) && (m.data[m.i] == ' ' || m.data[m.i] == '\n' || m.data[m.i] == '\r' || m.data[m.i] == '\t') {
		m.i++
	}
}

// peek returns the next byte, 0 at the end.
func (m *memberChecker) peek() byte {
	if m.i < len(m.data) {
		return m.data[m.i]
	}
	return 0
}
