package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/deviceconfig"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// oclocArchive returns an ocloc archive.
func oclocArchive(members ...string) string {
	var list []string
	for i, name := range members {
		content := fmt.Sprintf("code %d ", i)
		if name == "generic_ir" {
			content = "\x03\x02\x23\x07\x00\x04\x01\x00" + strings.Repeat("\x00", 4) + "\x05\x00\x00\x00" + strings.Repeat("\x00", 4)
		}
		list = append(list, name, content)
	}
	return oclocMembers(list...)
}

// oclocMembers returns an ocloc archive of members, given as name and content.
func oclocMembers(members ...string) string {
	b := "!<arch>\n"
	for m := range slices.Chunk(members, 2) {
		b += fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n", m[0], 0, 0, 0, "644", len(m[1])) + m[1] + strings.Repeat("\n", len(m[1])%2)
	}
	return b
}

// TestNativeCodeFamilies checks on which GPUs native code in a SYCLBIN runs, depending on its
// architecture name.
func TestNativeCodeFamilies(t *testing.T) {
	for _, test := range []struct {
		name, arch, target, code string
		want                     string // devices with native code, without intel_gpu_
		warning                  string // start of the warning
	}{
		{"family as the target", "intel_gpu_dg2", "intel_gpu_dg2", "x", "acm_g10 acm_g11", ""},
		{"member as the target", "intel_gpu_acm_g10", "intel_gpu_acm_g10", "x", "acm_g10", ""},
		{"family as the architecture alone", "intel_gpu_bmg", "", "x", "bmg_g21 bmg_g31 lnl_m", ""},
		{"first member as the architecture alone", "intel_gpu_acm_g10", "", "x", "acm_g10 acm_g11", ""},
		{"second member as the architecture alone", "acm-g11", "", "x", "acm_g11", ""},
		{"ocloc's name of the device", "12.60.7", "", "x", "pvc", ""},
		{"archive of versions", "", "", oclocArchive("64.12.55.8", "64.20.1.0"), "acm_g10 bmg_g21", ""},
		{"archive of families", "", "", oclocArchive("64.dg2", "64.ptl"), "acm_g10 acm_g11 ptl_u", ""},
		{"archive with another GPU's code", "", "", oclocMembers("64.12.55.8", testkit.GPUELF(12<<22|60<<14|7), "64.lnl", "x"), "lnl_m", "abstract module 0: member \"64.12.55.8\": named for intel_gpu_acm_g10, but its code is for intel_gpu_pvc"},
		{"architecture of another GPU", "intel_gpu_acm_g10", "intel_gpu_acm_g10", testkit.GPUELF(12<<22 | 60<<14 | 7), "", "abstract module 0: named for intel_gpu_acm_g10, but its code is for intel_gpu_pvc (12.60.7); no device runs it"},
		{"target of another GPU", "", "intel_gpu_acm_g10", testkit.GPUELF(12<<22 | 60<<14 | 7), "", "abstract module 0: named for intel_gpu_acm_g10"},
		{"unknown GPU", "", "", oclocArchive("64.99.1.2", "64.lnl"), "lnl_m", "abstract module 0: member \"64.99.1.2\": unknown GPU"},
		{"device of the user", "my_gpu", "my_gpu", testkit.GPUELF(12<<22 | 60<<14 | 7), "my_gpu", ""},
		{"code of the first member", "intel_gpu_dg2", "intel_gpu_dg2", testkit.GPUELF(12<<22 | 55<<14 | 8), "acm_g10 acm_g11", ""},
		{"code of the second member", "intel_gpu_dg2", "intel_gpu_dg2", testkit.GPUELF(12<<22 | 56<<14 | 5), "acm_g11", ""},
		{"archive of versions and families", "", "", oclocArchive("64.12.60.7", "64.bmg", "generic_ir"), "bmg_g21 bmg_g31 lnl_m pvc", ""},
	} {
		metadata := new(propset.Registry)
		metadata.Add(propset.KernelNames).Put("K", propset.Uint(1))
		set := metadata.Add(propset.DeviceRequirements)
		set.Put("aspects", propset.Uint32s())
		if test.target != "" {
			set.Put("compile_target", propset.String(test.target))
		}
		f := &syclbin.File{Modules: []*syclbin.Module{{Metadata: metadata,
			Native: []*syclbin.Image{syclbin.NewNative(test.arch, "spir64_gen-unknown-unknown", strings.NewReader(test.code))}}}}
		modules := testkit.Must(report.FromSYCLBIN(f))(t)
		if got := strings.Join(modules[0].Warnings, "\n"); !strings.HasPrefix(got, test.warning) || got != "" && test.warning == "" {
			t.Errorf("%s: warning %q, want %q", test.name, got, test.warning)
		}
		config := deviceconfig.Default()
		var devices []*deviceconfig.Device
		for _, name := range []string{"acm_g10", "acm_g11", "bmg_g21", "bmg_g31", "lnl_m", "mtl_u", "ptl_u", "pvc"} {
			d, _ := config.Lookup("intel_gpu_" + name)
			devices = append(devices, d)
		}
		own := &deviceconfig.Device{Name: "my_gpu", OclocDevice: "pvc"}
		devices = append(devices, own)
		r := testkit.Must(report.Build(modules, devices, config, report.Generator{Name: "test", Version: "1"}, "//t"))(t)
		var native []string
		for i, d := range r.Devices {
			switch o := r.Outcomes[r.Rows[r.Kernels[0].Row][i]]; {
			case o.Code == report.Native:
				native = append(native, strings.TrimPrefix(d.Name, "intel_gpu_"))
			case d.Name != own.Name && (o.Code == report.IR) != strings.Contains(test.code, "generic_ir"):
				t.Errorf("%s: %s has code %v", test.name, d.Name, o.Code)
			}
		}
		if got := strings.Join(native, " "); got != test.want {
			t.Errorf("%s: native code for %q, want %q", test.name, got, test.want)
		}
	}
}
