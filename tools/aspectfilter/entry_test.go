package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

const clinfoOutput = `[ONE/0] CL_DEVICE_NAME Fast (R) Thing
[ONE/0] CL_DEVICE_TYPE CL_DEVICE_TYPE_GPU
[ONE/0] CL_DEVICE_EXTENSIONS cl_khr_fp64
[ONE/0] CL_DEVICE_MAX_WORK_GROUP_SIZE 512
[ONE/1] CL_DEVICE_NAME Fast (R) Thing
[ONE/1] CL_DEVICE_TYPE CL_DEVICE_TYPE_CPU
[TWO/0] CL_DEVICE_NAME Other
[TWO/0] CL_DEVICE_MAX_WORK_GROUP_SIZE 0
`

func TestDeviceEntry(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "saved", clinfoOutput)
	testkit.WriteFile(t, "two", strings.Join(strings.SplitAfter(clinfoOutput, "\n")[:6], ""))
	testkit.WriteFile(t, "none", "nothing\n")
	testkit.WriteFile(t, "clinfo", "#!/bin/sh\ntest \"$*\" = --raw && cat saved\n")
	testkit.NoError(t, os.Chmod("clinfo", 0o755))
	for _, test := range []struct {
		name   string
		args   []string
		code   int
		stdout string // its start
		stderr string // part of it
	}{
		{"a device of a file", []string{"--from", "saved", "--device", "ONE/0"}, 0, "# ONE/0 of clinfo --raw\n# CL_DEVICE_NAME: Fast (R) Thing\nopencl_fast_r_thing:\n  aspects:\n    - gpu # ", ""},
		{"a device of the machine", []string{"--clinfo", "./clinfo", "--device", "ONE/1"}, 0, "# ONE/1 of clinfo --raw\n# CL_DEVICE_NAME: Fast (R) Thing\nopencl_fast_r_thing:\n  aspects:\n    - cpu # ", ""},
		{"under another name", []string{"--from", "saved", "--device", "ONE/0", "--name", "intel_gpu_12_60_7"}, 0, "# ONE/0 of clinfo --raw\n# CL_DEVICE_NAME: Fast (R) Thing\nintel_gpu_pvc:\n", ""},
		{"several of a name", []string{"--from", "two"}, 0, "# ONE/0 of clinfo --raw\n", "opencl_fast_r_thing: several devices have this name; select one with --device: ONE/0, ONE/1"},
		{"a name for several", []string{"--from", "saved", "--name", "x"}, 2, "", "3 devices for the name x; select one with --device: ONE/0, ONE/1, TWO/0"},
		{"a bad name", []string{"--from", "saved", "--device", "ONE/0", "--name", "a/b"}, 2, "", "has a character '/' that names cannot have; set a different --name"},
		{"a device that is not there", []string{"--from", "saved", "--device", "ONE/2"}, 2, "", "unknown device ONE/2; expected one of ONE/0, ONE/1, TWO/0"},
		{"a limit that is not a number", []string{"--from", "saved"}, 3, "", `TWO/0: CL_DEVICE_MAX_WORK_GROUP_SIZE: "0" is not a positive number`},
		{"no devices", []string{"--from", "none"}, 3, "", "none: no devices found"},
		{"no file", []string{"--from", "gone"}, 3, "", "output of clinfo: gone: "},
		{"no clinfo", []string{"--clinfo", "./gone"}, 4, "", "cannot query OpenCL: cannot run ./gone"},
		{"no ocloc", []string{"--ocloc", "./gone", "--ocloc-device", "dg2"}, 4, "", "cannot query ocloc: "},
		{"two sources", []string{"--from", "saved", "--ocloc-device", "dg2"}, 2, "", "--ocloc-device cannot be combined with --from and --device"},
		{"two programs", []string{"--clinfo", "./clinfo", "--from", "saved"}, 2, "", "--clinfo cannot be combined with --from"},
		{"clinfo beside ocloc", []string{"--clinfo", "./clinfo", "--ocloc-device", "dg2"}, 2, "", "--clinfo cannot be combined with --from or --ocloc-device"},
		{"ocloc without a device", []string{"--ocloc", "./ocloc", "--from", "saved"}, 2, "", "--ocloc requires --ocloc-device"},
		{"a flag for ocloc", []string{"--ocloc-device", "-x"}, 2, "", `the device "-x" looks like a flag of ocloc`},
		{"an argument", []string{"x"}, 2, "", `unexpected argument "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := run(t, append([]string{"device-entry"}, test.args...)...)
			if code != test.code || !strings.HasPrefix(stdout, test.stdout) || (stdout == "") != (test.stdout == "") || !strings.Contains(stderr, test.stderr) || (stderr == "") != (test.stderr == "") {
				t.Errorf("exit %d, %q, %q", code, stdout, stderr)
			}
		})
	}
}

// TestDerivedEntryDecides uses a derived entry as a user would.
func TestDerivedEntryDecides(t *testing.T) {
	workspace(t)
	testkit.WriteFile(t, "saved", clinfoOutput)
	mustRun(t, "device-entry", "--from", "saved", "--device", "ONE/0", "--name", "mine", "--output", "mine.yaml")
	mustRun(t, "--target", "mine", "--device-config-file", "mine.yaml", "--output", "out.table", "in.table")
	if got := testkit.ReadFile(t, "out.table"); got != "[Code|Properties|Symbols]\nplain.bc|plain.prop|a.sym\nfp64.bc|fp64.prop|b.sym\nnone.bc|none.prop|e.sym\n" {
		t.Errorf("got %q", got)
	}
}

// TestOcloc queries the real compiler about devices that need not be installed.
func TestOcloc(t *testing.T) {
	testkit.Program(t, "ocloc")
	for _, test := range []struct {
		device, target string
		fp64           bool
		sizes          []uint32
	}{
		{"acm-g10", "intel_gpu_acm_g10", false, []uint32{8, 16, 32}},
		{"pvc", "intel_gpu_pvc", true, []uint32{16, 32}},
		{"12.60.7", "intel_gpu_pvc", true, []uint32{16, 32}},
	} {
		stdout := mustRun(t, "device-entry", "--ocloc-device", test.device)
		config := testkit.Must(deviceconfig.Read("entry", strings.NewReader(stdout)))(t)
		d, ok := config.Lookup(test.target)
		if !ok || d.Has(aspect.FP64) != test.fp64 || !d.Has(aspect.FP16) || !d.Has(aspect.GPU) || !d.MayHaveOtherAspects || !slices.Equal(d.SubGroupSizes, test.sizes) {
			t.Errorf("%s:\n%s", test.device, stdout)
		}
	}
	if code, _, stderr := run(t, "device-entry", "--ocloc-device", "nope"); code != 3 || !strings.Contains(stderr, "ocloc does not support the device nope") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
