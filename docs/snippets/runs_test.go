package snippets

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// A kernel has code for some targets, and requires fp64 if it has an origin.
type kernel struct {
	symbol  string
	at      srcloc.Location
	fp64    *srcloc.Origin
	targets []string
}

func at(path string, line, column uint32) srcloc.Location {
	return srcloc.Location{Path: path, Line: line, Column: column}
}

// write writes a SYCLBIN with the code of kernels.
func write(t *testing.T, name string, kernels ...kernel) {
	t.Helper()
	var b syclbin.Builder
	for _, k := range kernels {
		for _, target := range k.targets {
			properties := new(propset.Registry)
			q := requirement.Requirements{}
			place := srcloc.Kernel{Location: k.at}
			if k.fp64 != nil {
				q.Aspects = []aspect.Aspect{aspect.FP64}
				o := *k.fp64
				o.Aspect = aspect.Named{Name: "fp64", Value: uint32(aspect.FP64)}
				place.Origins = []srcloc.Origin{o}
			}
			image := syclbin.NewNative(target, "spir64_gen-unknown-unknown", strings.NewReader("native "+k.symbol+target))
			if target == "spir64" {
				image = syclbin.NewIR(syclbin.SPIRV, "spir64-unknown-unknown", bytes.NewReader(testkit.SPIRV(k.symbol)))
			}
			q.Put(properties)
			properties.Add(propset.KernelNames).Put(k.symbol, propset.Uint(1))
			if !place.Location.IsZero() {
				srcloc.Put(properties, k.symbol, place)
			}
			testkit.NoError(t, b.Add(k.symbol+target, properties, image))
		}
	}
	var out bytes.Buffer
	testkit.NoError(t, syclbin.Write(&out, b.File(syclbin.Executable), syclbin.Options{}))
	testkit.WriteFile(t, name, out.Bytes())
}

const acm, bmg, pvc, spir64 = "intel_gpu_acm_g10", "intel_gpu_bmg_g21", "intel_gpu_pvc", "spir64"

// runs maps the first lines of blocks with commands and their output to functions that create the
// files for them.
var runs = map[string]func(t *testing.T){
	"$ compat report --devices intel_gpu_acm_g10,intel_gpu_pvc build/axpy": axpy,
	"$ compat check --policy .github/sycl-compat.yml --binary build/axpy":  axpy,
	"$ packager explain --device intel_gpu_acm_g10 --kernel linear::Axpy kernels.syclbin": func(t *testing.T) {
		write(t, "kernels.syclbin", kernel{"__sycl_kernel__ZTSN6linear4AxpyE", srcloc.Location{}, &srcloc.Origin{}, []string{spir64}},
			kernel{"__sycl_kernel__ZTS3Add", srcloc.Location{}, nil, []string{acm, pvc}})
	},
	"$ compat check --required intel_gpu_pvc,intel_gpu_acm_g10 kernels.compat.json": func(t *testing.T) {
		square := srcloc.Origin{Function: "_Z6squared", Location: at("src/math.hpp", 7, 19)}
		both := []string{acm, pvc}
		write(t, "kernels.syclbin",
			kernel{"_ZTS4AxpyIdE", at("src/axpy.cpp", 12, 0), &square, []string{pvc}}, kernel{"_ZTS4AxpyIfE", at("src/axpy.cpp", 12, 0), nil, both},
			kernel{"_ZTS3Dot", at("src/dot.cpp", 5, 0), nil, both}, kernel{"_ZTS5Scale", at("src/scale.cpp", 5, 0), nil, both})
		testkit.WriteFile(t, "src/math.hpp", "\n")
		run(t, "compat report --name //demo:kernels --devices intel_gpu_acm_g10,intel_gpu_pvc --output kernels.compat.json kernels.syclbin")
	},
	"$ packager verify k.syclbin": func(t *testing.T) {
		var b syclbin.Builder
		for _, triple := range []string{"spir64-unknown-unknown", "spir64-unknown-unknown", ""} {
			properties := new(propset.Registry)
			symbol := "__sycl_kernel__ZTS1" + string(rune('A'+len(b.File(syclbin.Executable).Modules)))
			properties.Add(propset.KernelNames).Put(symbol, propset.Uint(1))
			testkit.NoError(t, b.Add(symbol, properties, syclbin.NewIR(syclbin.SPIRV, triple, bytes.NewReader(testkit.SPIRV(symbol)))))
		}
		var out bytes.Buffer
		testkit.NoError(t, syclbin.Write(&out, b.File(syclbin.Executable), syclbin.Options{}))
		testkit.WriteFile(t, "k.syclbin", out.Bytes())
	},
}

func axpy(t *testing.T) {
	// Write an object file, like the files that make up programs.
	write(t, "axpy.syclbin", kernel{"_ZTS4Axpy", srcloc.Location{}, &srcloc.Origin{}, []string{spir64}})
	run(t, "packager extract --output-dir parts axpy.syclbin")
	tables, err := filepath.Glob("parts/*.table")
	if err != nil || len(tables) != 1 {
		t.Fatalf("%q, %v", tables, err)
	}
	run(t, "packager wrap --runtime 2026.2 --output axpy.s --table spir64-unknown-unknown="+tables[0])
	testkit.WriteFile(t, "build/.folder", "")
	if out, err := exec.Command(testkit.Program(t, "cc"), "-c", "-o", "build/axpy", "axpy.s").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, b := range allBlocks(t) {
		if b.language == "yaml" && strings.Contains(b.text, "# here it is a warning") {
			testkit.WriteFile(t, ".github/sycl-compat.yml", b.text)
		}
	}
}

// outputs maps commands to kernels. The pages show only the output of these commands, because other
// programs run them.
var outputs = map[string][]kernel{
	"compat report --name //:compat --devices intel_gpu_acm_g10,intel_gpu_pvc --embedded axpy.syclbin": {
		{"_ZTS4Axpy", at("axpy.cpp", 12, 0), &srcloc.Origin{Location: at("axpy.cpp", 12, 0)}, []string{pvc, spir64}}},
	"compat report --name //apps:nbody_compat --embedded nbody.syclbin": {
		{"_ZTSN5nbody4StepIdEE", at("apps/nbody.cpp", 77, 0), &srcloc.Origin{
			Function: "_ZN5nbody5movedIdEENS_4StarIT_EEPKS3_mm", Location: at("apps/nbody.cpp", 35, 21)}, []string{bmg, pvc, spir64}},
		{"_ZTSN5nbody4StepIfEE", at("apps/nbody.cpp", 77, 0), nil, []string{acm, bmg, pvc, spir64}}},
	"compat report --name //:compat --embedded sum.syclbin":                                sums,
	"compat report --name //:compat --devices intel_gpu_lnl_m,intel_gpu_tgllp sum.syclbin": sums,
}

var sums = []kernel{
	{"_ZTS3SumIdE", at("sum.cpp", 13, 0), &srcloc.Origin{Location: at("sum.cpp", 14, 10)}, []string{bmg, pvc, spir64}},
	{"_ZTS3SumIfE", at("sum.cpp", 13, 0), nil, []string{acm, bmg, pvc, spir64}},
}

// run runs a command of the project and returns its output.
func run(t *testing.T, command string) string {
	t.Helper()
	args := words(command)[0]
	out, err := exec.Command(program(t, args[0]), args[1:]...).CombinedOutput()
	if _, isExit := err.(*exec.ExitError); err != nil && !isExit {
		t.Fatal(err)
	}
	return string(out)
}

func allBlocks(t *testing.T) (list []block) {
	for page, text := range pages(t) {
		blocks, err := blocksOf(page, text)
		testkit.NoError(t, err)
		list = append(list, blocks...)
	}
	return list
}

// TestRuns checks that commands print what the pages show.
func TestRuns(t *testing.T) {
	blocks := allBlocks(t)
	for first, prepare := range runs {
		t.Run(first, func(t *testing.T) {
			t.Chdir(t.TempDir())
			prepare(t)
			found := false
			for _, b := range blocks {
				if b.first() != first {
					continue
				}
				found = true
				_, want, _ := strings.Cut(b.text, "\n")
				if got := run(t, strings.TrimPrefix(first, "$ ")); got != want {
					t.Errorf("%s: the command prints\n%s\nThe page has\n%s", b.at(), got, want)
				}
			}
			if !found {
				t.Error("no page has this block")
			}
		})
	}
}

// printed returns the output of the commands in outputs.
func printed(t *testing.T) (list []string) {
	t.Chdir(t.TempDir())
	for command, kernels := range outputs {
		args := strings.Fields(command)
		write(t, args[len(args)-1], kernels...)
		text := run(t, command)
		if !strings.Contains(text, "KERNEL") {
			t.Errorf("%s: %s", command, text)
		}
		list = append(list, text)
	}
	return list
}

// contexts maps the first line of a C or C++ fragment to the code around it that makes it compile.
var contexts = map[string]struct{ before, after string }{
	"const std::size_t step = 16;": {
		"#include <sycl/sycl.hpp>\nvoid use(std::size_t, std::size_t);\nvoid f(sycl::queue queue) {\n", "}\n"},
	"// color.hpp": {"#include <sycl/sycl.hpp>\n", ""},
	"auto bundle = exp::get_kernel_bundle<sycl::bundle_state::input>(context, {device}, path);": {
		"#include <sycl/sycl.hpp>\n#include <filesystem>\nnamespace exp = sycl::ext::oneapi::experimental;\nconstexpr sycl::specialization_id<int> size(1);\n" +
			"void f(sycl::context context, sycl::device device, std::filesystem::path path) {\n", "}\n"},
	"struct Shape {": {"#include <sycl/sycl.hpp>\n", ""},
	"if (queue.get_device().has(sycl::aspect::fp64))": {
		"#include <sycl/sycl.hpp>\ntemplate <typename Number> void run(sycl::queue &);\nvoid f(sycl::queue queue) {\n", "}\n"},
	"if (!bundle.ext_oneapi_has_kernel(\"_ZTSN6linear4AxpyE\")) {": {
		"#include <sycl/sycl.hpp>\nvoid f(sycl::kernel_bundle<sycl::bundle_state::executable> bundle) {\n", "}\n"},
	"struct Tile { int x, y; bool padded; };": {"#include <sycl/sycl.hpp>\n", ""},
	"struct Pair { int x; char c; };":         {"#include <sycl/sycl.hpp>\n", ""},
	"constexpr sycl::specialization_id<image::Limits> limits{image::Limits{10, 200, 1.0f}};": {
		"#include <sycl/sycl.hpp>\n#include <filesystem>\nnamespace image { struct Limits { int low, high; float gain; }; }\n", ""},
	"namespace image {": {"#include <sycl_lite.hpp>\n", ""},
	"using namespace sycl_lite::ext::oneapi::experimental;": {
		"#include <sycl_lite.hpp>\nusing namespace sycl_lite;\nclass Transpose;\n", ""},
	"static device_global<int[16], decltype(properties{device_image_scope})> bins;": {
		"#include <sycl_lite.hpp>\nusing namespace sycl_lite::ext::oneapi::experimental;\n", ""},
}

// TestCompile compiles the C and C++ blocks for the host, with DPC++'s headers in SNIPPETS_DPCPP, the
// include directory of an installation.
func TestCompile(t *testing.T) {
	include := os.Getenv("SNIPPETS_DPCPP")
	if include == "" {
		t.Skip("SNIPPETS_DPCPP is not set to DPC++'s include directory")
	}
	excuses := uncheckedBlocks(t)
	n := 0
	for _, b := range allBlocks(t) {
		if _, excused := excuses[b.first()]; excused || b.language != "cpp" && b.language != "c" {
			continue
		}
		n++
		t.Run(b.at(), func(t *testing.T) {
			t.Parallel()
			c := contexts[b.first()]
			source := filepath.Join(t.TempDir(), "block."+b.language)
			testkit.WriteFile(t, source, c.before+strings.ReplaceAll(b.text, " ... ", "")+c.after)
			args := []string{"-fsyntax-only", "-w", "-I" + root + "/rules/device", "-I" + root + "/rules/loader", "-isystem", include}
			compiler := testkit.Program(t, "g++")
			switch text := c.before + b.text; {
			case b.language == "c":
				compiler = testkit.Program(t, "gcc")
			case strings.Contains(text, "sycl_lite.hpp"):
				compiler = testkit.Program(t, "clang++")
				args = append(args[:len(args)-2], "-std=c++20", "-fsycl", "-fsycl-device-only", "-nogpulib")
			default:
				args = append(args, "-std=c++17")
			}
			if out, err := exec.Command(compiler, append(args, source)...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	if n < 10 {
		t.Errorf("%d blocks", n)
	}
}

// TestImagesOfSYCL2020 checks that the accessors of unsampled and sampled images have no device
// code, as docs/check/reports.md states.
func TestImagesOfSYCL2020(t *testing.T) {
	include := os.Getenv("SNIPPETS_DPCPP")
	if include == "" {
		t.Skip("SNIPPETS_DPCPP is not set to DPC++'s include directory")
	}
	header := testkit.ReadFile(t, filepath.Join(include, "sycl/accessor_image.hpp"))
	const comment = "// Currently not reachable on device."
	if n := strings.Count(header, comment); n != 5 {
		t.Errorf("sycl/accessor_image.hpp has %q %d times, want 5: if these accessors have device code now, update docs/check/reports.md", comment, n)
	}
}
