package syclbin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// A Finding is one error in a file.
type Finding struct {
	ID      string // of the Rule
	Place   string // such as "abstract module 3"
	Message string
	Fix     string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s; %s", f.Place, f.ID, f.Message, f.Fix)
}

// A Rule is one check of Verify.
type Rule struct {
	ID    string
	Short string // the requirement
	Fix   string
}

func finding(rule Rule, place, format string, args ...any) Finding {
	return Finding{rule.ID, place, fmt.Sprintf(format, args...), rule.Fix}
}

// The rules. Violations of the first block of rules are found while a file is read.
var (
	containerVersion   = Rule{"container-version", "the container must have a version that the runtime loads", "rewrite it with 'packager convert'"}
	containerSeveral   = Rule{"container-several", "the container must contain one SYCLBIN and nothing else", "rewrite it, or extract the SYCLBIN that you need"}
	containerKind      = Rule{"container-kind", "the container must declare its image as a SYCLBIN", "rewrite it with image kind 7"}
	entryOffloadKind   = Rule{"entry-offload-kind", "the entries of a version 2 file must have the offload kind SYCL", "rewrite it"}
	entryStrings       = Rule{"entry-strings", "the strings of a version 2 entry must match its role and its metadata", "rewrite it from the metadata"}
	firstIndex         = Rule{"first-index", "each image must belong to one abstract module", "rewrite it; images were assigned to modules in order, as the compiler intended"}
	unreferencedHeader = Rule{"unreferenced-header", "each image must belong to an abstract module", "rebuild it if you need the image"}
	metadataText       = Rule{"metadata-text", "metadata must be property set text without surplus characters or duplicates", "rewrite it"}

	runtimeForm    = Rule{"runtime-form", "the runtime that the file is for must be able to read its container", "rewrite it with 'packager convert --runtime'"}
	nativeBesideIR = Rule{"native-beside-ir", "a file for 2025.3 must not contain IR that its runtime ignores", "build it either for native targets or for spir64, and omit native images from files that you link"}
	releaseUnknown = Rule{"release-unknown", "the file must name a supported runtime release", "rewrite it with --runtime, or use a newer version of this program"}

	stateMissing    = Rule{"state-missing", "the global metadata must have a state", "set the state with the option --state"}
	stateInvalid    = Rule{"state-invalid", "the state must be input (0), object (1) or executable (2)", "set the state with the option --state"}
	metadataSets    = Rule{"metadata-sets", "metadata must contain only the property sets for its level", "move the set to the metadata that it belongs to, or remove it"}
	setName         = Rule{"set-name", "words in the name of a set must have one space between them", "rewrite it with the name that readers look for"}
	propertyKey     = Rule{"property-key", "a set with specified keys must have no other keys", "rewrite it without the key"}
	noModules       = Rule{"no-modules", "the file must have at least one abstract module", "rebuild it, and check why device code was omitted"}
	moduleEmpty     = Rule{"module-empty", "an abstract module must have at least one image", "remove the module, or build it for at least one target"}
	noKernels       = Rule{"kernel-names-missing", "an abstract module must name its kernels or export symbols", "repack it with a symbol file, or with property files that have the set " + propset.KernelNames}
	kernelUnknown   = Rule{"kernel-unknown", "sets about kernels must refer to kernels of the abstract module", "correct the name in the property file, or remove the key"}
	kernelPrefix    = Rule{"kernel-name-prefix", "kernel names must start with " + kernelname.Prefix, "build a program, which contains its images, instead of a SYCLBIN, or make the kernels free functions of extern \"C\""}
	nativeTargets   = Rule{"native-compile-target", "a native image must be the only image in an abstract module whose compile_target is its architecture", "rewrite it with 'packager convert'; otherwise the runtime may use the image for a different device"}
	irCompileTarget = Rule{"ir-compile-target", "an IR module must be in an abstract module without compile_target", "rewrite it with 'packager convert'; the runtime rejects IR with a compile_target on every device"}
	aspectsMissing  = Rule{"aspects-missing", "device requirements must list the aspects, even if the list is empty", "rebuild it with a current compiler"}
	propertyType    = Rule{"property-value", "a property must have a value that its key allows", "rebuild it with a current compiler"}
	irSetMissing    = Rule{"ir-metadata-missing", "an IR module must have the set " + propset.SYCLBINIR, "repack it"}
	irTypeMissing   = Rule{"ir-type-missing", "an IR module must have a type", "repack it"}
	irTypeInvalid   = Rule{"ir-type-invalid", "the type of an IR module must be SPIR-V (0), PTX (1) or AMDGCN (2)", "repack it; the type is derived from the bytes"}
	irTypeMismatch  = Rule{"ir-type-mismatch", "the type of an IR module must match its bytes", "repack it; the type is derived from the bytes"}
	irTarget        = Rule{"ir-target-missing", "an IR module must have a target triple", "repack it with the triple; files without a triple cannot be linked"}
	nativeSet       = Rule{"native-metadata-missing", "a native image must have the set " + propset.SYCLBINNative, "repack it"}
	nativeSetName   = Rule{"native-metadata-name", "the set of a native image must have the name that readers look for", "rewrite it with the name " + propset.SYCLBINNative}
	nativeArch      = Rule{"native-arch-missing", "a native image must have an architecture", "repack it with the architecture"}
	nativeTarget    = Rule{"native-target-missing", "a native image must have a target triple", "repack it with the triple; the runtime does not load images without one"}
	nativeIR        = Rule{"native-is-ir", "a native image must be neither SPIR-V nor LLVM bitcode", "compile it for the architecture, or pack it as an IR module, without one"}
	imageEmpty      = Rule{"image-empty", "an image must not be empty", "check the compilation that wrote an empty file"}
)

// TooMany is the rule that a file breaks if it is only partly checked.
var TooMany = Rule{"too-many", "a file must be small enough to be checked completely", "split the file, or fix these findings and check again"}

var rules = []Rule{
	containerVersion, containerSeveral, containerKind, entryOffloadKind, entryStrings, firstIndex, unreferencedHeader, metadataText, releaseUnknown, runtimeForm, nativeBesideIR,
	stateMissing, stateInvalid, metadataSets, setName, noModules, moduleEmpty, noKernels, kernelUnknown, kernelPrefix, nativeTargets, irCompileTarget,
	aspectsMissing, propertyKey, propertyType, irSetMissing, irTypeMissing, irTypeInvalid, irTypeMismatch, irTarget,
	nativeSet, nativeSetName, nativeArch, nativeTarget, nativeIR, imageEmpty, TooMany,
}

// Rules returns the rules that Verify checks, in the order of the documentation.
func Rules() []Rule { return slices.Clone(rules) }

// Verify checks a file against every rule of the format, in the order of the file. A file read by
// NewLenientFile can break more rules than NewFile accepts. The Verify function of package link
// checks the relations between modules.
func Verify(f *File) []Finding {
	v := verifier{file: f, found: slices.Clone(f.Findings)}
	v.global()
	if len(f.Modules) == 0 {
		v.add(noModules, "file", "the file has no abstract modules")
	}
	for i, m := range f.Modules {
		v.module(i, m)
		for j, img := range m.IR {
			v.ir(fmt.Sprintf("IR module %d of abstract module %d", j, i), img)
		}
		for j, img := range m.Native {
			v.native(fmt.Sprintf("native image %d of abstract module %d", j, i), img)
		}
	}
	v.names()
	return v.found
}

type verifier struct {
	file  *File
	found []Finding
}

// maxFindings limits how much a hostile file can make Verify keep in memory.
const maxFindings = 10_000

func (v *verifier) add(rule Rule, place, format string, args ...any) {
	v.found = AppendFinding(v.found, rule, place, format, args...)
}

// VerifyForm checks that a runtime release reads the container and version that f was read from.
func VerifyForm(f *File, r *release.Release) []Finding {
	words := r.RejectReason(f.Version, f.Container, f.ImageKind, f.GlobalRange.Size)
	if words == "" {
		return nil
	}
	return []Finding{finding(runtimeForm, "file", "the runtime of %s rejects the file: %s", r, strings.TrimSuffix(words, "."))}
}

// VerifyFor checks the rules that are specific to a runtime release, regardless of the form that
// the file has or will have. For 2025.3, it finds IR that the runtime ignores, and native images
// with which it cannot link reliably.
func VerifyFor(f *File, r *release.Release) []Finding {
	if r != release.Before2026() {
		return nil
	}
	native, ir := make(map[string]bool), make(map[string]bool) // kernels
	for _, m := range f.Modules {
		for _, name := range m.Kernels() {
			native[name] = native[name] || len(m.Native) > 0
			ir[name] = ir[name] || len(m.IR) > 0
		}
	}
	hasNative := slices.ContainsFunc(f.Modules, func(m *Module) bool { return len(m.Native) > 0 })
	switch {
	case !hasNative:
		return nil
	case f.State == Input || f.State == Object:
		return []Finding{finding(nativeBesideIR, "file", "the file is in %s state and has native images, with which sycl::link of %s may crash", f.State, r)}
	}
	for _, name := range slices.Sorted(maps.Keys(ir)) {
		if ir[name] && !native[name] {
			return []Finding{finding(nativeBesideIR, "file", "the kernel %s has only IR, which the runtime of %s ignores on GPUs for which the file has a native image", safetext.Quote(name), r)}
		}
	}
	return nil
}

// AppendFinding appends a violation of a rule with a formatted message. If there are too many
// findings, it appends the finding [TooMany] instead.
func AppendFinding(list []Finding, rule Rule, place, format string, args ...any) []Finding {
	switch len(list) {
	case maxFindings:
		return list
	case maxFindings - 1:
		return append(list, finding(TooMany, "file", "too many findings (limit %d)", maxFindings))
	}
	return append(list, finding(rule, place, format, args...))
}

func (v *verifier) global() {
	const place = "global metadata"
	switch value, ok := v.file.Global.Set(propset.SYCLBINGlobal).Get(keyState); {
	case !ok:
		v.add(stateMissing, place, "missing state")
	case value.Type() != propset.Uint32:
		v.add(stateInvalid, place, "the state is a %s", value.Type())
	case v.file.State > Executable:
		v.add(stateInvalid, place, "the state is %d", uint32(v.file.State))
	}
	v.onlySets(place, v.file.Global, propset.SYCLBINGlobal, release.Set) // the latter has a separate rule
	v.values(place, v.file.Global)
}

// onlySets checks that metadata has only the sets with these names.
func (v *verifier) onlySets(place string, r *propset.Registry, names ...string) {
	for _, s := range r.Sets() {
		if !slices.Contains(names, propset.CanonicalName(s.Name)) {
			v.add(metadataSets, place, "the set %s does not belong here", safetext.Quote(s.Name))
		}
	}
}

// values checks the names of sets, and the keys and values of all properties except those with
// separate rules.
func (v *verifier) values(place string, r *propset.Registry) {
	faulty := false
	for _, s := range r.Sets() {
		if name := strings.Join(strings.Fields(s.Name), " "); name != s.Name {
			v.add(setName, place, "readers do not recognize the set %s as %s", safetext.Quote(s.Name), safetext.Quote(name))
		}
		keys := propset.FixedKeys(s.Name)
		for _, p := range s.Properties() {
			if keys != nil && !slices.Contains(keys, p.Key) {
				v.add(propertyKey, place, "%s, key %s: the set has %s", safetext.Quote(s.Name), safetext.Quote(p.Key), strings.Join(keys, " and "))
			}
			if s.Name == propset.SYCLBINGlobal && p.Key == keyState || s.Name == propset.SYCLBINIR && p.Key == keyType {
				continue
			}
			var syntaxErr *propset.SyntaxError
			if _, err := propset.Describe(s.Name, p.Key, p.Value); errors.As(err, &syntaxErr) {
				faulty = true
				v.add(propertyType, place, "%s, key %s: %s", safetext.Quote(s.Name), safetext.Quote(p.Key), syntaxErr.Msg)
			}
		}
	}
	var syntaxErr *propset.SyntaxError
	if _, err := propset.ReadSpecConstants(r); !faulty && errors.As(err, &syntaxErr) {
		v.add(propertyType, place, "%s, key %s: %s", safetext.Quote(syntaxErr.Set), safetext.Quote(syntaxErr.Key), syntaxErr.Msg)
	}
}

func (v *verifier) module(i int, m *Module) {
	place := fmt.Sprintf("abstract module %d", i)
	if len(m.IR)+len(m.Native) == 0 {
		v.add(moduleEmpty, place, "the module has no images")
	}
	for _, s := range m.Metadata.Sets() {
		if strings.HasPrefix(s.Name, "SYCLBIN/") {
			v.add(metadataSets, place, "the set %s does not belong here", safetext.Quote(s.Name))
		}
	}
	if !slices.ContainsFunc([]string{propset.KernelNames, propset.ExportedSymbols, propset.VirtualFunctions, propset.DeviceLibMetadata},
		func(set string) bool { return m.Metadata.Set(set).Len() > 0 }) {
		v.noKernels(place, m)
	}
	v.targets(place, m)
	if s := m.Metadata.Set(propset.DeviceRequirements); s != nil {
		_, aspects := s.Get("aspects")
		_, aspect := s.Get("aspect") // the documents' alternative spelling
		if !aspects && !aspect {
			v.add(aspectsMissing, place, "the set %s has no aspects", safetext.Quote(propset.DeviceRequirements))
		}
	}
	v.values(place, m.Metadata)
	v.unknownKernels(place, m)
}

// unknownKernels checks the sets that contain only kernels. It skips the sets of removed parameters
// and of sizes, into which DPC++ also writes other functions.
func (v *verifier) unknownKernels(place string, m *Module) {
	kernels := m.Metadata.Set(propset.KernelNames)
	if kernels.Len() == 0 {
		return // which has a separate rule
	}
	for _, set := range []string{propset.AssertUsed, propset.ImplicitLocalArg, propset.WorkGroupDynamicLocalMem, propset.RegisteredKernels} {
		for _, p := range m.Metadata.Set(set).Properties() {
			name := p.Key
			if set == propset.RegisteredKernels {
				name, _ = p.Value.Text()
			}
			if _, ok := kernels.Get(name); !ok {
				v.add(kernelUnknown, place, "%s, key %s: the module has no kernel %s", safetext.Quote(set), safetext.Quote(p.Key), safetext.Quote(name))
			}
		}
	}
}

// noKernels adds a finding for a module that does not list kernels: either it does not have any, or
// their names were lost.
func (v *verifier) noKernels(place string, m *Module) {
	images := m.Images()
	if len(images) > 0 && !slices.ContainsFunc(images, func(i *Image) bool { return !offload.HasNoKernels(i, i.Size()) }) {
		rule := noKernels
		rule.Fix = "remove it; it has no kernels that a program can launch"
		v.add(rule, place, "the module has no kernels and exports no symbols")
		return
	}
	v.add(noKernels, place, "the module names no kernels, so the runtime finds none in it, and exports no symbols")
}

// maxLost is the maximum number of lost kernels in a message: demangled names can be very long.
const maxLost = 1000

// names checks that the runtime finds the kernels by name. If it finds none of them, names adds one
// finding for all.
func (v *verifier) names() {
	symbols, place := v.lostKernels()
	count := "%d kernels"
	if len(symbols) > maxLost {
		symbols, count = symbols[:maxLost], "at least %d kernels"
	}
	var lost []string // demangled names; DPC++ may produce two symbols for one
	for _, symbol := range symbols {
		lost = append(lost, kernelname.Display(symbol))
	}
	slices.Sort(lost)
	lost = slices.Compact(lost)
	switch {
	case len(lost) == 1:
		v.add(kernelPrefix, place, "ext_oneapi_get_kernel cannot find the kernel %s", safetext.Quote(lost[0]))
	case len(lost) > 1:
		v.add(kernelPrefix, place, "ext_oneapi_get_kernel cannot find "+count+": %s", len(lost), quoteSome(lost))
	}
}

// lostKernels returns the symbols of the kernels that the runtime does not find by name, and the
// location of the first one.
func (v *verifier) lostKernels() (symbols []string, place string) {
	for i, m := range v.file.Modules {
		for _, symbol := range m.Kernels() {
			if strings.HasPrefix(symbol, kernelname.Prefix) {
				continue
			}
			if place == "" {
				place = fmt.Sprintf("abstract module %d", i)
			}
			symbols = append(symbols, symbol)
		}
	}
	slices.Sort(symbols)
	return slices.Compact(symbols), place
}

// quoteSome returns a list of the names up to a limit, with the number of the others.
func quoteSome(names []string) string {
	const most = 5
	var b strings.Builder
	for i, name := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(safetext.Quote(name))
	}
	return b.String()
}

// targets checks that the runtime can determine which device each image is for.
func (v *verifier) targets(place string, m *Module) {
	target := requirement.CompileTarget(m.Metadata)
	switch {
	case m.isSeparate():
	case len(m.Native) == 0:
		v.add(irCompileTarget, place, "the module has IR, and its compile_target is %s", safetext.Quote(target))
	case len(m.Images()) > 1:
		v.add(nativeTargets, place, "%d of the module's %d images %s native: the runtime cannot determine which device each image is for", len(m.Native), len(m.Images()), safetext.Plural(len(m.Native), "is", "are"))
	default:
		v.add(nativeTargets, place, "the native image is for %s, and the compile_target of the module is %s", safetext.Quote(m.Native[0].Arch()), safetext.Quote(target))
	}
}

func (v *verifier) ir(place string, img *Image) {
	v.image(place, img)
	v.onlySets(place, img.Metadata, propset.SYCLBINIR)
	set := img.Set()
	if set == nil {
		v.add(irSetMissing, place, "the set %s is missing", safetext.Quote(propset.SYCLBINIR))
		return
	}
	if img.Triple() == "" {
		v.add(irTarget, place, "missing target")
	}
	value, ok := set.Get(keyType)
	typ, number := img.Type()
	actual, known := IRTypeOf(img.Format(), img.Triple())
	switch {
	case !ok:
		v.add(irTypeMissing, place, "missing type")
	case !number:
		v.add(irTypeInvalid, place, "the type is a %s", value.Type())
	case typ > AMDGCN:
		v.add(irTypeInvalid, place, "the type is %d", uint32(typ))
	case known && typ != actual:
		v.add(irTypeMismatch, place, "the type is %s (%d), but the bytes are %s: %s (%d)", typ, uint32(typ), img.Format(), actual, uint32(actual))
	}
}

func (v *verifier) native(place string, img *Image) {
	v.image(place, img)
	v.onlySets(place, img.Metadata, propset.SYCLBINNative)
	set := img.Set()
	if set == nil {
		v.add(nativeSet, place, "the set %s is missing", safetext.Quote(propset.SYCLBINNative))
		return
	}
	if set.Name == propset.SYCLBINNativeAlias {
		v.add(nativeSetName, place, "the set is named %s", safetext.Quote(set.Name))
	}
	if img.Arch() == "" {
		v.add(nativeArch, place, "missing architecture")
	}
	if img.Triple() == "" {
		v.add(nativeTarget, place, "missing target")
	}
	if f := img.Format(); f == offload.SPIRV || f == offload.Bitcode {
		v.add(nativeIR, place, "the bytes are %s", f)
	}
}

func (v *verifier) image(place string, img *Image) {
	v.values(place, img.Metadata)
	if img.Size() == 0 {
		v.add(imageEmpty, place, "the image is empty")
	}
}
