// Package postlink turns linked device code into modules that can be compiled
// and loaded on their own, and says what each needs.
//
// Before linking, [MarkSource] prepares the module of a source: [LowerAnnotations]
// makes attributes of annotations, and functions get the aspects that they use.
// [SameFunction] tells which of the functions that several sources define are one.
//
// After it, [Run] does all there is to do. It is the list of the passes, each of
// which works alone:
//
//   - [NumberAspects] gives aspects the numbers that this project has for them
//   - [CheckStaticConstructors] finds variables of device code that only a static
//     constructor would initialize
//   - [DropHostCode] and [ForgetUsed] let go of what nothing on a device uses
//   - [SetSourceLanguage] says what language device compilers take the code for
//   - [LowerKernelNames] makes metadata of the sizes in kernels' names
//   - [PrefixKernelNames] gives kernels the names that they have in a SYCLBIN
//   - [Undefined] finds what kernels call and nobody defines
//   - [FindVirtualFunctions] finds the sets of virtual functions that kernels may
//     call, and warns of virtual calls from kernels that do not say what they call
//   - [PropagateAspects] finds the aspects that each function uses, warns of those
//     that it does not declare, and writes fixed targets
//   - [Split] divides the module into images
//   - [CheckExternals] warns of SYCL_EXTERNAL functions that need more than the
//     kernels of their image expect
//
// Then [Image.WriteTo] writes an image's code, [Image.Properties] its property sets
// by a [PropertyWriter], and [Symbols] its symbol file. [Restore] is the way back: it
// gives code what its properties say.
//
// Specialization constants and compile-time properties are other passes' business:
// their metadata goes to the images as it is.
//
// All of it takes time in proportion to the module and to what is written. Attribute,
// metadata and property names are those of DPC++'s post-link step.
package postlink

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/llvmir"
)

// Options say what Run does.
type Options struct {
	Aspects AspectOptions
	Split   SplitOptions

	// SYCLBINKernelNames gives kernels the names by which ext_oneapi_get_kernel finds
	// them in a SYCLBIN: see PrefixKernelNames. In images that are embedded in a
	// program, kernels have the names that the program has.
	SYCLBINKernelNames bool
}

// A Result is what Run makes of a module.
type Result struct {
	Images      []*Image // none when there is an error among the diagnostics
	Diagnostics []Diagnostic
	Origins     map[string]map[aspect.Aspect]Origin // by kernel: what makes it need an aspect

	// DeviceLibraries says that the module is one of DPC++'s compiler, which links
	// device libraries to its modules when it translates them.
	DeviceLibraries bool
}

// Run does all that happens to a linked module, which it changes.
func Run(m *llvmir.Module, o Options) (*Result, error) {
	libraries := finished(m)
	if err := NumberAspects(m); err != nil {
		return nil, err
	}
	diagnostics := CheckStaticConstructors(m, o.Split)
	if len(diagnostics) > 0 { // errors, of which what follows would say something else
		return &Result{Diagnostics: diagnostics}, nil
	}
	DropHostCode(m)
	ForgetUsed(m)
	SetSourceLanguage(m)
	if err := LowerKernelNames(m); err != nil {
		return nil, err
	}
	if o.SYCLBINKernelNames {
		if err := PrefixKernelNames(m); err != nil {
			return nil, err
		}
	}
	if !o.Split.Dependencies {
		if err := checkUndefined(m); err != nil {
			return nil, err
		}
	}
	diagnostics = FindVirtualFunctions(m)
	known, err := NewKnownAspects(m)
	if err != nil {
		return nil, err
	}
	aspects, list, err := PropagateAspects(m, o.Aspects)
	if err != nil {
		return nil, err
	}
	diagnostics = append(diagnostics, list...)
	images, err := Split(m, o.Split)
	if err != nil {
		return nil, err
	}
	said := map[string]bool{}
	ways := sync.OnceValue(func() *paths { return newPaths(m) }) // made for the first warning
	for _, image := range images {
		list, err := image.checkExternals(m, known, ways)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			if text := d.String(); !said[text] { // a function may be in many images
				said[text] = true
				diagnostics = append(diagnostics, d)
			}
		}
	}
	return &Result{images, diagnostics, aspects.Origins, libraries}, nil
}

// checkExternals is CheckExternals for an image with kernels.
func (image *Image) checkExternals(m *llvmir.Module, known KnownAspects, ways func() *paths) ([]Diagnostic, error) {
	var kernels, functions []*llvmir.Function
	for _, f := range image.EntryPoints {
		if f.Kernel() {
			kernels = append(kernels, f)
		}
	}
	if len(kernels) == 0 {
		return nil, nil
	}
	for _, s := range image.define {
		if f, ok := s.(*llvmir.Function); ok {
			functions = append(functions, f)
		}
	}
	expected, err := ExpectedRequirements(m, kernels, known)
	if err != nil {
		return nil, err
	}
	_, list, err := checkExternals(m, functions, known, expected, ways)
	return list, err
}

// checkUndefined makes an error of the functions that nobody defines.
func checkUndefined(m *llvmir.Module) error {
	var errs []error
	for _, u := range Undefined(m) {
		place := ""
		if source, _ := m.Function(u.Chain[0]).Attribute(attrModuleID); source != "" {
			place = source + ": "
		}
		errs = append(errs, fmt.Errorf("%s%s. Add what defines it, a source or a SYCLBIN, or define it in a header", place, u))
	}
	return errors.Join(errs...)
}

// MarkSource prepares the module of a source for being linked with others: its
// kernels get the attribute that tells the source, annotations become attributes and
// metadata, and functions get the aspects that they use, which is what their callers
// in this source know of them.
func MarkSource(m *llvmir.Module, id string) error {
	markModule(m, id)
	if err := NumberAspects(m); err != nil {
		return err
	}
	SetSourceLanguage(m) // a source that says nothing is SYCL, whatever others say
	if err := LowerAnnotations(m, id); err != nil {
		return err
	}
	_, _, err := PropagateAspects(m, AspectOptions{NoMismatch: true, NoFixedTargets: true})
	return err
}

// markModule notes on every kernel of a module which source it comes from.
// Kernels that DPC++'s front end has marked keep their mark.
func markModule(m *llvmir.Module, id string) {
	for _, k := range m.Kernels() {
		if _, ok := k.Attribute(attrModuleID); !ok {
			k.SetAttribute(attrModuleID, id)
		}
	}
	// Stock clang compiles a source's main for the device too. Nothing can call
	// it there, and two sources may have one each.
	if main := m.Function("main"); main != nil && main.Defined() {
		main.Internalize()
	}
}

// DropHostCode removes what keeps host code alive in a device module: the lists
// of static constructors and destructors, which no device runs.
func DropHostCode(m *llvmir.Module) {
	for _, name := range []string{"llvm.global_ctors", "llvm.global_dtors"} {
		m.DeleteGlobal(name)
	}
}

// kernelWith is how the name type sycl_lite::kernel_with<Name, X, Y, Z, SubGroup>
// of our device header starts in a kernel's name. Stock clang has no attributes
// for required sizes in SYCL code, so the header puts them into the name.
const kernelWith = "_ZTSN9sycl_lite11kernel_withI"

// LowerKernelNames gives a kernel whose name type carries required sizes the
// metadata that the SPIR-V translators understand.
func LowerKernelNames(m *llvmir.Module) error {
	for _, k := range m.Kernels() {
		name := kernelname.Base(k.Name())
		if !strings.HasPrefix(name, kernelWith) {
			continue
		}
		n, ok := kernelSizes(name)
		if !ok {
			return fmt.Errorf("kernel %s: the sizes in its name type kernel_with cannot be read", kernelname.Display(k.Name()))
		}
		if workGroup := n[:3]; !slices.Equal(workGroup, []uint32{0, 0, 0}) && !k.HasMetadata("reqd_work_group_size") {
			if slices.Contains(workGroup, 0) {
				return fmt.Errorf("kernel %s: a required work-group size of 0", kernelname.Display(k.Name()))
			}
			k.SetMetadata("reqd_work_group_size", m.AddNode(fmt.Sprintf("i32 %d, i32 %d, i32 %d", n[0], n[1], n[2])))
		}
		if n[3] != 0 && !k.HasMetadata("intel_reqd_sub_group_size") {
			k.SetMetadata("intel_reqd_sub_group_size", m.AddNode(fmt.Sprintf("i32 %d", n[3])))
		}
	}
	return nil
}

// kernelSizes reads the last four template arguments of a kernel_with name:
// Lj8E is the unsigned literal 8, and the name ends in the template's and the
// nested name's own E.
func kernelSizes(name string) ([]uint32, bool) {
	rest, ok := strings.CutSuffix(name, "EE")
	if !ok {
		return nil, false
	}
	sizes := make([]uint32, 4)
	for i := 3; i >= 0; i-- {
		if rest, ok = strings.CutSuffix(rest, "E"); !ok {
			return nil, false
		}
		at := strings.LastIndex(rest, "Lj")
		if at < 0 {
			return nil, false
		}
		n, err := strconv.ParseUint(rest[at+2:], 10, 32)
		if err != nil {
			return nil, false
		}
		sizes[i] = uint32(n)
		rest = rest[:at]
	}
	return sizes, true
}
