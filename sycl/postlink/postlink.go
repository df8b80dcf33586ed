// Package postlink turns linked device code into modules that can be compiled
// and loaded on their own, and says what each needs.
//
// Device code is a [Module], LLVM IR as text, which [Parse] reads. [Module.Mark]
// prepares the module of a source for being linked with others, and [Unrepeat] leaves
// one of the kernels that several sources define alike. [Restore] is the way back from
// a device image: it gives code what the image's properties say.
//
// [Run] does all that happens to linked code, one pass after the other:
//
//   - aspects get the numbers that this project has for them
//   - variables that only a static constructor would initialize are errors
//   - what nothing on a device uses goes, and kernels get the metadata and the names
//     that they have in images
//   - functions and variables that kernels use and no source defines are errors, or warnings
//   - compile-time properties become the metadata that translators read
//   - kernels get the sets of virtual functions that they may call
//   - functions get the aspects that they use ([aspects.Propagate])
//   - the module is divided into images
//   - calls that read specialization constants are checked; they are replaced when an
//     image's properties or its code are asked for
//   - SYCL_EXTERNAL functions that need more than the kernels of their image expect
//     are warned of
//
// Then [Image.WriteCode] writes an image's code, [Image.Properties] returns its
// property sets, and [Image.Symbols] its symbol file.
//
// All of it takes time in proportion to the module and to what is written. Attribute,
// metadata and property names are those of DPC++'s post-link step.
package postlink

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/aspects"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// Options say what Run does.
type Options struct {
	// Source is the module id of all code that does not say which source it is of.
	// "" stands for a module whose sources were marked before they were linked.
	Source string

	Split SplitOptions

	// ExcludeAspects has names or numbers of aspects that no function gets from its
	// code or from what it calls, unless one declares them. Diagnostics are about them
	// as well.
	ExcludeAspects []string

	// EmulateFP64Conversions says that the device's compiler replaces what only
	// moves and converts a double, so that it needs no fp64.
	EmulateFP64Conversions bool

	// KeepAspects leaves functions the aspects that the compiler has given them: none are
	// found in code, and none come from what a function calls. The options above and
	// below, which are about finding them, then do nothing.
	KeepAspects bool

	// FixedTargets are those of -fsycl-fixed-targets, for kernels and SYCL_EXTERNAL
	// functions that have none yet. They are compared with what Devices has of them;
	// nil turns that off.
	FixedTargets []string
	Devices      *deviceconfig.Config

	// SYCLBINKernelNames gives kernels the names by which ext_oneapi_get_kernel finds
	// them in a SYCLBIN: with [kernelname.Prefix] before. In images that are embedded
	// in a program, kernels have the names that the program has.
	SYCLBINKernelNames bool

	// SpecConstants says what becomes of the calls that read specialization constants.
	// "" is for native when the target triple is that of SPIR-V which is compiled when
	// a program runs, and for emulation otherwise.
	SpecConstants SpecConstantMode

	// DefaultValueImages adds a copy of each image that reads specialization constants,
	// in which these have their default values.
	DefaultValueImages bool

	// DPCPPTranslator says that DPC++ translates the images to SPIR-V. It wants some
	// compile-time properties in another form than llvm-spirv and llc.
	DPCPPTranslator bool

	// AsDPCPP does what DPC++'s post-link step does where it differs from what this
	// package makes of the same code: an image of all kernels ([SplitOptions.Whole]) has
	// the functions that nothing calls too, device globals that nothing uses go, and
	// reads of specialization constants that are errors otherwise are warnings.
	AsDPCPP bool

	// FromText says that the module was text before it was parsed, not bitcode. DPC++ then
	// numbers specialization constants in another order.
	FromText bool
}

// A Diagnostic is a mistake in device code. Its String is the text that compilers
// write, of several lines.
type Diagnostic = devicecode.Diagnostic

// A Result is what Run makes of a module.
type Result struct {
	Images      []*Image // none when there is an error among the diagnostics
	Diagnostics []Diagnostic
}

// Run does all that happens to a linked module, which it changes. Images refer to
// the module, which nothing may change while they are in use.
func Run(m *Module, o Options) (*Result, error) {
	if o.Source != "" {
		if err := markSource(m.ir, o.Source, o.EmulateFP64Conversions); err != nil {
			return nil, err
		}
		if err := m.readAgain(); err != nil {
			return nil, err
		}
	}
	return run(m.ir, o)
}

func run(m *llvmir.Module, o Options) (*Result, error) {
	libraries := aspects.Finished(m)
	if err := aspects.Renumber(m); err != nil {
		return nil, err
	}
	if list := checkStaticConstructors(m, o.Split); len(list) > 0 { // errors, of which what follows would say something else
		return &Result{Diagnostics: list}, nil
	}
	used := forgetUsed(m, o)
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

// propagateAspects gives functions the aspects that they use.
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

// prepare does what changes a module before its aspects are found.
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

// checkUndefined makes errors, or warnings, of the functions and variables that no source
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
		errs = append(errs, fmt.Errorf("%s%s. Define it in a header, or link the source or the SYCLBIN that defines it (in BUILD files: in srcs or deps, with rdc = True)", place, u))
	}
	return warnings, errors.Join(errs...)
}

// dropHostCode removes what keeps host code alive in a device module: the lists
// of static constructors and destructors, which no device runs.
func dropHostCode(m *llvmir.Module) {
	for _, name := range []string{"llvm.global_ctors", "llvm.global_dtors"} {
		m.DeleteGlobal(name)
	}
}
