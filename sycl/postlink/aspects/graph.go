package aspects

import (
	"regexp"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/internal/scc"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// An aspectGraph is a call graph. Its nodes are functions, aliases, sets of virtual functions and,
// in derived mode, variables, which may contain pointers to functions.
type aspectGraph struct {
	nodes     []graphNode
	index     map[string]int // by symbol
	sets      map[string]int // the nodes of sets of virtual functions
	callers   [][]int32      // created on first use
	order     [][]int        // strongly connected components that roots reach, callees first
	component []int32        // of a node: its place in order, -1 if no root reaches it

	routes    map[routeKey]*route
	uses      map[useKey]llvmir.Frame
	callSites devicecode.CallSites
}

type graphNode struct {
	function *llvmir.Function // nil for other nodes
	symbol   string
	root     bool
	calls    []int32 // distinct, in order of the first call

	before      aspectSet // the original metadata
	code        aspectSet // used by the function's signature and instructions
	own         aspectSet // before and code
	used        aspectSet // by the function and its callees
	declared    aspectSet
	allDeclared aspectSet // by the function and its callees
	declares    bool
	byAttribute bool // and does so by attribute
	virtualCall bool // itself

	attributes functionAttributes

	conditionalNode
}

// functionAttributes holds the attributes of a function that this package uses. They are read only
// once, because most are in groups.
type functionAttributes struct {
	external          bool   // SYCL_EXTERNAL, or a kernel
	virtualSet        string // set that the virtual function belongs to
	callsSets         string // sets of virtual functions that it calls, separated by commas
	deviceHas         *string
	noInline          bool
	conditionalCaller bool
}

func attributesOf(f *llvmir.Function) functionAttributes {
	var all functionAttributes
	for _, a := range f.Attributes() {
		switch a.Key {
		case devicecode.AttrModuleID:
			all.external = true
		case devicecode.AttrIndirectlyCallable:
			all.virtualSet = a.Value
		case devicecode.AttrCallsIndirectly:
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

// builtin matches compiler functions that cannot be distinguished from a source's SYCL_EXTERNAL
// functions.
var builtin = regexp.MustCompile(`^_Z\d+__(spirv|sycl)_`)

// addNodes creates the nodes, and the edges that are not calls.
func (p *propagation) addNodes() {
	size := len(p.module.Functions()) + len(p.module.Globals()) + len(p.module.Aliases())
	p.nodes = make([]graphNode, 0, size)
	p.index = make(map[string]int, size)
	for _, f := range p.module.Functions() {
		a := attributesOf(f)
		p.addNode(graphNode{
			function:   f,
			symbol:     f.Name(),
			root:       f.Defined() && (f.Kernel() || a.external && !builtin.MatchString(f.Name())),
			attributes: a,
		})
	}
	functions := len(p.nodes)
	p.addHolders()
	p.addVirtualSets(functions)
}

// addNode adds a node, with or without a symbol.
func (p *propagation) addNode(n graphNode) int {
	if n.symbol != "" {
		p.index[n.symbol] = len(p.nodes)
	}
	p.nodes = append(p.nodes, n)
	return len(p.nodes) - 1
}

// addHolders adds nodes for the aliases and variables that contain pointers to functions.
func (p *propagation) addHolders() {
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
		p.addNode(graphNode{symbol: s.Name()})
	}
	for _, s := range holders {
		n := &p.nodes[p.index[s.Name()]]
		for _, name := range s.References() {
			if callee, ok := p.index[name]; ok {
				n.calls = append(n.calls, int32(callee))
			}
		}
	}
}

// addVirtualSets adds nodes for the sets of virtual functions to the nodes of functions. A set
// calls its members.
func (p *propagation) addVirtualSets(functions int) {
	p.sets = map[string]int{}
	for i := range functions {
		set := p.nodes[i].attributes.virtualSet
		if set == "" {
			continue
		}
		v, ok := p.sets[set]
		if !ok {
			v = p.addNode(graphNode{})
			p.sets[set] = v
		}
		p.nodes[v].calls = append(p.nodes[v].calls, int32(i))
	}
}

// callVirtualSets adds edges from functions that reach a virtual call to the sets that they name. A
// function that only creates objects also names sets, but does not depend on them.
func (p *propagation) callVirtualSets() {
	if len(p.sets) == 0 {
		return
	}
	calls := p.newRoute()
	p.extendRoutes(calls, func(n *graphNode) bool { return n.virtualCall })
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.function == nil || calls.distance[i] < 0 {
			continue
		}
		for _, set := range devicecode.SetNames(n.attributes.callsSets) {
			if v, ok := p.sets[set]; ok && !slices.Contains(n.calls, int32(v)) {
				n.calls = append(n.calls, int32(v))
			}
		}
	}
	p.callers = nil // there are more callers now
}

// propagate adds to each function that a root reaches the aspects of its callees.
func (p *propagation) propagate() {
	for i := range p.nodes {
		n := &p.nodes[i]
		n.used, n.allDeclared, n.unconditional = n.own, n.declared, true
	}
	p.findComponents()
	for c := range p.order {
		p.propagateTo(int32(c))
	}
	if slices.ContainsFunc(p.nodes, func(n graphNode) bool { return n.conditional != nil }) {
		p.propagateContexts()
	}
}

// findComponents finds the strongly connected components that roots reach.
func (p *propagation) findComponents() {
	var roots []int
	for i := range p.nodes {
		if p.nodes[i].root {
			roots = append(roots, i)
		}
	}
	g := scc.Graph{Nodes: len(p.nodes), Edge: func(v, i int) (int, bool) {
		p.steps++
		w, ok := p.nodes[v].callee(i)
		return int(w), ok
	}}
	p.order = g.Components(roots)
	p.component = make([]int32, len(p.nodes))
	for i := range p.component {
		p.component[i] = -1
	}
	for c, members := range p.order {
		for _, v := range members {
			p.component[v] = int32(c)
		}
	}
}

// propagateTo adds to the members of a component the aspects of all members and callees. Callees in
// other components were visited before.
func (p *propagation) propagateTo(c int32) {
	var all graphNode
	for _, v := range p.order[c] {
		p.joinCalls(&all, v)
	}
	if len(all.below) > maxConditions {
		for _, set := range all.below {
			all.used.join(set)
		}
		all.below = nil
	}
	for _, v := range p.order[c] {
		n := &p.nodes[v]
		n.used, n.allDeclared, n.below = all.used, all.allDeclared, all.below
	}
}

// joinCalls adds to all the aspects that node v uses and declares, and the aspects of its callees.
func (p *propagation) joinCalls(all *graphNode, v int) {
	n := &p.nodes[v]
	all.used.join(n.own)
	all.allDeclared.join(n.declared)
	for _, w := range n.calls {
		p.steps++
		if p.component[w] != p.component[v] {
			callee := &p.nodes[w]
			all.used.join(callee.used)
			all.allDeclared.join(callee.allDeclared)
			all.below.join("", callee.below)
		}
	}
	all.below.join("", n.stated)
	for _, call := range n.conditional {
		if p.component[call.action] == p.component[v] {
			continue // recursion: members of a component count without a condition
		}
		callee := &p.nodes[call.action]
		all.below.add(call.condition, callee.used)
		all.below.join(call.condition, callee.below)
		all.allDeclared.join(callee.allDeclared)
	}
}

// callee returns a node's ith callee. Callees of conditional calls come last.
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
	distance []int32 // in calls, -1 if there is none
	end      []int32 // the node itself if there is none
}

type routeKey struct {
	bit      int
	declared bool
}

func (p *propagation) route(key routeKey) *route {
	if r, ok := p.routes[key]; ok {
		return r
	}
	r := p.newRoute()
	// Ends are added in several rounds, because a function's metadata may repeat what an earlier run
	// found in its callees.
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
		p.extendRoutes(r, isEnd)
	}
	if p.routes == nil {
		p.routes = map[routeKey]*route{}
	}
	p.routes[key] = r
	return r
}

// newRoute returns a route without an end.
func (p *propagation) newRoute() *route {
	if p.callers == nil {
		p.findCallers()
	}
	r := &route{make([]int32, len(p.nodes)), make([]int32, len(p.nodes))}
	for v := range p.nodes {
		r.distance[v], r.end[v] = -1, int32(v)
	}
	return r
}

func (p *propagation) findCallers() {
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

// extendRoutes adds routes from nodes without one to the nearest of the additional ends.
func (p *propagation) extendRoutes(r *route, isEnd func(*graphNode) bool) {
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

// callsUser reports whether a function calls a function that uses an aspect, directly or
// indirectly.
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

// reason returns the route from a node to the use of an aspect, or else to its declaration.
func (p *propagation) reason(v, bit int) *route {
	r := p.route(routeKey{bit: bit})
	if r.distance[v] < 0 {
		r = p.route(routeKey{bit, true})
	}
	return r
}

// next returns the first callee on the shortest route to a use, or -1 at the end.
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

// nextFunction is like next for a route to a use, but skips nodes that are not functions.
func (p *propagation) nextFunction(v, bit int) int {
	r := p.route(routeKey{bit: bit})
	for v = p.next(r, v); v >= 0 && p.nodes[v].function == nil; v = p.next(r, v) {
	}
	return v
}

// chain returns the chain of calls from node v to a function that uses an aspect, and the location
// of the use.
func (p *propagation) chain(v, bit int) (*devicecode.Chain, llvmir.Frame) {
	c := devicecode.NewChain(p.nodes[v].function)
	r := p.reason(v, bit)
	end := int(r.end[v])
	for r.distance[v] > 0 {
		w := p.next(r, v)
		if c.Cut(p.nodes[end].function) {
			break
		}
		end = int(r.end[w])
		var call llvmir.Frame
		if p.nodes[v].function != nil {
			call = p.callSites.Find(p.nodes[v].function, p.nodes[w].symbol)
		}
		c.AddCall(p.nodes[w].function, call)
		v = w
	}
	use := p.useLocation(end, bit)
	c.AddInlined(use)
	return c, use
}

type useKey struct{ node, bit int }

// useLocation returns the location of a function's direct use of an aspect: the first instruction
// with a location, or else the function.
func (p *propagation) useLocation(v, bit int) llvmir.Frame {
	key := useKey{v, bit}
	if where, ok := p.uses[key]; ok {
		return where
	}
	f := p.nodes[v].function
	where := f.DebugLoc()
	if p.nodes[v].code.has(bit) && !p.signatureAspects(f).has(bit) {
		folded := foldedValues{}
		for in := range f.Body() {
			if set, err := p.instrAspects(f, in, folded); err == nil && set.has(bit) {
				if at, ok := in.DebugLoc(); ok && devicecode.HasLine(at) {
					where = at
					break
				}
			}
		}
	}
	if p.uses == nil {
		p.uses = map[useKey]llvmir.Frame{}
	}
	p.uses[key] = where
	return where
}
