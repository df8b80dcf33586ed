package postlink

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// annotationsGlobal lists what [[clang::annotate]] says of functions and variables.
const annotationsGlobal = "llvm.global.annotations"

// Annotations of our device header, which stand for attributes that stock clang does
// not have.
const (
	annotateExternal  = "sycl-external"   // SYCL_EXTERNAL
	annotateDeviceHas = "sycl-device-has" // [[sycl::device_has(...)]], with names of aspects after the colon
)

// lowerAnnotations turns the annotations "sycl-external" and
// "sycl-device-has:fp64,fp16" of functions into the attribute and the metadata that
// DPC++'s front end would have given them, and removes them. SYCL_EXTERNAL functions
// are of the source that id names. Other annotations stay.
func lowerAnnotations(m *llvmir.Module, id string) error {
	var errs []error
	filterElements(m, annotationsGlobal, func(e llvmir.Value) bool {
		f, text := annotation(m, e)
		key, argument, _ := strings.Cut(text, ":")
		switch {
		case f != nil && key == annotateExternal && argument == "":
			if _, ok := f.Attribute(devicecode.AttrModuleID); !ok && f.Defined() {
				f.SetAttribute(devicecode.AttrModuleID, id)
			}
		case f != nil && key == annotateDeviceHas:
			if f.Defined() { // a declaration says the same as the definition
				errs = append(errs, declareAspects(m, f, argument))
			}
		default:
			return true
		}
		return false
	})
	return errors.Join(errs...)
}

// annotation reads an element: what is annotated, the text, the file, the line, and
// arguments. It returns nil when that is no function.
func annotation(m *llvmir.Module, e llvmir.Value) (*llvmir.Function, string) {
	fields := e.Elements()
	if len(fields) < 2 {
		return nil, ""
	}
	name, _ := fields[0].BaseGlobal()
	textName, _ := fields[1].BaseGlobal()
	f, text := m.Function(name), m.Global(textName)
	if f == nil || text == nil {
		return nil, ""
	}
	value, ok := text.InitializerValue()
	if !ok {
		return nil, ""
	}
	content, ok := value.Bytes()
	if !ok {
		return nil, ""
	}
	return f, strings.TrimSuffix(string(content), "\x00")
}

// declareAspects adds aspects to those that a function declares.
func declareAspects(m *llvmir.Module, f *llvmir.Function, names string) error {
	declared := []int32{}
	if id, ok := f.Metadata(devicecode.DeclaredAspectsMD); ok {
		declared, _ = devicecode.AspectNumbers(m, id)
	}
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue // device_has() declares that nothing is needed
		}
		a, err := aspect.Parse(name)
		if err != nil {
			return &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("device_has of '%s': %v", kernelname.Display(f.Name()), err)}
		}
		declared = append(declared, int32(a))
	}
	slices.Sort(declared)
	var nodes []string
	for _, a := range slices.Compact(declared) {
		nodes = append(nodes, "i32 "+strconv.Itoa(int(a)))
	}
	f.SetMetadata(devicecode.DeclaredAspectsMD, m.AddNode(strings.Join(nodes, ", ")))
	return nil
}
