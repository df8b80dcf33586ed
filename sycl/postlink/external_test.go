package postlink

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/aspects"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
)

// expect and check treat a module as one image.
func expect(m *llvmir.Module) (*expectation, error) {
	known, err := newKnownAspects(m)
	if err != nil {
		return nil, err
	}
	return expectedOf(m, m.Kernels(), known)
}

func check(m *llvmir.Module, expected *expectation) ([]Diagnostic, error) {
	known, err := newKnownAspects(m)
	if err != nil {
		return nil, err
	}
	return newExternalCheck(m, known).functions(m.Functions(), expected)
}

// fixedTargets returns a module with a kernel that calls foo. Both are compiled for a list of
// targets.
func fixedTargets(kernel, foo string) string {
	return fmt.Sprintf(`define spir_kernel void @k() !sycl_fixed_targets !0 {
  call void @foo()
  ret void
}
define void @foo() !sycl_fixed_targets !1 {
  ret void
}
!0 = !{%s}
!1 = !{%s}
`, kernel, foo)
}

const otherTargets = "warning: function 'foo' compiled with a different `-fsycl-fixed-targets` switch than its calling kernel.\nit is called by kernel 'k'"

func TestCheckExternals(t *testing.T) {
	for name, test := range map[string]struct {
		ir   string
		says string
	}{
		"functions that the kernels expect": {
			ir: `define spir_kernel void @k() !sycl_used_aspects !0 !sycl_declared_aspects !1 !intel_reqd_sub_group_size !2 {
  call void @f()
  ret void
}
define void @f() !sycl_used_aspects !1 !intel_reqd_sub_group_size !2 {
  ret void
}
!0 = !{i32 5}
!1 = !{!{!"fp64", i32 6}}
!2 = !{i32 16}
`,
		},
		"an aspect that the kernel does not use": {
			ir: `define spir_kernel void @_ZTS1K() !sycl_used_aspects !0 {
  call void @_Z3barv()
  ret void
}
define void @_Z3barv() {
  call void @_Z3foov()
  ret void
}
define void @_Z3foov() !sycl_used_aspects !1 {
  ret void
}
!0 = !{i32 5}
!1 = !{i32 6, i32 5}
`,
			says: `warning: function 'foo' uses aspect 'fp64' not expected by its calling kernel.
Missing [[sycl::device_has()]] on SYCL_EXTERNAL function?
it is called by function 'bar()', called by kernel 'K'`,
		},
		"an aspect that is only declared": {
			ir: `define spir_kernel void @k() {
  call void @foo()
  ret void
}
define void @foo() !sycl_declared_aspects !0 !dbg !3 {
  ret void
}
!0 = !{i32 6}
!1 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !2)
!2 = !DIFile(filename: "ext.cpp", directory: "")
!3 = distinct !DISubprogram(name: "foo", scope: !2, file: !2, line: 14, unit: !1)
`,
			says: `ext.cpp:14: warning: function 'foo' uses aspect 'fp64' not expected by its calling kernel.
Missing [[sycl::device_has()]] on SYCL_EXTERNAL function?
it is called by kernel 'k'`,
		},
		"a different sub-group size": {
			ir: `define spir_kernel void @k() !intel_reqd_sub_group_size !0 {
  call void @bar()
  ret void
}
define void @bar() !intel_reqd_sub_group_size !1 {
  ret void
}
!0 = !{i32 16}
!1 = !{i32 32}
`,
			says: `warning: function 'bar' has required sub-group size '32' that does not match its calling kernel.
Missing [[sycl::reqd_sub_group()]] attribute on SYCL_EXTERNAL function?
it is called by kernel 'k'`,
		},
		"fixed targets: what is there for all, aspects do not matter": {
			ir: `define spir_kernel void @k() !sycl_fixed_targets !0 {
  call void @same()
  call void @unmarked()
  ret void
}
define void @same() !sycl_fixed_targets !1 !sycl_used_aspects !2 {
  ret void
}
define void @unmarked() {
  ret void
}
!0 = !{!"intel_gpu_pvc", !"intel_gpu_dg2_g10"}
!1 = !{!"intel_gpu_acm_g10", !"intel_gpu_12_60_7"}
!2 = !{i32 6}
`,
		},
		"fixed targets: a function for another one": {
			ir:   fixedTargets(`!"intel_gpu_pvc", !"intel_gpu_tgllp"`, `!"intel_gpu_pvc", !"intel_gpu_skl"`),
			says: otherTargets,
		},
		"fixed targets: nothing in common leaves none, which is still a requirement": {
			ir:   fixedTargets(`!"intel_gpu_pvc"`, `!"intel_gpu_skl"`),
			says: otherTargets,
		},
		"fixed targets: a function compiled without the switch takes nothing away": {
			ir:   fixedTargets(`!"intel_gpu_pvc"`, ""),
			says: otherTargets,
		},
		"a kernel without fixed targets": {
			ir: fixedTargets("", `!"intel_gpu_pvc"`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, test.ir)
			expected := testkit.Must(expect(m))(t)
			diagnostics := testkit.Must(check(m, expected))(t)
			var says []string
			for _, d := range diagnostics {
				says = append(says, d.String())
			}
			if got := strings.Join(says, "\n"); got != test.says {
				t.Errorf("says:\n%s\nwant:\n%s", got, test.says)
			}
		})
	}
}

// TestSourceExternals checks two sources whose aspects were determined separately.
func TestSourceExternals(t *testing.T) {
	caller := parse(t, `define spir_kernel void @k() {
  call void @foo()
  ret void
}
declare void @foo()
`)
	callee := parse(t, `define void @foo() "sycl-module-id"="b.cpp" {
  %x = load double, ptr null
  ret void
}
`)
	testkit.Must(aspects.Propagate(caller, aspects.Options{}))(t)
	testkit.Must(aspects.Propagate(callee, aspects.Options{}))(t)
	expected := testkit.Must(expect(caller))(t)
	diagnostics, err := check(callee, expected)
	if err != nil || len(diagnostics) != 1 || !strings.Contains(diagnostics[0].Text, "fp64") {
		t.Errorf("got %v, %v", diagnostics, err)
	}
}

func TestExternalsMalformed(t *testing.T) {
	for name, metadata := range map[string]string{
		"used":     "!sycl_used_aspects",
		"declared": "!sycl_declared_aspects",
		"targets":  "!sycl_fixed_targets",
	} {
		t.Run(name, func(t *testing.T) {
			m := parse(t, "define spir_kernel void @k() "+metadata+" !0 {\n  ret void\n}\n!0 = !{double 1.0}\n")
			var bad *devicecode.MetadataError
			if _, err := expect(m); !errors.As(err, &bad) || bad.Function != "k" {
				t.Errorf("got %v", err)
			}
			expected := &expectation{}
			if name == "targets" {
				expected.fixedTargets = []string{"intel_gpu_pvc"}
			}
			if _, err := check(m, expected); !errors.As(err, &bad) || bad.Function != "k" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestUndefinedThroughVariablesAndAliases(t *testing.T) {
	m := parse(t, `@table = internal constant [1 x ptr] [ptr @inner]
@other = alias void (), ptr @inner
define spir_kernel void @k() {
  %f = load ptr, ptr @table
  ret void
}
define void @inner() {
  call void @other()
  call void @missing()
  call void @missing()
  ret void
}
declare void @missing()
declare void @never()
`)
	got := undefined(m)
	want := "[device function 'missing' is used but no source defines it; it is called by function 'inner', called by kernel 'k']"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

func TestUndefinedVariables(t *testing.T) {
	m := parse(t, `@_ZTV5Shape = external addrspace(1) constant { [3 x ptr addrspace(4)] }
@limit = available_externally addrspace(1) constant i32 3
@_ZTVN10__cxxabiv117__class_type_infoE = external addrspace(1) global ptr addrspace(4)
@__spirv_BuiltInGlobalInvocationId = external addrspace(1) constant <3 x i64>
@shared = external addrspace(3) global [0 x i32]
@never = external addrspace(1) constant i32
@_ZTI5Shape = linkonce_odr addrspace(1) constant ptr addrspace(1) @_ZTVN10__cxxabiv117__class_type_infoE
define spir_kernel void @k() {
  %f = load ptr addrspace(4), ptr addrspace(1) @_ZTI5Shape
  %l = load i32, ptr addrspace(1) @limit
  %i = load <3 x i64>, ptr addrspace(1) @__spirv_BuiltInGlobalInvocationId
  %s = load i32, ptr addrspace(3) @shared
  call void @make()
  ret void
}
define void @make() {
  store ptr addrspace(1) @_ZTV5Shape, ptr null
  ret void
}
`)
	got := undefined(m)
	want := "[device variable 'vtable for Shape' is used but no source defines it; it is used by function 'make', called by kernel 'k']"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}

func TestUndefinedAfterLongChain(t *testing.T) {
	var b strings.Builder
	b.WriteString("define spir_kernel void @f0() {\n  call void @f1()\n  ret void\n}\n")
	const n = 20_000
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "define void @f%d() {\n  call void @f%d()\n  ret void\n}\n", i, i+1)
	}
	fmt.Fprintf(&b, "declare void @f%d()\n", n)
	got := undefined(parse(t, b.String()))
	if len(got) != 1 || len(got[0].chain) != n {
		t.Fatalf("got %d functions", len(got))
	}
	if s := got[0].String(); len(s) > 4000 || !strings.HasSuffix(s, "called by ..., called by kernel 'f0'") {
		t.Errorf("%d bytes: %s", len(s), s)
	}
}
