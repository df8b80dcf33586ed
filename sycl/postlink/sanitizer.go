package postlink

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// sanitizerLists maps the names of the variables with a sanitizer's list of kernels to the
// sanitizers' names. In a module instrumented for dynamic linking, "_" and the module's id are
// appended to the name.
var sanitizerLists = [][2]string{{"__AsanKernelMetadata", "asan"}, {"__MsanKernelMetadata", "msan"}, {"__TsanKernelMetadata", "tsan"}}

// sanitizerOf returns the sanitizer whose list of kernels a variable holds, or "".
func sanitizerOf(variable string) string {
	for _, s := range sanitizerLists {
		if rest, ok := strings.CutPrefix(variable, s[0]); ok && (rest == "" || rest[0] == '_') {
			return s[1]
		}
	}
	return ""
}

// sanitizerList returns a sanitizer's list of kernels, or nil if the module has none. A module is
// compiled with at most one sanitizer.
func sanitizerList(m *llvmir.Module) *llvmir.Global {
	for _, g := range m.Globals() {
		if sanitizerOf(g.Name()) != "" {
			return g
		}
	}
	return nil
}

// lowerSanitizerLists converts the lists of kernels to the form that sanitizers expect on a device:
// visible structs with an array. In the IR of sources, they are arrays with appending linkage.
func lowerSanitizerLists(m *llvmir.Module) error {
	list := sanitizerList(m)
	if list == nil {
		return nil
	}
	layout, err := m.Layout()
	if err != nil {
		return fmt.Errorf("@%s: %w", list.Name(), err)
	}
	for _, g := range m.Globals() {
		if sanitizerOf(g.Name()) == "" || g.ValueType() == nil {
			continue
		}
		bare := !g.HasAttribute(attrUniqueID)
		if bare {
			nameSanitizerList(g)
		}
		if size, err := layout.Size(g.ValueType()); err == nil && (bare || g.HasAttribute(attrDeviceGlobalSize)) {
			g.SetAttribute(attrDeviceGlobalSize, strconv.FormatUint(size.Alloc, 10))
		}
		if g.Linkage() != llvmir.Appending {
			continue
		}
		list := g.ValueType().String()
		g.SetDefinition("{ "+list+" }", fmt.Sprintf("{ %s %s }", list, g.Initializer()))
		g.SetLinkage(llvmir.External)
	}
	return nil
}

// nameSanitizerList adds to a list the attributes by which hosts find it. Some linkers drop them
// when they append lists.
func nameSanitizerList(g *llvmir.Global) {
	id := g.Name()
	if !strings.Contains(strings.TrimPrefix(id, "__"), "_") { // in a module without an id, the variable has C++ linkage
		id = fmt.Sprintf("_Z%d%s", len(id), id)
	}
	g.SetAttribute(attrUniqueID, id)
	g.SetAttribute("sycl-host-access", "0") // hosts only read it
	g.SetAttribute(attrDeviceImageScope, "")
}
