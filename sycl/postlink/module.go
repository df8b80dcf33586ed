package postlink

import (
	"fmt"
	"io"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/aspects"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// A Module is device code as LLVM IR.
type Module struct {
	name string
	ir   *llvmir.Module
}

// Parse parses a module from the text that llvm-dis writes for bitcode. Errors contain name.
func Parse(name string, text []byte) (*Module, error) {
	ir, err := llvmir.Parse(name, string(text))
	if err != nil {
		return nil, err
	}
	return &Module{name, ir}, nil
}

// WriteTo writes the module as text.
func (m *Module) WriteTo(w io.Writer) (int64, error) { return m.ir.WriteTo(w) }

// reparse parses the text that the module would be written as.
func (m *Module) reparse() error {
	var text strings.Builder
	_, err := m.WriteTo(&text)
	if err == nil {
		m.ir, err = llvmir.Parse(m.name, text.String())
	}
	return err
}

// Mark prepares the module of a source for linking. It adds to kernels the attribute that names the
// source, replacing any name that DPC++'s front end set. It converts annotations to attributes and
// metadata, and adds to functions the aspects that they use, as visible to their callers in this
// source.
func (m *Module) Mark(source string, emulateFP64Conversions bool) error {
	for _, f := range m.ir.Functions() {
		if f.HasAttribute(devicecode.AttrModuleID) {
			f.SetAttribute(devicecode.AttrModuleID, source)
		}
	}
	if err := markSource(m.ir, source, emulateFP64Conversions); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}

func markSource(m *llvmir.Module, id string, emulateFP64Conversions bool) error {
	markModule(m, id)
	if err := aspects.Renumber(m); err != nil {
		return err
	}
	setSourceLanguage(m) // a source without a language is SYCL, regardless of other sources
	if err := lowerAnnotations(m, id); err != nil {
		return err
	}
	_, err := aspects.Propagate(m, aspects.Options{NoMismatch: true, NoFixedTargets: true, EmulateFP64Conversions: emulateFP64Conversions})
	return err
}

// markModule marks every kernel of a module with its source. It keeps the marks of DPC++'s front
// end.
func markModule(m *llvmir.Module, id string) {
	for _, k := range m.Kernels() {
		if _, ok := k.Attribute(devicecode.AttrModuleID); !ok {
			k.SetAttribute(devicecode.AttrModuleID, id)
		}
	}
	// Stock clang also compiles a source's main for the device. It cannot be called there, and several
	// sources may have one.
	if main := m.Function("main"); main != nil && main.Defined() {
		main.Internalize()
	}
}

// Definitions holds the names of the symbols that matter when a module is linked with others.
type Definitions struct {
	Kernels, Functions []string // definitions that other modules must not repeat
	Exported           []string // definitions that other modules can use
	Undefined          []string // symbols that other modules must define
}

// Definitions returns the names of the module's symbols.
func (m *Module) Definitions() Definitions {
	var d Definitions
	for _, g := range m.ir.Globals() {
		d.add(g)
	}
	for _, a := range m.ir.Aliases() {
		d.add(a)
	}
	for _, f := range m.ir.Functions() {
		d.add(f)
		switch {
		case f.Kernel() && f.Defined():
			d.Kernels = append(d.Kernels, f.Name())
		case f.Defined() && f.Linkage() == llvmir.External:
			d.Functions = append(d.Functions, f.Name())
		}
	}
	return d
}

// add adds a symbol to Exported or Undefined.
func (d *Definitions) add(s llvmir.Symbol) {
	switch l := s.Linkage(); {
	case l.Local() || l == llvmir.ExternWeak:
	case s.Defined() && l != llvmir.AvailableExternally:
		d.Exported = append(d.Exported, s.Name())
	default:
		d.Undefined = append(d.Undefined, s.Name())
	}
}
