package postlink

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// named is a module that refers to a kernel in every possible form: in other code, in lists of
// symbols and of texts, in debug information, and in property sets through the kernel's metadata.
const named = `target triple = "spirv64-unknown-unknown"

$_ZTS1A = comdat any

@list = addrspace(1) constant ptr @_ZTS1A
@text = addrspace(1) constant [8 x i8] c"_ZTS1A\00\00"
@other = alias void (ptr addrspace(3)), ptr @_ZTS1A

define spir_kernel void @_ZTS1A(ptr addrspace(3) "sycl-implicit-local-arg" %p) #0 comdat !dbg !10 !sycl_kernel_omit_args !2 {
  call spir_func void @__devicelib_assert_fail()
  ret void
}

define spir_kernel void @__sycl_kernel__Z4freev() #0 {
  ret void
}

define ptx_kernel void @"odd \22name\22"() #0 !reqd_work_group_size !3 {
  %p = load ptr, ptr addrspace(1) @list
  %q = load i8, ptr addrspace(1) @text
  call spir_kernel void @other(ptr addrspace(3) null)
  ret void
}

define spir_func void @__devicelib_assert_fail() {
  ret void
}

attributes #0 = { "sycl-module-id"="a.cpp" "sycl-work-group-static" }

!spirv.ExecutionMode = !{!1}
!sycl_registered_kernels = !{!4, !6}
!llvm.dbg.cu = !{!8}
!1 = !{ptr @_ZTS1A, i32 4462, i32 64}
!2 = !{i1 true}
!3 = !{i32 8}
!4 = !{!5, !{!"free", !"__sycl_kernel__Z4freev"}}
!5 = !{!"_ZTS1A", !"_ZTS1A"}
!6 = !{!7, !{!"a", !"b", !"_ZTS1A"}}
!7 = !{!"n", !"odd \22name\22"}
!8 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !9, emissionKind: FullDebug)
!9 = !DIFile(filename: "a.cpp", directory: "")
!10 = distinct !DISubprogram(name: "_ZTS1A", linkageName: "_ZTS1A", scope: !9, file: !9, line: 3, unit: !8)
`

func TestPrefixKernelNames(t *testing.T) {
	m := parse(t, named)
	testkit.NoError(t, prefixKernelNames(m))
	const a, odd = "__sycl_kernel__ZTS1A", `__sycl_kernel_odd \22name\22`
	got := testkit.Text(t, m)
	hasParts(t, "the module", got, []string{
		"define spir_kernel void @" + a + "(", "comdat($_ZTS1A)", "$_ZTS1A = comdat any",
		"define spir_kernel void @__sycl_kernel__Z4freev(", `define ptx_kernel void @"` + odd + `"(`,
		"constant ptr @" + a, `c"_ZTS1A\00\00"`, "@other = alias void (ptr addrspace(3)), ptr @" + a, "call spir_kernel void @other(",
		"!{ptr @" + a + ", i32 4462, i32 64}",
		`!{!{!"_ZTS1A", !"` + a + `"}, !{!"free", !"__sycl_kernel__Z4freev"}}`, `!{!{!"n", !"` + odd + `"}, !{!"a", !"b", !"_ZTS1A"}}`,
		`name: "_ZTS1A", linkageName: "` + a + `"`,
	}, []string{"@_ZTS1A", `@"odd`, "__sycl_kernel___sycl_kernel_"})
	if err := prefixKernelNames(m); err != nil || testkit.Text(t, m) != got {
		t.Errorf("second run changes the module (%v)", err)
	}
}

// TestImageKernelNames checks that all outputs have the new names, and that messages have the old
// names.
func TestImageKernelNames(t *testing.T) {
	o := Options{Split: SplitOptions{Mode: SplitPerSource}, SYCLBINKernelNames: true}
	m := parse(t, named)
	result := testkit.Must(run(m, o))(t)
	var sets, symbols, code strings.Builder
	for _, image := range result.Images {
		r := testkit.Must(image.Properties(allProperties))(t)
		sets.WriteString(r.String())
		names := testkit.Must(image.Symbols())(t)
		symbols.WriteString(names)
		testkit.NoError(t, image.WriteCode(&code))
	}
	const a = "__sycl_kernel__ZTS1A"
	if got, want := symbols.String(), "__sycl_kernel_odd \"name\"\n"+a+"\n__sycl_kernel__Z4freev\n"; got != want {
		t.Errorf("symbols: %q, want %q", got, want)
	}
	for set, want := range map[string]string{
		"kernel names":       a + "=1|1\n__sycl_kernel__Z4freev=1|1\n",
		"kernel param opt":   a + "=2|",
		"assert used":        a + "=1|1\n",
		"implicit local arg": a + "=1|0\n",
		"registered kernels": "_ZTS1A=2|",
	} {
		if _, rest, ok := strings.Cut(sets.String(), "[SYCL/"+set+"]\n"); !ok || !strings.Contains(rest, want) {
			t.Errorf("missing %q in [SYCL/%s] of\n%s", want, set, sets.String())
		}
	}
	if !strings.Contains(sets.String(), `__sycl_kernel_odd "name"@reqd_work_group_size=`) {
		t.Errorf("program metadata:\n%s", sets.String())
	}
	for _, text := range []string{sets.String(), code.String()} {
		for _, old := range []string{"\n_ZTS1A=1", "@_ZTS1A"} {
			if strings.Contains(text, old) {
				t.Errorf("%q remains in\n%s", old, text)
			}
		}
	}
}

func TestKernelNamesRejected(t *testing.T) {
	const kernel = "define spir_kernel void @_ZTS1A() {\n  ret void\n}\n"
	for name, test := range map[string]struct{ ir, want string }{
		"a function with the new name": {kernel + "define void @__sycl_kernel__ZTS1A() {\n  ret void\n}\n", "kernel 'A': its symbol _ZTS1A would be renamed to __sycl_kernel__ZTS1A in a SYCLBIN, and a different symbol has that name"},
		"a kernel with the new name":   {kernel + strings.Replace(kernel, "@", "@__sycl_kernel_", 1), "kernel 'A': its symbol _ZTS1A would be renamed to __sycl_kernel__ZTS1A in"},
		"a variable with the new name": {"@__sycl_kernel__ZTS1A = global i32 0\n" + kernel, "kernel 'A': its symbol"},
		"a sanitizer's list":           {"@__AsanKernelMetadata = global i32 0\n" + kernel, "@__AsanKernelMetadata lists the names of kernels"},
		"no conflict":                  {kernel, ""},
		"a sanitizer, nothing renamed": {"@__AsanKernelMetadata = global i32 0\n" + strings.Replace(kernel, "@", "@__sycl_kernel_", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := prefixKernelNames(parse(t, test.ir)); err != nil {
				got = err.Error()
			}
			if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestSizesInAPrefixedName checks that sizes in the names of a SYCLBIN's kernels, which have the
// prefix, are read.
func TestSizesInAPrefixedName(t *testing.T) {
	const name = "__sycl_kernel__ZTSN9sycl_lite11kernel_withI1KLj64ELj2ELj1ELj8EEE"
	m := parse(t, "define spir_kernel void @"+name+"() {\n  ret void\n}\n")
	testkit.NoError(t, lowerKernelNames(m))
	hasParts(t, "the module", testkit.Text(t, m), []string{"!{i32 64, i32 2, i32 1}", "!{i32 8}", "@" + name + "("}, nil)
	err := lowerKernelNames(parse(t, "define spir_kernel void @"+strings.Replace(name, "Lj2E", "Lj0E", 1)+"() {\n  ret void\n}\n"))
	if want := "kernel K: the required work-group size is 0"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
