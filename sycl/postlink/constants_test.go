package postlink

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// constantsIR has kernels of two sources, and a kernel that does not read constants. The second
// source reads the constants of the first in a different order.
const constantsIR = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"
%pair = type { i32, i8 }
@size = private unnamed_addr constant [5 x i8] c"size\00"
@pair = private unnamed_addr constant [5 x i8] c"pair\00"
@size_id = internal addrspace(1) constant { i64 } { i64 16 }
@pair_id = internal addrspace(1) constant { %pair } { %pair { i32 1, i8 2 } }
define spir_kernel void @first(ptr addrspace(4) %out) "sycl-module-id"="a.cpp" {
  %s = call spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @size to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @size_id to ptr addrspace(4)), ptr addrspace(4) null)
  store i64 %s, ptr addrspace(4) %out
  ret void
}
define spir_kernel void @none() "sycl-module-id"="b.cpp" {
  ret void
}
define spir_kernel void @second(ptr addrspace(4) %out) "sycl-module-id"="c.cpp" {
  call spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI4PairET_PKcPKvS5_(ptr addrspace(4) sret(%pair) align 4 %out, ptr addrspace(4) addrspacecast (ptr @pair to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @pair_id to ptr addrspace(4)), ptr addrspace(4) null)
  %s = call spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @size to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @size_id to ptr addrspace(4)), ptr addrspace(4) null)
  store i64 %s, ptr addrspace(4) %out
  ret void
}
declare spir_func void @_Z40__sycl_getComposite2020SpecConstantValueI4PairET_PKcPKvS5_(ptr addrspace(4) sret(%pair) align 4, ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
declare spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
`

// TestConstantsByImage checks the numbers of constants, which start again in each image, and the
// property sets in DPC++'s encoding.
func TestConstantsByImage(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"native": {Options{}, `
0 second
[SYCL/specialization constants]
pair=2|gEAAAAAAAAAAAAAAAAAAAQAAAAQAAAAAEAAAAEAAAAw/////FAAAAMAAAAA
size=2|gBAAAAAAAAgAAAAAAAAAAgAAAAA
[SYCL/specialization constants default values]
all=2|ACAAAAAAAAQAAAAACAAAAABAAAAAAAAA
1 none
2 first
[SYCL/specialization constants]
size=2|gBAAAAAAAAAAAAAAAAAAAgAAAAA
[SYCL/specialization constants default values]
all=2|ABAAAAAAAAAEAAAAAAAAAA
`},
		"emulation": {Options{SpecConstants: SpecConstantsEmulation}, `
0 second
[SYCL/specialization constants]
pair=2|gBAAAAAAAAAAAAAAAAAAAgAAAAA
size=2|gBAAAAAAAAQAAAAAAAAAAgAAAAA
[SYCL/specialization constants default values]
all=2|ACAAAAAAAAQAAAAACAAAAABAAAAAAAAA
1 none
2 first
[SYCL/specialization constants]
size=2|gBAAAAAAAAAAAAAAAAAAAgAAAAA
[SYCL/specialization constants default values]
all=2|ABAAAAAAAAAEAAAAAAAAAA
`},
		"images with default values": {Options{DefaultValueImages: true}, `
0 second
[SYCL/specialization constants]
pair=2|gEAAAAAAAAAAAAAAAAAAAQAAAAQAAAAAEAAAAEAAAAw/////FAAAAMAAAAA
size=2|gBAAAAAAAAgAAAAAAAAAAgAAAAA
[SYCL/specialization constants default values]
all=2|ACAAAAAAAAQAAAAACAAAAABAAAAAAAAA
1 second
[SYCL/misc properties]
specConstsReplacedWithDefault=1|1
2 none
3 first
[SYCL/specialization constants]
size=2|gBAAAAAAAAAAAAAAAAAAAgAAAAA
[SYCL/specialization constants default values]
all=2|ABAAAAAAAAAEAAAAAAAAAA
4 first
[SYCL/misc properties]
specConstsReplacedWithDefault=1|1
`},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Split.Mode = SplitPerSource
			result := testkit.Must(run(parse(t, constantsIR), test.options))(t)
			got := "\n"
			for _, image := range result.Images {
				got += fmt.Sprintf("%d %s\n", image.Number, strings.Join(image.EntryPoints(), " "))
				sets := testkit.Must(image.Properties(PropertyOptions{}))(t)
				sets.Delete(propset.DeviceRequirements)
				got += sets.String()
				var first, second bytes.Buffer // code may be requested several times
				testkit.NoError(t, image.WriteCode(&first))
				if err := image.WriteCode(&second); err != nil || second.String() != first.String() {
					t.Errorf("code differs on the second request: %v", err)
				}
				if strings.Contains(first.String(), "__sycl_get") || strings.Contains(first.String(), "@size =") {
					t.Errorf("image %d not lowered:\n%s", image.Number, first.String())
				}
			}
			if got != test.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestConstantMode(t *testing.T) {
	for triple, want := range map[string]SpecConstantMode{
		"": SpecConstantsNative, "spir64-unknown-unknown": SpecConstantsNative, "spirv64-unknown-unknown": SpecConstantsNative, "spirv64v1.5-unknown-unknown": SpecConstantsNative,
		"spir64_gen-unknown-unknown": SpecConstantsEmulation, "spir64_x86_64": SpecConstantsEmulation, "nvptx64-nvidia-cuda": SpecConstantsEmulation, "amdgcn-amd-amdhsa": SpecConstantsEmulation,
		"x86_64-unknown-linux-gnu": SpecConstantsEmulation,
	} {
		if got := modeOf(triple); got != want {
			t.Errorf("%s: %s", triple, got)
		}
	}
}

// TestUnreadableConstants checks that errors are reported before any image is written, and with
// locations. Errors in unreachable code are ignored.
func TestUnreadableConstants(t *testing.T) {
	bad := strings.Replace(constantsIR, "{ %pair { i32 1, i8 2 } }", "{ %pair { i32 ptrtoint (ptr @size to i32), i8 2 } }", 1)
	_, err := run(parse(t, bad), Options{Split: SplitOptions{Mode: SplitPerSource}})
	var wrong interface{ BadInput() }
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "in 'second': the specialization constant 'pair': its default value: it is not a constant") {
		t.Errorf("error %v", err)
	}
	unused := strings.Replace(bad, "define spir_kernel void @second", "define internal void @second", 1)
	if _, err := run(parse(t, unused), Options{Split: SplitOptions{Mode: SplitPerSource, KernelsOnly: true}}); err != nil {
		t.Error(err)
	}
	const alloca = `target triple = "spir64_x86_64-unknown-unknown"
@n = private constant [2 x i8] c"n\00"
@n_id = constant { i64 } { i64 10 }
define spir_kernel void @k() "sycl-module-id"="a.cpp" {
  %1 = call ptr @llvm.sycl.alloca.p0.p0.p0.p0.f64(ptr @n, ptr @n_id, ptr null, double 0.000000e+00, i64 8)
  store double 1.0, ptr %1
  ret void
}
declare ptr @llvm.sycl.alloca.p0.p0.p0.p0.f64(ptr, ptr, ptr, double, i64)
`
	if _, err := run(parse(t, alloca), Options{Split: SplitOptions{Mode: SplitPerSource}}); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "in 'k': private_alloca with the size of") {
		t.Errorf("error %v", err)
	}
}

// TestConstantsLoweredBefore checks that images of already lowered code keep their constants.
func TestConstantsLoweredBefore(t *testing.T) {
	all, err := run(parse(t, constantsIR), Options{Split: SplitOptions{Mode: SplitPerSource, Whole: true}})
	if err != nil || len(all.Images) != 1 {
		t.Fatal(err)
	}
	var text strings.Builder
	testkit.NoError(t, all.Images[0].WriteCode(&text))
	result := testkit.Must(run(parse(t, text.String()), Options{Split: SplitOptions{Mode: SplitPerSource}}))(t)
	var got []string
	for _, image := range result.Images {
		list := testkit.Must(image.specConstants())(t)
		line := image.EntryPoints()[0]
		for _, c := range list {
			line += fmt.Sprintf(" %s %v %x", c.Name, c.Records, c.Default)
		}
		got = append(got, line)
		var code strings.Builder
		if err := image.WriteCode(&code); err != nil || strings.Contains(line, "size") != strings.Contains(code.String(), "__spirv_SpecConstantix") {
			t.Errorf("%v\n%s", err, code.String())
		}
	}
	want := []string{"second pair [{0 0 4} {1 4 1} {4294967295 5 3}] 0100000002000000 size [{2 0 8}] 1000000000000000", "none", "first size [{2 0 8}] 1000000000000000"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	both := text.String() + constantsIR[strings.Index(constantsIR, "declare spir_func i64"):] + "define spir_kernel void @more() \"sycl-module-id\"=\"d.cpp\" {\n  ret void\n}\n"
	if _, err := run(parse(t, both), Options{Split: SplitOptions{Mode: SplitPerSource}}); err == nil || !strings.Contains(err.Error(), "is already lowered") {
		t.Errorf("error %v", err)
	}
}

// TestHeaderConstants compiles testdata/constants.cpp at each optimization level. The constants of
// the device header must have the offsets and default values that clang gives them in memory, and
// SPIR-V must have the same values.
func TestHeaderConstants(t *testing.T) {
	const want = `
aligned: 0+4 4+4 8+4 16+4 20+1 21+3- 24+4 28+1 29+3- 32+1 33+31- = 00 00 80 3f 00 00 00 40 00 00 40 40 00 00 00 00 01 00 00 00 78 00 00 00 02 00 00 00 79 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
big: 0+8 = fb ff ff ff ff ff ff ff
bits: 0+2 2+2- = 0d 02 00 00
derived: 0+4 4+1 5+3- 8+8 16+1 17+1 18+1 19+1 20+1 21+3- = 00 00 c0 3f 62 00 00 00 07 00 00 00 00 00 00 00 61 62 00 00 00 00 00 00
either: 0+4 = 00 00 80 3f
fine: 0+8 = 9c 75 00 88 3c e4 37 7e
packed: 0+1 1+8 9+2 = 70 00 00 00 00 00 00 00 40 ff ff
real: 0+4 = cd cc cc 3d
shop::kind: 0+2 = fe ff
shop::letter: 0+1 = c8
shop::open: 0+1 = 01
tail: 0+4 4+1 5+3- = 05 00 00 00 63 00 00 00
three: 0+4 4+4 8+4 = 04 00 00 00 05 00 00 00 06 00 00 00
vectors: 0+4 4+4 8+4 16+1 17+15- = 01 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 76 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
zero: 0+4 4+1 5+3- = 00 00 00 00 00 00 00 00
`
	as, translator, validator := testkit.Program(t, "llvm-as"), testkit.Program(t, "llvm-spirv"), testkit.Program(t, "spirv-val")
	for _, options := range [][]string{{"-O0"}, {"-O1"}, {"-O2"}, {"-O3"}, {"-O0", "-g"}, {"-O2", "-g"}} {
		name := strings.Join(options, " ")
		text := testkit.Must(compileHeader(t, "testdata/constants.cpp", options...))(t)
		m := parse(t, text)
		testkit.NoError(t, markSource(m, "a.cpp", false))
		result, err := run(m, Options{Split: SplitOptions{Mode: SplitPerKernel, KernelsOnly: true}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var lines []string
		for _, image := range result.Images {
			list, err := image.specConstants()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, c := range list {
				line := kernelname.Display(c.Name) + ":"
				for _, r := range c.Records { // the numbers change when code is inlined
					line += fmt.Sprintf(" %d+%d", r.Offset, r.Size)
					if r.ID == propset.SpecPadding {
						line += "-"
					}
				}
				lines = append(lines, fmt.Sprintf("%s = % x\n", line, c.Default))
			}
			file := filepath.Join(t.TempDir(), "image")
			var code bytes.Buffer
			testkit.NoError(t, image.WriteCode(&code))
			testkit.NoError(t, os.WriteFile(file+".ll", code.Bytes(), 0o600))
			for _, args := range [][]string{{as, file + ".ll", "-o", file + ".bc"}, {translator, "--spirv-max-version=1.4", "--spirv-allow-extra-diexpressions", file + ".bc", "-o", file + ".spv"}, {validator, file + ".spv"}} {
				if args[0] == validator && slices.Contains(options, "-g") {
					continue // spirv-val rejects the translator's debug information
				}
				if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", name, err, out)
				}
			}
			spv := testkit.Must(os.ReadFile(file + ".spv"))(t)
			translated := testkit.Must(spirv.ReadSpecConstants(bytes.NewReader(spv)))(t)
			byNumber := map[uint32][]byte{}
			for _, c := range translated {
				byNumber[c.ID] = c.Default
			}
			for _, c := range list {
				for _, r := range c.Scalars() {
					if !bytes.Equal(byNumber[r.ID], c.Default[r.Offset:r.Offset+r.Size]) {
						t.Errorf("%s: %s: SPIR-V has % x for %+v, the default value is % x", name, c.Name, byNumber[r.ID], r, c.Default)
					}
				}
			}
		}
		slices.Sort(lines)
		if got := "\n" + strings.Join(lines, ""); got != want {
			t.Errorf("%s:%s", name, got)
		}
	}
}
