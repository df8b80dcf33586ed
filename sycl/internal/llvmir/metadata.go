package llvmir

import (
	"fmt"
	"strconv"
	"strings"
)

// A Node is a metadata node, numbered or inline.
type Node struct {
	m    *Module
	id   int
	item uint32
	text string
}

func (n *Node) entity() uint32 { return n.item }

// Node returns the node with a number, or nil if there is none.
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

// ID returns the node's number, or -1 if it is inline.
func (n *Node) ID() int { return n.id }

// Text returns the text after "=".
func (n *Node) Text() string { return n.text }

// Distinct reports whether the node is distinct.
func (n *Node) Distinct() bool { return strings.HasPrefix(n.text, "distinct ") }

// kind returns the kind of a specialized node, such as DISubprogram, or "" for a tuple.
func (n *Node) kind() string {
	body := strings.TrimPrefix(n.text, "distinct ")
	if end := wordEnd(body, min(1, len(body))); end > 1 && body[0] == '!' {
		return body[1:end]
	}
	return ""
}

// A NodeOperand is an operand of a metadata node. In a specialized node, it has the field's name.
type NodeOperand struct {
	Field string
	Text  string
	m     *Module
}

// Operands returns the operands of the node.
func (n *Node) Operands() []NodeOperand {
	lx := lexer{text: n.text, limit: len(n.text)}
	// The node starts with distinct, ! or the kind; the operands are in brackets.
	for open := false; !open; {
		t := lx.next()
		if t.kind == tokenEnd || t.kind == tokenBad {
			return nil
		}
		open = t.kind == tokenPunct && (n.text[t.start] == '{' || n.text[t.start] == '(')
	}
	l := operandList{n: n}
	depth := 0
	for {
		t := lx.next()
		if t.kind == tokenEnd || t.kind == tokenBad {
			return l.end()
		}
		if t.kind == tokenPunct {
			c := n.text[t.start]
			depth += nesting(c)
			switch {
			case depth < 0:
				return l.end()
			case depth == 0 && c == ',':
				l.next()
				continue
			case depth == 0 && c == ':' && l.field():
				continue
			}
		}
		l.extend(t)
	}
}

// nesting returns 1 for a byte that opens a group and -1 for one that closes a group.
func nesting(c byte) int {
	switch c {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// An operandList collects the operands of a node.
type operandList struct {
	n    *Node
	list []NodeOperand
	name string // field of the current operand
	at   span   // its text
}

// extend adds a token to the current operand.
func (l *operandList) extend(t token) {
	if !l.at.ok() {
		l.at.start = t.start
	}
	l.at.end = t.end
}

// field makes the current operand's text its field name, unless it already has a field name.
func (l *operandList) field() bool {
	if !l.at.ok() || l.name != "" {
		return false
	}
	l.name, l.at = l.at.in(l.n.text), span{}
	return true
}

// next ends the current operand.
func (l *operandList) next() {
	if l.at.ok() {
		l.list = append(l.list, NodeOperand{l.name, l.at.in(l.n.text), l.n.m})
	}
	l.name, l.at = "", span{}
}

func (l *operandList) end() []NodeOperand { l.next(); return l.list }

// Field returns the operand of a field of a specialized node, or an empty operand if there is none.
func (n *Node) Field(name string) NodeOperand {
	for _, o := range n.Operands() {
		if o.Field == name {
			return o
		}
	}
	return NodeOperand{}
}

// Ints returns the integer operands of the node.
func (n *Node) Ints() []int64 {
	var list []int64
	for _, o := range n.Operands() {
		if v, ok := o.Int(); ok {
			list = append(list, v)
		}
	}
	return list
}

// Strings returns the string operands of the node.
func (n *Node) Strings() []string {
	var list []string
	for _, o := range n.Operands() {
		if s, ok := o.StringValue(); ok {
			list = append(list, s)
		}
	}
	return list
}

// NodeID returns the number of the node that the operand refers to.
func (o NodeOperand) NodeID() (int, bool) { id := nodeID(o.Text); return id, id >= 0 }

// StringValue returns the content of a metadata string, or of a field that is a string.
func (o NodeOperand) StringValue() (string, bool) {
	text := strings.TrimPrefix(o.Text, "!")
	if len(text) >= 2 && text[0] == '"' && stringEnd(text, 0) == len(text) {
		return stringValue(text), true
	}
	return "", false
}

// Int returns the value of an integer, such as i32 5 or a field line: 5.
func (o NodeOperand) Int() (int64, bool) {
	text := o.Text
	if o.Field == "" {
		v, ok := o.value()
		if !ok {
			return 0, false
		}
		return v.Int()
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// value returns the value of an operand that is a typed value, such as ptr @f.
func (o NodeOperand) value() (Value, bool) {
	if o.Text == "" || o.Text[0] == '!' || o.Text == "null" {
		return Value{}, false
	}
	v, err := o.m.Value(o.Text)
	return v, err == nil
}

// Inline returns the node of an operand that is an inline node.
func (o NodeOperand) Inline() (*Node, bool) {
	if _, ok := o.NodeID(); ok || len(o.Text) < 2 || o.Text[0] != '!' || o.Text[1] == '"' {
		return nil, false
	}
	return &Node{m: o.m, id: -1, text: o.Text}, true
}

// A NamedMetadata is a named list of metadata nodes.
type NamedMetadata struct {
	m    *Module
	name string
	item uint32
}

func (n *NamedMetadata) entity() uint32 { return n.item }

// Nodes returns the numbers of the nodes, without inline ones.
func (n *NamedMetadata) Nodes() []int {
	var ids []int
	for _, o := range n.operands() {
		if id, ok := o.NodeID(); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (n *NamedMetadata) operands() []NodeOperand {
	return (&Node{m: n.m, text: n.m.nodeText(n.item)}).Operands()
}

// NamedMetadata returns the named metadata with a name, or nil if there is none.
func (m *Module) NamedMetadata(name string) *NamedMetadata { return m.namedIDs[name] }

// unescapeName and escapeName convert metadata names, in which \xx escapes a character without
// quotes.
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

// FreeNode returns an unused metadata node number.
func (m *Module) FreeNode() int { return m.nodes.free() }

// AddNode adds a tuple of the given content, such as "i32 8, i32 1", and returns
// its number.
func (m *Module) AddNode(content string) int {
	id := m.FreeNode()
	m.mustAdd("!" + strconv.Itoa(id) + " = !{" + content + "}")
	return id
}

// SetNode replaces a node; text is the part after "=".
func (m *Module) SetNode(id int, text string) error {
	if n := m.Node(id); n == nil {
		return fmt.Errorf("undefined metadata node !%d", id)
	}
	at, _ := m.nodes.find(uint32(id))
	entity := "!" + strconv.Itoa(id) + " = " + text
	if err := check(entity); err != nil {
		return err
	}
	m.rewrite(at, entity)
	return nil
}

// AppendNamed adds nodes to named metadata, creating it if necessary.
func (m *Module) AppendNamed(name string, nodes ...int) {
	var refs []string
	if n := m.NamedMetadata(name); n != nil {
		for _, o := range n.operands() {
			refs = append(refs, o.Text)
		}
	}
	for _, id := range nodes {
		refs = append(refs, "!"+strconv.Itoa(id))
	}
	m.setNamed(name, refs)
}

// SetNamed replaces the nodes of named metadata. Without nodes, it deletes the metadata.
func (m *Module) SetNamed(name string, nodes ...int) {
	var refs []string
	for _, id := range nodes {
		refs = append(refs, "!"+strconv.Itoa(id))
	}
	m.setNamed(name, refs)
}

// MarkNamed adds named metadata without nodes, unless there already is metadata with the name.
func (m *Module) MarkNamed(name string) {
	if m.NamedMetadata(name) == nil {
		m.mustAdd("!" + escapeName(name) + " = !{}")
	}
}

func (m *Module) setNamed(name string, refs []string) {
	old := m.NamedMetadata(name)
	text := "!" + escapeName(name) + " = !{" + strings.Join(refs, ", ") + "}"
	switch {
	case old == nil && len(refs) == 0:
	case old == nil:
		m.mustAdd(text)
	case len(refs) == 0:
		m.items[old.item].gone = true
		delete(m.namedIDs, name)
		m.invalidate(old.item)
	default:
		m.rewrite(old.item, text)
	}
}
