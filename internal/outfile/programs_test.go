//go:build unix

package outfile_test

// This file tests that every program that writes outputs gives the guarantees of
// docs/project/architecture.md.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// programs is the directory of the programs, and inputs is the directory of their inputs.
var programs, inputs string

func TestMain(m *testing.M) {
	code := m.Run()
	if programs != "" {
		os.RemoveAll(filepath.Dir(programs))
	}
	os.Exit(code)
}

// names lists the programs.
var names = []string{"aot", "aspectfilter", "compat", "devicec", "packager", "postlink", "syclcxx"}

// setUp builds the programs, unless Bazel has built them, and the inputs of both generations.
func setUp(t *testing.T) {
	t.Helper()
	if programs != "" {
		return
	}
	dir, err := os.MkdirTemp("", "outputs")
	testkit.NoError(t, err)
	programs, inputs = filepath.Join(dir, "programs"), filepath.Join(dir, "inputs")
	// Allow all users to access the directory.
	testkit.NoError(t, errors.Join(os.Chmod(dir, 0o755), os.Mkdir(programs, 0o755)))
	for _, name := range names {
		path := filepath.Join(programs, name)
		if built, bazel := os.LookupEnv("PROGRAM_" + strings.ToUpper(name)); bazel {
			data := testkit.ReadFile(t, filepath.Join(os.Getenv("TEST_SRCDIR"), built))
			testkit.NoError(t, os.WriteFile(path, []byte(data), 0o755))
		} else if out, err := exec.Command("go", "build", "-o", path, "../../tools/"+name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	testkit.NoError(t, os.MkdirAll(inputs, 0o755))
	makeDPCPP(t)
	for generation := range 2 {
		makeInputs(t, generation)
	}
}

// makeDPCPP creates a DPC++ installation with a fake library, and a fake host compiler.
func makeDPCPP(t *testing.T) {
	t.Helper()
	library := filepath.Join(programs, "dpcpp", "lib", "libsycl-jit.so.99.1")
	for _, empty := range []string{"dpcpp/lib/libsycl.so", "dpcpp/lib/libsycl.so.9", "dpcpp/include/sycl/sycl.hpp", "host-headers/none"} {
		testkit.WriteFile(t, filepath.Join(programs, empty), "")
	}
	for name, build := range map[string]struct{ variable, options string }{
		filepath.Join(programs, "driver"): {"DPCPP_DRIVER", "driver.cpp -ldl"},
		library:                           {"DPCPP_FAKE_JIT", "fake_jit.cpp -fPIC -shared"},
	} {
		if built, bazel := os.LookupEnv(build.variable); bazel {
			testkit.WriteFile(t, name, testkit.ReadFile(t, filepath.Join(os.Getenv("TEST_SRCDIR"), built)))
			testkit.NoError(t, os.Chmod(name, 0o755))
			continue
		}
		cmd := exec.Command(testkit.Program(t, "c++"), append([]string{"-std=c++17", "-o", name}, strings.Fields(build.options)...)...)
		cmd.Dir = filepath.Join("..", "..", "rules", "dpcpp")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	compiler := `#!/bin/sh
case "$*" in
*--version*) echo "g++ 12.2.0"; exit ;;
*-print-file-name*) echo include; exit ;;
esac
for a; do
  case $before in
  -o) out=$a ;;
  -MF) echo "k.o: k.cpp" > "$a" ;;
  esac
  before=$a
done
echo "int x;" | exec ` + testkit.Program(t, "c++") + ` -x c++ -c - -o "$out"
`
	testkit.NoError(t, os.WriteFile(filepath.Join(programs, "host"), []byte(compiler), 0o755))
}

// modules is the number of modules in the inputs.
const modules = 12

// makeInputs writes the inputs of a generation: the same files, with its number in kernel names.
func makeInputs(t *testing.T, generation int) {
	t.Helper()
	in := func(name string) string { return filepath.Join(inputs, fmt.Sprint(generation), name) }
	table, native, bitcode := "[Code|Properties|Symbols]\n", "[Code|Properties|Symbols]\n", "[Code|Properties|Symbols]\n"
	ir := "target triple = \"spirv64-unknown-unknown\"\n"
	for n := range modules {
		kernel := fmt.Sprintf("_ZTS4K%02d%d", n, generation)
		r := new(propset.Registry)
		needs := requirement.Requirements{}
		if n%3 == generation {
			needs.Aspects = []aspect.Aspect{aspect.FP64}
		}
		needs.Put(r)
		r.Add(propset.KernelNames).Put(kernel, propset.Uint(1))
		propset.PutSpecConstants(r, []propset.SpecConstant{{Name: "_Z5width", Records: []propset.SpecRecord{{ID: 0, Size: 4}}, Default: []byte{8, 0, 0, 0}}})
		spv := testkit.WriteFile(t, in(fmt.Sprintf("%d.spv", n)), testkit.SPIRV(kernel, testkit.SPIRVConstant{ID: 0, Type: testkit.I32, Bits: 8}))
		prop := testkit.WriteFile(t, in(fmt.Sprintf("%d.prop", n)), r.String())
		sym := testkit.WriteFile(t, in(fmt.Sprintf("%d.sym", n)), kernel+"\n")
		bin := testkit.WriteFile(t, in(fmt.Sprintf("%d.bin", n)), strings.Repeat(fmt.Sprintf("native code %d\n", generation), 10_000))
		bc := testkit.WriteFile(t, in(fmt.Sprintf("%d.bc", n)), "BC\xc0\xde"+kernel)
		table += spv + "|" + prop + "|" + sym + "\n"
		native += bin + "|" + prop + "|" + sym + "\n"
		bitcode += bc + "|" + prop + "|" + sym + "\n"
		ir += "define spir_kernel void @" + kernel + "() {\n  ret void\n}\n"
	}
	testkit.WriteFile(t, in("k.table"), table)
	testkit.WriteFile(t, in("native.table"), native)
	testkit.WriteFile(t, in("bitcode.table"), bitcode)
	testkit.WriteFile(t, in("k.ll"), ir)
	testkit.WriteFile(t, in("k.cpp"), fmt.Sprintf("#include <sycl/sycl.hpp>\nimage 2\nsymbol %d\n", generation)) // read by the fake DPC++ library
	testkit.WriteFile(t, in("clinfo"), fmt.Sprintf("[ONE/0] CL_DEVICE_NAME Thing\n[ONE/0] CL_DEVICE_TYPE CL_DEVICE_TYPE_GPU\n[ONE/0] CL_DEVICE_MAX_WORK_GROUP_SIZE %d\n", 256<<generation))
	testkit.WriteFile(t, in("devices.yaml"), fmt.Sprintf("mine:\n  aspects: [fp64]\n  sub-group-sizes: [%d]\n", 8<<generation))
	testkit.WriteFile(t, in("policy.yaml"), fmt.Sprintf("version: 1\ndevices:\n  required: [%s]\n", []string{"intel_gpu_acm_g10", "intel_gpu_acm_g11"}[generation]))
	var container bytes.Buffer
	image := offload.Image{OffloadKind: offload.SYCL, Strings: []offload.String{{Key: "triple", Value: "spir64_gen-unknown-unknown"}, {Key: "arch", Value: "intel_gpu_pvc"}},
		Content: strings.NewReader(testkit.ReadFile(t, in("0.bin")))}
	testkit.NoError(t, offload.Write(&container, []offload.Image{image}, offload.Options{Version: 2}))
	testkit.WriteFile(t, in("k.offload"), container.Bytes())
	// The fake compiler writes to the file after -o, or to the last argument.
	compiler := fmt.Sprintf("#!/bin/sh\nfor a; do if [ \"$before\" = -o ]; then out=$a; fi; before=$a; done\nif [ \"$out\" = - ]; then out=/dev/stdout; fi\nexec cat %s > \"${out:-$a}\"\n", in("0.spv"))
	for name, text := range map[string]string{"compiler": compiler, "cat": "#!/bin/sh\ncat \"$1\"\n", "true": "#!/bin/sh\n"} {
		testkit.NoError(t, os.WriteFile(in(name), []byte(text), 0o755))
	}
	for _, args := range []string{
		"packager pack --output=IN/k.syclbin --state=object --table=spir64=IN/k.table --table=spir64_gen=intel_gpu_pvc=IN/native.table",
		"packager pack --output=IN/ir.syclbin --table=spir64=IN/k.table",
		"compat report --name=//demo:kernels --devices=intel_gpu_pvc,intel_gpu_acm_g10,intel_gpu_acm_g11 --output=IN/k.json IN/k.syclbin",
	} {
		if out, err := command(args, generation).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
}

// command returns a program with arguments. IN stands for the inputs of a generation, and PROGRAMS
// for the directory of programs.
func command(line string, generation int) *exec.Cmd {
	args := strings.Fields(strings.NewReplacer("IN/", filepath.Join(inputs, fmt.Sprint(generation))+"/", "PROGRAMS/", programs+"/").Replace(line))
	cmd := exec.Command(filepath.Join(programs, args[0]), args[1:]...)
	cmd.Env = append(os.Environ(), "CI=")
	return cmd
}

// A writer is a program that writes outputs.
type writer struct {
	command, main string
	before        map[string]string
	edits         bool // whether it edits existing files, which are generation 0
	replaces      bool
}

func (w writer) job() testkit.Job {
	return testkit.Job{Main: w.main, Before: w.before, Replaces: w.replaces, Command: func(generation int) *exec.Cmd {
		if w.edits && generation == 0 {
			return exec.Command("true")
		}
		return command(w.command, generation)
	}}
}

const dpcpp = " --dpcpp=PROGRAMS/dpcpp --driver=PROGRAMS/driver --host-headers=PROGRAMS/host-headers -fsycl-host-compiler=PROGRAMS/host IN/k.cpp"

var writers = map[string]writer{
	"packager pack":             {command: "packager pack --output=k.syclbin --state=object --table=spir64=IN/k.table --table=spir64_gen=intel_gpu_pvc=IN/native.table"},
	"packager wrap":             {command: "packager wrap --output=k.s --table=spir64=IN/k.table --table=spir64_gen=intel_gpu_pvc=IN/native.table"},
	"packager import":           {command: "packager import --output=k.syclbin IN/k.offload"},
	"packager extract":          {command: "packager extract --output-dir=out IN/k.syclbin", main: "out/pack.args"},
	"packager convert":          {command: "packager convert --syclbin-version=2 --output=k.syclbin IN/k.syclbin"},
	"packager link":             {command: "packager link --graph=k.graph --output=k.syclbin IN/k.syclbin", main: "k.syclbin"},
	"packager specialize":       {command: "packager specialize --set=width=16 --output=k.syclbin IN/ir.syclbin"},
	"postlink":                  {command: "postlink --split=per_kernel --properties --symbols --output=k.table IN/k.ll", main: "k.table"},
	"aspectfilter":              {command: "aspectfilter --target=intel_gpu_acm_g10 --reasons=k.reasons --output=k.table IN/k.table", main: "k.table"},
	"aspectfilter --plan":       {command: "aspectfilter --plan --targets=spir64,intel_gpu_acm_g10 --output=k.plan IN/k.table"},
	"aspectfilter devices":      {command: "aspectfilter devices --device-config-file=IN/devices.yaml --output=devices"},
	"aspectfilter device-entry": {command: "aspectfilter device-entry --from=IN/clinfo --output=device.yaml"},
	"devicec specialize":        {command: "devicec specialize --set=width=16 --code-dir=spv --properties-dir=prop --table=k.table IN/k.table", main: "k.table"},
	"devicec compile":           {command: "devicec compile --output=k.bc -- IN/compiler k.cpp"},
	"devicec link":              {command: "devicec link --llvm-dis=IN/cat --llvm-link=IN/compiler --output=k.bc a.cpp=IN/k.ll"},
	"devicec translate":         {command: "devicec translate --llvm-spirv=IN/compiler --spirv-val=IN/true --code-dir=spv --properties-dir=prop --table=k.table IN/bitcode.table", main: "k.table"},
	"devicec gpu":               {command: "devicec gpu --opt=IN/compiler --llc=IN/compiler --device=sm_90 --code-dir=ptx --output=k.table IN/bitcode.table", main: "k.table"},
	"aot":                       {command: "aot --ocloc=IN/compiler --device=pvc --code-dir=bin --output=k.table IN/k.table", main: "k.table"},
	"syclc++ -c":                {command: "syclcxx -c -MD -MF k.d -o k.o" + dpcpp, main: "k.o"},
	"syclc++ -fsyclbin":         {command: "syclcxx -fsyclbin=input -o k.syclbin" + dpcpp},
	"compat fix": {edits: true, command: "compat fix --write --unsupported=drop --required=intel_gpu_acm_g10,intel_gpu_pvc IN/k.json", before: map[string]string{
		"MODULE.bazel": "", "demo/BUILD.bazel": "load(\"@rules_sycl//rules:defs.bzl\", \"sycl_binary\")\n\nsycl_binary(\n    name = \"kernels\",\n    sycl_targets = [\"intel_gpu_acm_g10\", \"intel_gpu_pvc\"],\n)\n",
	}},
	"compat report":   {command: "compat report --name=//demo:kernels --output=k.json IN/k.syclbin"},
	"compat show":     {command: "compat show --format=html --output=k.html IN/k.json"},
	"compat check":    {command: "compat check --warn-only --policy=IN/policy.yaml --json-file=k.json --sarif-file=k.sarif --junit-file=k.xml --markdown-file=k.md --proposed-baseline=new.json IN/k.json"},
	"compat diff":     {command: "compat diff --format=html --output=k.html IN/k.json IN/../1/k.json"},
	"compat site":     {command: "compat site --output=site IN/k.json", main: "site/data.json", replaces: true},
	"compat baseline": {command: "compat baseline update --baseline=baseline.json --policy=IN/policy.yaml --today=2026-01-01 IN/k.json"},
}

// forEachJob runs a test for each writer.
func forEachJob(t *testing.T, test func(*testing.T, testkit.Job)) {
	setUp(t)
	names := make([]string, 0, len(writers))
	for name := range writers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) { test(t, writers[name].job()) })
	}
}

// TestProgramsKilled kills each writer a few times, or RULES_SYCL_KILLS times.
func TestProgramsKilled(t *testing.T) {
	all := map[testkit.State]int{}
	forEachJob(t, func(t *testing.T, j testkit.Job) {
		for state, n := range testkit.Killed(t, j) {
			all[state] += n
		}
	})
	t.Logf("all writers: %v", all)
}

func TestProgramsUnwritableOutputs(t *testing.T) {
	forEachJob(t, func(t *testing.T, j testkit.Job) {
		if strings.HasSuffix(t.Name(), "/syclc++_-c") {
			t.Skip("the host compiler writes the object, and exits with 1 for all errors")
		}
		testkit.UnwritableOutputs(t, j)
	})
}

// TestProgramsFullOutput checks that a failed write to standard output causes exit code 4.
func TestProgramsFullOutput(t *testing.T) {
	setUp(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	lines := []string{
		"packager dump IN/k.syclbin", "packager dump --json IN/k.syclbin", "packager explain --device=intel_gpu_pvc IN/k.syclbin", "packager diff IN/k.syclbin IN/../1/k.syclbin",
		"packager verify IN/k.syclbin", "aspectfilter devices", "aspectfilter device-entry --from=IN/clinfo", "aspectfilter --plan --targets=spir64 --output=/dev/stdout IN/k.table",
		"compat report IN/k.syclbin", "compat show IN/k.json", "compat check --policy=IN/policy.yaml IN/k.json", "compat diff IN/k.json IN/../1/k.json",
		"compat explain missing-aspect", "compat schema policy",
	}
	for _, name := range names {
		lines = append(lines, name+" --help", name+" --version")
	}
	for _, line := range lines {
		cmd := command(line, 0)
		var errs strings.Builder
		cmd.Stdout, cmd.Stderr = full, &errs
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 4 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: %v, %s", line, err, &errs)
		}
	}
}
