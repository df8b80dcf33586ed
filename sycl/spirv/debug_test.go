package spirv

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

// debugPreamble describes, in the form of llvm-spirv, a kernel whose entry point comes from a
// header outside of the workspace. The author's lambda is inlined into it, and a function of the
// author and a function of the header are inlined into the lambda.
const debugPreamble = `
	OpEntryPoint Kernel %wrapper "_ZTS1K"
	%header = OpString "./external/lib+/lite.hpp"
	%source = OpString "./app/k.cpp"
	%math = OpString "./math/m.hpp"
	%entryName = OpString "_ZTS1K"
	%lambdaName = OpString "operator()"
	%lambdaSymbol = OpString "_ZZ1kvENKUlvE_clEv"
	%squareName = OpString "square"
	%squareSymbol = OpString "_Z6squared"
	%none = OpString ""
	OpName %entry "_ZTS1K"
	OpName %note "note"
` + preamble

const literalScopes = `
	%dHeader = OpExtInst %void %debug 35 %header
	%dSource = OpExtInst %void %debug 35 %source
	%dMath = OpExtInst %void %debug 35 %math
	%note = OpExtInst %void %debug 0
	%dEntry = OpExtInst %void %debug 20 %none %note %dSource 0 0 %note %entryName 0 0 %entry
	%dLambda = OpExtInst %void %debug 20 %lambdaName %note %dSource 11 0 %note %lambdaSymbol 0 11 %note
	%dSquare = OpExtInst %void %debug 20 %squareName %note %dMath 5 0 %note %squareSymbol 0 5 %note
	%dId = OpExtInst %void %debug 20 %none %note %dHeader 300 0 %note %none 0 300 %note
	%dBlock = OpExtInst %void %debug 21 %dSource 12 3 %dLambda
	%dOther = OpExtInst %void %debug 22 %dHeader 0 %dEntry
	%inEntry = OpExtInst %void %debug 25 626 %dOther
	%inLambda = OpExtInst %void %debug 25 13 %dBlock %inEntry
`

const constantScopes = `
	%0u = OpConstant %uint 0
	%3u = OpConstant %uint 3
	%5u = OpConstant %uint 5
	%11u = OpConstant %uint 11
	%12u = OpConstant %uint 12
	%13u = OpConstant %uint 13
	%300u = OpConstant %uint 300
	%626u = OpConstant %uint 626
	%dHeader = OpExtInst %void %debug 35 %header
	%dSource = OpExtInst %void %debug 35 %source
	%dMath = OpExtInst %void %debug 35 %math
	%note = OpExtInst %void %debug 0
	%dEntry = OpExtInst %void %debug 20 %none %note %dSource %0u %0u %note %entryName %0u %0u
	%dLambda = OpExtInst %void %debug 20 %lambdaName %note %dSource %11u %0u %note %lambdaSymbol %0u %11u
	%dSquare = OpExtInst %void %debug 20 %squareName %note %dMath %5u %0u %note %squareSymbol %0u %5u
	%dId = OpExtInst %void %debug 20 %none %note %dHeader %300u %0u %note %none %0u %300u
	%dBlock = OpExtInst %void %debug 21 %dSource %12u %3u %dLambda
	%dOther = OpExtInst %void %debug 22 %dHeader %0u %dEntry
`

const literalBody = `
	%entry = OpFunction %void None %fn
	%l1 = OpLabel
	%s1 = OpExtInst %void %debug 23 %dId %inLambda
	OpLine %header 302 52
	%v1 = OpFAdd %float %f %f
	%s2 = OpExtInst %void %debug 23 %dSquare %inLambda
	OpLine %math 7 9
	%v2 = OpFAdd %double %2d %2d
	%s3 = OpExtInst %void %debug 23 %dBlock %inEntry
	OpLine %source 14 5
	%v3 = OpFConvert %half %2d
	%s4 = OpExtInst %void %debug 23 %dId %inLambda
	OpLine %header 500 1
	%v4 = OpAtomicIAdd %ulong %p %1u %1u %8l
	OpReturn
	OpFunctionEnd
`

var wrapper = define("wrapper", "%call = OpFunctionCall %void %entry")

const values = `
	%f = OpConstant %float 1
	%8l = OpConstant %ulong 8 0
	%pl = OpTypePointer CrossWorkgroup %ulong
	%p = OpVariable %pl CrossWorkgroup
`

var inlinedPlaces = srcloc.Kernel{
	Location: srcloc.Location{Path: "app/k.cpp", Line: 11},
	Origins: []srcloc.Origin{
		{Aspect: aspect.FP16.Named(), Location: srcloc.Location{Path: "app/k.cpp", Line: 14, Column: 5}},
		{Aspect: aspect.FP64.Named(), Function: "_Z6squared", Location: srcloc.Location{Path: "math/m.hpp", Line: 7, Column: 9}},
		{Aspect: aspect.Atomic64.Named(), Location: srcloc.Location{Path: "app/k.cpp", Line: 13}}, // the call of the header
	},
}

// debugModules are modules in each form of debug information.
var debugModules = map[string]string{
	"OpenCL.DebugInfo.100": `%debug = OpExtInstImport "OpenCL.DebugInfo.100"` + debugPreamble + values + literalScopes + literalBody + wrapper,
	"NonSemantic.Shader.DebugInfo.100": `%debug = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"` + debugPreamble + values + constantScopes + `
		%inEntry = OpExtInst %void %debug 25 %626u %dOther
		%inLambda = OpExtInst %void %debug 25 %13u %dBlock %inEntry` + lines(literalBody) + wrapper,
	"NonSemantic.Shader.DebugInfo.200": `%debug = OpExtInstImport "NonSemantic.Shader.DebugInfo.200"` + debugPreamble + values + constantScopes + `
		%inEntry = OpExtInst %void %debug 25 %626u %0u %dOther
		%inLambda = OpExtInst %void %debug 25 %13u %0u %dBlock %inEntry` + lines(literalBody) + wrapper,
}

// lines replaces OpLine with DebugLine.
func lines(text string) string {
	constants := `
	%7u = OpConstant %uint 7
	%9u = OpConstant %uint 9
	%14u = OpConstant %uint 14
	%52u = OpConstant %uint 52
	%302u = OpConstant %uint 302
	%500u = OpConstant %uint 500`
	return constants + strings.NewReplacer(
		"OpLine %header 302 52", "%e1 = OpExtInst %void %debug 103 %dHeader %302u %302u %52u %52u",
		"OpLine %math 7 9", "%e2 = OpExtInst %void %debug 103 %dMath %7u %7u %9u %9u",
		"OpLine %source 14 5", "%e3 = OpExtInst %void %debug 103 %dSource %14u %14u %5u %5u",
		"OpLine %header 500 1", "%e4 = OpExtInst %void %debug 103 %dHeader %500u %500u %1u %1u",
	).Replace(text)
}

func TestPlaces(t *testing.T) {
	for name, text := range debugModules {
		t.Run(name, func(t *testing.T) {
			m := parse(t, text)
			if got := m.Places(m.Kernel("_ZTS1K")); !reflect.DeepEqual(got, inlinedPlaces) {
				t.Errorf("got  %+v\nwant %+v", got, inlinedPlaces)
			}
		})
	}
}

// TestPlacesInWorkspace checks files that the compiler recorded with absolute paths.
func TestPlacesInWorkspace(t *testing.T) {
	for name, text := range debugModules {
		data := assemble(t, binary.LittleEndian, strings.NewReplacer(`"./app/`, `"/home/u/p/app/`, `"./math/`, `"/home/u/p/math/`, `"./external/`, `"/usr/include/`).Replace(text))
		for workspace, want := range map[string]srcloc.Kernel{"/home/u/p": inlinedPlaces, "/home/u/q": {}} {
			m := testkit.Must(Parse(data, "/nowhere", workspace))(t)
			if got := m.Places(m.Kernel("_ZTS1K")); !reflect.DeepEqual(got.Location, want.Location) || want.Origins != nil && !reflect.DeepEqual(got, want) {
				t.Errorf("%s in %s: %+v, want %+v", name, workspace, got, want)
			}
		}
	}
}

func TestLocationsOnSingleLines(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want srcloc.Kernel
	}{
		"no debug information": {`%x = OpFAdd %double %2d %2d`, srcloc.Kernel{}},
		"only OpLine": {`OpLine %source 3 1
			%y = OpFAdd %float %f %f
			OpLine %source 4 2
			%x = OpFAdd %double %2d %2d`,
			srcloc.Kernel{Location: srcloc.Location{Path: "app/k.cpp", Line: 3, Column: 1}, Origins: []srcloc.Origin{{Aspect: aspect.FP64.Named(), Location: srcloc.Location{Path: "app/k.cpp", Line: 4, Column: 2}}}}},
		"a line with an end": {`OpLine %source 3 1
			OpNoLine
			%x = OpFAdd %double %2d %2d`, srcloc.Kernel{}},
		"a block with an end": {`OpLine %source 3 1
			%l2 = OpLabel
			%x = OpFAdd %double %2d %2d`, srcloc.Kernel{}},
		"a scope with an end": {`%s1 = OpExtInst %void %debug 23 %dSquare %inLambda
			%s2 = OpExtInst %void %debug 24
			%x = OpFAdd %double %2d %2d
			OpLine %source 4 2
			%y = OpFAdd %double %2d %2d`,
			srcloc.Kernel{Location: srcloc.Location{Path: "app/k.cpp", Line: 4, Column: 2}, Origins: []srcloc.Origin{{Aspect: aspect.FP64.Named(), Location: srcloc.Location{Path: "app/k.cpp", Line: 4, Column: 2}}}}},
		"an instruction between two scopes with one line": {`%s1 = OpExtInst %void %debug 23 %dBlock %inEntry
			OpLine %source 14 5
			%s2 = OpExtInst %void %debug 24
			%x = OpFAdd %double %2d %2d
			%s3 = OpExtInst %void %debug 23 %dBlock %inEntry
			%y = OpFAdd %float %f %f`,
			srcloc.Kernel{Location: srcloc.Location{Path: "app/k.cpp", Line: 11}}},
		"the first location in the workspace is used": {`OpLine %header 3 1
			%x = OpFAdd %double %2d %2d
			OpLine %source 0 0
			%y = OpFAdd %double %2d %2d
			OpLine %source 4 2
			%z = OpFAdd %double %2d %2d`,
			srcloc.Kernel{Location: srcloc.Location{Path: "app/k.cpp", Line: 4, Column: 2}, Origins: []srcloc.Origin{{Aspect: aspect.FP64.Named(), Location: srcloc.Location{Path: "app/k.cpp", Line: 4, Column: 2}}}}},
		"a call of a function outside of the workspace": {`OpLine %source 8 1
			%x = OpFunctionCall %void %library`,
			srcloc.Kernel{Location: srcloc.Location{Path: "app/k.cpp", Line: 8, Column: 1}, Origins: []srcloc.Origin{{Aspect: aspect.FP64.Named(), Location: srcloc.Location{Path: "app/k.cpp", Line: 8, Column: 1}}}}},
		"scopes without locations, sources and ends": {`%s1 = OpExtInst %void %debug 23
			%s2 = OpExtInst %void %debug 23 %double %double
			%s3 = OpExtInst %void %debug 103
			%x = OpFAdd %double %2d %2d`, srcloc.Kernel{}},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, `%debug = OpExtInstImport "OpenCL.DebugInfo.100"`+debugPreamble+values+literalScopes+`
				%entry = OpFunction %void None %fn
				%l1 = OpLabel
				`+test.text+`
				OpReturn
				OpFunctionEnd`+
				define("library", "OpLine %header 9 9", "%lx = OpFAdd %double %2d %2d")+wrapper)
			if got := m.Places(m.Kernel("_ZTS1K")); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// TestParameterUses checks uses without an instruction that has a line.
func TestParameterUses(t *testing.T) {
	m := parse(t, `%debug = OpExtInstImport "OpenCL.DebugInfo.100"`+debugPreamble+`
		%dMath = OpExtInst %void %debug 35 %math
		%dSquare = OpExtInst %void %debug 20 %squareName %none %dMath 5 0 %none %none 0 5 %square`+
		define("entry", "%x = OpFunctionCall %void %square")+`
		%square = OpFunction %void None %fn
		%param = OpFunctionParameter %double
		%l2 = OpLabel
		OpReturn
		OpFunctionEnd`+wrapper)
	want := []srcloc.Origin{{Aspect: aspect.FP64.Named(), Function: "square", Location: srcloc.Location{Path: "math/m.hpp", Line: 5}}}
	if got := m.Places(m.Kernel("_ZTS1K")).Origins; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestStripDebug(t *testing.T) {
	order := map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian}
	for name, text := range debugModules {
		for endian, order := range order {
			data := assemble(t, order, text)
			bare := testkit.Must(StripDebug(data))(t)
			if len(bare) >= len(data) {
				t.Errorf("%s, %s: %d of %d bytes remain", name, endian, len(bare), len(data))
			}
			before, _ := Parse(data)
			after := testkit.Must(Parse(bare))(t)
			if !reflect.DeepEqual(before.Requirements(), after.Requirements()) || len(after.Kernels) != 1 {
				t.Errorf("%s: requirements or kernels differ", name)
			}
			for _, k := range after.Kernels {
				if got := after.Places(&k); len(got.Origins) > 0 || got.Location != (srcloc.Location{}) {
					t.Errorf("%s: locations remain: %+v", name, got)
				}
			}
			if again, err := StripDebug(bare); err != nil || !bytes.Equal(again, bare) {
				t.Errorf("%s: StripDebug is not idempotent", name)
			}
		}
	}

	// Lines and files do not affect the result. Strings of other instruction sets remain.
	text := debugModules["OpenCL.DebugInfo.100"]
	strip := func(text string) []byte {
		bare := testkit.Must(StripDebug(assemble(t, binary.LittleEndian, text)))(t)
		return bare
	}
	moved := strings.NewReplacer("OpLine %source 14 5", "OpLine %source 140 9", "./app/k.cpp", "./other/k.cpp").Replace(text)
	if !bytes.Equal(strip(text), strip(moved)) {
		t.Error("the code depends on the location of its source")
	}
	printf := `%printf = OpExtInstImport "NonSemantic.DebugPrintf"
		%shown = OpString "shown"
		%lost = OpString "lost"
		%void = OpTypeVoid
		%x = OpExtInst %void %printf 1 %shown`
	if got := strip(printf); !bytes.Contains(got, []byte("shown")) || bytes.Contains(got, []byte("lost")) {
		t.Errorf("%q", got)
	}

	// Numbers of lines and columns that are constants are removed. Other numbers remain, as does the
	// extension that other instruction sets require.
	text = debugModules["NonSemantic.Shader.DebugInfo.200"]
	moved = strings.NewReplacer("OpConstant %uint 11\n", "OpConstant %uint 70011\n", "OpConstant %uint 13\n", "OpConstant %uint 70013\n").Replace(text)
	if text == moved || !bytes.Equal(strip(text), strip(moved)) {
		t.Error("the code depends on constant line numbers")
	}
	const extension = "SPV_KHR_non_semantic_info"
	numbers := `OpExtension "` + extension + `"
		%debug = OpExtInstImport "NonSemantic.Shader.DebugInfo.200"
		%file = OpString "k.cpp"
		%void = OpTypeVoid
		%uint = OpTypeInt 32 0
		%line = OpConstant %uint 70011
		%both = OpConstant %uint 70012
		%code = OpConstant %uint 70013
		%array = OpTypeArray %uint %both
		%source = OpExtInst %void %debug 35 %file
		%scope = OpExtInst %void %debug 21 %source %line %both`
	for _, test := range []struct {
		more string
		want bool
	}{{"", false}, {"\n%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"", true}} {
		got := strip(strings.Replace(numbers, "\n", test.more+"\n", 1))
		for number, want := range map[uint32]bool{70011: false, 70012: true, 70013: true} {
			if bytes.Contains(got, binary.LittleEndian.AppendUint32(nil, number)) != want {
				t.Errorf("constant %d present: %t", number, !want)
			}
		}
		if bytes.Contains(got, []byte(extension)) != test.want {
			t.Errorf("%q: extension present: %t", test.more, !test.want)
		}
	}
	if _, err := StripDebug([]byte("no SPIR-V")); err == nil {
		t.Error("no error for an invalid module")
	}
}

func TestPlacesInProperties(t *testing.T) {
	m := parse(t, debugModules["OpenCL.DebugInfo.100"])
	r := new(propset.Registry)
	m.PutPlaces(r)
	again := testkit.Must(propset.Parse("again", []byte(r.String())))(t)
	if got, ok := srcloc.ReadKernel(again, "_ZTS1K"); !ok || !reflect.DeepEqual(got, inlinedPlaces) {
		t.Errorf("got  %+v\nwant %+v", got, inlinedPlaces)
	}
	text, _ := again.Set(srcloc.Set).Properties()[0].Value.Text()
	want := "11:0:app/k.cpp\nfp16\t14:5:app/k.cpp\t\nfp64\t7:9:math/m.hpp\t_Z6squared\natomic64\t13:0:app/k.cpp\t\n"
	if text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	bare := parse(t, preamble+`OpEntryPoint Kernel %K "K"`+declare("K"))
	none := new(propset.Registry)
	bare.PutPlaces(none)
	if len(none.Sets()) != 0 {
		t.Error("empty property set")
	}
	if _, ok := srcloc.ReadKernel(none, "K"); ok {
		t.Error("locations for a kernel without locations")
	}
}

// checkPlaces checks the invariants of any module that can be parsed.
func checkPlaces(t *testing.T, data []byte, m *Module) {
	r := new(propset.Registry)
	m.PutPlaces(r)
	for i := range m.Kernels {
		k := &m.Kernels[i]
		want := m.Places(k)
		for _, l := range append([]srcloc.Location{want.Location}, locations(want.Origins)...) {
			if clean, ok := srcloc.WorkspacePath(l.Path); l != (srcloc.Location{}) && (!ok || clean != l.Path || l.Line == 0 || filepath.IsAbs(l.Path)) {
				t.Fatalf("invalid location %+v", l)
			}
		}
		if got, ok := srcloc.ReadKernel(r, k.Name); ok && got.Location != want.Location || !ok && want.Location != (srcloc.Location{}) {
			t.Fatalf("locations %+v are read as %+v", want, got)
		}
	}
	bare := testkit.Must(StripDebug(data))(t)
	again, err := Parse(bare)
	if err != nil {
		t.Fatalf("cannot read the stripped module: %v", err)
	}
	if !reflect.DeepEqual(again.Requirements(), m.Requirements()) {
		t.Fatal("requirements of the stripped module differ")
	}
}

func locations(list []srcloc.Origin) []srcloc.Location {
	var l []srcloc.Location
	for _, o := range list {
		l = append(l, o.Location)
	}
	return l
}

// TestReplaceStrings replaces strings by shorter and longer ones, of all lengths modulo the size of
// a word.
func TestReplaceStrings(t *testing.T) {
	for name, text := range debugModules {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, file := range []string{"", "k", "a/b", "a/bc", "/src/a/b/c.cpp"} {
				got := testkit.Must(ReplaceStrings(assemble(t, order, text), func(s string) string {
					return strings.ReplaceAll(s, "./app/k.cpp", file)
				}))(t)
				if !bytes.Equal(got, assemble(t, order, strings.ReplaceAll(text, "./app/k.cpp", file))) {
					t.Errorf("%s: replacing a string by %q changes more than the string", name, file)
				}
			}
		}
	}
	module := assemble(t, binary.LittleEndian, `%text = OpString "x"`)
	if _, err := ReplaceStrings(module, func(string) string { return strings.Repeat("x", 4<<16) }); err == nil {
		t.Error("ReplaceStrings accepts a string that does not fit into an instruction")
	}
	if _, err := ReplaceStrings(module[:21], func(s string) string { return s }); err == nil {
		t.Error("ReplaceStrings accepts half a word")
	}
}
