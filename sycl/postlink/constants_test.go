package postlink

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// constants are kernels of two sources and one that reads no constant. The second reads
// the constants of the first in another order.
const constants = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
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

// TestConstantsByImage looks at the numbers of constants, which each image counts itself,
// and at the sets in DPC++'s bytes.
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
			result, err := run(parse(t, constants), test.options)
			if err != nil {
				t.Fatal(err)
			}
			got := "\n"
			for _, image := range result.Images {
				got += fmt.Sprintf("%d %s\n", image.Number, strings.Join(image.EntryPoints(), " "))
				sets, err := image.Properties(PropertyOptions{})
				if err != nil {
					t.Fatal(err)
				}
				sets.Delete(propset.DeviceRequirements)
				got += sets.String()
				var first, second bytes.Buffer // code may be asked for again
				if err := image.WriteCode(&first); err != nil {
					t.Fatal(err)
				}
				if err := image.WriteCode(&second); err != nil || second.String() != first.String() {
					t.Errorf("the second time the code is different: %v", err)
				}
				if strings.Contains(first.String(), "__sycl_get") || strings.Contains(first.String(), "@size =") {
					t.Errorf("image %d is not lowered:\n%s", image.Number, first.String())
				}
			}
			if got != test.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestModeOfConstants(t *testing.T) {
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

// TestConstantsThatCannotBeRead: errors come before any image is written, and name
// places. Code that no kernel reaches does not matter.
func TestConstantsThatCannotBeRead(t *testing.T) {
	bad := strings.Replace(constants, "{ %pair { i32 1, i8 2 } }", "{ %pair { i32 ptrtoint (ptr @size to i32), i8 2 } }", 1)
	_, err := run(parse(t, bad), Options{Split: SplitOptions{Mode: SplitPerSource}})
	var wrong interface{ BadInput() }
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "in 'second': the default value is not a constant") {
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
	if _, err := run(parse(t, alloca), Options{Split: SplitOptions{Mode: SplitPerSource}}); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "in 'k': memory of as many elements") {
		t.Errorf("error %v", err)
	}
}
