package postlink

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/internal/llvmir"
	"github.com/rules-sycl/rules_sycl/sycl/kernelname"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// header is the directory of the device header.
var header = filepath.Join("..", "..", "rules", "device")

// compileHeader compiles a source that includes the device header to bitcode, as builds do, and
// disassembles it, because clang's text output can contain parts that bitcode cannot represent.
func compileHeader(t *testing.T, source string, options ...string) (string, error) {
	t.Helper()
	clang, dis := testkit.Program(t, "clang++"), testkit.Program(t, "llvm-dis")
	bitcode := filepath.Join(t.TempDir(), "code.bc")
	args := append([]string{"-std=c++20", "-fsycl", "-fsycl-device-only", "-Wall", "-Wextra", "-Werror", "-c", "-emit-llvm", "-I", header, source, "-o", bitcode}, options...)
	if out, err := exec.CommandContext(t.Context(), clang, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), dis, bitcode, "-o", "-").Output()
	if err != nil {
		t.Fatalf("llvm-dis: %v", err)
	}
	return string(out), nil
}

// TestHeaderProperties compiles testdata/properties.cpp at each optimization level. Kernels and
// variables must have the attributes that DPC++'s front end writes, and no calls that specify
// properties may remain.
func TestHeaderProperties(t *testing.T) {
	const want = `kernel shop::Listed: sycl-floating-point-control=18 sycl-grf-size=256 sycl-max-linear-work-group-size=64 sycl-max-work-group-size=16,8 sycl-module-id=shop.cpp sycl-sub-group-size=16 sycl-work-group-size-hint=2,2 sycl-work-group-size=8,4 !sycl_declared_aspects
kernel shop::Owned: sycl-grf-size=0 sycl-module-id=shop.cpp sycl-sub-group-size=8 !sycl_declared_aspects i32 2, i32 5
kernel shop::Named: sycl-module-id=shop.cpp
kernel shop::Plain: sycl-module-id=shop.cpp
variable shop::Till::cash: sycl-device-global-size=4 sycl-device-image-scope= sycl-unique-id=_ZN4shop4Till4cashE
variable shop::items: sycl-device-global-size=12 sycl-device-image-scope= sycl-host-access=1 sycl-unique-id=_ZN4shop5itemsE
variable shop::shelves: sycl-device-global-size=16 sycl-device-image-scope= sycl-unique-id=_ZN4shop7shelvesE
variable shop::sold: sycl-device-global-size=4 sycl-device-image-scope= sycl-host-access=0 sycl-unique-id=shop.cpp_____ZN4shopL4soldE
pointer: sycl-alignment=64 sycl-cache-read-hint=64
`
	for _, level := range []string{"-O0", "-O1", "-O2", "-O3"} {
		text := testkit.Must(compileHeader(t, "testdata/properties.cpp", level))(t)
		m := testkit.Must(llvmir.Parse("properties.ll", text))(t)
		if err := markSource(m, "shop.cpp", false); err != nil {
			t.Fatalf("%s: %v", level, err)
		}
		if got := describeProperties(t, m); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", level, got, want)
		}
		if text := testkit.Text(t, m); strings.Contains(text, "__sycl_lite_") {
			t.Errorf("%s: property calls remain", level)
		}
	}
}

// TestHeaderOnHosts checks that other compilers compile the header as host code.
func TestHeaderOnHosts(t *testing.T) {
	for _, compiler := range []string{"c++", "clang++"} {
		out, err := exec.CommandContext(t.Context(), testkit.Program(t, compiler), "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", header, "testdata/properties.cpp").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", compiler, err, out)
		}
	}
}

// describeProperties returns a list of the attributes of a module's kernels, variables and
// annotated pointers.
func describeProperties(t *testing.T, m *llvmir.Module) string {
	var b strings.Builder
	pointers := map[string]bool{}
	for _, f := range m.Functions() {
		if f.Kernel() {
			fmt.Fprintf(&b, "kernel %s:%s", kernelname.Display(f.Name()), describeAttributes(f.Attributes()))
			if id, ok := f.Metadata("sycl_declared_aspects"); ok {
				fmt.Fprintf(&b, " %s", strings.TrimSpace("!sycl_declared_aspects "+strings.Trim(m.Node(id).Text(), "!{}")))
			}
			b.WriteByte('\n')
		}
		for in := range f.Calls() {
			if name, _ := in.Callee(); !strings.HasPrefix(name, "llvm.ptr.annotation.") {
				continue
			}
			text, _ := constantText(m, in.Operand(1))
			arguments, _ := in.Operand(4).BaseGlobal()
			value, ok := m.Global(arguments).InitializerValue()
			if text != annotateProperties || !ok { // annotations of variables are removed
				t.Errorf("unexpected annotation of a pointer: %s", in.Text())
			}
			line := "pointer:"
			for i, fields := 0, value.Elements(); i+1 < len(fields); i += 2 {
				p, _ := readProperty(m, fields[i], fields[i+1])
				line += " " + p.name + "=" + p.value
			}
			pointers[line] = true
		}
	}
	var variables []string
	for _, g := range m.Globals() {
		if all := describeAttributes(g.Attributes()); all != "" {
			variables = append(variables, fmt.Sprintf("variable %s:%s\n", variableName(g.Name()), all))
		}
	}
	slices.Sort(variables)
	b.WriteString(strings.Join(variables, ""))
	for line := range pointers {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func describeAttributes(list []llvmir.Attribute) string {
	var words []string
	for _, a := range list {
		if a.Quoted && strings.HasPrefix(a.Key, "sycl-") {
			words = append(words, " "+a.Key+"="+a.Value)
		}
	}
	slices.Sort(words)
	return strings.Join(words, "")
}

// translateHeader compiles a source, splits it into images, and translates them. It calls use with
// each image's property sets and SPIR-V file.
func translateHeader(t *testing.T, source, level string, use func(sets *propset.Registry, file string)) {
	t.Helper()
	as, translator, validator := testkit.Program(t, "llvm-as"), testkit.Program(t, "llvm-spirv"), testkit.Program(t, "spirv-val")
	text := testkit.Must(compileHeader(t, source, level))(t)
	m := testkit.Must(Parse("header.ll", []byte(text)))(t)
	result := testkit.Must(Run(m, Options{Source: "shop.cpp", Split: SplitOptions{Mode: SplitAuto}}))(t)
	if len(result.Diagnostics) > 0 {
		t.Errorf("%s: %v", level, result.Diagnostics)
	}
	for _, image := range result.Images {
		var code bytes.Buffer
		testkit.NoError(t, image.WriteCode(&code))
		file := filepath.Join(t.TempDir(), "image.spv")
		assemble := exec.CommandContext(t.Context(), as, "-o", "-")
		assemble.Stdin = &code
		bitcode := testkit.Must(assemble.Output())(t)
		translate := exec.CommandContext(t.Context(), translator, "--spirv-max-version=1.4", "--spirv-ext=+SPV_INTEL_kernel_attributes,+SPV_INTEL_float_controls2,+SPV_INTEL_maximum_registers,+SPV_INTEL_global_variable_host_access,+SPV_INTEL_cache_controls", "-", "-o", file)
		translate.Stdin = bytes.NewReader(bitcode)
		if out, err := translate.CombinedOutput(); err != nil {
			t.Fatalf("llvm-spirv: %v\n%s", err, out)
		}
		if out, err := exec.CommandContext(t.Context(), validator, file).CombinedOutput(); err != nil {
			t.Errorf("spirv-val: %v\n%s", err, out)
		}
		sets := testkit.Must(image.Properties(PropertyOptions{KernelNames: true}))(t)
		use(sets, file)
	}
}

// TestHeaderExecutionModes checks that property lists become execution modes in SPIR-V.
func TestHeaderExecutionModes(t *testing.T) {
	dis := testkit.Program(t, "spirv-dis")
	const want = `_ZTSN4shop5OwnedE: SubgroupSize 8
_ZTSN4shop5PlainE:
_ZTSN4shop6ListedE: LocalSize 4 8 1, LocalSizeHint 2 2 1, MaxWorkgroupSizeINTEL 8 16 1, RoundingModeRTPINTEL 32, SubgroupSize 16
_ZTSN9sycl_lite11kernel_withIN4shop5NamedELj64ELj1ELj1ELj16EEE: LocalSize 64 1 1, SubgroupSize 16`
	mode := regexp.MustCompile(`OpExecutionMode %\w+ ((?:LocalSize|LocalSizeHint|SubgroupSize|MaxWorkgroupSizeINTEL)\b.*|RoundingModeRTPINTEL 32)`)
	entry := regexp.MustCompile(`OpEntryPoint Kernel %\w+ "(\w+)"`)
	for _, level := range []string{"-O0", "-O2"} {
		var got []string
		translateHeader(t, "testdata/properties.cpp", level, func(_ *propset.Registry, file string) {
			text := testkit.Must(exec.CommandContext(t.Context(), dis, file).Output())(t)
			var modes []string
			for _, m := range mode.FindAllSubmatch(text, -1) {
				modes = append(modes, string(m[1]))
			}
			slices.Sort(modes)
			for _, m := range entry.FindAllSubmatch(text, -1) {
				got = append(got, strings.TrimSpace(string(m[1])+": "+strings.Join(modes, ", ")))
			}
		})
		slices.Sort(got)
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s:\n%s\nwant:\n%s", level, text, want)
		}
	}
}

// TestHeaderConstantTypes checks that property sets and SPIR-V have the constants of a source,
// under their mangled names, with their types and default values.
func TestHeaderConstantTypes(t *testing.T) {
	const want = `_ZTSN4shop3BuyE
  _ZN4shopL5stockE: i16 at 0 = ffff
_ZTSN4shop4SellE
  _ZN4shop12_GLOBAL__N_14deepE: i8 at 0 = 63, half at 2 = 0040, i8 at 4 = 01, half at 6 = 0042, i8 at 8 = 00, double at 16 = 0000000000001240, i64 at 24 = f9ffffffffffffff, float at 32 = 0000803f, float at 36 = 00000040, float at 40 = 00004040
  _ZN4shop12_GLOBAL__N_14modeE: i8 at 0 = 07
  _ZN4shop4Till5priceE: float at 0 = 00002040
  _ZN4shop4debtE: i64 at 0 = fbffffffffffffff
  _ZN4shopL3rowE: i32 at 0 = 0a000000, i32 at 4 = 14000000, i32 at 8 = 1e000000, i32 at 12 = 28000000
  _ZN4shopL4flagE: i8 at 0 = 01
  _ZN4shopL4rateE: half at 0 = 003e
  _ZN4shopL5stockE: i16 at 0 = ffff`
	for _, level := range []string{"-O0", "-O2"} {
		var got []string
		translateHeader(t, "testdata/header_constants.cpp", level, func(sets *propset.Registry, file string) {
			var lines []string
			for _, c := range readConstants(t, sets, file) {
				lines = append(lines, "\n  "+c)
			}
			slices.Sort(lines)
			for _, p := range sets.Set(propset.KernelNames).Properties() {
				got = append(got, p.Key+strings.Join(lines, ""))
			}
		})
		slices.Sort(got)
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s:\n%s\nwant:\n%s", level, text, want)
		}
	}
}

// readConstants returns descriptions of the constants in an image's property sets. The types come
// from its SPIR-V, whose default values must match the sets.
func readConstants(t *testing.T, sets *propset.Registry, file string) []string {
	in := testkit.Must(os.Open(file))(t)
	defer in.Close()
	translated := testkit.Must(spirv.ReadSpecConstants(in))(t)
	constants := testkit.Must(propset.ReadSpecConstants(sets))(t)
	var list []string
	for _, c := range constants {
		var parts []string
		for _, r := range c.Scalars() {
			value := c.Default[r.Offset : r.Offset+r.Size]
			at := slices.IndexFunc(translated, func(s spirv.SpecConstant) bool { return s.ID == r.ID })
			if at < 0 || !bytes.Equal(translated[at].Default, value) {
				t.Fatalf("%s: SPIR-V has no constant %d with the value %x", c.Name, r.ID, value)
			}
			parts = append(parts, fmt.Sprintf("%v at %d = %x", translated[at].Type, r.Offset, value))
		}
		list = append(list, c.Name+": "+strings.Join(parts, ", "))
	}
	return list
}

// TestHeaderRejects compiles invalid uses of the header and checks their error messages.
func TestHeaderRejects(t *testing.T) {
	const lambda = ", [x](nd_item<1>) { *x = 1; });"
	for name, test := range map[string]struct{ global, kernel, want string }{
		"no size":                               {"", "parallel_for<K>(r, properties{work_group_size<>}" + lambda, "expected one to three sizes"},
		"four sizes":                            {"", "parallel_for<K>(r, properties{work_group_size_hint<1, 1, 1, 1>}" + lambda, "expected one to three sizes"},
		"a size of 0":                           {"", "parallel_for<K>(r, properties{max_work_group_size<0>}" + lambda, "a work-group size must be at least 1"},
		"a 64-bit size":                         {"", "parallel_for<K>(r, properties{work_group_size<4294967296>}" + lambda, "a work-group size must fit in 32 bits"},
		"a linear size of 0":                    {"", "parallel_for<K>(r, properties{max_linear_work_group_size<0>}" + lambda, "a work-group size must be at least 1"},
		"a sub-group of 0":                      {"", "parallel_for<K>(r, properties{sub_group_size<0>}" + lambda, "a sub-group size must be at least 1"},
		"too many dimensions":                   {"", "parallel_for<K>(r, properties{work_group_size<8, 8>}" + lambda, "the number of work-group sizes must match the dimensions of the range"},
		"too many in the name":                  {"", "parallel_for<K>(r, work_group_size<8, 8>" + lambda, "the number of work-group sizes must match the dimensions of the range"},
		"a duplicate property":                  {"", "parallel_for<K>(r, properties{sub_group_size<8>, sub_group_size<16>}" + lambda, "duplicate property"},
		"two register sizes":                    {"", "parallel_for<K>(r, properties{grf_size<128>, grf_size_automatic}" + lambda, "duplicate property"},
		"a size in both name and list":          {"struct F { auto get(properties_tag) const { return properties{sub_group_size<8>}; } void operator()(nd_item<1>) const {} };", "parallel_for<K>(r, sub_group_size<16>, F{});", "duplicate property"},
		"registers":                             {"", "parallel_for<K>(r, properties{grf_size<64>}" + lambda, "the number of registers must be 128 or 256"},
		"two roundings":                         {"", "parallel_for<K>(r, properties{fp_control<fp_mode::round_upward | fp_mode::round_downward>}" + lambda, "fp_control accepts only one rounding mode"},
		"flushed and kept denormals":            {"", "parallel_for<K>(r, properties{fp_control<fp_mode::denorm_ftz | fp_mode::denorm_d_allow>}" + lambda, "fp_control: denorm_ftz cannot be combined with denorm_allow modes"},
		"a kernel in image scope":               {"", "parallel_for<K>(r, properties{device_image_scope}" + lambda, "a kernel cannot have this property"},
		"a variable with a size":                {"device_global<int, decltype(properties{device_image_scope, sub_group_size<8>})> v;", "", "a device_global supports only"},
		"a variable without image scope":        {"device_global<int> v;", "", "a device_global needs device_image_scope here"},
		"a variable with a destructor":          {"struct D { ~D(); }; device_global<D, decltype(properties{device_image_scope})> v;", "", "the type of a device_global must be trivially copyable and destructible"},
		"a pointer with a scope":                {"", "annotated_ptr<float, decltype(properties{device_image_scope})> p(x);", "an annotated_ptr supports only"},
		"a pointer to an array":                 {"", "annotated_ptr<float[2]> p(nullptr); *p;", "an annotated_ptr must point to an object type other than an array"},
		"an odd alignment":                      {"", "(void)alignment<3>;", "an alignment must be a power of two"},
		"a mode for reads":                      {"", "(void)read_hint<cache_control<cache_mode::write_back, cache_level::L1>>;", "read_hint supports only the modes"},
		"a mode for asserted reads":             {"", "(void)read_assertion<cache_control<cache_mode::cached, cache_level::L1>>;", "read_assertion supports only the modes"},
		"a mode for writes":                     {"", "(void)write_hint<cache_control<cache_mode::constant, cache_level::L1>>;", "write_hint supports only"},
		"a level with two modes":                {"", "(void)read_hint<cache_control<cache_mode::cached, cache_level::L1>, cache_control<cache_mode::uncached, cache_level::L1>>;", "a cache level can have only one mode"},
		"a duplicate level":                     {"", "(void)read_hint<cache_control<cache_mode::cached, cache_level::L1, cache_level::L1>>;", "cache_control: duplicate cache level"},
		"a constant pointer":                    {"constexpr specialization_id<const int *> v{nullptr};", "", "a specialization constant cannot be a pointer"},
		"a constant array":                      {"constexpr specialization_id<int[2]> v{1, 2};", "", "specialization constants cannot be arrays; use std::array"},
		"a constant with a destructor":          {"struct D { constexpr D() {} ~D(); }; specialization_id<D> v;", "", "a specialization constant must be trivially copyable and not a reference"},
		"an invalid constant":                   {"constexpr int v = 1;", "parallel_for<K>(r, [x](nd_item<1>, kernel_handler h) { *x = h.get_specialization_constant<v>(); });", "requires a variable of type specialization_id"},
		"a member of a variable":                {"constexpr specialization_id<int> v[2]{specialization_id<int>{1}, specialization_id<int>{2}};", "parallel_for<K>(r, [x](nd_item<1>, kernel_handler h) { *x = h.get_specialization_constant<v[1]>(); });", "a specialization_id must be a variable, not a part of one"},
		"a kernel function without a parameter": {"", "parallel_for<K>(r, [x]() { *x = 1; });", "a kernel's function must accept an nd_item"},
	} {
		t.Run(name, func(t *testing.T) {
			source := filepath.Join(t.TempDir(), "a.cpp")
			text := "#include <sycl_lite.hpp>\nusing namespace sycl_lite;\nusing namespace sycl_lite::ext::oneapi::experimental;\nusing namespace sycl_lite::ext::intel::experimental;\n" +
				"class K;\n" + test.global + "\nvoid f([[maybe_unused]] float *x) {\n  [[maybe_unused]] nd_range<1> r{64, 64};\n  " + test.kernel + "\n}\n"
			testkit.NoError(t, os.WriteFile(source, []byte(text), 0o600))
			if _, err := compileHeader(t, source); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestHeaderAspects checks that the header has all aspects of this project, with their numbers.
func TestHeaderAspects(t *testing.T) {
	text := testkit.Must(os.ReadFile(filepath.Join(header, "sycl_lite_aspects.hpp")))(t)
	listed := map[string]bool{"host": true, "int64_base_atomics": true, "int64_extended_atomics": true, "usm_restricted_shared_allocations": true} // deprecated
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) = (\d+),$`).FindAllStringSubmatch(string(text), -1) {
		listed[m[1]] = true
		if a, err := aspect.Parse(m[1]); err != nil || fmt.Sprint(uint32(a)) != m[2] || a.String() != m[1] {
			t.Errorf("%s: header has %s, package aspect %d (%v)", m[1], m[2], a, err)
		}
	}
	for a := range aspect.Retired {
		if a.IsKnown() && !listed[a.String()] {
			t.Errorf("rules/device/sycl_lite_aspects.hpp lacks the line %q", fmt.Sprintf("%v = %d,", a, a))
		}
	}
}

// TestHeaderExternal checks that each clang keeps SYCL_EXTERNAL functions that no kernel of the
// source calls, for all triples. Clang 22 has an attribute for this.
func TestHeaderExternal(t *testing.T) {
	source := filepath.Join(t.TempDir(), "external.cpp")
	testkit.WriteFile(t, source, "#include <sycl_lite.hpp>\nSYCL_EXTERNAL int twice(int x) { return 2 * x; }\n")
	all := maps.Clone(gpuOptions)
	all["spirv64"] = nil
	for _, version := range []string{"21", "22"} {
		clang := "/usr/lib/llvm-" + version + "/bin/clang++"
		if _, err := os.Stat(clang); err != nil {
			t.Logf("%s is not installed", clang)
			continue
		}
		for name, options := range all {
			args := append([]string{"-std=c++20", "-fsycl", "-fsycl-device-only", "-O2", "-Wall", "-Wextra", "-Werror", "-S", "-emit-llvm", "-I", header, source, "-o", "-"}, options...)
			out, err := exec.CommandContext(t.Context(), clang, args...).Output()
			if err != nil {
				t.Fatalf("clang %s, %s: %v", version, name, err)
			}
			if !bytes.Contains(out, []byte("@_Z5twicei(")) || !bytes.Contains(out, []byte("sycl-external")) {
				t.Errorf("clang %s, %s: the function is missing", version, name)
			}
		}
	}
}

// gpuOptions are the rules' compiler options for NVIDIA and AMD GPUs.
var gpuOptions = map[string][]string{
	"nvptx64":         {"-Xclang", "-triple", "-Xclang", "nvptx64-nvidia-cuda", "-Xclang", "-target-feature", "-Xclang", "+ptx60"},
	"amdgcn, 32 wide": {"-Xclang", "-triple", "-Xclang", "amdgcn-amd-amdhsa", "-Xclang", "-target-feature", "-Xclang", "+wavefrontsize32"},
	"amdgcn, 64 wide": {"-Xclang", "-triple", "-Xclang", "amdgcn-amd-amdhsa", "-Xclang", "-target-feature", "-Xclang", "+wavefrontsize64"},
}

// TestHeaderOnGPUs checks that the whole header compiles for NVIDIA and AMD GPUs, for which no
// translator replaces undefined functions, and that the requirements are the same as for SPIR-V.
func TestHeaderOnGPUs(t *testing.T) {
	describe := func(options ...string) string {
		text := testkit.Must(compileHeader(t, filepath.Join(header, "whole_header.cpp"), append([]string{"-O2"}, options...)...))(t)
		m := testkit.Must(Parse("header.ll", []byte(text)))(t)
		for _, f := range m.ir.Functions() {
			if strings.HasPrefix(f.Name(), "__spirv_") && len(options) > 0 {
				t.Errorf("%q: function %s not inlined", options, f.Name())
			}
		}
		result := testkit.Must(Run(m, Options{Source: "header.cpp", Split: SplitOptions{Mode: SplitPerKernel}}))(t)
		var lines []string
		for _, image := range result.Images {
			sets := testkit.Must(image.Properties(PropertyOptions{}))(t)
			line := kernelname.Display(image.EntryPoints()[0])
			if line == "stats::Rounding" { // only for Intel GPUs
				continue
			}
			for _, p := range sets.Set(propset.DeviceRequirements).Properties() {
				line += fmt.Sprintf(" %s=%v", p.Key, p.Value)
			}
			lines = append(lines, line)
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	want := describe()
	for name, options := range gpuOptions {
		if got := describe(options...); got != want {
			t.Errorf("%s:\n%s\nwant as for SPIR-V:\n%s", name, got, want)
		}
	}
}

// TestHeaderOnGPUsRejects checks that features that these GPUs do not support are compile errors.
func TestHeaderOnGPUsRejects(t *testing.T) {
	const start = `#include <sycl_lite.hpp>
using namespace sycl_lite;
using namespace sycl_lite::ext::intel::experimental;
class K;
void f(int *x) {
  parallel_for<K>(nd_range<1>{64, 64}, `
	tests := map[string]struct {
		gpus []string
		code string
		want string
	}{
		"rounding": {[]string{"nvptx64", "amdgcn, 32 wide", "amdgcn, 64 wide"},
			`ext::oneapi::experimental::properties{fp_control<fp_mode::round_upward>}, [x](nd_item<1>) { *x = 1; });`,
			"fp_control is only for Intel GPUs"},
		"scope": {[]string{"nvptx64"},
			`[x](nd_item<1>) { atomic_ref<int, memory_order::relaxed, memory_scope::system>(*x).fetch_add(1); });`,
			"memory_scope::system is not supported for NVIDIA GPUs"},
	}
	for name, test := range tests {
		source := filepath.Join(t.TempDir(), "k.cpp")
		testkit.NoError(t, os.WriteFile(source, []byte(start+test.code+"\n}\n"), 0o666))
		if _, err := compileHeader(t, source); err != nil {
			t.Errorf("%s: SPIR-V: %v", name, err)
		}
		for _, gpu := range test.gpus {
			if _, err := compileHeader(t, source, gpuOptions[gpu]...); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %s: %v, want %q", name, gpu, err, test.want)
			}
		}
	}
}
