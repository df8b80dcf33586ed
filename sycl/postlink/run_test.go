package postlink

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/postlink/internal/devicecode"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// linked is the result of [Module.Mark] and linking for two sources. The source with the kernel
// does not show that the other source's function uses double.
const linked = `target triple = "spirv64-unknown-unknown"

define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) #0 {
  call spir_func void @_Z3barPd(ptr addrspace(1) %p)
  ret void
}

define spir_kernel void @_ZTS5Knows(ptr addrspace(1) %p) #0 !sycl_used_aspects !0 {
  %x = load double, ptr addrspace(1) %p
  call spir_func void @_Z3barPd(ptr addrspace(1) %p)
  ret void
}

define spir_func void @_Z3barPd(ptr addrspace(1) %p) #1 !sycl_used_aspects !0 {
  %x = load double, ptr addrspace(1) %p
  %y = fadd double %x, %x
  store double %y, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" }
attributes #1 = { "sycl-module-id"="b.cpp" }
!0 = !{!1}
!1 = !{!"fp64", i32 6}
`

func TestRun(t *testing.T) {
	m := parse(t, linked)
	result, err := run(m, Options{Split: SplitOptions{Mode: SplitPerSource, KernelsOnly: true}})
	testkit.NoError(t, err)
	// Both kernels finally need fp64, so they are in one image. One of them declares it, so there is
	// no warning.
	if got := describeImages(result.Images); got != "0 _ZTS1K _ZTS5Knows: _Z3barPd\n" {
		t.Errorf("images: %s", got)
	}
	if len(result.Diagnostics) > 0 {
		t.Errorf("diagnostics: %v", result.Diagnostics)
	}

	m = parse(t, linked)
	result, err = run(m, Options{Split: SplitOptions{Mode: SplitPerKernel, KernelsOnly: true}})
	testkit.NoError(t, err)
	if len(result.Diagnostics) != 1 || !strings.HasPrefix(result.Diagnostics[0].String(),
		"warning: function 'bar' uses aspect 'fp64' not expected by its calling kernel.\nMissing [[sycl::device_has()]] on SYCL_EXTERNAL function?\n") {
		t.Errorf("diagnostics: %v", result.Diagnostics)
	}
	for _, image := range result.Images {
		sets := testkit.Must(image.Properties(PropertyOptions{}))(t)
		if text := sets.String(); !strings.Contains(text, "aspects=2|gAAAAAAAAAgBAAAA\n") {
			t.Errorf("image %d: %s", image.Number, text)
		}
	}
}

// TestOnlyExternalFunctionsAreUnexpected checks that there are only warnings about SYCL_EXTERNAL
// functions. The callers of other functions, for example functions in a header, see their
// definitions.
func TestOnlyExternalFunctionsAreUnexpected(t *testing.T) {
	ir := strings.Replace(linked, "define spir_func void @_Z3barPd(ptr addrspace(1) %p) #1", "define linkonce_odr spir_func void @_Z3barPd(ptr addrspace(1) %p)", 1)
	result, err := run(parse(t, ir), Options{Split: SplitOptions{Mode: SplitPerKernel}})
	if err != nil || len(result.Diagnostics) > 0 || len(result.Images) != 2 {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestMarkSource(t *testing.T) {
	m := parse(t, strings.NewReplacer(` #0`, "", ` #1`, "", ` !sycl_used_aspects !0`, "").Replace(linked[:strings.Index(linked, "attributes")]))
	testkit.NoError(t, markSource(m, "dir/a.cpp", false))
	for name, aspects := range map[string]bool{"_ZTS1K": true, "_ZTS5Knows": true, "_Z3barPd": true} {
		f := m.Function(name)
		if id, _ := f.Attribute(devicecode.AttrModuleID); f.Kernel() && id != "dir/a.cpp" {
			t.Errorf("%s has source %q", name, id)
		}
		if f.HasMetadata(devicecode.UsedAspectsMD) != aspects {
			t.Errorf("%s uses aspects: %v", name, !aspects)
		}
		if f.HasMetadata(devicecode.FixedTargetsMD) {
			t.Errorf("%s has fixed targets", name)
		}
	}
}

// TestRunWithErrors checks that a variable without a value causes a single error.
func TestRunWithErrors(t *testing.T) {
	m := parse(t, started+"define void @init() {\n  store float 1.0, ptr addrspace(1) @x\n  ret void\n}\n"+
		"define spir_kernel void @_ZTS1L() \"sycl-module-id\"=\"b\" {\n  %v = load float, ptr addrspace(1) @x\n  call void @lost()\n  ret void\n}\ndeclare void @lost()\n")
	result := testkit.Must(run(m, Options{Split: SplitOptions{Mode: SplitPerSource}}))(t)
	if len(result.Images) > 0 || len(result.Diagnostics) != 1 || !result.Diagnostics[0].IsError {
		t.Errorf("%d images, %v", len(result.Images), result.Diagnostics)
	}
}

// TestRunNumbersAspects checks the final property sets for IR with the old and the new aspect
// numbers.
func TestRunNumbersAspects(t *testing.T) {
	for _, number := range []string{"27", "28"} {
		m := parse(t, `
define spir_kernel void @k() !sycl_used_aspects !0 {
  ret void
}
!0 = !{!94}
!sycl_aspects = !{!92, !94}
!92 = !{!"fp64", i32 6}
!94 = !{!"atomic64", i32 `+number+`}
`)
		result := testkit.Must(run(m, Options{Split: SplitOptions{Mode: SplitOff}}))(t)
		if len(result.Images) != 1 {
			t.Fatalf("%d images", len(result.Images))
		}
		sets := testkit.Must(result.Images[0].Properties(PropertyOptions{}))(t)
		q, err := requirement.FromProperties(sets)
		if err != nil || len(q.Aspects) != 1 || q.Aspects[0] != aspect.Atomic64 {
			t.Errorf("number %s: %v, %v", number, q, err)
		}
	}
}

// TestSplitKernelProperties checks that kernels whose properties require different sizes are in
// different images, which have the property.
func TestSplitKernelProperties(t *testing.T) {
	m := parse(t, `target triple = "spir64-unknown-unknown"
define spir_kernel void @a() "sycl-module-id"="a.cpp" "sycl-work-group-size"="8,4" {
  ret void
}
define spir_kernel void @b() "sycl-module-id"="a.cpp" "sycl-sub-group-size"="16" {
  ret void
}
define spir_kernel void @c() "sycl-module-id"="a.cpp" "sycl-work-group-size"="8,4" {
  ret void
}
`)
	result := testkit.Must(run(m, Options{Split: SplitOptions{Mode: SplitPerSource, KernelsOnly: true}}))(t)
	var got strings.Builder
	for _, image := range result.Images {
		r := testkit.Must(image.Properties(PropertyOptions{}))(t)
		q := testkit.Must(requirement.FromProperties(r))(t)
		fmt.Fprintln(&got, q.WorkGroupSize, q.SubGroupSizes)
	}
	if want := "0 a c:\n1 b:\n"; describeImages(result.Images) != want {
		t.Errorf("images %s, want %s", describeImages(result.Images), want)
	}
	if want := "[4 8 1] []\n[] [16]\n"; got.String() != want {
		t.Errorf("requirements\n%s, want\n%s", got.String(), want)
	}
}

// TestUsedDeviceGlobals checks that variables that the front end keeps for hosts are in all images,
// regardless of their linkage. Other device globals that a linker may discard are only in images
// that use them.
func TestUsedDeviceGlobals(t *testing.T) {
	const ir = `@llvm.compiler.used = appending global [1 x ptr addrspace(1)] [ptr addrspace(1) @kept], section "llvm.metadata"
@kept = internal addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="kept"
@own = internal addrspace(1) global i32 0 "sycl-device-global-size"="4" "sycl-unique-id"="own"
define spir_kernel void @a() "sycl-module-id"="a.cpp" {
  %x = load i32, ptr addrspace(1) @kept
  %y = load i32, ptr addrspace(1) @own
  ret void
}
define spir_kernel void @b() "sycl-module-id"="b.cpp" {
  ret void
}
`
	result := testkit.Must(run(parse(t, ir), Options{Split: SplitOptions{Mode: SplitPerSource}}))(t)
	if got, want := describeImages(result.Images), "0 b: kept\n1 a: kept own\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
