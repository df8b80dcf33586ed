package llvmir

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
)

// nodeTable finds the item of a metadata node: a slice while numbers are dense,
// a map for those that are far apart.
type nodeTable struct {
	dense  []uint32 // item + 1
	sparse map[uint32]uint32
	max    int // one more than the greatest number
	low    int // all smaller numbers are taken; moved when max is too great
}

// free returns a number that no node has.
func (t *nodeTable) free() int {
	if t.max <= math.MaxInt32 {
		return t.max
	}
	for ; ; t.low++ {
		if _, taken := t.find(uint32(t.low)); !taken {
			return t.low
		}
	}
}

func (t *nodeTable) find(id uint32) (uint32, bool) {
	if int64(id) < int64(len(t.dense)) {
		at := t.dense[id]
		return at - 1, at != 0
	}
	at, ok := t.sparse[id]
	return at, ok
}

func (t *nodeTable) add(id, item uint32) {
	t.max = max(t.max, int(id)+1)
	n := len(t.dense)
	switch {
	case int64(id) < int64(n):
		t.dense[id] = item + 1
	case int64(id) < 2*int64(n)+1024:
		for len(t.dense) <= int(id) {
			t.dense = append(t.dense, 0)
		}
		t.dense[id] = item + 1
		if len(t.sparse) > 0 {
			for at := n; at < len(t.dense); at++ {
				if item, ok := t.sparse[uint32(at)]; ok {
					t.dense[at] = item + 1
					delete(t.sparse, uint32(at))
				}
			}
		}
	default:
		if t.sparse == nil {
			t.sparse = map[uint32]uint32{}
		}
		t.sparse[id] = item
	}
}

// A Node is a metadata node: numbered, or written in place.
type Node struct {
	m    *Module
	id   int
	item uint32
	text string
}

func (n *Node) entity() uint32 { return n.item }

// Node returns the node of a number, nil when there is none.
func (m *Module) Node(id int) *Node {
	if id < 0 {
		return nil
	}
	at, ok := m.nodes.find(uint32(id))
	if !ok || m.items[at].gone {
		return nil
	}
	return &Node{m: m, id: id, item: at, text: m.nodeText(at)}
}

func (m *Module) nodeText(at uint32) string {
	_, text, _ := strings.Cut(m.text(at), "=")
	return strings.TrimSpace(text)
}

// ID returns the node's number, -1 when it is written in place.
func (n *Node) ID() int { return n.id }

// Text returns the node as it stands right of "=".
func (n *Node) Text() string { return n.text }

// Line returns the line where the node stands, 0 when it was added.
func (n *Node) Line() int { it := &n.m.items[n.item]; return n.m.line(it.src, it.start) }

// Distinct tells whether the node is distinct.
func (n *Node) Distinct() bool { return strings.HasPrefix(n.text, "distinct ") }

// Kind returns the kind of a specialised node, such as DISubprogram, and "" for a tuple.
func (n *Node) Kind() string {
	body := strings.TrimPrefix(n.text, "distinct ")
	if end := wordEnd(body, min(1, len(body))); end > 1 && body[0] == '!' {
		return body[1:end]
	}
	return ""
}

// An MDOperand is an operand of a metadata node. Of a specialised node it has
// the field's name.
type MDOperand struct {
	Field string
	Text  string
	m     *Module
}

// Operands returns the operands of the node.
func (n *Node) Operands() []MDOperand {
	var list []MDOperand
	lx := lexer{text: n.text, limit: len(n.text)}
	// What comes first is distinct, ! or the kind; the operands are in brackets.
	for t := lx.next(); ; t = lx.next() {
		if t.kind == TokenEnd || t.kind == tokenBad {
			return nil
		}
		if t.kind == TokenPunct && (n.text[t.start] == '{' || n.text[t.start] == '(') {
			break
		}
	}
	var o MDOperand
	start, end := -1, -1
	depth := 0
	flush := func() {
		if start >= 0 {
			o.Text = n.text[start:end]
			o.m = n.m
			list = append(list, o)
		}
		o = MDOperand{}
		start = -1
	}
	for {
		t := lx.next()
		if t.kind == TokenEnd || t.kind == tokenBad {
			flush()
			return list
		}
		if t.kind == TokenPunct {
			switch n.text[t.start] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				if depth--; depth < 0 {
					flush()
					return list
				}
			case ',':
				if depth == 0 {
					flush()
					continue
				}
			case ':':
				if depth == 0 && start >= 0 && o.Field == "" {
					o.Field = n.text[start:end]
					start = -1
					continue
				}
			}
		}
		if start < 0 {
			start = int(t.start)
		}
		end = int(t.end)
	}
}

// Field returns the operand of a field of a specialised node.
func (n *Node) Field(name string) (MDOperand, bool) {
	for _, o := range n.Operands() {
		if o.Field == name {
			return o, true
		}
	}
	return MDOperand{}, false
}

// Ints returns the integer operands of the node, without the others.
func (n *Node) Ints() []int64 {
	var list []int64
	for _, o := range n.Operands() {
		if v, ok := o.Int(); ok {
			list = append(list, v)
		}
	}
	return list
}

// Strings returns the string operands of the node, without the others.
func (n *Node) Strings() []string {
	var list []string
	for _, o := range n.Operands() {
		if s, ok := o.Str(); ok {
			list = append(list, s)
		}
	}
	return list
}

// Node returns the number of the node that the operand refers to.
func (o MDOperand) Node() (int, bool) { id := nodeID(o.Text); return id, id >= 0 }

// Str returns the content of a metadata string, or of a field that is a string.
func (o MDOperand) Str() (string, bool) {
	text := strings.TrimPrefix(o.Text, "!")
	if len(text) >= 2 && text[0] == '"' && stringEnd(text, 0) == len(text) {
		return stringValue(text), true
	}
	return "", false
}

// Int returns an integer: i32 5, or a field such as line: 5.
func (o MDOperand) Int() (int64, bool) {
	text := o.Text
	if o.Field == "" {
		v, ok := o.Value()
		if !ok {
			return 0, false
		}
		return v.Int()
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// IsNull tells whether the operand is null.
func (o MDOperand) IsNull() bool { return o.Text == "null" }

// Value returns an operand that is a typed value, such as ptr @f.
func (o MDOperand) Value() (Value, bool) {
	if o.Text == "" || o.Text[0] == '!' || o.Text == "null" {
		return Value{}, false
	}
	v, err := o.m.Value(o.Text)
	return v, err == nil
}

// Inline returns a node that is written in place.
func (o MDOperand) Inline() (*Node, bool) {
	if _, ok := o.Node(); ok || len(o.Text) < 2 || o.Text[0] != '!' || o.Text[1] == '"' {
		return nil, false
	}
	return &Node{m: o.m, id: -1, text: o.Text}, true
}

// A NamedMetadata is named metadata: a list of nodes.
type NamedMetadata struct {
	m    *Module
	name string
	item uint32
}

func (n *NamedMetadata) entity() uint32 { return n.item }

// Name returns the name without "!".
func (n *NamedMetadata) Name() string { return n.name }

// Nodes returns the numbers of the nodes, without those written in place.
func (n *NamedMetadata) Nodes() []int {
	var ids []int
	for _, o := range (&Node{m: n.m, text: n.m.nodeText(n.item)}).Operands() {
		if id, ok := o.Node(); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// Named returns the named metadata of a name, nil when there is none.
func (m *Module) Named(name string) *NamedMetadata { return m.namedIDs[name] }

// NamedMetadata returns all named metadata in file order.
func (m *Module) NamedMetadata() []*NamedMetadata {
	var list []*NamedMetadata
	for _, n := range m.named {
		if !m.items[n.item].gone {
			list = append(list, n)
		}
	}
	return list
}

// unescapeName and escapeName convert metadata names, which use \xx outside of quotes.
func unescapeName(s string) string { return unquote(s) }

func escapeName(s string) string {
	var b strings.Builder
	for i, c := range []byte(s) {
		if classes[c]&classWord != 0 && c != '+' && (i > 0 || !isDigit(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%02X`, c)
		}
	}
	return b.String()
}

// FreeNode returns a number that no metadata node has.
func (m *Module) FreeNode() int { return m.nodes.free() }

// AddNode adds a tuple of the given content, such as "i32 8, i32 1", and returns
// its number.
func (m *Module) AddNode(content string) int {
	id := m.FreeNode()
	m.mustAdd("!" + strconv.Itoa(id) + " = !{" + content + "}")
	return id
}

// SetNode replaces a node; the text is what stands right of "=".
func (m *Module) SetNode(id int, text string) error {
	if n := m.Node(id); n == nil {
		return fmt.Errorf("there is no metadata node !%d", id)
	}
	at, _ := m.nodes.find(uint32(id))
	entity := "!" + strconv.Itoa(id) + " = " + text
	if err := m.check(entity); err != nil {
		return err
	}
	m.rewrite(at, entity)
	return nil
}

// AppendNamed adds nodes to named metadata, which is made when there is none.
func (m *Module) AppendNamed(name string, nodes ...int) {
	var refs []string
	if n := m.Named(name); n != nil {
		for _, o := range (&Node{m: m, text: m.nodeText(n.item)}).Operands() {
			refs = append(refs, o.Text)
		}
	}
	for _, id := range nodes {
		refs = append(refs, "!"+strconv.Itoa(id))
	}
	m.setNamed(name, refs)
}

// SetNamed replaces the nodes of named metadata; without nodes it is deleted.
func (m *Module) SetNamed(name string, nodes ...int) {
	var refs []string
	for _, id := range nodes {
		refs = append(refs, "!"+strconv.Itoa(id))
	}
	m.setNamed(name, refs)
}

func (m *Module) setNamed(name string, refs []string) {
	old := m.Named(name)
	text := "!" + escapeName(name) + " = !{" + strings.Join(refs, ", ") + "}"
	switch {
	case old == nil && len(refs) == 0:
	case old == nil:
		m.mustAdd(text)
	case len(refs) == 0:
		m.items[old.item].gone = true
		delete(m.namedIDs, name)
		m.touch(old.item)
	default:
		m.rewrite(old.item, text)
	}
}

// A Location is a place in the source of a program.
type Location struct {
	File         string // directory and name
	Line, Column int    // 0 when unknown
	Function     string // as the source has it
	LinkageName  string // as the module has it
	InlinedAt    *Location
}

// String returns file:line:column, without what is unknown.
func (l Location) String() string {
	s := l.File
	if l.Line > 0 {
		s += ":" + strconv.Itoa(l.Line)
		if l.Column > 0 {
			s += ":" + strconv.Itoa(l.Column)
		}
	}
	return s
}

// deepestScope bounds chains of scopes and inlining, which hostile metadata can
// make circular.
const deepestScope = 1000

// Location follows a DILocation, DISubprogram or another scope to its source.
func (m *Module) Location(id int) (Location, bool) { return m.location(m.Node(id), 0) }

func (m *Module) location(n *Node, depth int) (Location, bool) {
	if n == nil || depth > deepestScope {
		return Location{}, false
	}
	var l Location
	fields := fieldsOf(n)
	l.Line, l.Column = fields.number("line"), 0
	scope := n
	if n.Kind() == "DILocation" {
		l.Column = fields.number("column")
		scope = m.fieldNode(fields, "scope")
		if at := m.fieldNode(fields, "inlinedAt"); at != nil {
			if outer, ok := m.location(at, depth+1); ok {
				l.InlinedAt = &outer
			}
		}
	}
	for range deepestScope {
		if scope == nil {
			break
		}
		fields := fieldsOf(scope)
		if l.File == "" {
			if file := m.fieldNode(fields, "file"); file != nil {
				ff := fieldsOf(file)
				l.File = joinFile(ff.text("directory"), ff.text("filename"))
			}
		}
		if scope.Kind() == "DISubprogram" {
			l.Function, l.LinkageName = fields.text("name"), fields.text("linkageName")
			break
		}
		scope = m.fieldNode(fields, "scope")
	}
	return l, l.File != ""
}

type mdFields []MDOperand

func fieldsOf(n *Node) mdFields { return n.Operands() }

func (f mdFields) get(name string) (MDOperand, bool) {
	for _, o := range f {
		if o.Field == name {
			return o, true
		}
	}
	return MDOperand{}, false
}

func (f mdFields) number(name string) int {
	o, _ := f.get(name)
	n, err := strconv.ParseUint(o.Text, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

func (f mdFields) text(name string) string {
	o, _ := f.get(name)
	s, _ := o.Str()
	return s
}

func (m *Module) fieldNode(f mdFields, name string) *Node {
	o, ok := f.get(name)
	if !ok {
		return nil
	}
	if id, ok := o.Node(); ok {
		return m.Node(id)
	}
	n, _ := o.Inline()
	return n
}

// joinFile joins directory and name of a DIFile, either of which may be that of
// Windows.
func joinFile(directory, name string) string {
	windows := len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/')
	switch {
	case name == "" || directory == "" || strings.HasPrefix(name, "/") || windows || strings.HasPrefix(name, `\\`):
		return name
	case strings.Contains(directory, `\`) && !strings.Contains(directory, "/"):
		return strings.TrimSuffix(directory, `\`) + `\` + name
	}
	return path.Join(directory, name)
}

// DebugLoc returns where the source defines the function.
func (f *Function) DebugLoc() (Location, bool) {
	id, ok := f.Metadata("dbg")
	if !ok {
		return Location{}, false
	}
	return f.m.Location(id)
}

// DebugLoc returns where the instruction comes from.
func (in *Instr) DebugLoc() (Location, bool) {
	if op := in.Op(); op[0] == '#' {
		for i := len(in.toks) - 1; i >= 0; i-- {
			if in.toks[i].kind == TokenMeta {
				return in.f.m.Location(nodeID(in.word(i)))
			}
		}
	}
	in.parse()
	for _, a := range in.attached {
		if in.text[a.kind.start:a.kind.end] != "!dbg" {
			continue
		}
		ref := a.ref.in(in.text)
		if id := nodeID(ref); id >= 0 {
			return in.f.m.Location(id)
		}
		return in.f.m.location(&Node{m: in.f.m, id: -1, text: ref}, 0)
	}
	return Location{}, false
}
