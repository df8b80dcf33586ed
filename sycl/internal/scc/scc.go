// Package scc finds the strongly connected components of graphs.
package scc

import "slices"

// A Graph is a graph whose nodes are numbers from 0. Edge returns where a node's ith
// edge leads, and false after the last one.
type Graph struct {
	Nodes int
	Edge  func(node, i int) (to int, ok bool)
}

// Components returns the strongly connected components that roots reach, each after
// those that it leads to. It takes time in proportion to the graph, and a deep graph
// costs no stack.
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
	number     []int  // of a node: the order of discovery, from 1
	low        []int  // the lowest number of the open nodes that a node leads back to
	open       []bool // found, and not yet in a component
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

// leave goes back from a node, all of whose edges were followed.
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
