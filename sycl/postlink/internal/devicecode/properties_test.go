package devicecode

import (
	"errors"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

func parse(t testing.TB, text string) *llvmir.Module {
	t.Helper()
	m, err := llvmir.Parse("test.ll", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// write returns the text of a module, which LLVM must be able to read.
func write(t testing.TB, m *llvmir.Module) string {
	t.Helper()
	text := testkit.Text(t, m)
	parse(t, text)
	return text
}

// lower runs the pass twice. The second run must not change anything.
func lower(t testing.TB, m *llvmir.Module, o PropertyOptions) ([]Diagnostic, error) {
	t.Helper()
	diagnostics, err := LowerProperties(m, o)
	if err != nil {
		var bad *MetadataError
		if !errors.As(err, &bad) {
			t.Fatalf("%v does not blame the input", err)
		}
		return nil, err
	}
	first := write(t, m)
	again := parse(t, first)
	if _, err := LowerProperties(again, o); err != nil {
		t.Fatalf("the second time: %v", err)
	}
	if second := write(t, again); second != first {
		t.Errorf("the second time changes\n%s\nto\n%s", first, second)
	}
	return diagnostics, nil
}

// attached returns attached metadata, one kind per line, with the numbers of nodes replaced by
// their content.
func attached(m *llvmir.Module, list []llvmir.Attachment) string {
	var lines []string
	for _, a := range list {
		lines = append(lines, a.Kind+" "+expand(m, a.ID))
	}
	return strings.Join(lines, "\n")
}

func expand(m *llvmir.Module, id int) string {
	var words []string
	for _, o := range m.Node(id).Operands() {
		if id, ok := o.NodeID(); ok {
			words = append(words, expand(m, id))
		} else {
			words = append(words, o.Text)
		}
	}
	return "{" + strings.Join(words, ", ") + "}"
}

// named returns the nodes of named metadata, one per line.
func named(m *llvmir.Module, name string) string {
	var lines []string
	if n := m.NamedMetadata(name); n != nil {
		for _, id := range n.Nodes() {
			lines = append(lines, expand(m, id))
		}
	}
	return strings.Join(lines, "\n")
}
