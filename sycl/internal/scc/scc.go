// Package scc finds the strongly connected components of graphs.
package scc

import "slices"

// A Graph is a graph whose nodes are numbered from 0. Edge returns the target of a node's ith edge,
// and false after the last edge.
type Graph struct {
	Nodes int
	Edge  func(node, i int) (to int, ok bool)
}

// Components returns the strongly connected components that roots reach, each after the components
// that its edges lead to. The time is proportional to the size of the graph, and deep graphs do not
// need a deep stack.
func (g Graph) Components(roots []int) [][]int {
	s := search{Graph: g, number: make([]int, g.Nodes), low: make([]int, g.Nodes), open: make([]bool, g.Nodes)}
	for _, root := range roots {
		if s.number[root] == 0 {
			s.from(root)
		}
	}
	return s.components
}

// A search is Tarjan's algorithm without recursion.
type search struct {
	Graph
	count      int
	number     []int  // by node: order of discovery, from 1
	low        []int  // by node: the lowest number of the open nodes that it leads back to
	open       []bool // by node: found, but not in a component yet
	path       []step // from the root
	stack      []int  // the open nodes
	components [][]int
}

// A step is a node with the number of its next edge.
type step struct{ node, edge int }

// from finds the components that a root reaches.
func (s *search) from(root int) {
	s.enter(root)
	for len(s.path) > 0 {
		at := &s.path[len(s.path)-1]
		node := at.node
		to, ok := s.Edge(node, at.edge)
		at.edge++
		switch {
		case !ok:
			s.leave(node)
		case s.number[to] == 0:
			s.enter(to)
		case s.open[to]:
			s.low[node] = min(s.low[node], s.number[to])
		}
	}
}

func (s *search) enter(node int) {
	s.count++
	s.number[node], s.low[node], s.open[node] = s.count, s.count, true
	s.stack = append(s.stack, node)
	s.path = append(s.path, step{node, 0})
}

// leave returns from a node whose edges have all been followed.
func (s *search) leave(node int) {
	s.path = s.path[:len(s.path)-1]
	if len(s.path) > 0 {
		before := s.path[len(s.path)-1].node
		s.low[before] = min(s.low[before], s.low[node])
	}
	if s.low[node] < s.number[node] {
		return
	}
	first := len(s.stack) - 1
	for s.stack[first] != node {
		first--
	}
	members := slices.Clone(s.stack[first:])
	s.stack = s.stack[:first]
	for _, m := range members {
		s.open[m] = false
	}
	s.components = append(s.components, members)
}
