package main

import (
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// TestInvalidContent checks errors in a file that are only found when its content is used. The exit
// code still reports invalid input, and the message has the location and the fix.
func TestInvalidContent(t *testing.T) {
	aspects := func(list ...uint32) string {
		r := new(propset.Registry)
		r.Add(propset.DeviceRequirements).Put("aspects", propset.Uint32s(list...))
		r.Add(propset.KernelNames).Put("k", propset.Uint(1))
		return r.String()
	}
	enter(t, map[string]string{"k.table": "[Code|Properties]\nk.spv|k.prop\n", "k.spv": string(testkit.SPIRV("k")), "k.prop": aspects(6)})
	if code, _, stderr := run(t, "pack", "--output=good.syclbin", "--table=spir64=k.table"); code != 0 {
		t.Fatal(stderr)
	}
	// An aspect that only the newest release has.
	testkit.WriteFile(t, "k.prop", aspects(6, uint32(aspect.ExtOneAPIIPCEvent)))
	if code, _, stderr := run(t, "pack", "--runtime=2026.2", "--output=new.syclbin", "--table=spir64=k.table"); code != 0 {
		t.Fatal(stderr)
	}
	const want = "does not support aspect ext_oneapi_ipc_event; use a newer release, or avoid features that need the aspect"
	for command, place := range map[string]string{
		"pack --output=o.syclbin --table=spir64=k.table":                                         "abstract module 0",
		"pack --runtime=2025.3 --output=o.syclbin --image=file=k.spv,triple=spir64,props=k.prop": "abstract module 0",
		"wrap --output=o.s --table=spir64=k.table":                                               "k.spv",
		"convert --runtime=2025.3 --output=o.syclbin new.syclbin":                                "abstract module 0",
		"convert --runtime=2025.3 --syclbin-version=2 --output=o.syclbin new.syclbin":            "abstract module 0",
		"link --runtime=2025.3 --output=o.syclbin new.syclbin":                                   "abstract module 0",
	} {
		code, _, stderr := run(t, strings.Fields(command)...)
		if code != cli.ExitBadInput || !strings.Contains(stderr, want) || !strings.Contains(stderr, place) {
			t.Errorf("%s: exit %d, %q", command, code, stderr)
		}
	}
}
