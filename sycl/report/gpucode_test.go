package report_test

import (
	"encoding/binary"
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

// gpuELF returns an ELF file for Intel GPUs whose notes have a product config.
func gpuELF(config uint32) string {
	const headerSize, sections = 64, 3
	le := binary.LittleEndian
	note := le.AppendUint32([]byte("\x08\x00\x00\x00\x04\x00\x00\x00\x06\x00\x00\x00IntelGT\x00"), config)
	names := "\x00.note.intelgt.compat\x00.shstrtab\x00"
	b := make([]byte, headerSize*(1+sections))
	copy(b, "\x7fELF\x02\x01\x01")
	le.PutUint16(b[18:], 205)
	le.PutUint64(b[40:], headerSize)
	le.PutUint16(b[52:], headerSize)
	le.PutUint16(b[58:], headerSize)
	le.PutUint16(b[60:], sections)
	le.PutUint16(b[62:], sections-1)
	section := func(i int, name string, typ uint32, content string) {
		h := b[headerSize*(1+i):]
		le.PutUint32(h, uint32(strings.Index(names, name)))
		le.PutUint32(h[4:], typ)
		le.PutUint64(h[24:], uint64(len(b)))
		le.PutUint64(h[32:], uint64(len(content)))
		b = append(b, content...)
	}
	section(1, ".note.intelgt.compat", 7, string(note))
	section(2, ".shstrtab", 3, names)
	return string(b)
}

// TestNativeCodeFamilies checks which GPUs native code of a SYCLBIN runs on, depending on its
// name.
func TestNativeCodeFamilies(t *testing.T) {
	for _, test := range []struct {
		name, arch, target, code string
		want                     string // devices with native code, without intel_gpu_
	}{
		{"family as the target", "intel_gpu_dg2", "intel_gpu_dg2", "x", "acm_g10 acm_g11"},
		{"member as the target", "intel_gpu_acm_g10", "intel_gpu_acm_g10", "x", "acm_g10"},
		{"family as the architecture alone", "intel_gpu_bmg", "", "x", "bmg_g21 bmg_g31 lnl_m"},
		{"first member as the architecture alone", "intel_gpu_acm_g10", "", "x", "acm_g10 acm_g11"},
		{"second member as the architecture alone", "acm-g11", "", "x", "acm_g11"},
		{"ocloc's name of the device", "12.60.7", "", "x", "pvc"},
		{"archive of versions", "", "", oclocArchive("64.12.55.8", "64.20.1.0"), "acm_g10 bmg_g21"},
		{"archive of families", "", "", oclocArchive("64.dg2", "64.ptl"), "acm_g10 acm_g11 ptl_u"},
		{"archive with another GPU's code", "", "", oclocMembers("64.12.55.8", gpuELF(12<<22|60<<14|7), "64.lnl", "x"), "lnl_m"},
		{"architecture of another GPU", "intel_gpu_acm_g10", "intel_gpu_acm_g10", gpuELF(12<<22 | 60<<14 | 7), ""},
		{"device of the user", "my_gpu", "my_gpu", gpuELF(12<<22 | 60<<14 | 7), "my_gpu"},
		{"code of the first member", "intel_gpu_dg2", "intel_gpu_dg2", gpuELF(12<<22 | 55<<14 | 8), "acm_g10 acm_g11"},
		{"code of the second member", "intel_gpu_dg2", "intel_gpu_dg2", gpuELF(12<<22 | 56<<14 | 5), "acm_g11"},
		{"archive of versions and families", "", "", oclocArchive("64.12.60.7", "64.bmg", "generic_ir"), "bmg_g21 bmg_g31 lnl_m pvc"},
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
