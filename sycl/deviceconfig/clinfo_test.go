package deviceconfig

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
)

// TestPoCL derives the entry of a real CPU device.
func TestPoCL(t *testing.T) {
	f := testkit.Must(os.Open("testdata/pocl.clinfo"))(t)
	defer f.Close()
	devices, err := ReadClinfo("pocl.clinfo", f)
	if err != nil || len(devices) != 1 {
		t.Fatal(err, len(devices))
	}
	e := testkit.Must(devices[0].Entry(devices[0].Target()))(t)
	testkit.Golden(t, "pocl.yaml", e.Text())
	checkRoundTrip(t, e, e.Text())
}

// checkRoundTrip checks that Read returns the same device for the output of Text.
func checkRoundTrip(t *testing.T, e *Entry, text string) {
	t.Helper()
	c, err := Read("entry", strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(c.Warnings) > 0 || len(c.Devices()) != 1 {
		t.Fatalf("warnings %v, %d devices", c.Warnings, len(c.Devices()))
	}
	read := *c.Devices()[0]
	show := func(d *Device) string {
		return fmt.Sprintf("%s %v %d %t %+v", d.Name, d.Aspects, d.SubGroupSizes, d.MayHaveOtherAspects, d.Limits)
	}
	if got, want := show(&read), show(e.Device); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

const intelClinfo = `#PLATFORMS                                        1
  CL_PLATFORM_NAME                                Intel(R) OpenCL Graphics
[INTEL/*]    CL_PLATFORM_NAME                                Intel(R) OpenCL Graphics
[INTEL/0]    CL_DEVICE_NAME                                  Intel(R) Arc(TM) A770 Graphics
[INTEL/0]    CL_DEVICE_VENDOR_ID                             0x8086
[INTEL/0]    CL_DEVICE_VERSION                               OpenCL 3.0 NEO
[INTEL/0]    CL_DEVICE_TYPE                                  CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT
[INTEL/0]    CL_DEVICE_IP_VERSION_INTEL                      0x30dc004
[INTEL/0]    CL_DEVICE_MAX_WORK_ITEM_SIZES                   1024 1024 1024
[INTEL/0]    CL_DEVICE_MAX_WORK_GROUP_SIZE                   1024
[INTEL/0]    CL_DEVICE_LOCAL_MEM_SIZE                        65536
[INTEL/0]    CL_DEVICE_SUB_GROUP_SIZES_INTEL                 16, 8, 32
[INTEL/0]    CL_DEVICE_IMAGE_SUPPORT                         CL_TRUE
[INTEL/0]    CL_DEVICE_COMPILER_AVAILABLE                    CL_TRUE
[INTEL/0]    CL_DEVICE_LINKER_AVAILABLE                      CL_FALSE
[INTEL/0]    CL_DEVICE_QUEUE_ON_HOST_PROPERTIES              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE
[INTEL/0]    CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL           CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL
[INTEL/0]    CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL  CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL
[INTEL/0]    CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL
[INTEL/0]    CL_DEVICE_DOUBLE_FP_CONFIG                      <getDeviceInfo: get CL_DEVICE_DOUBLE_FP_CONFIG : error -30>
[INTEL/0]    CL_DEVICE_EXTENSIONS                            cl_khr_fp16 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_intel_required_subgroup_size cl_intel_unified_shared_memory cl_intel_device_attribute_query cl_khr_pci_bus_info cl_khr_device_uuid
[INTEL/0]    CL_DEVICE_NAME                                  Another: one
[INTEL/0]    CL_DEVICE_TYPE                                  CL_DEVICE_TYPE_ACCELERATOR
`

func TestReadClinfo(t *testing.T) {
	devices, err := ReadClinfo("intel", strings.NewReader(strings.ReplaceAll(intelClinfo, "\n", "\r\n")))
	if err != nil || len(devices) != 2 {
		t.Fatal(err, len(devices))
	}
	e := testkit.Must(devices[0].Entry(devices[0].Target()))(t)
	d := e.Device
	if d.Name != "intel_gpu_acm_g10" || d.MayHaveOtherAspects || !slices.Equal(d.SubGroupSizes, []uint32{8, 16, 32}) ||
		d.MaxWorkGroupSize != 1024 || d.LocalMemorySize != 65536 || !slices.Equal(d.MaxWorkItemSizes, []uint64{1024, 1024, 1024}) {
		t.Errorf("%+v", *d)
	}
	want := []aspect.Aspect{aspect.GPU, aspect.FP16, aspect.Image, aspect.OnlineCompiler, aspect.QueueProfiling,
		aspect.USMHostAllocations, aspect.USMSharedAllocations, aspect.USMAtomicSharedAllocations, aspect.Atomic64,
		aspect.ExtIntelLegacyImage, aspect.ExtIntelDeviceID, aspect.ExtIntelPCIAddress, aspect.ExtIntelDeviceInfoUUID,
		aspect.ExtIntelGPUEUCount, aspect.ExtIntelGPUSlices, aspect.ExtIntelGPUSubslicesPerSlice,
		aspect.ExtIntelGPUEUCountPerSubslice, aspect.ExtIntelGPUHWThreadsPerEU, aspect.ExtIntelESIMD, aspect.ExtIntelMatrix,
		aspect.ExtOneAPISRGB, aspect.ExtOneAPIFragment, aspect.ExtOneAPIChunk, aspect.ExtOneAPITangle,
		aspect.ExtOneAPIPrivateAlloca, aspect.ExtOneAPIVirtualFunctions}
	slices.Sort(want)
	if !slices.Equal(d.Aspects, want) {
		t.Errorf("got  %v\nwant %v", d.Aspects, want)
	}
	text := e.Text()
	for _, want := range []string{
		"# INTEL/0 of clinfo --raw\n# CL_DEVICE_NAME: Intel(R) Arc(TM) A770 Graphics\n",
		"    - atomic64 # CL_DEVICE_EXTENSIONS: cl_khr_int64_base_atomics, cl_khr_int64_extended_atomics\n",
		"    - gpu # CL_DEVICE_TYPE: CL_DEVICE_TYPE_GPU\n",
		"  sub-group-sizes: [8, 16, 32] # CL_DEVICE_SUB_GROUP_SIZES_INTEL\n",
		"  local-memory-size: 65536 # CL_DEVICE_LOCAL_MEM_SIZE\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in\n%s", want, text)
		}
	}
	checkRoundTrip(t, e, text)

	other := testkit.Must(devices[1].Entry(devices[1].Target()))(t)
	if d := other.Device; d.Name != "opencl_another_one" || !d.Has(aspect.Accelerator) || d.Has(aspect.ExtOneAPIVirtualFunctions) || !slices.Equal(d.SubGroupSizes, []uint32{1}) {
		t.Errorf("%+v", *d)
	}
}

// TestProfiling checks that profiling requires OpenCL 2.1 and an answer about queues.
func TestProfiling(t *testing.T) {
	for _, test := range []struct {
		version, query string
		want           bool
	}{
		{"OpenCL 3.0 NEO", "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES", true},
		{"OpenCL 2.1", "CL_DEVICE_QUEUE_PROPERTIES", true},
		{"OpenCL 2.0", "CL_DEVICE_QUEUE_PROPERTIES", false},
		{"OpenCL 1.2", "CL_DEVICE_QUEUE_PROPERTIES", false},
		{"", "CL_DEVICE_QUEUE_PROPERTIES", false},
		{"OpenCL 3.0", "CL_DEVICE_NAME", false},
	} {
		o := &OpenCLDevice{Answers: map[string]string{"CL_DEVICE_VERSION": test.version, test.query: "CL_QUEUE_PROFILING_ENABLE"}}
		if got := o.profiling().has; got != test.want {
			t.Errorf("%s, %s: got %t", test.version, test.query, got)
		}
	}
}

func TestTarget(t *testing.T) {
	for _, test := range []struct{ version, name, want string }{
		{"0x030f0007", "x", "intel_gpu_pvc"},
		{"0x030f0001", "x", "intel_gpu_pvc"},
		{"51232776", "x", "intel_gpu_acm_g10"},
		{"12.60.7", "x", "intel_gpu_pvc"},
		{"0x14000004 (80.0.4)", "x", "intel_gpu_80_0_4"},
		{"12.60.63", "x", "intel_gpu_pvc"},
		{"12.60.64", "x", "opencl_x"},
		{"12.600.7", "x", "opencl_x"},
		{"", "cpu-haswell-Some(R) CPU @ 2.5GHz", "opencl_cpu_haswell_some_r_cpu_2_5ghz"},
		{"", "???", "opencl_device"},
		{"", strings.Repeat("é", 300), "opencl_device"},
		{"", strings.Repeat("a", 300), "opencl_" + strings.Repeat("a", 100)},
	} {
		o := &OpenCLDevice{Answers: map[string]string{"CL_DEVICE_IP_VERSION_INTEL": test.version, "CL_DEVICE_NAME": test.name}}
		if got := o.Target(); got != test.want {
			t.Errorf("version %q of %q: %s, want %s", test.version, test.name, got, test.want)
		}
	}
}

func TestPartial(t *testing.T) {
	o := &OpenCLDevice{ID: "dg2", From: "ocloc query", Partial: true, Answers: map[string]string{
		"CL_DEVICE_TYPE": "CL_DEVICE_TYPE_GPU", "CL_DEVICE_VENDOR_ID": "0x8086",
		"CL_DEVICE_EXTENSIONS":        "cl_khr_fp16 cl_intel_required_subgroup_size",
		"CL_DEVICE_OPENCL_C_FEATURES": "__opencl_c_int64:3.0.0 __opencl_c_images:3.0.0",
	}}
	e := testkit.Must(o.Entry("intel_gpu_dg2"))(t)
	d := e.Device
	if !d.MayHaveOtherAspects || !d.Has(aspect.Image) || !d.Has(aspect.ExtIntelESIMD) || !slices.Equal(d.SubGroupSizes, []uint32{8, 16, 32}) {
		t.Errorf("%+v", *d)
	}
	text := e.Text()
	checkRoundTrip(t, e, text)
	if e, err := o.Entry("intel_gpu_new"); err != nil || e.Device.SubGroupSizes != nil {
		t.Errorf("%v, %+v", err, e)
	}
}

func TestClinfoErrors(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"nothing", "", "f: no devices found; expected the output of 'clinfo --raw'"},
		{"no raw output", "Number of platforms  1\n", "f: no devices found; expected the output of 'clinfo --raw'"},
		{"a long file", strings.Repeat("x", maxClinfo+1), "f: file too large (limit 8388608 bytes)"},
		{"many devices", strings.Repeat("[A/0] CL_DEVICE_NAME x\n", maxClinfoDevices+1), "f:1001: too many devices (limit 1000)"},
	} {
		_, err := ReadClinfo("f", strings.NewReader(test.in))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadClinfo("f", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	for answers, want := range map[[2]string]string{
		{"CL_DEVICE_MAX_WORK_GROUP_SIZE", "lots\x1b"}: `A/0: CL_DEVICE_MAX_WORK_GROUP_SIZE: "lots\x1b" is not a positive number`,
		{"CL_DEVICE_LOCAL_MEM_SIZE", "1 2"}:           `A/0: CL_DEVICE_LOCAL_MEM_SIZE: "1 2" is not a positive number`,
		{"CL_DEVICE_MAX_WORK_ITEM_SIZES", "1 2"}:      `A/0: CL_DEVICE_MAX_WORK_ITEM_SIZES: "1 2" is not a list of 3 positive numbers`,
	} {
		o := &OpenCLDevice{ID: "A/0", Answers: map[string]string{answers[0]: answers[1]}}
		if _, err := o.Entry("a"); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := (&OpenCLDevice{}).Entry("a/b"); err == nil || !strings.Contains(err.Error(), "'/'") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadClinfo(f *testing.F) {
	f.Add([]byte(intelClinfo))
	sample, err := os.ReadFile("testdata/pocl.clinfo")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	f.Add([]byte("[A/0] CL_DEVICE_NAME \x00: # }\n[A/0] CL_DEVICE_VERSION OpenCL 2.1\u2028\n[A/0] CL_DEVICE_IP_VERSION_INTEL 1.2.3\n[A/0] CL_DEVICE_LOCAL_MEM_SIZE 18446744073709551615\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		devices, err := ReadClinfo("f", bytes.NewReader(in))
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("got %T: %v", err, err)
			}
			return
		}
		for _, o := range devices {
			e, err := o.Entry(o.Target())
			if err != nil {
				continue
			}
			text := e.Text()
			checkRoundTrip(t, e, text)
		}
	})
}
