package compat

import (
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// TestCompilerLimits checks compiler errors beyond aspects, which match ocloc 26.27.
func TestCompilerLimits(t *testing.T) {
	feature := func(names ...string) *requirement.Requirements { return &requirement.Requirements{Extensions: names} }
	matrix := func(size uint32) *requirement.Requirements {
		return &requirement.Requirements{JointMatrix: "matrix_type::fp16,use::a,8,16", SubGroupSizes: []uint32{size}}
	}
	vector := func(size uint64) *requirement.Requirements {
		return &requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}, ParameterSize: size}
	}
	for _, test := range []struct {
		name   string
		needs  *requirement.Requirements
		device string
		want   Status
		rule   Rule
	}{
		{"images on Data Center GPU Max", feature(deviceconfig.Images), "intel_gpu_pvc_vg", Incompatible, MissingSPIRVExtension},
		{"images on Crescent Island", feature(deviceconfig.Images), "intel_gpu_cri", Compatible, ""},
		{"images on a CPU", feature(deviceconfig.Images), "x86_64", Compatible, ""},
		{"bindless images on Crescent Island", feature("SPV_INTEL_bindless_images"), "intel_gpu_cri", Incompatible, MissingSPIRVExtension},
		{"bindless images on a family", feature("SPV_INTEL_bindless_images"), "intel_gpu_dg2", Compatible, ""},
		{"bindless images on a CPU", feature("SPV_INTEL_bindless_images"), "x86_64", Incompatible, MissingSPIRVExtension},
		{"bindless images on an older GPU", feature("SPV_INTEL_bindless_images"), "intel_gpu_skl", Compatible, ""},
		{"ray queries on Xe-LP", feature("intel_ray_query"), "intel_gpu_dg1", Incompatible, MissingSPIRVExtension},
		{"ray queries on Arc", feature("intel_ray_query"), "intel_gpu_acm_g11", Compatible, ""},
		{"functions of the GPU compiler on Xe-LP", feature("__builtin_IB"), "intel_gpu_tgllp", Compatible, ""},
		{"functions of the GPU compiler on a CPU", feature("__builtin_IB"), "x86_64", Incompatible, MissingSPIRVExtension},
		{"functions for the load/store unit on Xe-LP", feature("__builtin_IB_lsc"), "intel_gpu_tgllp", Incompatible, MissingSPIRVExtension},
		{"functions for the load/store unit on Arc", feature("__builtin_IB_lsc"), "intel_gpu_acm_g10", Compatible, ""},
		{"matrices with sub-groups of 16 on Arc", matrix(16), "intel_gpu_acm_g10", Incompatible, UnsupportedJointMatrix},
		{"matrices with sub-groups of 8 on Arc", matrix(8), "intel_gpu_acm_g10", Compatible, ""},
		{"matrices with sub-groups of 16 on Xe2", matrix(16), "intel_gpu_bmg_g21", Compatible, ""},
		{"3,008 bytes of parameters", &requirement.Requirements{ParameterSize: 3008, ParameterRegisters: 3008}, "intel_gpu_pvc", Incompatible, UnsupportedParameterSize},
		{"3,008 bytes of parameters on a CPU", &requirement.Requirements{ParameterSize: 3008}, "x86_64", Compatible, ""},
		{"2,048 bytes of parameters", &requirement.Requirements{ParameterSize: 2048, ParameterRegisters: 2048}, "intel_gpu_tgllp", Compatible, ""},
		{"960 bytes that are chars", &requirement.Requirements{ParameterRegisters: 3848}, "intel_gpu_acm_g10", Incompatible, UnsupportedParameterSize},
		{"952 bytes that are chars", &requirement.Requirements{ParameterRegisters: 3816}, "intel_gpu_acm_g10", Undetermined, UnsupportedParameterSize},
		{"920 bytes that are chars", &requirement.Requirements{ParameterRegisters: 3696}, "intel_gpu_acm_g10", Compatible, ""},
		{"960 bytes that are chars on Xe2", &requirement.Requirements{ParameterRegisters: 3848}, "intel_gpu_bmg_g21", Compatible, ""},
		{"1,900 bytes that are chars with large registers", &requirement.Requirements{ParameterRegisters: 7608, RegisterOption: requirement.LargeRegisterFile}, "intel_gpu_acm_g10", Compatible, ""},
		{"2,000 bytes that are chars with large registers", &requirement.Requirements{ParameterRegisters: 8008, BuildOptions: propset.JITOptions{Compile: "-g -cl-intel-256-GRF-per-thread"}}, "intel_gpu_acm_g10", Incompatible, UnsupportedParameterSize},
		{"2,000 bytes that are chars with large registers on Xe-HPC", &requirement.Requirements{ParameterRegisters: 8008, BuildOptions: propset.JITOptions{Link: "-ze-opt-large-register-file"}}, "intel_gpu_pvc", Compatible, ""},
		{"960 bytes that are chars with large registers, which Xe-LP does not have", &requirement.Requirements{ParameterRegisters: 3848, RegisterOption: requirement.LargeRegisterFile}, "intel_gpu_dg1", Incompatible, UnsupportedParameterSize},
		{"2,008 bytes of explicit SIMD code", vector(2008), "intel_gpu_tgllp", Compatible, ""},
		{"2,040 bytes of explicit SIMD code", vector(2040), "intel_gpu_tgllp", Undetermined, UnsupportedParameterSize},
		{"2,040 bytes of explicit SIMD code on Xe-HPC", vector(2040), "intel_gpu_pvc", Compatible, ""},
		{"2,200 bytes of explicit SIMD code", vector(2200), "intel_gpu_acm_g10", Incompatible, UnsupportedParameterSize},
		{"2,200 bytes of explicit SIMD code on Xe-HPC", vector(2200), "intel_gpu_pvc", Undetermined, UnsupportedParameterSize},
		{"4,200 bytes of explicit SIMD code on Xe2", vector(4200), "intel_gpu_bmg_g21", Incompatible, UnsupportedParameterSize},
		{"140,000 bytes of local memory on Arc", &requirement.Requirements{LocalMemory: 140000}, "intel_gpu_acm_g10", Incompatible, UnsupportedLocalMemory},
		{"250,000 bytes of local memory on a CPU", &requirement.Requirements{LocalMemory: 250000}, "intel_cpu_spr", Compatible, ""},
		{"270,000 bytes of local memory on a CPU", &requirement.Requirements{LocalMemory: 270000}, "x86_64", Incompatible, UnsupportedLocalMemory},
		{"300,000 bytes of local memory on Crescent Island", &requirement.Requirements{LocalMemory: 300000}, "intel_gpu_cri", Compatible, ""},
		{"the clock of a device", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtOneAPIClockDevice}}, "intel_gpu_bmg_g21", Undetermined, MissingAspect},
		{"the ID of a device, which drivers report", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtIntelDeviceID}}, "intel_gpu_pvc", Undetermined, MissingAspect},
		{"USM of the system", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.USMSystemAllocations}}, "intel_gpu_pvc", Undetermined, MissingAspect},
		{"bindless images", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtOneAPIBindlessImages}}, "intel_gpu_acm_g10", Undetermined, MissingAspect},
		{"explicit SIMD on a CPU", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtIntelESIMD}}, "x86_64", Incompatible, MissingAspect},
		{"a GPU", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.GPU}}, "intel_cpu_spr", Incompatible, MissingAspect},
		{"a CPU", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.CPU}}, "intel_gpu_pvc", Incompatible, MissingAspect},
		{"CUDA", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtOneAPICUDAClusterGroup}}, "intel_gpu_pvc", Incompatible, MissingAspect},
		{"fragments", &requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtOneAPIFragment}}, "intel_gpu_pvc", Compatible, ""},
	} {
		config := deviceconfig.Default()
		d, ok := config.Lookup(test.device)
		if !ok {
			t.Fatalf("unknown device %s", test.device)
		}
		r := New(config).Check(test.needs, d)
		hasRule := test.rule == "" || slices.ContainsFunc(r.Reasons, func(r Reason) bool { return r.Rule == test.rule })
		if r.Status != test.want || !hasRule {
			t.Errorf("%s: %v %+v, want %v", test.name, r.Status, r.Reasons, test.want)
		}
		wantKept := test.want != Incompatible || test.rule == UnsupportedOption // IR has the option, not native code
		if kept, reasons := New(config).Supports(test.needs, d); kept != wantKept {
			t.Errorf("%s: kept %t for %v, want %t", test.name, kept, reasons, wantKept)
		}
	}
}

// TestParameterUnits checks that a reason states whether it counts bytes of memory or of registers.
func TestParameterUnits(t *testing.T) {
	d, _ := deviceconfig.Default().Lookup("intel_gpu_acm_g10")
	for want, q := range map[string]*requirement.Requirements{
		"3008":              {ParameterSize: 3008, ParameterRegisters: 3008},
		"3848 in registers": {ParameterSize: 1200, ParameterRegisters: 3848},
	} {
		if r := New(deviceconfig.Default()).Check(q, d); len(r.Reasons) != 1 || r.Reasons[0].Required != want {
			t.Errorf("%+v: %+v, want %s", q, r.Reasons, want)
		}
	}
}

// TestOwnDevice checks that aspects that only drivers report are missing if a user's file does not
// list them.
func TestOwnDevice(t *testing.T) {
	config := testkit.Must(deviceconfig.Read("own.yaml", strings.NewReader("intel_gpu_pvc: {aspects: [gpu], may-support-other-aspects: false}")))(t)
	d, _ := config.Lookup("intel_gpu_pvc")
	if r := New(config).Check(&requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtIntelDeviceID}}, d); r.Status != Incompatible {
		t.Errorf("got %v, want incompatible", r.Status)
	}
}

func TestProduct(t *testing.T) {
	for _, test := range []struct {
		size  []uint64
		total uint64
		fits  bool
	}{
		{nil, 1, true},
		{[]uint64{8, 4, 2}, 64, true},
		{[]uint64{1 << 32, 1 << 31}, 1 << 63, true},
		{[]uint64{1 << 32, 1 << 32}, 0, false},
		{[]uint64{1 << 40, 1 << 40, 0}, 0, true},
		{[]uint64{0, 1 << 40, 1 << 40}, 0, true},
	} {
		if total, fits := product(test.size); total != test.total || fits != test.fits {
			t.Errorf("%v: %d, %v, want %d, %v", test.size, total, fits, test.total, test.fits)
		}
	}
}

// Loads of matrices that ocloc 26.27 rejects for some or all GPUs with matrix engines, and explicit SIMD
// intrinsics that it rejects before Xe-HPC.
func TestMatrixLayoutsAndConversions(t *testing.T) {
	config := deviceconfig.Default()
	for _, test := range []struct {
		needs requirement.Requirements
		on    map[string]Status
		text  string
	}{
		{requirement.Requirements{Extensions: []string{"joint_matrix_a_col_major"}},
			map[string]Status{"intel_gpu_acm_g10": Incompatible, "intel_gpu_pvc": Compatible, "intel_gpu_bmg": Compatible},
			"Loading a joint_matrix of use::a with layout::col_major is not supported by the compiler for the device (ocloc 26.27"},
		{requirement.Requirements{Extensions: []string{"joint_matrix_checked"}},
			map[string]Status{"intel_gpu_acm_g10": Incompatible, "intel_gpu_arl_h": Incompatible, "intel_gpu_pvc": Compatible, "intel_gpu_bmg": Compatible},
			"; use joint_matrix_load and joint_matrix_store"},
		{requirement.Requirements{Extensions: []string{"joint_matrix_layout"}},
			map[string]Status{"intel_gpu_acm_g10": Incompatible, "intel_gpu_pvc": Incompatible, "x86_64": Undetermined},
			"of this use, type and size with this layout"},
		{requirement.Requirements{Intrinsics: []string{"llvm.genx.tf32.cvt"}},
			map[string]Status{"intel_gpu_acm_g10": Incompatible, "intel_gpu_tgllp": Incompatible, "intel_gpu_pvc_vg": Compatible}, "are for Xe-HPC"},
		{requirement.Requirements{Intrinsics: []string{"llvm.genx.qf.cvt"}},
			map[string]Status{"intel_gpu_bmg_g21": Incompatible, "intel_gpu_ptl_h": Compatible}, "are for Intel GPUs from Xe3 on"},
		{requirement.Requirements{Intrinsics: []string{"llvm.genx.dpasw"}},
			map[string]Status{"intel_gpu_pvc": Incompatible, "intel_gpu_arl_h": Compatible}, "matrix products of two threads"},
	} {
		for device, want := range test.on {
			d, _ := config.Lookup(device)
			got := New(config).Check(&test.needs, d)
			if got.Status != want || want == Incompatible && !strings.Contains(got.Reasons[0].Text, test.text) {
				t.Errorf("%+v on %s: %v; want %s and %q", test.needs, device, got, want, test.text)
			}
			if ok, _ := New(config).Supports(&test.needs, d); ok != (want != Incompatible) {
				t.Errorf("%+v on %s: an image is built: %t", test.needs, device, ok)
			}
		}
	}
}
