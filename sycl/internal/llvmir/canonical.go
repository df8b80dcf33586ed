package llvmir

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/scc"
)

// WriteCanonical writes the module as a text that depends only on the module's code, not on other
// code that it was linked with before it was extracted. Visible functions that must be kept come in
// their original order; everything else comes in order of first use. Named types with the same
// fields are merged and named by number, except types that compilers know by name. Suffixes that a
// linker added to local symbols, metadata nodes and attribute groups are renumbered. All debug
// information is assigned to the compile unit of the first function that has debug information, and
// copies of scopes that remain from linking are merged. Named metadata has each operand only once,
// except for the lists of specialization constants, whose operands correspond to each other.
// Comments are removed.
//
// The module is modified, and must not be used afterwards.
func (m *Module) WriteCanonical(out io.Writer) error {
	c := &canonical{m: m, taken: map[string]bool{}, typeNames: map[string]string{}, groups: map[string]int{}}
	c.order()
	if err := m.RenameAll(c.localNames()); err != nil {
		return err
	}
	c.types = m.sameTypes()
	for name, same := range c.types {
		if strings.HasPrefix(same, "%") { // the type keeps its name
			c.taken[name] = true
		}
	}
	c.nodes = newCanonicalNodes(m, c.symbols)

	// The types, groups and nodes are written first, but which ones are used is known only after the
	// symbols.
	symbols := c.symbolTexts()
	named := c.namedTexts()
	var rest []string
	for i := 0; i < len(c.nodes.used); i++ {
		rest = append(rest, fmt.Sprintf("!%d = %s", i, c.rewritten(c.nodes.text(i))))
	}
	var types []string
	for i := 0; i < len(c.typeOrder); i++ {
		types = append(types, c.rewritten(c.typeOrder[i]))
	}
	w := newWriter(out)
	for _, part := range [][]string{c.head(), types, c.comdats(), symbols, c.groupTexts(), named, rest} {
		for _, text := range part {
			w.put(text)
			w.put("\n")
		}
	}
	_, err := w.flush()
	return err
}

// A canonical is a module that is being written in canonical form.
type canonical struct {
	m       *Module
	symbols []Symbol        // in the order of the output
	taken   map[string]bool // names of local values that look like type names

	types     map[string]string // of a named type: key of its class of identical types
	typeNames map[string]string // by key: the name in the output
	typeOrder []string          // the definitions in the output

	groups     map[string]int // numbers by content
	groupOrder []string

	nodes *canonicalNodes
}

// fullText returns the text of an item, including the body of a function.
func (m *Module) fullText(i uint32) string {
	text := m.text(i)
	if m.isSymbol(i) {
		if f, ok := m.symbolOf(i).(*Function); ok && f.defined {
			return text + f.plainBody()
		}
	}
	return text
}

// order determines the order of symbols: visible functions that no other source may define, then
// the symbols that they use, breadth first, and then unused symbols, by name.
func (c *canonical) order() {
	seen := map[Symbol]bool{}
	visit := func(s Symbol) {
		if s != nil && !seen[s] {
			seen[s] = true
			c.symbols = append(c.symbols, s)
		}
	}
	done := 0
	follow := func() {
		for ; done < len(c.symbols); done++ {
			for t := range Tokens(c.m.fullText(c.symbols[done].entity())) {
				switch t.kind {
				case tokenGlobal:
					visit(c.m.symbols[plainName(t.Text[1:])])
				case tokenLocal:
					if name := plainName(t.Text[1:]); strings.HasPrefix(name, typePrefix) && !c.m.HasType(name) {
						c.taken[name] = true
					}
				}
			}
		}
	}
	for _, f := range c.m.Functions() {
		if f.Defined() && !f.Linkage().Local() && !f.Linkage().Discardable() {
			visit(f)
		}
	}
	follow()
	for _, name := range slices.Sorted(maps.Keys(c.m.symbols)) {
		visit(c.m.symbols[name])
		follow()
	}
}

// linkerSuffix matches the suffix that a linker adds to the name of a local symbol that is already
// in use.
var linkerSuffix = regexp.MustCompile(`(\.[0-9]+)+$`)

// localNames returns new names for local symbols: without suffixes, or with suffixes that number
// symbols of the same name in order.
func (c *canonical) localNames() map[string]string {
	names := map[string]string{}
	taken := map[string]bool{}
	for name, s := range c.m.symbols {
		if !s.Linkage().Local() {
			taken[name] = true
		}
	}
	next := map[string]int{}
	for _, s := range c.symbols {
		if !s.Linkage().Local() {
			continue
		}
		base := linkerSuffix.ReplaceAllString(s.Name(), "")
		if strings.Trim(base, "0123456789") == "" {
			base = ".unnamed"
		}
		name := base
		for n := next[base]; ; n++ {
			if n > 0 {
				name = base + "." + strconv.Itoa(n)
			}
			if !taken[name] {
				next[base] = n + 1
				break
			}
		}
		taken[name] = true
		if name != s.Name() {
			names[s.Name()] = name
		}
	}
	return names
}

// typePrefix is the prefix of type names in the output.
const typePrefix = "struct."

// knownTypes matches the names of types that compilers recognize by name.
var knownTypes = regexp.MustCompile(`^(spirv|opencl|intel)\.|__spirv`)

// sameTypes returns a key for each named type that identical types share: their fields. A type is
// identical only to itself if compilers recognize it by name, or if it has no fields, has a number
// as its name, as values do, or refers to itself. The key of such a type is its name.
func (m *Module) sameTypes() map[string]string {
	names := slices.Sorted(maps.Keys(m.typeItems))
	same := map[string]string{}
	numbers := map[string]string{} // for keys, which may be long
	components, edges := m.typeComponents(names)
	for _, component := range components {
		for _, i := range component {
			name, fields := names[i], m.typeFields(names[i])
			if len(component) > 1 || slices.Contains(edges[i], i) || fields == "opaque" || knownTypes.MatchString(name) || strings.Trim(name, "0123456789") == "" {
				same[name] = symbolText('%', name)
				continue
			}
			var b strings.Builder
			for t := range Tokens(fields) {
				text := t.Text
				if t.kind == tokenLocal {
					text = same[plainName(text[1:])]
				}
				b.WriteString(text + " ")
			}
			if numbers[b.String()] == "" {
				numbers[b.String()] = strconv.Itoa(len(numbers))
			}
			same[name] = numbers[b.String()]
		}
	}
	return same
}

// typeComponents returns the strongly connected components of named types, each after its
// dependencies, and the types that each type refers to.
func (m *Module) typeComponents(names []string) (components, edges [][]int) {
	at := map[string]int{}
	all := make([]int, len(names))
	for i, name := range names {
		at[name], all[i] = i, i
	}
	edges = make([][]int, len(names))
	for i, name := range names {
		for t := range Tokens(m.typeFields(name)) {
			if to, ok := at[plainName(t.Text[1:])]; ok && t.kind == tokenLocal {
				edges[i] = append(edges[i], to)
			}
		}
	}
	graph := scc.Graph{Nodes: len(names), Edge: func(node, i int) (int, bool) {
		if i >= len(edges[node]) {
			return 0, false
		}
		return edges[node][i], true
	}}
	return graph.Components(all), edges
}

// typeFields returns the definition of a named type.
func (m *Module) typeFields(name string) string {
	return strings.TrimSpace(strings.TrimPrefix(m.nodeText(m.typeItems[name]), "type"))
}

// typeName returns the name of a type in the output, with its sigil.
func (c *canonical) typeName(name string) string {
	same := c.types[name]
	if strings.HasPrefix(same, "%") {
		if _, ok := c.typeNames[same]; !ok {
			c.typeNames[same] = same
			c.typeOrder = append(c.typeOrder, c.m.text(c.m.typeItems[name]))
		}
		return same
	}
	if known, ok := c.typeNames[same]; ok {
		return known
	}
	number := len(c.typeNames)
	for c.taken[typePrefix+strconv.Itoa(number)] {
		number++
	}
	c.taken[typePrefix+strconv.Itoa(number)] = true
	c.typeNames[same] = symbolText('%', typePrefix+strconv.Itoa(number))
	c.typeOrder = append(c.typeOrder, c.m.text(c.m.typeItems[name]))
	return c.typeNames[same]
}

// groupNumber returns the number of an attribute group in the output.
func (c *canonical) groupNumber(ref string) string {
	text, _ := c.m.groupText(ref)
	_, content, ok := strings.Cut(text, "=")
	if !ok {
		return ref
	}
	if _, ok := c.groups[content]; !ok {
		c.groups[content] = len(c.groupOrder)
		c.groupOrder = append(c.groupOrder, content)
	}
	return "#" + strconv.Itoa(c.groups[content])
}

func (c *canonical) groupTexts() []string {
	var texts []string
	for i, content := range c.groupOrder {
		texts = append(texts, fmt.Sprintf("attributes #%d =%s", i, content))
	}
	return texts
}

// rewritten returns a text with the names and numbers of the output, and without comments.
func (c *canonical) rewritten(text string) string {
	var b strings.Builder
	lx := lexer{text: text, limit: len(text)}
	pos := 0
	for t := lx.next(); t.kind != tokenEnd; t = lx.next() {
		b.WriteString(withoutComments(text[pos:t.start]))
		word := text[t.start:t.end]
		switch t.kind {
		case tokenLocal:
			if name := plainName(word[1:]); c.m.HasType(name) {
				word = c.typeName(name)
			}
		case tokenMeta:
			word = c.nodes.number(word)
		case tokenGroup:
			word = c.groupNumber(word)
		}
		b.WriteString(word)
		pos = int(t.end)
	}
	return b.String()
}

// withoutComments returns white space without comments.
func withoutComments(space string) string {
	for {
		start := strings.IndexByte(space, ';')
		if start < 0 {
			return space
		}
		space = strings.TrimRight(space[:start], " \t") + space[lineEnd(space, start):]
	}
}

// head returns the properties of the module itself.
func (c *canonical) head() []string {
	var texts []string
	for i := range c.m.items {
		if kind := c.m.items[i].kind; kind == itemTarget || kind == itemAsm {
			texts = append(texts, c.m.text(uint32(i)))
		}
	}
	return texts
}

func (c *canonical) comdats() []string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(c.m.comdats)) {
		texts = append(texts, c.m.text(c.m.comdats[name]))
	}
	return texts
}

// symbolTexts returns the texts of symbols. Variables come first, because they may refer to labels
// of functions, which must come later.
func (c *canonical) symbolTexts() []string {
	var variables, functions []string
	for _, s := range c.symbols {
		text := c.rewritten(c.m.fullText(s.entity()))
		if _, ok := s.(*Function); ok {
			functions = append(functions, text)
		} else {
			variables = append(variables, text)
		}
	}
	return append(variables, functions...)
}

// namedTexts returns the texts of named metadata, sorted by name.
func (c *canonical) namedTexts() []string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(c.m.namedIDs)) {
		var operands []string
		if strings.HasPrefix(name, "sycl.specialization-constants") {
			for _, o := range c.m.namedIDs[name].operands() {
				operands = append(operands, c.rewritten(o.Text))
			}
		} else {
			for _, o := range c.nodes.sorted(c.m.namedIDs[name].operands()) {
				if text := c.rewritten(o); !slices.Contains(operands, text) {
					operands = append(operands, text)
				}
			}
		}
		texts = append(texts, fmt.Sprintf("!%s = !{%s}", escapeName(name), strings.Join(operands, ", ")))
	}
	return texts
}
