package spirv

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

const digested = `
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpEntryPoint Kernel %other "other"
OpExecutionMode %k LocalSize 8 1 1
OpExecutionMode %k 31
OpName %f "f"
OpDecorate %f LinkageAttributes "f" Export
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%two = OpConstant %float 1073741824
%three = OpConstant %float 1077936128
%f = OpFunction %void None %fn
%1 = OpLabel
%2 = OpFAdd %float %two %two
OpReturn
OpFunctionEnd
%k = OpFunction %void None %fn
%3 = OpLabel
%4 = OpFunctionCall %void %f
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%5 = OpLabel
OpReturn
OpFunctionEnd
`

func TestDigests(t *testing.T) {
	digest := func(text string) map[string]uint32 {
		return testkit.Must(Digests(assemble(t, binary.LittleEndian, text)))(t)
	}
	want := digest(digested)
	if len(want) != 2 || want["k"] == want["other"] {
		t.Fatalf("got %v", want)
	}
	for _, tt := range []struct {
		name, from, to string
		same           bool
	}{
		{"ids", "%two", "%second", true},
		{"the name of a function", `"f"`, `"g"`, true},
		{"code of a different kernel", "%5 = OpLabel\n", "%5 = OpLabel\n%6 = OpFAdd %float %three %three\n", true},
		{"an unused type", "%float =", "%half = OpTypeFloat 16\n%float =", true},
		{"a constant of a called function", "%float %two %two", "%float %two %three", false},
		{"a type", "%float = OpTypeFloat 32", "%float = OpTypeFloat 64", false},
		{"an execution mode", "LocalSize 8 1 1", "LocalSize 16 1 1", false},
		{"the order of execution modes", "OpExecutionMode %k LocalSize 8 1 1\nOpExecutionMode %k 31", "OpExecutionMode %k 31\nOpExecutionMode %k LocalSize 8 1 1", true},
		{"an instruction", "%4 = OpFunctionCall %void %f\n", "", false},
	} {
		got := digest(strings.ReplaceAll(digested, tt.from, tt.to))
		if same := got["k"] == want["k"]; same != tt.same {
			t.Errorf("%s: digest unchanged: %t", tt.name, same)
		}
	}
}

func TestPartialDigests(t *testing.T) {
	const text = `%char = OpTypeInt 8 0
%int = OpTypeInt 32 0
%length = OpConstant %int 2
%a = OpConstant %char 97
%string = OpTypeArray %char %length
%pointer = OpTypePointer UniformConstant %string
%chars = OpTypePointer UniformConstant %char
%value = OpConstantComposite %string %a %a
%variable = OpVariable %pointer UniformConstant %value
%first = OpSpecConstantOp %chars 70 %variable %length
%constant = OpSpecConstant %int 3
%f = OpFunction`
	module := strings.Replace(digested, "%f = OpFunction", text, 1)
	module = strings.Replace(module, "%void =", "OpDecorate %constant SpecId 4\n%void =", 1)
	for _, tt := range []struct {
		name, code string
		want       bool
	}{
		{"not used", "", false},
		{"used in a called function", "%6 = OpLoad %string %variable\n", true},
		{"used in an expression", "%6 = OpLoad %char %first\n", true},
		{"a specialization constant", "%6 = OpFAdd %int %constant %length\n", true},
		{"a constant byte", "%6 = OpFAdd %char %a %a\n", false},
	} {
		digests := testkit.Must(Digests(assemble(t, binary.LittleEndian, strings.Replace(module, "%1 = OpLabel\n", "%1 = OpLabel\n"+tt.code, 1))))(t)
		if got := propset.IsPartialDigest(digests["k"]); got != tt.want || propset.IsPartialDigest(digests["other"]) {
			t.Errorf("%s: got %t, and %t for another kernel", tt.name, got, propset.IsPartialDigest(digests["other"]))
		}
	}
}

func FuzzDigests(f *testing.F) {
	f.Add(assemble(f, binary.LittleEndian, digested))
	f.Fuzz(func(_ *testing.T, data []byte) { Digests(data) })
}

// TestDigestsAreInOrder checks that the order of digests in the property set is deterministic.
func TestDigestsAreInOrder(t *testing.T) {
	data, err := StripDebug(testkit.Must(os.ReadFile("testdata/kernels.spv"))(t))
	testkit.NoError(t, err)
	for range 20 {
		r := new(propset.Registry)
		testkit.NoError(t, PutDigests(r, data))
		var names []string
		for _, p := range r.Set(propset.KernelDigests).Properties() {
			names = append(names, p.Key)
		}
		if len(names) < 10 || !slices.IsSorted(names) {
			t.Fatalf("kernels %q", names)
		}
	}
}
