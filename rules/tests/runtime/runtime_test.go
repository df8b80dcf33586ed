// Package runtime loads the example's SYCLBINs into DPC++'s own runtime, on Intel's CPU device, on
// PoCL, and on a CPU that looks like a GPU. It compares the results with the packager's description
// of the same files.
//
// `bazel test //...` in this directory runs it, once for each release of the runtime.
package runtime

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	release   = flag.String("release", "", "`release` of the runtime, as packager --runtime has it")
	packager  = flag.String("packager", "", "`path` of the packager")
	loader    = flag.String("loader", "", "`path` of load_syclbin, linked to that runtime")
	embedded  = flag.String("embedded", "", "`path` of the program embedded, linked to that runtime")
	wrapped   = flag.String("wrapped", "", "`path` of run_wrapped, linked to that runtime")
	cpuDriver = flag.String("cpu-driver", "", "`path` of Intel's OpenCL CPU device")
	fakeGPU   = flag.String("fake-gpu", "", "`path` of the layer that makes it look like a GPU")
	examples  = files{}
)

// poclCache is the directory of PoCL's cache of compiled code, which all tests share.
var poclCache string

// Totals of the kernels and numbers that load_syclbin has reported, which show the coverage of a
// test run.
var ranKernels, rightNumbers int

// files are the example's SYCLBINs by name.
type files map[string]string

func (f files) String() string { return "" }

func (f files) Set(s string) error {
	name, path, found := strings.Cut(s, "=")
	if !found {
		return fmt.Errorf("%q is not NAME=PATH", s)
	}
	f[name] = path
	return nil
}

func TestMain(m *testing.M) {
	flag.Var(examples, "file", "`NAME=PATH` of a SYCLBIN of the example; may be repeated")
	flag.Parse()
	if *packager == "" {
		fmt.Println("skipped: without -packager there is nothing to test; run 'bazel test //...' in rules/tests/runtime")
		return
	}
	for _, path := range []*string{packager, loader, embedded, wrapped, constants, cpuDriver, fakeGPU} {
		*path = absolute(*path)
	}
	for name, path := range examples {
		examples[name] = absolute(path)
	}
	var err error
	if poclCache, err = os.MkdirTemp("", "pocl"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(poclCache)
	fmt.Printf("%s: %d runs of kernels with %d numbers, all right where a test did not fail\n", *release, ranKernels, rightNumbers)
	os.Exit(code)
}

func absolute(path string) string {
	p, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return p
}

const (
	vectorAdd    = "_ZTSN6linear9VectorAddE"
	axpy         = "_ZTSN6linear4AxpyE"
	total        = "_ZTSN5stats5TotalE"
	tally        = "_ZTSN5stats5TallyE"
	evaluate     = "_ZTSN10polynomial8EvaluateE"
	brighten     = "_ZTSN5image8BrightenE"
	blockReverse = "_ZTSN9sycl_lite11kernel_withIN5image12BlockReverseELj64ELj1ELj1ELj0EEE"
	spread       = "_ZTSN9sycl_lite11kernel_withIN5stats6SpreadELj0ELj0ELj0ELj8EEE"
)

var allKernels = []string{vectorAdd, axpy, total, tally, evaluate, brighten, blockReverse, spread}

// ways are the values of load_syclbin's flag --how, with the required state of the file.
var ways = []struct{ name, state string }{
	{"executable", "executable"},
	{"build", "input"},
	{"compile", "input"},
	{"link", "object"},
}

// TestEveryWay loads files in every way that load_syclbin supports. This is possible because their
// modules are independent.
func TestEveryWay(t *testing.T) {
	for _, file := range []struct {
		name    string
		kernels []string
	}{
		{"kernels", allKernels},
		{"kernels_off", allKernels},
		{"kernels_per_kernel", allKernels},
		{"linked", []string{axpy, evaluate}},
		{"with_delivered", []string{evaluate}},
	} {
		for _, way := range ways {
			t.Run(file.name+"/"+way.name, func(t *testing.T) {
				syclbin := convert(t, file.name, way.state)
				cpu(t).load(t, way.name, file.kernels, syclbin).mustRun(t, file.kernels)
				onPoCL := explain(t, "pocl", syclbin)
				pocl(t).load(t, way.name, file.kernels, syclbin).mustBe(t, onPoCL)
				if !slices.Contains(slices.Collect(maps.Values(onPoCL)), "ok") {
					t.Errorf("PoCL runs no kernel of %s", file.name)
				}
			})
		}
	}
}

// TestImports loads kernels in one file that call a function in a different file.
func TestImports(t *testing.T) {
	kernels := []string{axpy, evaluate}
	called, calling, combined := convert(t, "called", "object"), convert(t, "calling", "object"), convert(t, "combined", "object")
	for _, d := range []device{cpu(t), pocl(t)} {
		t.Run(d.name+"/two files", func(t *testing.T) {
			d.load(t, "link", kernels, calling, called).mustRun(t, kernels)
		})
		t.Run(d.name+"/combined", func(t *testing.T) {
			d.load(t, "link", kernels, combined).mustRun(t, kernels)
		})
		t.Run(d.name+"/not there", func(t *testing.T) {
			out := d.load(t, "link", kernels, calling)
			if !strings.Contains(out["load"], "No exported symbol") {
				t.Errorf("got %q, want an import that no file exports", out["load"])
			}
		})
	}
}

// TestContent checks that both the packager and the runtime can read a bundle that the runtime
// wrote.
func TestContent(t *testing.T) {
	if strings.HasPrefix(*release, "2025") {
		t.Skip("this runtime has no ext_oneapi_get_content")
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			file := convert(t, "kernels", way.state)
			written := filepath.Join(t.TempDir(), "written.syclbin")
			cpu(t).run(t, "--how", way.name, "--content", written, file).mustRun(t, allKernels)
			cpu(t).load(t, way.name, allKernels, written).mustRun(t, allKernels)

			mustPack(t, "verify", written)
			if got := dumpedKernels(t, written); !slices.Equal(got, dumpedKernels(t, file)) {
				t.Errorf("the runtime wrote the kernels %q", got)
			}
			differences, _ := pack(t, "diff", "--assume-runtime", *release, file, written)
			mustBeOfDevice(t, way.state, string(differences))

			again := filepath.Join(t.TempDir(), "again.syclbin")
			mustPack(t, "convert", "--assume-runtime", *release, "--runtime", *release, "--output", again, written)
			mustPack(t, "diff", written, again)
			cpu(t).load(t, way.name, allKernels, again).mustRun(t, allKernels)
		})
	}
}

var (
	gpuImageLost = regexp.MustCompile(`: image spir64_gen-unknown-unknown=intel_gpu_\w+: native device code image: only in A: `)
	spirvLost    = regexp.MustCompile(`: image spir64-unknown-unknown: IR module: only in A: `)
	builtForCPU  = regexp.MustCompile(`: image spir64-unknown-unknown=(x86_64|intel_cpu_\w+): native device code image: only in B: `)
)

// mustBeOfDevice fails the test unless a bundle of the CPU device differs from its file as
// expected: it lacks the images for GPUs, and in executable state each kernel is compiled.
func mustBeOfDevice(t *testing.T, state, differences string) {
	t.Helper()
	gone, lost, built := 0, 0, 0
	for line := range strings.Lines(differences) {
		switch {
		case gpuImageLost.MatchString(line):
			gone++
		case state == "executable" && spirvLost.MatchString(line):
			lost++
		case state == "executable" && builtForCPU.MatchString(line):
			built++
		default:
			t.Errorf("the runtime's bundle has another difference: %s", line)
		}
	}
	want := 0
	if state == "executable" {
		want = len(allKernels)
	}
	if gone != 21 || lost != want || built != want {
		t.Errorf("%d GPU images and %d SPIR-V modules are gone, %d images are built, want 21, %d, %d:\n%s", gone, lost, built, want, want, differences)
	}
}

// A gpu is a GPU that fake_gpu.c can simulate with Intel's CPU device.
type gpu struct {
	name        string   // of a built-in device, or of a device in devices.yaml
	arch        string   // architecture of its native images, "" if the example has none
	environment []string // variables for fake_gpu.c
}

var gpus = []gpu{
	{"intel_gpu_pvc", "intel_gpu_pvc", []string{"FAKE_GPU_IP=0x030f0007", "FAKE_GPU_SUB_GROUPS=16,32"}},
	{"intel_gpu_acm_g10", "intel_gpu_acm_g10", []string{"FAKE_GPU_IP=0x030dc008", "FAKE_GPU_SUB_GROUPS=8,16,32", "FAKE_GPU_WITHOUT=fp64"}},
	{"intel_gpu_bmg_g21", "intel_gpu_bmg_g21", []string{"FAKE_GPU_IP=0x05004004", "FAKE_GPU_SUB_GROUPS=16,32"}},
	{"unlisted_gpu", "", []string{"FAKE_GPU_IP=0x7f000000", "FAKE_GPU_SUB_GROUPS=8,16,32"}},
	{"gpu_without_fp64", "", []string{"FAKE_GPU_IP=0x7f000000", "FAKE_GPU_SUB_GROUPS=8,16,32", "FAKE_GPU_WITHOUT=fp64"}},
	{"gpu_without_fp16", "", []string{"FAKE_GPU_IP=0x7f000000", "FAKE_GPU_SUB_GROUPS=8,16,32", "FAKE_GPU_WITHOUT=fp16"}},
	{"gpu_without_atomic64", "", []string{"FAKE_GPU_IP=0x7f000000", "FAKE_GPU_SUB_GROUPS=8,16,32", "FAKE_GPU_WITHOUT=atomic64"}},
	{"gpu_without_sub_group_8", "", []string{"FAKE_GPU_IP=0x7f000000", "FAKE_GPU_SUB_GROUPS=16,32"}},
	{"gpu_with_small_work_groups", "", []string{"FAKE_GPU_IP=0x7f000000", "FAKE_GPU_SUB_GROUPS=8,16,32", "FAKE_GPU_WORK_GROUP=32"}},
}

func gpuNamed(t *testing.T, name string) gpu {
	i := slices.IndexFunc(gpus, func(g gpu) bool { return g.name == name })
	if i < 0 {
		t.Fatalf("no GPU %s", name)
	}
	return gpus[i]
}

// TestGPUsAsExplained checks that every kernel runs or fails with the message that `packager
// explain` predicts.
func TestGPUsAsExplained(t *testing.T) {
	for _, g := range gpus {
		t.Run(g.name, func(t *testing.T) {
			file := convert(t, "kernels", "executable")
			images := extract(t, file)
			out, _ := fake(t, g, images).loadLogged(t, allKernels, file)
			out.mustBe(t, explain(t, g.name, file))
		})
	}
}

// TestAtomic64 checks that files use the number of the aspect atomic64 of the release that loads
// them.
func TestAtomic64(t *testing.T) {
	number := "1b000000"
	if strings.HasPrefix(*release, "2025") {
		number = "1c000000"
	}
	file := convert(t, "kernels_per_kernel", "executable")
	for _, module := range strings.Split(string(mustPack(t, "dump", file)), "\nAbstract Module ")[1:] {
		if strings.Contains(module, total+": 1") && !strings.Contains(module, "aspects: "+number+"\n") {
			t.Errorf("aspect %s is not among what this module needs:\n%s", number, module)
		}
	}
	for name, want := range map[string]string{
		"unlisted_gpu":         "ok",
		"gpu_without_atomic64": "invalid: kernel '" + total + "' not found in kernel_bundle",
	} {
		out, _ := fake(t, gpuNamed(t, name), nil).loadLogged(t, []string{total}, file)
		out.mustBe(t, outcome{total: want})
	}
}

// TestNoImage loads a file without images for a GPU: loading succeeds, but finds no kernels.
func TestNoImage(t *testing.T) {
	file := onlyNative(t, convert(t, "kernels", "executable"))
	for _, g := range gpus {
		if g.arch == "" {
			out, log := fake(t, g, nil).loadLogged(t, allKernels, file)
			out.mustBe(t, explain(t, g.name, file))
			if len(log.given) > 0 {
				t.Errorf("%s was given %q", g.name, log.given)
			}
		}
	}
}

// TestOwnNativeImages checks that a GPU gets exactly its own native images, one for each kernel
// that has one.
func TestOwnNativeImages(t *testing.T) {
	for _, name := range []string{"kernels", "kernels_per_kernel"} {
		for _, g := range gpus[:4] { // GPUs with images, and one without images
			t.Run(name+"/"+g.name, func(t *testing.T) {
				file := convert(t, name, "executable")
				images := extract(t, file)
				_, log := fake(t, g, images).loadLogged(t, allKernels, file)
				var want []string
				for _, i := range images {
					if i.arch != "" && i.arch == g.arch {
						want = append(want, "native "+i.name)
					}
				}
				if g.arch != "" && len(want) < 7 {
					t.Fatalf("the file has only %q for %s", want, g.arch)
				}
				got := slices.DeleteFunc(log.given, func(s string) bool { return strings.HasPrefix(s, "ir ") })
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s was given %q, want %q", g.name, got, want)
				}
			})
		}
	}
}

// TestCertainlyNative checks that if the file has no IR, kernels are created from the native
// images.
func TestCertainlyNative(t *testing.T) {
	whole := convert(t, "kernels", "executable")
	images, file := extract(t, whole), onlyNative(t, whole)
	for _, g := range gpus {
		if g.arch == "" {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			out, log := fake(t, g, images).loadLogged(t, allKernels, file)
			out.mustBe(t, explain(t, g.name, file))
			log.mustBeOf(t, "native "+g.arch+"/", 7)
		})
	}
}

// TestShapes loads the files of sycl_binary(ir = ...), with which the listed GPUs always use their
// native images, regardless of the order in which the runtime of 2026 visits images. Missing
// kernels are reported as `packager explain` predicts.
func TestShapes(t *testing.T) {
	const loads = 10
	images := append(extract(t, examples["ir_cpu"]), extract(t, examples["ir_separate.ir"])...)
	mustPack(t, "diff", examples["ir_none"], examples["ir_separate"])
	for _, name := range []string{"ir_cpu", "ir_separate"} {
		file := convert(t, name, "executable")
		for _, g := range gpus[:3] {
			t.Run(name+"/"+g.name, func(t *testing.T) {
				want := explain(t, g.name, file)
				for range loads {
					out, log := fake(t, g, images).loadLogged(t, allKernels, file)
					out.mustBe(t, want)
					log.mustBeOf(t, "native "+g.arch+"/", 7)
				}
			})
		}
		t.Run(name+"/unlisted_gpu", func(t *testing.T) {
			out, log := fake(t, gpuNamed(t, "unlisted_gpu"), images).loadLogged(t, allKernels, file)
			out.mustBe(t, explain(t, "unlisted_gpu", file))
			log.mustBeOf(t, "nothing", 0)
		})
	}
}

// TestIRShapes checks which devices run the SPIR-V of these files.
func TestIRShapes(t *testing.T) {
	for _, name := range []string{"ir_cpu", "ir_separate.ir"} {
		t.Run(name, func(t *testing.T) {
			file := convert(t, name, "executable")
			cpu(t).load(t, "executable", allKernels, file).mustRun(t, allKernels)
			pocl(t).load(t, "executable", allKernels, file).mustBe(t, explain(t, "pocl", file))
		})
	}
	t.Run("not there", func(t *testing.T) {
		for _, name := range []string{"ir_none", "ir_separate"} {
			file := convert(t, name, "executable")
			cpu(t).load(t, "executable", allKernels, file).mustBe(t, explain(t, "pocl", file))
		}
	})
	file := convert(t, "ir_separate.ir", "executable")
	for _, g := range gpus[:4] {
		t.Run("separate/"+g.name, func(t *testing.T) {
			want := explain(t, g.name, file)
			out, log := fake(t, g, extract(t, file)).loadLogged(t, allKernels, file)
			out.mustBe(t, want)
			log.mustBeOf(t, "ir ", want.running())
		})
	}
}

// TestRejected tests the runtime's messages for files that it rejects.
func TestRejected(t *testing.T) {
	others := map[string]string{"2025.3": "invalid: Unexpected image type."}
	if strings.HasPrefix(*release, "2025") {
		others = map[string]string{
			"2026.0": "invalid: Unexpected image type.",
			"2026.2": "invalid: Unsupported Offload Binary version number.",
		}
	}
	for other, words := range others {
		out := cpu(t).load(t, "executable", allKernels, convertFor(t, "kernels", "executable", other))
		if out["load"] != words {
			t.Errorf("a file for %s: got %q, want %q", other, out["load"], words)
		}
	}
	const words = "invalid: kernel_bundle state does not match the state of the SYCLBIN file."
	for _, c := range []struct{ way, state string }{
		{"executable", "input"},
		{"build", "object"},
		{"link", "executable"},
	} {
		out := cpu(t).load(t, c.way, allKernels, convert(t, "kernels", c.state))
		if out["load"] != words {
			t.Errorf("%s with a file in state %s: got %q, want %q", c.way, c.state, out["load"], words)
		}
	}
}

// TestEmbedded checks that the runtime rejects images embedded in a program with the reason itself,
// which `packager explain` may extend.
func TestEmbedded(t *testing.T) {
	file := convert(t, "kernels_per_kernel", "executable")
	images := extract(t, file)
	atomic64 := "27"
	if strings.HasPrefix(*release, "2025") {
		atomic64 = "28"
	}
	for _, c := range []struct {
		gpu, kernel string
		needs       []string
	}{
		{"gpu_without_fp64", axpy, []string{"--aspects", "6"}},
		{"gpu_without_fp16", brighten, []string{"--aspects", "5"}},
		{"gpu_without_atomic64", total, []string{"--aspects", atomic64}},
		{"gpu_without_sub_group_8", spread, []string{"--sub-group", "8"}},
		{"gpu_with_small_work_groups", blockReverse, []string{"--work-group", "64"}},
	} {
		t.Run(c.gpu, func(t *testing.T) {
			_, reasons := explained(t, c.gpu, file)
			out := fake(t, gpuNamed(t, c.gpu), nil).start(t, *embedded, append(c.needs, "--kernel", c.kernel, images[0].path)...)
			words, found := strings.CutPrefix(out[c.kernel], "kernel_not_supported: ")
			if !found || !strings.HasPrefix(reasons[c.kernel], words) {
				t.Errorf("got %q, want %q or its beginning", out[c.kernel], reasons[c.kernel])
			}
		})
	}
	t.Run("no image", func(t *testing.T) {
		out := fake(t, gpuNamed(t, "unlisted_gpu"), nil).start(t, *embedded, "--target", "spir64_x86_64", "--kernel", axpy, images[0].path)
		want := "runtime: Kernel " + axpy + " has no image for the selected device. Its available images target: [spir64_x86_64]."
		if strings.HasPrefix(*release, "2025") {
			want = "runtime: No kernel named " + axpy + " was found"
		}
		out.mustBe(t, outcome{axpy: want})
	})
}

// TestWrapped checks that the runtime finds images that `packager wrap` embeds in a program: each
// GPU gets its own native image, and other devices get SPIR-V. All results must be correct.
func TestWrapped(t *testing.T) {
	t.Run("cpu", func(t *testing.T) {
		cpu(t).start(t, *wrapped).mustRun(t, allKernels)
	})
	file := convert(t, "kernels", "executable")
	t.Run("pocl", func(t *testing.T) {
		out := pocl(t).start(t, *wrapped)
		out.mustBe(t, explain(t, "pocl", "--embedded", file))
		if out.running() == 0 {
			t.Error("PoCL runs no kernel")
		}
	})
	images := extract(t, file)
	for _, g := range gpus {
		t.Run(g.name, func(t *testing.T) {
			d := fake(t, g, images)
			out := d.start(t, *wrapped)
			out.mustBe(t, explain(t, g.name, "--embedded", file))
			prefix := "ir "
			if g.arch != "" {
				prefix = "native " + g.arch + "/"
			}
			d.logged(t).mustBeOf(t, prefix, out.running())
		})
	}
}

// outcome maps each kernel to the result of load_syclbin: "ok", or the error. The key "load" is for
// all kernels.
type outcome map[string]string

func parseOutcome(t *testing.T, text string) outcome {
	out := outcome{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if kernel, found := strings.CutPrefix(line, "ok "); found {
			var numbers int
			kernel, count, _ := strings.Cut(kernel, ":")
			if _, err := fmt.Sscanf(count, "%d numbers", &numbers); err != nil || numbers < 1 {
				t.Fatalf("load_syclbin checked nothing: %q", line)
			}
			out[kernel] = "ok"
			ranKernels++
			rightNumbers += numbers
		} else if what, words, found := strings.Cut(line, ": "); found && what != "device" {
			out[what] = words
		}
	}
	if len(out) == 0 {
		t.Fatalf("load_syclbin printed:\n%s", text)
	}
	return out
}

// running counts the kernels that run.
func (o outcome) running() int {
	n := 0
	for _, words := range o {
		if words == "ok" {
			n++
		}
	}
	return n
}

func (o outcome) mustRun(t *testing.T, kernels []string) {
	t.Helper()
	want := outcome{}
	for _, k := range kernels {
		want[k] = "ok"
	}
	o.mustBe(t, want)
}

func (o outcome) mustBe(t *testing.T, want outcome) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if _, found := want[key]; !found {
			t.Errorf("%s: got %q, want nothing", key, o[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if o[key] != want[key] {
			t.Errorf("%s:\n got %q\nwant %q", key, o[key], want[key])
		}
	}
}

// A device is a device of this system, represented by the environment variables that select it.
type device struct {
	name        string
	environment []string
	log         string
}

// cpu returns Intel's CPU device.
func cpu(t *testing.T) device {
	return device{name: "cpu", environment: []string{
		"OCL_ICD_VENDORS=" + t.TempDir(),
		"OCL_ICD_FILENAMES=" + *cpuDriver,
		"ONEAPI_DEVICE_SELECTOR=opencl:cpu",
	}}
}

// pocl returns the installed PoCL.
func pocl(t *testing.T) device {
	found, _ := filepath.Glob("/etc/OpenCL/vendors/pocl*.icd")
	if len(found) == 0 {
		t.Fatal("no /etc/OpenCL/vendors/pocl*.icd on this machine; install PoCL (Debian: pocl-opencl-icd)")
	}
	driver, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return device{name: "pocl", environment: []string{
		"OCL_ICD_VENDORS=" + t.TempDir(),
		"OCL_ICD_FILENAMES=" + strings.TrimSpace(string(driver)),
		"ONEAPI_DEVICE_SELECTOR=opencl:cpu",
		"POCL_CACHE_DIR=" + poclCache,
	}}
}

// fake returns the CPU device that simulates a GPU.
func fake(t *testing.T, g gpu, images []image) device {
	dir := t.TempDir()
	var list bytes.Buffer
	for _, i := range images {
		fmt.Fprintf(&list, "%s\t%s", i.name, i.path)
		if i.arch != "" {
			fmt.Fprintf(&list, "\t%s", i.spirv(t, images))
		}
		list.WriteByte('\n')
	}
	path := filepath.Join(dir, "images")
	if err := os.WriteFile(path, list.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	d := cpu(t)
	d.log = filepath.Join(dir, "log")
	d.environment = append(append(d.environment,
		"ONEAPI_DEVICE_SELECTOR=opencl:gpu",
		"OPENCL_LAYERS="+*fakeGPU,
		"FAKE_GPU_IMAGES="+path,
		"FAKE_GPU_LOG="+d.log,
	), g.environment...)
	return d
}

// run runs load_syclbin.
func (d device) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return d.start(t, *loader, args...)
}

func (d device) start(t *testing.T, program string, args ...string) outcome {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), d.environment...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%s %q: %v\n%s%s", program, args, err, stdout.Bytes(), stderr.Bytes())
	}
	return parseOutcome(t, stdout.String())
}

func (d device) load(t *testing.T, way string, kernels []string, files ...string) outcome {
	t.Helper()
	args := []string{"--how", way}
	for _, k := range kernels {
		args = append(args, "--kernel", k)
	}
	return d.run(t, append(args, files...)...)
}

// images holds the images that OpenCL received for a device, and the image of each kernel.
type images struct {
	given   []string
	kernels map[string]string
}

func (d device) loadLogged(t *testing.T, kernels []string, file string) (outcome, images) {
	t.Helper()
	return d.load(t, "executable", kernels, file), d.logged(t)
}

// logged returns the images in the log of fake_gpu.c.
func (d device) logged(t *testing.T) images {
	t.Helper()
	log := images{kernels: map[string]string{}}
	data, err := os.ReadFile(d.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if name, found := strings.CutPrefix(line, "given "); found {
			log.given = append(log.given, name)
		} else if line, found := strings.CutPrefix(line, "kernel "); found {
			kernel, image, _ := strings.Cut(line, " of ")
			log.kernels[kernel] = image
		}
	}
	return log
}

// mustBeOf fails the test unless count kernels were created, each from an image whose name starts
// with prefix.
func (i images) mustBeOf(t *testing.T, prefix string, count int) {
	t.Helper()
	for kernel, image := range i.kernels {
		if !strings.HasPrefix(image, prefix) {
			t.Errorf("%s is made of %s, want %s", kernel, image, prefix)
		}
	}
	if len(i.kernels) != count {
		t.Errorf("%d kernels were made, want %d", len(i.kernels), count)
	}
}

// pack runs the packager.
func pack(t *testing.T, args ...string) (stdout []byte, code int) {
	t.Helper()
	cmd := exec.Command(*packager, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	code = cmd.ProcessState.ExitCode()
	if err != nil && code != 1 {
		t.Fatalf("packager %q: %v\n%s", args, err, stderr.Bytes())
	}
	if stderr.Len() > 0 {
		t.Logf("packager %q:\n%s", args, stderr.Bytes())
	}
	return stdout, code
}

// mustPack runs the packager, which must succeed without problems.
func mustPack(t *testing.T, args ...string) []byte {
	t.Helper()
	stdout, code := pack(t, args...)
	if code != 0 {
		t.Fatalf("packager %q found:\n%s", args, stdout)
	}
	return stdout
}

// convert returns the path of an example's file in a state, for the release that is tested.
func convert(t *testing.T, name, state string) string {
	t.Helper()
	return convertFor(t, name, state, *release)
}

func convertFor(t *testing.T, name, state, release string) string {
	t.Helper()
	if examples[name] == "" {
		t.Fatalf("no -file %s=PATH", name)
	}
	path := filepath.Join(t.TempDir(), name+".syclbin")
	mustPack(t, "convert", "--runtime", release, "--state", state, "--output", path, examples[name])
	return path
}

// explain returns the outcome that `packager explain` predicts for each kernel of a file.
func explain(t *testing.T, device string, args ...string) outcome {
	t.Helper()
	out, _ := explained(t, device, args...)
	return out
}

// explained also returns the reasons why a device cannot run a kernel.
func explained(t *testing.T, device string, args ...string) (out outcome, reasons map[string]string) {
	t.Helper()
	var said struct {
		Kernels []struct {
			Kernel    string
			Outcome   string
			Exception struct{ Errc, What string }
			Reasons   []struct{ Text string }
		}
	}
	stdout, _ := pack(t, append([]string{"explain", "--json", "--device", device, "--device-config-file", "devices.yaml"}, args...)...)
	if err := json.Unmarshal(stdout, &said); err != nil {
		t.Fatal(err)
	}
	out, reasons = outcome{}, map[string]string{}
	for _, k := range said.Kernels {
		name := strings.TrimPrefix(k.Kernel, "__sycl_kernel_")
		if len(k.Reasons) > 0 {
			reasons[name] = k.Reasons[0].Text
		}
		switch k.Outcome {
		case "runs":
			out[name] = "ok"
		case "throws":
			out[name] = k.Exception.Errc + ": " + k.Exception.What
		default:
			t.Fatalf("%s on %s: outcome %q", name, device, k.Outcome)
		}
	}
	return out, reasons
}

func dumpedKernels(t *testing.T, file string) []string {
	t.Helper()
	var names []string
	for line := range strings.Lines(string(mustPack(t, "dump", file))) {
		if name, found := strings.CutPrefix(strings.TrimSpace(line), "__sycl_kernel_"); found && strings.HasSuffix(name, ": 1") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// An image is an image of a SYCLBIN that the packager has written to a file.
type image struct {
	name    string // "ir" or the architecture, and the name of the file
	arch    string // "" for IR
	path    string
	kernels string // names, one per line
}

// spirv returns the path of the SPIR-V module with the same kernels.
func (i image) spirv(t *testing.T, images []image) string {
	for _, o := range images {
		if o.arch == "" && o.kernels == i.kernels {
			return o.path
		}
	}
	t.Fatalf("no SPIR-V module has the kernels of %s", i.name)
	return ""
}

// extract writes the images of a file.
func extract(t *testing.T, file string) []image {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "images")
	mustPack(t, "extract", "--output-dir", dir, file)
	var all []image
	for arg := range strings.FieldsSeq(read(t, filepath.Join(dir, "pack.args"))) {
		target, found := strings.CutPrefix(arg, "--table=")
		if !found {
			continue
		}
		parts := strings.Split(target, "=") // TRIPLE[=ARCH]=FILE
		arch, kind := "", "ir"
		if len(parts) == 3 {
			arch, kind = parts[1], parts[1]
		}
		table := strings.ReplaceAll(parts[len(parts)-1], "<CFGDIR>", dir) // the directory of the parameter file
		rows := strings.Fields(read(t, table))
		for _, row := range rows[1:] { // after [Code|Properties|Symbols]
			cells := strings.Split(row, "|")
			all = append(all, image{
				name:    kind + "/" + cells[0],
				arch:    arch,
				path:    filepath.Join(dir, cells[0]),
				kernels: read(t, filepath.Join(dir, cells[2])),
			})
		}
	}
	if len(all) == 0 {
		t.Fatalf("no images in %s", file)
	}
	return all
}

// onlyNative returns the path of a copy of the file without IR.
func onlyNative(t *testing.T, file string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "native")
	mustPack(t, "extract", "--kind", "native", "--output-dir", dir, file)
	path := filepath.Join(t.TempDir(), "native.syclbin")
	mustPack(t, "pack", "@"+filepath.Join(dir, "pack.args"), "--output", path)
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
