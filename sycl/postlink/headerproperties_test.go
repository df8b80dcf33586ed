package postlink

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// texts defines names and values of properties.
const texts = `
@size = private addrspace(1) constant [24 x i8] c"sycl-device-global-size\00"
@scope = private addrspace(1) constant [24 x i8] c"sycl-device-image-scope\00"
@group = private addrspace(1) constant [21 x i8] c"sycl-work-group-size\00"
@has = private addrspace(1) constant [16 x i8] c"sycl-device-has\00"
@four = private addrspace(1) constant [2 x i8] c"4\00"
@sizes = private addrspace(1) constant [4 x i8] c"8,4\00"
@none = private addrspace(1) constant [1 x i8] zeroinitializer
declare void @_Z27__sycl_lite_kernel_propertyPKcS0_(ptr addrspace(4), ptr addrspace(4))
declare ptr addrspace(4) @llvm.ptr.annotation.p4.p1(ptr addrspace(4), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))
@.str = private addrspace(1) constant [19 x i8] c"sycl-device-global\00"
@.file = private addrspace(1) constant [6 x i8] c"a.hpp\00"
@.args = private addrspace(1) constant { ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @size, ptr addrspace(1) @four, ptr addrspace(1) @scope, ptr addrspace(1) null }
@.odd = private addrspace(1) constant { ptr addrspace(1) } { ptr addrspace(1) @size }
@.other = private addrspace(1) constant { ptr addrspace(1), i32 } { ptr addrspace(1) @size, i32 8 }
declare void @unknown(ptr addrspace(4))
`

// textOf returns an operand that is the address of one of the texts.
func textOf(name string) string {
	return "ptr addrspace(4) addrspacecast (ptr addrspace(1) @" + name + " to ptr addrspace(4))"
}

func kernelCall(name, value string) string {
	return "  call void @_Z27__sycl_lite_kernel_propertyPKcS0_(" + textOf(name) + ", " + textOf(value) + ")\n"
}

// annotates returns a use of a device_global.
func annotates(result, pointer, arguments string) string {
	return "  " + result + " = call ptr addrspace(4) @llvm.ptr.annotation.p4.p1(ptr addrspace(4) " + pointer + ", ptr addrspace(1) @.str, ptr addrspace(1) @.file, i32 9, ptr addrspace(1) " + arguments + ")\n"
}

var (
	kernelProperties = texts + "define spir_kernel void @_ZTS1K() {\n" + kernelCall("group", "sizes") + kernelCall("has", "four") + "  ret void\n}\n"

	get            = "define ptr addrspace(4) @get(ptr addrspace(4) %0) {\n" + annotates("%2", "%0", "@.args") + "  ret ptr addrspace(4) %2\n}\n"
	variableInCode = texts + "@v = addrspace(1) global i32 1\ndefine spir_kernel void @k() {\n" + annotates("%1", "addrspacecast (ptr addrspace(1) @v to ptr addrspace(4))", "@.args") + "  store i32 2, ptr addrspace(4) %1\n  ret void\n}\n"
)

// gets returns a function that passes a pointer to get.
func gets(head, pointer string) string {
	return head + " {\n  %r = call ptr addrspace(4) @get(ptr addrspace(4) " + pointer + ")\n  ret void\n}\n"
}

func TestHeaderCalls(t *testing.T) {
	const variable = `@v = addrspace(1) global i32 1 "sycl-device-image-scope" "sycl-device-global-size"="4" "sycl-unique-id"="v"`
	for name, test := range map[string]struct{ ir, want, err string }{
		"a kernel":                       {kernelProperties, `@_ZTS1K() "sycl-work-group-size"="8,4" !sycl_declared_aspects`, ""},
		"a variable":                     {variableInCode, variable, ""},
		"the same pointer":               {variableInCode, "  %1 = getelementptr i8, ptr addrspace(4) addrspacecast (ptr addrspace(1) @v to ptr addrspace(4)), i64 0\n  store i32 2, ptr addrspace(4) %1\n", ""},
		"a variable local to its source": {strings.Replace(variableInCode, "@v = ", "@v = internal ", 1), `"sycl-unique-id"="a.cpp____v"`, ""},
		"without optimization": {texts + "@v = addrspace(1) global i32 1\n" +
			"define ptr addrspace(4) @get(ptr addrspace(4) %0) {\n  %2 = alloca ptr addrspace(4)\n  %3 = addrspacecast ptr %2 to ptr addrspace(4)\n  store ptr addrspace(4) %0, ptr addrspace(4) %3\n  %4 = load ptr addrspace(4), ptr addrspace(4) %3\n" + annotates("%5", "%4", "@.args") + "  ret ptr addrspace(4) %5\n}\n" +
			gets("define void @f()", "addrspacecast (ptr addrspace(1) @v to ptr addrspace(4))"), variable, ""},
		"an alias": {texts + "@v = addrspace(1) global i32 1\n" + get + "@get2 = alias ptr addrspace(4) (ptr addrspace(4)), ptr @get\n" +
			strings.ReplaceAll(gets("define void @f()", "addrspacecast (ptr addrspace(1) @v to ptr addrspace(4))"), "@get(", "@get2("), variable, ""},
		"an element of an array": {texts + "@v = addrspace(1) global [2 x i32] zeroinitializer\n" + get + gets("define void @f()", "getelementptr (i8, "+textOf("v")+", i64 4)"),
			`@v = addrspace(1) global [2 x i32] zeroinitializer "sycl-device-image-scope" "sycl-device-global-size"="4"`, ""},
		"mutually recursive functions": {texts + "@v = addrspace(1) global i32 1\n" + gets("define void @e(ptr addrspace(4) %0)", "%0") +
			strings.Replace(get, "  ret ptr", "  call void @e(ptr addrspace(4) %0)\n  ret ptr", 1) + "define void @f() {\n  call void @e(" + textOf("v") + ")\n  ret void\n}\n", variable, ""},
		"no variable":             {texts + get, "define ptr addrspace(4) @get(", ""},
		"a quoted name":           {strings.ReplaceAll(variableInCode, "%1", `%"a = b"`), "  %\"a = b\" = getelementptr i8,", ""},
		"an unrelated annotation": {strings.Replace(variableInCode, "sycl-device-global\\00", "sycl-device-globaL\\00", 1), "call ptr addrspace(4) @llvm.ptr.annotation", ""},
		"no property":             {"define void @f() {\n  ret void\n}\n", "define void @f()", ""},

		"no kernel":          {strings.Replace(kernelProperties, "spir_kernel", "spir_func", 1), "", `'K': kernel property "sycl-work-group-size" on a function that is not a kernel`},
		"two values":         {texts + "define spir_kernel void @k() {\n" + kernelCall("group", "sizes") + kernelCall("group", "four") + "  ret void\n}\n", "", `'k': property "sycl-work-group-size" has two values, "8,4" and "4"`},
		"an empty name":      {texts + "define spir_kernel void @k() {\n" + kernelCall("none", "sizes") + "  ret void\n}\n", "", "'k': property name and value must be string constants"},
		"a name from memory": {strings.Replace(kernelProperties, textOf("group"), "ptr addrspace(4) null", 1), "", "property name and value must be string constants"},
		"one argument":       {strings.Replace(kernelProperties, ", "+textOf("sizes")+")", ")", 1), "", "it does not request a property with a name and a value"},
		"a location": {"define spir_kernel void @k() {\n" + strings.Replace(kernelCall("none", "sizes"), "\n", ", !dbg !1\n", 1) + "  ret void\n}\n" + texts +
			"!1 = !DILocation(line: 7, column: 3, scope: !2)\n!2 = distinct !DISubprogram(name: \"k\", file: !3, line: 5)\n!3 = !DIFile(filename: \"k.cpp\", directory: \"\")\n", "", "k.cpp:7:3: 'k': property name and value"},
		"a local variable":           {texts + get + gets("define spir_kernel void @k()", "%p"), "", "'k': device_global must be at namespace scope"},
		"an unknown pointer":         {texts + "define void @f(ptr addrspace(4) %0) {\n  %2 = load ptr addrspace(4), ptr addrspace(4) %0\n" + annotates("%3", "%2", "@.args") + "  ret void\n}\n", "", "'f': device_global must be at namespace scope"},
		"two sizes":                  {variableInCode + "define void @e() {\n" + annotates("%1", "addrspacecast (ptr addrspace(1) @v to ptr addrspace(4))", "@.other") + "  ret void\n}\n", "", `variable 'v': property "sycl-device-global-size" has two values, "4" and "8"`},
		"an odd number of arguments": {strings.Replace(variableInCode, "@.args)", "@.odd)", 1), "", `'k': its annotation "sycl-device-global": its arguments are not pairs`},
		"no properties":              {strings.Replace(variableInCode, "@.args)", "null)", 1), "", `'k': its annotation "sycl-device-global": missing property names and values`},
		"old IR":                     {strings.Replace(variableInCode, ", ptr addrspace(1) @.args)", ")", 1), "", `'k': its annotation "sycl-device-global" has no properties`},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, test.ir)
			if testkit.BlamesInput(t, lowerAnnotations(m, "a.cpp"), test.err) {
				return
			}
			got := testkit.Text(t, m)
			if !strings.Contains(got, test.want) || strings.Contains(got, "__sycl_lite") {
				t.Errorf("%s missing, or calls remain:\n%s", test.want, got)
			}
			parse(t, got)
		})
	}
}
