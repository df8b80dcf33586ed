package spirv

import (
	"fmt"
	"slices"
	"testing"
)

// byValue declares a kernel with a pointer parameter, and a struct parameter %s that is passed by
// value.
func byValue(t *testing.T, decoration, declarations string) *Module {
	t.Helper()
	return parse(t, `
		OpEntryPoint Kernel %k "k"
		`+decoration+`
		OpDecorate %b FuncParamAttr ByVal
		OpDecorate %id BuiltIn 28
		%void = OpTypeVoid
		%uchar = OpTypeInt 8 0
		%ushort = OpTypeInt 16 0
		%uint = OpTypeInt 32 0
		%ulong = OpTypeInt 64 0
		`+declarations+`
		%ps = OpTypePointer Function %s
		%p = OpTypePointer CrossWorkgroup %uint
		%pid = OpTypePointer 1 %uint
		%id = OpVariable %pid 1
		%fn = OpTypeFunction %void %p %ps
		%k = OpFunction %void None %fn
		%a = OpFunctionParameter %p
		%b = OpFunctionParameter %ps
		%l = OpLabel
		OpReturn
		OpFunctionEnd`)
}

func TestParameters(t *testing.T) {
	array := func(element string, n int) string {
		return fmt.Sprintf("%%n = OpConstant %%uint %d\n%%arr = OpTypeArray %%%s %%n\n%%s = OpTypeStruct %%arr", n, element)
	}
	for _, test := range []struct {
		name, declarations string
		size, registers    uint64 // 0 if below the limit of every device
	}{
		{"bytes", array("uchar", 2040), 2048, 8168},
		{"few bytes", array("uchar", 600), 0, 2408},
		{"shorts", array("ushort", 1000), 2008, 4008},
		{"words", array("uint", 512), 2056, 2056},
		{"small", array("ulong", 100), 0, 0},
		{"64-bit length, as compilers write it", "%n = OpConstant %ulong 3000 0\n%arr = OpTypeArray %uchar %n\n%s = OpTypeStruct %arr", 3008, 12008},
		{"length above 32 bits", "%n = OpConstant %ulong 1 1\n%arr = OpTypeArray %uchar %n\n%s = OpTypeStruct %arr", 1<<32 + 9, 4<<32 + 12},
		{"length that is a specialization constant", "%n = OpSpecConstant %ulong 3000 0\n%arr = OpTypeArray %uchar %n\n%s = OpTypeStruct %arr", 3008, 12008},
		{"array of structs", "%n = OpConstant %ulong 64 0\n%m = OpTypeStruct %ulong %uint\n%in = OpTypeArray %m %n\n%s = OpTypeStruct %in %in", 2056, 3592},
		{"members with padding", "%n = OpConstant %uint 300\n%m = OpTypeStruct %uchar %ulong\n%arr = OpTypeArray %m %n\n%s = OpTypeStruct %arr", 4808, 12008},
		{"members with padding between them", "%n = OpConstant %uint 300\n%m = OpTypeStruct %uchar %ulong %uchar\n%arr = OpTypeArray %m %n\n%s = OpTypeStruct %arr", 7208, 21608},
		{"maximum length", "%n = OpConstant %uint 4294967295\n%a1 = OpTypeArray %ulong %n\n%a2 = OpTypeArray %a1 %n\n%a3 = OpTypeArray %a2 %n\n%s = OpTypeStruct %a3 %a3", maxLayout, maxLayout},
	} {
		m := byValue(t, "", test.declarations)
		q := m.KernelRequirements(m.Kernel("k"))
		if q.ParameterSize != test.size || q.ParameterRegisters != test.registers {
			t.Errorf("%s: %d bytes, %d bytes of registers, want %d and %d", test.name, q.ParameterSize, q.ParameterRegisters, test.size, test.registers)
		}
		if whole := m.Requirements(); whole.ParameterSize != test.size {
			t.Errorf("%s: module needs %d bytes", test.name, whole.ParameterSize)
		}
	}
}

// TestVectorParameters checks explicit SIMD code, whose compiler passes structs in their memory
// layout.
func TestVectorParameters(t *testing.T) {
	const declarations = "%n = OpConstant %uint 2040\n%arr = OpTypeArray %uchar %n\n%s = OpTypeStruct %arr"
	for decoration, want := range map[string]uint64{"": 8168, "OpDecorate %k VectorComputeFunctionINTEL": 0} {
		m := byValue(t, decoration, declarations)
		if q := m.KernelRequirements(m.Kernel("k")); q.ParameterSize != 2048 || q.ParameterRegisters != want {
			t.Errorf("%q: %d bytes, %d bytes of registers, want %d", decoration, q.ParameterSize, q.ParameterRegisters, want)
		}
	}
}

func TestLocalMemory(t *testing.T) {
	m := parse(t, `
		OpEntryPoint Kernel %one "one"
		OpEntryPoint Kernel %both "both"
		OpEntryPoint Kernel %none "none"
		%void = OpTypeVoid
		%uint = OpTypeInt 32 0
		%ulong = OpTypeInt 64 0
		%n = OpConstant %uint 20000
		%arr = OpTypeArray %uint %n
		%long = OpConstant %ulong 20000 0
		%arrlong = OpTypeArray %uint %long
		%p = OpTypePointer Workgroup %arr
		%plong = OpTypePointer Workgroup %arrlong
		%pu = OpTypePointer Workgroup %uint
		%zero = OpConstant %uint 0
		%v = OpVariable %p Workgroup
		%w = OpVariable %plong Workgroup
		%fn = OpTypeFunction %void
		%f = OpFunction %void None %fn
		%l0 = OpLabel
		%x0 = OpAccessChain %pu %v %zero
		OpReturn
		OpFunctionEnd
		%one = OpFunction %void None %fn
		%l1 = OpLabel
		%c1 = OpFunctionCall %void %f
		OpReturn
		OpFunctionEnd
		%both = OpFunction %void None %fn
		%l2 = OpLabel
		%c2 = OpFunctionCall %void %f
		%x2 = OpAccessChain %pu %w %zero
		OpReturn
		OpFunctionEnd
		%none = OpFunction %void None %fn
		%l3 = OpLabel
		OpReturn
		OpFunctionEnd`)
	for name, want := range map[string]uint64{"one": 80000, "both": 160000, "none": 0} {
		if got := m.KernelRequirements(m.Kernel(name)).LocalMemory; got != want {
			t.Errorf("%s: %d bytes of local memory, want %d", name, got, want)
		}
	}
}

// TestReservedLocalMemory checks the execution mode with which explicit SIMD code reserves local
// memory.
func TestReservedLocalMemory(t *testing.T) {
	m := parse(t, `
		OpCapability VectorComputeINTEL
		OpExtension "SPV_INTEL_vector_compute"
		OpEntryPoint Kernel %k "k"
		OpExecutionMode %k SharedLocalMemorySizeINTEL 143360
		%void = OpTypeVoid
		%fn = OpTypeFunction %void
		%k = OpFunction %void None %fn
		%l = OpLabel
		OpReturn
		OpFunctionEnd`)
	if got := m.KernelRequirements(m.Kernel("k")).LocalMemory; got != 143360 {
		t.Errorf("%d bytes of local memory", got)
	}
}

func TestFunctionsOfIGC(t *testing.T) {
	for name, want := range map[string][]string{
		"intel_ray_query_sync": {rayQuery}, "intel_get_hit_distance": {rayQuery}, "intel_is_traversal_done": {rayQuery}, "intel_get_image": nil, "my_intel_ray_query_sync": nil,
		"__builtin_IB_eu_id": {igcBuiltin}, "__builtin_IB_lsc_load_global_uint": {loadStore}, "__builtin_IB_subgroup_block_read_flat_u16_m8k16v1": {loadStore},
	} {
		m := parse(t, `
			OpEntryPoint Kernel %asks "asks"
			OpEntryPoint Kernel %idle "idle"
			OpDecorate %f LinkageAttributes "`+name+`" Import
			%void = OpTypeVoid
			%fn = OpTypeFunction %void
			%f = OpFunction %void None %fn
			OpFunctionEnd
			%asks = OpFunction %void None %fn
			%l1 = OpLabel
			%c1 = OpFunctionCall %void %f
			OpReturn
			OpFunctionEnd
			%idle = OpFunction %void None %fn
			%l2 = OpLabel
			OpReturn
			OpFunctionEnd`)
		if got := m.KernelRequirements(m.Kernel("asks")).Extensions; !slices.Equal(got, want) {
			t.Errorf("%s: calling kernel needs %q, want %q", name, got, want)
		}
		if got := m.KernelRequirements(m.Kernel("idle")).Extensions; got != nil {
			t.Errorf("%s: other kernel needs %q", name, got)
		}
	}
}
