package aspects

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// Renumber changes the aspect numbers in a module's metadata to the numbers of package aspect.
// Compilers use the numbers of their release. !sycl_aspects has the names for these numbers or, if
// a module has lost it, the metadata of functions that use aspects has them. Numbers without a name
// stay unchanged.
func Renumber(m *llvmir.Module) error {
	r := &renumbering{module: m, to: map[int32]int32{}, done: map[int]bool{}}
	named := m.NamedMetadata(EnumerationMD)
	if named != nil {
		for _, id := range named.Nodes() {
			if !r.addPair(m.Node(id)) {
				return &devicecode.MetadataError{Msg: fmt.Sprintf("!%s: !%d is not a name and an i32", EnumerationMD, id)}
			}
		}
	} else {
		r.addFunctionPairs()
	}
	if !r.changes {
		return nil
	}
	if named != nil {
		for _, id := range named.Nodes() {
			r.pair(id)
		}
	}
	if types := m.NamedMetadata(typesUsingAspectsMD); types != nil {
		for _, id := range types.Nodes() {
			r.list(id)
		}
	}
	for _, f := range m.Functions() {
		r.function(f)
	}
	return r.err
}

// A renumbering holds the state of one call of Renumber. Nodes may be shared, so each is changed
// only once.
type renumbering struct {
	module  *llvmir.Module
	to      map[int32]int32
	changes bool
	done    map[int]bool
	err     error
}

// addPair records a pair of a name and a number.
func (r *renumbering) addPair(n *llvmir.Node) bool {
	name, value, ok := devicecode.AspectPair(n)
	// If names share a number, the first is used.
	if _, known := r.to[value]; !ok || known || value < 0 {
		return ok
	}
	if a, err := aspect.Parse(name); err == nil {
		r.to[value] = int32(a)
		r.changes = r.changes || value != int32(a)
	}
	return true
}

// addFunctionPairs records the pairs in metadata of functions.
func (r *renumbering) addFunctionPairs() {
	seen := map[int]bool{}
	for _, f := range r.module.Functions() {
		id, ok := f.Metadata(devicecode.UsedAspectsMD)
		if n := r.module.Node(id); ok && n != nil && !seen[id] {
			seen[id] = true
			for _, o := range n.Operands() {
				if pair, ok := devicecode.OperandNode(r.module, o); ok {
					r.addPair(pair)
				}
			}
		}
	}
}

func (r *renumbering) function(f *llvmir.Function) {
	for _, kind := range []string{devicecode.UsedAspectsMD, devicecode.DeclaredAspectsMD, devicecode.FixedTargetsMD} {
		if id, ok := f.Metadata(kind); ok {
			r.list(id)
		}
	}
	if id, ok := f.Metadata(conditionalAspectsMD); ok {
		r.conditions(id)
	}
	if text, ok := f.Attribute(deviceHasAttribute); ok {
		f.SetAttribute(deviceHasAttribute, r.words(text))
	}
	if !f.Defined() {
		return
	}
	for in := range f.Body() {
		if id, ok := in.Metadata(devicecode.UsedAspectsMD); ok {
			r.list(id)
		}
	}
}

// list renumbers a node with numbers, and pairs of a name and a number. Strings stay unchanged.
func (r *renumbering) list(id int) {
	n := r.firstVisit(id)
	if n == nil {
		return
	}
	var words []string
	for _, o := range n.Operands() {
		words = append(words, r.operand(o))
	}
	r.set(n, words)
}

// pair renumbers a node with a name and a number.
func (r *renumbering) pair(id int) {
	n := r.firstVisit(id)
	if n == nil {
		return
	}
	if operands := n.Operands(); len(operands) == 2 {
		r.set(n, []string{operands[0].Text, r.operand(operands[1])})
	}
}

// conditions renumbers the lists of aspects in a list of pairs of a condition and aspects.
func (r *renumbering) conditions(id int) {
	n := r.firstVisit(id)
	if n == nil {
		return
	}
	for _, o := range n.Operands() {
		pair, ok := devicecode.OperandNode(r.module, o)
		if !ok || len(pair.Operands()) != 2 {
			continue
		}
		if id, ok := pair.Operands()[1].NodeID(); ok {
			r.list(id)
		}
	}
}

func (r *renumbering) operand(o llvmir.NodeOperand) string {
	if id, ok := o.NodeID(); ok {
		if _, _, ok := devicecode.AspectPair(r.module.Node(id)); ok {
			r.pair(id)
		}
		return o.Text
	}
	if value, ok := o.Int(); ok && devicecode.FitsAspect(value) {
		if to, ok := r.to[int32(value)]; ok {
			return "i32 " + strconv.Itoa(int(to))
		}
	}
	if n, ok := o.Inline(); ok {
		if name, value, ok := devicecode.AspectPair(n); ok {
			if to, ok := r.to[value]; ok {
				return fmt.Sprintf("!{!%s, i32 %d}", devicecode.MDString(name), to)
			}
		}
	}
	return o.Text
}

// words returns the comma-separated numbers of an attribute renumbered.
func (r *renumbering) words(text string) string {
	words := strings.Split(text, ",")
	for i, word := range words {
		if value, err := strconv.ParseInt(strings.TrimSpace(word), 10, 32); err == nil {
			if to, ok := r.to[int32(value)]; ok {
				words[i] = strconv.Itoa(int(to))
			}
		}
	}
	return strings.Join(words, ",")
}

// firstVisit returns a node, or nil if an earlier call returned it.
func (r *renumbering) firstVisit(id int) *llvmir.Node {
	if r.done[id] {
		return nil
	}
	r.done[id] = true
	return r.module.Node(id)
}

func (r *renumbering) set(n *llvmir.Node, words []string) {
	old := n.Operands()
	if slices.EqualFunc(old, words, func(o llvmir.NodeOperand, word string) bool { return o.Text == word }) {
		return
	}
	text := "!{" + strings.Join(words, ", ") + "}"
	if n.Distinct() {
		text = "distinct " + text
	}
	if err := r.module.SetNode(n.ID(), text); err != nil && r.err == nil {
		r.err = err
	}
}
