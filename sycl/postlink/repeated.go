package postlink

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
)

// SameFunction reports whether two modules define a function alike: the same
// instructions, attributes and, for what only they see, the same content. Debug
// information and the numbers of metadata and attribute groups do not count, nor do
// names of local symbols. Stock clang gives each source that includes a header the
// header's kernels, and linkers want one of each.
func SameFunction(a *llvmir.Module, b *llvmir.Module, name string) bool {
	f, g := a.Function(name), b.Function(name)
	if f == nil || g == nil || !f.Defined() || !g.Defined() {
		return false
	}
	return fingerprint(a, f) == fingerprint(b, g)
}

// fingerprint is a digest of what a function is.
func fingerprint(m *llvmir.Module, f *llvmir.Function) [sha256.Size]byte {
	p := printer{m: m, hash: sha256.New(), local: map[string]int{}}
	p.function(f)
	// What local symbols hold, in the order in which they were met.
	for i := 0; i < len(p.order); i++ {
		switch s := m.Lookup(p.order[i]).(type) {
		case *llvmir.Function:
			p.function(s)
		case *llvmir.Global:
			fmt.Fprintf(p.hash, "\nglobal %v %v %v ", s.ValueType(), s.AddrSpace(), s.Constant())
			p.tokens(s.Initializer())
		}
	}
	var sum [sha256.Size]byte
	p.hash.Sum(sum[:0])
	return sum
}

type printer struct {
	m     *llvmir.Module
	hash  hash.Hash
	local map[string]int // numbers of local symbols
	order []string       // their names
}

func (p *printer) function(f *llvmir.Function) {
	fmt.Fprintf(p.hash, "\nfunction %s %v", f.CallingConv(), f.ValueType())
	for _, a := range f.Attributes() {
		if a.Key != attrModuleID {
			fmt.Fprintf(p.hash, " %q", a.Text)
		}
	}
	for _, param := range f.Params() {
		fmt.Fprintf(p.hash, " %q", param.Text)
	}
	for _, kind := range []string{"reqd_work_group_size", "work_group_num_dim", "intel_reqd_sub_group_size", declaredAspectsMD} {
		if id, ok := f.Metadata(kind); ok && p.m.Node(id) != nil {
			fmt.Fprintf(p.hash, " %s%s", kind, p.m.Node(id).Text())
		}
	}
	for in := range f.Body() {
		if strings.HasPrefix(in.Op(), "#dbg") || in.Op() == "call" && strings.HasPrefix(in.CalleeText(), "@llvm.dbg.") {
			continue
		}
		text := in.Text()
		if list := in.Attachments(); len(list) > 0 {
			text, _, _ = strings.Cut(text, ", !"+list[0].Kind+" ")
		}
		fmt.Fprint(p.hash, "\n")
		p.tokens(text)
		for _, a := range in.Attributes() {
			fmt.Fprintf(p.hash, " %q", a.Text)
		}
	}
}

// tokens digests a text in which symbols that only the module sees have numbers.
func (p *printer) tokens(text string) {
	for token := range llvmir.Tokens(text) {
		name, isSymbol := strings.CutPrefix(token.Text, "@")
		switch {
		case strings.HasPrefix(token.Text, "#"): // attributes are written behind
			continue
		case !isSymbol:
			fmt.Fprintf(p.hash, "%s ", token.Text)
			continue
		}
		name = strings.Trim(name, `"`)
		s := p.m.Lookup(name)
		if s == nil || !s.Linkage().Local() {
			fmt.Fprintf(p.hash, "@%s ", name)
			continue
		}
		n, ok := p.local[name]
		if !ok {
			n = len(p.order)
			p.local[name] = n
			p.order = append(p.order, name)
		}
		fmt.Fprintf(p.hash, "local %d ", n)
	}
}
