package postlink

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// describeImages returns a line for each image: its number, its entry points and, after a colon,
// its other definitions.
func describeImages(images []*Image) string {
	var b strings.Builder
	for _, image := range images {
		fmt.Fprintf(&b, "%d", image.Number)
		if image.ESIMD {
			b.WriteString(" esimd")
		}
		entry := map[llvmir.Symbol]bool{}
		for _, f := range image.entryPoints {
			entry[f] = true
			b.WriteString(" " + f.Name())
		}
		b.WriteString(":")
		for _, s := range image.define {
			if !entry[s] && s.Defined() {
				b.WriteString(" " + s.Name())
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func split(m *llvmir.Module, o SplitOptions) ([]*Image, error) {
	return newImageModule(m, Options{Split: o}, nil, false).images()
}

// kernel returns a kernel of a source, with metadata or attributes after its name.
func kernel(name, source, rest string) string {
	return fmt.Sprintf("define spir_kernel void @%s() \"sycl-module-id\"=%q %s {\n  ret void\n}\n", name, source, rest)
}

func TestSplit(t *testing.T) {
	tests := []struct {
		name    string
		ir      string
		options SplitOptions
		want    string
	}{
		{
			"per source, whose order is descending",
			kernel("a1", "a.cpp", "") + kernel("b", "b.cpp", "") + kernel("a2", "a.cpp", ""),
			SplitOptions{Mode: SplitPerSource},
			"0 b:\n1 a1 a2:\n",
		},
		{
			"auto is per source",
			kernel("a1", "a.cpp", "") + kernel("b", "b.cpp", ""),
			SplitOptions{Mode: SplitAuto},
			"0 b:\n1 a1:\n",
		},
		{
			"per kernel, whatever the kernels need",
			kernel("a", "s.cpp", "") + kernel("c", "s.cpp", "") + kernel("b", "s.cpp", ""),
			SplitOptions{Mode: SplitPerKernel},
			"0 c:\n1 b:\n2 a:\n",
		},
		{
			"off, with kernels of equal features together",
			kernel("a", "a.cpp", "") + kernel("b", "b.cpp", ""),
			SplitOptions{Mode: SplitOff},
			"0 a b:\n",
		},
		{
			"off, with kernels of other features apart",
			kernel("a", "a.cpp", "") + kernel("b", "b.cpp", "!sycl_used_aspects !1") + kernel("c", "c.cpp", "") + "!1 = !{i32 6}\n",
			SplitOptions{Mode: SplitOff},
			"0 b:\n1 a c:\n",
		},
		{
			"the order of six images of one source",
			kernel("float", "double.cpp", `"sycl-optlevel"="3"`) +
				kernel("double", "double.cpp", `"sycl-optlevel"="3" !sycl_used_aspects !1`) +
				kernel("sg8", "double.cpp", `"sycl-optlevel"="3" !intel_reqd_sub_group_size !2`) +
				kernel("sg16", "double.cpp", `"sycl-optlevel"="3" !intel_reqd_sub_group_size !3`) +
				kernel("sg32", "double.cpp", `"sycl-optlevel"="3" !intel_reqd_sub_group_size !4`) +
				kernel("sg64", "double.cpp", `"sycl-optlevel"="3" !intel_reqd_sub_group_size !5`) +
				"!1 = !{i32 6}\n!2 = !{i32 8}\n!3 = !{i32 16}\n!4 = !{i32 32}\n!5 = !{i32 64}\n",
			SplitOptions{Mode: SplitAuto},
			"0 double:\n1 sg8:\n2 sg64:\n3 sg32:\n4 float:\n5 sg16:\n",
		},
		{
			"equal aspects together, whatever their order and form",
			kernel("a", "s.cpp", "!sycl_used_aspects !1") + kernel("b", "s.cpp", "!sycl_used_aspects !2") + kernel("c", "s.cpp", "!sycl_used_aspects !3") +
				"!1 = !{i32 6, i32 5}\n!2 = !{i32 5, i32 6}\n!3 = !{!4, !5}\n!4 = !{!\"fp64\", i32 6}\n!5 = !{!\"fp16\", i32 5}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 a b c:\n",
		},
		{
			"declared aspects count like used ones",
			kernel("a", "s.cpp", "!sycl_declared_aspects !1") + kernel("b", "s.cpp", "!sycl_used_aspects !1") + kernel("c", "s.cpp", "") + "!1 = !{i32 6}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 a b:\n1 c:\n",
		},
		{
			"numbers below zero keep kernels apart",
			kernel("a", "s.cpp", "!sycl_used_aspects !1") + kernel("b", "s.cpp", "") + "!1 = !{i32 -3}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 a:\n1 b:\n",
		},
		{
			"work-group sizes",
			kernel("a", "s.cpp", "!reqd_work_group_size !1") + kernel("b", "s.cpp", "!reqd_work_group_size !2") + kernel("c", "s.cpp", "!reqd_work_group_size !1") +
				"!1 = !{i32 32}\n!2 = !{i32 32, i32 1}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 b:\n1 a c:\n",
		},
		{
			"sub-group sizes that are up to the device, and none",
			kernel("primary", "s.cpp", "!intel_reqd_sub_group_size !1") + kernel("automatic", "s.cpp", "!intel_reqd_sub_group_size !2") +
				kernel("none", "s.cpp", "") + kernel("sg16", "s.cpp", "!intel_reqd_sub_group_size !3") + "!1 = !{i32 -1}\n!2 = !{i32 0}\n!3 = !{i32 16}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 sg16:\n1 primary automatic none:\n",
		},
		{
			"joint matrices",
			kernel("a", "s.cpp", "!sycl_joint_matrix !1") + kernel("b", "s.cpp", "!sycl_joint_matrix !2") + kernel("c", "s.cpp", "!sycl_joint_matrix_mad !2") +
				"!1 = !{!\"matrix_type::fp16,use::a,8,16\"}\n!2 = !{!\"matrix_type::fp16,use::b,16,16\"}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 b:\n1 a:\n2 c:\n",
		},
		{
			"register files, optimization levels and register allocation",
			kernel("grf", "s.cpp", `"sycl-grf-size"="256"`) + kernel("level", "s.cpp", `"sycl-optlevel"="2"`) +
				kernel("mode", "s.cpp", `"sycl-register-alloc-mode"="2"`) + kernel("plain", "s.cpp", ""),
			SplitOptions{Mode: SplitPerSource},
			"0 mode:\n1 grf:\n2 level:\n3 plain:\n",
		},
		{
			"fixed targets hold kernels together, and nothing else counts",
			kernel("a", "s.cpp", "!sycl_fixed_targets !1") + kernel("b", "s.cpp", "!sycl_fixed_targets !2 !sycl_used_aspects !4") +
				kernel("c", "s.cpp", "!sycl_fixed_targets !3") + kernel("none", "s.cpp", "!sycl_fixed_targets !5") + kernel("plain", "s.cpp", "") +
				"!1 = !{!\"intel_gpu_pvc\", !\"intel_gpu_dg2\"}\n!2 = !{!\"intel_gpu_dg2\", !\"intel_gpu_pvc\"}\n!3 = !{!\"intel_gpu_pvc\"}\n!4 = !{i32 6}\n!5 = !{}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 none plain:\n1 c:\n2 a b:\n",
		},
		{
			"a SYCL_EXTERNAL function is in the image of its caller and in its own",
			"define spir_kernel void @k() \"sycl-module-id\"=\"a.cpp\" {\n  call spir_func void @f()\n  ret void\n}\n" +
				"define spir_func void @f() \"sycl-module-id\"=\"b.cpp\" {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 f:\n1 k: f\n",
		},
		{
			"which is not so when only kernels are entry points",
			"define spir_kernel void @k() \"sycl-module-id\"=\"a.cpp\" {\n  call spir_func void @f()\n  ret void\n}\n" +
				"define spir_func void @f() \"sycl-module-id\"=\"b.cpp\" {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource, KernelsOnly: true},
			"0 k: f\n",
		},
		{
			"built-ins are no entry points",
			kernel("k", "a.cpp", "") +
				"define spir_func void @_Z20__spirv_ocl_something() \"sycl-module-id\"=\"a.cpp\" {\n  ret void\n}\n" +
				"define spir_func void @__builtin_x() \"sycl-module-id\"=\"a.cpp\" {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 k:\n",
		},
		{
			"what kernels use, through initial values too",
			"@table = internal addrspace(1) constant [1 x ptr] [ptr @used]\n@unused = internal addrspace(1) global i32 0\n" +
				"define spir_kernel void @k() \"sycl-module-id\"=\"a.cpp\" {\n  %x = load ptr, ptr addrspace(1) @table\n  ret void\n}\n" +
				"define internal spir_func void @used() {\n  call spir_func void @deep()\n  ret void\n}\n" +
				"define internal spir_func void @deep() {\n  ret void\n}\ndefine internal spir_func void @dead() {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 k: table used deep\n",
		},
		{
			"kernels that do not say which source they are of are together",
			kernel("a", "a.cpp", "") + "define spir_kernel void @x() {\n  ret void\n}\ndefine spir_kernel void @y() {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 a:\n1 x y:\n",
		},
		{
			"sizes of attributes, which metadata overrules, of functions that are no kernels too",
			kernel("a", "s.cpp", `"sycl-work-group-size"="4,8"`) + kernel("b", "s.cpp", `"sycl-work-group-size"="8"`) + kernel("c", "s.cpp", "!reqd_work_group_size !1") +
				kernel("d", "s.cpp", `"sycl-work-group-size"="9" !reqd_work_group_size !1`) + kernel("e", "s.cpp", `"sycl-sub-group-size"="16"`) +
				kernel("f", "s.cpp", "!intel_reqd_sub_group_size !2") +
				strings.Replace(kernel("g", "s.cpp", `"sycl-sub-group-size"="16"`), "spir_kernel", "spir_func", 1) + "!1 = !{i64 8, i64 4}\n!2 = !{i32 16, i32 16}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 a c d:\n1 b:\n2 e f g:\n",
		},
		{
			"a table of functions that no linker may discard is in all images",
			"@table = weak global [1 x ptr] [ptr @f]\n@once = linkonce_odr constant [1 x ptr] [ptr @g]\n@host = global [1 x ptr] [ptr @g]\n" +
				"define linkonce_odr spir_func void @f() {\n  call spir_func void @deep()\n  ret void\n}\n" +
				"define weak spir_func void @deep() {\n  ret void\n}\ndefine spir_func void @g() {\n  ret void\n}\n" +
				kernel("a", "a.cpp", "") + kernel("b", "b.cpp", ""),
			SplitOptions{Mode: SplitPerSource},
			"0 b: table f deep\n1 a: table f deep\n",
		},
		{
			"and so is any that others see, in code of DPC++'s front end",
			"@table = constant [1 x ptr] [ptr @f]\ndefine spir_func void @f() {\n  ret void\n}\n" +
				kernel("a", "a.cpp", "") + kernel("b", "b.cpp", "") + "!sycl_aspects = !{!1}\n!1 = !{!\"fp64\", i32 6}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 b: table f\n1 a: table f\n",
		},
		{
			"functions that images import from others stay there",
			"define spir_kernel void @k() \"sycl-module-id\"=\"a.cpp\" {\n  call spir_func void @f()\n  call spir_func void @own()\n  ret void\n}\n" +
				"define spir_func void @f() \"sycl-module-id\"=\"b.cpp\" {\n  call spir_func void @deep()\n  ret void\n}\n" +
				"define linkonce_odr spir_func void @deep() {\n  ret void\n}\ndefine linkonce_odr spir_func void @own() {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource, Dependencies: true},
			"0 f: deep\n1 k: own\n",
		},
		{
			"unless only kernels are entry points, so that no image would export them",
			"define spir_kernel void @k() \"sycl-module-id\"=\"a.cpp\" {\n  call spir_func void @f()\n  ret void\n}\n" +
				"define spir_func void @f() \"sycl-module-id\"=\"b.cpp\" {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource, KernelsOnly: true, Dependencies: true},
			"0 k: f\n",
		},
		{
			"what only a virtual function needs is in its image",
			"@vtable = linkonce_odr addrspace(1) constant [1 x ptr] [ptr @f]\n" +
				"define spir_kernel void @makes() \"sycl-module-id\"=\"a.cpp\" {\n  %x = load ptr, ptr addrspace(1) @vtable\n  ret void\n}\n" +
				"define spir_func void @f() \"indirectly-callable\"=\"set\" \"sycl-module-id\"=\"a.cpp\" {\n  call spir_func void @deep()\n  ret void\n}\n" +
				"define linkonce_odr spir_func void @deep() {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 f: deep\n1 makes: vtable\n",
		},
		{
			"functions that a call through a pointer may reach",
			"define spir_kernel void @k(ptr %p) \"sycl-module-id\"=\"a.cpp\" {\n  call spir_func void %p(i32 1)\n  ret void\n}\n" +
				"define spir_func void @match(i32 %x) \"referenced-indirectly\" {\n  call spir_func void %x0()\n  ret void\n}\n" +
				"define spir_func void @second() \"referenced-indirectly\" {\n  ret void\n}\n" +
				"define spir_func void @other(i64 %x) \"referenced-indirectly\" {\n  ret void\n}\n" +
				"define spir_func void @plain(i32 %x) {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 k: match second\n",
		},
		{
			"a set of virtual functions has an image of its own",
			kernel("k", "a.cpp", `"calls-indirectly"="set"`) + "@vtable = linkonce_odr addrspace(1) constant [1 x ptr] [ptr @f]\n" +
				"define spir_kernel void @makes() \"sycl-module-id\"=\"a.cpp\" {\n  %x = load ptr, ptr addrspace(1) @vtable\n  ret void\n}\n" +
				"define spir_func void @f() \"indirectly-callable\"=\"set\" \"sycl-module-id\"=\"a.cpp\" {\n  ret void\n}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 f:\n1 k makes: vtable\n",
		},
		{
			"explicit SIMD code shares the number with other code",
			kernel("a", "s.cpp", "!sycl_explicit_simd !1") + kernel("b", "s.cpp", "") + kernel("c", "t.cpp", "") + "!1 = !{}\n",
			SplitOptions{Mode: SplitPerSource, ESIMD: true},
			"0 c:\n1 esimd a:\n1 b:\n",
		},
		{
			"and is with it by default",
			kernel("a", "s.cpp", "!sycl_explicit_simd !1") + kernel("b", "s.cpp", "") + "!1 = !{}\n",
			SplitOptions{Mode: SplitPerSource},
			"0 a b:\n",
		},
		{
			"without entry points everything",
			"define spir_func void @f() {\n  ret void\n}\n@g = addrspace(1) global i32 0\n",
			SplitOptions{Mode: SplitPerSource},
			"0: f g\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, test.ir)
			images := testkit.Must(split(m, test.options))(t)
			if got := describeImages(images); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
			for _, image := range images {
				var out bytes.Buffer
				testkit.NoError(t, image.WriteCode(&out))
				if _, err := llvmir.Parse("image", out.String()); err != nil {
					t.Errorf("image %d: %v\n%s", image.Number, err, out.Bytes())
				}
			}
		})
	}
}

func TestSplitRejects(t *testing.T) {
	uses := func(kernel, source, variable string) string {
		return fmt.Sprintf("define spir_kernel void @%s() \"sycl-module-id\"=%q {\n  store i32 1, ptr addrspace(1) @%s\n  ret void\n}\n", kernel, source, variable)
	}
	reads := func(kernel, source, variable string) string {
		return strings.Replace(uses(kernel, source, variable), "store i32 1,", "%x = load i32,", 1)
	}
	tests := []struct {
		name    string
		ir      string
		options SplitOptions
		want    string // "" if it is not an error
	}{
		{"a work-group size of four dimensions", kernel("a", "a.cpp", `"sycl-work-group-size"="1,2,3,4"`), SplitOptions{Mode: SplitPerSource},
			"function a: attribute \"sycl-work-group-size\": invalid value \"1,2,3,4\"; expected 1 to 3 sizes"},
		{"a sub-group size that is not a number", kernel("a", "a.cpp", `"sycl-sub-group-size"="wide"`), SplitOptions{Mode: SplitPerSource},
			"function a: attribute \"sycl-sub-group-size\": invalid size \"wide\"; expected a positive number"},
		{"two sub-group sizes of a kernel", kernel("a", "a.cpp", "!intel_reqd_sub_group_size !1") + "!1 = !{i32 16, i32 32}\n", SplitOptions{Mode: SplitPerSource},
			"function a: !intel_reqd_sub_group_size: invalid node !1; expected one number"},
		{"image scope of a variable that is not a device global", `@g = addrspace(1) constant i32 0 "sycl-device-image-scope"` + "\n" + reads("a", "a.cpp", "g") + reads("b", "b.cpp", "g"),
			SplitOptions{Mode: SplitPerSource}, ""},
		{"the device library's variable for failed assertions", "@SPIR_AssertHappenedMem = linkonce_odr addrspace(1) global i32 0\n" +
			uses("a", "a.cpp", "SPIR_AssertHappenedMem") + uses("b", "b.cpp", "SPIR_AssertHappenedMem"), SplitOptions{Mode: SplitPerSource}, ""},
		{"a variable in code of DPC++'s front end", "@v = internal addrspace(1) global i32 0\n" +
			uses("a", "a.cpp", "v") + uses("b", "b.cpp", "v") + "!sycl_aspects = !{!1}\n!1 = !{!\"fp64\", i32 6}\n", SplitOptions{Mode: SplitPerSource}, ""},
		{"an unknown mode", "", SplitOptions{Mode: "per_thread"}, `unknown split mode "per_thread"`},
		{"a device global of image scope in two images", `@g = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-device-image-scope"` + "\n" + uses("a", "a.cpp", "g") + uses("b", "b.cpp", "g"),
			SplitOptions{Mode: SplitPerSource}, `device_global variable 'g' with property "device_image_scope" is used in more than one device image`},
		{"a device global with explicit image scope in two images", `@g = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-device-image-scope"="true"` + "\n" + uses("a", "a.cpp", "g") + uses("b", "b.cpp", "g"),
			SplitOptions{Mode: SplitPerSource}, `device_global variable 'g'`},
		{"a device global of program scope in two images", `@g = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-device-image-scope"="false"` + "\n" + uses("a", "a.cpp", "g") + uses("b", "b.cpp", "g"),
			SplitOptions{Mode: SplitPerSource}, ""},
		{"a device global in one image", `@g = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-device-image-scope"` + "\n" + uses("a", "a.cpp", "g") + uses("b", "a.cpp", "g"),
			SplitOptions{Mode: SplitPerSource}, ""},
		{"a variable of stock clang in two images", "@_ZL7counter = internal addrspace(1) global i32 0\n" + uses("a", "a.cpp", "_ZL7counter") + uses("b", "b.cpp", "_ZL7counter"),
			SplitOptions{Mode: SplitPerSource}, "global variable 'counter' is used in more than one device image, by kernels 'b' and 'a'"},
		{"a variable of stock clang in one image", "@counter = internal addrspace(1) global i32 0\n" + uses("a", "a.cpp", "counter") + uses("b", "b.cpp", "counter"),
			SplitOptions{Mode: SplitOff}, ""},
		{"a variable of stock clang in two images, allowed", "@counter = internal addrspace(1) global i32 0\n" + uses("a", "a.cpp", "counter") + uses("b", "b.cpp", "counter"),
			SplitOptions{Mode: SplitPerSource, Dependencies: true}, ""},
		{"a constant in two images", "@c = internal addrspace(1) constant i32 0\n" + uses("a", "a.cpp", "c") + uses("b", "b.cpp", "c"),
			SplitOptions{Mode: SplitPerSource}, ""},
		{"work-group local memory in two images", "@l = internal addrspace(3) global i32 undef\n" + strings.ReplaceAll(uses("a", "a.cpp", "l")+uses("b", "b.cpp", "l"), "addrspace(1)", "addrspace(3)"),
			SplitOptions{Mode: SplitPerSource}, ""},
		{"invalid aspects", kernel("a", "s.cpp", "!sycl_used_aspects !1") + "!1 = !{!\"fp64\"}\n", SplitOptions{Mode: SplitPerSource}, "function a: !sycl_used_aspects: !1 is not a list of aspects"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := split(parse(t, test.ir), test.options)
			testkit.Fails(t, err, test.want)
		})
	}
}

const wholeModule = `target triple = "spir64-unknown-unknown"

@g = addrspace(1) global i32 0
@llvm.used = appending global [1 x ptr] [ptr @k1], section "llvm.metadata"
@llvm.compiler.used = appending global [2 x ptr addrspace(1)] [ptr addrspace(1) @g, ptr addrspace(1) @dg], section "llvm.metadata"
@dg = addrspace(1) global i32 0 "sycl-device-global-size"="4"

define spir_kernel void @k1() "sycl-module-id"="a.cpp" {
  call spir_func void @helper()
  %x = load i32, ptr addrspace(1) @dg
  ret void
}

define spir_kernel void @k2() "sycl-module-id"="b.cpp" {
  call spir_func void @helper()
  store i32 1, ptr addrspace(1) @g
  ret void
}

define spir_func void @helper() {
  call spir_func void @set()
  ret void
}

define linkonce_odr spir_func void @set() {
  ret void
}

!spirv.ExecutionMode = !{!0, !1}
!sycl_registered_kernels = !{!2}
!0 = !{ptr @k1, i32 17, i32 1, i32 1, i32 1}
!1 = !{ptr @k2, i32 17, i32 2, i32 1, i32 1}
!2 = !{!3, !4}
!3 = !{!"first", !"k1"}
!4 = !{!"second", !"k2"}
`

// TestUsedWithUnknownType checks a list with an unreadable type. One element remains.
func TestUsedWithUnknownType(t *testing.T) {
	m := parse(t, `@a = addrspace(1) global i8 0 "sycl-unique-id"="a"
@b = addrspace(1) global i8 0
@llvm.compiler.used = appending global [q] [ptr addrspace(1) @a, ptr addrspace(1) @b]
`)
	dropUsedLists(m, Options{})
	if got, want := testkit.Text(t, m), "global [1 x ptr addrspace(1)] [ptr addrspace(1) @b]"; !strings.Contains(got, want) {
		t.Errorf("missing %s in\n%s", want, got)
	}
}

// TestSplitImages checks the contents of images other than functions.
func TestSplitImages(t *testing.T) {
	m := parse(t, wholeModule)
	dropUsedLists(m, Options{})
	o := SplitOptions{Mode: SplitPerSource}
	images := testkit.Must(split(m, o))(t)
	var text [2]string
	for i, image := range images {
		var out bytes.Buffer
		testkit.NoError(t, image.WriteCode(&out))
		text[i] = out.String()
	}
	for _, test := range []struct {
		name string
		text string
		has  []string
		not  []string
	}{
		{"the image of b.cpp", text[0], []string{"spir_kernel void @k2()", "define internal spir_func void @helper()", "@g = addrspace(1) global", "@dg = addrspace(1) global", `i32 17, i32 2`, `"second"`},
			[]string{"@k1", "@llvm.used", "i32 17, i32 1, i32 1, i32 1}", `"first"`}},
		{"the image of a.cpp", text[1], []string{"spir_kernel void @k1()", "define internal spir_func void @set()", "@dg = addrspace(1) global", `"first"`},
			[]string{"@k2", "@g =", "@llvm.used", "@llvm.compiler.used", `"second"`}},
	} {
		for _, s := range test.has {
			if !strings.Contains(test.text, s) {
				t.Errorf("%s lacks %s:\n%s", test.name, s, test.text)
			}
		}
		for _, s := range test.not {
			if strings.Contains(test.text, s) {
				t.Errorf("%s has %s:\n%s", test.name, s, test.text)
			}
		}
	}
	opt := testkit.Program(t, "opt")
	for _, s := range text {
		cmd := exec.Command(opt, "-passes=verify", "-S", "-o", "-")
		cmd.Stdin = strings.NewReader(s)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s\n%s", err, out, s)
		}
	}
}

// TestVisibleSymbols checks the visibility of an image's symbols.
func TestVisibleSymbols(t *testing.T) {
	const ir = `@dg = addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="u"
@table = addrspace(1) constant [1 x ptr] [ptr @referenced]
@plain = linkonce_odr addrspace(1) constant i32 1

define weak_odr spir_kernel void @kernel() "sycl-module-id"="a.cpp" {
  call spir_func void @external()
  call spir_func void @helper()
  call spir_func void @_Z13__spirv_thingv()
  %d = load i32, ptr addrspace(1) @dg
  %p = load i32, ptr addrspace(1) @plain
  %r = load ptr, ptr addrspace(1) @table
  %v = load ptr, ptr addrspace(1) @vtable
  ret void
}
define spir_func void @external() "sycl-module-id"="a.cpp" {
  ret void
}
define linkonce_odr spir_func void @helper() {
  ret void
}
define spir_func void @_Z13__spirv_thingv() "sycl-module-id"="a.cpp" {
  ret void
}
define spir_func void @referenced() "referenced-indirectly" {
  ret void
}
@vtable = linkonce_odr addrspace(1) constant [1 x ptr] [ptr @virtual]
define linkonce_odr spir_func void @virtual() "indirectly-callable"="set" "sycl-module-id"="a.cpp" {
  call spir_func void @helper()
  ret void
}
`
	for _, test := range []struct {
		name    string
		options SplitOptions
		kernel  string // with linkage and no internal, of the image of the kernel
		virtual string // of the image of the virtual function
	}{
		{"entry points and variables", SplitOptions{Mode: SplitPerSource},
			"dg table plain:linkonce_odr vtable:linkonce_odr kernel:weak_odr external referenced virtual:declared", "dg virtual"},
		{"only kernels as entry points", SplitOptions{Mode: SplitPerSource, KernelsOnly: true},
			"dg table plain:linkonce_odr vtable:linkonce_odr kernel:weak_odr referenced virtual:declared", "dg virtual"},
		{"functions that other images may import", SplitOptions{Mode: SplitPerSource, KernelsOnly: true, Dependencies: true},
			"dg table plain:linkonce_odr vtable:linkonce_odr kernel:weak_odr external referenced virtual:declared", "dg virtual"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := parse(t, ir)
			images, err := split(m, test.options)
			if err != nil || len(images) != 2 {
				t.Fatalf("%d images, %v", len(images), err)
			}
			for i, want := range []string{test.virtual, test.kernel} { // in descending order of the split key
				var out bytes.Buffer
				testkit.NoError(t, images[i].WriteCode(&out))
				written := parse(t, out.String())
				var visible []string
				for _, name := range []string{"dg", "table", "plain", "vtable", "kernel", "external", "helper", "_Z13__spirv_thingv", "referenced", "virtual"} {
					s := written.Symbol(name)
					switch {
					case s == nil || s.Linkage() == llvmir.Internal:
						continue
					case !s.Defined():
						name += ":declared"
					case s.Linkage() != llvmir.External:
						name += ":" + string(s.Linkage())
					}
					visible = append(visible, name)
				}
				if got := strings.Join(visible, " "); got != want {
					t.Errorf("image %d: %s, want %s\n%s", i, got, want, out.String())
				}
			}
		})
	}
}

// TestIdleDeviceGlobals checks that an image keeps a static device global that its properties list
// but none of its kernels uses, even after LLVM's cleanup passes.
func TestIdleDeviceGlobals(t *testing.T) {
	const ir = `target triple = "spir64-unknown-unknown"
@llvm.compiler.used = appending global [1 x ptr addrspace(1)] [ptr addrspace(1) @counter], section "llvm.metadata"
@counter = internal addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="id"
define spir_kernel void @counts() {
  store i32 1, ptr addrspace(1) @counter
  ret void
}
define spir_kernel void @other() {
  ret void
}
`
	for _, dpcpp := range []bool{false, true} {
		images, err := everything(t, parse(t, ir), Options{Split: SplitOptions{Mode: SplitPerKernel}, DPCPPTranslator: dpcpp})
		if err != nil || len(images) != 2 {
			t.Fatal(err, images)
		}
		for _, image := range images {
			want := "@counter = addrspace(1) global i32 0"
			if dpcpp || strings.Contains(image, "@counts(") {
				want = "@counter = internal addrspace(1) global i32 0"
			}
			if !strings.Contains(image, want) || strings.Contains(image, "@llvm.compiler.used") != dpcpp {
				t.Errorf("%v: missing %q, or unexpected list, in\n%s", dpcpp, want, image)
			}
		}
	}
}

// TestDropDiscardable checks which unused functions are removed.
func TestDropDiscardable(t *testing.T) {
	m := parse(t, `define spir_kernel void @kernel() "sycl-module-id"="a.cpp" {
  call spir_func void @used()
  ret void
}
define linkonce_odr spir_func void @used() "sycl-module-id"="a.cpp" {
  ret void
}
define linkonce_odr spir_func void @unused() "sycl-module-id"="a.cpp" {
  ret void
}
define linkonce spir_func void @unused_too() "sycl-module-id"="a.cpp" {
  ret void
}
define weak_odr spir_func void @weak() "sycl-module-id"="a.cpp" {
  ret void
}
define linkonce_odr spir_func void @ordinary() {
  ret void
}
define linkonce_odr spir_func void @virtual() "indirectly-callable"="set" "sycl-module-id"="a.cpp" {
  ret void
}
define linkonce_odr spir_func void @referenced() "referenced-indirectly" "sycl-module-id"="a.cpp" {
  ret void
}
`)
	dropDiscardable(m)
	var left []string
	for _, f := range m.Functions() {
		left = append(left, f.Name())
	}
	if want := []string{"kernel", "used", "weak", "ordinary", "virtual", "referenced"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}
