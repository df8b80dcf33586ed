package propset

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/sycl/safetext"
)

// Describe interprets a value according to its set and key; see [Describer]. Aspects are shown as
// numbers.
func Describe(set, key string, v Value) (Typed, error) { return Describer{}.Describe(set, key, v) }

// A Typed is a value with its meaning.
type Typed struct {
	// Layout is the structure of the value, such as "u32[1..3]" or "string".
	Layout string

	// Known reports whether DPC++ defines the key. If it does not, or if the value does not have the
	// layout, Layout is only a guess from the value.
	Known bool

	// Written reports whether DPC++ or this project's tools write the key with this layout. It is
	// false for layouts that readers accept, but that only the documents or older versions use.
	Written bool

	// Status is the status of the key.
	Status Status

	// Data is the value as one of uint32, bool, []uint32, []uint64, string, Named, NamedList,
	// []SpecRecord, DeviceGlobal, BitMask, [][]string and Blob. All of them encode to readable JSON.
	Data any

	// Text is Data in readable form, on one line.
	Text string
}

// A Status reports whether tools still write a key.
type Status string

const (
	Current  Status = "current"   // written by the newest DPC++
	Legacy   Status = "legacy"    // defined and read, no longer written
	InFlight Status = "in flight" // proposed, in no released DPC++
)

// A Named is a number with a name.
type Named struct {
	Value uint32 `json:"value"`
	Name  string `json:"name,omitempty"` // "" if the number has no known meaning
}

func (n Named) String() string {
	if n.Name == "" {
		return strconv.FormatUint(uint64(n.Value), 10)
	}
	return n.Name
}

// A NamedList is a list of numbers with names.
type NamedList []Named

// A SpecRecord locates one scalar of a specialization constant.
type SpecRecord struct {
	ID     uint32 `json:"id"`     // of the scalar, in the SPIR-V module
	Offset uint32 `json:"offset"` // in bytes from the start of the whole constant
	Size   uint32 `json:"size"`   // in bytes
}

// A DeviceGlobal describes a device_global variable.
type DeviceGlobal struct {
	Size             uint32 `json:"size"` // in bytes
	DeviceImageScope bool   `json:"device_image_scope"`
}

// A BitMask is a sequence of bits.
type BitMask struct {
	Len int   `json:"len"`
	Set []int `json:"set"` // indexes of the set bits, ascending
}

// A Blob holds bytes without further meaning. Its text is hexadecimal.
type Blob []byte

// MarshalText implements [encoding.TextMarshaler]. It returns the bytes in hexadecimal.
func (b Blob) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, b), nil }

// A Describer interprets values. The zero value is ready to use.
type Describer struct {
	// AspectName returns the name of an aspect, or "" if it has none. If AspectName is nil,
	// descriptions show aspects as numbers.
	AspectName func(uint32) string
}

// Describe interprets a value according to its set and key.
//
// It describes values of sets and keys that DPC++ does not define by their form: numbers as
// numbers, byte arrays as text if printable and in hexadecimal otherwise. It does the same for
// values that their key does not allow, and returns a *SyntaxError.
func (d Describer) Describe(set, key string, v Value) (Typed, error) {
	rule, ok := find(set, key)
	if !ok {
		return plain(v), nil
	}
	var problems []string
	for i, l := range rule.layouts {
		if l.typ != v.typ {
			continue
		}
		data, err := l.read(v)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if rule.aspects {
			data = d.nameAspects(data)
		}
		written := i < rule.written && rule.status == Current
		return Typed{Layout: l.name, Known: true, Written: written, Status: rule.status, Data: data, Text: render(data)}, nil
	}
	if problems == nil {
		problems = append(problems, fmt.Sprintf("the value is a %v; expected a %v", v.typ, rule.layouts[0].typ))
	}
	t := plain(v)
	t.Known, t.Status = true, rule.status
	return t, &SyntaxError{Set: set, Key: key, Msg: strings.Join(problems, ", and ")}
}

func (d Describer) nameAspects(data any) any {
	numbers, ok := data.([]uint32)
	if !ok {
		return data
	}
	list := make(NamedList, len(numbers))
	for i, n := range numbers {
		list[i].Value = n
		if d.AspectName != nil {
			list[i].Name = d.AspectName(n)
		}
	}
	return list
}

// CanonicalName returns the name under which a set is written; it differs from name only for
// [SYCLBINNativeAlias].
func CanonicalName(name string) string {
	if name == SYCLBINNativeAlias {
		return SYCLBINNative
	}
	return name
}

// A rule defines the values of one key, or of all keys that match a pattern.
type rule struct {
	set     string
	key     string // exact, or "*" for any, or "*@suffix" for any with that suffix
	status  Status
	layouts []layout
	written int  // number of leading layouts that tools write
	aspects bool // a u32[] layout holds aspects
}

// schema lists the sets and keys in the order of the documents. The layout that DPC++ writes comes
// first.
var schema = []rule{
	current(SpecializationConstants, "*", specConstants),
	current(SpecializationConstantDefaults, "all", blob),
	accepted(SpecializationConstantDefaults, "*", blob), // the documents have one key per constant
	legacy(DeviceLibReqMask, "DeviceLibReqMask", u32),
	current(DeviceLibMetadata, "bfloat16", named("fallback", "native")),
	current(KernelParamOpt, "*", bitMask),
	current(ProgramMetadata, "*@reqd_work_group_size", u32s(1, 3)),
	current(ProgramMetadata, "*@max_work_group_size", u32s(1, 3)),
	current(ProgramMetadata, "*@work_group_num_dim", u32, u32s(1, 1)),
	current(ProgramMetadata, "*@max_linear_work_group_size", u32, u32s(1, 1), u64s(1, 1)),
	current(ProgramMetadata, "*@reqd_sub_group_size", u32, u32s(1, 1)),
	current(ProgramMetadata, "*@global_id_mapping", text),
	current(MiscProperties, "isEsimdImage", boolean),
	legacy(MiscProperties, "sycl-register-alloc-mode", registerAllocMode),
	legacy(MiscProperties, "isLargeGRF", boolean),
	current(MiscProperties, "sycl-grf-size", u32),
	current(MiscProperties, "optLevel", u32),
	current(MiscProperties, "idQueriesRange", u32),
	current(MiscProperties, "sanUsed", oneOf("asan", "msan", "tsan")),
	legacy(MiscProperties, "asanUsed", boolean),
	current(MiscProperties, "specConstsReplacedWithDefault", boolean),
	legacy(AssertUsed, "*", boolean),
	current(ExportedSymbols, "*", boolean),
	current(ImportedSymbols, "*", boolean),
	current(KernelNames, "*", boolean),
	current(DeviceGlobals, "*", deviceGlobal),
	aspects(current(DeviceRequirements, "aspects", anyU32s)),
	aspects(accepted(DeviceRequirements, "aspect", anyU32s)),                  // the documents' alternative spelling
	aspects(bothWritten(DeviceRequirements, "fixed_target", smallU32s, text)), // DPC++ writes numbers, this project names
	current(DeviceRequirements, "joint_matrix", table(4)),
	current(DeviceRequirements, "joint_matrix_mad", table(7)),
	bothWritten(DeviceRequirements, "reqd_sub_group_size", u32, u32s(1, 3)), // DPC++ writes one size, this project also several
	current(DeviceRequirements, "reqd_work_group_size_uint64_t", u64s(1, 3)),
	legacy(DeviceRequirements, "reqd_work_group_size", countedU32s, u32s(0, 3)), // empty in images of DPC++ 2023
	current(DeviceRequirements, "work_group_num_dim", u32, u32s(1, 3)),
	current(DeviceRequirements, "compile_target", text),
	legacy(HostPipes, "*", u32s(1, 1)),
	current(VirtualFunctions, VirtualFunctionsSet, text),
	current(VirtualFunctions, UsesVirtualFunctionsSet, text),
	current(ImplicitLocalArg, "*", u32),
	current(WorkGroupDynamicLocalMem, "*", boolean),
	current(RegisteredKernels, "*", text),
	current(SYCLBINGlobal, "state", named("input", "object", "executable")),
	inFlight(SYCLBINGlobal, "abstract_modules_num", u32),
	current(SYCLBINIR, "type", named("SPIR-V", "PTX", "AMDGCN")),
	current(SYCLBINIR, "target", text),
	current(SYCLBINNative, "arch", text),
	current(SYCLBINNative, "target", text),
}

func current(set, key string, layouts ...layout) rule {
	return rule{set: set, key: key, status: Current, layouts: layouts, written: 1}
}

func bothWritten(set, key string, layouts ...layout) rule {
	return rule{set: set, key: key, status: Current, layouts: layouts, written: len(layouts)}
}

// accepted returns a rule for a key that only the documents define.
func accepted(set, key string, layouts ...layout) rule {
	return rule{set: set, key: key, status: Legacy, layouts: layouts}
}

func legacy(set, key string, layouts ...layout) rule { return accepted(set, key, layouts...) }

func inFlight(set, key string, layouts ...layout) rule {
	return rule{set: set, key: key, status: InFlight, layouts: layouts}
}

func aspects(r rule) rule {
	r.aspects = true
	return r
}

// FixedKeys returns the keys of a set that has a fixed list of keys, or nil for a set whose keys
// are names from the source or depend on the DPC++ release.
func FixedKeys(set string) (keys []string) {
	switch set = CanonicalName(set); set {
	case DeviceLibReqMask, SYCLBINGlobal, SYCLBINIR, SYCLBINNative:
		for _, r := range schema {
			if r.set == set {
				keys = append(keys, r.key)
			}
		}
	}
	return keys
}

// find returns the first rule for a key.
func find(set, key string) (rule, bool) {
	set = CanonicalName(set)
	for _, r := range schema {
		if r.set != set {
			continue
		}
		if r.key == key || r.key == "*" {
			return r, true
		}
		if suffix, ok := strings.CutPrefix(r.key, "*"); ok && strings.HasSuffix(key, suffix) {
			return r, true
		}
	}
	return rule{}, false
}

// A layout parses values of one form.
type layout struct {
	name string
	typ  Type
	read func(Value) (any, error)
}

var u32 = layout{"u32", Uint32, func(v Value) (any, error) { return v.num, nil }}

var boolean = layout{"u32 (0 or 1)", Uint32, func(v Value) (any, error) {
	if v.num > 1 {
		return nil, fmt.Errorf("%d is neither 0 nor 1", v.num)
	}
	return v.num == 1, nil
}}

var registerAllocMode = layout{"u32 (0 automatic, 2 large)", Uint32, func(v Value) (any, error) {
	switch v.num {
	case 0:
		return Named{0, "automatic"}, nil
	case 2:
		return Named{2, "large"}, nil
	}
	return nil, fmt.Errorf("unknown value %d; expected 0 (automatic) or 2 (large)", v.num)
}}

// named returns a layout for consecutive numbers from 0 with these names.
func named(names ...string) layout {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = fmt.Sprintf("%d %s", i, n)
	}
	all := strings.Join(parts, ", ")
	return layout{"u32 (" + all + ")", Uint32, func(v Value) (any, error) {
		if uint64(v.num) >= uint64(len(names)) {
			return nil, fmt.Errorf("unknown value %d; expected %s", v.num, all)
		}
		return Named{v.num, names[v.num]}, nil
	}}
}

var anyU32s = numbers("u32[]", 32, 0, math.MaxInt, Value.Uint32s)

// u32s returns a layout for least to most 32-bit numbers.
func u32s(least, most int) layout {
	return numbers("u32"+countName(least, most), 32, least, most, Value.Uint32s)
}

// u64s returns a layout for least to most 64-bit numbers.
func u64s(least, most int) layout {
	return numbers("u64"+countName(least, most), 64, least, most, Value.Uint64s)
}

func numbers[T any](name string, size, least, most int, get func(Value) ([]T, bool)) layout {
	return layout{name, ByteArray, func(v Value) (any, error) {
		list, ok := get(v)
		switch {
		case !ok:
			return nil, fmt.Errorf("%d bits are not a whole number of %d-bit numbers", v.bits, size)
		case len(list) >= least && len(list) <= most:
			return list, nil
		}
		return nil, fmt.Errorf("the byte array holds %d numbers, not %s", len(list), countText(least, most))
	}}
}

func countName(least, most int) string {
	if least == most {
		return fmt.Sprintf("[%d]", least)
	}
	return fmt.Sprintf("[%d..%d]", least, most)
}

func countText(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// countedU32s is the layout of a count of at most 3, followed by that many 32-bit numbers.
var countedU32s = layout{"u32 count; u32[count]", ByteArray, func(v Value) (any, error) {
	n, ok := v.Uint32s()
	if !ok || len(n) < 2 || len(n) > 4 || uint64(n[0]) != uint64(len(n)-1) {
		return nil, fmt.Errorf("invalid byte array; expected a count from 1 to 3, followed by that many 32-bit numbers")
	}
	return n[1:], nil
}}

// smallU32s is the layout of 32-bit numbers below 256, which cannot be confused with text.
var smallU32s = layout{"u32[]", ByteArray, func(v Value) (any, error) {
	n, ok := v.Uint32s()
	if !ok || slices.ContainsFunc(n, func(n uint32) bool { return n > 0xff }) {
		return nil, fmt.Errorf("the byte array is not a list of 32-bit aspect numbers")
	}
	return n, nil
}}

var text = layout{"string", ByteArray, func(v Value) (any, error) {
	s, ok := v.Text()
	if !ok || strings.ContainsRune(s, 0) {
		return nil, fmt.Errorf("the byte array is not text: it has bytes that are not UTF-8, or NUL")
	}
	return s, nil
}}

func oneOf(words ...string) layout {
	all := strings.Join(words, ", ")
	return layout{"string (" + all + ")", ByteArray, func(v Value) (any, error) {
		if s, ok := v.Text(); ok && slices.Contains(words, s) {
			return s, nil
		}
		return nil, fmt.Errorf("unknown value %s; expected %s", safetext.Quote(v.payload), all)
	}}
}

// table returns a layout for text with records separated by ";" and fields separated by ",".
func table(fields int) layout {
	name := fmt.Sprintf(`string (records of %d fields: "," between fields, ";" between records)`, fields)
	return layout{name, ByteArray, func(v Value) (any, error) {
		s, err := text.read(v)
		if err != nil {
			return nil, err
		}
		rows := [][]string{}
		for record := range strings.SplitSeq(s.(string), ";") {
			if record == "" {
				continue
			}
			row := strings.Split(record, ",")
			if len(row) != fields {
				return nil, fmt.Errorf("the record %s has %d fields, not %d", safetext.Quote(record), len(row), fields)
			}
			rows = append(rows, row)
		}
		return rows, nil
	}}
}

var blob = layout{"bytes", ByteArray, func(v Value) (any, error) {
	if v.bits%8 != 0 {
		return nil, fmt.Errorf("%d bits are not whole bytes", v.bits)
	}
	return Blob(v.payload), nil
}}

var bitMask = layout{"bits", ByteArray, func(v Value) (any, error) {
	m := BitMask{Len: int(v.bits), Set: []int{}} // no more than 8 times the payload, which is in memory
	for i, b := range []byte(v.payload) {
		for bit := range 8 {
			if b>>bit&1 == 1 {
				m.Set = append(m.Set, 8*i+bit)
			}
		}
	}
	return m, nil
}}

var specConstants = layout{"{u32 id; u32 offset; u32 size}[]", ByteArray, func(v Value) (any, error) {
	const record = 12
	if v.bits == 0 || v.bits%(8*record) != 0 {
		return nil, fmt.Errorf("%d bits are not one or more records of %d bytes", v.bits, record)
	}
	list := make([]SpecRecord, 0, len(v.payload)/record)
	for b := range slices.Chunk([]byte(v.payload), record) {
		list = append(list, SpecRecord{
			ID:     binary.LittleEndian.Uint32(b),
			Offset: binary.LittleEndian.Uint32(b[4:]),
			Size:   binary.LittleEndian.Uint32(b[8:]),
		})
	}
	return list, nil
}}

var deviceGlobal = layout{"u32 size; u32 device_image_scope", ByteArray, func(v Value) (any, error) {
	n, ok := v.Uint32s()
	if !ok || len(n) != 2 {
		return nil, fmt.Errorf("%d bits are not a 32-bit size and a 32-bit flag", v.bits)
	}
	if n[1] > 1 {
		return nil, fmt.Errorf("the device_image_scope flag is %d, neither 0 nor 1", n[1])
	}
	return DeviceGlobal{Size: n[0], DeviceImageScope: n[1] == 1}, nil
}}

// plain returns a description of a value by its form only.
func plain(v Value) Typed {
	t := Typed{Layout: "bytes", Data: Blob(v.payload)}
	switch s, ok := v.Text(); {
	case v.typ == Uint32:
		t.Layout, t.Data = "u32", v.num
	case v.bits%8 != 0:
		t.Layout = "bits"
	case ok && s != "" && safetext.IsPrintable(s):
		t.Layout, t.Data = "string", s
	}
	t.Text = render(t.Data)
	return t
}

// render formats data on one line.
func render(data any) string {
	switch d := data.(type) {
	case string:
		return safetext.Printable(d)
	case []uint32:
		return words(d)
	case []uint64:
		return words(d)
	case NamedList:
		return words(d)
	case [][]string:
		rows := make([]string, len(d))
		for i, row := range d {
			rows[i] = strings.Join(row, ",")
		}
		return safetext.Printable(strings.Join(rows, "; "))
	case []SpecRecord:
		parts := make([]string, len(d))
		for i, c := range d {
			parts[i] = fmt.Sprintf("id %d, offset %d, size %d", c.ID, c.Offset, c.Size)
		}
		return strings.Join(parts, "; ")
	case DeviceGlobal:
		if d.DeviceImageScope {
			return fmt.Sprintf("size %d, device image scope", d.Size)
		}
		return fmt.Sprintf("size %d", d.Size)
	case BitMask:
		if len(d.Set) == 0 {
			return fmt.Sprintf("none of %d", d.Len)
		}
		return fmt.Sprintf("%s of %d", words(d.Set), d.Len)
	case Blob:
		return hex.EncodeToString(d)
	}
	return fmt.Sprint(data)
}

func words[T any](list []T) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = fmt.Sprint(e)
	}
	return strings.Join(parts, " ")
}
