package deviceconfig

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
)

func TestEmbeddedFilesAreSound(t *testing.T) {
	c := testkit.Must(readDefaults())(t)
	for _, w := range c.Warnings {
		t.Error(w)
	}
	table := testkit.Must(readNames())(t)
	for alias, name := range table.canonical {
		if _, ok := c.index[alias]; ok {
			t.Errorf("alias %s has an entry", alias)
		}
		if _, ok := c.index[name]; !ok {
			t.Errorf("alias %s refers to %s, which has no entry", alias, name)
		}
	}
	for name := range table.architectures {
		if _, ok := c.index[name]; !ok {
			t.Errorf("%s has an architecture but no entry", name)
		}
	}
	repairs := testkit.Must(readOverlay())(t)
	for _, r := range repairs {
		if !slices.ContainsFunc(c.devices, func(d *Device) bool { return r.matches(d.Name) }) {
			t.Errorf("repair of %q matches no device", r.targets)
		}
		for _, pattern := range r.except {
			if !strings.Contains(pattern, "*") {
				if _, ok := c.index[pattern]; !ok {
					t.Errorf("repair of %q excludes %s, which has no entry", r.targets, pattern)
				}
			}
		}
	}
}

// TestDefault compares all known facts about each device with testdata/default.golden, so every
// change is visible.
func TestDefault(t *testing.T) {
	var got strings.Builder
	for _, d := range Default().Devices() {
		fmt.Fprintf(&got, "%s\n", d.Name)
		line := func(what string, value any, is bool) {
			if is {
				fmt.Fprintf(&got, "  %s: %v\n", what, value)
			}
		}
		line("also", strings.Join(d.Aliases, " "), d.Aliases != nil)
		line("architecture", fmt.Sprintf("%#016x", d.Architecture), d.Architecture != 0)
		line("aspects", d.Aspects, true)
		line("may have others", true, d.MayHaveOtherAspects)
		line("sub-groups", d.SubGroupSizes, true)
		line("work-group", d.MaxWorkGroupSize, d.MaxWorkGroupSize != 0)
		line("work-items", d.MaxWorkItemSizes, d.MaxWorkItemSizes != nil)
		line("local memory", d.LocalMemorySize, d.LocalMemorySize != 0)
		line("no matrices", true, d.Matrices != nil && len(d.Matrices) == 0)
		for _, m := range d.Matrices {
			line("matrices", m, true)
		}
		line("intrinsics", d.Intrinsics, d.Intrinsics != nil)
		line("refused extensions", d.RefusedExtensions, d.RefusedExtensions != nil)
		line("compiler", d.AOTToolchain+" "+d.OclocDevice, d.AOTToolchain != "")
		line("from", d.Source, true)
	}
	testkit.Golden(t, "default.golden", got.String())
}

func TestLookup(t *testing.T) {
	c := Default()
	for target, want := range map[string]string{
		"intel_gpu_acm_g10": "intel_gpu_acm_g10",
		"intel_gpu_pvc":     "intel_gpu_pvc",
		"intel_gpu_bmg_g21": "intel_gpu_bmg_g21",
		"intel_gpu_dg2":     "intel_gpu_dg2",
		"intel_gpu_tgllp":   "intel_gpu_tgllp",
		"intel_gpu_12_55_8": "intel_gpu_acm_g10",
		"intel_gpu_dg2_g10": "intel_gpu_acm_g10",
		"intel_gpu_12_0_0":  "intel_gpu_tgllp",
		"intel_gpu_rpl_s":   "intel_gpu_adl_s",
		"nvidia_gpu_sm_90a": "nvidia_gpu_sm_90a",
		"amd_gpu_gfx90a":    "amd_gpu_gfx90a",
		"spir64":            "spir64",
		"intel_gpu_acm-g10": "",
		"intel_gpu_":        "",
		"":                  "",
	} {
		d, ok := c.Lookup(target)
		if ok != (want != "") || ok && d.Name != want {
			t.Errorf("Lookup(%q) = %+v, %v, want %q", target, d, ok, want)
		}
	}
}

func TestDecidingFacts(t *testing.T) {
	c := Default()
	for _, tt := range []struct {
		target          string
		image, fp64     bool
		sizes           []uint32
		workGroup       uint64
		toolchain, name string
	}{
		{"intel_gpu_acm_g10", true, false, []uint32{8, 16, 32}, 1024, "ocloc", "acm-g10"},
		{"intel_gpu_dg2", true, false, []uint32{8, 16, 32}, 1024, "ocloc", "dg2"},
		{"intel_gpu_pvc", false, true, []uint32{16, 32}, 1024, "ocloc", "pvc"},
		{"intel_gpu_pvc_vg", false, true, []uint32{16, 32}, 1024, "ocloc", "pvc-vg"},
		{"intel_gpu_bmg_g21", true, true, []uint32{16, 32}, 1024, "ocloc", "bmg-g21"},
		{"intel_gpu_tgllp", true, false, []uint32{8, 16, 32}, 512, "ocloc", "tgllp"},
		{"intel_gpu_skl", true, true, []uint32{8, 16, 32}, 256, "ocloc", "skl"},
		{"intel_gpu_ptl_h", true, true, []uint32{16, 32}, 1024, "ocloc", "ptl-h"},
	} {
		d, ok := c.Lookup(tt.target)
		if !ok {
			t.Errorf("missing target %s", tt.target)
			continue
		}
		if d.Has(aspect.Image) != tt.image || d.Has(aspect.FP64) != tt.fp64 || !d.Has(aspect.GPU) || !d.Has(aspect.USMSharedAllocations) || d.Has(aspect.CPU) {
			t.Errorf("%s: aspects %v", tt.target, d.Aspects)
		}
		if !slices.Equal(d.SubGroupSizes, tt.sizes) || !d.HasSubGroupSize(16) || d.HasSubGroupSize(64) || d.MaxWorkGroupSize != tt.workGroup {
			t.Errorf("%s: sizes %d, %d", tt.target, d.SubGroupSizes, d.MaxWorkGroupSize)
		}
		if d.AOTToolchain != tt.toolchain || d.OclocDevice != tt.name {
			t.Errorf("%s: %s %s", tt.target, d.AOTToolchain, d.OclocDevice)
		}
	}
	for _, d := range c.Devices() {
		if strings.Contains(d.OclocDevice, "_") {
			t.Errorf("%s: unknown ocloc device %s; set ocloc-device in sycl/deviceconfig/devices_overlay.yaml", d.Name, d.OclocDevice)
		}
		groups := []string{"intel_gpu_bmg", "intel_gpu_dg2", "intel_gpu_mtl", "intel_gpu_ptl"}
		if strings.Contains(d.Name, "_gpu_") && d.Architecture == 0 && !slices.Contains(groups, d.Name) {
			t.Errorf("%s has no architecture; set it in sycl/deviceconfig/names.yaml, and the limits of the device in sycl/deviceconfig/limits.yaml", d.Name)
		}
		if d.Source == "" {
			t.Errorf("%s has no source", d.Name)
		}
		if _, ok := Triple(d.Name); !ok {
			t.Errorf("%s has no triple", d.Name)
		}
	}
}

// TestLLVMGPUs checks the facts that decide whether a kernel is built for NVIDIA and AMD GPUs. Only
// the GPU's native sub-group size is allowed, because PTX cannot express a size.
func TestLLVMGPUs(t *testing.T) {
	for _, d := range Default().Devices() {
		want := uint32(32)
		switch {
		case strings.HasPrefix(d.Name, "nvidia_gpu_sm_"):
		case strings.HasPrefix(d.Name, "amd_gpu_gfx1") && len(d.Name) > len("amd_gpu_gfx803"):
		case strings.HasPrefix(d.Name, "amd_gpu_gfx"):
			want = 64
		default:
			continue
		}
		if !slices.Equal(d.SubGroupSizes, []uint32{want}) || d.MaxWorkGroupSize != 1024 {
			t.Errorf("%s: sub-group sizes %d, work-group limit %d", d.Name, d.SubGroupSizes, d.MaxWorkGroupSize)
		}
		old := d.Name < "nvidia_gpu_sm_60" && strings.HasPrefix(d.Name, "nvidia")
		if !d.Has(aspect.FP64) || !d.Has(aspect.GPU) || !old && (!d.Has(aspect.FP16) || !d.Has(aspect.Atomic64)) {
			t.Errorf("%s: aspects %v", d.Name, d.Aspects)
		}
	}
}

func TestNearest(t *testing.T) {
	c := Default()
	for target, want := range map[string][]string{
		"intel_gpu_acm_g20": {"intel_gpu_acm_g10", "intel_gpu_acm_g12", "intel_gpu_acm_g11"},
		"intel_gpu_pcv":     {"intel_gpu_pvc"},
		"nvidia_gpu_sm80":   {"nvidia_gpu_sm_80"},
		"something else":    nil,
	} {
		got := c.Nearest(target)
		if len(got) > 3 || len(want) > 0 && (len(got) == 0 || got[0] != want[0]) || len(want) == 0 && got != nil || len(want) == 3 && !slices.Equal(got, want) {
			t.Errorf("Nearest(%q) = %q, want %q", target, got, want)
		}
	}
}

func TestTriple(t *testing.T) {
	for target, want := range map[string]string{
		"spir64": "spir64-unknown-unknown", "spir64-unknown-unknown": "spir64-unknown-unknown",
		"spirv64":    "spirv64-unknown-unknown",
		"spir64_gen": "spir64_gen-unknown-unknown", "intel_gpu_pvc": "spir64_gen-unknown-unknown", "intel_gpu_12_0_0": "spir64_gen-unknown-unknown",
		"spir64_x86_64": "spir64_x86_64-unknown-unknown", "x86_64": "spir64_x86_64-unknown-unknown", "intel_cpu_spr": "spir64_x86_64-unknown-unknown",
		"nvidia_gpu_sm_80": "nvptx64-nvidia-cuda", "nvptx64-nvidia-cuda": "nvptx64-nvidia-cuda", "ptx64": "nvptx64-nvidia-cuda",
		"amd_gpu_gfx90a": "amdgcn-amd-amdhsa", "amdgcn-amd-amdhsa": "amdgcn-amd-amdhsa",
		"intel_gpu_": "", "riscv64": "", "": "",
	} {
		if got, ok := Triple(target); got != want || ok != (want != "") {
			t.Errorf("Triple(%q) = %q, %v", target, got, ok)
		}
	}
}

func TestArch(t *testing.T) {
	for target, want := range map[string]string{
		"intel_gpu_pvc": "intel_gpu_pvc", "nvidia_gpu_sm_80": "sm_80", "amd_gpu_gfx90a": "gfx90a", "spir64": "spir64", "intel_gpu_12_60_7": "intel_gpu_pvc",
	} {
		d, ok := Default().Lookup(target)
		if !ok || d.Arch() != want {
			t.Errorf("%s: %q", target, d.Arch())
		}
	}
}

func read(t *testing.T, text string) *Config {
	t.Helper()
	c := testkit.Must(Read("user.yaml", strings.NewReader(text)))(t)
	return c
}

func TestRead(t *testing.T) {
	c := read(t, `# comment
intel_gpu_12_0_0:
  aspects: [1, fp16, 3, "fp16"]
  sub-group-sizes: [16, 8, 16]
x86_64_avx512:
  aspects: [1, 2, 3, 9, 11, 12345]
  sub_group_sizes: [8, 32]
  may_support_other_aspects: true
  max-work-group-size: 8192
intel_gpu_40_1_2:
intel_gpu_new_g1:
  aspects:
  aot-toolchain-ocloc-device: dg1:acm-g10
  aot-toolchain-ocloc-options: "-ze-opt-large-register-file"
intel_gpu_other:
  aot-toolchain: mine
  aot_toolchain_mine_level: 3
`)
	want := []Device{
		{Name: "intel_gpu_tgllp", Aliases: []string{"intel_gpu_12_0_0", "intel_gpu_tgl"}, Architecture: 0x300000000, Aspects: []aspect.Aspect{1, 3, 5}, SubGroupSizes: []uint32{8, 16}, AOTToolchain: "ocloc", OclocDevice: "tgllp", Source: "user.yaml:2"},
		{Name: "x86_64_avx512", Aspects: []aspect.Aspect{1, 2, 3, 9, 11, 12345}, SubGroupSizes: []uint32{8, 32}, MayHaveOtherAspects: true, Limits: Limits{MaxWorkGroupSize: 8192}, Source: "user.yaml:5"},
		{Name: "intel_gpu_40_1_2", AOTToolchain: "ocloc", OclocDevice: "40.1.2", Source: "user.yaml:10"},
		{Name: "intel_gpu_new_g1", AOTToolchain: "ocloc", OclocDevice: "dg1:acm-g10", AOTOptions: map[string]string{"ocloc-options": "-ze-opt-large-register-file"}, Source: "user.yaml:11"},
		{Name: "intel_gpu_other", AOTToolchain: "mine", AOTOptions: map[string]string{"mine-level": "3"}, Source: "user.yaml:15"},
	}
	for i, d := range c.Devices() {
		if got, want := fmt.Sprintf("%+v", *d), fmt.Sprintf("%+v", want[i]); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if len(c.Devices()) != len(want) || len(c.Warnings) != 0 {
		t.Errorf("%d devices, warnings %v", len(c.Devices()), c.Warnings)
	}
	for _, empty := range []string{"", "\n", "# nothing\n", "---\n", "null\n", "{}"} {
		if c := read(t, empty); len(c.Devices()) != 0 {
			t.Errorf("%q has devices", empty)
		}
	}
}

func TestReadLimits(t *testing.T) {
	c := read(t, `intel_gpu_a:
  max-work-item-sizes: [1024, 512, 64]
  local_memory_size: 65536
  matrix_combinations:
    - {max_msize: 8, nsize: 16, ksize: 32, atype: [uint8, sint8], btype: uint8, ctype: sint32, dtype: sint32}
    - {msize: 16, max-nsize: 16, ksize: 16, atype: bf16, btype: bf16, ctype: fp32, dtype: fp32}
  aot-toolchain-options: -device b1 -options -x
none:
  matrix-combinations: []
`)
	d, _ := c.Lookup("intel_gpu_a")
	var got []string
	for _, m := range d.Matrices {
		got = append(got, m.String())
	}
	want := []string{
		"m<=8 n=16 k=32 a=uint8 b=uint8 c=sint32 d=sint32",
		"m<=8 n=16 k=32 a=sint8 b=uint8 c=sint32 d=sint32",
		"m=16 n<=16 k=16 a=bf16 b=bf16 c=fp32 d=fp32",
	}
	if !slices.Equal(got, want) || !slices.Equal(d.MaxWorkItemSizes, []uint64{1024, 512, 64}) || d.LocalMemorySize != 65536 {
		t.Errorf("%+v", d.Limits)
	}
	if d.AOTToolchain != "ocloc" || d.OclocDevice != "b1" || d.AOTOptions["options"] != "-device b1 -options -x" {
		t.Errorf("%q, %q, %q", d.AOTToolchain, d.OclocDevice, d.AOTOptions)
	}
	if d, _ := c.Lookup("none"); d.Matrices == nil || len(d.Matrices) != 0 {
		t.Errorf("matrices %v, want an empty list that is not nil", d.Matrices)
	}
}

func TestReadWarnings(t *testing.T) {
	c := read(t, `intel_gpu_12_0_0: {aspects: [1]}
other: {sub-group-sizes: [8], sub_group_sizes: [16]}
intel_gpu_tgllp: {aspects: [2]}
other: {aspects: [3]}
`)
	var got []string
	for _, w := range c.Warnings {
		got = append(got, w.Error())
	}
	want := []string{
		"user.yaml:2: other: sub-group-sizes: duplicate key, also on line 2; this value takes precedence",
		"user.yaml:3: intel_gpu_tgllp: duplicate target, also on line 1; this entry takes precedence",
		"user.yaml:4: other: duplicate target, also on line 2; this entry takes precedence",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	tgl, _ := c.Lookup("intel_gpu_12_0_0")
	other, _ := c.Lookup("other")
	if !slices.Equal(tgl.Aspects, []aspect.Aspect{2}) || !slices.Equal(other.Aspects, []aspect.Aspect{3}) || other.SubGroupSizes != nil || len(c.Devices()) != 2 {
		t.Errorf("later entries did not take effect: %+v, %+v", tgl, other)
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"no mapping", "- a\n", "user.yaml:1: expected entries by target, got a list"},
		{"an entry without keys", "a: fp16\n", `user.yaml:1: a: expected keys with values, got "fp16"`},
		{"a target that is a list", "? [a]\n: {}\n", "user.yaml:1: expected a name before the colon, got a list"},
		{"a target that is a path", "../a: {}\n", `user.yaml:1: the target "../a" begins with '.'`},
		{"a target with a slash", "a/b: {}\n", `user.yaml:1: the target "a/b" has a character '/' that names cannot have`},
		{"a target without name", `"": {}`, `user.yaml:1: the target "" is empty`},
		{"a target that is too long", strings.Repeat("a", 201) + ":\n", `user.yaml:1: the target "` + strings.Repeat("a", 201) + `" is longer than 200 characters`},
		{"a misspelled key", "a:\n  aspect: [1]\n", `user.yaml:2: a: unknown key "aspect"; did you mean aspects?`},
		{"a misspelled key with underscores", "a:\n  may_suport_other_aspects: true\n", `user.yaml:2: a: unknown key "may_suport_other_aspects"; did you mean may-support-other-aspects?`},
		{"a misspelled ocloc key", "intel_gpu_a:\n  aot-toolchain-ocloc-devise: b\n", `user.yaml:2: intel_gpu_a: unknown key "aot-toolchain-ocloc-devise"; did you mean aot-toolchain-ocloc-device?`},
		{"an unknown extension", "a:\n  refused-extensions: [SPV_KHR_float_control]\n", "user.yaml:2: a: refused-extensions: unknown extension \"SPV_KHR_float_control\"; did you mean SPV_KHR_float_controls?"},
		{"an unknown key", "a:\n  b: 1\n", `user.yaml:2: a: unknown key "b"; expected one of aspects, sub-group-sizes, may-support-other-aspects, max-work-group-size, max-work-item-sizes, local-memory-size, local-mem-size, max-parameter-size, max-parameter-registers, max-parameter-registers-large, matrix-combinations, esimd-intrinsics, refused-extensions, aot-toolchain, aot-toolchain-ocloc-device, aot-toolchain-options`},
		{"an unknown aspect", "a:\n  aspects: [fp16,\n    fp46]\n", `user.yaml:3: a: aspects: unknown aspect "fp46"; did you mean fp16?`},
		{"a negative aspect", "a:\n  aspects: [-1]\n", `user.yaml:2: a: aspects: unknown aspect "-1"; expected a name of enum class aspect or a number`},
		{"an aspect beyond 32 bits", "a:\n  aspects: [4294967296]\n", `user.yaml:2: a: aspects: aspect number 4294967296 does not fit in 32 bits`},
		{"aspects that are no list", "a:\n  aspects: fp16\n", `user.yaml:2: a: aspects: expected a list such as [a, b], got "fp16"`},
		{"aspects in a list of lists", "a:\n  aspects: [[fp16]]\n", `user.yaml:2: a: aspects: expected one value in the list, got a list`},
		{"an empty aspect", "a:\n  aspects: [fp16, ]\n  sub-group-sizes: [~]\n", `user.yaml:3: a: sub-group-sizes: expected one value in the list, got nothing`},
		{"a sub-group size of zero", "a:\n  sub-group-sizes: [8, 0]\n", `user.yaml:2: a: sub-group-sizes: "0" is not a positive number of at most 32 bits`},
		{"a sub-group size by name", "a:\n  sub-group-sizes: [primary]\n", `user.yaml:2: a: sub-group-sizes: "primary" is not a positive number of at most 32 bits`},
		{"a sub-group size beyond 32 bits", "a:\n  sub-group-sizes: [4294967296]\n", `user.yaml:2: a: sub-group-sizes: "4294967296" is not a positive number of at most 32 bits`},
		{"an invalid flag", "a:\n  may-support-other-aspects: maybe\n", `user.yaml:2: a: may-support-other-aspects: expected true or false, got "maybe"`},
		{"a work-group size that is a list", "a:\n  max-work-group-size: [1]\n", `user.yaml:2: a: max-work-group-size: expected a number, got a list`},
		{"a compiler with a space", "a:\n  aot-toolchain: rm -r\n", `user.yaml:2: a: aot-toolchain: the name "rm -r" has a character ' ' that names cannot have`},
		{"an ocloc device that looks like an option", "intel_gpu_a:\n  aot-toolchain-ocloc-device: -x\n", `user.yaml:2: intel_gpu_a: aot-toolchain-ocloc-device: the name "-x" begins with '-'`},
		{"no ocloc device", "intel_gpu_a:\n  aot-toolchain-ocloc-device:\n", `user.yaml:2: intel_gpu_a: aot-toolchain-ocloc-device: expected a name, got nothing`},
		{"an ocloc device for a different compiler", "intel_gpu_a:\n  aot-toolchain: b\n  aot-toolchain-ocloc-device: c\n", `user.yaml:1: intel_gpu_a: aot-toolchain-ocloc-device: the device is for ocloc, but aot-toolchain is "b"`},
		{"an option for a different compiler", "a:\n  aot-toolchain: b\n  aot-toolchain-c-level: 1\n", `user.yaml:3: a: aot-toolchain-c-level: the key is for a different compiler; aot-toolchain is "b"`},
		{"an option without a compiler", "a:\n  aot-toolchain-c-level: 1\n", `user.yaml:2: a: aot-toolchain-c-level: the key is for a different compiler; aot-toolchain is ""`},
		{"an option of several lines", "a:\n  aot-toolchain: b\n  aot-toolchain-b-c: \"x\\ny\"\n", `user.yaml:3: a: aot-toolchain-b-c: option "x\ny" contains a line break or NUL`},
		{"an option that is a list", "a:\n  aot-toolchain: b\n  aot-toolchain-b-c: [1]\n", `user.yaml:3: a: aot-toolchain-b-c: expected one value, got a list`},
		{"an alias", "a: &x {aspects: [1]}\nb: *x\n", `user.yaml:2: b: expected keys with values, got a reference *x, which device configurations cannot have`},
		{"two documents", "a: {}\n---\nb: {}\n", "user.yaml:2: the file contains more than one YAML document; keep one"},
		{"invalid YAML", "a: [1\nb: 2\n", "user.yaml:1: not YAML: did not find expected ',' or ']'; correct the syntax"},
		{"a tab", "a:\n\tb: 1\n", "user.yaml:2: not YAML: found character that cannot start any token; indent with spaces instead of tabs"},
		{"a long file", strings.Repeat("#", maxFile+1), "user.yaml: file too large (limit 524288 bytes)"},
		{"deeply nested lists", strings.Repeat("[", 20000), "user.yaml: not YAML: exceeded max depth of 10000; correct the syntax"},
		{"deeply nested mappings", strings.Repeat("{a: ", 20000), "user.yaml: not YAML: exceeded max depth of 10000; correct the syntax"},
		{"aliases of aliases", "a: &a [1]\nb: {aspects: [*a, *a]}\n", "user.yaml:1: a: expected keys with values, got a list"},
		{"an alias in a list", "a: {aspects: &a [1]}\nb: {aspects: [*a]}\n", "user.yaml:2: b: aspects: expected one value in the list, got a reference *a, which device configurations cannot have"},
		{"many duplicate targets", strings.Repeat("a: {}\n", 200), "user.yaml:102: a: too many duplicate targets or keys (limit 100)"},
		{"options for no compiler", "a:\n  aot-toolchain-options: -x\n", `user.yaml:2: a: aot-toolchain-options: the options require aot-toolchain`},
		{"options without the device", "intel_gpu_a:\n  aot_toolchain_options: -x -device\n", `user.yaml:2: intel_gpu_a: aot-toolchain-options: the name "" after -device is empty`},
		{"options with a device that looks like an option", "intel_gpu_a:\n  aot-toolchain-options: -device -x\n", `user.yaml:2: intel_gpu_a: aot-toolchain-options: the name "-x" after -device begins with '-'`},
		{"options with a different device", "intel_gpu_a:\n  aot-toolchain-options: -device b\n  aot-toolchain-ocloc-device: c\n", `user.yaml:2: intel_gpu_a: aot-toolchain-options: -device is b here, but aot-toolchain-ocloc-device is c`},
		{"options that are a mapping", "intel_gpu_a:\n  aot-toolchain-options: {a: b}\n", `user.yaml:2: intel_gpu_a: aot-toolchain-options: expected one value, got a mapping`},
		{"two sizes", "a:\n  max-work-item-sizes: [1, 2]\n", `user.yaml:2: a: max-work-item-sizes: expected 3 sizes, got 2`},
		{"a size of zero", "a:\n  max_work_item_sizes: [1, 2, 0]\n", `user.yaml:2: a: max-work-item-sizes: "0" is not a positive number of at most 64 bits`},
		{"local memory that is text", "a:\n  local-memory-size: 48 KiB\n", `user.yaml:2: a: local-memory-size: "48 KiB" is not a positive number of at most 64 bits`},
		{"a number above 64 bits", "a:\n  local-memory-size: 18446744073709551616\n", `user.yaml:2: a: local-memory-size: "18446744073709551616" is not a positive number of at most 64 bits`},
		{"matrices that are not a list", "a:\n  matrix-combinations: {msize: 8}\n", `user.yaml:2: a: matrix-combinations: expected a list of combinations, got a mapping`},
		{"a matrix that is not a mapping", "a:\n  matrix-combinations: [8]\n", `user.yaml:2: a: matrix-combinations: expected keys of a combination, got "8"`},
		{"a misspelled key of a matrix", "a:\n  matrix-combinations:\n    - {mszie: 8}\n", `user.yaml:3: a: matrix-combinations: unknown key "mszie"; did you mean msize?`},
		{"an unknown key of a matrix", "a:\n  matrix-combinations:\n    - {something: 8}\n", `user.yaml:3: a: matrix-combinations: unknown key "something"; expected one of max-msize, max-nsize, max-ksize, msize, nsize, ksize, atype, btype, ctype, dtype`},
		{"a duplicate matrix key", "a:\n  matrix-combinations: [{msize: 8, msize: 8}]\n", `user.yaml:2: a: matrix-combinations: duplicate msize`},
		{"a matrix with two sizes", "a:\n  matrix-combinations: [{msize: 8, max-msize: 8}]\n", `user.yaml:2: a: matrix-combinations: a combination needs either msize or max-msize`},
		{"a matrix without a size", "a:\n  matrix-combinations: [{msize: 8, nsize: 8}]\n", `user.yaml:2: a: matrix-combinations: a combination needs either ksize or max-ksize`},
		{"a matrix without a type", "a:\n  matrix-combinations: [{msize: 8, nsize: 8, ksize: 8, atype: bf16}]\n", `user.yaml:2: a: matrix-combinations: missing key btype in the combination`},
		{"a misspelled type", "a:\n  matrix-combinations: [{atype: bf61}]\n", `user.yaml:2: a: matrix-combinations: unknown type "bf61"; did you mean bf16?`},
		{"no type", "a:\n  matrix-combinations: [{atype: [[]]}]\n", `user.yaml:2: a: matrix-combinations: expected a type such as bf16, got a list`},
		{"no types", "a:\n  matrix-combinations: [{atype: []}]\n", `user.yaml:2: a: matrix-combinations: empty list of types`},
		{"a duplicate type", "a:\n  matrix-combinations: [{atype: [bf16, bf16]}]\n", `user.yaml:2: a: matrix-combinations: duplicate type bf16`},
		{"too many matrices", "a:\n  matrix-combinations: [{msize: 8, nsize: 8, ksize: 8, atype: &t [bf16, fp16, fp32, fp64, tf32, uint8], btype: [bf16, fp16, fp32, fp64, tf32, uint8], ctype: [bf16, fp16, fp32, fp64, tf32, uint8], dtype: [bf16, fp16, fp32, fp64, tf32, uint8]}]\n", `user.yaml:2: a: matrix-combinations: too many combinations (limit 1000)`},
		{"a merge key", "a: &x {aspects: [1]}\nb:\n  <<: *x\n", "user.yaml:3: b: unknown key \"<<\"; expected one of aspects, sub-group-sizes, may-support-other-aspects, max-work-group-size, max-work-item-sizes, local-memory-size, local-mem-size, max-parameter-size, max-parameter-registers, max-parameter-registers-large, matrix-combinations, esimd-intrinsics, refused-extensions, aot-toolchain, aot-toolchain-ocloc-device, aot-toolchain-options"},
		{"an octal number", "a:\n  max-work-group-size: 0o17\n", `user.yaml:2: a: max-work-group-size: "0o17" is not a positive number of at most 64 bits`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read("user.yaml", strings.NewReader(tt.in))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	t.Run("a failing reader", func(t *testing.T) {
		broken := errors.New("broken")
		_, err := Read("user.yaml", io.MultiReader(strings.NewReader("a: {}\n"), iotest.ErrReader(broken)))
		var syntax *SyntaxError
		if !errors.Is(err, broken) || errors.As(err, &syntax) {
			t.Errorf("got %v", err)
		}
	})
}

func TestMerge(t *testing.T) {
	c := Default()
	before := c.Devices()
	c.Merge(read(t, `intel_gpu_12_60_7:
  aspects: [fp16]
  aot-toolchain: mine
intel_gpu_new: {}
intel_gpu_new: {max-work-group-size: 7}
intel_gpu_tgllp: {max-work-group-size: 9}
nvidia_gpu_sm_80: {max-work-item-sizes: [7, 7, 7], matrix-combinations: []}
`))
	pvc, _ := c.Lookup("intel_gpu_pvc")
	if !slices.Equal(pvc.Aspects, []aspect.Aspect{aspect.FP16}) || pvc.SubGroupSizes != nil || pvc.AOTToolchain != "mine" || pvc.OclocDevice != "" || pvc.MaxWorkGroupSize != 1024 || pvc.Source != "user.yaml:1" {
		t.Errorf("pvc: %+v", *pvc)
	}
	fresh, ok := c.Lookup("intel_gpu_new")
	if !ok || fresh.MaxWorkGroupSize != 7 || fresh.OclocDevice != "new" {
		t.Errorf("new device: %+v", fresh)
	}
	if tgl, _ := c.Lookup("intel_gpu_tgl"); tgl.MaxWorkGroupSize != 9 {
		t.Errorf("tgllp: %+v", *tgl)
	}
	if l := pvc.Limits; len(l.Matrices) != 53 {
		t.Errorf("%d combinations of matrices for pvc", len(l.Matrices))
	}
	sm80, _ := c.Lookup("nvidia_gpu_sm_80")
	if l := sm80.Limits; l.MaxWorkGroupSize != 1024 || l.MaxWorkItemSizes[2] != 7 || l.LocalMemorySize != 49152 || l.Matrices == nil {
		t.Errorf("limits of sm_80: %+v", l)
	}
	after := c.Devices()
	if len(after) != len(before)+1 || after[len(after)-1] != fresh {
		t.Errorf("%d devices before, %d after", len(before), len(after))
	}
	for i, d := range before {
		if after[i].Name != d.Name {
			t.Errorf("%s is at the position of %s", after[i].Name, d.Name)
		}
	}
	if len(c.Warnings) != 1 || c.Warnings[0].Line != 5 {
		t.Errorf("warnings %v", c.Warnings)
	}
	if d, _ := Default().Lookup("intel_gpu_pvc"); len(d.Aspects) < 10 || len(Default().Devices()) != len(before) {
		t.Error("Merge changed the built-in devices")
	}
	var empty Config
	empty.Merge(Default())
	if _, ok := empty.Lookup("intel_gpu_pvc"); !ok {
		t.Error("cannot merge into the zero Config")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("intel_gpu_12_0_0:\n  aspects: [1, fp16]\n  sub-group-sizes: [8, 16]\n"))
	f.Add([]byte("a: {aspects: [cpu], may_support_other_aspects: true, max-work-group-size: 64}\na:\n"))
	f.Add([]byte("intel_gpu_x:\n  aot-toolchain: ocloc\n  aot-toolchain-ocloc-device: x\n  aot-toolchain-ocloc-options: -O2\n"))
	f.Add([]byte("a:\n  max-work-item-sizes: [1, 2, 3]\n  local-memory-size: 4\n  matrix-combinations:\n    - {max-msize: 8, nsize: 16, ksize: 32, atype: [uint8, sint8], btype: uint8, ctype: sint32, dtype: sint32}\n"))
	f.Add([]byte("a: &x {aspects: []}\nb: *x\n---\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := Read("f", strings.NewReader(string(in)))
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("got %T: %v", err, err)
			}
			return
		}
		d := Default()
		d.Merge(c)
		for _, device := range c.Devices() {
			found, ok := d.Lookup(device.Name)
			if !ok || nameProblem(device.Name, "_-.") != "" || !slices.Equal(found.Aspects, device.Aspects) {
				t.Fatalf("%+v is found as %+v", device, found)
			}
			if !slices.IsSorted(device.Aspects) || !slices.IsSorted(device.SubGroupSizes) {
				t.Fatalf("%+v is not sorted", device)
			}
		}
	})
}

// TestNearestWithoutFamily checks that a name without its prefix, or in a different notation, has one
// suggestion.
func TestNearestWithoutFamily(t *testing.T) {
	config := Default()
	for name, want := range map[string]string{
		"pvc": "intel_gpu_pvc", "PVC": "intel_gpu_pvc", "acm-g10": "intel_gpu_acm_g10", "intel_gpu_acm-g10": "intel_gpu_acm_g10",
		"sm_80": "nvidia_gpu_sm_80", "gfx90a": "amd_gpu_gfx90a", "spr": "intel_cpu_spr",
	} {
		if near := config.Nearest(name); !slices.Equal(near, []string{want}) {
			t.Errorf("%s: %q, want %s", name, near, want)
		}
	}
}

// TestNearestInFamily checks that suggestions are other spellings, not other devices.
func TestNearestInFamily(t *testing.T) {
	config := Default()
	for name, want := range map[string]string{
		"bmg_g21": "intel_gpu_bmg_g21", "intel_gpu_bmg_g22": "intel_gpu_bmg_g21", "intel_gpu_pvv": "intel_gpu_pvc", "intel_gpu_nope": "", "nvidia_gpu_sm_81": "nvidia_gpu_sm_",
		"amd_gpu_gfx90b": "amd_gpu_gfx90", "nothing": "",
	} {
		near := config.Nearest(name)
		if want == "" && near != nil || want != "" && (near == nil || !strings.HasPrefix(near[0], want)) {
			t.Errorf("%s: %q", name, near)
		}
	}
	if near := NearestOf("bmg_g21", slices.Values([]string{"intel_gpu_acm_g10"}), 1); near != nil {
		t.Errorf("suggestions for bmg_g21: %q", near)
	}
}
