package postlink

import (
	"errors"
	"strings"
	"testing"
)

// texts are names and values of properties.
const texts = `
@size = private addrspace(1) constant [24 x i8] c"sycl-device-global-size\00"
@scope = private addrspace(1) constant [24 x i8] c"sycl-device-image-scope\00"
@group = private addrspace(1) constant [21 x i8] c"sycl-work-group-size\00"
@has = private addrspace(1) constant [16 x i8] c"sycl-device-has\00"
@four = private addrspace(1) constant [2 x i8] c"4\00"
@sizes = private addrspace(1) constant [4 x i8] c"8,4\00"
@none = private addrspace(1) constant [1 x i8] zeroinitializer
declare void @_Z27__sycl_lite_kernel_propertyPKcS0_(ptr addrspace(4), ptr addrspace(4))
declare void @_Z29__sycl_lite_variable_propertyPKvPKcS2_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare i32 @__cxa_atexit(ptr, ptr addrspace(4), ptr addrspace(4))
declare void @unknown(ptr addrspace(4))
`

// text is an operand that is the address of one of the texts.
func textOf(name string) string {
	return "ptr addrspace(4) addrspacecast (ptr addrspace(1) @" + name + " to ptr addrspace(4))"
}

func kernelCall(name, value string) string {
	return "  call void @_Z27__sycl_lite_kernel_propertyPKcS0_(" + textOf(name) + ", " + textOf(value) + ")\n"
}

func variableCall(pointer, name, value string) string {
	return "  call void @_Z29__sycl_lite_variable_propertyPKvPKcS2_(ptr addrspace(4) " + pointer + ", " + textOf(name) + ", " + textOf(value) + ")\n"
}

// registered is what a compiler makes of a variable with a destructor: a function that
// registers it when the program starts.
func registered(destructor, variable string) string {
	return `define internal void @init() {
  %1 = call i32 @__cxa_atexit(ptr @` + destructor + `, ` + textOf(variable) + `, ptr addrspace(4) null)
  ret void
}
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @init, ptr null }]
`
}

var (
	kernelProperties = texts + "define spir_kernel void @_ZTS1K() {\n" + kernelCall("group", "sizes") + kernelCall("has", "four") + "  ret void\n}\n"

	destructor = "define void @d(ptr addrspace(4) %0) {\n" + variableCall("%0", "size", "four") + variableCall("%0", "scope", "none") + "  ret void\n}\n"
	atexit     = texts + "@v = addrspace(1) global i32 1\n" + destructor + registered("d", "v")
)

func TestHeaderCalls(t *testing.T) {
	const variable = `@v = addrspace(1) global i32 1 "sycl-device-image-scope" "sycl-device-global-size"="4" "sycl-unique-id"="v"`
	for name, test := range map[string]struct{ ir, want, err string }{
		"a kernel":    {kernelProperties, `@_ZTS1K() "sycl-work-group-size"="8,4" !sycl_declared_aspects`, ""},
		"a variable":  {atexit, variable, ""},
		"its own one": {strings.Replace(atexit, "@v = ", "@v = internal ", 1), `"sycl-unique-id"="a.cpp____v"`, ""},
		"without optimization": {texts + "@v = addrspace(1) global i32 1\n" +
			"define void @d1(ptr addrspace(4) %0) {\n  %2 = alloca ptr addrspace(4)\n  %3 = addrspacecast ptr %2 to ptr addrspace(4)\n  store ptr addrspace(4) %0, ptr addrspace(4) %3\n  %4 = load ptr addrspace(4), ptr addrspace(4) %3\n  call void @d(ptr addrspace(4) %4)\n  ret void\n}\n" +
			destructor + registered("d1", "v"), variable, ""},
		"an alias": {texts + "@v = addrspace(1) global i32 1\n" + destructor + "@d1 = alias void (ptr addrspace(4)), ptr @d\n" + registered("d1", "v"), variable, ""},
		"an array": {texts + "@v = addrspace(1) global [2 x i32] zeroinitializer\n" + destructor +
			"define void @all(ptr addrspace(4) %0) {\nentry:\n  br label %loop\nloop:\n  %p = phi ptr addrspace(4) [ getelementptr (i8, " + textOf("v") + ", i64 8), %entry ], [ %q, %loop ]\n  %q = getelementptr i32, ptr addrspace(4) %p, i64 -1\n  call void @d(ptr addrspace(4) %q)\n  br label %loop\n}\n" +
			"define void @init() {\n  %1 = call i32 @__cxa_atexit(ptr @all, ptr addrspace(4) null, ptr addrspace(4) null)\n  ret void\n}\n",
			`@v = addrspace(1) global [2 x i32] zeroinitializer "sycl-device-image-scope" "sycl-device-global-size"="4"`, ""},
		"functions that call each other": {texts + "@v = addrspace(1) global i32 1\n" +
			"define void @e(ptr addrspace(4) %0) {\n  call void @d(ptr addrspace(4) %0)\n  ret void\n}\n" +
			strings.Replace(destructor, "  ret void", "  call void @e(ptr addrspace(4) %0)\n  ret void", 1) + registered("e", "v"), variable, ""},
		"no variable":    {texts + destructor, "define void @d(", ""},
		"nothing of all": {"define void @f() {\n  ret void\n}\n", "define void @f()", ""},

		"no kernel":          {strings.Replace(kernelProperties, "spir_kernel", "spir_func", 1), "", `'K': property "sycl-work-group-size" is that of a kernel, and this is none`},
		"two values":         {texts + "define spir_kernel void @k() {\n" + kernelCall("group", "sizes") + kernelCall("group", "four") + "  ret void\n}\n", "", `'k': property "sycl-work-group-size" is given twice, as "8,4" and as "4"`},
		"a name of nothing":  {texts + "define spir_kernel void @k() {\n" + kernelCall("none", "sizes") + "  ret void\n}\n", "", "'k': it calls for a property whose name and value are no constant texts"},
		"a name from memory": {strings.Replace(kernelProperties, textOf("group"), "ptr addrspace(4) null", 1), "", "whose name and value are no constant texts"},
		"one argument":       {strings.Replace(kernelProperties, ", "+textOf("sizes")+")", ")", 1), "", "it does not call for a property with a name and a value"},
		"a place": {"define spir_kernel void @k() {\n" + strings.Replace(kernelCall("none", "sizes"), "\n", ", !dbg !1\n", 1) + "  ret void\n}\n" + texts +
			"!1 = !DILocation(line: 7, column: 3, scope: !2)\n!2 = distinct !DISubprogram(name: \"k\", file: !3, line: 5)\n!3 = !DIFile(filename: \"k.cpp\", directory: \"\")\n", "", "k.cpp:7:3: 'k': it calls for"},
		"a variable of a function": {texts + destructor + "define spir_kernel void @k() {\n  %v = alloca i32\n  %p = addrspacecast ptr %v to ptr addrspace(4)\n  call void @d(ptr addrspace(4) %p)\n  ret void\n}\n", "", "'k': it has a device_global of its own. Declare it at namespace scope"},
		"a pointer from anywhere":  {texts + "define void @f(ptr addrspace(4) %0) {\n  %2 = load ptr addrspace(4), ptr addrspace(4) %0\n" + variableCall("%2", "size", "four") + "  ret void\n}\n", "", "'f': it has a device_global of its own"},
		"two sizes":                {atexit + "define void @e() {\n" + variableCall("addrspacecast (ptr addrspace(1) @v to ptr addrspace(4))", "size", "sizes") + "  ret void\n}\n", "", `variable 'v': property "sycl-device-global-size" is given twice`},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, test.ir)
			err := lowerAnnotations(m, "a.cpp")
			if test.err != "" {
				var bad interface{ BadInput() }
				if err == nil || !strings.Contains(err.Error(), test.err) || !errors.As(err, &bad) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := write(t, m)
			if !strings.Contains(got, test.want) || strings.Contains(got, "__sycl_lite") {
				t.Errorf("%s: not there, or calls are:\n%s", test.want, got)
			}
			parse(t, got)
		})
	}
}
