package spirv

import (
	"slices"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

func TestMatrices(t *testing.T) {
	const sizes = `
		%n0 = OpConstant %uint 0
		%n16 = OpConstant %uint 16
		%n32 = OpConstant %uint 32
		%sized = OpSpecConstant %uint 8
		%byte = OpTypeInt 8 0
		%short = OpTypeInt 16 0
		%bfloat = OpTypeFloat 16 0
		%ha = OpTypeCooperativeMatrixKHR %half %1u %8u %n16 %n0
		%hb = OpTypeCooperativeMatrixKHR %half %1u %n16 %n16 %1u
		%fc = OpTypeCooperativeMatrixKHR %float %1u %8u %n16 %2u
		%fa = OpTypeCooperativeMatrixKHR %float %1u %8u %8u %n0
		%fb = OpTypeCooperativeMatrixKHR %float %1u %8u %n16 %1u
		%sa = OpTypeCooperativeMatrixKHR %short %1u %8u %n16 %n0
		%sb = OpTypeCooperativeMatrixKHR %short %1u %n16 %n16 %1u
		%ba = OpTypeCooperativeMatrixKHR %byte %1u %8u %n32 %n0
		%bb = OpTypeCooperativeMatrixKHR %byte %1u %n32 %n16 %1u
		%ic = OpTypeCooperativeMatrixKHR %uint %1u %8u %n16 %2u
		%bf = OpTypeCooperativeMatrixKHR %bfloat %1u %8u %n16 %n0
		%anySize = OpTypeCooperativeMatrixKHR %half %1u %sized %n16 %n0
		%longs = OpTypeCooperativeMatrixKHR %ulong %1u %8u %n16 %n0
		%ja = OpTypeJointMatrixINTEL %half %8u %n16 %n0 %1u %n0
		%jb = OpTypeJointMatrixINTEL %half %n16 %n16 %n0 %1u %1u
		%jc = OpTypeJointMatrixINTEL %float %8u %n16 %n0 %1u %2u`
	for _, test := range []struct{ name, code, types, mads string }{
		{"an unused matrix type", "", "", ""},
		{"one matrix", "%x = OpFunctionParameter %ha", "matrix_type::fp16,use::a,8,16", ""},
		{"a duplicate matrix", "%x = OpFunctionParameter %ha\n%y = OpFunctionParameter %ha", "matrix_type::fp16,use::a,8,16", ""},
		{"a multiplication of halves",
			"%a = OpFunctionParameter %ha\n%b = OpFunctionParameter %hb\n%c = OpFunctionParameter %fc\n%d = OpCooperativeMatrixMulAddKHR %fc %a %b %c",
			"matrix_type::fp16,use::a,8,16;matrix_type::fp16,use::b,16,16;matrix_type::fp32,use::accumulator,8,16",
			"matrix_type::fp16,matrix_type::fp16,matrix_type::fp32,matrix_type::fp32,8,16,16"},
		{"a multiplication of bytes, the first signed",
			"%a = OpFunctionParameter %ba\n%b = OpFunctionParameter %bb\n%c = OpFunctionParameter %ic\n%d = OpCooperativeMatrixMulAddKHR %ic %a %b %c 1",
			"matrix_type::sint32,use::accumulator,8,16;matrix_type::sint8,use::a,8,32;matrix_type::sint8,use::b,32,16",
			"matrix_type::sint8,matrix_type::uint8,matrix_type::sint32,matrix_type::sint32,8,32,16"},
		{"bfloat16 as integers",
			"%a = OpFunctionParameter %sa\n%b = OpFunctionParameter %sb\n%c = OpFunctionParameter %fc\n%d = OpCooperativeMatrixMulAddKHR %fc %a %b %c 64",
			"matrix_type::bf16,use::a,8,16;matrix_type::bf16,use::b,16,16;matrix_type::fp32,use::accumulator,8,16",
			"matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,16,16"},
		{"tf32 as floats",
			"%a = OpFunctionParameter %fa\n%b = OpFunctionParameter %fb\n%c = OpFunctionParameter %fc\n%d = OpCooperativeMatrixMulAddKHR %fc %a %b %c 32",
			"matrix_type::fp32,use::accumulator,8,16;matrix_type::tf32,use::a,8,8;matrix_type::tf32,use::b,8,16",
			"matrix_type::tf32,matrix_type::tf32,matrix_type::fp32,matrix_type::fp32,8,8,16"},
		{"a multiplication of the older matrices",
			"%a = OpFunctionParameter %ja\n%b = OpFunctionParameter %jb\n%c = OpFunctionParameter %jc\n%d = OpJointMatrixMadINTEL %jc %a %b %c",
			"matrix_type::fp16,use::a,8,16;matrix_type::fp16,use::b,16,16;matrix_type::fp32,use::accumulator,8,16",
			"matrix_type::fp16,matrix_type::fp16,matrix_type::fp32,matrix_type::fp32,8,16,16"},
		{"a type for bfloat16", "%x = OpFunctionParameter %bf", "matrix_type::bf16,use::a,8,16", ""},
		{"a specialization constant as a size", "%x = OpFunctionParameter %anySize", "", ""},
		{"components that SYCL does not support", "%x = OpFunctionParameter %longs", "", ""},
		{"a truncated multiplication", "%a = OpFunctionParameter %ha\n%d = OpCooperativeMatrixMulAddKHR %fc %a",
			"matrix_type::fp16,use::a,8,16;matrix_type::fp32,use::accumulator,8,16", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := oneKernel(t, sizes, test.code)
			for _, q := range []struct{ types, mads string }{
				{m.Requirements().JointMatrix, m.Requirements().JointMatrixMad},
				{m.KernelRequirements(m.Kernel("K")).JointMatrix, m.KernelRequirements(m.Kernel("K")).JointMatrixMad},
			} {
				if q.types != test.types {
					t.Errorf("types\n%s\nwant\n%s", q.types, test.types)
				}
				if q.mads != test.mads {
					t.Errorf("multiplications\n%s\nwant\n%s", q.mads, test.mads)
				}
			}
		})
	}
}

// TestLayoutFeature has the combinations of use, type, size and layout that ocloc 26.27 compiles for Xe-HPG
// (8 columns), and for PVC, BMG and PTL (16 columns), and some of those that it rejects.
func TestLayoutFeature(t *testing.T) {
	for _, test := range []struct {
		matrix                matrix
		rows, columns, packed string // features of the layouts
	}{
		{matrix{"bf16", "a", 8, 16}, "", matrixColumns, matrixLayout},
		{matrix{"sint8", "a", 8, 32}, "", matrixColumns, matrixLayout},
		{matrix{"fp16", "a", 4, 16}, "", matrixLayout, matrixLayout},
		{matrix{"bf16", "a", 16, 16}, "", matrixLayout, matrixLayout},
		{matrix{"bf16", "a", 32, 32}, "", matrixLayout, matrixLayout},
		{matrix{"bf16", "b", 16, 8}, "", "", ""},
		{matrix{"sint8", "b", 32, 16}, "", "", ""},
		{matrix{"bf16", "b", 16, 32}, "", matrixLayout, ""},
		{matrix{"bf16", "b", 32, 64}, "", matrixLayout, ""},
		{matrix{"tf32", "a", 8, 8}, "", matrixLayout, matrixLayout},
		{matrix{"tf32", "a", 4, 8}, matrixLayout, matrixLayout, matrixLayout},
		{matrix{"tf32", "b", 8, 16}, "", matrixLayout, matrixLayout},
		{matrix{"fp32", "accumulator", 5, 8}, "", "", matrixLayout},
		{matrix{"sint32", "accumulator", 4, 16}, "", "", matrixLayout},
		{matrix{"fp32", "accumulator", 16, 16}, "", matrixLayout, matrixLayout},
		{matrix{"fp32", "accumulator", 1, 64}, "", matrixLayout, matrixLayout},
		{matrix{"fp16", "accumulator", 8, 16}, "", matrixLayout, matrixLayout},
		{matrix{"fp16", "accumulator", 1, 16}, "", matrixLayout, matrixLayout},
		{matrix{"bf16", "accumulator", 7, 16}, matrixLayout, matrixLayout, matrixLayout},
		{matrix{"fp16", "accumulator", 1, 64}, "", matrixLayout, matrixLayout},
	} {
		for layout, want := range []string{test.rows, test.columns, test.packed} {
			if got := test.matrix.layoutFeature(uint32(layout)); got != want {
				t.Errorf("%s with layout %d: %q, want %q", test.matrix.record(), layout, got, want)
			}
		}
		if got := test.matrix.layoutFeature(4202); got != "" {
			t.Errorf("%s with an unknown layout: %q", test.matrix.record(), got)
		}
	}
}

func TestMatrixLayouts(t *testing.T) {
	const types = `
		%0u = OpConstant %uint 0
		%3u = OpConstant %uint 3
		%16u = OpConstant %uint 16
		%a = OpTypeCooperativeMatrixKHR %half %3u %8u %16u %0u
		%c = OpTypeCooperativeMatrixKHR %float %3u %16u %16u %2u
		%p = OpTypePointer CrossWorkgroup %half`
	for _, test := range []struct {
		code string
		want []string
	}{
		{"%m = OpCooperativeMatrixLoadKHR %a %x %0u %8u", nil},
		{"%m = OpCooperativeMatrixLoadKHR %a %x %1u %8u", []string{matrixColumns}},
		{"%m = OpCooperativeMatrixLoadKHR %c %x %1u %8u", []string{matrixLayout}},
		{"%m = OpCooperativeMatrixLoadKHR %c %x %0u %8u\nOpCooperativeMatrixStoreKHR %x %m %1u %8u", []string{matrixLayout}},
		{"%m = OpCooperativeMatrixLoadKHR %a %x %x %8u", nil}, // a layout that is not a constant
		{"%m = OpCooperativeMatrixLoadKHR %a %x", nil},
		{"OpCooperativeMatrixStoreKHR %x %x %1u %8u", nil},
		{"%m = OpCooperativeMatrixLoadCheckedINTEL %a %x %0u %0u %0u %16u %16u %8u", []string{matrixChecked}},
		{"%m = OpCooperativeMatrixLoadCheckedINTEL %a %x %0u %0u %1u %16u %16u %8u", []string{matrixColumns, matrixChecked}},
		{"%m = OpCooperativeMatrixLoadCheckedINTEL %c %x %0u %0u %1u %16u %16u %8u", []string{matrixChecked, matrixLayout}},
		{"%m = OpCooperativeMatrixLoadCheckedINTEL %a %x", []string{matrixChecked}},
		{"OpCooperativeMatrixStoreCheckedINTEL %x %0u %0u %x %0u %16u %16u %8u", []string{matrixChecked}},
		{"OpCooperativeMatrixStoreCheckedINTEL %x %0u %0u %x %1u %16u %16u %8u", []string{matrixChecked, matrixLayout}},
		{"OpCooperativeMatrixStoreCheckedINTEL %x", []string{matrixChecked}},
		{"OpCooperativeMatrixPrefetchINTEL %x %8u %16u 0 %0u %8u", []string{matrixChecked}},
	} {
		m := oneKernel(t, types, "%x = OpFunctionParameter %p\n"+test.code)
		for what, q := range map[string]*requirement.Requirements{"module": m.Requirements(), "kernel": m.KernelRequirements(m.Kernel("K"))} {
			if !slices.Equal(q.Extensions, test.want) {
				t.Errorf("%s: %s needs %q, want %q", test.code, what, q.Extensions, test.want)
			}
		}
	}
}

// TestMatricesInOtherKernels checks that only the matrices that a kernel reaches count.
func TestMatricesInOtherKernels(t *testing.T) {
	m := parse(t, `
		OpEntryPoint Kernel %with "with"
		OpEntryPoint Kernel %without "without"
		`+preamble+`
		%a = OpTypeCooperativeMatrixKHR %half %1u %8u %8u %1u
		%b = OpTypeCooperativeMatrixKHR %half %1u %8u %2u %1u`+
		define("with", "%c1 = OpFunctionCall %void %callee")+
		define("without")+`
		%callee = OpFunction %void None %fn
		%x = OpFunctionParameter %a
		OpFunctionEnd
		%unreached = OpFunction %void None %fn
		%y = OpFunctionParameter %b
		OpFunctionEnd`)
	const want = "matrix_type::fp16,use::b,8,8"
	if got := m.KernelRequirements(m.Kernel("with")).JointMatrix; got != want {
		t.Errorf("kernel with matrices: %q", got)
	}
	if got := m.KernelRequirements(m.Kernel("without")).JointMatrix; got != "" {
		t.Errorf("kernel without matrices: %q", got)
	}
	if got := m.Requirements().JointMatrix; got != want {
		t.Errorf("module: %q", got)
	}
}

// TestPassedByValue checks a kernel, called by the translator's entry point, that passes a
// structure by value to a function.
func TestPassedByValue(t *testing.T) {
	for _, test := range []struct {
		name, control, decoration string
		want                      []aspect.Aspect
	}{
		{"the call stays a call", "DontInline", "OpDecorate %p FuncParamAttr ByVal", []aspect.Aspect{aspect.FP64}},
		{"the call may be inlined", "None", "OpDecorate %p FuncParamAttr ByVal", nil},
		{"by reference", "DontInline", "OpName %p \"p\"", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, `
				OpEntryPoint Kernel %entry "k"
				OpDecorate %k LinkageAttributes "k" Export
				OpDecorate %p1 FuncParamAttr ByVal
				OpDecorate %p2 FuncParamAttr ByVal
				`+test.decoration+preamble+`
				%pair = OpTypeStruct %uint %double
				%ptr = OpTypePointer Function %pair
				%taking = OpTypeFunction %void %ptr
				%entry = OpFunction %void DontInline %taking
				%p1 = OpFunctionParameter %ptr
				%l1 = OpLabel
				%c1 = OpFunctionCall %void %k %p1
				OpReturn
				OpFunctionEnd
				%k = OpFunction %void DontInline %taking
				%p2 = OpFunctionParameter %ptr
				%l2 = OpLabel
				%c2 = OpFunctionCall %void %f %p2
				OpReturn
				OpFunctionEnd
				%f = OpFunction %void `+test.control+` %taking
				%p = OpFunctionParameter %ptr
				%l3 = OpLabel
				OpReturn
				OpFunctionEnd`)
			if got := m.KernelRequirements(m.Kernel("k")).Aspects; !slices.Equal(got, test.want) {
				t.Errorf("aspects %v, want %v", got, test.want)
			}
		})
	}
}

// TestUnusedImageType checks that the device compiler must support images if the module has an
// image type, even if no kernel reaches an image: ocloc 26.27 rejects the module.
func TestUnusedImageType(t *testing.T) {
	m := parse(t, `
		OpEntryPoint Kernel %k "k"
		`+preamble+`
		%i = OpTypeImage %void 1 0 0 0 0 0 0`+
		define("k")+`
		%f = OpFunction %void None %fn
		%y = OpFunctionParameter %double
		OpFunctionEnd`)
	for what, q := range map[string]*requirement.Requirements{"module": m.Requirements(), "kernel": m.KernelRequirements(m.Kernel("k"))} {
		if q.Aspects != nil || !slices.Equal(q.Extensions, []string{deviceconfig.Images}) {
			t.Errorf("%s needs aspects %v, extensions %q", what, q.Aspects, q.Extensions)
		}
	}
}

func TestAtomicMaxHalf(t *testing.T) {
	m := oneKernel(t, "%p = OpTypePointer CrossWorkgroup %half",
		"%a = OpFunctionParameter %p\n%h = OpFunctionParameter %half\n%x = OpAtomicFMaxEXT %half %a %1u %1u %h")
	if got := m.Requirements().Aspects; !slices.Equal(got, []aspect.Aspect{aspect.FP16}) {
		t.Errorf("aspects %v", got)
	}
}
