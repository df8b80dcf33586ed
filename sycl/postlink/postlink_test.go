package postlink

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

func parse(t *testing.T, text string) *llvmir.Module {
	t.Helper()
	m := testkit.Must(llvmir.Parse("test.ll", text))(t)
	return m
}

func TestRequiredSizesInTheKernelName(t *testing.T) {
	const prefix, suffix = "define spir_kernel void @_ZTSN9sycl_lite11kernel_withI", "(ptr %0) #0 {\n  ret void\n}\n"
	for name, test := range map[string]struct {
		arguments string
		want      []string
		not       string
		fail      string
	}{
		"a sub-group size": {
			arguments: "1KLj0ELj0ELj0ELj8EEE",
			want:      []string{"!intel_reqd_sub_group_size !0 {", "!0 = !{i32 8}"}, not: "reqd_work_group_size",
		},
		"a work-group size, fastest dimension first": {
			arguments: "N2ns1KELj64ELj2ELj1ELj0EEE",
			want:      []string{"!reqd_work_group_size !0 {", "!0 = !{i32 64, i32 2, i32 1}"}, not: "sub_group",
		},
		"both": {
			arguments: "1KLj64ELj1ELj1ELj16EEE",
			want:      []string{"!reqd_work_group_size !0 !intel_reqd_sub_group_size !1 {", "!1 = !{i32 16}"},
		},
		"neither":                         {arguments: "1KLj0ELj0ELj0ELj0EEE", not: "reqd"},
		"a name type with other literals": {arguments: "1TILj5EELj0ELj0ELj0ELj32EEE", want: []string{"{i32 32}"}},
		"a work-group size with a zero":   {arguments: "1KLj64ELj0ELj1ELj0EEE", fail: "size is 0"},
		"too few sizes":                   {arguments: "1KLj64EEE", fail: "cannot be read"},
		"a size above 32 bits":            {arguments: "1KLj0ELj0ELj0ELj4294967296EEE", fail: "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, prefix+test.arguments+suffix)
			if testkit.Fails(t, lowerKernelNames(m), test.fail) {
				return
			}
			got := testkit.Text(t, m)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("missing %q in\n%s", want, got)
				}
			}
			if test.not != "" && strings.Contains(got, test.not) {
				t.Errorf("unexpected %q in\n%s", test.not, got)
			}
		})
	}
}

func TestMarkModule(t *testing.T) {
	m := parse(t, `define spir_kernel void @k() {
}
define spir_kernel void @marked() "sycl-module-id"="dpcpp.cpp" {
}
define i32 @main() {
}
`)
	markModule(m, "a.cpp")
	for kernel, want := range map[string]string{"k": "a.cpp", "marked": "dpcpp.cpp"} {
		if got, _ := m.Function(kernel).Attribute("sycl-module-id"); got != want {
			t.Errorf("%s: %q, want %q", kernel, got, want)
		}
	}
	if !strings.Contains(testkit.Text(t, m), "define internal i32 @main()") {
		t.Error("main is still external")
	}
}

// TestMarkReplacesNames checks that the given name replaces the front end's, because two targets
// can compile the same source and the front end's name is the same for both.
func TestMarkReplacesNames(t *testing.T) {
	m, err := Parse("a.bc", []byte(`define spir_kernel void @k() "sycl-module-id"="bin/a.cpp" {
  call spir_func void @f()
  ret void
}
define spir_func void @f() "sycl-module-id"="bin/a.cpp" {
  ret void
}
define spir_func void @own() {
  ret void
}
`))
	testkit.NoError(t, err)
	testkit.NoError(t, m.Mark("a.cpp of //lib", false))
	for name, want := range map[string]string{"k": "a.cpp of //lib", "f": "a.cpp of //lib", "own": ""} {
		if got, _ := m.ir.Function(name).Attribute("sycl-module-id"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestMarkEmulatesConversions checks that callers in a source see the requirements of its functions
// on devices that emulate conversions.
func TestMarkEmulatesConversions(t *testing.T) {
	for emulate, want := range map[bool]bool{false: true, true: false} {
		m := testkit.Must(Parse("a.bc", []byte("define spir_kernel void @k(ptr addrspace(1) %p, float %f) {\n  %d = fpext float %f to double\n  store double %d, ptr addrspace(1) %p\n  ret void\n}\n")))(t)
		testkit.NoError(t, m.Mark("a.cpp", emulate))
		if got := m.ir.Function("k").HasMetadata("sycl_used_aspects"); got != want {
			t.Errorf("emulated %v: aspects %v", emulate, got)
		}
	}
}

func TestDropHostCode(t *testing.T) {
	m := parse(t, "@llvm.global_ctors = appending global [0 x i32] zeroinitializer\n@x = global i32 1\n")
	dropHostCode(m)
	if got := testkit.Text(t, m); got != "@x = global i32 1\n" {
		t.Errorf("got %q", got)
	}
}

func TestUndefined(t *testing.T) {
	m := parse(t, `@g = global i32 0
define spir_kernel void @_ZTS1K() {
  call void @_Z4selfv()
  call i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
  call void @llvm.trap()
  call <8 x i32> @_Z16__esimd_svm_loadPKi(ptr @g)
  load i32, ptr @g
}
define spir_func void @_Z4selfv() {
  call void @_Z4selfv()
  call i32 @_Z5twicei(i32 1)
  call void @_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt(ptr addrspace(1) null, i32 1, i32 1, i32 1, <2 x i32> zeroinitializer, ptr null)
  call void @__builtin_IB_subgroup_block_prefetch()
}
define spir_func void @_Z4hostv() {
  call void @_Z6printfv()
}
declare void @llvm.trap()
declare i64 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
declare <8 x i32> @_Z16__esimd_svm_loadPKi(ptr)
declare i32 @_Z5twicei(i32)
declare void @_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt(ptr addrspace(1), i32, i32, i32, <2 x i32>, ptr)
declare void @__builtin_IB_subgroup_block_prefetch()
declare void @_Z6printfv()
`)
	got := undefined(m)
	if len(got) != 1 {
		t.Fatalf("got %v", got)
	}
	want := "device function 'twice(int)' is used but no source defines it; it is called by function 'self()', called by kernel 'K'"
	if got[0].String() != want {
		t.Errorf("got  %s\nwant %s", got[0], want)
	}
}

// TestUndefinedAdvice checks that errors about undefined functions end with the given advice.
func TestUndefinedAdvice(t *testing.T) {
	const text = "define spir_kernel void @k() \"sycl-module-id\"=\"a.cpp\" {\n  call void @missing()\n  ret void\n}\ndeclare void @missing()\n"
	for advice, want := range map[string]string{"": "; define it in a header, or link the source", "use -x": "; use -x"} {
		_, err := checkUndefined(parse(t, text), Options{UndefinedAdvice: advice})
		if err == nil || !strings.HasPrefix(err.Error(), "a.cpp: device function 'missing' ") || !strings.Contains(err.Error(), want) {
			t.Errorf("advice %q: %v", advice, err)
		}
	}
}

// TestWholeModuleLikeDPCPP checks that the same functions are kept as by sycl-post-link with
// -ir-output-only: functions that other modules may call, except functions that each caller defines
// itself.
func TestWholeModuleLikeDPCPP(t *testing.T) {
	const text = `define spir_kernel void @k() "sycl-module-id"="a.cpp" {
  ret void
}
define void @visible() {
  ret void
}
define linkonce_odr void @inline_() {
  ret void
}
define internal void @local() {
  ret void
}
`
	result, err := run(parse(t, text), Options{AsDPCPP: true, Split: SplitOptions{Mode: SplitOff, Whole: true}})
	if err != nil || len(result.Images) != 1 {
		t.Fatalf("%v, %v", result, err)
	}
	var code strings.Builder
	testkit.NoError(t, result.Images[0].WriteCode(&code))
	for name, want := range map[string]bool{"@k(": true, "@visible(": true, "@inline_(": false, "@local(": false} {
		if strings.Contains(code.String(), name) != want {
			t.Errorf("%s: want %v in\n%s", name, want, &code)
		}
	}
}
