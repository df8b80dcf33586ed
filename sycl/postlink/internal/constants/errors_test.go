package constants

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// reading is a kernel that reads an i32 with the call that replaces the placeholder.
const reading = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"
%%loop = type { i32, %%loop }
%%opaque = type opaque
@name = private constant [2 x i8] c"n\00"
@other = private constant [2 x i8] c"o\00"
@id = internal constant { i32 } { i32 5 }
declare i32 @_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_(ptr, ptr, ptr)
declare i32 @_Z37__sycl_getScalar2020SpecConstantValueIjET_PKcPKvS4_(ptr, ptr, ptr)
%s
`

const get = "@_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_"

// kernel returns a function with the instructions in body, at line 7 of a.cpp.
func kernel(body string) string {
	return "define spir_kernel void @k(ptr %p, i32 %i) !dbg !3 {\n" + body + "\n  ret void\n}\n" + `!3 = distinct !DISubprogram(name: "k", file: !2, line: 3)
!2 = !DIFile(filename: "a.cpp", directory: "/src")
!5 = !DILocation(line: 7, column: 2, scope: !3)
!6 = !DILocation(line: 90, column: 1, scope: !7, inlinedAt: !5)
!7 = distinct !DISubprogram(name: "get", file: !8, line: 89)
!8 = !DIFile(filename: "sycl.hpp", directory: "/include")
`
}

// manyDefaults returns code that reads n constants with a default value of 1 MiB.
func manyDefaults(n int) string {
	const getter = "@_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_"
	var names, calls strings.Builder
	for i := range n {
		fmt.Fprintf(&names, "@n%02d = constant [4 x i8] c\"n%02d\\00\"\n", i, i)
		fmt.Fprintf(&calls, "  call void %s(ptr %%p, ptr @n%02d, ptr @c, ptr null)\n", getter, i)
	}
	return "@c = internal constant { { [1048576 x i8] } } undef\ndeclare void " + getter + "(ptr sret({ [1048576 x i8] }), ptr, ptr, ptr)\n" + names.String() + kernel(calls.String())
}

func TestErrors(t *testing.T) {
	const deep = 1200
	var types strings.Builder
	types.WriteString("%t0 = type { i32 }\n")
	for i := range deep {
		fmt.Fprintf(&types, "%%t%d = type { %%t%d }\n", i+1, i)
	}
	composite := func(typ, id string) string {
		return "@c = internal constant " + id + "\ndeclare void @_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_(ptr sret(" + typ + "), ptr, ptr, ptr)\n" +
			kernel("  call void @_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_(ptr %p, ptr @name, ptr @c, ptr null), !dbg !6")
	}
	for name, test := range map[string]struct {
		text string
		mode Mode
		want string
	}{
		"a name that is an argument": {kernel("  %x = call i32 " + get + "(ptr %p, ptr @id, ptr null), !dbg !6"), Native,
			"/src/a.cpp:7:2: in 'k': the name of a specialization constant is not known at compile time"},
		"a name with an offset":                 {kernel("  %x = call i32 " + get + "(ptr getelementptr (i8, ptr @name, i64 1), ptr @id, ptr null)"), Native, "in 'k': the name of a specialization constant is not known"},
		"a name chosen by a branch":             {kernel("  %c = select i1 true, ptr @name, ptr @other\n  %x = call i32 " + get + "(ptr %c, ptr @id, ptr null)"), Native, "is not known"},
		"a variable with two names":             {kernel("  %a = alloca ptr\n  store ptr @name, ptr %a\n  store ptr @other, ptr %a\n  %n = load ptr, ptr %a\n  %x = call i32 " + get + "(ptr %n, ptr @id, ptr null)"), Native, "is not known"},
		"a variable that others write":          {kernel("  %a = alloca ptr\n  %b = bitcast ptr %a to ptr\n  store ptr @name, ptr %a\n  call void @f(ptr %b)\n  %n = load ptr, ptr %a\n  %x = call i32 "+get+"(ptr %n, ptr @id, ptr null)") + "declare void @f(ptr)", Native, "is not known"},
		"a variable with an odd name":           {kernel("  %\"a\\22\" = alloca ptr\n  store ptr @name, ptr %\"a\\22\"\n  call void @f(ptr %\"a\\22\")\n  %n = load ptr, ptr %\"a\\22\"\n  %x = call i32 "+get+"(ptr %n, ptr @id, ptr null)") + "declare void @f(ptr)", Native, "is not known"},
		"a variable at two places":              {kernel("  %a = alloca [2 x ptr]\n  %b = getelementptr ptr, ptr %a, i64 1\n  store ptr @name, ptr %a\n  store ptr @other, ptr %b\n  %n = load ptr, ptr %b\n  %x = call i32 " + get + "(ptr %n, ptr @id, ptr null)"), Native, "is not known"},
		"a part of memory that others write":    {kernel("  %a = alloca [16 x i8]\n  %b = getelementptr i8, ptr %a, i64 8\n  store ptr @name, ptr %b\n  call void @f(ptr %b)\n  %n = load ptr, ptr %b\n  %x = call i32 "+get+"(ptr %n, ptr @id, ptr null)") + "declare void @f(ptr)", Native, "is not known"},
		"a part of memory that has no name":     {kernel("  %a = alloca [16 x i8]\n  %b = getelementptr i8, ptr %a, i64 8\n  store ptr @name, ptr %a\n  %n = load ptr, ptr %b\n  %x = call i32 " + get + "(ptr %n, ptr @id, ptr null)"), Native, "is not known"},
		"a part of memory that is not in bytes": {kernel("  %a = alloca [16 x i8]\n  %b = getelementptr { i8, i8 }, ptr %a, i64 4\n  %c = getelementptr i8, ptr %a, i64 4\n  store ptr @name, ptr %b\n  %n = load ptr, ptr %c\n  %x = call i32 " + get + "(ptr %n, ptr @id, ptr null)"), Native, "is not known"},
		"a name behind another":                 {kernel("  %n = getelementptr i8, ptr @name, i64 1\n  %x = call i32 " + get + "(ptr %n, ptr @id, ptr null)"), Native, "is not known"},
		"casts in a circle":                     {kernel("  %a = bitcast ptr %b to ptr\n  %b = bitcast ptr %a to ptr\n  %x = call i32 " + get + "(ptr %a, ptr @id, ptr null)"), Native, "is not known"},
		"loads in a circle":                     {kernel("  %a = alloca ptr\n  %n = load ptr, ptr %a\n  store ptr %n, ptr %a\n  %x = call i32 " + get + "(ptr %n, ptr @id, ptr null)"), Native, "is not known"},
		"a name that is no string":              {kernel("  %x = call i32 " + get + "(ptr @id, ptr @id, ptr null)"), Native, "in the variable 'id', which is not a string"},
		"a name that can change":                {"@changing = global [2 x i8] c\"n\\00\"\n" + kernel("  %x = call i32 "+get+"(ptr @changing, ptr @id, ptr null)"), Native, "in the variable 'changing', which is not a constant string"},
		"an empty name":                         {"@empty = constant [1 x i8] zeroinitializer\n" + kernel("  %x = call i32 "+get+"(ptr @empty, ptr @id, ptr null)"), Native, "is not a valid property name"},
		"a name of two lines":                   {"@two = constant [3 x i8] c\"a\\0Ab\"\n" + kernel("  %x = call i32 "+get+"(ptr @two, ptr @id, ptr null)"), Native, `'a\nb' is not a valid property name`},
		"a default that is an argument": {kernel("  %x = call i32 " + get + "(ptr @name, ptr %p, ptr null), !dbg !5"), Native,
			"/src/a.cpp:7:2: in 'k': the specialization_id of 'n' is not known"},
		"a default without a value":  {"@far = external constant { i32 }\n" + kernel("  %x = call i32 "+get+"(ptr @name, ptr @far, ptr null)"), Native, "the specialization_id 'far' has no value"},
		"a default without a member": {"@none = constant {} zeroinitializer\n" + kernel("  %x = call i32 "+get+"(ptr @name, ptr @none, ptr null)"), Native, "has no default value"},
		"a default that is computed": {"@far = constant { i32 } { i32 ptrtoint (ptr @name to i32) }\n" + kernel("  %x = call i32 "+get+"(ptr @name, ptr @far, ptr null)"), Native, "its default value: it is not a constant"},
		"a default out of range":     {"@far = constant { i32 } { i32 4294967296 }\n" + kernel("  %x = call i32 "+get+"(ptr @name, ptr @far, ptr null)"), Native, "its default value: it is not a constant known at compile time: 'i32 4294967296'"},
		"other defaults": {"@id2 = internal constant { i32 } { i32 6 }\n" + kernel("  %x = call i32 "+get+"(ptr @name, ptr @id, ptr null), !dbg !5\n  %y = call i32 "+get+"(ptr @name, ptr @id2, ptr null), !dbg !6"), Native,
			"/src/a.cpp:7:2: in 'k': the specialization constant 'n' has the default value 'i32 = 6' here and 'i32 = 5' in 'k' at /src/a.cpp:7:2"},
		"other types": {"@id2 = internal constant { i64 } { i64 5 }\ndeclare i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr, ptr, ptr)\n" +
			kernel("  %x = call i32 "+get+"(ptr @name, ptr @id, ptr null)\n  %y = call i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr @name, ptr @id2, ptr null)"), Emulation,
			"the specialization constant 'n' has the type 'i32 = 5' here and 'i64 = 5' in 'k'"},
		"a getter that is no callee":   {kernel("  store ptr " + get + ", ptr %p"), Native, "in 'k': the function 'int __sycl_getScalar2020SpecConstantValue<int>(char const*, void const*, void const*)' reads a specialization constant and can only be called"},
		"a getter in a variable":       {"@v = global ptr " + get + "\n" + kernel(""), Native, "'v' names the function"},
		"a getter passed to itself":    {kernel("  %x = call i32 " + get + "(ptr @name, ptr @id, ptr " + get + ")"), Native, "can only be called"},
		"too few arguments":            {kernel("  %x = call i32 " + get + "(ptr @name, ptr @id)"), Native, "does not match DPC++'s headers"},
		"an invoke":                    {kernel("  %x = invoke i32 " + get + "(ptr @name, ptr @id, ptr null) to label %a unwind label %b\na:\n  ret void\nb:"), Native, "does not match DPC++'s headers"},
		"a pointer":                    {composite("{ ptr }", "{ { ptr } } { { ptr } { ptr @name } }"), Native, "its default value: it is not a constant"},
		"a null pointer":               {composite("{ ptr, i8 }", "{ { ptr, i8 } } zeroinitializer"), Native, "not a constant"},
		"an integer of 128 bits":       {composite("{ i128 }", "{ { i128 } } { { i128 } { i128 5 } }"), Native, "not a constant"},
		"a long double":                {composite("{ fp128 }", "{ { fp128 } } { { fp128 } { fp128 0xL00000000000000000000000000000000 } }"), Native, "not a constant"},
		"an integer of 24 bits":        {composite("{ i24 }", "{ { i24 } } { { i24 } { i24 5 } }"), Native, "its part of type i24 cannot be a SPIR-V constant"},
		"bfloat":                       {composite("{ bfloat }", "{ { bfloat } } { { bfloat } { bfloat 0xR3F80 } }"), Native, "its part of type bfloat cannot be a SPIR-V constant"},
		"a vector of bits":             {composite("{ <8 x i1> }", "{ { i8 } } { { i8 } { i8 1 } }"), Native, "its part of type <8 x i1> cannot be"},
		"a class that contains itself": {composite("%loop", "{ i32 } { i32 1 }"), Native, "/src/a.cpp:7:2: in 'k': the type %loop contains itself"},
		"a class that is not defined":  {composite("%opaque", "{ i32 } { i32 1 }"), Native, "the type %opaque is not defined"},
		"classes in classes":           {types.String() + composite("%t1200", "{ i32 } { i32 1 }"), Native, "nested too deeply (limit 1000)"},
		"too many scalars":             {composite("{ [70000 x i8] }", "{ { [70000 x i8] } } { { [70000 x i8] } { [70000 x i8] c\""+strings.Repeat("x", 70000)+"\" } }"), Native, "too many scalars (limit 65536)"},
		"too many zeros":               {composite("{ [70000 x i8] }", "{ { [70000 x i8] } } zeroinitializer"), Native, "too many scalars (limit 65536)"},
		"too many bytes":               {composite("{ [2000000 x i8] }", "{ i8 } { i8 1 }"), Native, "is too large (limit 1048576 bytes)"},
		"a default of too many bytes":  {composite("{ i8 }", "{ [2000000 x i8] } zeroinitializer"), Native, "its default value is too large (limit 1048576 bytes)"},
		"many defaults":                {manyDefaults(65), Native, "the default values of the specialization constants are too large (limit 67108864 bytes)"},
		"a size that is not an integer": {"@f = constant { float } { float 1.0 }\ndeclare ptr @llvm.sycl.alloca.p0(ptr, ptr, ptr, i8, i64)\n" + kernel("  %x = call ptr @llvm.sycl.alloca.p0(ptr @name, ptr @f, ptr null, i8 0, i64 8)"), Native,
			"is used as a memory size, but is not an integer"},
		"an alignment of 3": {"declare ptr @llvm.sycl.alloca.p0(ptr, ptr, ptr, i8, i64)\n" + kernel("  %x = call ptr @llvm.sycl.alloca.p0(ptr @name, ptr @id, ptr null, i8 0, i64 3)"), Native, "invalid alignment 3"},
		"memory in emulation": {"declare ptr @llvm.sycl.alloca.p0(ptr, ptr, ptr, i8, i64)\n" + kernel("  %x = call ptr @llvm.sycl.alloca.p0(ptr @name, ptr @id, ptr null, i8 0, i64 8)"), Emulation,
			"is not supported in SPIR-V that is compiled ahead of time"},
		"an older getter in emulation": {"declare i32 @_Z33__sycl_getScalarSpecConstantValueIiET_PKc(ptr)\n" + kernel("  %x = call i32 @_Z33__sycl_getScalarSpecConstantValueIiET_PKc(ptr @name)"), Emulation,
			"passes no buffer to load it from"},
		"a built-in of another type":        {"declare i64 @_Z20__spirv_SpecConstantii(i64)\n" + kernel("  %x = call i32 "+get+"(ptr @name, ptr @id, ptr null)"), Native, "but a different type"},
		"a variable called like a built-in": {"@_Z20__spirv_SpecConstantii = global i8 0\n" + kernel("  %x = call i32 "+get+"(ptr @name, ptr @id, ptr null)"), Native, "has the name of a SPIR-V built-in function"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Lower(parse(t, fmt.Sprintf(reading, test.text)), Options{Mode: test.mode})
			var bad interface{ BadInput() }
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestTextOrder checks that calls of a function that is declared after some of them are numbered in
// text order, after the calls that follow the declaration.
func TestTextOrder(t *testing.T) {
	const getter = "@_Z37__sycl_getScalar2020SpecConstantValueIfET_PKcPKvS4_"
	call := func(names ...string) string {
		var b strings.Builder
		for i, name := range names {
			fmt.Fprintf(&b, "  %%x%d = call float %s(ptr @%s, ptr @id, ptr null)\n", i, getter, name)
		}
		return b.String() + "  ret void\n}\n"
	}
	text := "target triple = \"spir64\"\n@id = constant { float } zeroinitializer\n"
	for _, name := range []string{"a", "b", "c", "d"} {
		text += fmt.Sprintf("@%s = private constant [2 x i8] c\"%s\\00\"\n", name, name)
	}
	text += "define void @f() {\n" + call("a", "b") + "declare float " + getter + "(ptr, ptr, ptr)\ndefine void @g() {\n" + call("c", "d")
	for order, want := range map[bool]string{true: "dcab", false: "dcba"} {
		list, err := Lower(parse(t, text), Options{Mode: Native, TextOrder: order})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, c := range list {
			if got += c.Name; c.Records[0].ID != uint32(i) {
				t.Errorf("%s has the number %d", c.Name, c.Records[0].ID)
			}
		}
		if got != want {
			t.Errorf("text order %v: %s, want %s", order, got, want)
		}
	}
}

// TestAsDPCPP checks that constants that DPC++'s step accepts are lowered, with a warning.
func TestAsDPCPP(t *testing.T) {
	const older = "declare i32 @_Z33__sycl_getScalarSpecConstantValueIiET_PKc(ptr)\n"
	alloca := "declare ptr @llvm.sycl.alloca.p0(ptr, ptr, ptr, i8, i64)\n" + kernel("  %x = call ptr @llvm.sycl.alloca.p0(ptr @name, ptr @id, ptr null, i8 0, i64 8)")
	defaults := "@id2 = internal constant { i32 } { i32 6 }\n" + kernel("  %x = call i32 "+get+"(ptr @name, ptr @id, ptr null), !dbg !5\n  %y = call i32 "+get+"(ptr @name, ptr @id2, ptr null), !dbg !6")
	for name, test := range map[string]struct {
		text          string
		mode          Mode
		warning, code string
		constants     string
	}{
		"an older getter in emulation": {older + kernel("  %x = call i32 @_Z33__sycl_getScalarSpecConstantValueIiET_PKc(ptr @name), !dbg !5"), Emulation,
			"/src/a.cpp:7:2: warning: in 'k': the specialization constant 'n' is read in the way of SYCL 1.2.1, which passes no buffer to load it from: it is 0, whatever a program sets", "%x = freeze i32 0", "; no constants\n"},
		"an older getter and a newer one": {older + kernel("  %x = call i32 @_Z33__sycl_getScalarSpecConstantValueIiET_PKc(ptr @other)\n  %y = call i32 "+get+"(ptr @name, ptr @id, ptr %p)"), Emulation,
			"warning: in 'k': the specialization constant 'o' is read in the way of SYCL 1.2.1", "getelementptr i8, ptr %p, i32 0\n", "; n: 0@0+4 = 05 00 00 00\n"},
		"no default value": {kernel("  %x = call i32 " + get + "(ptr @name, ptr null, ptr null)"), Native,
			"warning: in 'k': the specialization constant 'n' is read without a specialization_id: its default value is 0", "(i32 0, i32 0)", "; n: 0@0+4 = 00 00 00 00\n"},
		"two default values": {defaults, Native,
			"/src/a.cpp:7:2: warning: in 'k': the specialization constant 'n' has the default value 'i32 = 5' here and 'i32 = 6' in 'k' at /src/a.cpp:7:2, which all reads return",
			"%x = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 0, i32 6)", "; n: 0@0+4 = 06 00 00 00\n"},
		"two default values in their place": {defaults, Defaults, "/src/a.cpp:7:2: warning: in 'k': the specialization constant 'n' has the default value", "%x = freeze i32 6", "; no constants\n"},
		"memory in emulation": {alloca, Emulation,
			"warning: in 'k': private_alloca with the size of the specialization constant 'n' is not supported in SPIR-V that is compiled ahead of time: the call stays, and compilers reject it",
			"%x = call ptr @llvm.sycl.alloca.p0(ptr @name, ptr @id,", "; no constants\n"},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf(reading, test.text)
			o := Options{Mode: test.mode, AsDPCPP: true}
			warnings, err := Check(parse(t, text), o, func(*llvmir.Function) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			if len(warnings) != 1 || !strings.HasPrefix(warnings[0].String(), test.warning) {
				t.Errorf("warnings %v, want %s", warnings, test.warning)
			}
			m := parse(t, text)
			list, err := Lower(m, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(list); got != test.constants {
				t.Errorf("constants %q, want %q", got, test.constants)
			}
			if out := testkit.Text(t, m); !strings.Contains(out, test.code) {
				t.Errorf("no %q in\n%s", test.code, out)
			}
			if _, err := Lower(parse(t, text), Options{Mode: test.mode}); err == nil {
				t.Error("it is no error without AsDPCPP")
			}
		})
	}
}

// TestManyConstants checks that the greatest number and the time are proportional to the number of
// reads.
func TestManyConstants(t *testing.T) {
	const n = 20000
	var b, calls strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@n%d = private constant [7 x i8] c\"%06d\\00\"\n", i, i)
		fmt.Fprintf(&calls, "  %%x%d = call i32 %s(ptr @n%d, ptr @id, ptr null)\n", i, get, i)
	}
	m := parse(t, fmt.Sprintf(reading, b.String()+kernel(calls.String())))
	list, err := Lower(m, Options{Mode: Native})
	if err != nil || len(list) != n || list[0].Name != fmt.Sprintf("%06d", n-1) {
		t.Fatal(err, len(list))
	}
	if strings.Contains(testkit.Text(t, m), "@n1 =") {
		t.Error("names are left")
	}
}

// FuzzLower lowers modules with fuzzed text in a kernel and before it.
func FuzzLower(f *testing.F) {
	for i, text := range []string{
		kernel("  %x = call i32 " + get + "(ptr @name, ptr @id, ptr null), !dbg !6"),
		"@c = internal constant { { i32, [2 x i8], half } } { { i32, [2 x i8], half } { i32 5, [2 x i8] c\"ab\", half undef } }\ndeclare void @_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_(ptr sret({ i32, <{ i8, [3 x i8] }> }), ptr, ptr, ptr)\n" +
			kernel("  call void @_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_(ptr %p, ptr @name, ptr @c, ptr null)"),
		kernel("  %a = alloca ptr\n  store ptr @name, ptr %a\n  %1 = load ptr, ptr %a\n  %2 = call i32 " + get + "(ptr %1, ptr @id, ptr %p)"),
		"declare ptr @llvm.sycl.alloca.p0(ptr, ptr, ptr, i8, i64)\n" + kernel("  %x = call ptr @llvm.sycl.alloca.p0(ptr @name, ptr @id, ptr null, i8 0, i64 8)"),
		"%t = type { <2 x float>, %u }\n%u = type { i1, double }\n@c = constant { %t } { %t { <2 x float> splat (float 1.5), %u { i1 true, double poison } } }\ndeclare %t @_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_(ptr, ptr, ptr)\n" +
			kernel("  %1 = call %t @_Z40__sycl_getComposite2020SpecConstantValueI1XET_PKcPKvS5_(ptr @name, ptr @c, ptr null)"),
		"declare i1 @_Z33__sycl_getScalarSpecConstantValueIbET_PKc(ptr)\n" + kernel("  %x = call i1 @_Z33__sycl_getScalarSpecConstantValueIbET_PKc(ptr addrspacecast (ptr @other to ptr))"),
	} {
		f.Add(text, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, choice uint8) {
		if len(text) > 2048 {
			return
		}
		mode := modes[int(choice)%len(modes)]
		m, err := llvmir.Parse("f.ll", fmt.Sprintf(reading, text))
		if err != nil {
			return
		}
		list, err := Lower(m, Options{Mode: mode, TextOrder: choice&64 != 0})
		if err != nil {
			var bad interface{ BadInput() }
			if !errors.As(err, &bad) {
				t.Fatalf("%v does not blame the input", err)
			}
			return
		}
		out := testkit.Text(t, m)
		again, err := llvmir.Parse("lowered.ll", out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, fn := range again.Functions() {
			if ReadsConstant(fn.Name()) && !fn.Defined() && len(again.SymbolUsers(fn.Name())) > 0 {
				t.Fatalf("%s is still there:\n%s", fn.Name(), out)
			}
		}
		for _, c := range list {
			if c.Size() != uint64(len(c.Default)) {
				t.Fatalf("%s has %d bytes and a default value of %d", c.Name, c.Size(), len(c.Default))
			}
		}
		sets := new(propset.Registry)
		propset.PutSpecConstants(sets, list)
		if back, err := propset.ReadSpecConstants(sets); err != nil || len(back) != len(list) {
			t.Fatalf("%v: %s", err, sets)
		}
	})
}
