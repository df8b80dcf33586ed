package aspects

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// conditionalCallAttribute marks DPC++'s functions that call their first argument only on devices
// for which an expression is true. Their other integer arguments encode the expression. The caller
// does not require the callee's aspects.
const conditionalCallAttribute = "sycl-call-if-on-device-conditionally"

// maxConditions limits the number of separate conditions. If there are more, conditional aspects
// count for all devices, which is conservative.
const maxConditions = 64

// maxConditionLength limits the length of a condition, in bytes of its text.
const maxConditionLength = 1 << 10

// conditions holds the aspects that are used under each condition. A condition is the text of a
// list of distinct integers, such as "i32 1, i32 2".
type conditions map[string]aspectSet

type conditionalCall struct {
	action    int32
	condition string
}

// A conditionalNode holds the conditions of a node of the call graph.
type conditionalNode struct {
	conditional   []conditionalCall
	actions       []int32         // of a declared function that calls conditionally: its callees, at most maxConditions+1
	stated        conditions      // in metadata
	below         conditions      // of the function and what it calls
	unconditional bool            // whether some root calls it without a condition
	contexts      map[string]bool // the conditions under which roots call it
}

func (c *conditions) add(condition string, set aspectSet) {
	if set == (aspectSet{}) {
		return
	}
	if *c == nil {
		*c = conditions{}
	}
	set.join((*c)[condition])
	(*c)[condition] = set
}

// join adds the aspects of other conditions, combined with an outer one.
func (c *conditions) join(outer string, o conditions) {
	for inner, set := range o {
		c.add(conjunction(outer, inner), set)
	}
}

// conjunction returns the conjunction of two conditions: the union of their integers.
func conjunction(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	words := strings.Split(a, ", ")
	for word := range strings.SplitSeq(b, ", ") {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// conditionOf returns the condition for a list of integers. If the list is too long, the condition
// is longer than maxConditionLength.
func conditionOf(values iter.Seq[int64]) string {
	var words []string
	length := 0
	for value := range values {
		word := fmt.Sprintf("i32 %d", value)
		if slices.Contains(words, word) {
			continue
		}
		words = append(words, word)
		if length += len(word); length > maxConditionLength {
			break
		}
	}
	return strings.Join(words, ", ")
}

// integerOperands returns the integer operands of a call, except the first operand.
func integerOperands(in *llvmir.Instr) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for k := 1; k < in.NumOperands(); k++ {
			if value, ok := in.Operand(k).Int(); ok && !yield(value) {
				return
			}
		}
	}
}

// conditionalCall reports whether an instruction is a conditional call, and records it.
func (p *propagation) conditionalCall(i int, in *llvmir.Instr) bool {
	name, ok := in.Callee()
	if !ok {
		return false
	}
	action, ok := p.index[name]
	if !ok || !p.nodes[action].attributes.conditionalCaller {
		return false
	}
	if in.NumOperands() == 0 {
		return false
	}
	// Until DPC++ lowers the call, the function calls the action itself.
	if declared := &p.nodes[action]; !declared.function.Defined() {
		var symbol string
		if symbol, ok = in.Operand(0).BaseGlobal(); ok {
			action, ok = p.index[symbol]
		}
		if f := p.nodes[action].function; ok && f != nil && f.Defined() && len(declared.actions) <= maxConditions && !slices.Contains(declared.actions, int32(action)) {
			declared.actions = append(declared.actions, int32(action))
		}
	}
	if !ok {
		return false
	}
	condition := conditionOf(integerOperands(in))
	if condition == "" || len(condition) > maxConditionLength || len(p.nodes[i].conditional) > maxConditions {
		p.nodes[i].calls = append(p.nodes[i].calls, int32(action))
		return true
	}
	call := conditionalCall{int32(action), condition}
	if !slices.Contains(p.nodes[i].conditional, call) {
		p.nodes[i].conditional = append(p.nodes[i].conditional, call)
	}
	return true
}

// propagateContexts determines the conditions under which each function is called.
func (p *propagation) propagateContexts() {
	for _, members := range slices.Backward(p.order) {
		// Callers were visited before: members of a component share their conditions.
		always, contexts := false, map[string]bool{}
		for _, v := range members {
			n := &p.nodes[v]
			always = always || n.root || n.contexts[""]
			maps.Copy(contexts, n.contexts)
		}
		if len(contexts) > maxConditions {
			always, contexts = true, map[string]bool{}
		}
		if always {
			contexts[""] = true
		}
		for _, v := range members {
			p.nodes[v].unconditional, p.nodes[v].contexts = always, contexts
			p.enterCallees(v, contexts)
		}
	}
}

// enterCallees records the conditions under which a function calls its callees.
func (p *propagation) enterCallees(v int, contexts map[string]bool) {
	for _, w := range p.nodes[v].calls {
		p.nodes[w].addContexts("", contexts)
	}
	for _, call := range p.nodes[v].conditional {
		if p.component[call.action] != p.component[v] {
			p.nodes[call.action].addContexts(call.condition, contexts)
		}
	}
}

// addContexts records a call of a function under a condition, by a function that is itself called
// under the conditions in outer.
func (n *graphNode) addContexts(condition string, outer map[string]bool) {
	for o := range outer {
		c := conjunction(o, condition)
		if len(n.contexts) > maxConditions || len(c) > maxConditionLength {
			c = ""
		}
		if n.contexts == nil {
			n.contexts = map[string]bool{}
		}
		n.contexts[c] = true
	}
}

// writeConditional writes the aspects that functions use under conditions.
func (p *propagation) writeConditional() {
	nodes := sharedNodes{p.module, map[string]int{}}
	for i := range p.nodes {
		n := &p.nodes[i]
		// A function with too many conditional callees has no list, because the list would be
		// incomplete.
		if n.function == nil || !n.function.Defined() && (len(n.actions) == 0 || len(n.actions) > maxConditions) {
			continue
		}
		if pairs := p.conditionPairs(n, nodes); len(pairs) > 0 {
			n.function.SetMetadata(conditionalAspectsMD, nodes.id(strings.Join(pairs, ", ")))
		}
	}
}

// sharedNodes adds metadata nodes to a module, one per distinct content.
type sharedNodes struct {
	module *llvmir.Module
	ids    map[string]int
}

func (s sharedNodes) id(content string) int {
	id, ok := s.ids[content]
	if !ok {
		id = s.module.AddNode(content)
		s.ids[content] = id
	}
	return id
}

// conditionPairs returns a function's conditions with the aspects of each, as metadata operands.
func (p *propagation) conditionPairs(n *graphNode, nodes sharedNodes) []string {
	all := n.usedUnder()
	for _, action := range n.actions {
		all.join("", p.nodes[action].usedUnder())
	}
	var pairs []string
	for _, condition := range slices.Sorted(maps.Keys(all)) {
		set := all[condition]
		set.remove(p.excluded)
		set.join(n.stated[condition])
		if set == (aspectSet{}) {
			continue
		}
		var list []string
		for _, bit := range p.sorted(set) {
			list = append(list, fmt.Sprintf("i32 %d", p.numbers[bit]))
		}
		pairs = append(pairs, fmt.Sprintf("!%d", nodes.id(fmt.Sprintf("!%d, !%d", nodes.id(condition), nodes.id(strings.Join(list, ", "))))))
	}
	return pairs
}

// usedUnder returns the aspects that a function uses under each condition.
func (n *graphNode) usedUnder() conditions {
	var all conditions
	if n.unconditional {
		all.join("", n.below)
	}
	for context := range n.contexts {
		if context != "" {
			all.add(context, n.used)
			all.join(context, n.below)
		}
	}
	return all
}

// statedConditions reads a function's metadata about conditional use.
func (p *propagation) statedConditions(f *llvmir.Function) (conditions, error) {
	id, ok := f.Metadata(conditionalAspectsMD)
	if !ok {
		return nil, nil
	}
	bad := &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("!%s: !%d is not a list of pairs of a condition and aspects", conditionalAspectsMD, id)}
	list := p.module.Node(id)
	if list == nil {
		return nil, bad
	}
	var all conditions
	for _, operand := range list.Operands() {
		condition, aspects, ok := p.conditionPair(operand)
		if !ok {
			return nil, bad
		}
		var set aspectSet
		for _, value := range aspects {
			if err := p.put(&set, value); err != nil {
				return nil, err
			}
		}
		all.add(condition, set)
	}
	return all, nil
}

// conditionPair reads a pair of a condition and aspects.
func (p *propagation) conditionPair(o llvmir.NodeOperand) (condition string, aspects []int32, ok bool) {
	pair, ok := devicecode.OperandNode(p.module, o)
	if !ok || len(pair.Operands()) != 2 {
		return "", nil, false
	}
	first, ok1 := devicecode.OperandNode(p.module, pair.Operands()[0])
	second, ok2 := devicecode.OperandNode(p.module, pair.Operands()[1])
	if !ok1 || !ok2 {
		return "", nil, false
	}
	condition = conditionOf(slices.Values(first.Ints()))
	aspects, ok = devicecode.NodeAspects(p.module, second)
	return condition, aspects, ok && condition != "" && len(condition) <= maxConditionLength
}
