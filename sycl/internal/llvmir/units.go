package llvmir

import (
	"slices"
	"strconv"
	"strings"
)

// unitFields are the fields of DICompileUnit that list entities of its source. Only debuggers need
// them, and each list refers to debug information of all functions and variables of the source.
var unitFields = []string{"enums", "retainedTypes", "globals", "imports"}

// A unit is a compile unit of debug information.
type unit struct {
	refs  []uint32 // its references outside of its lists
	lists []*unitList
}

// A unitList is one of the lists of a unit.
type unitList struct {
	field   string
	item    uint32 // of its node, if it has a number
	numeric bool
	size    int // number of members, including members without a number
}

// A unitMember is the position of a node in a list.
type unitMember struct {
	list  *unitList
	order int
	id    int // of the node
}

// addUnit records a compile unit node, and ignores other nodes.
func (l *subsetLists) addUnit(m *Module, i uint32) {
	if !strings.Contains(m.text(i), "!DICompileUnit(") {
		return
	}
	n := m.entityOf(i).(*Node)
	if n.kind() != "DICompileUnit" {
		return
	}
	u := &unit{}
	var rest strings.Builder // the text without its lists
	for _, o := range n.Operands() {
		list := &unitList{field: o.Field}
		node, inline := o.Inline()
		if id, ok := o.NodeID(); ok {
			list.item, list.numeric = m.nodes.find(uint32(id))
			node = m.Node(id)
		}
		if !slices.Contains(unitFields, o.Field) || node == nil || node.kind() != "" || !inline && !list.numeric {
			rest.WriteString(o.Text + " ")
			continue
		}
		for order, member := range node.Operands() {
			list.size++
			if id, ok := member.NodeID(); ok {
				if at, ok := m.nodes.find(uint32(id)); ok {
					l.members[at] = append(l.members[at], unitMember{list, order, id})
				}
			}
		}
		u.lists = append(u.lists, list)
	}
	u.refs = m.scan(rest.String(), i, nil)
	l.compileUnits[i] = u
}

// unitText returns a compile unit whose lists have only the members in kept. Complete lists are
// unchanged, and empty lists are removed.
func (m *Module) unitText(i uint32, u *unit, kept map[*unitList][]unitMember) string {
	changed := map[string]string{}
	for _, list := range u.lists {
		members := kept[list]
		if len(members) == list.size {
			continue
		}
		slices.SortFunc(members, func(a, b unitMember) int { return a.order - b.order })
		words := make([]string, len(members))
		for k, member := range members {
			words[k] = "!" + strconv.Itoa(member.id)
		}
		changed[list.field] = "!{" + strings.Join(words, ", ") + "}"
	}
	text := m.text(i)
	if len(changed) == 0 {
		return text
	}
	var fields []string
	for _, o := range m.entityOf(i).(*Node).Operands() {
		value, ok := changed[o.Field]
		switch {
		case value == "!{}":
			continue
		case !ok:
			value = o.Text
		}
		if o.Field != "" {
			value = o.Field + ": " + value
		}
		fields = append(fields, value)
	}
	head, _, _ := strings.Cut(text, "(")
	return head + "(" + strings.Join(fields, ", ") + ")"
}
