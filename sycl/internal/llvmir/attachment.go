package llvmir

import (
	"slices"
	"strconv"
	"strings"
)

// An Attachment is metadata attached to a symbol or an instruction.
type Attachment struct {
	Kind string // without !
	ID   int    // -1 if the node is written inline
	Text string // "!12", or the node
}

// Attachments returns the attached metadata.
func (s *symbol) Attachments() []Attachment {
	h := s.header()
	return attachmentsOf(h.text, h.attachments)
}

func attachmentsOf(text string, spans []attachment) []Attachment {
	list := make([]Attachment, len(spans))
	for i, a := range spans {
		list[i] = a.of(text)
	}
	return list
}

func (a attachment) of(text string) Attachment {
	return Attachment{unescapeName(text[a.kind.start+1 : a.kind.end]), nodeID(a.ref.in(text)), a.ref.in(text)}
}

// nodeID returns the node number in a reference such as "!12", or -1 for other text.
func nodeID(ref string) int {
	if len(ref) > 1 && ref[0] == '!' {
		if n, err := strconv.ParseUint(ref[1:], 10, 31); err == nil {
			return int(n)
		}
	}
	return -1
}

// Attachment returns the attached metadata of a kind, and whether there is any.
func (s *symbol) Attachment(kind string) (Attachment, bool) {
	h := s.header()
	for _, span := range h.attachments {
		if a := span.of(h.text); a.Kind == kind {
			return a, true
		}
	}
	return Attachment{}, false
}

// Metadata returns the number of the attached node of a kind, and whether there is one.
func (s *symbol) Metadata(kind string) (int, bool) {
	for _, a := range s.Attachments() {
		if a.Kind == kind && a.ID >= 0 {
			return a.ID, true
		}
	}
	return 0, false
}

// HasMetadata reports whether metadata of a kind is attached.
func (s *symbol) HasMetadata(kind string) bool {
	_, ok := s.Attachment(kind)
	return ok
}

// SetMetadata attaches a node, replacing any attached node of the same kind.
func (s *symbol) SetMetadata(kind string, id int) {
	ref := "!" + strconv.Itoa(id)
	h := s.header()
	for i, a := range attachmentsOf(h.text, h.attachments) {
		if a.Kind == kind {
			s.splice(h.attachments[i].ref, ref)
			return
		}
	}
	text := "!" + escapeName(kind) + " " + ref
	it := &s.m.items[s.item]
	switch {
	case it.kind == itemFunction && !strings.HasPrefix(h.text[it.start:], "define"):
		s.splice(span{h.before, h.before}, " "+text)
	case it.kind == itemFunction:
		at := h.end
		s.splice(span{at, at}, " "+text)
	case it.kind == itemGlobal:
		at := h.attributeAt
		s.splice(span{at, at}, ", "+text)
	}
}

// RemoveMetadata detaches the metadata of a kind and reports whether there was any.
func (s *symbol) RemoveMetadata(kind string) bool {
	found := false
	for {
		h := s.header()
		at := slices.IndexFunc(attachmentsOf(h.text, h.attachments), func(a Attachment) bool { return a.Kind == kind })
		if at < 0 {
			return found
		}
		found = true
		place := h.attachments[at].all
		if s.m.items[s.item].kind == itemGlobal {
			place.start = uint32(strings.LastIndexByte(h.text[:place.start], ','))
		}
		s.cut(place)
	}
}
