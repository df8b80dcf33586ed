// Package requirement describes what a device image requires of a device: aspects, sub-group and
// work-group sizes, fixed targets and matrices. Device images store the requirements in the
// property set
//
//	[SYCL/device requirements]
//	aspects=2|...                        u32 for each aspect, written even when empty
//	compile_target=2|...                 name of the target it was compiled for
//	fixed_target=2|...                   names of the only targets it may run on, separated by commas
//	joint_matrix=2|...                   matrices, separated by ";"
//	joint_matrix_mad=2|...               matrix multiplications, separated by ";"
//	reqd_sub_group_size=1|16             one size; several are a byte array of u32
//	reqd_work_group_size_uint64_t=2|...  1 to 3 u64
//	work_group_num_dim=1|2               a dimensionality, even if there is a size
//
// and in a set that is specific to this project, which the runtime ignores:
//
//	[rules_sycl/device requirements]
//	assembly=2|...                       names in inline assembly that compilers must support, separated by commas
//	extensions=2|...                     names of SPIR-V extensions that some compilers reject, separated by commas
//	intrinsics=2|...                     names of intrinsics that only some devices have, separated by commas
//	local_memory=2|...                   u64 bytes of local memory, above 32 KiB
//	parameters=2|...                     u64 bytes of parameters and u64 bytes of their registers, above 1 KiB
//
// The design documents and DPC++ define several of these differently. [FromProperties] reads both
// layouts. [Requirements.Put] writes DPC++'s layout except for fixed_target: DPC++ writes the
// numbers of aspects that do not exist, so Put writes the names of the targets, as in the document
// on property sets.
package requirement

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// Requirements holds the requirements of a device image. The zero value requires nothing.
type Requirements struct {
	// Aspects the device must have, ascending and distinct.
	Aspects []aspect.Aspect

	// SubGroupSizes the device must support, ascending and distinct.
	SubGroupSizes []uint32

	// WorkGroupSize has 1 to 3 dimensions in the order of the property and of the compiler's
	// metadata: the reverse of the SYCL source. It is empty if no size is required.
	WorkGroupSize []uint64

	// WorkGroupSizesDiffer is set by Merge if parts of the image require different sizes, so no size
	// applies to all of it. Put does not write it.
	WorkGroupSizesDiffer bool

	// WorkGroupDims is the required dimensionality, or 0 if there is none.
	WorkGroupDims uint32

	// HasFixedTargets is true if the image may run on FixedTargets only, or, in images of DPC++, on
	// devices with one of FixedTargetAspects. If both are empty, no device may run it.
	HasFixedTargets    bool
	FixedTargets       []string        // ascending and distinct
	FixedTargetAspects []aspect.Aspect // ascending and distinct

	// CompileTarget is the target that the image was compiled for ahead of time, or "" if there is
	// none.
	CompileTarget string

	// JointMatrix and JointMatrixMad list matrices and their multiplications: records separated by
	// ";" with fields separated by ",".
	JointMatrix    string // type, use, rows, columns
	JointMatrixMad string // types of A, B, C and D, then M, K and N

	// Intrinsics are the explicit SIMD intrinsics that only some devices have, such as
	// llvm.genx.lsc.load.slm, ascending and distinct.
	Intrinsics []string

	// Extensions are the SPIR-V extensions that all current compilers, or the compilers for some
	// devices, reject, ascending and distinct.
	Extensions []string

	// Assembly lists the names that compilers must support to accept the inline assembly: instructions
	// such as lsc_load, and compiler-defined variables, ascending and distinct.
	Assembly []string

	// ParameterSize is the size of a kernel's parameters in bytes, and ParameterRegisters is the size
	// of the registers in which a compiler for Intel GPUs passes them. LocalMemory is the size of the
	// local memory that a kernel declares. Each is 0 if every device supports the size.
	ParameterSize, ParameterRegisters, LocalMemory uint64

	// BuildOptions are the options that the runtime compiles and links the image's IR with.
	// RegisterOption is the option that it adds for a kernel's property grf_size, or "".
	// [Requirements.Put] does not write them, because they are in other sets.
	BuildOptions   propset.JITOptions
	RegisterOption string

	// Unknown holds unknown properties, in order.
	Unknown []propset.Property

	// Unreadable holds the errors for the properties that [Readable] could not read, in order.
	Unreadable []*propset.SyntaxError
}

// ExtensionSet is the property set for requirements for which DPC++ does not define a key. DPC++'s
// runtime ignores the set.
const ExtensionSet = "rules_sycl/device requirements"

// Keys of ExtensionSet.
const (
	keyAssembly   = "assembly"
	keyExtensions = "extensions"
	keyIntrinsics = "intrinsics"
	keyLocal      = "local_memory"
	keyParameters = "parameters"
)

// Minimums that every device supports.
const (
	minParameters  = 1024 // required by OpenCL
	minRegisters   = 2048
	minLocalMemory = 32 << 10
)

// NeedParameters adds the parameters of a kernel.
func (q *Requirements) NeedParameters(size, registers uint64) {
	if size > minParameters {
		q.ParameterSize = max(q.ParameterSize, size)
	}
	if registers > minRegisters {
		q.ParameterRegisters = max(q.ParameterRegisters, registers)
	}
}

// NeedLocalMemory adds the local memory of a kernel.
func (q *Requirements) NeedLocalMemory(size uint64) {
	if size > minLocalMemory {
		q.LocalMemory = max(q.LocalMemory, size)
	}
}

// Keys of DPC++'s set.
const (
	keyAspects        = "aspects"
	keyAspect         = "aspect" // spelling in the design document on optional features
	keyCompileTarget  = "compile_target"
	keyFixedTarget    = "fixed_target"
	keyJointMatrix    = "joint_matrix"
	keyJointMatrixMad = "joint_matrix_mad"
	keySubGroupSize   = "reqd_sub_group_size"
	keyWorkGroupSize  = "reqd_work_group_size_uint64_t"
	keyWorkGroupSize4 = "reqd_work_group_size" // former key, sizes of 4 bytes
	keyWorkGroupDims  = "work_group_num_dim"
)

// FromProperties returns the requirements in r, which are empty if r lacks the sets. Its errors are
// of type [*propset.SyntaxError].
func FromProperties(r *propset.Registry) (*Requirements, error) {
	q := Readable(r)
	if len(q.Unreadable) > 0 {
		return nil, q.Unreadable[0]
	}
	return q, nil
}

// Readable returns the requirements in r that can be read.
func Readable(r *propset.Registry) *Requirements {
	q := new(Requirements)
	addUnreadable := func(line int, set, key string, err error) {
		q.Unreadable = append(q.Unreadable, &propset.SyntaxError{Line: line, Set: set, Key: key, Msg: err.Error()})
	}
	var size4 []uint64 // of the former key
	for _, p := range r.Set(propset.DeviceRequirements).Properties() {
		var err error
		switch p.Key {
		case keyAspects, keyAspect:
			err = q.readAspects(p.Value)
		case keyCompileTarget:
			q.CompileTarget, err = readText(p.Value)
		case keyFixedTarget:
			err = q.readFixedTargets(p.Value)
		case keyJointMatrix:
			q.JointMatrix, err = readText(p.Value)
		case keyJointMatrixMad:
			q.JointMatrixMad, err = readText(p.Value)
		case keySubGroupSize:
			q.SubGroupSizes, err = readSubGroupSizes(p.Value)
		case keyWorkGroupSize:
			q.WorkGroupSize, err = readWorkGroupSize(p.Value)
		case keyWorkGroupSize4:
			size4, err = readWorkGroupSize4(p.Value)
		case keyWorkGroupDims:
			q.WorkGroupDims, err = readWorkGroupDims(p.Value)
		default:
			q.Unknown = append(q.Unknown, p)
		}
		if err != nil {
			addUnreadable(p.Line, propset.DeviceRequirements, p.Key, err)
		}
	}
	for _, p := range []struct {
		key  string
		list *[]string
	}{{keyAssembly, &q.Assembly}, {keyExtensions, &q.Extensions}, {keyIntrinsics, &q.Intrinsics}} {
		if v, ok := r.Set(ExtensionSet).Get(p.key); ok {
			var err error
			if *p.list, err = readNames(v); err != nil {
				addUnreadable(0, ExtensionSet, p.key, err)
			}
		}
	}
	for _, p := range []struct {
		key    string
		values []*uint64
	}{{keyLocal, []*uint64{&q.LocalMemory}}, {keyParameters, []*uint64{&q.ParameterSize, &q.ParameterRegisters}}} {
		v, ok := r.Set(ExtensionSet).Get(p.key)
		if !ok {
			continue
		}
		list, ok := v.Uint64s()
		if !ok || len(list) != len(p.values) {
			addUnreadable(0, ExtensionSet, p.key, fmt.Errorf("%s is not a byte array of %d 64-bit numbers", describe(v), len(p.values)))
			continue
		}
		for i, n := range list {
			*p.values[i] = n
		}
	}
	q.BuildOptions, q.RegisterOption = propset.JITOptionsOf(r), registerOption(r)
	if q.WorkGroupSize == nil {
		q.WorkGroupSize = size4
	} else if size4 != nil && !slices.Equal(q.WorkGroupSize, size4) {
		addUnreadable(0, propset.DeviceRequirements, keyWorkGroupSize4, fmt.Errorf("the work-group size %d differs from %d under %s", size4, q.WorkGroupSize, keyWorkGroupSize))
	}
	return q
}

// Put replaces the requirements in r with q.
func (q *Requirements) Put(r *propset.Registry) {
	s := r.Add(propset.DeviceRequirements)
	s.Clear()
	for _, p := range q.Unknown {
		s.Put(p.Key, p.Value)
	}
	s.Put(keyAspects, numbers(q.Aspects))
	putText(s, keyCompileTarget, q.CompileTarget)
	switch {
	case len(q.FixedTargets) == 0 && len(q.FixedTargetAspects) > 0:
		s.Put(keyFixedTarget, numbers(q.FixedTargetAspects))
	case q.HasFixedTargets || len(q.FixedTargets) > 0:
		s.Put(keyFixedTarget, propset.String(strings.Join(q.FixedTargets, ",")))
	}
	putText(s, keyJointMatrix, q.JointMatrix)
	putText(s, keyJointMatrixMad, q.JointMatrixMad)
	switch len(q.SubGroupSizes) {
	case 0:
	case 1:
		s.Put(keySubGroupSize, propset.Uint(q.SubGroupSizes[0]))
	default:
		s.Put(keySubGroupSize, propset.Uint32s(q.SubGroupSizes...))
	}
	if len(q.WorkGroupSize) > 0 {
		s.Put(keyWorkGroupSize, propset.Uint64s(q.WorkGroupSize...))
	}
	if q.WorkGroupDims > 0 {
		s.Put(keyWorkGroupDims, propset.Uint(q.WorkGroupDims))
	}
	s.Sort()
	q.PutExtensions(r)
}

// PutExtensions replaces ExtensionSet in r with the requirements in q for which DPC++ does not
// define a key. If there are none, it removes the set.
func (q *Requirements) PutExtensions(r *propset.Registry) {
	r.Delete(ExtensionSet)
	for _, p := range []struct {
		key   string
		names []string
	}{{keyAssembly, q.Assembly}, {keyExtensions, q.Extensions}, {keyIntrinsics, q.Intrinsics}} {
		if len(p.names) > 0 {
			r.Add(ExtensionSet).Put(p.key, propset.String(strings.Join(union(p.names, nil), ",")))
		}
	}
	if q.LocalMemory > 0 {
		r.Add(ExtensionSet).Put(keyLocal, propset.Uint64s(q.LocalMemory))
	}
	if q.ParameterSize > 0 || q.ParameterRegisters > 0 {
		r.Add(ExtensionSet).Put(keyParameters, propset.Uint64s(q.ParameterSize, q.ParameterRegisters))
	}
}

// Merge adds the requirements of o to q, which then describes an image that combines both. The
// merged image may run on the fixed targets that both allow. If their required work-group sizes
// differ, it has none, as in DPC++.
//
// Merge returns an error and leaves q unchanged if a single image cannot state the requirements of
// both: if compile targets or unknown properties differ, or if fixed targets are names in one and
// aspects in the other.
func (q *Requirements) Merge(o *Requirements) error {
	if q.CompileTarget != "" && o.CompileTarget != "" && q.CompileTarget != o.CompileTarget {
		return fmt.Errorf("cannot merge images compiled for %s and for %s", q.CompileTarget, o.CompileTarget)
	}
	if len(q.FixedTargets) > 0 && len(o.FixedTargetAspects) > 0 || len(q.FixedTargetAspects) > 0 && len(o.FixedTargets) > 0 {
		return fmt.Errorf("cannot merge fixed targets that are names (%s) with fixed targets that are aspects (%s)", q.fixedTargets(), o.fixedTargets())
	}
	own := make(map[string]propset.Value, len(q.Unknown))
	for _, p := range q.Unknown {
		own[p.Key] = p.Value
	}
	var added []propset.Property
	for _, p := range o.Unknown {
		if v, ok := own[p.Key]; !ok {
			added = append(added, p)
		} else if !v.Equal(p.Value) {
			return fmt.Errorf("cannot merge images: property %s is %v in one and %v in another", p.Key, v, p.Value)
		}
	}
	q.Unknown = append(slices.Clip(q.Unknown), added...)
	q.Aspects = union(q.Aspects, o.Aspects)
	q.SubGroupSizes = union(q.SubGroupSizes, o.SubGroupSizes)
	q.mergeWorkGroupSize(o)
	q.WorkGroupDims = max(q.WorkGroupDims, o.WorkGroupDims)
	switch {
	case q.HasFixedTargets && o.HasFixedTargets:
		q.FixedTargets = intersection(q.FixedTargets, o.FixedTargets)
		q.FixedTargetAspects = intersection(q.FixedTargetAspects, o.FixedTargetAspects)
	case o.HasFixedTargets:
		q.HasFixedTargets = true
		q.FixedTargets = slices.Clone(o.FixedTargets)
		q.FixedTargetAspects = slices.Clone(o.FixedTargetAspects)
	}
	q.CompileTarget = cmp.Or(q.CompileTarget, o.CompileTarget)
	q.BuildOptions = cmp.Or(q.BuildOptions, o.BuildOptions)
	q.RegisterOption = cmp.Or(q.RegisterOption, o.RegisterOption)
	q.JointMatrix = mergeRecords(q.JointMatrix, o.JointMatrix)
	q.JointMatrixMad = mergeRecords(q.JointMatrixMad, o.JointMatrixMad)
	q.Need(o)
	return nil
}

// Need adds the requirements of o for which DPC++ does not define a key.
func (q *Requirements) Need(o *Requirements) {
	q.Assembly = union(q.Assembly, o.Assembly)
	q.Extensions = union(q.Extensions, o.Extensions)
	q.Intrinsics = union(q.Intrinsics, o.Intrinsics)
	q.ParameterSize = max(q.ParameterSize, o.ParameterSize)
	q.ParameterRegisters = max(q.ParameterRegisters, o.ParameterRegisters)
	q.LocalMemory = max(q.LocalMemory, o.LocalMemory)
}

func (q *Requirements) mergeWorkGroupSize(o *Requirements) {
	switch {
	case q.WorkGroupSizesDiffer:
	case o.WorkGroupSizesDiffer,
		len(q.WorkGroupSize) > 0 && len(o.WorkGroupSize) > 0 && !slices.Equal(q.WorkGroupSize, o.WorkGroupSize):
		q.WorkGroupSize, q.WorkGroupSizesDiffer = nil, true
	case len(q.WorkGroupSize) == 0:
		q.WorkGroupSize = slices.Clone(o.WorkGroupSize)
	}
}

// fixedTargets lists the fixed targets for a message.
func (q *Requirements) fixedTargets() string {
	list := slices.Clone(q.FixedTargets)
	for _, a := range q.FixedTargetAspects {
		list = append(list, a.String())
	}
	return strings.Join(list, ", ")
}

func (q *Requirements) readAspects(v propset.Value) error {
	list, ok := v.Uint32s()
	if !ok {
		return fmt.Errorf("%s is not a byte array of 32-bit numbers", describe(v))
	}
	q.Aspects = union(q.Aspects, aspects(list)) // both spellings may be present
	return nil
}

// readFixedTargets interprets a list of 32-bit numbers as aspects if all are below 256, which
// cannot be text.
func (q *Requirements) readFixedTargets(v propset.Value) error {
	list, ok := v.Uint32s()
	if ok && !slices.ContainsFunc(list, looksLikeText) {
		q.HasFixedTargets, q.FixedTargetAspects = true, aspects(list)
		return nil
	}
	text, err := readText(v)
	if err != nil {
		return fmt.Errorf("%s is neither names of targets nor numbers of aspects", describe(v))
	}
	names := strings.Split(text, ",")
	if slices.Contains(names, "") {
		return fmt.Errorf("the list of targets %q has an empty name", text)
	}
	q.HasFixedTargets, q.FixedTargets = true, union(names, nil)
	return nil
}

// extensionName matches valid names in ExtensionSet.
var extensionName = regexp.MustCompile(`^[A-Za-z0-9._]{1,200}$`)

// readNames reads a list in ExtensionSet.
func readNames(v propset.Value) ([]string, error) {
	text, err := readText(v)
	if err != nil {
		return nil, err
	}
	names := union(strings.Split(text, ","), nil)
	if i := slices.IndexFunc(names, func(name string) bool { return !extensionName.MatchString(name) }); i >= 0 {
		return nil, fmt.Errorf("%q is not a name", names[i])
	}
	return names, nil
}

func readText(v propset.Value) (string, error) {
	s, ok := v.Text()
	if !ok || strings.ContainsRune(s, 0) {
		return "", fmt.Errorf("%s is not text", describe(v))
	}
	return s, nil
}

func readSubGroupSizes(v propset.Value) ([]uint32, error) {
	if n, ok := v.Uint(); ok {
		return []uint32{n}, nil
	}
	list, ok := v.Uint32s()
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("%s is neither a number nor a byte array of 32-bit numbers", describe(v))
	}
	return union(list, nil), nil
}

func readWorkGroupSize(v propset.Value) ([]uint64, error) {
	list, ok := v.Uint64s()
	if !ok || len(list) < 1 || len(list) > 3 {
		return nil, fmt.Errorf("%s is not a byte array of 1 to 3 64-bit numbers", describe(v))
	}
	return list, nil
}

// readWorkGroupSize4 reads both layouts of the former key: the sizes preceded by their count, or
// only the sizes. A list such as 1, 8 fits both layouts. It is read as the first one, which the
// design document defines. DPC++ 2023 wrote an empty list for images without a required size.
func readWorkGroupSize4(v propset.Value) ([]uint64, error) {
	list, ok := v.Uint32s()
	if ok && len(list) == 0 {
		return nil, nil
	}
	if ok && len(list) > 1 && uint64(list[0]) == uint64(len(list)-1) {
		list = list[1:]
	}
	if !ok || len(list) < 1 || len(list) > 3 {
		return nil, fmt.Errorf("%s is not a byte array of 1 to 3 32-bit numbers, with or without their count before them", describe(v))
	}
	size := make([]uint64, len(list))
	for i, n := range list {
		size[i] = uint64(n)
	}
	return size, nil
}

// readWorkGroupDims reads a number or, following the design document, up to three numbers, and
// returns the largest.
func readWorkGroupDims(v propset.Value) (uint32, error) {
	n, ok := v.Uint()
	if list, isList := v.Uint32s(); isList && len(list) >= 1 && len(list) <= 3 {
		n, ok = slices.Max(list), true
	}
	if !ok || n < 1 || n > 3 {
		return 0, fmt.Errorf("%s is not a number of dimensions from 1 to 3", describe(v))
	}
	return n, nil
}

// describe returns a description of a value for a message.
func describe(v propset.Value) string {
	if n, ok := v.Uint(); ok {
		return fmt.Sprintf("the number %d", n)
	}
	b := v.Bytes()
	if len(b) > 32 {
		return fmt.Sprintf("the byte array %x... of %d bits", b[:32], v.BitLen())
	}
	return fmt.Sprintf("the byte array %x of %d bits", b, v.BitLen())
}

func putText(s *propset.Set, key, text string) {
	if text != "" {
		s.Put(key, propset.String(text))
	}
}

func aspects(list []uint32) []aspect.Aspect {
	as := make([]aspect.Aspect, len(list))
	for i, n := range list {
		as[i] = aspect.Aspect(n)
	}
	return union(as, nil)
}

func numbers(list []aspect.Aspect) propset.Value {
	var ns []uint32
	for _, a := range union(list, nil) {
		ns = append(ns, uint32(a))
	}
	return propset.Uint32s(ns...)
}

// MapAspects returns property sets with the aspects of the device requirements mapped to other
// numbers. It returns r itself if nothing changes. It does not change values that are not lists of
// aspects.
func MapAspects(r *propset.Registry, aspect func(uint32) (uint32, error)) (*propset.Registry, error) {
	result := r
	for _, key := range []string{keyAspects, keyAspect, keyFixedTarget} {
		v, ok := r.Set(propset.DeviceRequirements).Get(key)
		if !ok {
			continue
		}
		list, ok := v.Uint32s()
		if !ok || key == keyFixedTarget && slices.ContainsFunc(list, looksLikeText) {
			continue
		}
		mapped := make([]uint32, len(list))
		for i, n := range list {
			var err error
			if mapped[i], err = aspect(n); err != nil {
				return nil, err
			}
		}
		if slices.Equal(mapped, list) {
			continue
		}
		if slices.IsSorted(list) {
			slices.Sort(mapped)
		}
		if result == r {
			result = r.Clone()
		}
		result.Set(propset.DeviceRequirements).Put(key, propset.Uint32s(mapped...))
	}
	return result, nil
}

// looksLikeText reports whether four bytes are part of a name rather than the number of an aspect.
func looksLikeText(n uint32) bool { return n > 0xff }

// WithAspect returns property sets that additionally require an aspect.
func WithAspect(r *propset.Registry, a aspect.Aspect) *propset.Registry {
	v, _ := r.Set(propset.DeviceRequirements).Get(keyAspects)
	list, _ := v.Uint32s()
	if slices.Contains(list, uint32(a)) {
		return r
	}
	r = r.Clone()
	set := r.Add(propset.DeviceRequirements)
	set.Put(keyAspects, numbers(append(aspects(list), a)))
	set.Sort()
	return r
}

// ListsAspects reports whether an image's property sets list the aspects that it requires, even if
// it requires none. DPC++ always lists them, but other compilers may omit an empty list.
func ListsAspects(r *propset.Registry) bool {
	set := r.Set(propset.DeviceRequirements)
	_, listed := set.Get(keyAspects)
	_, listedAs := set.Get(keyAspect)
	return listed || listedAs
}

// CompileTarget returns the target that an image was compiled for ahead of time, according to its
// property sets, or "" if there is none.
func CompileTarget(r *propset.Registry) string {
	v, _ := r.Set(propset.DeviceRequirements).Get(keyCompileTarget)
	return string(v.Bytes())
}

// WithCompileTarget returns property sets with target as the compile target, or without one if
// target is "". It returns r itself if nothing changes.
func WithCompileTarget(r *propset.Registry, target string) *propset.Registry {
	if CompileTarget(r) == target {
		return r
	}
	r = r.Clone()
	set := r.Add(propset.DeviceRequirements)
	if set.Len() == 0 {
		set.Put(keyAspects, propset.Uint32s())
	}
	if target == "" {
		set.Delete(keyCompileTarget)
	} else {
		set.Put(keyCompileTarget, propset.String(target))
	}
	set.Sort()
	return r
}
