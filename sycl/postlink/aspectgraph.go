package postlink

import (
	"regexp"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
)

// aspectGraph says which functions call which. Besides functions its nodes are
// aliases, sets of virtual functions and, in derived mode, variables, which may
// hold pointers to functions.
type aspectGraph struct {
	nodes   []graphNode
	index   map[string]int // by symbol
	virtual map[string]int // by the set's name
	callers [][]int32      // made when first needed
	order   [][]int32      // strongly connected components that roots reach, callees first

	routes    map[routeKey]*route
	uses      map[useKey]llvmir.Location
	callSites callSites
}

type graphNode struct {
	function *llvmir.Function // nil for other nodes
	symbol   string
	root     bool
	calls    []int32 // distinct, in the order of the first call

	before      aspectSet // the metadata that was there
	code        aspectSet // used by the function's signature and instructions
	own         aspectSet // either of them
	used        aspectSet // and by what it calls
	declared    aspectSet
	allDeclared aspectSet // by the function and what it calls
	declares    bool
	byAttribute bool // and does so by attribute

	attributes functionAttributes

	conditionalNode
}

// functionAttributes are the attributes that matter here. They are read once, as
// most stand in groups.
type functionAttributes struct {
	external          bool   // SYCL_EXTERNAL, or a kernel
	virtualSet        string // which the virtual function belongs to
	callsSets         string // of virtual functions, divided by commas
	deviceHas         *string
	noInline          bool
	conditionalCaller bool
}

func attributesOf(f *llvmir.Function) functionAttributes {
	var all functionAttributes
	for _, a := range f.Attributes() {
		switch a.Key {
		case attrModuleID:
			all.external = true
		case attrIndirectlyCallable:
			all.virtualSet = a.Value
		case attrCallsIndirectly:
			all.callsSets = a.Value
		case deviceHasAttribute:
			all.deviceHas = &a.Value
		case "noinline":
			all.noInline = true
		case conditionalCallAttribute:
			all.conditionalCaller = true
		}
	}
	return all
}

// builtin matches functions that look like SYCL_EXTERNAL ones of a source but are
// the compiler's.
var builtin = regexp.MustCompile(`^_Z\d+__(spirv|sycl)_`)

// addNodes makes the nodes, and the edges that do not come from calls.
func (p *propagation) addNodes() {
	size := len(p.module.Functions()) + len(p.module.Globals()) + len(p.module.Aliases())
	p.nodes = make([]graphNode, 0, size)
	p.index = make(map[string]int, size)
	p.virtual = map[string]int{}
	add := func(n graphNode) int {
		p.nodes = append(p.nodes, n)
		return len(p.nodes) - 1
	}
	for _, f := range p.module.Functions() {
		a := attributesOf(f)
		p.index[f.Name()] = add(graphNode{
			function:   f,
			symbol:     f.Name(),
			root:       f.Defined() && (f.Kernel() || a.external && !builtin.MatchString(f.Name())),
			attributes: a,
		})
	}
	functions := len(p.nodes)
	var holders []llvmir.Symbol
	for _, a := range p.module.Aliases() {
		holders = append(holders, a)
	}
	if p.derived {
		for _, g := range p.module.Globals() {
			holders = append(holders, g)
		}
	}
	for _, s := range holders {
		p.index[s.Name()] = add(graphNode{symbol: s.Name()})
	}
	for _, s := range holders {
		n := &p.nodes[p.index[s.Name()]]
		for _, name := range s.References() {
			if callee, ok := p.index[name]; ok {
				n.calls = append(n.calls, int32(callee))
			}
		}
	}
	for i := range functions {
		set := p.nodes[i].attributes.virtualSet
		if set == "" {
			continue
		}
		v, ok := p.virtual[set]
		if !ok {
			v = add(graphNode{})
			p.virtual[set] = v
		}
		p.nodes[v].calls = append(p.nodes[v].calls, int32(i))
	}
	for i := range functions {
		if !p.nodes[i].function.Defined() {
			continue
		}
		for _, set := range setNames(p.nodes[i].attributes.callsSets) {
			if v, ok := p.virtual[set]; ok && !slices.Contains(p.nodes[i].calls, int32(v)) {
				p.nodes[i].calls = append(p.nodes[i].calls, int32(v))
			}
		}
	}
}

// spread gives each function that a root reaches the aspects of those it calls.
func (p *propagation) spread() {
	for i := range p.nodes {
		n := &p.nodes[i]
		n.used, n.allDeclared, n.unconditional = n.own, n.declared, true
	}
	p.components()
	component := make([]int32, len(p.nodes))
	for c, members := range p.order {
		for _, v := range members {
			component[v] = int32(c) + 1
		}
	}
	for c, members := range p.order {
		var used, declared aspectSet
		var below conditions
		for _, v := range members {
			n := &p.nodes[v]
			used.join(n.own)
			declared.join(n.declared)
			for _, w := range n.calls {
				p.steps++
				if component[w] != int32(c)+1 {
					used.join(p.nodes[w].used)
					declared.join(p.nodes[w].allDeclared)
					below.join("", p.nodes[w].below)
				}
			}
			below.join("", n.stated)
			for _, call := range n.conditional {
				callee := &p.nodes[call.action]
				if component[call.action] == int32(c)+1 {
					continue // recursion: its members count without a condition
				}
				below.add(call.condition, callee.used)
				below.join(call.condition, callee.below)
				declared.join(callee.allDeclared)
			}
		}
		if len(below) > maxConditions {
			for _, set := range below {
				used.join(set)
			}
			below = nil
		}
		for _, v := range members {
			n := &p.nodes[v]
			n.used, n.allDeclared, n.below = used, declared, below
		}
	}
	if slices.ContainsFunc(p.nodes, func(n graphNode) bool { return n.conditional != nil }) {
		p.spreadContexts(component)
	}
}

// components finds the strongly connected components that roots reach with
// Tarjan's algorithm, without recursion, so that long call chains do no harm.
func (p *propagation) components() {
	const unseen = 0
	number := make([]int32, len(p.nodes)) // in the order of discovery, from 1
	low := make([]int32, len(p.nodes))
	onStack := make([]bool, len(p.nodes))
	var stack []int32
	type frame struct {
		node int32
		next int // of the callees
	}
	var frames []frame
	count := int32(0)
	enter := func(v int32) {
		count++
		number[v], low[v] = count, count
		stack = append(stack, v)
		onStack[v] = true
		frames = append(frames, frame{node: v})
	}
	for r := range p.nodes {
		if !p.nodes[r].root || number[r] != unseen {
			continue
		}
		enter(int32(r))
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			v := f.node
			p.steps++
			if w, ok := p.nodes[v].callee(f.next); ok {
				f.next++
				if number[w] == unseen {
					enter(w)
				} else if onStack[w] {
					low[v] = min(low[v], number[w])
				}
				continue
			}
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				caller := frames[len(frames)-1].node
				low[caller] = min(low[caller], low[v])
			}
			if low[v] == number[v] {
				at := len(stack) - 1
				for stack[at] != v {
					at--
				}
				members := slices.Clone(stack[at:])
				stack = stack[:at]
				for _, w := range members {
					onStack[w] = false
				}
				p.order = append(p.order, members)
			}
		}
	}
}

// callee returns a node's ith callee, those of conditional calls last.
func (n *graphNode) callee(i int) (int32, bool) {
	if i < len(n.calls) {
		return n.calls[i], true
	}
	if i -= len(n.calls); i < len(n.conditional) {
		return n.conditional[i].action, true
	}
	return 0, false
}

// A route leads from each node to the nearest function that itself uses an aspect,
// or declares it.
type route struct {
	distance []int32 // in calls, -1 when there is no such function
	end      []int32 // the node itself when there is none
}

type routeKey struct {
	bit      int
	declared bool
}

func (p *propagation) route(key routeKey) *route {
	if r, ok := p.routes[key]; ok {
		return r
	}
	if p.callers == nil {
		p.callers = make([][]int32, len(p.nodes))
		for v := range p.nodes {
			for i := 0; ; i++ {
				w, ok := p.nodes[v].callee(i)
				if !ok {
					break
				}
				p.callers[w] = append(p.callers[w], int32(v))
			}
		}
	}
	r := &route{make([]int32, len(p.nodes)), make([]int32, len(p.nodes))}
	for v := range p.nodes {
		r.distance[v], r.end[v] = -1, int32(v)
	}
	// Ends are tried in turn: metadata of a function may repeat what another run has
	// found in those that it calls.
	ends := []func(n *graphNode) bool{
		func(n *graphNode) bool {
			return n.code.has(key.bit) || n.before.has(key.bit) && !p.callsUser(n, key.bit)
		},
		func(n *graphNode) bool { return n.own.has(key.bit) },
	}
	if key.declared {
		ends = []func(n *graphNode) bool{func(n *graphNode) bool { return n.declared.has(key.bit) }}
	}
	for _, isEnd := range ends {
		var queue []int32
		for v := range p.nodes {
			if r.distance[v] < 0 && isEnd(&p.nodes[v]) {
				r.distance[v] = 0
				queue = append(queue, int32(v))
			}
		}
		for ; len(queue) > 0; queue = queue[1:] {
			w := queue[0]
			for _, v := range p.callers[w] {
				p.steps++
				if r.distance[v] < 0 {
					r.distance[v], r.end[v] = r.distance[w]+1, r.end[w]
					queue = append(queue, v)
				}
			}
		}
	}
	if p.routes == nil {
		p.routes = map[routeKey]*route{}
	}
	p.routes[key] = r
	return r
}

// callsUser reports whether a function calls one that uses an aspect, itself or
// through others.
func (p *propagation) callsUser(n *graphNode, bit int) bool {
	for i := 0; ; i++ {
		w, ok := n.callee(i)
		if !ok {
			return false
		}
		p.steps++
		if p.nodes[w].used.has(bit) {
			return true
		}
	}
}

// reason returns the route from a node to what makes it need an aspect: a use, else
// a declaration.
func (p *propagation) reason(v, bit int) *route {
	r := p.route(routeKey{bit: bit})
	if r.distance[v] < 0 {
		r = p.route(routeKey{bit, true})
	}
	return r
}

// next returns the first callee on the shortest way to a use, -1 when the node is
// at the end.
func (p *propagation) next(r *route, v int) int {
	for i := 0; ; i++ {
		w, ok := p.nodes[v].callee(i)
		if !ok {
			return -1
		}
		if r.distance[w] >= 0 && r.distance[w] == r.distance[v]-1 {
			return int(w)
		}
	}
}

// nextFunction is next for a use, over nodes that are no functions.
func (p *propagation) nextFunction(v, bit int) int {
	r := p.route(routeKey{bit: bit})
	for v = p.next(r, v); v >= 0 && p.nodes[v].function == nil; v = p.next(r, v) {
	}
	return v
}

// chain returns the functions from a function to one that uses an aspect, and
// where the use is.
func (p *propagation) chain(v, bit int) (*chain, llvmir.Location) {
	c := &chain{}
	c.add(chainName(p.nodes[v].function), llvmir.Location{})
	r := p.reason(v, bit)
	end := int(r.end[v])
	for r.distance[v] > 0 {
		w := p.next(r, v)
		if c.cut(p.nodes[end].function) {
			break
		}
		end = int(r.end[w])
		var call llvmir.Location
		if p.nodes[v].function != nil {
			call = p.callSites.find(p.nodes[v].function, p.nodes[w].symbol)
		}
		c.addCall(p.nodes[w].function, call)
		v = w
	}
	use := p.useLocation(end, bit)
	c.addInlined(use)
	return c, use
}

// origin returns what makes a function need an aspect.
func (p *propagation) origin(v, bit int) Origin {
	v = int(p.reason(v, bit).end[v])
	where := p.useLocation(v, bit)
	o := Origin{p.nodes[v].symbol, where}
	if where.InlinedAt != nil {
		if o.Function = where.LinkageName; o.Function == "" {
			o.Function = where.Function
		}
	}
	return o
}

type useKey struct{ node, bit int }

// useLocation returns where a function itself uses an aspect: at the first
// instruction with a location, else where the function is.
func (p *propagation) useLocation(v, bit int) llvmir.Location {
	key := useKey{v, bit}
	if where, ok := p.uses[key]; ok {
		return where
	}
	f := p.nodes[v].function
	where, _ := f.DebugLoc()
	if p.nodes[v].code.has(bit) && !p.signatureAspects(f).has(bit) {
		folded := foldedValues{}
		for in := range f.Body() {
			if set, err := p.instrAspects(f, in, folded); err == nil && set.has(bit) {
				if at, ok := in.DebugLoc(); ok && known(at) {
					where = at
					break
				}
			}
		}
	}
	if p.uses == nil {
		p.uses = map[useKey]llvmir.Location{}
	}
	p.uses[key] = where
	return where
}
