package postlink

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/constants"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// placesMD is metadata of a kernel with its property in [srcloc.Set], for code that no longer has
// debug information.
const placesMD = "rules_sycl_source_places"

// A restoreError is returned for a property of a device image that cannot be restored in its code.
type restoreError struct {
	Set, Key string
	Msg      string
}

func (e *restoreError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("[%s]: %s", e.Set, e.Msg)
	}
	return fmt.Sprintf("[%s] %s: %s", e.Set, kernelname.Display(e.Key), e.Msg)
}

// BadInput marks the error as caused by an input file.
func (*restoreError) BadInput() {}

// Restore parses the code of a device image and restores the information that the image's property
// sets contain but SPIR-V does not, so that the code can be linked and split again. It is the
// reverse of [Image.Properties]. It sets the target of the code to the target of stock clang's
// device code, because linkers require the same target in all modules. It assigns the exported
// functions and the kernels to the source id, and makes other functions internal, because no other
// code can call them.
//
// It returns the properties that are lost without changing the meaning of the code. If the loss of
// a property would change the meaning, Restore returns an error. Errors contain name.
func Restore(name string, text []byte, id string, r *propset.Registry) (m *Module, lost []string, err error) {
	if m, err = Parse(name, retarget(text)); err != nil {
		return nil, nil, err
	}
	if lost, err = restore(m.ir, id, r); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Set(propset.DeviceLibMetadata) != nil {
		// Other files may define the same functions: each has a copy of the device library.
		for _, f := range m.ir.Functions() {
			if f.Defined() && f.Linkage() == llvmir.External {
				f.SetLinkage(llvmir.LinkOnceODR)
			}
		}
	}
	return m, lost, nil
}

// deviceTarget is the target of stock clang's device code.
const deviceTarget = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
`

// retarget replaces the target of a module.
func retarget(text []byte) []byte {
	out := []byte(deviceTarget)
	for line := range bytes.Lines(text) {
		switch {
		case bytes.HasPrefix(line, []byte("target datalayout = ")), bytes.HasPrefix(line, []byte("target triple = ")), bytes.HasPrefix(line, []byte("source_filename = ")):
		default:
			out = append(out, line...)
		}
	}
	return out
}

func restore(m *llvmir.Module, id string, r *propset.Registry) (lost []string, err error) {
	removeTranslatorArtifacts(m)
	setSourceLanguage(m)
	p := &restored{module: m, registry: r}
	if err := p.findEntryPoints(id); err != nil {
		return nil, err
	}
	if p.needs, err = requirement.FromProperties(r); err != nil {
		return nil, err
	}
	errs := []error{p.requirements(), p.sizes()}
	p.places()
	for _, set := range r.Sets() {
		for _, property := range set.Properties() {
			errs = append(errs, p.property(set.Name, property))
		}
	}
	if len(p.registered) > 0 {
		m.AppendNamed(registeredNamesMD, p.registered...)
	}
	// Other images of the program may define the same visible variables: each image has a copy.
	// Variables that hosts find by name are not copies.
	for _, g := range m.Globals() {
		if g.Defined() && g.Linkage() == llvmir.External && !g.HasAttribute(attrDeviceGlobalSize) && !g.HasAttribute(attrHostPipe) && sanitizerOf(g.Name()) == "" {
			g.SetLinkage(llvmir.LinkOnceODR)
		}
	}
	return p.lost, errors.Join(errs...)
}

// A restored is a module being restored.
type restored struct {
	module      *llvmir.Module
	registry    *propset.Registry
	needs       *requirement.Requirements
	entryPoints []*llvmir.Function
	registered  []int // nodes of names that kernels are registered by
	lost        []string
}

func (p *restored) lose(set, key, why string) {
	p.lost = append(p.lost, fmt.Sprintf("the property %s of the set [%s] is lost: %s", kernelname.Display(key), set, why))
}

func (p *restored) findEntryPoints(id string) error {
	exported := p.registry.Set(propset.ExportedSymbols)
	// If both sets are missing, no post-link step has recorded the purpose of the functions.
	known := exported.Len()+p.registry.Set(propset.KernelNames).Len() > 0
	for _, f := range p.module.Functions() {
		_, listed := exported.Get(f.Name())
		switch {
		case !f.Defined():
			continue
		case f.Kernel():
		case listed || !known && !f.Linkage().Local():
			f.SetLinkage(llvmir.External)
		default:
			if !f.Linkage().Local() {
				f.Internalize()
			}
			continue
		}
		f.SetAttribute(devicecode.AttrModuleID, id)
		p.entryPoints = append(p.entryPoints, f)
	}
	var errs []error
	for _, property := range exported.Properties() {
		if f := p.module.Function(property.Key); f != nil && f.Defined() {
			continue
		}
		if g := p.module.Global(property.Key); g != nil && g.Defined() {
			// It is a variable of the device, which several images define but which exists once.
			g.SetLinkage(llvmir.WeakODR)
			g.SetAttribute(attrExported, "")
			continue
		}
		errs = append(errs, &restoreError{exported.Name, property.Key, "the IR module defines neither a function nor a variable of that name"})
	}
	for _, property := range p.registry.Set(propset.KernelNames).Properties() {
		if f := p.module.Function(property.Key); f == nil || !f.Defined() || !f.Kernel() {
			errs = append(errs, &restoreError{propset.KernelNames, property.Key, "the IR module has no kernel of that name"})
		}
	}
	return errors.Join(errs...)
}

// requirements restores the requirements of the image's entry points. All entry points have the
// same requirements, because the split separates entry points with different requirements.
func (p *restored) requirements() error {
	q := p.needs
	var aspects []string
	for _, a := range q.Aspects {
		aspects = append(aspects, "i32 "+strconv.Itoa(int(a)))
	}
	var targets []string
	for _, name := range q.FixedTargets {
		targets = append(targets, "!"+devicecode.MDString(name))
	}
	for _, a := range q.FixedTargetAspects {
		targets = append(targets, "i32 "+strconv.Itoa(int(a)))
	}
	if q.HasFixedTargets && len(targets) == 0 {
		return &restoreError{propset.DeviceRequirements, "fixed_target", "the image is not allowed to run anywhere, which IR cannot express"}
	}
	for _, list := range []struct {
		kind  string
		items []string
	}{
		{devicecode.UsedAspectsMD, aspects},
		{devicecode.FixedTargetsMD, targets},
		{"sycl_joint_matrix", textOperands(q.JointMatrix)},
		{"sycl_joint_matrix_mad", textOperands(q.JointMatrixMad)},
	} {
		if len(list.items) == 0 {
			continue
		}
		node := p.module.AddNode(strings.Join(list.items, ", "))
		for _, f := range p.entryPoints {
			if !f.HasMetadata(list.kind) {
				f.SetMetadata(list.kind, node)
			}
		}
	}
	for _, property := range q.Unknown {
		p.lose(propset.DeviceRequirements, property.Key, "it is unknown")
	}
	return nil
}

// sizes restores the required sizes that kernels lack. SPIR-V keeps most of them.
func (p *restored) sizes() error {
	q := p.needs
	var kernels []*llvmir.Function
	for _, f := range p.entryPoints {
		if f.Kernel() {
			kernels = append(kernels, f)
		}
	}
	for _, f := range kernels {
		if err := p.kernelSizes(f); err != nil {
			return err
		}
	}
	if len(q.WorkGroupSize) > 0 {
		p.sizeOfKernels(kernels, "reqd_work_group_size", "reqd_work_group_size_uint64_t", q.WorkGroupSize)
	}
	if q.WorkGroupDims > 0 {
		p.sizeOfKernels(kernels, "work_group_num_dim", "work_group_num_dim", []uint64{uint64(q.WorkGroupDims)})
	}
	const key = "reqd_sub_group_size"
	if len(q.SubGroupSizes) == 1 {
		p.sizeOfKernels(kernels, "intel_reqd_sub_group_size", key, []uint64{uint64(q.SubGroupSizes[0])})
		return nil
	}
	for _, size := range q.SubGroupSizes {
		if !slices.ContainsFunc(kernels, func(f *llvmir.Function) bool { have, ok := subGroupSize(p.module, f); return ok && have == size }) {
			return &restoreError{propset.DeviceRequirements, key, fmt.Sprintf("no kernel in the IR module is marked as requiring sub-group size %d", size)}
		}
	}
	return nil
}

// sizeOfKernels adds a required size to all kernels, unless one of them already has a size.
func (p *restored) sizeOfKernels(kernels []*llvmir.Function, kind, key string, sizes []uint64) {
	if slices.ContainsFunc(kernels, func(f *llvmir.Function) bool { return f.HasMetadata(kind) }) {
		return
	}
	if len(kernels) == 0 {
		p.lose(propset.DeviceRequirements, key, "no kernel in the image requires it")
		return
	}
	node := p.module.AddNode(sizeList(sizes))
	for _, f := range kernels {
		f.SetMetadata(kind, node)
	}
}

// kernelSizes restores a kernel's sizes from the program metadata.
func (p *restored) kernelSizes(f *llvmir.Function) error {
	metadata := p.registry.Set(propset.ProgramMetadata)
	for _, key := range []string{"reqd_work_group_size", "reqd_sub_group_size", "work_group_num_dim", "max_work_group_size", "max_linear_work_group_size"} {
		kind := key
		if key == "reqd_sub_group_size" {
			kind = "intel_reqd_sub_group_size"
		}
		value, ok := metadata.Get(f.Name() + "@" + key)
		if !ok || f.HasMetadata(kind) {
			continue
		}
		var sizes []uint64
		if n, ok := value.Uint(); ok {
			sizes = []uint64{uint64(n)}
		} else if list, ok := value.Uint32s(); ok && len(list) > 0 && len(list) <= 3 {
			for _, n := range list {
				sizes = append(sizes, uint64(n))
			}
		} else {
			return &restoreError{metadata.Name, f.Name() + "@" + key, "expected one to three sizes"}
		}
		f.SetMetadata(kind, p.module.AddNode(sizeList(sizes)))
	}
	return nil
}

func (p *restored) places() {
	for _, f := range p.entryPoints {
		if value, ok := p.registry.Set(srcloc.Set).Get(f.Name()); ok {
			if text, ok := value.Text(); ok {
				f.SetMetadata(placesMD, p.module.AddNode("!"+devicecode.MDString(text)))
			}
		}
	}
}

// placesOf returns the property that Restore has attached to a kernel.
func placesOf(m *llvmir.Module, f *llvmir.Function) (propset.Value, bool) {
	id, ok := f.Metadata(placesMD)
	if !ok || m.Node(id) == nil {
		return propset.Value{}, false
	}
	text := m.Node(id).Strings()
	if len(text) != 1 {
		return propset.Value{}, false
	}
	return propset.String(text[0]), true
}

// property restores one property of the sets that are about single kernels, variables or the code
// as a whole, or records that it is lost.
func (p *restored) property(set string, property propset.Property) error {
	key := property.Key
	refuse := func(msg string) error { return &restoreError{set, key, msg} }
	switch set {
	case propset.DeviceRequirements, propset.KernelNames, propset.ExportedSymbols, propset.ImportedSymbols, srcloc.Set, requirement.ExtensionSet:
		// These are restored above; imported functions are declared in the code.
	case propset.DeviceLibMetadata:
		// The library is already linked, so the runtime does not have to provide it.
	case propset.AssertUsed:
		// This is recomputed from the callers of the function that reports a failed assertion.
	case propset.ProgramMetadata:
		symbol, what, _ := strings.Cut(key, "@")
		if f := p.module.Function(symbol); f == nil && what != "global_id_mapping" {
			p.lose(set, key, "the IR module has no kernel of that name")
		}
	case propset.SpecializationConstants:
		return refuse("the IR does not identify the constant, so programs could not set it; combine the files instead")
	case propset.SpecializationConstantDefaults:
		if p.registry.Set(propset.SpecializationConstants).Len() == 0 {
			p.lose(set, key, "there is no specialization constant")
		}
	case propset.KernelParamOpt:
		return p.removedParameters(property)
	case propset.ImplicitLocalArg:
		return p.implicitLocalArg(property)
	case propset.WorkGroupDynamicLocalMem:
		f := p.module.Function(key)
		if f == nil || !f.Kernel() {
			return refuse("the IR module has no kernel of that name")
		}
		f.SetAttribute(attrWorkGroupScratch, "")
	case propset.DeviceGlobals:
		return p.variable(set, property, deviceGlobal)
	case propset.HostPipes:
		return p.variable(set, property, hostPipe)
	case propset.VirtualFunctions:
		return refuse("the IR does not identify virtual functions; combine the files instead")
	case propset.RegisteredKernels:
		text, ok := property.Value.Text()
		if !ok {
			return refuse("the value is not the name of a kernel")
		}
		p.registered = append(p.registered, p.module.AddNode("!{"+"!"+devicecode.MDString(key)+", "+"!"+devicecode.MDString(text)+"}"))
	case propset.MiscProperties:
		return p.misc(property)
	case propset.KernelDigests: // recomputed from the code
	default:
		p.lose(set, key, "IR cannot express the set")
	}
	return nil
}

// removedParameters restores the record of a kernel's removed parameters.
func (p *restored) removedParameters(property propset.Property) error {
	f := p.module.Function(property.Key)
	if f == nil || !f.Kernel() {
		return nil // DPC++ also lists functions, whose arguments hosts do not set
	}
	bits, mask := property.Value.BitLen(), property.Value.Bytes()
	if mask == nil {
		return &restoreError{propset.KernelParamOpt, property.Key, "the value is not a list of bits"}
	}
	list := make([]string, bits)
	for i := range list {
		list[i] = "i1 " + strconv.FormatBool(mask[i/8]>>(i%8)&1 == 1)
	}
	if len(list) > 0 {
		f.SetMetadata("sycl_kernel_omit_args", p.module.AddNode(strings.Join(list, ", ")))
	}
	return nil
}

// implicitLocalArg marks the parameter of a kernel that points to the memory that its work-group
// shares.
func (p *restored) implicitLocalArg(property propset.Property) error {
	f := p.module.Function(property.Key)
	number, ok := property.Value.Uint()
	if f == nil || !f.Kernel() || !ok || number != noImplicitLocalArg && uint64(number) >= uint64(len(f.Params())) {
		return &restoreError{propset.ImplicitLocalArg, property.Key, "the IR module has no kernel of that name with such a parameter"}
	}
	f.SetAttribute(attrWorkGroupStatic, "")
	if number == noImplicitLocalArg {
		return nil
	}
	f.SetParamAttribute(int(number), attrImplicitLocalArg, "")
	return nil
}

// deviceGlobal makes a variable a device global with a size and a scope, and reports whether the
// values are valid.
func deviceGlobal(g *llvmir.Global, values []uint32) bool {
	if len(values) != 2 {
		return false
	}
	g.SetAttribute(attrDeviceGlobalSize, strconv.FormatUint(uint64(values[0]), 10))
	if values[1] != 0 {
		g.SetAttribute(attrDeviceImageScope, "")
	}
	return true
}

// hostPipe makes a variable a host pipe with a size, and reports whether the values are valid.
func hostPipe(g *llvmir.Global, values []uint32) bool {
	if len(values) != 1 {
		return false
	}
	g.SetAttribute(attrHostPipe, "")
	g.SetAttribute(attrHostPipeSize, strconv.FormatUint(uint64(values[0]), 10))
	return true
}

// variable restores the host properties of a variable. SPIR-V keeps only its name.
func (p *restored) variable(set string, property propset.Property, put func(*llvmir.Global, []uint32) bool) error {
	g := p.module.Global(property.Key)
	if mapping, ok := p.registry.Set(propset.ProgramMetadata).Get(property.Key + "@global_id_mapping"); ok && g == nil {
		if name, ok := mapping.Text(); ok {
			g = p.module.Global(name)
		}
	}
	if g == nil {
		return &restoreError{set, property.Key, "the IR does not identify the variable; combine the files instead"}
	}
	values, ok := property.Value.Uint32s()
	if !ok || !put(g, values) {
		return &restoreError{set, property.Key, "the value does not have the layout of a variable"}
	}
	g.SetAttribute(attrUniqueID, property.Key)
	return nil
}

func (p *restored) misc(property propset.Property) error {
	number, isNumber := property.Value.Uint()
	switch property.Key {
	case "isEsimdImage":
		if number == 0 {
			return nil
		}
		node := p.module.AddNode("")
		for _, f := range p.entryPoints {
			f.SetMetadata("sycl_explicit_simd", node)
		}
	case attrRegisterAllocMode, attrGRFSize, "optLevel":
		if !isNumber {
			return &restoreError{propset.MiscProperties, property.Key, "the value is not a number"}
		}
		key := property.Key
		if key == "optLevel" {
			key = attrOptLevel
		}
		for _, f := range p.entryPoints {
			f.SetAttribute(key, strconv.FormatUint(uint64(number), 10))
		}
	case "specConstsReplacedWithDefault":
		if number != 0 {
			p.module.MarkNamed(constants.ReplacedMD)
		}
	case "sanUsed":
		tool, _ := property.Value.Text()
		known := slices.ContainsFunc(sanitizerLists, func(s [2]string) bool { return s[1] == tool })
		if list := sanitizerList(p.module); known && (list == nil || sanitizerOf(list.Name()) != tool) {
			return &restoreError{propset.MiscProperties, property.Key, "the IR module does not have the sanitizer's list of kernels"}
		}
	default:
		p.lose(propset.MiscProperties, property.Key, "IR cannot express it")
	}
	return nil
}

func sizeList(sizes []uint64) string {
	list := make([]string, len(sizes))
	for i, n := range sizes {
		kind := "i32 "
		if n > 1<<31-1 {
			kind = "i64 "
		}
		list[i] = kind + strconv.FormatUint(n, 10)
	}
	return strings.Join(list, ", ")
}

// textOperands returns the semicolon-separated parts of a text as operands.
func textOperands(text string) []string {
	if text == "" {
		return nil
	}
	var list []string
	for part := range strings.SplitSeq(text, ";") {
		list = append(list, "!"+devicecode.MDString(part))
	}
	return list
}
