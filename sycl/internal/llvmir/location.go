package llvmir

import (
	"path"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// A Frame is a source location in a function that may be inlined at another location. The path is
// the directory and name that the compiler wrote.
type Frame struct {
	srcloc.Location
	Function    string // as in the source
	LinkageName string // as in the module
	InlinedAt   *Frame
}

// Location returns the source location of a DILocation, a DISubprogram or another scope.
func (m *Module) Location(id int) (Frame, bool) { return m.location(m.Node(id), 0) }

// DebugLoc returns the source location of the function's definition, or an empty Frame if there is none.
func (f *Function) DebugLoc() Frame {
	id, ok := f.Metadata("dbg")
	if !ok {
		return Frame{}
	}
	where, _ := f.m.Location(id)
	return where
}

// DebugLoc returns the source location of the instruction.
func (in *Instr) DebugLoc() (Frame, bool) {
	if in.op[0] == '#' {
		for i := len(in.toks) - 1; i >= 0; i-- {
			if in.toks[i].kind == tokenMeta {
				return in.f.m.Location(nodeID(in.word(i)))
			}
		}
	}
	in.parse()
	for _, a := range in.attached {
		if in.text[a.kind.start:a.kind.end] != "!dbg" {
			continue
		}
		ref := a.ref.in(in.text)
		if id := nodeID(ref); id >= 0 {
			return in.f.m.Location(id)
		}
		return in.f.m.location(&Node{m: in.f.m, id: -1, text: ref}, 0)
	}
	return Frame{}, false
}

// deepestScope limits the length of chains of scopes and inlined calls, which may be circular in
// hostile metadata.
const deepestScope = 1000

func (m *Module) location(n *Node, depth int) (Frame, bool) {
	if n == nil || depth > deepestScope {
		return Frame{}, false
	}
	fields := fieldsOf(n)
	l := Frame{Location: srcloc.Location{Line: fields.number("line")}}
	if n.kind() != "DILocation" {
		return m.inScope(l, n)
	}
	l.Column = fields.number("column")
	if at := m.fieldNode(fields, "inlinedAt"); at != nil {
		if outer, ok := m.location(at, depth+1); ok {
			l.InlinedAt = &outer
		}
	}
	return m.inScope(l, m.fieldNode(fields, "scope"))
}

// inScope completes a location from its scope and the enclosing scopes.
func (m *Module) inScope(l Frame, scope *Node) (Frame, bool) {
	for range deepestScope {
		if scope == nil {
			break
		}
		fields := fieldsOf(scope)
		if l.Path == "" {
			if file := m.fieldNode(fields, "file"); file != nil {
				ff := fieldsOf(file)
				l.Path = joinFile(ff.text("directory"), ff.text("filename"))
			}
		}
		if scope.kind() == "DISubprogram" {
			l.Function, l.LinkageName = fields.text("name"), fields.text("linkageName")
			break
		}
		scope = m.fieldNode(fields, "scope")
	}
	return l, l.Path != ""
}

type mdFields []NodeOperand

func fieldsOf(n *Node) mdFields { return n.Operands() }

func (f mdFields) get(name string) (NodeOperand, bool) {
	for _, o := range f {
		if o.Field == name {
			return o, true
		}
	}
	return NodeOperand{}, false
}

func (f mdFields) number(name string) uint32 {
	o, _ := f.get(name)
	n, err := strconv.ParseUint(o.Text, 10, 31)
	if err != nil {
		return 0
	}
	return uint32(n)
}

func (f mdFields) text(name string) string {
	o, _ := f.get(name)
	s, _ := o.StringValue()
	return s
}

func (m *Module) fieldNode(f mdFields, name string) *Node {
	o, ok := f.get(name)
	if !ok {
		return nil
	}
	if id, ok := o.NodeID(); ok {
		return m.Node(id)
	}
	n, _ := o.Inline()
	return n
}

// joinFile joins the directory and the name of a DIFile. Both may be Windows paths.
func joinFile(directory, name string) string {
	windows := len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/')
	switch {
	case name == "" || directory == "" || strings.HasPrefix(name, "/") || windows || strings.HasPrefix(name, `\\`):
		return name
	case strings.Contains(directory, `\`) && !strings.Contains(directory, "/"):
		return strings.TrimSuffix(directory, `\`) + `\` + name
	}
	return path.Join(directory, name)
}
