package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// readsConstant is a module with a kernel that reads a constant.
const readsConstant = `target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spir64-unknown-unknown"
@name = private unnamed_addr constant [5 x i8] c"size\00"
@id = internal addrspace(1) constant { i64 } { i64 16 }
define spir_kernel void @_ZTS1K(ptr addrspace(1) %p) "sycl-module-id"="a.cpp" {
  %s = call spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4) addrspacecast (ptr @name to ptr addrspace(4)), ptr addrspace(4) addrspacecast (ptr addrspace(1) @id to ptr addrspace(4)), ptr addrspace(4) null)
  store i64 %s, ptr addrspace(1) %p
  ret void
}
declare spir_func i64 @_Z37__sycl_getScalar2020SpecConstantValueIlET_PKcPKvS4_(ptr addrspace(4), ptr addrspace(4), ptr addrspace(4))
`

func TestConstantFlags(t *testing.T) {
	native, load, sets := "call spir_func i64 @_Z20__spirv_SpecConstantix(i32 0, i64 16)", "= load i64, ptr addrspace(4)", "[SYCL/specialization constants]\nsize=2|gBAAAAAAAAAAAAAAAAAAAgAAAAA\n[SYCL/specialization constants default values]\nall=2|ABAAAAAAAAAEAAAAAAAAAA\n"
	for name, test := range map[string]struct {
		triple string
		args   []string
		want   map[string]string // contents of files
	}{
		"by the triple":                {"", nil, map[string]string{"out_0.ll": native, "out_0.prop": sets}},
		"by the triple, ahead of time": {"spir64_gen-unknown-unknown", nil, map[string]string{"out_0.ll": load, "out_0.prop": sets}},
		"emulation":                    {"", []string{"--spec-const=emulation"}, map[string]string{"out_0.ll": load, "out_0.prop": sets}},
		"native":                       {"spir64_gen-unknown-unknown", []string{"--spec-const=native"}, map[string]string{"out_0.ll": native, "out_0.prop": sets}},
		"a copy with default values": {"", []string{"--generate-device-image-default-spec-consts"}, map[string]string{
			"out_0.ll": native, "out_0.prop": sets, "out_1.ll": "%s = freeze i64 16", "out_1.prop": "specConstsReplacedWithDefault=1|1\n", "out_1.sym": "_ZTS1K\n",
			"out.table": "out_0.ll|out_0.prop|out_0.sym\nout_1.ll|out_1.prop|out_1.sym\n",
		}},
		"images that may need others": {"", []string{"--allow-device-image-dependencies"}, map[string]string{"out_0.ll": native, "out_0.prop": sets}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in, text := filepath.Join(dir, "in.ll"), readsConstant
			if test.triple != "" {
				text = strings.Replace(text, "spir64-unknown-unknown", test.triple, 1)
			}
			testkit.NoError(t, os.WriteFile(in, []byte(text), 0o644))
			mustRun(t, append(test.args, "--output", filepath.Join(dir, "out.table"), in)...)
			for file, want := range test.want {
				got, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil || !strings.Contains(strings.ReplaceAll(string(got), dir+"/", ""), want) {
					t.Errorf("%s: %v\n%s\nlacks %s", file, err, got, want)
				}
			}
		})
	}
	if code, stderr := run(t, "--spec-const=rt2", "--output", filepath.Join(t.TempDir(), "out.table"), "in.ll"); code != 2 || !strings.Contains(stderr, "unknown mode; expected one of [native emulation]") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
