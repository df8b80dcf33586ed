package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/postlink"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/splitir"
)

// pointerProperty returns a kernel that stores through a pointer with a property, and passes the
// pointer to a function.
func pointerProperty(name, value string) string {
	constant := func(symbol, text string) string {
		return "@" + symbol + " = private unnamed_addr addrspace(1) constant [" + length(text) + " x i8] c\"" + text + "\\00\", section \"llvm.metadata\"\n"
	}
	return constant("properties", "sycl-properties") + constant("file", "a.cpp") + constant("name", name) + constant("value", value) +
		`@list = private unnamed_addr addrspace(1) constant { ptr addrspace(1), ptr addrspace(1) } { ptr addrspace(1) @name, ptr addrspace(1) @value }, section "llvm.metadata"
declare ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr addrspace(1))
define spir_kernel void @k(ptr addrspace(1) %p) "sycl-module-id"="a.cpp" {
  %a = getelementptr i32, ptr addrspace(1) %p, i64 1
  %b = call ptr addrspace(1) @llvm.ptr.annotation.p1.p1(ptr addrspace(1) %a, ptr addrspace(1) @properties, ptr addrspace(1) @file, i32 7, ptr addrspace(1) @list)
  store i32 7, ptr addrspace(1) %b, align 4
  ret void
}
`
}

func length(text string) string {
	n := len(text) + 1
	return string([]byte{byte('0' + n/10), byte('0' + n%10)})
}

// TestPropertiesReachSPIRV checks that both translators write the properties to the SPIR-V. Some
// properties need an extension; without it, a translator drops them or fails.
func TestPropertiesReachSPIRV(t *testing.T) {
	kernel := func(properties string) string {
		return "define spir_kernel void @k(ptr addrspace(1) %p) \"sycl-module-id\"=\"a.cpp\" " + properties + " {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"
	}
	parameter := func(properties string) string {
		return "define spir_kernel void @k(ptr addrspace(1) " + properties + " %p) \"sycl-module-id\"=\"a.cpp\" {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"
	}
	variable := func(properties string) string {
		return "@g = addrspace(1) global i32 0, align 4 " + properties + "\ndefine spir_kernel void @k(ptr addrspace(1) %p) \"sycl-module-id\"=\"a.cpp\" {\n  %x = load i32, ptr addrspace(1) @g\n  store i32 %x, ptr addrspace(1) %p\n  ret void\n}\n"
	}
	for name, test := range map[string]struct {
		ir   string
		want []string // regular expressions
		llc  bool     // LLVM's own translator also supports it
	}{
		"a work-group size":             {kernel(`"sycl-work-group-size"="8,4"`), []string{`OpExecutionMode %\S+ LocalSize 4 8 1\n`}, true},
		"a hint":                        {kernel(`"sycl-work-group-size-hint"="8,4,2"`), []string{`OpExecutionMode %\S+ LocalSizeHint 2 4 8\n`}, true},
		"a sub-group size":              {kernel(`"sycl-sub-group-size"="16"`), []string{`OpCapability SubgroupDispatch\n`, `OpExecutionMode %\S+ SubgroupSize 16\n`}, true},
		"a largest size":                {kernel(`"sycl-max-work-group-size"="8,4"`), []string{`OpExtension "SPV_INTEL_kernel_attributes"`, `OpExecutionMode %\S+ MaxWorkgroupSizeINTEL 4 8 1\n`}, false},
		"256 registers":                 {kernel(`"sycl-grf-size"="256"`), []string{`OpDecorate %\S+ UserSemantic "num-thread-per-eu 4"\n`}, false},
		"128 registers":                 {kernel(`"sycl-maximum-registers"="128"`), []string{`OpDecorate %\S+ UserSemantic "num-thread-per-eu 8"\n`}, false},
		"rounding and denormals":        {kernel(`"sycl-floating-point-control"="72"`), []string{`OpExecutionMode %\S+ RoundingModeRTZ 16\n`, `OpExecutionMode %\S+ RoundingModeRTZ 64\n`, `OpExecutionMode %\S+ DenormPreserve 32\n`}, true},
		"rounding up":                   {kernel(`"sycl-floating-point-control"="2"`), []string{`OpExtension "SPV_INTEL_float_controls2"`, `OpExecutionMode %\S+ RoundingModeRTPINTEL 32\n`}, true},
		"a pipelined kernel":            {kernel(`"sycl-pipelined"="2"`), []string{`OpDecorate %\S+ PipelineEnable\S+ 1\n`, `OpDecorate %\S+ InitiationInterval\S+ 2\n`}, false},
		"a pipeline that stalls":        {kernel(`"sycl-fpga-cluster"="1"`), []string{`OpExtension "SPV_INTEL_fpga_cluster_attributes"`, `OpDecorate %\S+ StallEnable\S+\n`}, false},
		"an interface of registers":     {kernel(`"sycl-register-map-interface"="1"`), []string{`OpExecutionMode %\S+ RegisterMapInterfaceINTEL 1\n`}, false},
		"an interface":                  {kernel(`"sycl-streaming-interface"="1"`), []string{`OpExecutionMode %\S+ StreamingInterfaceINTEL 1\n`}, false},
		"an alignment of a parameter":   {parameter(`"sycl-alignment"="64"`), []string{`OpDecorate %\S+ Alignment 64\n`}, true},
		"restrict":                      {parameter(`"sycl-strict"`), []string{`OpDecorate %\S+ Restrict\n`}, true},
		"not restrict":                  {parameter(`"sycl-strict"="false"`), []string{`^(.*\n)*$`}, true},
		"a location of buffers":         {parameter(`"sycl-buffer-location"="3"`), []string{`OpExtension "SPV_INTEL_fpga_buffer_location"`, `OpDecorate %\S+ BufferLocation\S+ 3\n`}, false},
		"cache controls of a parameter": {parameter(`"sycl-cache-read-hint"="16"`), []string{`OpExtension "SPV_INTEL_cache_controls"`, `OpDecorate %\S+ CacheControlLoadINTEL 0 CachedINTEL\n`}, false},
		"an argument of an interface":   {parameter(`"sycl-conduit" "sycl-awidth"="32"`), []string{`OpDecorate %\S+ ConduitKernelArgument\S+\n`, `OpDecorate %\S+ MMHostInterfaceAddressWidth\S+ 32\n`}, false},
		"a device global":               {variable(`"sycl-device-global-size"="4" "sycl-unique-id"="the id" "sycl-host-access"="0"`), []string{`OpExtension "SPV_INTEL_global_variable_host_access"`, `OpDecorate %g HostAccessINTEL ReadINTEL "the id"\n`}, true},
		"one that hosts write":          {variable(`"sycl-device-global-size"="4" "sycl-unique-id"="the id" "sycl-host-access"="1"`), []string{`OpDecorate %g HostAccessINTEL WriteINTEL "the id"\n`}, true},
		"a variable in registers":       {variable(`"sycl-implement-in-csr"`), []string{`OpDecorate %g ImplementInRegisterMap\S+ 1\n`}, false},
		"banks of a variable":           {variable(`"sycl-num-banks"="4"`), []string{`OpDecorate %g Numbanks\S+ 4\n`}, false},
		"an aligned store":              {pointerProperty("sycl-alignment", "64"), []string{`OpStore %\S+ %\S+ Aligned 64\n`}, true},
		"cache controls of a store":     {pointerProperty("sycl-cache-write-hint", "16777216"), []string{`OpExtension "SPV_INTEL_cache_controls"`, `OpDecorate %\S+ CacheControlStoreINTEL 0 WriteBackINTEL\n`}, false},
		"a prefetch":                    {pointerProperty("sycl-prefetch-hint", "1"), []string{`OpDecorate %\S+ CacheControlLoadINTEL 1 CachedINTEL\n`}, true},
		"memory of a pointer":           {pointerProperty("sycl-resource", "MLAB"), []string{`OpDecorate %\S+ Memory\S+ "MLAB"\n`}, false},
	} {
		for _, translator := range []string{"llvm-spirv", "llc"} {
			if translator == "llc" && !test.llc {
				continue
			}
			t.Run(name+"/"+translator, func(t *testing.T) {
				path, opt, val, dis := testkit.Program(t, translator), testkit.Program(t, "opt"), testkit.Program(t, "spirv-val"), testkit.Program(t, "spirv-dis")
				t.Chdir(t.TempDir())
				testkit.WriteFile(t, "in.ll", "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1\"\ntarget triple = \"spirv64-unknown-unknown\"\n"+test.ir)
				var stderr strings.Builder
				err := splitir.Run(t.Context(), &stderr, splitir.Options{
					Input: "in.ll", Opt: opt, Output: "split.table",
					Run: postlink.Options{Split: postlink.SplitOptions{Mode: postlink.SplitAuto, KernelsOnly: true}},
				})
				if err != nil || stderr.Len() > 0 {
					t.Fatalf("%v\n%s", err, &stderr)
				}
				mustRun(t, "translate", "--"+translator, path, "--spirv-val", val, "--code-dir", "spv", "--properties-dir", "prop", "--table", "spv.table", "split.table")
				files, err := filepath.Glob("spv/*.spv")
				if err != nil || len(files) != 1 {
					t.Fatal(files, err)
				}
				text := testkit.Must(exec.Command(dis, files[0]).Output())(t)
				for _, want := range test.want {
					if !regexp.MustCompile(want).Match(text) {
						t.Errorf("no %s in\n%s", want, text)
					}
				}
				if name == "not restrict" && strings.Contains(string(text), "Restrict") {
					t.Errorf("restrict in\n%s", text)
				}
			})
		}
	}
}
