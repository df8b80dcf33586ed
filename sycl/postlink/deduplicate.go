package postlink

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// A Source is a source with its marked module.
type Source struct {
	Name        string
	Definitions Definitions
	Read        func() (*Module, error) // reads the module; needed only for repeated kernels
}

// A repeatError is returned for a definition that two sources must not both have.
type repeatError struct {
	Source, Other string // their names
	Symbol        string
	Kernel        bool // a kernel that is defined differently; otherwise, a function, which must be unique
}

func (e *repeatError) Error() string {
	if e.Kernel {
		return fmt.Sprintf("%s: kernel '%s' is also defined in %s, and differently; give one of them another kernel name", e.Source, kernelname.Display(e.Symbol), e.Other)
	}
	return fmt.Sprintf("%s: function '%s' is also defined in %s; rename one of them, declare both inline, or link only one of them", e.Source, kernelname.Display(e.Symbol), e.Other)
}

// BadInput marks the error as caused by an input file.
func (*repeatError) BadInput() {}

// DeduplicateKernels keeps one copy of each kernel that several sources define identically, for example by
// including the same header, and returns the modules that it has changed, by index. Different
// kernels with the same name are errors, and so are duplicate functions. The kernels of a SYCLBIN
// already have the prefix that will be added to the kernels of a source.
func DeduplicateKernels(sources []Source) (changed map[int]*Module, err error) {
	u := &deduplicator{
		sources: sources, modules: map[int]*Module{}, repeated: map[int][]llvmir.Symbol{},
		firstFunction: map[string]int{}, firstKernel: map[string]int{},
	}
	for i := range sources {
		u.functionsOf(i)
		if err := u.kernelsOf(i); err != nil {
			return nil, err
		}
	}
	if len(u.errs) > 0 {
		return nil, errors.Join(u.errs...)
	}
	changed = map[int]*Module{}
	for i, list := range u.repeated {
		u.modules[i].ir.Delete(list...)
		changed[i] = u.modules[i]
	}
	return changed, nil
}

// A deduplicator holds the state of one call of DeduplicateKernels.
type deduplicator struct {
	sources  []Source
	modules  map[int]*Module
	repeated map[int][]llvmir.Symbol // kernels to remove, by source
	errs     []error

	firstFunction, firstKernel map[string]int // the first source with a name
}

func (u *deduplicator) functionsOf(i int) {
	for _, name := range u.sources[i].Definitions.Functions {
		if other, again := u.firstFunction[name]; again {
			u.report(&repeatError{Source: u.sources[i].Name, Other: u.sources[other].Name, Symbol: name})
			continue
		}
		u.firstFunction[name] = i
	}
}

func (u *deduplicator) kernelsOf(i int) error {
	for _, name := range u.sources[i].Definitions.Kernels {
		bare := kernelname.Base(name)
		other, again := u.firstKernel[bare]
		if !again {
			u.firstKernel[bare] = i
			continue
		}
		if err := u.repeatedKernel(other, i, name); err != nil {
			return err
		}
	}
	return nil
}

// repeatedKernel compares the kernels of the same name in two sources.
func (u *deduplicator) repeatedKernel(first, second int, name string) error {
	a, err := u.read(first)
	if err != nil {
		return err
	}
	b, err := u.read(second)
	if err != nil {
		return err
	}
	if sameFunction(a.ir, b.ir, name) {
		u.repeated[second] = append(u.repeated[second], b.ir.Function(name))
	} else {
		u.report(&repeatError{u.sources[second].Name, u.sources[first].Name, kernelname.Base(name), true})
	}
	return nil
}

// report adds an error, unless there already is one with the same text: a constructor has two
// symbols with the same name.
func (u *deduplicator) report(err *repeatError) {
	if !slices.ContainsFunc(u.errs, func(e error) bool { return e.Error() == err.Error() }) {
		u.errs = append(u.errs, err)
	}
}

func (u *deduplicator) read(i int) (*Module, error) {
	if u.modules[i] == nil {
		m, err := u.sources[i].Read()
		if err != nil {
			return nil, err
		}
		u.modules[i] = m
	}
	return u.modules[i], nil
}

// sameFunction reports whether two modules define a function identically: with the same
// instructions, attributes and contents of local symbols. Debug information, numbers of metadata
// and attribute groups, and names of local symbols are ignored. Stock clang compiles the kernels of
// a header into each source that includes it, and linkers accept only one definition of each
// kernel.
func sameFunction(a *llvmir.Module, b *llvmir.Module, name string) bool {
	f, g := a.Function(name), b.Function(name)
	if f == nil || g == nil || !f.Defined() || !g.Defined() {
		return false
	}
	return fingerprint(a, f) == fingerprint(b, g)
}

// fingerprint returns a digest of a function.
func fingerprint(m *llvmir.Module, f *llvmir.Function) [sha256.Size]byte {
	p := printer{m: m, hash: sha256.New(), local: map[string]int{}}
	p.function(f)
	// Digest the contents of local symbols in order of first use.
	for i := 0; i < len(p.order); i++ {
		switch s := m.Symbol(p.order[i]).(type) {
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
	fmt.Fprintf(p.hash, "\nfunction %s %v", f.CallingConvention(), f.ValueType())
	for _, a := range f.Attributes() {
		if a.Key != devicecode.AttrModuleID {
			fmt.Fprintf(p.hash, " %q", a.Text)
		}
	}
	for _, param := range f.Params() {
		fmt.Fprintf(p.hash, " %q", param.Text)
	}
	for _, kind := range []string{"reqd_work_group_size", "work_group_num_dim", "intel_reqd_sub_group_size", devicecode.DeclaredAspectsMD} {
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

// tokens adds a text to the digest, with local symbols replaced by numbers.
func (p *printer) tokens(text string) {
	for token := range llvmir.Tokens(text) {
		name, isSymbol := llvmir.Value{Text: token.Text}.Global()
		switch {
		case strings.HasPrefix(token.Text, "#"): // attributes follow
			continue
		case !isSymbol:
			fmt.Fprintf(p.hash, "%s ", token.Text)
			continue
		}
		s := p.m.Symbol(name)
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
