package inspect

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/report"
)

// deviceCode returns LLVM IR of kernels, which require fp64 if their names begin with _ZTS1D. It
// also contains a helper that no kernel calls and a helper that a different object defines.
func deviceCode(kernels ...string) string {
	var b strings.Builder
	b.WriteString(`target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64"
target triple = "spir64-unknown-unknown"

declare spir_func void @_Z5otherv()

define spir_func void @_Z6helperv() {
  ret void
}
`)
	for _, name := range kernels {
		typ := "float"
		if strings.HasPrefix(name, "_ZTS1D") {
			typ = "double"
		}
		fmt.Fprintf(&b, `
define spir_kernel void @%s(ptr addrspace(1) %%p) {
  %%v = load %[2]s, ptr addrspace(1) %%p
  %%w = fadd %[2]s %%v, %%v
  store %[2]s %%w, ptr addrspace(1) %%p
  call spir_func void @_Z5otherv()
  ret void
}
`, name, typ)
	}
	return b.String()
}

// bitcode returns the fake bitcode of IR: text that fakeLLVM accepts.
func bitcode(ir string) []byte { return []byte("BC\xc0\xde" + ir) }

// fakeLLVM creates a fake llvm-dis of a release, which prints the text after the magic number. It
// rejects code that begins with bad.
func fakeLLVM(t *testing.T, name, release string) string {
	return testkit.Script(t, name, `if [ "$1" = --version ]; then echo "Debian LLVM version `+release+`"; exit 0; fi
code=$(tail -c +5)
case $code in bad*) echo "$0: error: <stdin>: Invalid record" >&2; exit 1;; esac
printf '%s\n' "$code"`)
}

// codeBundle returns a clang-offload-bundler bundle with an image for spir64.
func codeBundle(code []byte) []byte {
	const id = "sycl-spir64-unknown-unknown"
	var b bytes.Buffer
	b.WriteString("__CLANG_OFFLOAD_BUNDLE__")
	number := func(n int) {
		for shift := 0; shift < 64; shift += 8 {
			b.WriteByte(byte(n >> shift))
		}
	}
	number(1)
	number(24 + 8 + 24 + len(id))
	number(len(code))
	number(len(id))
	b.WriteString(id)
	b.Write(code)
	return b.Bytes()
}

// members concatenates archives with one member each.
func members(archives ...[]byte) []byte {
	all := []byte("!<arch>\n")
	for _, a := range archives {
		all = append(all, bytes.TrimPrefix(a, []byte("!<arch>\n"))...)
	}
	return all
}

// kernelsOn returns the names of the kernels of a report, marked with "no" if a device does not run
// the kernel.
func kernelsOn(r *report.Report) (list []string) {
	for i := range r.Kernels {
		s := r.Kernels[i].Name
		if r.Outcome(i, 0).Status.String() != "compatible" {
			s += " no"
		}
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

func TestBitcode(t *testing.T) {
	one, two := object(t, offload.SYCL, bitcode(deviceCode("_ZTS1A", "_ZTS1D"))), object(t, offload.SYCL, bitcode(deviceCode("_ZTS1B")))
	bad := object(t, offload.SYCL, bitcode("bad"))
	hip := bytes.ReplaceAll(object(t, offload.HIP, bitcode(deviceCode("_ZTS1A"))), []byte("spir64-unknown-unknown"), []byte("amdgcn-unknown-unknown"))
	for name, test := range map[string]struct {
		file   []byte
		want   []string
		stderr string
	}{
		"an offload binary":                    {one, []string{"_ZTS1A", "_ZTS1D no"}, ""},
		"a static library":                     {members(arFile("a.o", one), arFile("b.o", two)), []string{"_ZTS1A", "_ZTS1B", "_ZTS1D no"}, ""},
		"two members with the same name":       {members(arFile("a.o", one), arFile("a.o", two)), []string{"_ZTS1A", "_ZTS1B", "_ZTS1D no"}, ""},
		"a bundle":                             {codeBundle(bitcode(deviceCode("_ZTS1D2x"))), []string{"_ZTS1D2x no"}, ""},
		"bitcode and SPIR-V":                   {object(t, offload.SYCL, bitcode(deviceCode("_ZTS1A")), testkit.SPIRV("_ZTS1S")), []string{"_ZTS1A", "_ZTS1S"}, ""},
		"concatenated code of several objects": {object(t, offload.SYCL, bitcode(deviceCode("_ZTS1A")), bitcode(deviceCode("_ZTS1B"))), []string{"_ZTS1A", "_ZTS1B"}, ""},
		"bitcode that LLVM rejects":            {members(arFile("a.o", one), arFile("bad.o", bad), arFile("bad.o", bad)), nil, `libk.a: cannot read the LLVM bitcode in 2 device images of 2 objects: member "bad.o", offset `},
		"unreadable IR":                        {object(t, offload.SYCL, bitcode("define spir_kernel void @k() {")), nil, "LLVM IR:"},
		"empty bitcode":                        {object(t, offload.SYCL, bitcode("target triple = \"spir64-unknown-unknown\"\n")), []string{}, "no kernels"},
		"bitcode from a different compiler":    {object(t, offload.OpenMP, bitcode("bad")), nil, "is OpenMP code"},
		"bitcode of HIP":                       {hip, nil, "is HIP code"},
	} {
		t.Run(name, func(t *testing.T) {
			enter(t, map[string][]byte{"libk.a": test.file})
			o := Options{Files: []string{"libk.a"}, Devices: []string{"intel_gpu_acm_g10"}, LLVMDis: fakeLLVM(t, "llvm-dis", "21.1.8")}
			r, stderr, err := makeReport(t.Context(), o)
			if test.want == nil {
				if err == nil || cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(stderr+err.Error(), test.stderr) {
					t.Errorf("error %v, %s", err, stderr)
				}
				return
			}
			testkit.NoError(t, err)
			if got := kernelsOn(r); !slices.Equal(got, test.want) || !strings.Contains(stderr, test.stderr) {
				t.Errorf("kernels %q, want %q; %s", got, test.want, stderr)
			}
		})
	}
}

// TestBitcodeInPart checks that unreadable bitcode in a directory or a wheel is a warning, or an
// error for a gate.
func TestBitcodeInPart(t *testing.T) {
	lib := members(arFile("a.o", object(t, offload.SYCL, bitcode(deviceCode("_ZTS1A")))), arFile("bad.o", object(t, offload.SYCL, bitcode("bad"))))
	enter(t, map[string][]byte{"out/libk.a": lib, "dist/k-1.0-py3-none-any.whl": zipFileOf(t, zip.Deflate, member{"k/libk.a", lib})})
	for _, file := range []string{"out", "dist/k-1.0-py3-none-any.whl"} {
		o := Options{Files: []string{file}, Devices: []string{"intel_gpu_acm_g10"}, LLVMDis: fakeLLVM(t, "llvm-dis", "21.1.8")}
		r, stderr, err := makeReport(t.Context(), o)
		testkit.NoError(t, err)
		if got := kernelsOn(r); !slices.Equal(got, []string{"_ZTS1A"}) || !strings.Contains(stderr, "llvm-dis of LLVM 21 rejects the bitcode: Invalid record; these images are missing in the report") {
			t.Errorf("%s: kernels %q; %s", file, got, stderr)
		}
		o.Strict = true
		if _, _, err := makeReport(t.Context(), o); err == nil || cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%s: a gate passes: %v", file, err)
		}
	}
}

// TestBitcodeWithoutLLVM checks that without LLVM, the objects are counted and a gate fails.
func TestBitcodeWithoutLLVM(t *testing.T) {
	lib := members(arFile("a.o", object(t, offload.SYCL, bitcode(deviceCode("_ZTS1A")))), arFile("b.o", object(t, offload.SYCL, bitcode("bad"))))
	enter(t, map[string][]byte{"libk.a": lib, "out/libk.a": lib, "out/k.o": object(t, offload.SYCL, kernels)})
	testkit.WriteFile(t, "bin/README", "")
	old := fakeLLVM(t, "bin/llvm-dis", "13.0.1")
	t.Setenv("PATH", filepath.Dir(old))
	const counted = "cannot read the LLVM bitcode in 2 device images of 2 objects: llvm-dis of LLVM 14 or newer is not in PATH"
	for _, strict := range []bool{false, true} {
		_, _, err := makeReport(t.Context(), Options{Files: []string{"libk.a"}, Devices: []string{"intel_gpu_pvc"}, Strict: strict})
		if err == nil || !strings.Contains(err.Error(), "libk.a: "+counted) || cli.ExitCode(err) != cli.ExitFailure {
			t.Errorf("strict %t: %v", strict, err)
		}
	}
	_, stderr, err := makeReport(t.Context(), Options{Files: []string{"out"}, Devices: []string{"intel_gpu_pvc"}})
	if testkit.NoError(t, err); !strings.Contains(stderr, "warning: out/libk.a: "+counted) {
		t.Error(stderr)
	}
	if _, _, err := makeReport(t.Context(), Options{Files: []string{"out"}, Devices: []string{"intel_gpu_pvc"}, Strict: true}); err == nil {
		t.Error("a gate passes")
	}
	if _, _, err := makeReport(t.Context(), Options{Files: []string{"libk.a"}, LLVMDis: old}); err == nil || !strings.Contains(err.Error(), "LLVM 13") {
		t.Errorf("old llvm-dis: %v", err)
	}
	if _, _, err := makeReport(t.Context(), Options{Files: []string{"libk.a"}, LLVMDis: "bin/none"}); err == nil || !strings.Contains(err.Error(), "cannot use bin/none as llvm-dis") {
		t.Errorf("missing llvm-dis: %v", err)
	}
}

// TestFindDisassembler checks that the newest LLVM in PATH is used, regardless of its program name.
func TestFindDisassembler(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "bin/README", "")
	fakeLLVM(t, "bin/llvm-dis", "14.0.6")
	newest := fakeLLVM(t, "bin/llvm-dis-22", "22.1.0")
	fakeLLVM(t, "bin/llvm-dis-21", "21.1.8")
	t.Setenv("PATH", filepath.Dir(newest)+":/usr/bin:/bin")
	if d := findDisassembler(""); d.err != nil || d.release < 22 {
		t.Errorf("%+v", d)
	}
}

// TestBitcodeStopped checks that a canceled run leaves no processes behind.
func TestBitcodeStopped(t *testing.T) {
	enter(t, map[string][]byte{"libk.a": members(arFile("a.o", object(t, offload.SYCL, bitcode(deviceCode("_ZTS1A")))))})
	slow := testkit.Script(t, "llvm-dis", `if [ "$1" = --version ]; then echo "LLVM version 21.1.8"; exit 0; fi; sleep 600`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := makeReport(ctx, Options{Files: []string{"libk.a"}, LLVMDis: slow}); err == nil {
		t.Error("no error")
	}
}

// TestLLVMBitcode reads the output of the system's llvm-as.
func TestLLVMBitcode(t *testing.T) {
	assembler, err := exec.LookPath("llvm-as")
	if err != nil {
		assembler = testkit.Program(t, "llvm-as")
	}
	cmd := exec.CommandContext(t.Context(), assembler, "--opaque-pointers", "-", "-o", "-")
	if release, err := llvmRelease(assembler); err != nil || release > 16 {
		cmd = exec.CommandContext(t.Context(), assembler, "-", "-o", "-")
	}
	cmd.Stdin = strings.NewReader(deviceCode("_ZTS1A", "_ZTS1D"))
	code, err := cmd.Output()
	testkit.NoError(t, err)
	enter(t, map[string][]byte{"k.o": object(t, offload.SYCL, code), "cut.o": object(t, offload.SYCL, code[:len(code)/2])})
	r, _, err := makeReport(t.Context(), Options{Files: []string{"k.o"}, Devices: []string{"intel_gpu_acm_g10"}})
	testkit.NoError(t, err)
	if got := kernelsOn(r); !slices.Equal(got, []string{"_ZTS1A", "_ZTS1D no"}) {
		t.Errorf("kernels %q", got)
	}
	if _, _, err := makeReport(t.Context(), Options{Files: []string{"cut.o"}}); err == nil || !strings.Contains(err.Error(), "rejects the bitcode") {
		t.Errorf("truncated bitcode: %v", err)
	}
}
