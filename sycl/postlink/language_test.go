package postlink

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// aKernel is a module without a source language.
const aKernel = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %x) "sycl-module-id"="a" {
  store i32 1, ptr addrspace(1) %x
  ret void
}
`

// languages are the forms in which a module can specify its language.
var languages = map[string]struct {
	metadata string
	want     string // the remaining metadata
	source   string // language in the SPIR-V
}{
	"none":                            {"", "!0 = !{i32 4, i32 100000}\n!spirv.Source = !{!0}\n", "OpenCL_CPP 100000"},
	"DPC++'s language":                {"!spirv.Source = !{!5}\n!5 = !{i32 4, i32 100000}\n", "!spirv.Source = !{!5}\n!5 = !{i32 4, i32 100000}\n", "OpenCL_CPP 100000"},
	"one of two sources":              {"!spirv.Source = !{!0, !0}\n!0 = !{i32 4, i32 100000}\n", "!spirv.Source = !{!0}\n!0 = !{i32 4, i32 100000}\n", "OpenCL_CPP 100000"},
	"a different language":            {"!spirv.Source = !{!0}\n!0 = !{i32 6, i32 100000}\n", "!spirv.Source = !{!0}\n!0 = !{i32 6, i32 100000}\n", "CPP_for_OpenCL 100000"},
	"SYCL after a different language": {"!spirv.Source = !{!0, !1, !2}\n!0 = !{i32 0, i32 0}\n!1 = !{i32 3, i32 200000}\n!2 = !{i32 4, i32 100000}\n", "!spirv.Source = !{!2}\n", "OpenCL_CPP 100000"},
	"two different languages":         {"!spirv.Source = !{!0, !1}\n!0 = !{i32 6, i32 100000}\n!1 = !{i32 3, i32 200000}\n", "!spirv.Source = !{!0}\n", "CPP_for_OpenCL 100000"},
	"unknown":                         {"!spirv.Source = !{!0}\n!0 = !{i32 0, i32 0}\n", "!spirv.Source = !{!1}\n", "OpenCL_CPP 100000"},
	"OpenCL C":                        {"!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}\n", "\n!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}\n", "OpenCL_C 200000"},
	"OpenCL C, from SPIR-V":           {"!spirv.Source = !{!1}\n!1 = !{i32 3, i32 200000}\n!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}\n", "!spirv.Source = !{!1}\n", "OpenCL_C 200000"},
	"an unknown and a known language": {"!spirv.Source = !{!1}\n!1 = !{i32 0, i32 0}\n!opencl.ocl.version = !{!0}\n!0 = !{i32 2, i32 0}\n", "\n!opencl.ocl.version = !{!0}\n", "OpenCL_C 200000"},
	"a meaningless node":              {"!spirv.Source = !{!1}\n!1 = !{!1, !\"x\"}\n", "!spirv.Source = !{!2}\n", "OpenCL_CPP 100000"},
}

func TestSetSourceLanguage(t *testing.T) {
	for name, test := range languages {
		t.Run(name, func(t *testing.T) {
			m := parse(t, aKernel+test.metadata)
			setSourceLanguage(m)
			got := testkit.Text(t, m)
			if !strings.Contains(got, test.want) {
				t.Errorf("missing %q in\n%s", test.want, got)
			}
			if n, want := strings.Count(got, "!spirv.Source = "), strings.Count(test.want, "!spirv.Source = "); n != want {
				t.Errorf("%d occurrences of !spirv.Source, want %d:\n%s", n, want, got)
			}
			if setSourceLanguage(m); testkit.Text(t, m) != got {
				t.Errorf("second run changes the module to\n%s", testkit.Text(t, m))
			}
		})
	}
	other := strings.Replace(aKernel, "spirv64-unknown-unknown", "nvptx64-nvidia-cuda", 1)
	m := parse(t, other)
	if setSourceLanguage(m); testkit.Text(t, m) != other {
		t.Errorf("module for a different target changed:\n%s", testkit.Text(t, m))
	}
}

// TestSourceLanguageWithRealCompilers checks the language in the SPIR-V. llc reads only the
// metadata that OpenCL C front ends write, and otherwise assumes OpenCL C++ 1.0.
func TestSourceLanguageWithRealCompilers(t *testing.T) {
	translator, as, llc, dis := testkit.Program(t, "llvm-spirv"), testkit.Program(t, "llvm-as"), testkit.Program(t, "llc"), testkit.Program(t, "spirv-dis")
	for name, test := range languages {
		t.Run(name, func(t *testing.T) {
			if name == "a node of no meaning" {
				t.Skip("not a valid module before the pass")
			}
			t.Chdir(t.TempDir())
			m := parse(t, aKernel+test.metadata)
			images, err := everything(t, m, Options{Split: SplitOptions{Mode: SplitOff}})
			if err != nil || len(images) != 1 {
				t.Fatalf("%d images, %v", len(images), err)
			}
			run := func(input string, args ...string) string {
				t.Helper()
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Stdin = strings.NewReader(input)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				return string(out)
			}
			run(images[0], as, "-o", "k.bc", "-")
			run("", translator, "k.bc", "-o", "k.spv")
			if got, want := run("", dis, "k.spv"), "OpSource "+test.source+"\n"; !strings.Contains(got, want) {
				t.Errorf("missing %q in\n%s", want, got)
			}
			run("", llc, "-mtriple=spirv64-unknown-unknown", "--filetype=obj", "k.bc", "-o", "k.spv")
			want := "OpSource OpenCL_CPP 100000\n"
			if strings.Contains(test.metadata, "opencl.ocl.version") {
				want = "OpSource OpenCL_C 200000\n"
			}
			if got := run("", dis, "k.spv"); !strings.Contains(got, want) {
				t.Errorf("llc: missing %q in\n%s", want, got)
			}
		})
	}
}
