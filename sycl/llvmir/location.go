package llvmir

import (
	"path"
	"strconv"
	"strings"
)

// A Location is a place in the source of a program.
type Location struct {
	File         string // directory and name
	Line, Column int    // 0 when unknown
	Function     string // as the source has it
	LinkageName  string // as the module has it
	InlinedAt    *Location
}

// String returns file:line:column, without what is unknown.
func (l Location) String() string {
	s := l.File
	if l.Line > 0 {
		s += ":" + strconv.Itoa(l.Line)
		if l.Column > 0 {
			s += ":" + strconv.Itoa(l.Column)
		}
	}
	return s
}

// Location follows a DILocation, DISubprogram or another scope to its source.
func (m *Module) Location(id int) (Location, bool) { return m.location(m.Node(id), 0) }

// DebugLoc returns where the source defines the function.
func (f *Function) DebugLoc() (Location, bool) {
	id, ok := f.Metadata("dbg")
	if !ok {
		return Location{}, false
	}
	return f.m.Location(id)
}

// DebugLoc returns where the instruction comes from.
func (in *Instr) DebugLoc() (Location, bool) {
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
	return Location{}, false
}

// deepestScope bounds chains of scopes and inlining, which hostile metadata can
// make circular.
const deepestScope = 1000

func (m *Module) location(n *Node, depth int) (Location, bool) {
	if n == nil || depth > deepestScope {
		return Location{}, false
	}
	fields := fieldsOf(n)
	l := Location{Line: fields.number("line")}
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

// inScope completes a location with what its scope and those around it say.
func (m *Module) inScope(l Location, scope *Node) (Location, bool) {
	for range deepestScope {
		if scope == nil {
			break
		}
		fields := fieldsOf(scope)
		if l.File == "" {
			if file := m.fieldNode(fields, "file"); file != nil {
				ff := fieldsOf(file)
				l.File = joinFile(ff.text("directory"), ff.text("filename"))
			}
		}
		if scope.kind() == "DISubprogram" {
			l.Function, l.LinkageName = fields.text("name"), fields.text("linkageName")
			break
		}
		scope = m.fieldNode(fields, "scope")
	}
	return l, l.File != ""
}

type mdFields []MDOperand

func fieldsOf(n *Node) mdFields { return n.Operands() }

func (f mdFields) get(name string) (MDOperand, bool) {
	for _, o := range f {
		if o.Field == name {
			return o, true
		}
	}
	return MDOperand{}, false
}

func (f mdFields) number(name string) int {
	o, _ := f.get(name)
	n, err := strconv.ParseUint(o.Text, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

func (f mdFields) text(name string) string {
	o, _ := f.get(name)
	s, _ := o.Str()
	return s
}

func (m *Module) fieldNode(f mdFields, name string) *Node {
	o, ok := f.get(name)
	if !ok {
		return nil
	}
	if id, ok := o.Node(); ok {
		return m.Node(id)
	}
	n, _ := o.Inline()
	return n
}

// joinFile joins directory and name of a DIFile, either of which may be that of
// Windows.
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
