package llvmir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/scc"
)

// canonicalNodes holds the metadata nodes of a module that is being written. Identical nodes form a
// class and share a number.
type canonicalNodes struct {
	m       *Module
	unit    int         // the compile unit for all debug information, -1 for none
	class   map[int]int // of a node
	members []int       // a node of each class

	numbers map[int]int // of classes in the output
	used    []int       // the classes, by number
}

// newCanonicalNodes returns the nodes of a module, divided into classes. The symbols must be in
// output order.
func newCanonicalNodes(m *Module, symbols []Symbol) *canonicalNodes {
	n := &canonicalNodes{m: m, unit: -1, class: map[int]int{}, numbers: map[int]int{}}
	attached := map[int]bool{} // the subprograms of functions
	var roots []int
	for _, s := range symbols {
		f, ok := s.(*Function)
		if !ok || !f.defined {
			continue
		}
		if id, ok := f.Metadata("dbg"); ok && m.Node(id) != nil && !attached[id] {
			attached[id] = true
			roots = append(roots, id)
			if n.unit < 0 {
				n.unit = m.Node(id).unit()
			}
		}
	}
	var ids []int
	edges := map[int][]int{}
	for i := range m.items {
		if m.items[i].kind == itemNode && !m.items[i].gone {
			id := int(m.items[i].index)
			ids = append(ids, id)
			edges[id] = n.references(id)
		}
	}
	n.classify(append(roots, ids...), edges, attached)
	return n
}

// classify assigns classes to nodes, after the nodes that they refer to.
func (n *canonicalNodes) classify(ids []int, edges map[int][]int, attached map[int]bool) {
	at := make(map[int]int, len(ids))
	var nodes []int
	roots := make([]int, 0, len(ids))
	for _, id := range ids {
		if _, ok := at[id]; !ok {
			at[id] = len(nodes)
			roots = append(roots, len(nodes))
			nodes = append(nodes, id)
		}
	}
	graph := scc.Graph{Nodes: len(nodes), Edge: func(node, i int) (int, bool) {
		list := edges[nodes[node]]
		if i >= len(list) {
			return 0, false
		}
		return at[list[i]], true
	}}
	known := map[string]int{}  // classes by content
	owned := map[string]bool{} // classes with the subprogram of a function
	for _, component := range graph.Components(roots) {
		// A node that refers to itself is identical only to itself.
		if len(component) > 1 || slices.Contains(edges[nodes[component[0]]], nodes[component[0]]) {
			for _, k := range component {
				n.newClass(nodes[k])
			}
			continue
		}
		id := nodes[component[0]]
		node := n.m.Node(id)
		if node.Distinct() && node.kind() != "DISubprogram" && node.kind() != "DILexicalBlock" {
			n.newClass(id)
			continue
		}
		content := n.content(node)
		class, ok := known[content]
		switch {
		case !ok:
			known[content] = n.newClass(id)
		case attached[id] && owned[content]: // two functions must not share a subprogram
			n.newClass(id)
		default:
			n.class[id] = class
		}
		owned[content] = owned[content] || attached[id]
	}
}

func (n *canonicalNodes) newClass(id int) int {
	n.class[id] = len(n.members)
	n.members = append(n.members, id)
	return n.class[id]
}

// content returns the text of a node with the classes of its references.
func (n *canonicalNodes) content(node *Node) string {
	var b strings.Builder
	for t := range Tokens(node.text) {
		if id, ok := n.reference(t); ok {
			fmt.Fprintf(&b, "!%d ", n.class[id])
		} else {
			b.WriteString(t.Text + " ")
		}
	}
	return b.String()
}

// reference returns the node that a token refers to, mapping all compile units to one.
func (n *canonicalNodes) reference(t Token) (id int, ok bool) {
	if t.kind != tokenMeta {
		return 0, false
	}
	id, err := strconv.Atoi(t.Text[1:])
	if err != nil {
		return 0, false
	}
	node := n.m.Node(id)
	if node == nil {
		return 0, false
	}
	if n.unit >= 0 && node.kind() == "DICompileUnit" {
		id = n.unit
	}
	return id, true
}

// references returns the nodes that a node refers to.
func (n *canonicalNodes) references(id int) []int {
	var list []int
	for t := range Tokens(n.m.Node(id).text) {
		if to, ok := n.reference(t); ok {
			list = append(list, to)
		}
	}
	return list
}

// unit returns the compile unit of a subprogram, or -1.
func (n *Node) unit() int {
	for _, o := range n.Operands() {
		if o.Field == "unit" {
			if id, ok := o.NodeID(); ok && n.m.Node(id) != nil && n.m.Node(id).kind() == "DICompileUnit" {
				return id
			}
		}
	}
	return -1
}

// number returns a node reference with the number that the node has in the output. It returns other
// text unchanged.
func (n *canonicalNodes) number(ref string) string {
	id, ok := n.reference(Token{ref, tokenMeta})
	if !ok {
		return ref
	}
	class := n.class[id]
	if _, ok := n.numbers[class]; !ok {
		n.numbers[class] = len(n.used)
		n.used = append(n.used, class)
	}
	return "!" + strconv.Itoa(n.numbers[class])
}

// text returns the content of the node with a number in the output.
func (n *canonicalNodes) text(number int) string {
	return n.m.Node(n.members[n.used[number]]).text
}

// sorted returns operands of named metadata, sorted by content.
func (n *canonicalNodes) sorted(operands []NodeOperand) []string {
	type operand struct{ text, says string }
	list := make([]operand, len(operands))
	for i, o := range operands {
		list[i] = operand{o.Text, o.Text}
		if id, ok := o.NodeID(); ok && n.m.Node(id) != nil {
			list[i].says = n.withoutReferences(n.m.Node(id).text)
		}
	}
	slices.SortStableFunc(list, func(a, b operand) int { return strings.Compare(a.says, b.says) })
	texts := make([]string, len(list))
	for i, o := range list {
		texts[i] = o.text
	}
	return texts
}

// withoutReferences returns a text without references to nodes, because their numbers differ.
func (n *canonicalNodes) withoutReferences(text string) string {
	var b strings.Builder
	for t := range Tokens(text) {
		if _, ok := n.reference(t); !ok {
			b.WriteString(t.Text + " ")
		}
	}
	return b.String()
}
