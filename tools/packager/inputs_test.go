package main

import (
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

func TestBadInputs(t *testing.T) {
	enter(t, split)
	mustRun(t, append([]string{"pack", "--output=k.syclbin"}, splitTables...)...)
	testkit.WriteFile(t, "code.table", "[Code]\nINPUT\n")
	testkit.BadInputs(t, tool, []string{
		"pack --output=o --table=spir64=INPUT", "pack --output=o --image=file=k.syclbin,triple=spir64,props=INPUT",
		"pack @INPUT", "wrap --output=o.s --table=spir64=INPUT", "import --output=o INPUT",
		"dump INPUT", "dump --lenient INPUT", "verify INPUT", "extract --output-dir=o INPUT", "convert --output=o INPUT", "specialize --set=a=1 --output=o INPUT",
		"diff k.syclbin INPUT", "diff INPUT k.syclbin", "link --output=o INPUT", "link --output=o k.syclbin INPUT",
		"explain --device=intel_gpu_pvc INPUT", "explain --device=intel_gpu_pvc --device-config=INPUT k.syclbin",
	}, "pack --output=o --image=file=k.syclbin,triple=spir64,props=INPUT", "pack @INPUT")
}
