package main

import (
	"debug/elf"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// gpuModule writes a module with a kernel, as the post-link step does: NAME.ll and NAME.prop.
func gpuModule(t *testing.T, name, triple, convention, body string, requirements ...propset.Property) {
	t.Helper()
	kernel := "_ZTS" + name
	testkit.WriteFile(t, name+".ll", `target triple = "`+triple+`"
@counter = dso_local addrspace(1) global i32 0
define `+convention+` void @`+kernel+`(ptr %p) #0 {
`+body+`
  ret void
}
declare double @llvm.sin.f64(double)
declare float @llvm.sqrt.f32(float)
declare i32 @lost(i32)
attributes #0 = { "nvvm.reqntid"="64,1,1" }
`)
	sets := new(propset.Registry)
	sets.Add(propset.KernelNames).Put(kernel, propset.Uint(1))
	set := sets.Add(propset.DeviceRequirements)
	for _, p := range requirements {
		set.Put(p.Key, p.Value)
	}
	text := testkit.Must(sets.MarshalText())(t)
	testkit.WriteFile(t, name+".prop", string(text))
	testkit.WriteFile(t, name+".table", "[Code|Properties|Symbols]\n"+name+".ll|"+name+".prop|"+name+".sym\n")
}

const (
	nvidia, nvidiaKernel = "nvptx64-nvidia-cuda", "ptx_kernel"
	amd, amdKernel       = "amdgcn-amd-amdhsa", "amdgpu_kernel"
	increment            = "  %x = load i32, ptr %p\n  %y = add i32 %x, 1\n  store i32 %y, ptr %p"
	root                 = "  %n = atomicrmw add ptr addrspace(1) @counter, i32 1 monotonic\n  %x = load float, ptr %p\n  %y = call float @llvm.sqrt.f32(float %x)\n  store float %y, ptr %p"
)

// runGPU runs the step with the real compilers.
func runGPU(t *testing.T, device, module string, more ...string) (int, string) {
	t.Helper()
	args := append([]string{"gpu", "--opt", testkit.Program(t, "opt"), "--llc", testkit.Program(t, "llc"), "--lld", testkit.Program(t, "ld.lld"),
		"--device", device, "--code-dir", "bin", "--output", "out.table"}, more...)
	return run(t, append(args, module+".table")...)
}

// TestGPU checks that the image contains each kernel, and that it names the GPU.
func TestGPU(t *testing.T) {
	t.Chdir(t.TempDir())
	kernels := func(file string) []string {
		f := testkit.Must(os.Open(file))(t)
		defer f.Close()
		info := testkit.Must(f.Stat())(t)
		names := testkit.Must(offload.Kernels(f, info.Size()))(t)
		return names
	}
	gpuModule(t, "Add", nvidia, nvidiaKernel, increment)
	gpuModule(t, "Root", amd, amdKernel, root)
	for device, directive := range map[string]string{"sm_70": ".target sm_70\n", "sm_90": ".target sm_90\n", "sm_90a": ".target sm_90a\n"} {
		if code, stderr := runGPU(t, device, "Add"); code != 0 {
			t.Fatalf("%s: exit %d: %s", device, code, stderr)
		}
		if got := testkit.ReadFile(t, "out.table"); got != "[Code|Properties|Symbols]\nbin/Add.ptx|Add.prop|Add.sym\n" {
			t.Errorf("%s: table: %q", device, got)
		}
		if text := testkit.ReadFile(t, "bin/Add.ptx"); !strings.Contains(text, directive) || !strings.Contains(text, ".reqntid 64") {
			t.Errorf("%s: %s", device, text)
		}
		if got := kernels("bin/Add.ptx"); !slices.Equal(got, []string{"_ZTSAdd"}) {
			t.Errorf("%s: kernels %q", device, got)
		}
	}

	// The low byte of the flags is LLVM's number of the processor.
	for device, processor := range map[string]byte{"gfx803": 0x2a, "gfx90a": 0x3f, "gfx1100": 0x41} {
		if code, stderr := runGPU(t, device, "Root"); code != 0 {
			t.Fatalf("%s: exit %d: %s", device, code, stderr)
		}
		if got := kernels("bin/Root.hsaco"); !slices.Equal(got, []string{"_ZTSRoot"}) {
			t.Errorf("%s: kernels %q", device, got)
		}
		f := testkit.Must(elf.Open("bin/Root.hsaco"))(t)
		note := testkit.Must(f.Section(".note").Data())(t)
		f.Close()
		if flags := testkit.ReadFile(t, "bin/Root.hsaco")[48]; flags != processor {
			t.Errorf("%s: processor %#x, want %#x", device, flags, processor)
		}
		if text := string(note); !strings.Contains(text, "amdgcn-amd-amdhsa--"+device) || !strings.Contains(text, "_ZTSRoot.kd") {
			t.Errorf("%s: note %q", device, text)
		}
	}
	if _, err := os.Stat("bin/Root.hsaco.o"); err == nil {
		t.Error("the object file is left")
	}
}

// TestGPULibCLC checks that libclc's functions are linked into the image, and that code that needs
// its inaccurate functions is rejected.
func TestGPULibCLC(t *testing.T) {
	const library = "/usr/lib/clc/nvptx64--.bc" // Debian's libclc-21
	if _, err := os.Stat(library); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	call := func(name, function string) {
		number, arguments := "float", 1
		if strings.HasSuffix(function, "f64") {
			number = "double"
		}
		if strings.HasPrefix(function, "pow") || strings.HasPrefix(function, "atan2") {
			arguments = 2
		}
		types := strings.Join(slices.Repeat([]string{number}, arguments), ", ")
		values := strings.Join(slices.Repeat([]string{number + " %x"}, arguments), ", ")
		gpuModule(t, name, nvidia, nvidiaKernel, "  %x = load "+number+", ptr %p\n  %y = call "+number+" @llvm."+function+"("+values+")\n  store "+number+" %y, ptr %p")
		if text := testkit.ReadFile(t, name+".ll"); !strings.Contains(text, "@llvm."+function+"("+types+")") {
			testkit.WriteFile(t, name+".ll", text+"declare "+number+" @llvm."+function+"("+types+")\n")
		}
	}
	libclc := []string{"--libclc", library, "--llvm-link", testkit.Program(t, "llvm-link")}
	for function := range strings.FieldsSeq("acos.f32 acos.f64 asin.f32 asin.f64 atan.f32 atan.f64 atan2.f32 atan2.f64 cos.f32 cos.f64 cosh.f32 exp.f64 exp10.f32 exp10.f64 exp2.f64 " +
		"log.f32 log.f64 log10.f32 log10.f64 log2.f32 log2.f64 pow.f32 sin.f32 sin.f64 sinh.f32 tan.f32 tan.f64 tanh.f32 tanh.f64") {
		call("Good", function)
		if code, stderr := runGPU(t, "sm_90", "Good", libclc...); code != 0 {
			t.Errorf("%s: exit %d: %s", function, code, stderr)
			continue
		}
		// The code of each function has many multiplications of its type.
		ptx := testkit.ReadFile(t, "bin/Good.ptx")
		if n := strings.Count(ptx, "fma.rn."+function[strings.Index(function, ".")+1:]); n < 5 || strings.Contains(ptx, ".func") || strings.Contains(ptx, ".ftz") {
			t.Errorf("%s: %d multiplications in\n%s", function, n, ptx)
		}
	}
	// exp and exp2 of float would return 0 instead of subnormal numbers.
	for _, function := range []string{"exp.f32", "sinh.f64", "pow.f64"} {
		call("Bad", function)
		if code, stderr := runGPU(t, "sm_90", "Bad", libclc...); code != cli.ExitBadInput || !strings.Contains(stderr, "does not compile for NVIDIA GPUs: "+function) || strings.Contains(stderr, "install") {
			t.Errorf("%s: exit %d: %s", function, code, stderr)
		}
	}
	call("Sine", "sin.f64")
	if code, stderr := runGPU(t, "sm_90", "Sine"); code != cli.ExitBadInput || !strings.Contains(stderr, "install it (Debian: libclc-21)") {
		t.Errorf("without libclc: exit %d: %s", code, stderr)
	}
	if code, stderr := runGPU(t, "sm_90", "Sine", "--libclc", library); code != cli.ExitUsage || !strings.Contains(stderr, "--llvm-link") {
		t.Errorf("without llvm-link: exit %d: %s", code, stderr)
	}
	gpuModule(t, "Hawk", amd, amdKernel, "  %x = load double, ptr %p\n  %y = call double @llvm.sin.f64(double %x)\n  store double %y, ptr %p")
	if code, stderr := runGPU(t, "gfx90a", "Hawk", libclc...); code != cli.ExitBadInput || !strings.Contains(stderr, "ROCm's device library, which is not linked, implements them. Replace them") {
		t.Errorf("AMD: exit %d: %s", code, stderr)
	}
}

// TestGPURefuses checks that code that would compute wrong results is rejected.
func TestGPURefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	number := func(key string, n uint32) propset.Property {
		return propset.Property{Key: key, Value: propset.Uint(n)}
	}
	size := propset.Property{Key: "reqd_work_group_size_uint64_t", Value: propset.Uint64s(2048, 1)}
	gpuModule(t, "Sixteen", nvidia, nvidiaKernel, increment, number("reqd_sub_group_size", 16))
	gpuModule(t, "ThirtyTwo", amd, amdKernel, increment, number("reqd_sub_group_size", 32))
	gpuModule(t, "Large", nvidia, nvidiaKernel, increment, size)
	gpuModule(t, "Sine", nvidia, nvidiaKernel, "  %x = load double, ptr %p\n  %y = call double @llvm.sin.f64(double %x)\n  store double %y, ptr %p")
	gpuModule(t, "Lost", nvidia, nvidiaKernel, "  %x = call i32 @lost(i32 3)\n  store i32 %x, ptr %p")
	gpuModule(t, "LostVariable", nvidia, nvidiaKernel, "  %x = load i32, ptr addrspacecast (ptr addrspace(1) @gone to ptr)\n  store i32 %x, ptr %p")
	testkit.WriteFile(t, "LostVariable.ll", testkit.ReadFile(t, "LostVariable.ll")+"@gone = external addrspace(1) global i32\n")
	testkit.WriteFile(t, "Empty.ll", "")
	testkit.WriteFile(t, "Empty.table", "[Code]\nEmpty.ll\n")
	gpuModule(t, "Umlaut\u00e4", nvidia, nvidiaKernel, increment)
	testkit.WriteFile(t, "bare.table", "[Code]\nSixteen.ll\n")
	for _, test := range []struct {
		device, module string
		code           int
		want           string
	}{
		{"sm_90", "Sixteen", cli.ExitBadInput, "the kernel requires sub-group size 16, but sm_90 has 32"},
		{"gfx90a", "ThirtyTwo", cli.ExitBadInput, "the kernel requires sub-group size 32, but gfx90a has 64"},
		{"gfx1100", "ThirtyTwo", 0, ""},
		{"sm_90", "Large", cli.ExitBadInput, "the kernel requires work-groups of 2048 work-items, but sm_90 supports at most 1024"},
		{"sm_90", "Sine", cli.ExitBadInput, "mathematical functions that LLVM does not compile for NVIDIA GPUs: sin.f64"},
		{"sm_90", "Lost", cli.ExitBadInput, "undefined functions or variables: lost"},
		{"sm_90", "LostVariable", cli.ExitBadInput, "undefined functions or variables: gone"},
		{"sm_90", "Empty", cli.ExitBadInput, "Empty.ll: the file is empty"},
		{"sm_90", "Umlaut\u00e4", cli.ExitBadInput, "contains 'ä'"},
		{"sm_90", "bare", cli.ExitBadInput, "no property file with the kernel names"},
		{"gfx940", "ThirtyTwo", cli.ExitBadInput, "but gfx940 has 64"},
		{"pvc", "Sixteen", cli.ExitUsage, "unknown GPU 'pvc'; expected an NVIDIA GPU"},
	} {
		if code, stderr := runGPU(t, test.device, test.module); code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s for %s: exit %d: %s\nwant %d: %s", test.module, test.device, code, stderr, test.code, test.want)
		}
	}
	gpuModule(t, "Any", amd, amdKernel, increment)
	if code, stderr := runGPU(t, "gfx940", "Any"); code != cli.ExitFailure || !strings.Contains(stderr, "does not support the GPU gfx940") {
		t.Errorf("a GPU that LLVM does not know: exit %d: %s", code, stderr)
	}
}

// TestGPURequires checks which programs are required, without running them.
func TestGPURequires(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "Any.table", "[Code]\n")
	checkRun(t, cli.ExitUsage, "--llvm-link is required", "gpu", "--opt", "opt", "--llc", "llc", "--device", "sm_90", "--libclc", "libclc.bc", "--code-dir", "bin", "--output", "out.table", "Any.table")
	checkRun(t, cli.ExitUsage, "--lld is required", "gpu", "--opt", "opt", "--llc", "llc", "--device", "gfx90a", "--code-dir", "bin", "--output", "out.table", "Any.table")
}
