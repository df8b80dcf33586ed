package scc

import (
	"fmt"
	"testing"
)

func TestComponents(t *testing.T) {
	for name, test := range map[string]struct {
		edges [][]int
		roots []int
		want  string
	}{
		"nothing":                       {nil, nil, "[]"},
		"a chain, in reverse order":     {[][]int{{1}, {2}, {}}, []int{0}, "[[2] [1] [0]]"},
		"a node with an edge to itself": {[][]int{{0}}, []int{0}, "[[0]]"},
		"a cycle":                       {[][]int{{1}, {2}, {0}}, []int{1}, "[[1 2 0]]"},
		"two connected cycles":          {[][]int{{1}, {0, 2}, {3}, {2}}, []int{0}, "[[2 3] [0 1]]"},
		"a nested cycle":                {[][]int{{1}, {2}, {1, 3}, {0}}, []int{0}, "[[0 1 2 3]]"},
		"two paths that join":           {[][]int{{1, 2}, {3}, {3}, {}}, []int{0}, "[[3] [1] [2] [0]]"},
		"unreachable nodes":             {[][]int{{}, {0}, {1}}, []int{1}, "[[0] [1]]"},
		"several roots":                 {[][]int{{}, {0}, {}}, []int{2, 1, 0}, "[[2] [0] [1]]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := Graph{len(test.edges), func(node, i int) (int, bool) {
				if i < len(test.edges[node]) {
					return test.edges[node][i], true
				}
				return 0, false
			}}
			if got := fmt.Sprint(g.Components(test.roots)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestDeepGraphs(t *testing.T) {
	const n = 1 << 20
	g := Graph{n, func(node, i int) (int, bool) { return (node + 1) % n, i == 0 }}
	if got := g.Components([]int{0}); len(got) != 1 || len(got[0]) != n {
		t.Errorf("%d components", len(got))
	}
}
