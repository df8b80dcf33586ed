package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// manyKernels returns a module of kernels that call a function that the cleanup inlines.
func manyKernels(kernels int) string {
	var b strings.Builder
	b.WriteString("target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1\"\ntarget triple = \"spir64-unknown-unknown\"\n\ndefine internal i32 @twice(i32 %x) alwaysinline {\n  %y = add i32 %x, %x\n  ret i32 %y\n}\n")
	for i := range kernels {
		fmt.Fprintf(&b, "\ndefine spir_kernel void @_ZTS1%c(ptr addrspace(1) %%p, i32 %%x) #0 {\n  %%y = call i32 @twice(i32 %%x)\n  %%z = add i32 %%y, %d\n  store i32 %%z, ptr addrspace(1) %%p\n  ret void\n}\n", 'A'+i, i)
	}
	return b.String() + "\nattributes #0 = { \"sycl-module-id\"=\"a.cpp\" }\n"
}

// TestCleanTogether checks that one process of lli writes the same bytes as opt does for each
// module, and that opt is used if lli fails.
func TestCleanTogether(t *testing.T) {
	opt, lli := testkit.Program(t, "opt"), testkit.ProgramOf(t, "21", "lli")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "in.ll", manyKernels(6))
	// LLVM's verifier rejects a use before the definition.
	testkit.WriteFile(t, "broken.ll", strings.Replace(manyKernels(6), "%y = call i32 @twice(i32 %x)", "%y = add i32 %late, 1\n  %late = add i32 %x, 1", 1))
	own := testkit.Must(filepath.Abs("opt"))(t)
	testkit.NoError(t, os.Symlink(opt, own))
	script := func(text string) {
		t.Helper()
		testkit.NoError(t, os.WriteFile("lli", []byte("#!/bin/sh\necho >> called\n"+text+"\n"), 0o755))
	}
	var kept *buildstep.Cache
	built := func(input string) (code int, stderr string, files map[string]string, calls int) {
		t.Helper()
		os.Remove("called")
		dir := t.TempDir()
		var errs strings.Builder
		code = tool(kept).Run(context.Background(), &cli.Env{Stdout: new(strings.Builder), Stderr: &errs},
			[]string{"--split=per_kernel", "--opt=" + own, "--output=" + filepath.Join(dir, "a.table"), input})
		names := testkit.Must(filepath.Glob(filepath.Join(dir, "*.bc")))(t)
		files = map[string]string{}
		for _, name := range names {
			files[filepath.Base(name)] = testkit.ReadFile(t, name)
		}
		called, _ := os.ReadFile("called")
		return code, errs.String(), files, len(called)
	}

	code, stderr, want, _ := built("in.ll")
	if code != 0 || len(want) != 6 {
		t.Fatalf("exit %d: %s%d modules", code, stderr, len(want))
	}
	_, fault, _, _ := built("broken.ll")
	if !strings.Contains(fault, "does not dominate all uses") {
		t.Fatalf("of the broken module opt says %s", fault)
	}
	for name, text := range map[string]string{
		"lli":                       "exec " + lli + ` "$@"`,
		"one that damages and ends": `shift; for f; do echo > "$f"; done; exit 1`,
	} {
		script(text)
		code, stderr, got, calls := built("in.ll")
		if code != 0 || stderr != "" || !maps.Equal(got, want) {
			t.Errorf("%s: exit %d: %sthe modules differ from the output of opt alone", name, code, stderr)
		}
		if calls != 1 {
			t.Errorf("%s: %d calls", name, calls)
		}
		if code, stderr, _, _ := built("broken.ll"); code == 0 || stderr != fault {
			t.Errorf("%s: exit %d: %swant %s", name, code, stderr, fault)
		}
	}

	// A worker does not repeat finished work.
	script("exec " + lli + ` "$@"`)
	kept = buildstep.NewCache(1 << 20)
	for run, want := range []int{1, 0} {
		if code, stderr, _, calls := built("in.ll"); code != 0 || calls != want {
			t.Errorf("run %d: exit %d: %s%d calls of lli, want %d", run, code, stderr, calls, want)
		}
	}
}
