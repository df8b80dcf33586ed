package spirv

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// opcodes has the instructions that the tests' assembler supports. The letters specify the first
// operands of an instruction: t for the result type, r for the result.
var opcodes = map[string]struct {
	op   uint16
	head string
}{
	"OpName": {5, ""}, "OpString": {7, "r"}, "OpLine": {8, ""}, "OpExtension": {10, ""}, "OpExtInstImport": {11, "r"},
	"OpExtInst": {12, "tr"}, "OpMemoryModel": {14, ""}, "OpEntryPoint": {15, ""}, "OpExecutionMode": {16, ""},
	"OpCapability": {17, ""}, "OpTypeVoid": {19, "r"}, "OpTypeBool": {20, "r"}, "OpTypeInt": {21, "r"},
	"OpTypeFloat": {22, "r"}, "OpTypeVector": {23, "r"}, "OpTypeImage": {25, "r"}, "OpTypeSampler": {26, "r"},
	"OpTypeArray": {28, "r"}, "OpTypeStruct": {30, "r"}, "OpTypePointer": {32, "r"}, "OpTypeFunction": {33, "r"},
	"OpConstantTrue": {41, "tr"}, "OpConstant": {43, "tr"}, "OpConstantComposite": {44, "tr"},
	"OpSpecConstantTrue": {48, "tr"}, "OpSpecConstantFalse": {49, "tr"}, "OpDecorationGroup": {73, "r"}, "OpGroupDecorate": {74, ""}, "OpSpecConstant": {50, "tr"}, "OpSpecConstantComposite": {51, "tr"}, "OpSpecConstantOp": {52, "tr"},
	"OpFunction": {54, "tr"}, "OpFunctionParameter": {55, "tr"}, "OpFunctionEnd": {56, ""}, "OpFunctionCall": {57, "tr"},
	"OpVariable": {59, "tr"}, "OpLoad": {61, "tr"}, "OpStore": {62, ""}, "OpAccessChain": {65, "tr"}, "OpDecorate": {71, ""},
	"OpCompositeExtract": {81, "tr"}, "OpFConvert": {115, "tr"}, "OpFAdd": {129, "tr"}, "OpFOrdLessThan": {184, "tr"},
	"OpAtomicLoad": {227, "tr"}, "OpAtomicStore": {228, ""}, "OpAtomicIAdd": {234, "tr"}, "OpLabel": {248, "r"},
	"OpReturn": {253, ""}, "OpNoLine": {317, ""}, "OpExecutionModeId": {331, ""}, "OpTypeCooperativeMatrixKHR": {4456, "r"}, "OpCooperativeMatrixLoadKHR": {4457, "tr"}, "OpCooperativeMatrixStoreKHR": {4458, ""}, "OpCooperativeMatrixMulAddKHR": {4459, "tr"},
	"OpCooperativeMatrixLoadCheckedINTEL": {6193, "tr"}, "OpCooperativeMatrixStoreCheckedINTEL": {6194, ""}, "OpCooperativeMatrixPrefetchINTEL": {6449, ""},
	"OpTypeJointMatrixINTEL": {6119, "r"}, "OpJointMatrixMadINTEL": {6122, "tr"}, "OpAtomicFMaxEXT": {5615, "tr"},

	"OpAsmTargetINTEL": {5609, "r"}, "OpAsmINTEL": {5610, "tr"}, "OpAsmCallINTEL": {5611, "tr"}, "OpReadClockKHR": {5056, "tr"}, "OpConstantFunctionPointerINTEL": {5600, "tr"},
	"OpFunctionPointerCallINTEL": {5601, "tr"}, "OpVariableLengthArrayINTEL": {5818, "tr"}, "OpAtomicFAddEXT": {6035, "tr"},
	"OpConvertHandleToImageINTEL": {6529, "tr"}, "OpConvertHandleToSamplerINTEL": {6530, "tr"}, "OpConvertHandleToSampledImageINTEL": {6531, "tr"},
	"OpTypeSampledImage": {27, "r"}, "OpTypeVmeImageINTEL": {5700, "r"}, "OpSubgroupMatrixMultiplyAccumulateINTEL": {6237, "tr"}, "OpTypeStructContinuedINTEL": {6090, ""}, "OpUnknown": {7777, ""},
}

var enumerants = map[string]uint32{
	"Kernel": 6, "GLCompute": 5, "Physical64": 2, "OpenCL": 2, "None": 0, "DontInline": 2, "FuncParamAttr": 38, "VectorComputeFunctionINTEL": 5626, "BuiltIn": 11, "ByVal": 2, "Function": 7, "Workgroup": 4, "CrossWorkgroup": 5,
	"UniformConstant": 0, "LocalSize": 17, "LocalSizeHint": 18, "SubgroupSize": 35, "SharedLocalMemorySizeINTEL": 5618, "LocalSizeId": 38,
	"MaxWorkgroupSizeINTEL": 5893, "SpecId": 1, "LinkageAttributes": 41, "Export": 0, "Import": 1, "LinkOnceODR": 2,
	"Linkage": 5, "Float64": 10, "Float16Buffer": 8, "VectorComputeINTEL": 5617, "ImageBasic": 13,
	"FOrdLessThan": 184, "Aligned": 2, "BindlessImagesINTEL": 6528,
}

// assemble converts SPIR-V assembly, in the format of spirv-dis, to a module of version 1.4. Ids
// are names or numbers. A line that begins with ";" is a comment.
func assemble(t testing.TB, order binary.AppendByteOrder, text string) []byte {
	t.Helper()
	ids := map[string]uint32{}
	id := func(name string) uint32 {
		if ids[name] == 0 {
			ids[name] = uint32(len(ids) + 1)
		}
		return ids[name]
	}
	var body []uint32
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == ';' {
			continue
		}
		var result string
		if left, right, ok := strings.Cut(line, " = "); ok && strings.HasPrefix(left, "%") {
			result, line = left, right
		}
		name, rest, _ := strings.Cut(line, " ")
		op, ok := opcodes[name]
		if !ok {
			t.Fatalf("unknown instruction %q", name)
		}
		var args []uint32
		for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
			if rest[0] == '"' {
				quoted := testkit.Must(strconv.QuotedPrefix(rest))(t)
				s, _ := strconv.Unquote(quoted)
				b := append([]byte(s), make([]byte, 4-len(s)%4)...)
				for i := 0; i < len(b); i += 4 {
					args = append(args, binary.LittleEndian.Uint32(b[i:]))
				}
				rest = rest[len(quoted):]
				continue
			}
			word, after, _ := strings.Cut(rest, " ")
			rest = after
			if word[0] == '%' {
				args = append(args, id(word))
			} else if v, ok := enumerants[word]; ok {
				args = append(args, v)
			} else if v, err := strconv.ParseUint(word, 0, 32); err == nil {
				args = append(args, uint32(v))
			} else if f, err := strconv.ParseFloat(word, 64); err == nil { // of 64 bits
				bits := math.Float64bits(f)
				args = append(args, uint32(bits), uint32(bits>>32))
			} else {
				t.Fatalf("unknown word %q", word)
			}
		}
		words := args
		switch op.head {
		case "r":
			words = append([]uint32{id(result)}, args...)
		case "tr":
			words = append([]uint32{args[0], id(result)}, args[1:]...)
		}
		body = append(body, uint32(len(words)+1)<<16|uint32(op.op))
		body = append(body, words...)
	}
	var out []byte
	for _, w := range append([]uint32{magic, 0x00010400, 0, uint32(len(ids) + 1), 0}, body...) {
		out = order.AppendUint32(out, w)
	}
	return out
}

// preamble declares the types that most tests use.
const preamble = `
	%void = OpTypeVoid
	%bool = OpTypeBool
	%uint = OpTypeInt 32 0
	%ulong = OpTypeInt 64 0
	%half = OpTypeFloat 16
	%float = OpTypeFloat 32
	%double = OpTypeFloat 64
	%1u = OpConstant %uint 1
	%2u = OpConstant %uint 2
	%8u = OpConstant %uint 8
	%2d = OpConstant %double 2.5
	%fn = OpTypeFunction %void
`

// oneKernel returns a module with the kernel K, declarations at module level
// and a body.
func oneKernel(t testing.TB, declarations, code string) *Module {
	t.Helper()
	return parse(t, fmt.Sprintf(`OpEntryPoint Kernel %%K "K"
		%s %s
		%%K = OpFunction %%void None %%fn
		%s
		OpReturn
		OpFunctionEnd`, preamble, declarations, code))
}

// define returns the text of a function without parameters, and declare the text of a function that
// another module defines.
func define(name string, body ...string) string {
	return fmt.Sprintf("\n%%%s = OpFunction %%void None %%fn\n%%of.%[1]s = OpLabel\n%s\nOpReturn\nOpFunctionEnd\n", name, strings.Join(body, "\n"))
}

func declare(name string) string {
	return fmt.Sprintf("\n%%%s = OpFunction %%void None %%fn\nOpFunctionEnd\n", name)
}

func parse(t testing.TB, text string) *Module {
	t.Helper()
	return testkit.Must(Parse(assemble(t, binary.LittleEndian, text)))(t)
}
