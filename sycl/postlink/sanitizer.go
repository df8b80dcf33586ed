package postlink

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// sanitizerLists are the names of the variables with a sanitizer's list of kernels, and
// the sanitizers' names. A module that was instrumented for dynamic linking has "_" and
// an id of its own after the name.
var sanitizerLists = [][2]string{{"__AsanKernelMetadata", "asan"}, {"__MsanKernelMetadata", "msan"}, {"__TsanKernelMetadata", "tsan"}}

// sanitizerOf returns the sanitizer whose list of kernels a variable is, "" for others.
func sanitizerOf(variable string) string {
	for _, s := range sanitizerLists {
		if rest, ok := strings.CutPrefix(variable, s[0]); ok && (rest == "" || rest[0] == '_') {
			return s[1]
		}
	}
	return ""
}

// sanitizerList returns a sanitizer's list of kernels, nil when the module has none. A
// module is compiled with one sanitizer as a whole.
func sanitizerList(m *llvmir.Module) *llvmir.Global {
	for _, g := range m.Globals() {
		if sanitizerOf(g.Name()) != "" {
			return g
		}
	}
	return nil
}

// lowerSanitizerLists makes the lists of kernels what sanitizers look for on a device:
// structs with an array that others see. In IR of sources they are arrays that linkers
// append to each other.
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

// nameSanitizerList gives a list the attributes by which a host finds it. Some linkers
// leave them out when they append lists to each other.
func nameSanitizerList(g *llvmir.Global) {
	id := g.Name()
	if !strings.Contains(strings.TrimPrefix(id, "__"), "_") { // of a module without an id, whose variable is one of C++
		id = fmt.Sprintf("_Z%d%s", len(id), id)
	}
	g.SetAttribute(attrUniqueID, id)
	g.SetAttribute("sycl-host-access", "0") // hosts only read it
	g.SetAttribute(attrDeviceImageScope, "")
}
