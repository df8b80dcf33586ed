// Package postlink divides linked device code into modules that can be compiled and loaded
// separately, and determines the requirements of each.
//
// Device code is a [Module], LLVM IR as text, which [Parse] reads. [Module.Mark] prepares the
// module of a source for being linked with others, and [DeduplicateKernels] keeps one copy of each
// kernel that several sources define identically. [Restore] is the reverse of [Image.Properties]:
// it restores in the code of a device image what the image's properties state.
//
// [Run] runs these passes over linked code:
//
//   - aspect numbers are converted to this project's numbers
//   - variables that only a static constructor would initialize are errors
//   - code that devices do not use is removed, and kernels get the metadata and the names that
//     they have in images
//   - functions and variables that kernels use but no source defines are errors or warnings
//   - compile-time properties become the metadata that translators read
//   - the sets of virtual functions that kernels may call are added to the kernels
//   - the aspects that functions use are added to the functions ([aspects.Propagate])
//   - the module is divided into images
//   - calls that read specialization constants are checked; they are replaced when an image's
//     properties or code are requested
//   - SYCL_EXTERNAL functions that require more than the kernels of their image expect are reported
//     as warnings
//
// Then [Image.WriteCode] writes an image's code, [Image.Properties] returns its
// property sets, and [Image.Symbols] its symbol file.
//
// All passes take time proportional to the size of the module and the output. Attribute, metadata
// and property names match DPC++'s post-link step.
package postlink

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/aspects"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// Options configure Run.
type Options struct {
	// Source is the module id of all code that does not specify its source. It is "" for a module
	// whose sources were marked before linking.
	Source string

	Split SplitOptions

	// UndefinedAdvice is the advice in errors about a function or variable that no source defines. If
	// it is "", errors have advice for the Bazel rules and the tools.
	UndefinedAdvice string

	// ExcludeAspects lists names or numbers of aspects that are not added to functions, unless a
	// function declares them. They still cause diagnostics.
	ExcludeAspects []string

	// EmulateFP64Conversions indicates that the device's compiler emulates moves and conversions of
	// doubles, so these do not require fp64.
	EmulateFP64Conversions bool

	// KeepAspects keeps the aspects that the compiler added to functions, without deriving aspects
	// from code or propagating them from callees. The options for these steps, above and below, then
	// have no effect.
	KeepAspects bool

	// FixedTargets are the targets of -fsycl-fixed-targets, for kernels and SYCL_EXTERNAL functions
	// that do not have fixed targets yet. They are compared with Devices; nil disables the comparison.
	FixedTargets []string
	Devices      *deviceconfig.Config

	// SYCLBINKernelNames adds [kernelname.Prefix] to the names of kernels, by which
	// ext_oneapi_get_kernel finds them in a SYCLBIN. In images embedded in a program, kernels have the
	// program's names.
	SYCLBINKernelNames bool

	// SpecConstants selects how calls that read specialization constants are lowered. "" means
	// native if the target triple is SPIR-V that is compiled at run time, and emulation otherwise.
	SpecConstants SpecConstantMode

	// DefaultValueImages adds a copy of each image that reads specialization constants, in which
	// the constants have their default values.
	DefaultValueImages bool

	// DPCPPTranslator indicates that DPC++ translates the images to SPIR-V. Its translator requires
	// some compile-time properties in a different form than llvm-spirv and llc.
	DPCPPTranslator bool

	// AsDPCPP makes the output match DPC++'s post-link step where this package otherwise differs: an
	// image of all kernels ([SplitOptions.Whole]) keeps uncalled functions, unused device globals are
	// removed, and invalid reads of specialization constants are warnings instead of errors.
	AsDPCPP bool

	// FromText indicates that the module was originally text, not bitcode. DPC++ numbers the
	// specialization constants of such modules in a different order.
	FromText bool
}

// A Diagnostic is an error or a warning about device code. Its String method formats it as
// compilers do, on several lines.
type Diagnostic = devicecode.Diagnostic

// A Result is the result of Run.
type Result struct {
	Images      []*Image // none if the diagnostics include an error
	Diagnostics []Diagnostic
}

// Run runs all passes over a linked module, which it modifies. Images refer to the module, which
// must not be modified while they are in use.
func Run(m *Module, o Options) (*Result, error) {
	if o.Source != "" {
		if err := markSource(m.ir, o.Source, o.EmulateFP64Conversions); err != nil {
			return nil, err
		}
		if err := m.reparse(); err != nil {
			return nil, err
		}
	}
	return run(m.ir, o)
}

func run(m *llvmir.Module, o Options) (*Result, error) {
	libraries := aspects.IsPropagated(m)
	if err := aspects.Renumber(m); err != nil {
		return nil, err
	}
	if list := checkStaticConstructors(m, o.Split); len(list) > 0 { // later passes would report these errors differently
		return &Result{Diagnostics: list}, nil
	}
	used := dropUsedLists(m, o)
	dropDiscardable(m)
	if err := prepare(m, o); err != nil {
		return nil, err
	}
	diagnostics, err := checkUndefined(m, o)
	if err != nil {
		return nil, err
	}
	list, err := devicecode.LowerProperties(m, devicecode.PropertyOptions{DPCPP: o.DPCPPTranslator})
	if err != nil {
		return nil, err
	}
	diagnostics = slices.Concat(diagnostics, list, findVirtualFunctions(m))
	known, err := newKnownAspects(m)
	if err != nil {
		return nil, err
	}
	if list, err = propagateAspects(m, o); err != nil {
		return nil, err
	}
	diagnostics = append(diagnostics, list...)
	images, err := newImageModule(m, o, used, libraries).images()
	if err != nil {
		return nil, err
	}
	images, list, err = lowerConstants(m, images, o)
	if err != nil {
		return nil, err
	}
	diagnostics = append(diagnostics, list...)
	if list, err = checkImages(m, images, known); err != nil {
		return nil, err
	}
	return &Result{images, append(diagnostics, list...)}, nil
}

// propagateAspects adds to functions the aspects that they use.
func propagateAspects(m *llvmir.Module, o Options) ([]Diagnostic, error) {
	if o.KeepAspects {
		return nil, nil
	}
	found, err := aspects.Propagate(m, aspects.Options{
		Exclude: o.ExcludeAspects, EmulateFP64Conversions: o.EmulateFP64Conversions, FixedTargets: o.FixedTargets, Devices: o.Devices,
	})
	if err != nil {
		return nil, err
	}
	return found.Diagnostics, nil
}

// prepare runs the passes that modify a module before its aspects are determined.
func prepare(m *llvmir.Module, o Options) error {
	dropHostCode(m)
	setSourceLanguage(m)
	if err := lowerSanitizerLists(m); err != nil {
		return err
	}
	if err := lowerKernelNames(m); err != nil {
		return err
	}
	if o.SYCLBINKernelNames {
		if err := prefixKernelNames(m); err != nil {
			return err
		}
	}
	return nil
}

// checkUndefined returns errors or warnings about the functions and variables that no source
// defines.
func checkUndefined(m *llvmir.Module, o Options) ([]Diagnostic, error) {
	if o.Split.Dependencies {
		return nil, nil
	}
	var warnings []Diagnostic
	var errs []error
	for _, u := range undefined(m) {
		place := ""
		if source, _ := m.Function(u.chain[0]).Attribute(devicecode.AttrModuleID); source != "" {
			place = source + ": "
		}
		if o.Split.AllowUndefined {
			warnings = append(warnings, Diagnostic{Text: place + u.String()})
			continue
		}
		errs = append(errs, fmt.Errorf("%s%s; %s", place, u, cmp.Or(o.UndefinedAdvice,
			"define it in a header, or link the source or the SYCLBIN that defines it (in BUILD files: in srcs or deps, with rdc = True)")))
	}
	return warnings, errors.Join(errs...)
}

// dropHostCode removes the lists of static constructors and destructors. They do not run on
// devices, but the lists keep host code alive in a device module.
func dropHostCode(m *llvmir.Module) {
	for _, name := range []string{"llvm.global_ctors", "llvm.global_dtors"} {
		m.DeleteGlobal(name)
	}
}
