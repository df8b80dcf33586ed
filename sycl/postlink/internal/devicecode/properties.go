package devicecode

import (
	"errors"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// PropertyOptions select the translator that properties are lowered for.
type PropertyOptions struct {
	// DPCPP selects DPC++'s translator. It accepts only the decoration numbers of a withdrawn
	// extension; other translators require the numbers of the extension's successors. It also reads
	// numbers of registers, which other translators ignore.
	DPCPP bool
}

// LowerProperties converts compile-time properties, which front ends write to LLVM IR as attributes
// of kernels, their parameters, variables and pointers, to the metadata that translators to SPIR-V
// read.
//
// DPC++'s front end already does this for most code. LowerProperties keeps its results: existing
// metadata of a kernel or a variable takes precedence over attributes.
//
// The metadata is compatible with DPC++; docs/reference/post-link.md lists it.
func LowerProperties(m *llvmir.Module, o PropertyOptions) ([]Diagnostic, error) {
	l := &lowering{m: m, triple: m.Triple(), options: o, nodes: map[string]int{}, reported: map[string]bool{}, texts: map[textKey]*llvmir.Global{}}
	var errs []error
	for _, g := range m.Globals() {
		errs = append(errs, l.variable(g))
	}
	for _, k := range m.Kernels() {
		errs = append(errs, l.kernel(k))
	}
	errs = append(errs, l.pointers())
	l.m.AppendNamed(executionModeMD, l.modes...)
	return l.diagnostics, errors.Join(errs...)
}

// A lowering holds the state of one call of LowerProperties.
type lowering struct {
	m           *llvmir.Module
	triple      string
	options     PropertyOptions
	nodes       map[string]int // numbers of created nodes, by content
	modes       []int          // nodes for !spirv.ExecutionMode
	hasMode     map[executionMode]bool
	reported    map[string]bool // properties
	texts       map[textKey]*llvmir.Global
	diagnostics []Diagnostic
}

// node returns the number of a node with a content such as "i32 8, i32 1".
func (l *lowering) node(content string) int {
	id, ok := l.nodes[content]
	if !ok {
		id = l.m.AddNode(content)
		l.nodes[content] = id
	}
	return id
}
