// Package compiletime turns compile-time properties, which front ends leave in LLVM IR
// as attributes, into the metadata that translators to SPIR-V read.
//
// DPC++'s front end does the same for most code before it writes IR. What it has done
// stays as it is: metadata that a kernel or a variable has counts more than attributes.
//
// The metadata is that of DPC++, as docs/properties.md lists it.
package compiletime

import (
	"errors"
	"fmt"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// Lower gives kernels the metadata of their properties.
func Lower(m *llvmir.Module) ([]devicecode.Diagnostic, error) {
	l := &lowering{m: m, nodes: map[string]int{}}
	var errs []error
	for _, k := range m.Kernels() {
		if err := l.kernel(k); err != nil {
			errs = append(errs, err)
		}
	}
	l.m.AppendNamed(executionModeMD, l.modes...)
	return l.diagnostics, errors.Join(errs...)
}

// A lowering is a run over a module.
type lowering struct {
	m           *llvmir.Module
	nodes       map[string]int // numbers of nodes that it has made, by content
	modes       []int          // nodes for !spirv.ExecutionMode
	hasMode     map[executionMode]bool
	diagnostics []devicecode.Diagnostic
}

// node returns a node of a content such as "i32 8, i32 1".
func (l *lowering) node(content string) int {
	id, ok := l.nodes[content]
	if !ok {
		id = l.m.AddNode(content)
		l.nodes[content] = id
	}
	return id
}

// badFunction blames a property of a function.
func badFunction(function, property string, err error) error {
	return &devicecode.MetadataError{Function: function, Msg: fmt.Sprintf("property %q: %v", property, err)}
}
