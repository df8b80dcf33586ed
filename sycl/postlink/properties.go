package postlink

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/constants"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// PropertyOptions select the property sets of an image that not all images have. The corresponding
// option of DPC++'s post-link tool is in parentheses.
type PropertyOptions struct {
	ParamInfo       bool // the removed parameters of kernels (-emit-param-info)
	ExportedSymbols bool // functions and device globals that other images may import (-emit-exported-symbols)
	ImportedSymbols bool // functions that other images must define (-emit-imported-symbols)
	KernelNames     bool // (-emit-kernel-names)
	ProgramMetadata bool // sizes of each kernel, and symbols of device globals (-emit-program-metadata)
	DeviceGlobals   bool // (-device-globals)

	// Before2026 indicates that the image is for a release before 2026, which does not export device
	// globals, and reads which kernels may fail an assertion of the C library.
	Before2026 bool

	// CompileTarget is the target that the image will be compiled for ahead of time, or "" if there is
	// none (-o TARGET,FILE).
	CompileTarget string
}

// imageOptions are PropertyOptions with options that depend on the module.
type imageOptions struct {
	PropertyOptions

	// dependencies allows the image to import functions of other images
	// (-allow-device-image-dependencies). Otherwise, it can only import functions of the bfloat16
	// device library.
	dependencies bool

	// undefined allows the image to import SYCL_EXTERNAL functions that no source defines.
	undefined bool

	// deviceLibraries indicates that DPC++'s device libraries are linked to the image when it is
	// translated, so the image does not import their functions.
	deviceLibraries bool

	// whole indicates that the image has all kernels, regardless of their requirements. Then no
	// required work-group size applies to all of them.
	whole bool

	constants        []propset.SpecConstant
	constantDefaults bool // the image has the default values of constants instead of the constants
}

// A propertyWriter determines the properties of the images of a module. It caches results that
// would otherwise take time proportional to the module for each image. It is safe for concurrent
// use by multiple goroutines while the module is not modified.
type propertyWriter struct {
	module     *llvmir.Module
	order      map[*llvmir.Function]int
	registered map[string][]registration // by kernel
	sanitizer  string
}

// A registration is a kernel with a name by which free functions find it.
type registration struct {
	place        int
	name, symbol string
	text         string // of the node
}

// newPropertyWriter returns a propertyWriter with the data of the whole module.
func newPropertyWriter(m *llvmir.Module) (*propertyWriter, error) {
	w := &propertyWriter{module: m, order: make(map[*llvmir.Function]int, len(m.Functions()))}
	for i, f := range m.Functions() {
		w.order[f] = i
	}
	if list := sanitizerList(m); list != nil {
		w.sanitizer = sanitizerOf(list.Name())
	}
	var err error
	w.registered, err = readRegistered(m)
	return w, err
}

const registeredNamesMD = "sycl_registered_kernels"

// readRegistered returns the registrations in nodes !{!{!"name", !"symbol"}, ...} by kernel. Linked
// modules have several such nodes.
func readRegistered(m *llvmir.Module) (map[string][]registration, error) {
	named := m.NamedMetadata(registeredNamesMD)
	if named == nil {
		return nil, nil
	}
	registered := map[string][]registration{}
	place := 0
	for _, id := range named.Nodes() {
		list := m.Node(id)
		if list == nil {
			return nil, &devicecode.MetadataError{Msg: fmt.Sprintf("!%s: missing node !%d", registeredNamesMD, id)}
		}
		for _, o := range list.Operands() {
			pair, ok := devicecode.OperandNode(m, o)
			if !ok {
				return nil, &devicecode.MetadataError{Msg: fmt.Sprintf("!%s: !%d is not a list of nodes", registeredNamesMD, id)}
			}
			operands := pair.Operands()
			if len(operands) != 2 {
				continue
			}
			name, ok1 := operands[0].StringValue()
			symbol, ok2 := operands[1].StringValue()
			if !ok1 || !ok2 {
				return nil, &devicecode.MetadataError{Msg: fmt.Sprintf("!%s: %s in !%d is not a name and a symbol", registeredNamesMD, pair.Text(), id)}
			}
			registered[symbol] = append(registered[symbol], registration{place, name, symbol, pair.Text()})
			place++
		}
	}
	return registered, nil
}

// properties returns the property sets of a device image that defines some of the symbols of the
// module; entryPoints are its kernels and SYCL_EXTERNAL functions. Both lists are in module order.
func (w *propertyWriter) properties(define []llvmir.Symbol, entryPoints []*llvmir.Function, o imageOptions) (*propset.Registry, error) {
	c := w.read(define, entryPoints)
	q, err := c.requirements()
	if err != nil {
		return nil, err
	}
	q.CompileTarget = o.CompileTarget
	if o.whole {
		q.WorkGroupSize = nil
	}
	p := &imageProperties{c, new(propset.Registry), o}
	q.Put(p.registry)
	if len(o.constants) > 0 {
		propset.PutSpecConstants(p.registry, o.constants)
	}
	// The sets are in DPC++'s order.
	for _, write := range []func() error{
		p.paramInfo, p.exportedSymbols, p.kernelNames, p.importedSymbols, p.programMetadata, p.misc, p.assertUsed,
		p.implicitLocalArgs, p.dynamicLocalMemory, p.deviceGlobals, p.hostPipes, p.virtualFunctions, p.registeredKernels,
	} {
		if err := write(); err != nil {
			return nil, err
		}
	}
	// Names in IR may contain any byte, unlike names of properties.
	if err := p.registry.Validate(); err != nil {
		return nil, &devicecode.MetadataError{Msg: err.Error()}
	}
	return p.registry, nil
}

// bfloat16Library matches the functions of the bfloat16 device library.
var bfloat16Library = regexp.MustCompile(`^__devicelib_Convert(FToBF16|BF16ToF)INTEL(Vec(1|2|3|4|8|16))?$`)

const spirFunc = "spir_func"

// imageCode is the part of a module that an image contains.
type imageCode struct {
	writer      *propertyWriter
	module      *llvmir.Module
	define      []llvmir.Symbol
	functions   []*llvmir.Function // declared ones included
	globals     []*llvmir.Global
	entryPoints []*llvmir.Function
	defined     map[string]bool // functions
}

func (w *propertyWriter) read(define []llvmir.Symbol, entryPoints []*llvmir.Function) *imageCode {
	c := &imageCode{writer: w, module: w.module, define: define, entryPoints: entryPoints, defined: map[string]bool{}}
	for _, s := range define {
		switch s := s.(type) {
		case *llvmir.Function:
			c.functions = append(c.functions, s)
			if s.Defined() {
				c.defined[s.Name()] = true
			}
		case *llvmir.Global:
			c.globals = append(c.globals, s)
		}
	}
	return c
}

// number returns the value of an attribute that is an unsigned 32-bit number.
func number(f *llvmir.Function, key string) (value uint32, ok bool, err error) {
	text, ok := f.Attribute(key)
	if !ok {
		return 0, false, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, false, &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("attribute %q: %q is not a 32-bit number", key, text)}
	}
	return uint32(n), true, nil
}

// metadata returns the attached node of a kind, or nil.
func (c *imageCode) metadata(f *llvmir.Function, kind string) (*llvmir.Node, error) {
	return devicecode.AttachedNode(c.module, f, kind)
}

// workGroupDims returns the dimensionality that a function requires, or 0.
func (c *imageCode) workGroupDims(f *llvmir.Function) (uint32, error) {
	const kind = "work_group_num_dim"
	list, err := devicecode.AttachedSizes(c.module, f, kind, 1, 1)
	if list == nil || err != nil {
		return 0, err
	}
	if list[0] < 1 || list[0] > 3 {
		return 0, &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("!%s: %d is not a number of dimensions from 1 to 3", kind, list[0])}
	}
	return uint32(list[0]), nil
}

// An imageProperties adds the property sets of an image to a registry, with one method per set.
type imageProperties struct {
	*imageCode
	registry *propset.Registry
	options  imageOptions
}

func (p *imageProperties) put(set, key string, v propset.Value) { p.registry.Add(set).Put(key, v) }

// mark adds a property with the name of a symbol and the value 1.
func (p *imageProperties) mark(set string, name string) { p.put(set, name, propset.Uint(1)) }

// paramInfo adds which parameters of each kernel were removed, with a bit for each original
// parameter.
func (p *imageProperties) paramInfo() error {
	if !p.options.ParamInfo {
		return nil
	}
	const kind = "sycl_kernel_omit_args"
	p.registry.Add(propset.KernelParamOpt) // even if empty
	for _, f := range p.functions {
		n, err := p.metadata(f, kind)
		if err != nil {
			return err
		}
		if n == nil || explicitSIMD(f) && !f.Kernel() { // which DPC++ has put into its callers
			continue
		}
		operands := n.Operands()
		if len(operands) == 0 {
			continue
		}
		mask := make([]byte, (len(operands)+7)/8)
		for i, o := range operands {
			switch v, ok := o.Int(); {
			case !ok || v < 0 || v > 1:
				return &devicecode.MetadataError{Function: f.Name(), Msg: fmt.Sprintf("!%s: !%d is not a list of i1", kind, n.ID())}
			case v == 1:
				mask[i/8] |= 1 << (i % 8)
			}
		}
		p.put(propset.KernelParamOpt, f.Name(), propset.Bits(mask, uint64(len(operands))))
	}
	return nil
}

func (p *imageProperties) exportedSymbols() error {
	if !p.options.ExportedSymbols {
		return nil
	}
	for _, f := range p.entryPoints {
		// The runtime finds virtual functions by their sets.
		if _, virtual := f.Attribute(devicecode.AttrIndirectlyCallable); !virtual && f.CallingConvention() == spirFunc {
			p.mark(propset.ExportedSymbols, f.Name())
		}
	}
	for _, g := range p.globals {
		seen := g.Linkage() == llvmir.External || g.HasAttribute(attrExported)
		if !p.options.Before2026 && g.HasAttribute(attrDeviceGlobalSize) && !inImageScope(g) && seen {
			p.mark(propset.ExportedSymbols, g.Name())
		}
	}
	return nil
}

func (p *imageProperties) kernelNames() error {
	if !p.options.KernelNames {
		return nil
	}
	for _, f := range p.entryPoints {
		if f.Kernel() {
			p.mark(propset.KernelNames, f.Name())
		}
	}
	return nil
}

// importedSymbols adds the functions that the image uses but does not define.
func (p *imageProperties) importedSymbols() error {
	if !p.options.ImportedSymbols {
		return nil
	}
	seen := map[*llvmir.Function]bool{}
	var imported []*llvmir.Function
	for _, s := range p.define {
		if !s.Defined() {
			continue
		}
		for _, name := range s.References() {
			f := p.module.Function(name)
			if f == nil || p.defined[name] || seen[f] {
				continue
			}
			seen[f] = true
			if p.imports(f) {
				imported = append(imported, f)
			}
		}
	}
	slices.SortFunc(imported, func(a, b *llvmir.Function) int { return p.writer.order[a] - p.writer.order[b] })
	for _, f := range imported {
		p.mark(propset.ImportedSymbols, f.Name())
	}
	return nil
}

// imports reports whether a function that the image uses but does not define belongs to another
// image.
func (p *imageProperties) imports(f *llvmir.Function) bool {
	o := p.options
	if !f.Defined() && (bfloat16Library.MatchString(f.Name()) || o.undefined && importable(f) && f.HasAttribute(devicecode.AttrModuleID)) {
		return true
	}
	return o.dependencies && importable(f) && !(o.deviceLibraries && !f.Defined() && inDeviceLibrary(f.Name()))
}

// programMetadata adds the sizes of each kernel and the symbols of device globals.
func (p *imageProperties) programMetadata() error {
	if !p.options.ProgramMetadata {
		return nil
	}
	for _, f := range p.functions {
		if err := p.functionMetadata(f); err != nil {
			return err
		}
	}
	for _, g := range p.globals {
		if !g.HasAttribute(attrDeviceGlobalSize) {
			continue
		}
		id, err := variableID(g)
		if err != nil {
			return err
		}
		p.put(propset.ProgramMetadata, id+"@global_id_mapping", propset.String(g.Name()))
	}
	return nil
}

func (p *imageProperties) functionMetadata(f *llvmir.Function) error {
	put := func(key string, v propset.Value) { p.put(propset.ProgramMetadata, f.Name()+"@"+key, v) }
	sizes := func(kind string, list []uint64, err error) error {
		if list != nil {
			put(kind, propset.Uint32s(narrow(list)...))
		}
		return err
	}
	list, err := devicecode.WorkGroupSize(p.module, f)
	if err := sizes(devicecode.WorkGroupSizeMD, list, err); err != nil {
		return err
	}
	size, err := devicecode.SubGroupSize(p.module, f)
	if err != nil {
		return err
	}
	if size > 0 {
		put("reqd_sub_group_size", propset.Uint(size))
	}
	dims, err := p.workGroupDims(f)
	if err != nil {
		return err
	}
	if dims > 0 {
		put("work_group_num_dim", propset.Uint(dims))
	}
	const most, linear = "max_work_group_size", "max_linear_work_group_size"
	list, err = devicecode.AttachedSizes(p.module, f, most, 1, 3)
	if err := sizes(most, list, err); err != nil {
		return err
	}
	list, err = devicecode.AttachedSizes(p.module, f, linear, 1, 1)
	if list != nil {
		put(linear, propset.Uint(narrow(list)[0]))
	}
	return err
}

// narrow truncates sizes to the 32 bits that properties have, as DPC++ does.
func narrow(list []uint64) []uint32 {
	short := make([]uint32, len(list))
	for i, n := range list {
		short[i] = uint32(n)
	}
	return short
}

func (p *imageProperties) misc() error {
	put := func(key string, v propset.Value) { p.put(propset.MiscProperties, key, v) }
	simd := 0
	for _, f := range p.entryPoints {
		if f.HasMetadata("sycl_explicit_simd") {
			simd++
		}
	}
	if simd > 0 && simd == len(p.entryPoints) {
		put("isEsimdImage", propset.Uint(1))
	}
	numbers := [][2]string{{attrRegisterAllocMode, attrRegisterAllocMode}, {attrGRFSize, attrGRFSize}}
	// Devices that compile explicit SIMD code together with other code do not accept an
	// optimization level.
	if simd == 0 || simd == len(p.entryPoints) {
		numbers = append(numbers, [2]string{attrOptLevel, "optLevel"})
	}
	for _, attribute := range numbers {
		for _, f := range p.entryPoints {
			n, ok, err := number(f, attribute[0])
			if err != nil {
				return err
			}
			if ok { // the split ensures that all have the same
				put(attribute[1], propset.Uint(n))
				break
			}
		}
	}
	if p.writer.sanitizer != "" {
		put("sanUsed", propset.String(p.writer.sanitizer))
	}
	if p.options.constantDefaults || p.writer.module.NamedMetadata(constants.ReplacedMD) != nil {
		put("specConstsReplacedWithDefault", propset.Uint(1))
	}
	return nil
}

// The functions that a failed assertion calls: in a device library and, before that is linked, in
// the C library.
const (
	assertFail        = "__devicelib_assert_fail"
	libraryAssertFail = "__assert_fail"
)

// assertUsed marks the kernels that may fail an assertion. The callers of a function through a
// pointer are unknown, so if such a function may fail an assertion, all kernels are marked.
func (p *imageProperties) assertUsed() error {
	var failing []string
	if p.module.Function(assertFail) != nil {
		failing = append(failing, assertFail)
	}
	if f := p.module.Function(libraryAssertFail); f != nil && !f.Defined() && p.options.deviceLibraries && p.options.Before2026 {
		failing = append(failing, libraryAssertFail)
	}
	if len(failing) == 0 {
		return nil
	}
	callers := p.callersOf(failing)
	all := false
	for _, s := range callers {
		all = all || s.HasAttribute(attrReferencedIndirectly)
	}
	for _, f := range p.functions {
		if f.Kernel() && f.Defined() && (all || callers[f.Name()] != nil) {
			p.mark(propset.AssertUsed, f.Name())
		}
	}
	return nil
}

// callersOf returns the functions of the image that call the given functions, directly or
// indirectly, and their aliases, by name.
func (p *imageProperties) callersOf(names []string) map[string]llvmir.Symbol {
	users := map[string][]llvmir.Symbol{}
	for _, s := range p.define {
		if _, variable := s.(*llvmir.Global); variable || !s.Defined() {
			continue
		}
		for _, name := range s.References() {
			users[name] = append(users[name], s)
		}
	}
	callees := map[*llvmir.Function]map[string]bool{}
	calls := func(s llvmir.Symbol, name string) bool {
		f, ok := s.(*llvmir.Function)
		if !ok {
			return true
		}
		if callees[f] == nil {
			callees[f] = directCallees(f)
		}
		return callees[f][name]
	}
	callers := map[string]llvmir.Symbol{}
	for queue := names; len(queue) > 0; queue = queue[1:] {
		for _, s := range users[queue[0]] {
			if slices.Contains(names, s.Name()) || callers[s.Name()] != nil || !calls(s, queue[0]) {
				continue
			}
			callers[s.Name()] = s
			queue = append(queue, s.Name())
		}
	}
	return callers
}

func directCallees(f *llvmir.Function) map[string]bool {
	all := map[string]bool{}
	for in := range f.Calls() {
		if name, ok := in.Callee(); ok {
			all[name] = true
		}
	}
	return all
}

// noImplicitLocalArg replaces the number of the parameter for a kernel whose work-groups share
// memory, but that does not have a parameter that points to it.
const noImplicitLocalArg = math.MaxUint32

// implicitLocalArgs adds which parameter of each kernel points to the memory that its work-groups
// share.
func (p *imageProperties) implicitLocalArgs() error {
	for _, f := range p.functions {
		if _, ok := f.Attribute(attrWorkGroupStatic); !ok || !f.Kernel() {
			continue
		}
		number := uint32(noImplicitLocalArg)
		for i, param := range f.Params() {
			if _, ok := param.Attribute(attrImplicitLocalArg); ok {
				number = uint32(i)
				break
			}
		}
		p.put(propset.ImplicitLocalArg, f.Name(), propset.Uint(number))
	}
	return nil
}

// dynamicLocalMemory adds the kernels that use memory whose size is set at submission.
func (p *imageProperties) dynamicLocalMemory() error {
	for _, f := range p.functions {
		if _, ok := f.Attribute(attrWorkGroupScratch); ok && f.Kernel() {
			p.mark(propset.WorkGroupDynamicLocalMem, f.Name())
		}
	}
	return nil
}

func (p *imageProperties) deviceGlobals() error {
	if !p.options.DeviceGlobals {
		return nil
	}
	for _, g := range p.globals {
		size, ok, err := variableSize(g, attrDeviceGlobalSize)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		id, err := variableID(g)
		if err != nil {
			return err
		}
		scope := uint32(0)
		if inImageScope(g) {
			scope = 1
		}
		p.put(propset.DeviceGlobals, id, propset.Uint32s(size, scope))
	}
	return nil
}

func (p *imageProperties) hostPipes() error {
	for _, g := range p.globals {
		if !g.HasAttribute(attrHostPipe) {
			continue
		}
		size, ok, err := variableSize(g, attrHostPipeSize)
		if err != nil {
			return err
		}
		if !ok {
			continue // headers that predate the property
		}
		id, err := variableID(g)
		if err != nil {
			return err
		}
		p.put(propset.HostPipes, id, propset.Uint32s(size))
	}
	return nil
}

// variableSize returns the value of a variable's attribute that is a size.
func variableSize(g *llvmir.Global, key string) (size uint32, ok bool, err error) {
	text, ok := g.Attribute(key)
	if !ok {
		return 0, false, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, false, &devicecode.MetadataError{Msg: fmt.Sprintf("variable %s: attribute %q: %q is not a 32-bit number", g.Name(), key, text)}
	}
	return uint32(n), true, nil
}

// variableID returns the name by which hosts find a variable.
func variableID(g *llvmir.Global) (string, error) {
	id, ok := g.Attribute(attrUniqueID)
	if !ok {
		return "", &devicecode.MetadataError{Msg: fmt.Sprintf("variable %s has no attribute %q", g.Name(), attrUniqueID)}
	}
	return id, nil
}

// virtualFunctions adds the set of virtual functions that the image defines, or else the sets that
// it calls.
func (p *imageProperties) virtualFunctions() error {
	var uses []string
	for _, f := range p.functions {
		if !f.Defined() {
			continue
		}
		if set, ok := f.Attribute(devicecode.AttrIndirectlyCallable); ok {
			p.put(propset.VirtualFunctions, propset.VirtualFunctionsSet, propset.String(set))
			return nil
		}
		sets, _ := f.Attribute(devicecode.AttrCallsIndirectly)
		uses = append(uses, devicecode.SetNames(sets)...)
	}
	if len(uses) > 0 {
		slices.Sort(uses) // DPC++'s order comes from a hash table
		p.put(propset.VirtualFunctions, propset.UsesVirtualFunctionsSet, propset.String(strings.Join(slices.Compact(uses), ",")))
	}
	return nil
}

func (p *imageProperties) registeredKernels() error {
	var list []registration
	for _, f := range p.functions {
		if f.Defined() {
			list = append(list, p.writer.registered[f.Name()]...)
		}
	}
	slices.SortFunc(list, func(a, b registration) int { return a.place - b.place })
	for _, r := range list {
		p.put(propset.RegisteredKernels, r.name, propset.String(r.symbol))
	}
	return nil
}
