// Package llvmir reads and edits LLVM IR in its textual form, as llvm-dis and
// clang print it.
//
// A [Module] is the text's lines, with the functions and attribute groups among
// them recognised. Whatever an edit does not touch goes out byte for byte as it
// came in, so the package depends on little of a language that changes with
// every LLVM release: top-level entities start in column 0, a function's header
// is one line that ends in "{", and its body ends with a line "}".
//
// The language is defined by LLVM's Language Reference Manual.
package llvmir

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A FormatError is a place in the text that is not IR as this package knows it.
type FormatError struct {
	File string
	Line int // from 1
	Msg  string
}

func (e *FormatError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// BadInput tells tools that an input file caused the error.
func (e *FormatError) BadInput() {}

// A Module is one IR file.
type Module struct {
	Functions []*Function // in file order

	lines    []string               // without line ends; nil-ed by deletion, see deleted
	deleted  map[int]bool           // lines that are not written
	groups   map[string]attributes  // attribute groups by "#N"
	maxNode  int                    // highest metadata node number in use
	added    []string               // metadata nodes to write at the end
	globals  map[string]int         // line of each global variable
	byName   map[string]*Function   // functions by name
	userRefs map[*Function][]string // symbols named in each body, made when asked for
}

// attributes are the string attributes of a function.
type attributes map[string]string

// A Function is one define or declare.
type Function struct {
	Name    string
	Defined bool
	Kernel  bool // has a calling convention of kernels

	module *Module
	header int // line of the define or declare
	end    int // line of the closing brace; the header itself for a declaration
}

// kernelConventions are the calling conventions that mark an entry point.
var kernelConventions = []string{" spir_kernel ", " ptx_kernel ", " amdgpu_kernel "}

// Parse reads a module. The name is used in errors. Strings of the module refer
// to text, which must not change afterwards.
func Parse(name string, text []byte) (*Module, error) {
	m := &Module{
		deleted: map[int]bool{},
		groups:  map[string]attributes{},
		globals: map[string]int{},
		byName:  map[string]*Function{},
		maxNode: -1,
	}
	if bytes.HasPrefix(text, []byte("BC\xc0\xde")) || bytes.HasPrefix(text, []byte{0xde, 0xc0, 0x17, 0x0b}) {
		return nil, &FormatError{name, 1, "this is LLVM bitcode, not textual IR; disassemble it with llvm-dis"}
	}
	var open *Function
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		at := len(m.lines)
		m.lines = append(m.lines, line)
		fail := func(msg string) error { return &FormatError{name, at + 1, msg} }
		if strings.IndexByte(line, 0) >= 0 {
			return nil, fail("a NUL byte in textual IR")
		}
		if open != nil {
			if line == "}" {
				open.end = at
				open = nil
			}
			continue
		}
		switch {
		case strings.HasPrefix(line, "define "), strings.HasPrefix(line, "declare "):
			f := &Function{module: m, header: at, end: at, Defined: line[2] == 'f'}
			var ok bool
			if f.Name, ok = functionName(line); !ok {
				return nil, fail("a function without a name")
			}
			if m.byName[f.Name] != nil {
				return nil, fail(fmt.Sprintf("function @%s stands here and in line %d", f.Name, m.byName[f.Name].header+1))
			}
			convention := line[:strings.IndexByte(line, '@')]
			f.Kernel = slices.ContainsFunc(kernelConventions, func(c string) bool { return strings.Contains(convention, c) })
			if f.Defined {
				if !strings.HasSuffix(line, "{") {
					return nil, fail(fmt.Sprintf("the header of function @%s does not end with {", f.Name))
				}
				open = f
			}
			m.Functions = append(m.Functions, f)
			m.byName[f.Name] = f
		case strings.HasPrefix(line, "attributes #"):
			group, body, ok := strings.Cut(line[len("attributes "):], " = {")
			if !ok {
				return nil, fail("an attribute group without a body")
			}
			m.groups[group] = stringAttributes(body)
		case strings.HasPrefix(line, "@"):
			if symbol, _, ok := symbolAt(line, 0); ok {
				m.globals[symbol] = at
			}
		case strings.HasPrefix(line, "!"):
			digits := line[1:]
			if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i > 0 {
				if n, err := strconv.Atoi(digits[:i]); err == nil {
					m.maxNode = max(m.maxNode, n)
				}
			}
		}
	}
	if open != nil {
		return nil, &FormatError{name, open.header + 1, fmt.Sprintf("the body of function @%s does not end", open.Name)}
	}
	return m, nil
}

// Function returns the function of a name, nil when there is none.
func (m *Module) Function(name string) *Function { return m.byName[name] }

// Kernels returns the defined kernels, in file order.
func (m *Module) Kernels() []*Function {
	var kernels []*Function
	for _, f := range m.Functions {
		if f.Defined && f.Kernel {
			kernels = append(kernels, f)
		}
	}
	return kernels
}

// DeleteGlobal removes a global variable's line and says whether there was one.
func (m *Module) DeleteGlobal(name string) bool {
	at, ok := m.globals[name]
	if ok {
		m.deleted[at] = true
		delete(m.globals, name)
	}
	return ok
}

// AddNode adds a metadata node with the given content, such as "i32 8, i32 1",
// and returns how to refer to it.
func (m *Module) AddNode(content string) string {
	m.maxNode++
	ref := "!" + strconv.Itoa(m.maxNode)
	m.added = append(m.added, ref+" = !{"+content+"}")
	return ref
}

// WriteTo writes the module's text.
func (m *Module) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	for i, line := range m.lines {
		if !m.deleted[i] {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	for _, line := range m.added {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.WriteTo(w)
}

// Attribute returns a string attribute of the function, its own or one of its
// attribute groups.
func (f *Function) Attribute(name string) (string, bool) {
	_, rest := f.split()
	if v, ok := stringAttributes(rest)[name]; ok {
		return v, true
	}
	for word := range strings.FieldsSeq(rest) {
		if v, ok := f.module.groups[word][name]; ok && strings.HasPrefix(word, "#") {
			return v, true
		}
	}
	return "", false
}

// SetAttribute adds a string attribute to a function that does not have it.
func (f *Function) SetAttribute(name, value string) {
	// Function attributes stand after the parameters and the two markers that may follow.
	head, rest := f.split()
	for {
		trimmed := strings.TrimLeft(rest, " ")
		word, _, _ := strings.Cut(trimmed, " ")
		if word != "local_unnamed_addr" && word != "unnamed_addr" && !strings.HasPrefix(word, "addrspace(") {
			break
		}
		n := len(rest) - len(trimmed) + len(word)
		head += rest[:n]
		rest = rest[n:]
	}
	f.module.lines[f.header] = head + " " + quote(name) + "=" + quote(value) + rest
}

// Internalize gives a defined function internal linkage when its header says
// nothing about linkage, as is the case for an ordinary external function.
func (f *Function) Internalize() {
	rest := strings.TrimPrefix(f.module.lines[f.header], "define ")
	word, tail, _ := strings.Cut(rest, " ")
	if word == "dso_local" {
		rest = tail
	}
	f.module.lines[f.header] = "define internal " + rest
}

// AddMetadata attaches a metadata node to a defined function.
func (f *Function) AddMetadata(kind, ref string) {
	line := f.module.lines[f.header]
	f.module.lines[f.header] = strings.TrimSuffix(line, "{") + "!" + kind + " " + ref + " {"
}

// HasMetadata tells whether a node of that kind is attached to the function.
func (f *Function) HasMetadata(kind string) bool {
	_, rest := f.split()
	return strings.Contains(rest, " !"+kind+" ")
}

// Line returns the line, from 1, of the function's header.
func (f *Function) Line() int { return f.header + 1 }

// References returns the symbols that a function's body names, sorted.
func (f *Function) References() []string {
	m := f.module
	if m.userRefs == nil {
		m.userRefs = map[*Function][]string{}
	}
	if refs, ok := m.userRefs[f]; ok {
		return refs
	}
	set := map[string]bool{}
	for _, line := range m.lines[min(f.header+1, f.end):f.end] {
		inString := false
		for i := 0; i < len(line); i++ {
			switch {
			case line[i] == '"':
				inString = !inString
			case line[i] == '@' && !inString:
				if symbol, end, ok := symbolAt(line, i); ok {
					set[symbol] = true
					i = end - 1
				}
			}
		}
	}
	refs := slices.Sorted(maps.Keys(set))
	m.userRefs[f] = refs
	return refs
}

// split cuts the header after its parameter list.
func (f *Function) split() (head, rest string) {
	line := f.module.lines[f.header]
	_, i, _ := symbolAt(line, strings.IndexByte(line, '@'))
	depth := 0
	inString := false
	for ; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			inString = !inString
		case inString:
		case c == '(':
			depth++
		case c == ')':
			depth--
			if depth == 0 {
				return line[:i+1], line[i+1:]
			}
		}
	}
	return line, ""
}

// functionName returns the name in a define or declare line.
func functionName(line string) (string, bool) {
	i := strings.IndexByte(line, '@')
	if i < 0 {
		return "", false
	}
	name, _, ok := symbolAt(line, i)
	return name, ok && name != ""
}

// symbolAt reads a global symbol whose "@" is at position i, and returns where
// it ends. Quoted names are unquoted.
func symbolAt(line string, i int) (name string, end int, ok bool) {
	if i < 0 || i+1 >= len(line) {
		return "", i, false
	}
	if line[i+1] == '"' {
		n := strings.IndexByte(line[i+2:], '"')
		if n < 0 {
			return "", i, false
		}
		return unquote(line[i+2 : i+2+n]), i + n + 3, true
	}
	end = i + 1
	for end < len(line) && isNameByte(line[end]) {
		end++
	}
	return line[i+1 : end], end, end > i+1
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '$' || c == '.' || c == '_' || c == '-'
}

// stringAttributes collects the "key"="value" and "key" words of a text.
func stringAttributes(text string) attributes {
	attrs := attributes{}
	for {
		i := strings.IndexByte(text, '"')
		if i < 0 {
			return attrs
		}
		text = text[i+1:]
		end := strings.IndexByte(text, '"')
		if end < 0 {
			return attrs
		}
		key, value := unquote(text[:end]), ""
		text = text[end+1:]
		if after, ok := strings.CutPrefix(text, `="`); ok {
			if end = strings.IndexByte(after, '"'); end < 0 {
				return attrs
			}
			value = unquote(after[:end])
			text = after[end+1:]
		}
		attrs[key] = value
	}
}

// quote writes an LLVM string: a backslash and two hexadecimal digits stand for
// what is not plain.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%02X`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func unquote(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
