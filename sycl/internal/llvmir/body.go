package llvmir

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Body yields the labels, instructions and debug records of the body in text order. Edits made
// during an iteration are visible only to later iterations.
func (f *Function) Body() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		if !f.defined {
			return
		}
		f.fold()
		f.count(1)
		defer f.count(-1)
		text := f.m.sources[f.bodySrc]
		in := &Instr{f: f, src: f.bodySrc, text: text}
		lx := lexer{text, int(f.body.start) + 1, int(f.body.end) - 1}
		t := lx.next()
		for t.kind != tokenEnd {
			t = in.readTokens(&lx, t)
			if !yield(in) {
				return
			}
		}
	}
}

// count tracks the number of active iterations over the body.
func (f *Function) count(n int) {
	f.m.lazy.Lock()
	f.running += n
	f.m.lazy.Unlock()
}

// Calls yields the calls, invokes and callbrs of the body.
func (f *Function) Calls() iter.Seq[*Instr] {
	return func(yield func(*Instr) bool) {
		for in := range f.Body() {
			if in.isCall() && !yield(in) {
				return
			}
		}
	}
}

// readTokens collects the tokens of one instruction and returns the first token of the next.
func (in *Instr) readTokens(lx *lexer, t token) token {
	in.toks = append(in.toks[:0], t)
	in.parsed, in.label, in.result = false, false, span{}
	if atColon(lx) && (t.kind == tokenWord || t.kind == tokenString || t.kind == tokenComdat) {
		lx.pos++
		in.op, in.label = "label", true
		in.start, in.end = t.start, uint32(lx.pos)
		return lx.next()
	}
	in.opAt = 0
	depth := 0
	for {
		prev := t
		if t.kind == tokenPunct {
			depth += nesting(lx.text[t.start])
		}
		t = lx.next()
		if t.kind == tokenEnd || t.kind == tokenBad || depth <= 0 && in.starts(lx, prev, t) {
			break
		}
		in.toks = append(in.toks, t)
	}
	in.start, in.end = in.toks[0].start, in.toks[len(in.toks)-1].end
	if len(in.toks) > 2 && in.toks[0].kind == tokenLocal && in.isPunct(1, '=') {
		in.result = span{in.toks[0].start + 1, in.toks[0].end}
		in.opAt = 2
	}
	in.op = in.word(in.opAt)
	switch in.op {
	case "tail", "musttail", "notail":
		if in.opAt+1 < len(in.toks) {
			in.opAt++
			in.op = in.word(in.opAt)
		}
	}
	if t.kind == tokenBad {
		t.kind = tokenEnd
	}
	return t
}

// atColon reports whether the byte after the current token is the colon of a label.
func atColon(lx *lexer) bool { return lx.pos < lx.limit && lx.text[lx.pos] == ':' }

// starts reports whether t is the first token of a new instruction.
func (in *Instr) starts(lx *lexer, prev, t token) bool {
	if t.kind == tokenLocal && (t.newline || prev.kind != tokenPunct) {
		_, ok := assigned(lx.text[:lx.limit], int(t.start))
		return ok
	}
	if !t.newline || prev.kind == tokenPunct && (lx.text[prev.start] == ',' || lx.text[prev.start] == '=') {
		return false
	}
	switch t.kind {
	case tokenRecord:
		return true
	case tokenString, tokenComdat:
		return atColon(lx)
	case tokenWord:
		switch lx.text[t.start:t.end] {
		case "to", "cleanup", "catch", "filter", "unwind", "from", "within", "label":
			return false
		}
		return true
	}
	return false
}

// An edit replaces a range of a body's source.
type edit struct {
	at   span
	text string
}

// Replace replaces an instruction with instructions, one per line.
func (f *Function) Replace(in *Instr, text string) {
	if in.f != f || in.src != f.bodySrc {
		panic("llvmir: the instruction belongs to a different function, or to a body that was edited since")
	}
	e := edit{span{in.start, in.end}, lines(text)}
	i, replaced := slices.BinarySearchFunc(f.edits, e, func(a, b edit) int { return cmp.Compare(a.at.start, b.at.start) })
	if replaced {
		f.edits[i] = e
	} else {
		f.edits = slices.Insert(f.edits, i, e)
	}
	f.m.invalidate(f.item)
}

// lines indents all lines of a text except the first, and removes empty ones.
func lines(text string) string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n  ")
}

// fold applies the edits of the body, unless it is being read.
func (f *Function) fold() {
	f.m.lazy.Lock()
	defer f.m.lazy.Unlock()
	if len(f.edits) == 0 || f.running > 0 {
		return
	}
	text := f.m.sources[f.bodySrc]
	var b strings.Builder
	pos := f.body.start
	for _, e := range f.edits {
		before := text[pos:e.at.start]
		if e.text == "" && strings.HasPrefix(strings.TrimLeft(text[e.at.end:], " \t\r"), "\n") {
			before = strings.TrimSuffix(strings.TrimRight(before, " \t"), "\n") // no empty line
		}
		b.WriteString(before)
		b.WriteString(e.text)
		pos = e.at.end
		// A comment at the end of the inserted text must not extend to the text after it.
		if next := strings.TrimLeft(text[pos:], " \t\r"); e.text != "" && next[0] != '\n' && next[0] != ';' {
			b.WriteByte('\n')
		}
	}
	b.WriteString(text[pos:f.body.end])
	f.m.sources = append(f.m.sources, b.String())
	f.bodySrc = uint32(len(f.m.sources) - 1)
	f.body = span{0, uint32(b.Len())}
	f.edits = nil
}

// bodyText returns the text of the body with its braces, or "" for a declaration.
func (f *Function) bodyText() string {
	if !f.defined {
		return ""
	}
	f.fold()
	return f.body.in(f.m.sources[f.bodySrc])
}

// plainBody returns the body without uselistorder directives.
func (f *Function) plainBody() string {
	body := f.bodyText()
	if !strings.Contains(body, "uselistorder") {
		return body
	}
	var b strings.Builder
	in := &Instr{f: f, text: body}
	lx := lexer{body, 1, len(body) - 1}
	pos := uint32(0)
	for t := lx.next(); t.kind != tokenEnd; {
		t = in.readTokens(&lx, t)
		if strings.HasPrefix(in.Op(), "uselistorder") {
			b.WriteString(strings.TrimRight(body[pos:in.start], " \t\r\n"))
			pos = in.end
		}
	}
	b.WriteString(body[pos:])
	return b.String()
}
