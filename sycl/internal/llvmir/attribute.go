package llvmir

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// An Attribute is an attribute of a function, a parameter, a call or a global.
// "k"="v" has Key k and Value v, align 8 has Key align and Value 8, and
// byval(%struct.X) has Key byval and Value %struct.X.
type Attribute struct {
	Key, Value string
	Quoted     bool // a string attribute
	Text       string
}

func findAttribute(list []Attribute, key string) (Attribute, bool) {
	for _, a := range list {
		if a.Key == key {
			return a, true
		}
	}
	return Attribute{}, false
}

func attributeOf(text string) Attribute {
	if text[0] == '"' {
		end := stringEnd(text, 0)
		a := Attribute{Key: stringValue(text[:end]), Quoted: true, Text: text}
		if at := strings.IndexByte(text[end:], '"'); at >= 0 {
			a.Value = stringValue(text[end+at:])
		}
		return a
	}
	a := Attribute{Key: text, Text: text}
	end := wordEnd(text, 0)
	a.Key = text[:end]
	rest := strings.TrimSpace(text[end:])
	switch {
	case strings.HasPrefix(rest, "("):
		a.Value = strings.TrimSpace(rest[1 : len(rest)-1])
	case strings.HasPrefix(rest, "="):
		a.Value = strings.TrimSpace(rest[1:])
	default:
		a.Value = rest
	}
	return a
}

// Attributes returns the attributes, including those in groups. The list must not be modified.
func (s *symbol) Attributes() []Attribute {
	h := s.header()
	return s.m.attributes(h.text, h.attributes)
}

func (m *Module) attributes(text string, spans []span) []Attribute {
	if len(spans) == 1 && text[spans[0].start] == '#' { // without a copy
		return m.group(spans[0].in(text))
	}
	var list []Attribute
	for _, a := range spans {
		if t := a.in(text); t[0] == '#' {
			list = append(list, m.group(t)...)
		} else {
			list = append(list, attributeOf(t))
		}
	}
	return list
}

// group returns the attributes of a group such as "#3". It reads each group once.
func (m *Module) group(ref string) []Attribute {
	if list, ok := m.attrs.Load(ref); ok {
		return list.([]Attribute)
	}
	text, spans := m.groupText(ref)
	list := m.attributes(text, spans)
	if text != "" {
		m.attrs.Store(ref, list)
	}
	return list
}

func (m *Module) groupText(ref string) (string, []span) {
	id, err := strconv.ParseUint(strings.TrimPrefix(ref, "#"), 10, 31)
	at, ok := m.groups[uint32(id)]
	if err != nil || !ok {
		return "", nil
	}
	text := m.text(at)
	var c cursor
	c.reset(text, 0, len(text))
	c.i = 4 // attributes #3 = {
	c.peek(3)
	c.peek(4)
	var spans []span
	for t := c.peek(0); t.kind == tokenWord || t.kind == tokenString; t = c.peek(0) {
		a, ok := c.skipAttribute()
		if !ok {
			break
		}
		spans = append(spans, a)
	}
	return text, spans
}

// Attribute returns the value of a string attribute, and whether there is one.
func (s *symbol) Attribute(key string) (string, bool) {
	for _, a := range s.Attributes() {
		if a.Quoted && a.Key == key {
			return a.Value, true
		}
	}
	return "", false
}

// HasAttribute reports whether there is an attribute with a key, whether or not it is a string
// attribute.
func (s *symbol) HasAttribute(key string) bool {
	return slices.ContainsFunc(s.Attributes(), func(a Attribute) bool { return a.Key == key })
}

// SetAttribute adds a string attribute to the symbol, replacing any with the same key.
func (s *symbol) SetAttribute(key, value string) {
	if v, ok := s.Attribute(key); ok && v == value {
		return
	}
	s.removeAttribute(key)
	at := s.header().attributeAt
	s.splice(span{at, at}, " "+stringAttribute(key, value))
}

// stringAttribute formats a string attribute.
func stringAttribute(key, value string) string {
	if value == "" {
		return quote(key)
	}
	return quote(key) + "=" + quote(value)
}

// removeAttribute removes the attributes with a key, whether or not they are string attributes. It
// replaces a shared group by a group without the attribute.
func (s *symbol) removeAttribute(key string) {
	for {
		h := s.header()
		at := slices.IndexFunc(h.attributes, func(a span) bool {
			t := a.in(h.text)
			if t[0] != '#' {
				return attributeOf(t).Key == key
			}
			return slices.ContainsFunc(s.m.group(t), func(a Attribute) bool { return a.Key == key })
		})
		if at < 0 {
			return
		}
		a := h.attributes[at]
		without := ""
		if t := a.in(h.text); t[0] == '#' {
			without = s.m.groupWithout(t, key)
		}
		if without == "" {
			s.cut(a)
		} else {
			s.splice(a, without)
		}
	}
}

// freeGroup returns an unused group number.
func (m *Module) freeGroup() uint32 {
	if m.maxGroup <= math.MaxInt32 {
		return m.maxGroup
	}
	for ; ; m.lowGroup++ {
		if _, taken := m.groups[m.lowGroup]; !taken {
			return m.lowGroup
		}
	}
}

// groupWithout returns a group with the attributes of another group except one, or "" if none is
// left.
func (m *Module) groupWithout(ref, key string) string {
	text, spans := m.groupText(ref)
	var words []string
	for _, a := range spans {
		if t := a.in(text); attributeOf(t).Key != key {
			words = append(words, t)
		}
	}
	if len(words) == 0 {
		return ""
	}
	body := strings.Join(words, " ")
	if old, ok := m.clones[body]; ok {
		return old
	}
	if m.clones == nil {
		m.clones = map[string]string{}
	}
	ref = "#" + strconv.FormatUint(uint64(m.freeGroup()), 10)
	m.clones[body] = ref
	m.mustAdd("attributes " + ref + " = { " + body + " }")
	return ref
}
