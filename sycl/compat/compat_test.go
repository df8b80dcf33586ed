package compat

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

const testDevices = `
intel_gpu_small:
  aspects: [gpu, fp16]
  sub-group-sizes: [8, 16]
  max-work-group-size: 256
intel_gpu_pvc:
  aspects: [gpu, fp16, fp64, ext_intel_esimd]
  sub-group-sizes: [16, 32]
  max-work-group-size: 1024
x86_64:
  aspects: [cpu, fp64]
  sub-group-sizes: [4, 8]
  may-support-other-aspects: true
intel_cpu_spr:
  aspects: [cpu, fp64]
  sub-group-sizes: [4, 8]
  may-support-other-aspects: true
spir64:
  may-support-other-aspects: true
amd_gpu_new:
  aspects: []
intel_gpu_flat:
  max-work-group-size: 1024
  max-work-item-sizes: [1024, 512, 64]
  matrix-combinations: []
intel_gpu_tall:
  max-work-item-sizes: [8, 8, 8]
intel_gpu_xmx:
  matrix-combinations:
    - {max-msize: 8, nsize: 16, ksize: 32, atype: uint8, btype: sint8, ctype: sint32, dtype: sint32}
    - {max-msize: 8, nsize: 16, ksize: 16, atype: bf16, btype: bf16, ctype: fp32, dtype: [bf16, fp32]}
nvidia_gpu_sm_80:
  matrix-combinations: []
intel_gpu_old:
  aspects: [ext_intel_esimd]
  esimd-intrinsics: []
intel_gpu_cached:
  aspects: [ext_intel_esimd]
  esimd-intrinsics: [lsc]
intel_gpu_wide:
  esimd-intrinsics: [lsc, lsc-512]
intel_gpu_engines:
  sub-group-sizes: [8, 16]
  esimd-intrinsics: [lsc, dpas]
intel_gpu_future:
  aspects: [ext_intel_esimd]
intel_cpu_gnr:
  aspects: [cpu]
  refused-extensions: [SPV_KHR_float_controls, SPV_INTEL_kernel_attributes]
`

func testConfig(t testing.TB) *deviceconfig.Config {
	t.Helper()
	c, err := deviceconfig.Read("test.yaml", strings.NewReader(testDevices))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func device(t testing.TB, c *deviceconfig.Config, name string) *deviceconfig.Device {
	t.Helper()
	d, ok := c.Lookup(name)
	if !ok {
		t.Fatalf("unknown device %s", name)
	}
	return d
}

type needs = requirement.Requirements

func TestCheck(t *testing.T) {
	config := testConfig(t)
	for _, test := range []struct {
		name    string
		needs   needs
		device  string
		status  Status
		reasons []string // "rule: required: text"
	}{
		{"no requirements", needs{}, "intel_gpu_small", Compatible, nil},
		{"all requirements met", needs{Aspects: []aspect.Aspect{aspect.FP16}, SubGroupSizes: []uint32{8}, WorkGroupSize: []uint64{64, 4}},
			"intel_gpu_small", Compatible, nil},
		{"a missing aspect", needs{Aspects: []aspect.Aspect{aspect.FP16, aspect.FP64}}, "intel_gpu_small", Incompatible,
			[]string{"missing-aspect: fp64: Required aspect fp64 is not supported on the device"}},
		{"an unlisted aspect on a device with other aspects", needs{Aspects: []aspect.Aspect{aspect.FP16}}, "x86_64", Undetermined,
			[]string{"missing-aspect: fp16: Required aspect fp16 is not in the device data, but the device may have it"}},
		{"an unreadable property", needs{Unreadable: []*propset.SyntaxError{{Set: "S", Key: "k", Msg: "odd"}}}, "intel_gpu_small", Undetermined,
			[]string{"unreadable-requirement: k: The requirements of the image are not completely known: [S] k: odd"}},
		{"an unknown aspect", needs{Aspects: []aspect.Aspect{4000}}, "intel_gpu_small", Undetermined,
			[]string{"missing-aspect: aspect 4000: Unknown aspect 4000"}},
		{"a missing sub-group size", needs{SubGroupSizes: []uint32{16, 32, 64}}, "intel_gpu_small", Incompatible, []string{
			"unsupported-sub-group-size: 32: Sub-group size 32 is not supported on the device",
			"unsupported-sub-group-size: 64: Sub-group size 64 is not supported on the device"}},
		{"a missing sub-group size on a device with other aspects", needs{SubGroupSizes: []uint32{16}}, "x86_64", Incompatible,
			[]string{"unsupported-sub-group-size: 16: Sub-group size 16 is not supported on the device"}},
		{"a sub-group size on any device", needs{SubGroupSizes: []uint32{16}}, "spir64", Undetermined,
			[]string{"unsupported-sub-group-size: 16: Whether sub-group size 16 is supported on the device is known only when the program runs"}},
		{"explicit SIMD, which has no sub-groups", needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, SubGroupSizes: []uint32{1}},
			"intel_gpu_pvc", Compatible, nil},
		{"intrinsics that the device lacks, one reason per family",
			needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, Intrinsics: []string{"llvm.genx.lsc.load.slm", "llvm.genx.lsc.store.slm", "llvm.genx.nbarrier"}},
			"intel_gpu_old", Incompatible, []string{
				"unsupported-intrinsic: llvm.genx.lsc.load.slm, llvm.genx.lsc.store.slm: Explicit SIMD intrinsic llvm.genx.lsc.load.slm, llvm.genx.lsc.store.slm is not supported on the device: memory accesses by the load-store cache are for Intel GPUs from Xe-HPG on, and block_load, gather and atomic_update without cache hints are for all",
				"unsupported-intrinsic: llvm.genx.nbarrier: Explicit SIMD intrinsic llvm.genx.nbarrier is not supported on the device: named barriers are for Xe-HPC and Intel GPUs from Xe2 on, and barrier is for all"}},
		{"many intrinsics of a family",
			needs{Intrinsics: []string{"llvm.genx.dpas", "llvm.genx.dpas.nosrc0", "llvm.genx.dpas2", "llvm.genx.dpas3"}},
			"intel_gpu_cached", Incompatible, []string{
				"unsupported-intrinsic: llvm.genx.dpas, llvm.genx.dpas.nosrc0, llvm.genx.dpas2 and 1 more: Explicit SIMD intrinsic llvm.genx.dpas, llvm.genx.dpas.nosrc0, llvm.genx.dpas2 and 1 more is not supported on the device: matrix products are for Intel GPUs with matrix engines, and arithmetic on simd is for all"}},
		{"supported intrinsics", needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, Intrinsics: []string{"llvm.genx.lsc.load.slm"}}, "intel_gpu_cached", Compatible, nil},
		{"a block that is too wide for the device", needs{Intrinsics: []string{"llvm.genx.lsc.load.slm", "llvm.genx.lsc.load.slm.512bytes"}}, "intel_gpu_cached", Incompatible,
			[]string{"unsupported-intrinsic: llvm.genx.lsc.load.slm.512bytes: Explicit SIMD intrinsic llvm.genx.lsc.load.slm.512bytes is not supported on the device: blocks of 512 bytes are for Xe-HPC and Intel GPUs from Xe2 on, and two of 256 bytes are for all from Xe-HPG on"}},
		{"a wide block that the device supports", needs{Intrinsics: []string{"llvm.genx.lsc.load.slm", "llvm.genx.lsc.load.slm.512bytes"}}, "intel_gpu_wide", Compatible, nil},
		{"intrinsics on a device with unknown intrinsics", needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, Intrinsics: []string{"llvm.genx.lsc.load.slm"}}, "intel_gpu_future", Undetermined,
			[]string{"unsupported-intrinsic: llvm.genx.lsc.load.slm: Whether explicit SIMD intrinsic llvm.genx.lsc.load.slm is supported on the device is not known: memory accesses by the load-store cache are for Intel GPUs from Xe-HPG on, and block_load, gather and atomic_update without cache hints are for all"}},
		{"an unknown intrinsic", needs{Intrinsics: []string{"llvm.genx.new"}}, "intel_gpu_cached", Undetermined,
			[]string{"unsupported-intrinsic: llvm.genx.new: Whether explicit SIMD intrinsic llvm.genx.new is supported on the device is not known to this version"}},
		{"intrinsics on a device without explicit SIMD", needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, Intrinsics: []string{"llvm.genx.lsc.load.slm"}}, "intel_gpu_small", Incompatible,
			[]string{"missing-aspect: ext_intel_esimd: Required aspect ext_intel_esimd is not supported on the device"}},
		{"supported inline assembly", needs{Assembly: []string{"lsc_load", "mov"}}, "intel_gpu_cached", Compatible, nil},
		{"unsupported inline assembly, one reason per need", needs{Assembly: []string{"dpas.16", "lsc_load", "lsc_store", "mov"}}, "intel_gpu_old", Incompatible, []string{
			"unsupported-assembly: dpas.16: The inline assembly is not supported on the device: matrix products of 16 channels are for Xe-HPC and Intel GPUs from Xe2 on",
			"unsupported-assembly: lsc_load, lsc_store: The inline assembly is not supported on the device: memory accesses by the load-store cache are for Intel GPUs from Xe-HPG on"}},
		{"matrix products with a different number of channels", needs{Assembly: []string{"dpas.16", "dpas.8"}}, "intel_gpu_engines", Incompatible,
			[]string{"unsupported-assembly: dpas.16: The inline assembly is not supported on the device: matrix products of 16 channels are for Xe-HPC and Intel GPUs from Xe2 on"}},
		{"inline assembly with double precision", needs{Assembly: []string{"df", "mov"}}, "intel_gpu_old", Incompatible,
			[]string{"unsupported-assembly: df: The inline assembly is not supported on the device: numbers of double precision are for devices with fp64"}},
		{"inline assembly that only the compiler can check", needs{Assembly: []string{"V6", "mov", "new"}}, "intel_gpu_cached", Undetermined,
			[]string{"unsupported-assembly: V6, new: Unknown whether the device's compiler supports the inline assembly, which contains V6, new"}},
		{"inline assembly on a device that is not a known Intel GPU", needs{Assembly: []string{"mov"}}, "x86_64", Undetermined,
			[]string{"unsupported-assembly: mov: Unknown whether the device's compiler supports the inline assembly, which contains mov"}},
		{"an extension that current compilers reject", needs{Extensions: []string{"SPV_INTEL_optimization_hints"}}, "intel_gpu_pvc", Undetermined,
			[]string{"unsupported-extension: SPV_INTEL_optimization_hints: Current device compilers reject SPIR-V extension SPV_INTEL_optimization_hints, which older compilers accepted: recompile the program, so that it uses SPV_KHR_expect_assume"}},
		{"an extension for FPGAs", needs{Extensions: []string{"SPV_INTEL_fpga_buffer_location"}}, "intel_gpu_pvc", Undetermined,
			[]string{"unsupported-extension: SPV_INTEL_fpga_buffer_location: Current device compilers reject SPIR-V extension SPV_INTEL_fpga_buffer_location, which older compilers accepted: remove the properties for FPGAs"}},
		{"an extension that the device rejects", needs{Extensions: []string{"SPV_INTEL_float_controls2", "SPV_KHR_float_controls"}}, "intel_cpu_gnr", Incompatible,
			[]string{"unsupported-extension: SPV_KHR_float_controls: SPIR-V extension SPV_KHR_float_controls is not supported on the device, whose compiler rejects it: remove fp_control"}},
		{"an extension that a device may reject", needs{Extensions: []string{"SPV_INTEL_kernel_attributes"}}, "intel_gpu_pvc", Undetermined,
			[]string{"unsupported-extension: SPV_INTEL_kernel_attributes: Whether SPIR-V extension SPV_INTEL_kernel_attributes is supported on the device is not known: remove max_work_group_size for devices without it"}},
		{"an extension that compilers for explicit SIMD may accept", needs{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, Extensions: []string{"SPV_KHR_float_controls"}}, "intel_gpu_cached", Compatible, nil},
		{"a sub-group size of 1 without explicit SIMD", needs{SubGroupSizes: []uint32{1}}, "intel_gpu_pvc", Incompatible,
			[]string{"unsupported-sub-group-size: 1: Sub-group size 1 is not supported on the device"}},
		{"a work-group size equal to the limit", needs{WorkGroupSize: []uint64{32, 8}}, "intel_gpu_small", Compatible, nil},
		{"a work-group size one above the limit", needs{WorkGroupSize: []uint64{257}}, "intel_gpu_small", Incompatible,
			[]string{"unsupported-work-group-size: 257: Required work-group size 257 is not supported on the device"}},
		{"a work-group size formatted as in SYCL", needs{WorkGroupSize: []uint64{64, 4, 2}}, "intel_gpu_small", Incompatible,
			[]string{"unsupported-work-group-size: 2x4x64: Required work-group size 512 is not supported on the device"}},
		{"a work-group size above 64 bits", needs{WorkGroupSize: []uint64{4294967295, 4294967295, 4294967295}}, "x86_64", Incompatible,
			[]string{"unsupported-work-group-size: 4294967295x4294967295x4294967295: Required work-group size is not supported (total number of work-items requested can't fit into size_t)"}},
		{"a work-group size that wraps to 0 in 64 bits", needs{WorkGroupSize: []uint64{1 << 63, 4}}, "intel_gpu_pvc", Incompatible,
			[]string{"unsupported-work-group-size: 4x9223372036854775808: Required work-group size is not supported (total number of work-items requested can't fit into size_t)"}},
		{"the largest work-group size within 64 bits", needs{WorkGroupSize: []uint64{math.MaxUint64}}, "intel_gpu_pvc", Incompatible,
			[]string{"unsupported-work-group-size: 18446744073709551615: Required work-group size 18446744073709551615 is not supported on the device"}},
		{"2^32+1 is not 1", needs{WorkGroupSize: []uint64{1<<32 + 1}}, "intel_gpu_pvc", Incompatible,
			[]string{"unsupported-work-group-size: 4294967297: Required work-group size 4294967297 is not supported on the device"}},
		{"a work-group size with an unknown limit", needs{WorkGroupSize: []uint64{64}}, "x86_64", Undetermined,
			[]string{"unsupported-work-group-size: 64: Required work-group size {64} has 64 work-items, but the device's limit is unknown"}},
		{"a work-group size with known limits only per dimension", needs{WorkGroupSize: []uint64{9}}, "intel_gpu_tall", Incompatible, []string{
			"unsupported-work-group-size: 9: Required work-group size {9} has 9 work-items, but the device's limit is unknown",
			"unsupported-work-group-size: 9: Required work-group size 9 is not supported"}},
		{"a work-group size equal to the limits per dimension", needs{WorkGroupSize: []uint64{1024, 1, 1}}, "intel_gpu_flat", Compatible, nil},
		{"the first dimension of the source is the slowest", needs{WorkGroupSize: []uint64{1, 8, 128}}, "intel_gpu_flat", Incompatible,
			[]string{"unsupported-work-group-size: 128x8x1: Required work-group size 128 is not supported"}},
		{"a two-dimensional work-group size", needs{WorkGroupSize: []uint64{1, 513}}, "intel_gpu_flat", Incompatible,
			[]string{"unsupported-work-group-size: 513x1: Required work-group size 513 is not supported"}},
		{"a work-group size above all limits", needs{WorkGroupSize: []uint64{1025, 513, 65}}, "intel_gpu_flat", Incompatible, []string{
			"unsupported-work-group-size: 65x513x1025: Required work-group size 34178625 is not supported on the device",
			"unsupported-work-group-size: 65x513x1025: Required work-group size 65 is not supported",
			"unsupported-work-group-size: 65x513x1025: Required work-group size 513 is not supported",
			"unsupported-work-group-size: 65x513x1025: Required work-group size 1025 is not supported"}},
		{"a work-group without work-items", needs{WorkGroupSize: []uint64{0, 1 << 63, 1 << 63}}, "intel_gpu_pvc", Compatible, nil},
		{"a work-group of one work-item", needs{WorkGroupSize: []uint64{1, 1, 1}}, "x86_64", Compatible, nil},
		{"a size padded to three dimensions", needs{WorkGroupSize: []uint64{64, 1, 1}, WorkGroupDims: 1}, "intel_gpu_pvc", Compatible, nil},
		{"a size with too many dimensions", needs{WorkGroupSize: []uint64{8, 8}, WorkGroupDims: 1}, "intel_gpu_pvc", Incompatible,
			[]string{"unsupported-work-group-dims: 2: The local size dimension of submitted nd_range doesn't match the required work-group size dimension"}},
		{"four dimensions", needs{WorkGroupDims: 4}, "intel_gpu_pvc", Incompatible,
			[]string{"unsupported-work-group-dims: 4: The local size dimension of submitted nd_range doesn't match the required work-group size dimension"}},
		{"supported matrices", needs{JointMatrix: "matrix_type::uint8,use::a,8,32;matrix_type::sint8,use::b,32,16;matrix_type::sint32,use::accumulator,1,16;;matrix_type::bf16,use::accumulator,8,16",
			JointMatrixMad: "matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::bf16,7,16,16"}, "intel_gpu_xmx", Compatible, nil},
		{"more rows than supported", needs{JointMatrix: "matrix_type::uint8,use::a,9,32;matrix_type::uint8,use::a,9,32"}, "intel_gpu_xmx", Incompatible,
			[]string{"unsupported-joint-matrix: matrix_type::uint8,use::a,9,32: joint_matrix with parameters matrix_type::uint8, use::a, Rows=9, Cols=32 is not supported on this device"}},
		{"fewer columns than supported", needs{JointMatrix: "matrix_type::uint8,use::a,8,31"}, "intel_gpu_xmx", Incompatible,
			[]string{"unsupported-joint-matrix: matrix_type::uint8,use::a,8,31: joint_matrix with parameters matrix_type::uint8, use::a, Rows=8, Cols=31 is not supported on this device"}},
		{"a shape of A used for B", needs{JointMatrix: "matrix_type::sint8,use::b,8,32"}, "intel_gpu_xmx", Incompatible,
			[]string{"unsupported-joint-matrix: matrix_type::sint8,use::b,8,32: joint_matrix with parameters matrix_type::sint8, use::b, Rows=8, Cols=32 is not supported on this device"}},
		{"a type of A used for B", needs{JointMatrix: "matrix_type::uint8,use::b,32,16"}, "intel_gpu_xmx", Incompatible,
			[]string{"unsupported-joint-matrix: matrix_type::uint8,use::b,32,16: joint_matrix with parameters matrix_type::uint8, use::b, Rows=32, Cols=16 is not supported on this device"}},
		{"an accumulator of a different type", needs{JointMatrix: "matrix_type::tf32,use::accumulator,8,16"}, "intel_gpu_xmx", Incompatible,
			[]string{"unsupported-joint-matrix: matrix_type::tf32,use::accumulator,8,16: joint_matrix with parameters matrix_type::tf32, use::accumulator, Rows=8, Cols=16 is not supported on this device"}},
		{"unsupported multiplications", needs{JointMatrixMad: "matrix_type::bf16,matrix_type::bf16,matrix_type::bf16,matrix_type::bf16,8,16,16;matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,32,16"}, "intel_gpu_xmx", Incompatible, []string{
			"unsupported-joint-matrix: matrix_type::bf16,matrix_type::bf16,matrix_type::bf16,matrix_type::bf16,8,16,16: joint_matrix_mad function with parameters atype=matrix_type::bf16, btype=matrix_type::bf16, ctype=matrix_type::bf16, dtype=matrix_type::bf16, M=8, K=16, N=16 is not supported on this device",
			"unsupported-joint-matrix: matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,32,16: joint_matrix_mad function with parameters atype=matrix_type::bf16, btype=matrix_type::bf16, ctype=matrix_type::fp32, dtype=matrix_type::fp32, M=8, K=32, N=16 is not supported on this device"}},
		{"matrices on a device without matrices", needs{JointMatrix: "matrix_type::bf16,use::a,8,16;matrix_type::bf16,use::b,16,16", JointMatrixMad: "matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,16,16"}, "intel_gpu_flat", Incompatible, []string{
			"unsupported-joint-matrix: matrix_type::bf16,use::a,8,16;matrix_type::bf16,use::b,16,16: no matrix hardware on the target device, joint_matrix is not supported",
			"unsupported-joint-matrix: matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,16,16: no matrix hardware on the target device, joint_matrix_mad is not supported"}},
		{"matrices on a device with unknown matrices", needs{JointMatrix: "matrix_type::fp64,use::a,16,16", JointMatrixMad: "matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,16,16"}, "intel_gpu_pvc", Undetermined, []string{
			"unsupported-joint-matrix: matrix_type::fp64,use::a,16,16: Whether joint_matrix with parameters matrix_type::fp64, use::a, Rows=16, Cols=16 is supported on the device is known only when the program runs",
			"unsupported-joint-matrix: matrix_type::bf16,matrix_type::bf16,matrix_type::fp32,matrix_type::fp32,8,16,16: Whether joint_matrix_mad function with parameters atype=matrix_type::bf16, btype=matrix_type::bf16, ctype=matrix_type::fp32, dtype=matrix_type::fp32, M=8, K=16, N=16 is supported on the device is known only when the program runs"}},
		{"matrices on an NVIDIA GPU", needs{JointMatrix: "matrix_type::fp64,use::a,16,16"}, "nvidia_gpu_sm_80", Undetermined,
			[]string{"unsupported-joint-matrix: matrix_type::fp64,use::a,16,16: Whether joint_matrix with parameters matrix_type::fp64, use::a, Rows=16, Cols=16 is supported on the device is not checked for NVIDIA and AMD GPUs"}},
		{"matrices in a different form", needs{JointMatrix: "m;matrix_type::fp8,use::a,8,16;fp16,use::a,8,16;matrix_type::bf16,use::c,8,16;matrix_type::bf16,use::a,-8,16", JointMatrixMad: "a,b,c,d,1,2,3;1,2"}, "intel_gpu_xmx", Undetermined, []string{
			"unsupported-joint-matrix: m: Cannot determine whether the device supports joint_matrix with parameters m, because their form is unknown",
			"unsupported-joint-matrix: matrix_type::fp8,use::a,8,16: Cannot determine whether the device supports joint_matrix with parameters matrix_type::fp8,use::a,8,16, because their form is unknown",
			"unsupported-joint-matrix: fp16,use::a,8,16: Cannot determine whether the device supports joint_matrix with parameters fp16,use::a,8,16, because their form is unknown",
			"unsupported-joint-matrix: matrix_type::bf16,use::c,8,16: Cannot determine whether the device supports joint_matrix with parameters matrix_type::bf16,use::c,8,16, because their form is unknown",
			"unsupported-joint-matrix: matrix_type::bf16,use::a,-8,16: Cannot determine whether the device supports joint_matrix with parameters matrix_type::bf16,use::a,-8,16, because their form is unknown",
			"unsupported-joint-matrix: a,b,c,d,1,2,3: Cannot determine whether the device supports joint_matrix_mad function with parameters a,b,c,d,1,2,3, because their form is unknown",
			"unsupported-joint-matrix: 1,2: Cannot determine whether the device supports joint_matrix_mad function with parameters 1,2, because their form is unknown"}},
		{"a fixed target", needs{HasFixedTargets: true, FixedTargets: []string{"intel_gpu_pvc"}}, "intel_gpu_pvc", Compatible, nil},
		{"a fixed target by an alias", needs{HasFixedTargets: true, FixedTargets: []string{"intel_gpu_12_60_7"}}, "intel_gpu_pvc", Compatible, nil},
		{"a generic fixed target", needs{HasFixedTargets: true, FixedTargets: []string{"spir64"}}, "intel_gpu_pvc", Compatible, nil},
		{"a fixed target for all CPUs", needs{HasFixedTargets: true, FixedTargets: []string{"spir64_x86_64"}}, "intel_cpu_spr", Compatible, nil},
		{"a fixed target for all NVIDIA GPUs", needs{HasFixedTargets: true, FixedTargets: []string{"ptx64"}}, "nvidia_gpu_sm_80", Compatible, nil},
		{"a fixed target for all GPUs of a different vendor", needs{HasFixedTargets: true, FixedTargets: []string{"ptx64"}}, "intel_gpu_pvc", Incompatible,
			[]string{"fixed-target-mismatch: ptx64: Kernel was compiled with '-fsycl-fixed-targets=ptx64' but was submitted to a different device"}},
		{"a different fixed target", needs{HasFixedTargets: true, FixedTargets: []string{"intel_gpu_12_0_0"}}, "intel_gpu_pvc", Incompatible,
			[]string{"fixed-target-mismatch: intel_gpu_12_0_0: Kernel was compiled with '-fsycl-fixed-targets=intel_gpu_12_0_0' but was submitted to a different device"}},
		{"no fixed target in common", needs{HasFixedTargets: true}, "intel_gpu_pvc", Incompatible,
			[]string{"fixed-target-mismatch: : Kernel was compiled with '-fsycl-fixed-targets' for targets without a device in common"}},
		{"a fixed target by an aspect", needs{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{aspect.CPU, aspect.GPU}}, "intel_gpu_pvc", Compatible, nil},
		{"a different fixed target by an aspect", needs{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{aspect.CPU}}, "intel_gpu_pvc", Incompatible,
			[]string{"fixed-target-mismatch: cpu: Kernel was compiled with '-fsycl-fixed-targets=cpu' but was submitted to a different device"}},
		{"a fixed target by an unlisted aspect", needs{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{aspect.GPU}}, "x86_64", Undetermined,
			[]string{"fixed-target-mismatch: gpu: Kernel was compiled with '-fsycl-fixed-targets' for devices with aspect gpu, which the device may have"}},
		{"compiled for the device", needs{CompileTarget: "intel_gpu_pvc"}, "intel_gpu_pvc", Compatible, nil},
		{"compiled for all CPUs", needs{CompileTarget: "spir64_x86_64"}, "intel_cpu_spr", Compatible, nil},
		{"compiled for a different device", needs{CompileTarget: "intel_gpu_pvc"}, "intel_gpu_small", NotApplicable,
			[]string{"compile-target-mismatch: intel_gpu_pvc: The image was compiled ahead of time for intel_gpu_pvc"}},
		{"all reasons, in the order of the runtime", needs{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{32}, WorkGroupSize: []uint64{1024},
			HasFixedTargets: true, FixedTargets: []string{"x86_64"}, CompileTarget: "x86_64", JointMatrix: "m"}, "intel_gpu_small", Incompatible, []string{
			"missing-aspect: fp64: Required aspect fp64 is not supported on the device",
			"unsupported-joint-matrix: m: Cannot determine whether the device supports joint_matrix with parameters m, because their form is unknown",
			"unsupported-work-group-size: 1024: Required work-group size 1024 is not supported on the device",
			"unsupported-sub-group-size: 32: Sub-group size 32 is not supported on the device",
			"fixed-target-mismatch: x86_64: Kernel was compiled with '-fsycl-fixed-targets=x86_64' but was submitted to a different device",
			"compile-target-mismatch: x86_64: The image was compiled ahead of time for x86_64"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := New(config).Check(&test.needs, device(t, config, test.device))
			var reasons []string
			for _, r := range got.Reasons {
				reasons = append(reasons, string(r.Rule)+": "+r.Required+": "+r.Text)
			}
			if got.Status != test.status || !slices.Equal(reasons, test.reasons) {
				t.Errorf("%v with the reasons\n%s\nwant %v with the reasons\n%s", got.Status, strings.Join(reasons, "\n"), test.status, strings.Join(test.reasons, "\n"))
			}
		})
	}
}

// TestSupports checks the rules of the aspect filter that differ from Check.
func TestSupports(t *testing.T) {
	config := testConfig(t)
	for _, test := range []struct {
		name   string
		needs  needs
		device string
		want   bool
	}{
		{"no requirements", needs{}, "amd_gpu_new", true},
		{"a listed aspect", needs{Aspects: []aspect.Aspect{aspect.FP64}}, "intel_gpu_pvc", true},
		{"an unlisted aspect", needs{Aspects: []aspect.Aspect{aspect.FP64}}, "intel_gpu_small", false},
		{"an unlisted aspect on a target with other aspects", needs{Aspects: []aspect.Aspect{aspect.FP16}}, "x86_64", false},
		{"an unknown aspect", needs{Aspects: []aspect.Aspect{4000}}, "intel_gpu_pvc", false},
		{"an unknown target", needs{Aspects: []aspect.Aspect{aspect.FP64}}, "amd_gpu_new", false},
		{"a generic target", needs{Aspects: []aspect.Aspect{aspect.FP64}, SubGroupSizes: []uint32{7}}, "spir64", true},
		{"one of two sub-group sizes", needs{SubGroupSizes: []uint32{16, 8}}, "intel_gpu_pvc", false},
		{"work-group sizes, which are ignored", needs{WorkGroupSize: []uint64{4096}}, "intel_gpu_small", true},
		{"an intrinsic that the target lacks", needs{Intrinsics: []string{"llvm.genx.lsc.load.slm"}}, "intel_gpu_old", false},
		{"a block that is too wide for the target", needs{Intrinsics: []string{"llvm.genx.lsc.load.slm.512bytes"}}, "intel_gpu_cached", false},
		{"a supported intrinsic", needs{Intrinsics: []string{"llvm.genx.lsc.load.slm"}}, "intel_gpu_cached", true},
		{"an intrinsic on a target with unknown intrinsics", needs{Intrinsics: []string{"llvm.genx.lsc.load.slm"}}, "intel_gpu_future", true},
		{"inline assembly that the target lacks", needs{Assembly: []string{"lsc_load"}}, "intel_gpu_old", false},
		{"supported inline assembly", needs{Assembly: []string{"lsc_load"}}, "intel_gpu_cached", true},
		{"inline assembly that only the compiler can check", needs{Assembly: []string{"V6"}}, "intel_gpu_cached", true},
		{"inline assembly on an unknown target", needs{Assembly: []string{"lsc_load"}}, "intel_gpu_future", true},
		{"an extension that the target rejects", needs{Extensions: []string{"SPV_KHR_float_controls"}}, "intel_cpu_gnr", false},
		{"an extension that the target accepts", needs{Extensions: []string{"SPV_INTEL_float_controls2"}}, "intel_cpu_gnr", true},
		{"an extension that the target may reject", needs{Extensions: []string{"SPV_KHR_float_controls"}}, "intel_gpu_small", true},
		{"retired extensions, which are ignored", needs{Extensions: []string{"SPV_INTEL_optimization_hints"}}, "intel_gpu_small", true},
		{"matrices, which are ignored", needs{JointMatrix: "m"}, "intel_gpu_small", true},
		{"a fixed target", needs{HasFixedTargets: true, FixedTargets: []string{"intel_gpu_pvc"}}, "intel_gpu_pvc", true},
		{"a different fixed target", needs{HasFixedTargets: true, FixedTargets: []string{"intel_gpu_pvc"}}, "intel_gpu_small", false},
		{"no fixed target in common", needs{HasFixedTargets: true}, "intel_gpu_pvc", false},
		{"a fixed target that shares one aspect", needs{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{aspect.FP64, aspect.CPU}}, "intel_gpu_pvc", true},
		{"a fixed target that shares no aspect", needs{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{aspect.CPU}}, "intel_gpu_pvc", false},
		{"a fixed target that may share an aspect", needs{HasFixedTargets: true, FixedTargetAspects: []aspect.Aspect{aspect.GPU}}, "x86_64", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, reasons := New(config).Supports(&test.needs, device(t, config, test.device))
			if got != test.want || got == (len(reasons) > 0) {
				t.Errorf("supported = %t with reasons %v, want %t", got, reasons, test.want)
			}
		})
	}
}

func TestGroupRows(t *testing.T) {
	fp64 := &needs{Aspects: []aspect.Aspect{aspect.FP64}}
	same := &needs{Aspects: []aspect.Aspect{aspect.FP64}}
	named := &needs{JointMatrix: "a", JointMatrixMad: "b"}
	other := &needs{JointMatrix: `a", JointMatrixMad:"b`}
	var rows []PlanRow
	for _, n := range []*needs{fp64, nil, same, fp64, {}, named, other} {
		rows = append(rows, PlanRow{Needs: n})
	}
	groups := groupRows(rows)
	want := [][]int{{0, 2, 3}, {1, 4}, {5}, {6}}
	if len(groups) != len(want) {
		t.Fatalf("%d groups, want %d", len(groups), len(want))
	}
	for i, g := range groups {
		if !slices.Equal(g.rows, want[i]) {
			t.Errorf("group %d has rows %v, want %v", i, g.rows, want[i])
		}
	}
	config := testConfig(t)
	decisions := NewPlan(config, nil, nil, rows).decide(device(t, config, "intel_gpu_small")).Groups
	if decisions[0].Kept || !decisions[1].Kept || len(decisions[0].Reasons) != 1 {
		t.Errorf("decisions %v", decisions)
	}
}

func TestSelected(t *testing.T) {
	for _, test := range []struct {
		name           string
		targets, fixed []string
		want           bool
		why            string
	}{
		{"no lists", nil, nil, true, ""},
		{"among the targets", []string{"x86_64", "intel_gpu_pvc"}, nil, true, ""},
		{"among the fixed targets by an alias", nil, []string{"intel_gpu_12_60_7"}, true, ""},
		{"in both", []string{"intel_gpu_pvc"}, []string{"intel_gpu_12_60_7"}, true, ""},
		{"not among the targets", []string{"x86_64"}, nil, false, "not among the targets"},
		{"fixed, but not among the targets", []string{"x86_64"}, []string{"intel_gpu_pvc"}, false, "not among the targets"},
		{"a target, but not fixed", []string{"intel_gpu_pvc"}, []string{"x86_64"}, false, "not among the fixed targets"},
		{"not in any list", []string{"x86_64"}, []string{"x86_64"}, false, "neither among the targets nor among the fixed targets"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, why := (&targetLists{test.targets, test.fixed}).selected("intel_gpu_pvc"); got != test.want || why != test.why {
				t.Errorf("%t, %q; want %t, %q", got, why, test.want, test.why)
			}
		})
	}
}
