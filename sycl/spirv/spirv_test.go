package spirv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func load(t testing.TB, name string) *Module {
	t.Helper()
	data := testkit.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
	m := testkit.Must(Parse(data))(t)
	return m
}

func TestUses(t *testing.T) {
	const (
		fp16    = 5
		fp64    = 6
		image   = 9
		atomics = aspect.Atomic64
	)
	for _, test := range []struct {
		name, declarations, code string
		want                     []aspect.Aspect
	}{
		{"unused types and constants", "%s = OpTypeStruct %double %half", "", nil},
		{"a double is computed", "", "%x = OpFAdd %double %2d %2d", []aspect.Aspect{fp64}},
		{"a double constant is stored through a pointer", `%p = OpTypePointer Function %double`,
			"%v = OpVariable %p Function\nOpStore %v %2d", []aspect.Aspect{fp64}},
		{"a pointer to double is passed around", `%p = OpTypePointer CrossWorkgroup %double`,
			"%x = OpFunctionParameter %p", nil},
		{"a double parameter that is never read", "", "%x = OpFunctionParameter %double", []aspect.Aspect{fp64}},
		{"constants are compared", "", "%x = OpFOrdLessThan %bool %2d %2d", []aspect.Aspect{fp64}},
		{"a specialization constant compares doubles",
			"%s = OpSpecConstant %double 1.5\n%c = OpSpecConstantOp %bool FOrdLessThan %s %2d\n%p = OpTypePointer Function %bool",
			"%v = OpVariable %p Function\nOpStore %v %c", nil},
		{"a kernel compares a specialization constant", "%s = OpSpecConstant %double 1.5",
			"%x = OpFOrdLessThan %bool %s %2d", nil},
		{"a kernel computes with specialization constants and converts", "%s = OpSpecConstant %double 1.5",
			"%x = OpFAdd %double %s %2d\n%y = OpFAdd %double %x %s\n%h = OpFConvert %float %y", nil},
		{"what is computed from a specialization constant is stored",
			"%s = OpSpecConstant %double 1.5\n%p = OpTypePointer Function %double",
			"%v = OpVariable %p Function\n%x = OpFAdd %double %s %2d\nOpStore %v %x", []aspect.Aspect{fp64}},
		{"a specialization constant and an argument", "%s = OpSpecConstant %double 1.5\n%f = OpTypeFunction %double",
			"%a = OpFunctionParameter %double\n%x = OpFOrdLessThan %bool %s %a", []aspect.Aspect{fp64}},
		{"a literal equal to the id of a double", "%s = OpTypeStruct %uint %uint",
			// Ids are numbered from 1 in the order of appearance: %K 1, %void 2, ... %double 8, ... %2d 12.
			"%v = OpFunctionParameter %s\n%x = OpCompositeExtract %uint %v 12", nil},
		{"a member is loaded from a struct that also has a double",
			"%s = OpTypeStruct %double %float\n%p = OpTypePointer CrossWorkgroup %s\n%pf = OpTypePointer CrossWorkgroup %float",
			"%v = OpFunctionParameter %p\n%f = OpAccessChain %pf %v %1u\n%x = OpLoad %float %f Aligned 4", nil},
		{"a struct with a double is loaded as a whole",
			"%a = OpTypeArray %double %2u\n%s = OpTypeStruct %a %float\n%p = OpTypePointer CrossWorkgroup %s",
			"%v = OpFunctionParameter %p\n%x = OpLoad %s %v Aligned 8", []aspect.Aspect{fp64}},
		{"a struct with a double is continued", "%s = OpTypeStruct %double %uint\nOpTypeStructContinuedINTEL %uint %half\nOpTypeStructContinuedINTEL %uint",
			"%x = OpFunctionParameter %s", []aspect.Aspect{fp16, fp64}},
		{"a double as an argument of an extended instruction", `%std = OpExtInstImport "OpenCL.std"`,
			"%x = OpExtInst %uint %std 184 %1u %2d", []aspect.Aspect{fp64}},
		{"half arithmetic", "", "%a = OpFunctionParameter %half\n%x = OpFAdd %half %a %a", []aspect.Aspect{fp16}},
		{"half memory read as float", "%p = OpTypePointer CrossWorkgroup %half\n%std = OpExtInstImport \"OpenCL.std\"",
			"%a = OpFunctionParameter %p\n%x = OpExtInst %float %std 176 %1u %a", nil},
		{"bfloat16 is not half", "%b = OpTypeFloat 16 0", "%a = OpFunctionParameter %b", nil},
		{"atomic on a 32-bit integer", "%p = OpTypePointer CrossWorkgroup %uint",
			"%a = OpFunctionParameter %p\n%x = OpAtomicIAdd %uint %a %1u %1u %8u", nil},
		{"atomic on a 64-bit integer", "%p = OpTypePointer CrossWorkgroup %ulong",
			"%a = OpFunctionParameter %p\n%x = OpAtomicLoad %ulong %a %1u %1u", []aspect.Aspect{atomics}},
		{"atomic store of a 64-bit constant", "%p = OpTypePointer CrossWorkgroup %ulong\n%c = OpConstant %ulong 7 0",
			"%a = OpFunctionParameter %p\nOpAtomicStore %a %1u %1u %c", []aspect.Aspect{atomics}},
		{"atomic store of a 64-bit parameter", "%p = OpTypePointer CrossWorkgroup %ulong",
			"%a = OpFunctionParameter %p\n%c = OpFunctionParameter %ulong\nOpAtomicStore %a %1u %1u %c", []aspect.Aspect{atomics}},
		{"atomic store of a 32-bit constant", "%p = OpTypePointer CrossWorkgroup %uint",
			"%a = OpFunctionParameter %p\nOpAtomicStore %a %1u %1u %8u", nil},
		{"atomic addition of doubles", "%p = OpTypePointer CrossWorkgroup %double",
			"%a = OpFunctionParameter %p\n%x = OpAtomicFAddEXT %double %a %1u %1u %2d", []aspect.Aspect{fp64, atomics}},
		{"atomic addition of halves", "%p = OpTypePointer CrossWorkgroup %half",
			"%a = OpFunctionParameter %p\n%h = OpFunctionParameter %half\n%x = OpAtomicFAddEXT %half %a %1u %1u %h", []aspect.Aspect{fp16, aspect.ExtOneAPIAtomic16}},
		{"an image argument that is never read", "%i = OpTypeImage %void 1 0 0 0 0 0 0",
			"%x = OpFunctionParameter %i", nil},
		{"a sampler argument", "%s = OpTypeSampler", "%x = OpFunctionParameter %s", nil},
		{"a bindless image", "%i = OpTypeImage %void 1 0 0 0 0 0 0",
			"%h = OpFunctionParameter %ulong\n%x = OpConvertHandleToImageINTEL %i %h", nil},
		{"a cooperative matrix of halves", "%m = OpTypeCooperativeMatrixKHR %half %1u %8u %8u %1u",
			"%x = OpFunctionParameter %m", []aspect.Aspect{fp16, aspect.ExtIntelMatrix}},
		{"the clock of a work-group", "", "%x = OpReadClockKHR %ulong %2u", []aspect.Aspect{aspect.ExtOneAPIClockWorkGroup}},
		{"a private array of unknown length", "%p = OpTypePointer Function %uint",
			"%x = OpVariableLengthArrayINTEL %p %8u", []aspect.Aspect{aspect.ExtOneAPIPrivateAlloca}},
		{"an unknown instruction", "", "OpUnknown 1 2 3", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := oneKernel(t, test.declarations, test.code)
			if got := m.Requirements().Aspects; !slices.Equal(got, test.want) {
				t.Errorf("aspects %v, want %v", got, test.want)
			}
			if got := m.KernelRequirements(m.Kernel("K")).Aspects; !slices.Equal(got, test.want) {
				t.Errorf("aspects of the kernel %v, want %v", got, test.want)
			}
		})
	}
}

// featureCode has code with each feature of package aspect: declarations and a body.
var featureCode = map[string][2]string{
	"half":                             {"", "%a = OpFunctionParameter %half\n%x = OpFAdd %half %a %a"},
	"double":                           {"", "%x = OpFAdd %double %2d %2d"},
	"image":                            {"%i = OpTypeImage %void 1 0 0 0 0 0 0", "%x = OpFunctionParameter %i"},
	"sampler":                          {"%s = OpTypeSampler", "%x = OpFunctionParameter %s"},
	"sampled image":                    {"%i = OpTypeImage %void 1 0 0 0 0 0 0\n%s = OpTypeSampledImage %i", "%x = OpFunctionParameter %s"},
	"image for video":                  {"%i = OpTypeImage %void 1 0 0 0 0 0 0\n%v = OpTypeVmeImageINTEL %i", "%x = OpFunctionParameter %v"},
	"cooperative matrix":               {"%m = OpTypeCooperativeMatrixKHR %float %1u %8u %8u %1u", "%x = OpFunctionParameter %m"},
	"joint matrix":                     {"%m = OpTypeJointMatrixINTEL %float %8u %8u %1u %1u", "%x = OpFunctionParameter %m"},
	"private array of a computed size": {"%p = OpTypePointer Function %uint", "%x = OpVariableLengthArrayINTEL %p %8u"},
	"call of a pointer":                {"%p = OpTypePointer Function %fn", "%f = OpFunctionParameter %p\n%x = OpFunctionPointerCallINTEL %void %f"},
	"address of a function":            {"%p = OpTypePointer Function %fn\n%f = OpConstantFunctionPointerINTEL %p %K\n%q = OpTypePointer Function %p", "%v = OpVariable %q Function\nOpStore %v %f"},
	"matrix product of a sub-group":    {"", "%x = OpSubgroupMatrixMultiplyAccumulateINTEL %uint %8u %1u %1u %1u"},
	"clock of the device":              {"", "%x = OpReadClockKHR %ulong %1u"},
	"clock of the work-group":          {"", "%x = OpReadClockKHR %ulong %2u"},
	"clock of the sub-group":           {"%3u = OpConstant %uint 3", "%x = OpReadClockKHR %ulong %3u"},
	"bindless image":                   {"%i = OpTypeImage %void 1 0 0 0 0 0 0", "%h = OpFunctionParameter %ulong\n%x = OpConvertHandleToImageINTEL %i %h"},
	"bindless sampler":                 {"%s = OpTypeSampler", "%h = OpFunctionParameter %ulong\n%x = OpConvertHandleToSamplerINTEL %s %h"},
	"bindless sampled image":           {"%i = OpTypeImage %void 1 0 0 0 0 0 0\n%s = OpTypeSampledImage %i", "%h = OpFunctionParameter %ulong\n%x = OpConvertHandleToSampledImageINTEL %s %h"},
	"atomic operation on 64 bits":      {"%p = OpTypePointer CrossWorkgroup %ulong", "%a = OpFunctionParameter %p\n%x = OpAtomicLoad %ulong %a %1u %1u"},
	"atomic addition of halves":        {"%p = OpTypePointer CrossWorkgroup %half", "%a = OpFunctionParameter %p\n%h = OpFunctionParameter %half\n%x = OpAtomicFAddEXT %half %a %1u %1u %h"},
	"explicit SIMD":                    {"OpCapability VectorComputeINTEL", ""},
}

// TestFeatures checks that the reader supports each row of the table that it shares with the LLVM
// IR reader. Package postlink/aspects has the same test.
func TestFeatures(t *testing.T) {
	for _, f := range aspect.Features {
		code, ok := featureCode[f.Name]
		if !ok {
			t.Errorf("%s: missing code for the feature", f.Name)
			continue
		}
		want := []aspect.Aspect{f.Aspect}
		if f.FloatAddition {
			want = append([]aspect.Aspect{aspect.FP16}, want...)
		}
		m := oneKernel(t, code[0], code[1])
		if f.Aspect == aspect.Image || f.Aspect == aspect.ExtOneAPIBindlessImages { // whether images work depends on the compiler
			want = nil
		}
		if got := m.KernelRequirements(m.Kernel("K")).Aspects; !slices.Equal(got, want) {
			t.Errorf("%s: aspects %v, want %v", f.Name, got, want)
		}
	}
}

// callGraph has kernels that reach a double in several ways, and kernels that do not.
var callGraph = `
	OpCapability Float64
	OpEntryPoint Kernel %near "near"
	OpEntryPoint Kernel %far "far"
	OpEntryPoint Kernel %loop "loop"
	OpEntryPoint Kernel %table "table"
	OpEntryPoint Kernel %none "none"
	%file = OpString "math.cpp"
	OpName %leaf "leaf"
	OpName %middle "middle"
	OpDecorate %lost LinkageAttributes "lost" Export
	OpDecorate %ext LinkageAttributes "_Z3exti" Import
	OpDecorate %unused LinkageAttributes "_Z6unusedv" Import
	OpDecorate %builtin LinkageAttributes "_Z16__spirv_ocl_sqrtf" Import
	OpDecorate %lib LinkageAttributes "_Z3libv" Export
` + preamble + `
	%pf = OpTypePointer Function %fn
	%leafPtr = OpConstantFunctionPointerINTEL %pf %leaf
	%vt = OpTypeStruct %pf
	%vtable = OpConstantComposite %vt %leafPtr
	%pvt = OpTypePointer CrossWorkgroup %vt
	%var = OpVariable %pvt CrossWorkgroup %vtable
	%pd = OpTypePointer CrossWorkgroup %double
	%doubles = OpVariable %pd CrossWorkgroup %2d` +
	define("near", "%c1 = OpFunctionCall %void %leaf", "%b1 = OpFunctionCall %void %builtin") +
	define("far", "%c2 = OpFunctionCall %void %middle") +
	define("loop", "%c3 = OpFunctionCall %void %loopB") +
	define("loopB", "%c4 = OpFunctionCall %void %loop", "%c5 = OpFunctionCall %void %leaf") +
	define("table", "%x5 = OpLoad %vt %var Aligned 8") +
	define("none", "%x6 = OpAccessChain %pd %doubles", "%c6 = OpFunctionCall %void %ext") +
	define("middle", "%c7 = OpFunctionCall %void %leaf") +
	define("leaf", "OpLine %file 40 7", "%x8 = OpFAdd %double %2d %2d") +
	define("lost", "%h = OpFConvert %half %2d") +
	define("lib") +
	declare("ext") + declare("unused") + declare("builtin")

func TestReachability(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			m := testkit.Must(Parse(assemble(t, order, callGraph)))(t)
			want := map[string][]aspect.Aspect{"near": {6}, "far": {6}, "loop": {6}, "table": {6}, "none": nil}
			for _, k := range m.Kernels {
				if got := m.KernelRequirements(&k).Aspects; !slices.Equal(got, want[k.Name]) {
					t.Errorf("kernel %s needs %v, want %v", k.Name, got, want[k.Name])
				}
			}
			if got := m.Requirements().Aspects; !slices.Equal(got, []aspect.Aspect{6}) {
				t.Errorf("module needs %v, including unreachable code", got)
			}
			if !slices.Equal(m.Imports, []string{"_Z3exti"}) {
				t.Errorf("imports %q", m.Imports)
			}
			if got := m.Importers("_Z3exti"); len(got) != 1 || got[0] != m.Kernel("none") {
				t.Errorf("imported by %+v", got)
			}
			if got := m.Importers("_Z3libv"); len(got) > 0 { // defined
				t.Errorf("_Z3libv imported by %+v", got)
			}
			if len(m.Exports) != 2 || m.Exports[0].Name != "_Z3libv" || m.Exports[1].Name != "lost" {
				t.Errorf("exports %v", m.Exports)
			}
			got, ok := m.Origin(m.Kernel("far"), 6)
			wantOrigin := srcloc.Origin{Aspect: aspect.FP64.Named(), Function: "leaf", Location: srcloc.Location{Path: "math.cpp", Line: 40, Column: 7}}
			if !ok || !reflect.DeepEqual(got, wantOrigin) {
				t.Errorf("origin %v, want %v", got, wantOrigin)
			}
			if _, ok := m.Origin(m.Kernel("none"), 6); ok {
				t.Error("origin of an aspect that the kernel does not need")
			}
		})
	}
}

func TestLibraryModule(t *testing.T) {
	m := parse(t, preamble+`
		OpDecorate %f LinkageAttributes "f" Export`+
		define("f", "%x = OpFAdd %double %2d %2d"))
	if got := m.Requirements().Aspects; !slices.Equal(got, []aspect.Aspect{6}) {
		t.Errorf("module without kernels needs %v, expected the needs of its exports", got)
	}
}

func TestExecutionModes(t *testing.T) {
	const constants = "%64u = OpConstant %uint 64\n%s = OpSpecConstant %uint 32\n"
	for _, test := range []struct {
		name, mode              string
		required, hint, maximum []uint64
		subGroup                uint32
	}{
		{name: "none"},
		{name: "three dimensions, the fastest first", mode: "OpExecutionMode %K LocalSize 8 4 2", required: []uint64{8, 4, 2}},
		{name: "two dimensions", mode: "OpExecutionMode %K LocalSize 1 4 1", required: []uint64{1, 4}},
		{name: "one dimension", mode: "OpExecutionMode %K LocalSize 64 1 1", required: []uint64{64}},
		{name: "only the slowest dimension", mode: "OpExecutionMode %K LocalSize 1 1 16", required: []uint64{1, 1, 16}},
		{name: "all one", mode: "OpExecutionMode %K LocalSize 1 1 1", required: []uint64{1}},
		{name: "maximum size", mode: "OpExecutionMode %K LocalSize 4294967295 4294967295 4294967295",
			required: []uint64{4294967295, 4294967295, 4294967295}},
		{name: "2^32, whose lower 32 bits are 0", mode: "OpExecutionMode %K LocalSize 0 1 1", required: []uint64{1 << 32}},
		{name: "by constants", mode: "OpExecutionModeId %K LocalSizeId %64u %8u %1u", required: []uint64{64, 8}},
		{name: "by a specialization constant", mode: "OpExecutionModeId %K LocalSizeId %s %8u %1u"},
		{name: "hint", mode: "OpExecutionMode %K LocalSizeHint 16 1 1", hint: []uint64{16}},
		{name: "maximum", mode: "OpExecutionMode %K MaxWorkgroupSizeINTEL 256 2 1", maximum: []uint64{256, 2}},
		{name: "sub-group size", mode: "OpExecutionMode %K SubgroupSize 16", subGroup: 16},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := oneKernel(t, constants+test.mode, "%l = OpLabel")
			k := m.Kernel("K")
			if !slices.Equal(k.WorkGroupSize, test.required) || !slices.Equal(k.WorkGroupSizeHint, test.hint) ||
				!slices.Equal(k.MaxWorkGroupSize, test.maximum) || k.SubGroupSize != test.subGroup {
				t.Errorf("got %v, hint %v, maximum %v, sub-group %d", k.WorkGroupSize, k.WorkGroupSizeHint, k.MaxWorkGroupSize, k.SubGroupSize)
			}
		})
	}
}

func TestModuleSizes(t *testing.T) {
	two := func(modes string) *Module {
		return parse(t, `OpEntryPoint Kernel %A "A"
			OpEntryPoint Kernel %B "B"
			`+modes+preamble+declare("A")+declare("B"))
	}
	m := two("OpExecutionMode %A LocalSize 8 1 1\nOpExecutionMode %A SubgroupSize 16\nOpExecutionMode %B SubgroupSize 8")
	if q := m.Requirements(); !slices.Equal(q.WorkGroupSize, []uint64{8}) || !slices.Equal(q.SubGroupSizes, []uint32{8, 16}) {
		t.Errorf("got %v and %v", q.WorkGroupSize, q.SubGroupSizes)
	}
	m = two("OpExecutionMode %A LocalSize 8 1 1\nOpExecutionMode %B LocalSize 16 1 1")
	if q := m.Requirements(); q.WorkGroupSize != nil || !q.WorkGroupSizesDiffer {
		t.Errorf("two kernels with different sizes: module has %v", q.WorkGroupSize)
	}
	m = parse(t, `OpEntryPoint Kernel %A "A"
		OpEntryPoint Kernel %B "B"
		OpEntryPoint Kernel %C "C"
		OpExecutionMode %A LocalSize 8 1 1
		OpExecutionMode %B LocalSize 16 1 1
		OpExecutionMode %C LocalSize 8 1 1
		`+preamble+declare("A")+declare("B")+declare("C"))
	if q := m.Requirements(); q.WorkGroupSize != nil || !q.WorkGroupSizesDiffer {
		t.Errorf("third kernel after two with different sizes: module has %v", q.WorkGroupSize)
	}
}

// TestTranslated reads the output of llvm-spirv 21 for kernels.cpp and sizes.cl.
func TestTranslated(t *testing.T) {
	m := load(t, "kernels.spv")
	if m.Version != (Version{1, 4}) || !slices.Contains(m.Capabilities, 10) || !slices.Contains(m.Capabilities, 8) || slices.Contains(m.Capabilities, 9) {
		t.Fatalf("version %v, capabilities %v", m.Version, m.Capabilities)
	}
	want := map[string][]aspect.Aspect{
		"_ZTS5Plain": nil, "_ZTS9Untouched": nil, "_ZTS6Folded": nil, "_ZTS4Deep": {6}, "_ZTS4Half": {5},
		"_ZTS11HalfPointer": nil, "_ZTS5Sum64": {aspect.Atomic64}, "_ZTS8Exchange": {aspect.Atomic64}, "_ZTS5Calls": nil, "_ZTS4Spec": nil,
	}
	if len(m.Kernels) != len(want) {
		t.Errorf("%d kernels, want %d", len(m.Kernels), len(want))
	}
	for _, k := range m.Kernels {
		if got := m.KernelRequirements(&k).Aspects; !slices.Equal(got, want[k.Name]) {
			t.Errorf("kernel %s needs %v, want %v", k.Name, got, want[k.Name])
		}
	}
	if !slices.Equal(m.Imports, []string{"_Z13fromElsewherei"}) {
		t.Errorf("imports %q", m.Imports)
	}
	if len(m.Exports) != 1 || m.Exports[0].Name != "_Z9unreachedd" {
		t.Errorf("exports %v", m.Exports)
	}
	if l := m.Kernel("_ZTS5Plain").Location; !strings.HasSuffix(l.Path, "kernels.cpp") || l.Line == 0 {
		t.Errorf("kernel location %v", l)
	}
	o, ok := m.Origin(m.Kernel("_ZTS4Deep"), 6)
	if !ok || o.Function != "_Z9viaDoublef" || o.Location.Line == 0 {
		t.Errorf("origin of fp64: %v", o)
	}

	m = load(t, "sizes.spv")
	type modes struct {
		size, hint []uint64
		sub        uint32
		aspects    []aspect.Aspect
	}
	wantModes := map[string]modes{
		"box": {size: []uint64{8, 4, 2}}, "line": {size: []uint64{64}}, "hint": {hint: []uint64{32}}, "group": {sub: 16},
		"unread": {}, "readsImage": {},
	}
	for _, k := range m.Kernels {
		if got := (modes{k.WorkGroupSize, k.WorkGroupSizeHint, k.SubGroupSize, m.KernelRequirements(&k).Aspects}); !reflect.DeepEqual(got, wantModes[k.Name]) {
			t.Errorf("kernel %s: %+v, want %+v", k.Name, got, wantModes[k.Name])
		}
	}
}

// TestLargeBound checks that the largest bound on ids in the header neither changes how a module is
// read nor increases the memory use.
func TestLargeBound(t *testing.T) {
	data := assemble(t, binary.LittleEndian, callGraph)
	want := testkit.Must(Parse(data))(t)
	binary.LittleEndian.PutUint32(data[4*3:], 0xffffffff)
	got := testkit.Must(Parse(data))(t)
	if !reflect.DeepEqual(got.Kernels, want.Kernels) || !reflect.DeepEqual(got.Imports, want.Imports) {
		t.Errorf("%+v %q, want %+v %q", got.Kernels, got.Imports, want.Kernels, want.Imports)
	}
	if _, err := Parse(append(data[:len(data):len(data)], data[4*5:]...)); err == nil || !strings.Contains(err.Error(), "is already defined") {
		t.Errorf("error %v for ids that are defined twice", err)
	}
}

func TestMalformed(t *testing.T) {
	good := assemble(t, binary.LittleEndian, callGraph)
	word := func(n int, v uint32) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b[4*n:], v)
		return b
	}
	text := func(s string) []byte { return assemble(t, binary.LittleEndian, s) }
	unterminated := append(bytes.Clone(good[:20]), 3, 0, 2, 0, 'a', 'b', 'c', 'd')
	copy(unterminated[20:], []byte{10, 0, 2, 0})
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "module too short for the header: 0 bytes"},
		{"not SPIR-V", word(0, 0xdeadbeef), "no magic number"},
		{"a partial word at the end", good[:len(good)-2], "are not whole words"},
		{"an unsupported version", word(1, 0x00010700), "version word 0x00010700; expected versions 1.0 to 1.6"},
		{"no ids", word(3, 0), "the bound on ids is 0"},
		{"an id above the bound", word(3, 3), "is not below the bound 3"},
		{"an instruction without words", word(5, 17), "opcode 17: a length of 0 words"},
		{"an instruction beyond the end", word(5, 0xffff0011), "a length of 65535 words with"},
		{"truncated in a function", good[:len(good)-4], "unterminated last function"},
		{"an unterminated string", unterminated, "a string does not end within its instruction"},
		{"a name that is not UTF-8", text(`OpEntryPoint Kernel %K "\xff"`), "a string is not valid UTF-8"},
		{"a name with a line break", text(`OpEntryPoint Kernel %K "a\nb"`), `control character in the name "a\nb"`},
		{"an empty name", text(`OpEntryPoint Kernel %K ""`), "an empty name"},
		{"a kernel that is not a function", text(`OpEntryPoint Kernel %K "K"`), `kernel "K" is id 1, which is not a function`},
		{"two kernels with the same name", text("OpEntryPoint Kernel %K \"K\"\nOpEntryPoint Kernel %K \"K\"\n" + preamble + declare("K")), `duplicate kernel name "K"`},
		{"a duplicate id", text("%a = OpTypeBool\n%a = OpTypeBool"), "id 1 is already defined at offset 20"},
		{"a function in a function", text(preamble + "%f = OpFunction %void None %fn\n%g = OpFunction %void None %fn"),
			"a function inside a function"},
		{"a sub-group size of 0", text("OpEntryPoint Kernel %K \"K\"\nOpExecutionMode %K SubgroupSize 0\n" + preamble + declare("K")), `kernel "K": the required sub-group size is [0]; expected one size above 0`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse(test.data)
			var format *FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}

func TestProperties(t *testing.T) {
	m := parse(t, `OpCapability VectorComputeINTEL
		OpEntryPoint Kernel %A "A"
		OpEntryPoint GLCompute %A "A"
		OpExecutionMode %A LocalSize 8 4 1
		OpExecutionMode %A SubgroupSize 16
		OpExecutionMode %A MaxWorkgroupSizeINTEL 64 8 8
		OpDecorate %ext LinkageAttributes "ext" Import
		OpDecorate %lib LinkageAttributes "lib" LinkOnceODR
		`+preamble+
		define("A", "%c = OpFunctionCall %void %ext", "%x = OpFAdd %double %2d %2d")+
		define("lib")+
		declare("ext"))
	got, err := Properties(m)
	testkit.NoError(t, err)
	want := new(propset.Registry)
	req := want.Add(propset.DeviceRequirements)
	req.Put("aspects", propset.Uint32s(uint32(aspect.FP64), uint32(aspect.ExtIntelESIMD)))
	req.Put("reqd_sub_group_size", propset.Uint(16))
	req.Put("reqd_work_group_size_uint64_t", propset.Uint64s(8, 4))
	want.Add(propset.ExportedSymbols).Put("lib", propset.Uint(1))
	want.Add(propset.KernelNames).Put("A", propset.Uint(1))
	want.Add(propset.ImportedSymbols).Put("ext", propset.Uint(1))
	meta := want.Add(propset.ProgramMetadata)
	meta.Put("A@reqd_work_group_size", propset.Uint32s(8, 4))
	meta.Put("A@work_group_num_dim", propset.Uint(2))
	meta.Put("A@max_work_group_size", propset.Uint32s(64, 8, 8))
	meta.Put("A@reqd_sub_group_size", propset.Uint(16))
	want.Add(propset.MiscProperties).Put("isEsimdImage", propset.Uint(1))
	if got.String() != want.String() {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}

	got, err = Properties(parse(t, ""))
	if err != nil || got.String() != "[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n" {
		t.Errorf("empty module: %q, %v", got, err)
	}
	_, err = Properties(parse(t, "OpEntryPoint Kernel %K \"a=b\"\n"+preamble+declare("K")))
	if err == nil {
		t.Error("invalid property key accepted as a kernel name")
	}
}

func TestShapesAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for op, s := range shapeTable() {
		if s.hasType != strings.HasPrefix(s.letters, "tr") {
			t.Errorf("opcode %d: invalid shape %q", op, s.letters)
		}
	}
	for _, s := range shapes {
		for r := range strings.FieldsSeq(s.opcodes) {
			if other, ok := seen[r]; ok {
				t.Errorf("opcodes %s are in %q and %q", r, other, s.letters)
			}
			seen[r] = s.letters
		}
	}
	for name, op := range opcodes {
		s := shapeOf(op.op)
		if s.letters != "" && !strings.HasPrefix(s.letters, op.head) {
			t.Errorf("%s: shape %q, the assembler has %q", name, s.letters, op.head)
		}
	}
}

// TestLinear checks that reading many functions that call each other, and many kernels that reach
// all of them, does not take quadratic time.
func TestLinear(t *testing.T) {
	const n = 20000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "OpEntryPoint Kernel %%f%d \"f%d\"\n", i, i)
	}
	b.WriteString(preamble)
	for i := range n {
		fmt.Fprintf(&b, "%%f%d = OpFunction %%void None %%fn\n%%l%d = OpLabel\n%%c%d = OpFunctionCall %%void %%f%d\nOpFunctionEnd\n", i, i, i, (i+1)%n)
	}
	text := b.String()
	text = strings.Replace(text, "%l7 = OpLabel\n", "%l7 = OpLabel\n%x7 = OpFAdd %double %2d %2d\n", 1)
	m := parse(t, text)
	for _, k := range m.Kernels {
		if len(m.KernelRequirements(&k).Aspects) != 1 {
			t.Fatalf("kernel %s does not reach the double", k.Name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"kernels.spv", "sizes.spv"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(assemble(f, binary.BigEndian, callGraph))
	f.Add(assemble(f, binary.LittleEndian, callGraph))
	for _, text := range debugModules {
		f.Add(assemble(f, binary.LittleEndian, text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data)
		if err != nil {
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("error of type %[1]T: %[1]v", err)
			}
			if format.Offset < 0 || format.Offset > int64(len(data)) {
				t.Fatalf("offset %d outside of %d bytes", format.Offset, len(data))
			}
			StripDebug(data) // must not panic
			return
		}
		checkPlaces(t, data, m)
		all := m.Requirements()
		for i := range m.Kernels {
			for _, a := range m.KernelRequirements(&m.Kernels[i]).Aspects {
				if !slices.Contains(all.Aspects, a) {
					t.Fatalf("module does not need %v, but a kernel does", a)
				}
				if _, ok := m.Origin(&m.Kernels[i], a); !ok && a != aspect.ExtIntelESIMD {
					t.Fatalf("no origin for %v", a)
				}
			}
		}
		if r, err := Properties(m); err == nil {
			if _, err := propset.Parse("again", []byte(r.String())); err != nil {
				t.Fatalf("cannot read the properties: %v", err)
			}
		}
	})
}

// TestIntrinsics checks that an imported function that is an intrinsic that only some devices have
// is a requirement of the kernels that reach it.
func TestIntrinsics(t *testing.T) {
	m := parse(t, `OpCapability VectorComputeINTEL
		OpEntryPoint Kernel %A "A"
		OpEntryPoint Kernel %B "B"
		OpDecorate %load LinkageAttributes "llvm.genx.lsc.load.slm.v16f32.v1i1.v1i32" Import
		OpDecorate %wide LinkageAttributes "llvm.genx.lsc.store.stateless.v1i1.v1i64.v64i64" Import
		OpDecorate %gather LinkageAttributes "llvm.genx.svm.gather.v16f32.v16i1.v16i64" Import
		OpDecorate %unused LinkageAttributes "llvm.genx.nbarrier" Import
		`+preamble+
		declare("load")+declare("wide")+declare("gather")+declare("unused")+
		define("inner", "%c1 = OpFunctionCall %void %load", "%c4 = OpFunctionCall %void %wide")+
		define("A", "%c2 = OpFunctionCall %void %inner")+
		define("B", "%c3 = OpFunctionCall %void %gather"))
	want := []string{"llvm.genx.lsc.load.slm", "llvm.genx.lsc.store.stateless.512bytes"}
	if got := m.Requirements().Intrinsics; !slices.Equal(got, want) {
		t.Errorf("module needs %q, want %q", got, want)
	}
	if got := m.KernelRequirements(m.Kernel("A")).Intrinsics; !slices.Equal(got, want) {
		t.Errorf("A needs %q, want %q", got, want)
	}
	if got := m.KernelRequirements(m.Kernel("B")).Intrinsics; got != nil {
		t.Errorf("B needs %q", got)
	}
	if len(m.Imports) > 0 {
		t.Errorf("imports %q", m.Imports)
	}
}

// TestCapabilityExtensions checks extensions that some compilers reject and that are recognized by
// their capabilities, because SPIR-V 1.4 modules do not declare them: RoundingModeRTE,
// DenormPreserve and KernelAttributesINTEL.
func TestCapabilityExtensions(t *testing.T) {
	m := parse(t, `OpCapability Kernel
		OpCapability 4467
		OpCapability 4464
		OpCapability 5892
		OpExtension "SPV_INTEL_kernel_attributes"
		OpEntryPoint Kernel %K "K"
		`+preamble+define("K"))
	want := []string{"SPV_INTEL_kernel_attributes", "SPV_KHR_float_controls"}
	if got := m.Requirements().Extensions; !slices.Equal(got, want) {
		t.Errorf("module needs %q", got)
	}
}

// TestRenamedExtensions checks that the name of an extension comes from the module, and not from
// the table entry of the capability ArbitraryPrecisionIntegersINTEL. Compilers accept only the
// older name.
func TestRenamedExtensions(t *testing.T) {
	const (
		older = `OpExtension "SPV_INTEL_arbitrary_precision_integers"` + "\n"
		newer = `OpExtension "SPV_ALTERA_arbitrary_precision_integers"` + "\n"
		name  = "SPV_ALTERA_arbitrary_precision_integers"
	)
	for _, test := range []struct {
		extensions string
		want       []string
	}{
		{older, nil},
		{newer, []string{name}},
		{older + newer, []string{name}},
		{newer + older, []string{name}},
		{"", []string{name}},
		{`OpExtension "SPV_KHR_expect_assume"` + "\n", []string{name}},
		{older + `OpExtension "SPV_INTEL_optimization_hints"` + "\n", []string{"SPV_INTEL_optimization_hints"}},
	} {
		m := parse(t, `OpCapability Kernel
			OpCapability 5844
			`+test.extensions+`OpEntryPoint Kernel %K "K"
			`+preamble+define("K"))
		if got := m.Requirements().Extensions; !slices.Equal(got, test.want) {
			t.Errorf("%q: module needs %q, want %q", test.extensions, got, test.want)
		}
	}
}

// TestExtensions checks that only extensions that device compilers no longer support count.
func TestExtensions(t *testing.T) {
	m := parse(t, `OpCapability Kernel
		OpExtension "SPV_INTEL_optimization_hints"
		OpExtension "SPV_KHR_expect_assume"
		OpEntryPoint Kernel %K "K"
		`+preamble+define("K"))
	want := []string{"SPV_INTEL_optimization_hints"}
	if got := m.Requirements().Extensions; !slices.Equal(got, want) {
		t.Errorf("module needs %q", got)
	}
	if got := m.KernelRequirements(m.Kernel("K")).Extensions; !slices.Equal(got, want) {
		t.Errorf("kernel needs %q", got)
	}
}

// TestUndefinedVariables checks the variables that a kernel reaches, directly or through other
// variables, except for variables that every consumer of SPIR-V provides.
func TestUndefinedVariables(t *testing.T) {
	m := parse(t, `OpEntryPoint Kernel %K "K"
		OpEntryPoint Kernel %L "L"
		OpDecorate %limit LinkageAttributes "limit" Import
		OpDecorate %vtable LinkageAttributes "_ZTV5Shape" Import
		OpDecorate %id LinkageAttributes "__spirv_BuiltInGlobalInvocationId" Import
		OpDecorate %unused LinkageAttributes "unused" Import
		OpDecorate %own LinkageAttributes "own" Export
		`+preamble+`
		%pointer = OpTypePointer CrossWorkgroup %uint
		%toPointer = OpTypePointer CrossWorkgroup %pointer
		%limit = OpVariable %pointer CrossWorkgroup
		%vtable = OpVariable %pointer CrossWorkgroup
		%id = OpVariable %pointer CrossWorkgroup
		%unused = OpVariable %pointer CrossWorkgroup
		%own = OpVariable %toPointer CrossWorkgroup %vtable`+
		define("K", "%a = OpLoad %uint %limit", "%b = OpLoad %pointer %own", "%c = OpLoad %uint %id")+
		define("L", "%d = OpLoad %uint %limit"))
	if want := []string{"_ZTV5Shape", "limit"}; !slices.Equal(m.Variables, want) || len(m.Imports) > 0 {
		t.Errorf("variables %q, want %q; functions %q", m.Variables, want, m.Imports)
	}
	if k, l := m.Importers("_ZTV5Shape"), m.Importers("limit"); len(k) != 1 || k[0].Name != "K" || len(l) != 2 {
		t.Errorf("used by %v and %v", k, l)
	}
}

// TestAssembly checks that inline assembly is a requirement of the kernels that call it.
func TestAssembly(t *testing.T) {
	text := `OpCapability Kernel
		OpEntryPoint Kernel %A "A"
		OpEntryPoint Kernel %B "B"
		` + preamble + `
		%target = OpAsmTargetINTEL "spirv64-unknown-unknown"
		%load = OpAsmINTEL %void %fn %target "lsc_load.ugm (M1, 16) $0:d32 flat[$1]:a64" "rw,rw"
		%move = OpAsmINTEL %void %fn %target "mov (M1_NM, 1) V6(0,4)<1> 0x100:ud" ""
		%unused = OpAsmINTEL %void %fn %target "dpas.s8.s8.8.8 (M1, 16) $0 $0 $1 $2" ""` +
		define("inner", "%c1 = OpAsmCallINTEL %void %load", "%c2 = OpAsmCallINTEL %void %move") +
		define("A", "%c3 = OpFunctionCall %void %inner") +
		define("B")
	m := parse(t, text)
	want := []string{"V6", "lsc_load", "mov"}
	if got := m.Requirements().Assembly; !slices.Equal(got, want) {
		t.Errorf("module needs %q, want %q", got, want)
	}
	if got := m.KernelRequirements(m.Kernel("A")).Assembly; !slices.Equal(got, want) {
		t.Errorf("A needs %q, want %q", got, want)
	}
	if got := m.KernelRequirements(m.Kernel("B")).Assembly; got != nil {
		t.Errorf("B needs %q", got)
	}
	if len(m.Imports) > 0 {
		t.Errorf("imports %q", m.Imports)
	}
}
