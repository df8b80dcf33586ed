package devicecode

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
)

// TestKernels checks the metadata of kernel properties. It matches DPC++ 2026.2, unless the name of
// a case states otherwise.
func TestKernels(t *testing.T) {
	for name, test := range map[string]struct {
		properties string
		triple     string // default spir64-unknown-unknown
		metadata   string // existing metadata of the kernel
		want       string // all metadata of the kernel
		others     string // that for translators that are not DPC++'s, "" for the same
		modes      string // !spirv.ExecutionMode
		fail       string
	}{
		"nothing": {properties: `"sycl-module-id"="a" "sycl-optlevel"="2" nounwind`},
		"a work-group size": {properties: `"sycl-work-group-size"="8"`,
			want: "reqd_work_group_size {i64 8, i64 1, i64 1}\nwork_group_num_dim {i32 1}"},
		"one of two dimensions": {properties: `"sycl-work-group-size"="8,4"`,
			want: "reqd_work_group_size {i64 4, i64 8, i64 1}\nwork_group_num_dim {i32 2}"},
		"one of three dimensions": {properties: `"sycl-work-group-size"="8,9,10"`,
			want: "reqd_work_group_size {i64 10, i64 9, i64 8}"},
		"one for a device with pointers of 32 bits": {properties: `"sycl-work-group-size"="8,9,10"`, triple: "spirv32-unknown-unknown",
			want: "reqd_work_group_size {i32 10, i32 9, i32 8}"},
		"a work-group size over 32 bits": {properties: `"sycl-work-group-size"="4294967297,1,1"`,
			want: "reqd_work_group_size {i64 1, i64 1, i64 4294967297}"},
		"a hint":           {properties: `"sycl-work-group-size-hint"="6,7"`, want: "work_group_size_hint {i64 7, i64 6, i64 1}"},
		"a sub-group size": {properties: `"sycl-sub-group-size"="16"`, want: "intel_reqd_sub_group_size {i32 16}"},
		"largest sizes": {properties: `"sycl-max-work-group-size"="16,4" "sycl-max-linear-work-group-size"="64"`,
			want: "max_work_group_size {i64 4, i64 16, i64 1}\nmax_linear_work_group_size {i64 64}\nwork_group_num_dim {i32 2}"},
		"metadata of the front end wins": {properties: `"sycl-work-group-size"="8" "sycl-sub-group-size"="16"`,
			metadata: "!reqd_work_group_size !7 !work_group_num_dim !8 !intel_reqd_sub_group_size !9",
			want:     "reqd_work_group_size {i32 2, i32 1, i32 1}\nwork_group_num_dim {i32 3}\nintel_reqd_sub_group_size {i32 32}"},

		"128 registers":                   {properties: `"sycl-grf-size"="128"`, want: "RegisterAllocMode {i32 1}"},
		"256 registers":                   {properties: `"sycl-grf-size"="256"`, want: "RegisterAllocMode {i32 2}"},
		"any registers":                   {properties: `"sycl-grf-size"="0"`, want: "RegisterAllocMode {i32 0}"},
		"512 registers":                   {properties: `"sycl-grf-size"="512"`},
		"512 registers ahead of time":     {properties: `"sycl-grf-size"="512"`, triple: "spir64_gen-unknown-unknown", want: "MaximumRegisters {i32 512}"},
		"registers that no device has":    {properties: `"sycl-grf-size"="16384"`},
		"registers of explicit SIMD code": {properties: `"sycl-grf-size"="256"`, metadata: "!sycl_explicit_simd !6", want: "sycl_explicit_simd {}"},
		"at most 128 registers":           {properties: `"sycl-maximum-registers"="128"`, want: "MaximumRegisters {i32 128}", others: "MaximumRegisters {i32 128}\nRegisterAllocMode {i32 1}"},
		"at most any registers":           {properties: `"sycl-maximum-registers"="0"`, want: `MaximumRegisters {!"AutoINTEL"}`, others: "MaximumRegisters {!\"AutoINTEL\"}\nRegisterAllocMode {i32 0}"},
		"a mode, as DPC++ 2025 has it":    {properties: `"sycl-register-alloc-mode"="2"`, want: "RegisterAllocMode {i32 2}"},
		"a mode of explicit SIMD code":    {properties: `"sycl-register-alloc-mode"="2"`, metadata: "!sycl_explicit_simd !6", want: "sycl_explicit_simd {}"},

		"a single task":               {properties: `"sycl-single-task"`},
		"a single task for an FPGA":   {properties: `"sycl-single-task"`, triple: "spir64_fpga-unknown-unknown", want: "max_global_work_dim {i32 0}"},
		"a pipeline that stalls not":  {properties: `"sycl-fpga-cluster"="0"`, want: "stall_free {i32 1}"},
		"a pipeline that stalls":      {properties: `"sycl-fpga-cluster"="1"`, want: "stall_enable {i32 1}"},
		"a pipeline of another kind":  {properties: `"sycl-fpga-cluster"="2"`, fail: `"2" is not 0 or 1`},
		"a streaming interface":       {properties: `"sycl-streaming-interface"`, want: `ip_interface {!"streaming"}`},
		"one that does not stall":     {properties: `"sycl-streaming-interface"="1"`, want: `ip_interface {!"streaming", !"stall_free_return"}`},
		"an interface of registers":   {properties: `"sycl-register-map-interface"="0"`, want: `ip_interface {!"csr"}`},
		"one that waits":              {properties: `"sycl-register-map-interface"="1"`, want: `ip_interface {!"csr", !"wait_for_done_write"}`},
		"pipelined":                   {properties: `"sycl-pipelined"="-1"`, want: "spirv.Decorations {{i32 5919, i32 1}}"},
		"not pipelined":               {properties: `"sycl-pipelined"="0"`, want: "spirv.Decorations {{i32 5919, i32 0}}"},
		"pipelined, two cycles apart": {properties: `"sycl-pipelined"="2"`, want: "spirv.Decorations {{i32 5919, i32 1}, {i32 5917, i32 2}}"},

		"round to zero and keep denormals of float": {properties: `"sycl-floating-point-control"="72"`,
			modes: "{ptr @k, i32 4463, i32 64}\n{ptr @k, i32 4463, i32 32}\n{ptr @k, i32 4463, i32 16}\n{ptr @k, i32 4459, i32 32}"},
		"round to nearest and flush denormals": {properties: `"sycl-floating-point-control"="17"`,
			modes: "{ptr @k, i32 4462, i32 64}\n{ptr @k, i32 4462, i32 32}\n{ptr @k, i32 4462, i32 16}\n{ptr @k, i32 4460, i32 64}\n{ptr @k, i32 4460, i32 32}\n{ptr @k, i32 4460, i32 16}"},
		"round up, down, and keep denormals of double and half": {properties: `"sycl-floating-point-control"="166"`,
			modes: "{ptr @k, i32 5620, i32 64}\n{ptr @k, i32 5620, i32 32}\n{ptr @k, i32 5620, i32 16}\n{ptr @k, i32 5621, i32 64}\n{ptr @k, i32 5621, i32 32}\n{ptr @k, i32 5621, i32 16}\n{ptr @k, i32 4459, i32 16}\n{ptr @k, i32 4459, i32 64}"},

		"four dimensions":                {properties: `"sycl-work-group-size"="1,2,3,4"`, fail: `function k: property "sycl-work-group-size": "1,2,3,4" has more than three dimensions`},
		"a size that is not a number":    {properties: `"sycl-work-group-size"="8,x"`, fail: `"x" is not a 64-bit number`},
		"no size":                        {properties: `"sycl-work-group-size"`, fail: `"" is not a 64-bit number`},
		"a size of zero":                 {properties: `"sycl-work-group-size"="8,0"`, fail: `invalid size "0"; expected a positive number`},
		"a size below zero":              {properties: `"sycl-sub-group-size"="-1"`, fail: `"-1" is not a 32-bit number`},
		"a sub-group size over 32 bits":  {properties: `"sycl-sub-group-size"="4294967296"`, fail: `"4294967296" is not a 32-bit number`},
		"registers twice":                {properties: `"sycl-grf-size"="256" "sycl-register-alloc-mode"="2"`, fail: `property "sycl-grf-size": cannot be combined with "sycl-register-alloc-mode"; remove one of them`},
		"an invalid mode":                {properties: `"sycl-register-alloc-mode"="3"`, fail: `"3" is not 0 (automatic), 1 (small) or 2 (large)`},
		"bits of no mode":                {properties: `"sycl-floating-point-control"="256"`, fail: `"256" has unknown mode bits`},
		"an option that is not a number": {properties: `"sycl-streaming-interface"="yes"`, fail: `"yes" is not a 32-bit number`},
	} {
		t.Run(name, func(t *testing.T) {
			triple := test.triple
			if triple == "" {
				triple = "spir64-unknown-unknown"
			}
			for _, dpcpp := range []bool{true, false} {
				m := parse(t, "target triple = \""+triple+"\"\ndefine spir_kernel void @k() #0 "+test.metadata+` {
  ret void
}
define spir_func void @f() #0 {
  ret void
}
attributes #0 = { `+test.properties+` }
!6 = !{}
!7 = !{i32 2, i32 1, i32 1}
!8 = !{i32 3}
!9 = !{i32 32}
`)
				_, err := lower(t, m, PropertyOptions{DPCPP: dpcpp})
				if test.fail != "" {
					if err == nil || !strings.Contains(err.Error(), test.fail) {
						t.Fatalf("got %v, want an error with %q", err, test.fail)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				want := test.want
				if !dpcpp && test.others != "" {
					want = test.others
				}
				if got := attached(m, m.Function("k").Attachments()); got != want {
					t.Errorf("for DPC++ %v: got\n%s\nwant\n%s", dpcpp, got, want)
				}
				if got := attached(m, m.Function("f").Attachments()); got != "" {
					t.Errorf("the function that is no kernel has %s", got)
				}
				if got := named(m, "spirv.ExecutionMode"); got != test.modes {
					t.Errorf("got modes\n%s\nwant\n%s", got, test.modes)
				}
			}
		})
	}
}

// TestSizesForPTX checks the attribute that contains the work-group size for NVIDIA GPUs.
func TestSizesForPTX(t *testing.T) {
	for triple, want := range map[string]string{"nvptx64-nvidia-cuda": "4,8,1", "amdgcn-amd-amdhsa": "", "spir64-unknown-unknown": ""} {
		m, err := llvmir.Parse("k.ll", `target triple = "`+triple+`"
define ptx_kernel void @k() #0 {
  ret void
}
attributes #0 = { "sycl-work-group-size"="8,4" }
`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := LowerProperties(m, PropertyOptions{}); err != nil {
			t.Fatal(err)
		}
		if got, _ := m.Function("k").Attribute("nvvm.reqntid"); got != want {
			t.Errorf("%s: %q, want %q", triple, got, want)
		}
	}
	m, err := llvmir.Parse("k.ll", `target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() #0 {
  ret void
}
attributes #0 = { "sycl-work-group-size"="4294967296" }
`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LowerProperties(m, PropertyOptions{}); err == nil || !strings.Contains(err.Error(), "required work-group size 4294967296 is out of range; use at most 4294967295") {
		t.Errorf("2^32 work-items: %v", err)
	}
}
