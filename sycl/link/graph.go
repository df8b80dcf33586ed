package link

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/scc"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Graph records the modules of a link and the symbols that they import from each other.
type Graph struct {
	Modules []Node   `json:"modules"` // as in the result
	Imports []Import `json:"imports"` // in the order of the importers and names

	// Cycles are groups of modules that need each other. The modules of a group are in the order of
	// the result.
	Cycles [][]int `json:"cycles"`
}

// A Node is a module.
type Node struct {
	Places  []Place  `json:"places"`
	Targets []string `json:"targets"`
	Kernels int      `json:"kernels"` // number of kernels
	Exports int      `json:"exports"` // number of exported symbols
}

// graph returns the graph of the linked modules.
func (l *linker) graph() Graph {
	g := Graph{Modules: []Node{}, Imports: append([]Import{}, l.links...), Cycles: [][]int{}}
	for _, m := range l.list {
		g.Modules = append(g.Modules, Node{
			Places: m.places, Targets: l.targetNames(m.own),
			Kernels: len(m.Kernels()), Exports: m.Metadata.Set(propset.ExportedSymbols).Len(),
		})
	}
	slices.SortFunc(g.Imports, func(a, b Import) int {
		if a.Importer != b.Importer {
			return a.Importer - b.Importer
		}
		if a.Virtual != b.Virtual {
			if a.Virtual {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Name, b.Name)
	})
	g.Cycles = append(g.Cycles, g.cycles()...)
	return g
}

// cycles finds the strongly connected components with more than one module.
func (g *Graph) cycles() (cycles [][]int) {
	next := make([][]int, len(g.Modules))
	for _, i := range g.Imports {
		for _, e := range i.Exporters {
			if e != i.Importer {
				next[i.Importer] = append(next[i.Importer], e)
			}
		}
	}
	all := make([]int, len(g.Modules))
	for m := range all {
		all[m] = m
	}
	needs := scc.Graph{Nodes: len(next), Edge: func(m, i int) (int, bool) {
		if i < len(next[m]) {
			return next[m][i], true
		}
		return 0, false
	}}
	for _, part := range needs.Components(all) {
		if len(part) > 1 {
			slices.Sort(part)
			cycles = append(cycles, part)
		}
	}
	slices.SortFunc(cycles, slices.Compare)
	return cycles
}

// WriteText writes the graph and the problems as text.
func (r *Result) WriteText(out io.Writer) error {
	w := bufio.NewWriter(out)
	g := &r.Graph
	fmt.Fprintln(w, "modules:")
	for i, m := range g.Modules {
		m.writeText(w, i)
	}
	fmt.Fprintln(w, "imports:")
	for _, i := range g.Imports {
		i.writeText(w)
	}
	if len(g.Cycles) > 0 {
		fmt.Fprintln(w, "cycles, which are allowed:")
		for _, c := range g.Cycles {
			fmt.Fprintf(w, "  %s need each other\n", strings.Trim(fmt.Sprint(c), "[]"))
		}
	}
	if len(r.Problems) > 0 {
		fmt.Fprintln(w, "problems:")
		for _, p := range r.Problems {
			fmt.Fprintf(w, "  %s\n", strings.Join(p.Lines(), "\n    "))
		}
	}
	return w.Flush()
}

func (m Node) writeText(w io.Writer, number int) {
	fmt.Fprintf(w, "  %d: %s\n", number, joinFirst(m.Targets, len(m.Targets)))
	fmt.Fprintf(w, "     kernels: %d, exported symbols: %d\n", m.Kernels, m.Exports)
	for _, p := range m.Places {
		fmt.Fprintf(w, "     %v\n", p)
	}
}

func (i Import) writeText(w io.Writer) {
	fmt.Fprintf(w, "  %d needs %s", i.Importer, i.title())
	for n, e := range i.Exporters {
		if n == 0 {
			fmt.Fprint(w, " from")
		}
		fmt.Fprintf(w, " %d", e)
	}
	fmt.Fprintln(w)
	if i.Unresolved {
		fmt.Fprintf(w, "     unresolved%s\n", forTargets(i.Missing))
		for _, reason := range i.Reasons {
			fmt.Fprintf(w, "     %s\n", reason)
		}
	}
}

// title names an import for display.
func (i Import) title() string {
	switch name := kernelname.Display(i.Name); {
	case i.Virtual:
		return "virtual functions " + safetext.Printable(i.Name)
	case name != i.Name:
		return safetext.Printable(i.Name) + " (" + safetext.Printable(name) + ")"
	}
	return safetext.Printable(i.Name)
}

func forTargets(targets []string) string {
	if len(targets) == 0 {
		return ""
	}
	return " for " + joinFirst(targets, len(targets))
}

// WriteDOT writes the graph in Graphviz's DOT language. There is one arrow from a module to each
// module that it needs, regardless of the number of symbols.
func (r *Result) WriteDOT(out io.Writer) error {
	w := bufio.NewWriter(out)
	g := &r.Graph
	fmt.Fprintln(w, "digraph link {")
	fmt.Fprintln(w, "\tnode [shape=box];")
	for i, m := range g.Modules {
		label := m.Places[0].String() + "\n" + joinFirst(m.Targets, len(m.Targets))
		fmt.Fprintf(w, "\tm%d [label=%s];\n", i, dotString(label))
	}
	unresolved := 0
	imports := g.Imports
	for len(imports) > 0 {
		from := imports[0].Importer
		names := make(map[int][]string) // by exporter
		for ; len(imports) > 0 && imports[0].Importer == from; imports = imports[1:] {
			i := imports[0]
			for _, e := range i.Exporters {
				names[e] = append(names[e], i.Name)
			}
			if i.Unresolved {
				label := strings.Join(append([]string{i.title(), "unresolved" + forTargets(i.Missing)}, i.Reasons...), "\n")
				fmt.Fprintf(w, "\tu%d [label=%s, style=dashed, color=red];\n", unresolved, dotString(label))
				fmt.Fprintf(w, "\tm%d -> u%d [style=dashed, color=red];\n", from, unresolved)
				unresolved++
			}
		}
		for _, e := range slices.Sorted(maps.Keys(names)) {
			label := safetext.Printable(kernelname.Display(names[e][0]))
			if n := len(names[e]); n > 1 {
				label += fmt.Sprintf(" and %d more", n-1)
			}
			fmt.Fprintf(w, "\tm%d -> m%d [label=%s];\n", from, e, dotString(label))
		}
	}
	fmt.Fprintln(w, "}")
	return w.Flush()
}

// dotString quotes text without control characters other than line breaks.
func dotString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
