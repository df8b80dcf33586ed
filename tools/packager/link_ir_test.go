package main

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/steps/stepstest"
)

// Sources of SYCLBINs: kernels, and a function that one of them calls.
const (
	irKernels = `SYCL_EXTERNAL float weight(unsigned long i);
class Plain;
class Wide;
void kernels(float *f, double *d) {
  parallel_for<Plain>([=](int i) { f[i] = weight(i) - 1; });
  parallel_for<Wide>([=](int i) { d[i] = d[i] * 0.1; });
}
`
	irLibrary = `SYCL_EXTERNAL float weight(unsigned long i) { return 0.5f * i; }
`
)

// irPrograms returns the flags that set the paths of programs, for systems on which not all of them
// are in PATH.
func irPrograms(t *testing.T, names ...string) []string {
	t.Helper()
	args := []string{"link", "--mode", "ir"}
	for _, name := range append([]string{"llvm-spirv", "llvm-dis", "llvm-link", "opt", "spirv-val"}, names...) {
		args = append(args, "--"+name, testkit.Program(t, name))
	}
	return args
}

func buildIR(t *testing.T, version int) {
	t.Helper()
	t.Chdir(t.TempDir())
	stepstest.Build(t, stepstest.Binary{Name: "kernels", Source: irKernels, Options: []string{"-O2"}, State: syclbin.Object, Version: version})
	stepstest.Build(t, stepstest.Binary{Name: "library", Source: irLibrary, Options: []string{"-O2"}, State: syclbin.Object, Bitcode: version == 2})
}

// shape describes each module of a file: its kernels, its requirements, and the targets of its
// images.
func shape(t *testing.T, name string) string {
	t.Helper()
	f := testkit.Must(syclbin.Open(name))(t)
	defer f.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", f.State)
	for _, m := range f.Modules {
		q := testkit.Must(requirement.FromProperties(m.Metadata))(t)
		var targets []string
		for _, i := range m.Images() {
			targets = append(targets, i.Target())
		}
		slices.Sort(targets)
		fmt.Fprintf(&b, "%q needs %v, imports %d, exports %d, for %s\n", m.Kernels(), q.Aspects,
			m.Metadata.Set(propset.ImportedSymbols).Len(), m.Metadata.Set(propset.ExportedSymbols).Len(), strings.Join(targets, " "))
	}
	return b.String()
}

// TestLinkIR checks that the code of both files is linked, split by its requirements, and compiled
// for the targets that support it.
func TestLinkIR(t *testing.T) {
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprintf("version %d", version), func(t *testing.T) {
			args := irPrograms(t, "ocloc")
			buildIR(t, version)
			scratch := t.TempDir()
			t.Setenv("TMPDIR", scratch)
			args = append(args, "--targets", "spir64,intel_gpu_acm_g10,intel_gpu_pvc,intel_gpu_12_60_7", "kernels.syclbin", "library.syclbin")
			mustRun(t, append(args, "--output", "out.syclbin")...)
			want := `executable
["__sycl_kernel__ZTS5Plain"] needs [], imports 0, exports 0, for spir64_gen-unknown-unknown=intel_gpu_acm_g10
["__sycl_kernel__ZTS4Wide"] needs [fp64], imports 0, exports 0, for spir64_gen-unknown-unknown=intel_gpu_pvc
["__sycl_kernel__ZTS5Plain"] needs [], imports 0, exports 0, for spir64_gen-unknown-unknown=intel_gpu_pvc
["__sycl_kernel__ZTS4Wide"] needs [fp64], imports 0, exports 0, for spir64-unknown-unknown
["__sycl_kernel__ZTS5Plain"] needs [], imports 0, exports 0, for spir64-unknown-unknown
`
			if got := shape(t, "out.syclbin"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			mustRun(t, "verify", "out.syclbin")
			if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
				t.Errorf("temporary files are left: %v, %v", left, err)
			}

			// The output does not depend on the directory of temporary files.
			t.Setenv("TMPDIR", t.TempDir())
			mustRun(t, append(args, "--output", "again.syclbin")...)
			if string(file(t, "again.syclbin")) != string(file(t, "out.syclbin")) {
				t.Error("a second link wrote another file")
			}

			f := testkit.Must(syclbin.Open("out.syclbin"))(t)
			defer f.Close()
			for _, m := range f.Modules {
				if len(m.IR) == 0 {
					continue
				}
				data := make([]byte, m.IR[0].Size())
				testkit.Must(m.IR[0].ReadAt(data, 0))(t)
				if s, err := spirv.Parse(data); err != nil || len(s.Imports) > 0 {
					t.Errorf("%q: imports %q, %v", m.Kernels(), s.Imports, err)
				}
				if p, ok := srcloc.ReadKernel(m.Metadata, m.Kernels()[0]); !ok || p.Location.Path != "kernels.cpp" {
					t.Errorf("%q is at %v", m.Kernels(), p.Location)
				}
			}
		})
	}
}

func TestLinkIRUnresolved(t *testing.T) {
	args := irPrograms(t)
	buildIR(t, 1)
	code, _, stderr := run(t, append(args, "--output", "out.syclbin", "kernels.syclbin")...)
	testkit.GoldenFile(t, filepath.Join(testdata, "link_ir_undefined.txt"), fmt.Sprintf("exit %d\n%s", code, stderr))
	if _, err := os.Stat("out.syclbin"); err == nil {
		t.Error("there is an output")
	}

	mustRun(t, append(args, "--allow-unresolved", "--output", "part.syclbin", "kernels.syclbin")...)
	want := `object
["__sycl_kernel__ZTS4Wide"] needs [fp64], imports 0, exports 0, for spir64-unknown-unknown
["__sycl_kernel__ZTS5Plain"] needs [], imports 1, exports 0, for spir64-unknown-unknown
`
	if got := shape(t, "part.syclbin"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// A later link resolves the import.
	mustRun(t, append(args, "--split", "off", "--state", "object", "--output", "all.syclbin", "part.syclbin", "library.syclbin")...)
	want = `object
["__sycl_kernel__ZTS4Wide"] needs [fp64], imports 0, exports 0, for spir64-unknown-unknown
["__sycl_kernel__ZTS5Plain"] needs [], imports 0, exports 1, for spir64-unknown-unknown
`
	if got := shape(t, "all.syclbin"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// A file in executable state can be linked only with --state executable.
	mustRun(t, append(args, "--output", "done.syclbin", "all.syclbin")...)
	checkRun(t, cli.ExitBadInput, "SYCLBIN file 'done.syclbin' is in executable state", append(args, "--output", "x.syclbin", "done.syclbin")...)
	mustRun(t, append(args, "--state", "executable", "--output", "again.syclbin", "done.syclbin")...)

	code, _, stderr = run(t, append(args, "--targets", "intel_gpu_acm_g10", "--ocloc", "/nonexistent", "--output", "x.syclbin", "done.syclbin", "--state", "executable")...)
	if code != cli.ExitNo || !strings.Contains(stderr, "kernel Wide (kernels.cpp:6):\n  intel_gpu_acm_g10: Required aspect fp64 is not supported on the device") || strings.Contains(stderr, os.TempDir()) {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestLinkIRLibrary checks that the native code of a file without kernels contains its functions.
func TestLinkIRLibrary(t *testing.T) {
	args := irPrograms(t, "ocloc")
	buildIR(t, 1)
	mustRun(t, append(args, "--targets", "intel_gpu_pvc", "--state", "object", "--output", "out.syclbin", "library.syclbin")...)
	f := testkit.Must(syclbin.Open("out.syclbin"))(t)
	defer f.Close()
	if len(f.Modules) != 1 || len(f.Modules[0].Native) != 1 || f.Modules[0].Metadata.Set(propset.ExportedSymbols).Len() != 1 {
		t.Fatalf("got\n%s", shape(t, "out.syclbin"))
	}
	image := testkit.Must(elf.NewFile(f.Modules[0].Native[0]))(t)
	symbols, err := image.Symbols()
	if err != nil || !slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "_Z6weightm" && s.Section != elf.SHN_UNDEF }) {
		t.Errorf("symbols %v, %v", symbols, err)
	}
}

func TestLinkIRRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	native := &syclbin.File{State: syclbin.Object, Global: new(propset.Registry), Modules: []*syclbin.Module{{
		Metadata: new(propset.Registry),
		Native:   []*syclbin.Image{syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("\x7fELF"))},
	}}}
	stepstest.Write(t, "native.syclbin", native, 0)
	testkit.NoError(t, os.WriteFile("cut.syclbin", file(t, "native.syclbin")[:300], 0o644))
	for _, name := range []string{"llvm-spirv-21", "llvm-dis-21", "llvm-link-21", "opt-21", "spirv-val"} {
		testkit.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	}
	here := testkit.Must(filepath.Abs("."))(t)
	t.Setenv("PATH", here)
	ir := []string{"link", "--mode", "ir", "--output", "out.syclbin"}
	code, _, stderr := run(t, append(ir, "native.syclbin")...)
	testkit.GoldenFile(t, filepath.Join(testdata, "link_ir_native.txt"), fmt.Sprintf("exit %d\n%s", code, stderr))

	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a file that was cut":       {append(ir, "cut.syclbin"), cli.ExitBadInput, "only 300 bytes"},
		"a file that is not there":  {append(ir, "lost.syclbin"), cli.ExitBadInput, "lost.syclbin"},
		"no file":                   {ir, cli.ExitUsage, "no input files"},
		"no output":                 {[]string{"link", "--mode", "ir", "native.syclbin"}, cli.ExitUsage, "--output is required"},
		"a file twice":              {append(ir, "native.syclbin", "native.syclbin"), cli.ExitUsage, "duplicate input file native.syclbin"},
		"a graph":                   {append(ir, "--graph", "g.txt", "native.syclbin"), cli.ExitUsage, "--graph and --json require --mode combine"},
		"an unknown target":         {append(ir, "--targets", "intel_gpu_pcv", "native.syclbin"), cli.ExitUsage, `unknown target "intel_gpu_pcv"; did you mean intel_gpu_pvc`},
		"a target without compiler": {append(ir, "--targets", "nvidia_gpu_sm_90", "native.syclbin"), cli.ExitUsage, "cannot compile for 'nvidia_gpu_sm_90'"},
		"an unknown split":          {append(ir, "--split", "per_moon", "native.syclbin"), cli.ExitUsage, "--split: unknown mode 'per_moon'; expected one of"},
		"no ocloc":                  {append(ir, "--targets", "intel_gpu_pvc", "native.syclbin"), cli.ExitFailure, "ocloc not found in PATH; install it (Debian: intel-ocloc) or set --ocloc"},
		"targets to combine for":    {[]string{"link", "--targets", "spir64", "--output", "o", "native.syclbin"}, cli.ExitUsage, "--targets requires --mode ir"},
		"a program to combine with": {[]string{"link", "--opt", "opt", "--output", "o", "native.syclbin"}, cli.ExitUsage, "--opt requires --mode ir"},
		"unresolved in an executable": {append(ir, "--state", "executable", "--allow-unresolved", "native.syclbin"), cli.ExitUsage,
			"--allow-unresolved cannot be combined with --state executable"},
	} {
		t.Run(name, func(t *testing.T) {
			checkRun(t, test.code, test.want, test.args...)
		})
	}
	testkit.NoError(t, os.Remove("llvm-dis-21"))
	checkRun(t, cli.ExitFailure, "llvm-dis of LLVM 21 or newer, all of one release, not found in PATH", append(ir, "native.syclbin")...)
}
