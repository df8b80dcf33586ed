package compat_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
)

// unknownToOcloc are the GPUs that this ocloc no longer supports. They require an older ocloc
// package.
var unknownToOcloc = []string{
	"bdw", "skl", "kbl", "cfl", "apl", "glk", "whl", "aml", "cml", "icllp", "ehl",
}

// listed are the aspects that ocloc can be queried about: each requires that all of the words are
// among the extensions and OpenCL C features of the device.
var listed = []struct {
	aspect aspect.Aspect
	words  []string
}{
	{aspect.FP16, []string{"cl_khr_fp16"}},
	{aspect.FP64, []string{"cl_khr_fp64", "__opencl_c_fp64"}},
	{aspect.Atomic64, []string{"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"}},
	{aspect.Image, []string{"__opencl_c_images"}},
	{aspect.ExtIntelLegacyImage, []string{"__opencl_c_images"}},
	{aspect.ExtOneAPIAtomic16, []string{"__opencl_c_ext_fp16_global_atomic_add", "__opencl_c_ext_fp16_local_atomic_add"}},
}

// provenBy maps facts to the names of modules that prove them if ocloc accepts one of the modules.
var provenBy = []struct{ fact, module string }{
	{"sub-group size 4", "sub_groups SG=4 F=NONE"},
	{"sub-group size 8", "sub_groups SG=8 F=NONE"},
	{"sub-group size 16", "sub_groups SG=16 F=NONE"},
	{"sub-group size 32", "sub_groups SG=32 F=NONE"},
	{"sub-group size 64", "sub_groups SG=64 F=NONE"},
	{"ext_intel_matrix", "cooperative_matrix SG=8 N=8"},
	{"ext_intel_matrix", "cooperative_matrix SG=16 N=16"},
}

// TestDevices compares the table's data about each Intel GPU with ocloc's.
func TestDevices(t *testing.T) {
	tools, compiler := findCompilers(t), findOcloc(t)
	config := deviceconfig.Default()
	var known []*deviceconfig.Device
	var unknown []string
	var text strings.Builder
	for _, d := range config.Devices() {
		if d.AOTToolchain != "ocloc" || !strings.HasPrefix(d.Name, "intel_gpu_") {
			continue
		}
		version, err := compiler.version(t.Context(), d.OclocDevice)
		if err != nil {
			unknown = append(unknown, strings.TrimPrefix(d.Name, "intel_gpu_"))
			continue
		}
		if alias := versionAlias(d); alias != "" && !sameGeneration(alias, version) {
			t.Errorf("%s has alias %s, but ocloc's %s has version %s", d.Name, alias, d.OclocDevice, version)
		}
		known = append(known, d)
	}
	slices.Sort(unknown)
	if want := slices.Sorted(slices.Values(unknownToOcloc)); !slices.Equal(unknown, want) {
		t.Errorf("devices unknown to ocloc: %q, want %q", unknown, want)
	}

	facts := tryModules(t, tools, compiler, known)
	for i, d := range known {
		words, err := compiler.words(t.Context(), d.OclocDevice)
		testkit.NoError(t, err)
		for _, l := range listed {
			has := !slices.ContainsFunc(l.words, func(w string) bool { return !words[w] })
			if has != d.Has(l.aspect) {
				t.Errorf("%s: table has %t for %s, ocloc %t (%s)", d.Name, d.Has(l.aspect), l.aspect, has, strings.Join(l.words, " and "))
			}
			if has {
				facts[i][l.aspect.String()] = true
			}
		}
		for _, n := range []uint32{4, 8, 16, 32, 64} {
			if fact := fmt.Sprintf("sub-group size %d", n); facts[i][fact] != d.HasSubGroupSize(n) {
				t.Errorf("%s: table has %t for %s, ocloc %t", d.Name, d.HasSubGroupSize(n), fact, facts[i][fact])
			}
		}
		if has := facts[i][aspect.ExtIntelMatrix.String()]; has != d.Has(aspect.ExtIntelMatrix) {
			t.Errorf("%s: table has %t for ext_intel_matrix, ocloc %t", d.Name, d.Has(aspect.ExtIntelMatrix), has)
		}
		fmt.Fprintf(&text, "%-18s %-8s", d.Name, d.OclocDevice)
		for _, fact := range []string{"fp16", "fp64", "atomic64", "image", "ext_oneapi_atomic16", "ext_intel_matrix"} {
			if facts[i][fact] {
				fmt.Fprintf(&text, " %s", fact)
			}
		}
		fmt.Fprintf(&text, "; sub-groups %v\n", d.SubGroupSizes)
	}
	testkit.Golden(t, "devices.txt", text.String())
}

// tryModules returns the facts about each device that compiling proves.
func tryModules(t *testing.T, tools compilers, compiler ocloc, devices []*deviceconfig.Device) []map[string]bool {
	t.Helper()
	modules := map[string]*module{}
	for _, s := range readSources(t) {
		for _, m := range s.modules() {
			modules[m.name] = m
		}
	}
	facts := make([]map[string]bool, len(devices))
	for i := range facts {
		facts[i] = map[string]bool{}
	}
	dir := t.TempDir()
	var requests []request
	for i, try := range provenBy {
		m := modules[try.module]
		if m == nil {
			t.Fatalf("missing module %q", try.module)
		}
		testkit.NoError(t, tools.compile(t.Context(), m, dir, fmt.Sprintf("m%d", i)))
		for _, d := range devices {
			requests = append(requests, request{m.file, d.OclocDevice})
		}
	}
	outcomes, err := compiler.compile(t.Context(), requests)
	testkit.NoError(t, err)
	for i, o := range outcomes {
		if o.accepted {
			facts[i%len(devices)][provenBy[i/len(devices)].fact] = true
		}
	}
	return facts
}

// version returns the version of a device's architecture, such as 12.60.7.
func (o ocloc) version(ctx context.Context, device string) (string, error) {
	out, err := o.ask(ctx, "ids", device)
	if err != nil {
		return "", err
	}
	lines := strings.Fields(out)
	if len(lines) < 3 || lines[0] != "Matched" {
		return "", fmt.Errorf("ocloc ids %s: %q", device, out)
	}
	return lines[len(lines)-1], nil
}

// words returns the extensions and OpenCL C features of a device.
func (o ocloc) words(ctx context.Context, device string) (map[string]bool, error) {
	words := map[string]bool{}
	for _, question := range []string{"CL_DEVICE_EXTENSIONS", "CL_DEVICE_OPENCL_C_FEATURES"} {
		out, err := o.ask(ctx, "query", question, "-device", device)
		if err != nil {
			return nil, err
		}
		for word := range strings.FieldsSeq(out) {
			name, _, _ := strings.Cut(word, ":") // a version follows
			words[name] = true
		}
	}
	if !words["cl_khr_icd"] || !words["__opencl_c_int64"] {
		return nil, fmt.Errorf("extensions or features of %s lack those of every device", device)
	}
	return words, nil
}

// versionAlias returns the target name with a version, such as intel_gpu_12_60_7, or "" for a
// target without one.
func versionAlias(d *deviceconfig.Device) string {
	i := slices.IndexFunc(d.Aliases, func(a string) bool {
		rest := strings.TrimPrefix(a, "intel_gpu_")
		return rest[0] >= '0' && rest[0] <= '9'
	})
	if i < 0 {
		return ""
	}
	return d.Aliases[i]
}

// sameGeneration reports whether alias and version agree except for the revision, which DPC++ and
// ocloc number differently.
func sameGeneration(alias, version string) bool {
	a := strings.Split(strings.TrimPrefix(alias, "intel_gpu_"), "_")
	v := strings.Split(version, ".")
	return len(a) == 3 && len(v) == 3 && slices.Equal(a[:2], v[:2])
}
