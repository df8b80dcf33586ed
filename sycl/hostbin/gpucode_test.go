package hostbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// Product configs of GPUs.
const (
	pvcConfig    = 12<<22 | 60<<14 | 7
	acmG10Config = 12<<22 | 55<<14 | 8
)

// gpuELF returns an ELF file for Intel GPUs with a kernel k, for GPUs of a product config.
func gpuELF(config uint32) []byte {
	note := []byte("\x08\x00\x00\x00\x04\x00\x00\x00\x06\x00\x00\x00IntelGT\x00")
	note = binary.LittleEndian.AppendUint32(note, config)
	data := object(testSection{name: ".text.k", typ: 1, content: []byte("code")}, testSection{name: ".note.intelgt.compat", typ: 7, content: note})
	binary.LittleEndian.PutUint16(data[18:], 205)
	return data
}

// gpuArchive returns an ocloc archive with members of these names, each with different code.
func gpuArchive(names ...string) string {
	data := archiveMagic + member("pad_0", "\x00\x00\x00\x00\x00\x00\x00\x00")
	for i, name := range names {
		data += member(name, fmt.Sprintf("code %d of %s", i, name))
	}
	return data
}

// gpuObject returns an object with an image for the target spir64_gen without an architecture.
func gpuObject(t testing.TB, code string) []byte {
	return object(testSection{name: ".llvm.offloading", typ: 1, content: container(t, gpuTriple, "", code)})
}

// namedGPU returns an object with an image for the target spir64_gen and an architecture.
func namedGPU(t testing.TB, arch, code string) []byte {
	return object(testSection{name: ".llvm.offloading", typ: 1, content: container(t, gpuTriple, arch, code)})
}

// descriptorWith returns a shared library with code for spir64_gen that is compressed with zstd.
func descriptorWith(t testing.TB, code string) []byte {
	w := testkit.Must(zstd.NewWriter(nil, zstd.WithSingleSegment(true)))(t)
	p := &program{start: elfBase + elfStart}
	p.descriptor(1, p.image(2, 4, compressed, false, "spir64_gen", w.EncodeAll([]byte(code), nil), "_ZTS1A")...)
	return bytes.ReplaceAll(p.linked(3, true), []byte("compile_target\x00"), []byte("compile_config\x00"))
}

// targets returns the members, targets and architectures of the images of a file.
func targets(f *File) (list []string) {
	for _, img := range f.Images {
		system, _, _ := strings.Cut(img.Triple, "-")
		list = append(list, fmt.Sprintf("%s %s %s", img.Origin.Member, system, img.Arch))
	}
	return list
}

func TestGPUCode(t *testing.T) {
	spirv := "\x03\x02\x23\x07 and more"
	several := archiveMagic + member("64.dg2", "a") + member("64.mtl", "b") + member("64.12.74.4", "c") + member("64.bmg", "d") + member("generic_ir", spirv)
	want := []string{"64.dg2 spir64_gen intel_gpu_dg2", "64.mtl spir64_gen intel_gpu_mtl", "64.12.74.4 spir64_gen intel_gpu_arl_h",
		"64.bmg spir64_gen intel_gpu_bmg", "generic_ir spir64_gen "}
	for _, test := range []struct {
		name     string
		data     []byte
		want     []string
		warnings []string
	}{
		{"archive in an object", gpuObject(t, several), want, nil},
		{"archive in a library, compressed", descriptorWith(t, several), want, nil},
		{"archive as a file", []byte(several), want, nil},
		{"ELF file in an object", gpuObject(t, string(gpuELF(acmG10Config))), []string{" spir64_gen intel_gpu_acm_g10"}, nil},
		{"ELF file in a library, compressed", descriptorWith(t, string(gpuELF(pvcConfig))), []string{" spir64_gen intel_gpu_pvc"}, nil},
		{"ELF file as a file", gpuELF(pvcConfig), []string{" spir64_gen intel_gpu_pvc"}, nil},
		{"ELF file for a GPU without a target", gpuELF(99<<22 | 1<<14), []string{" spir64_gen intel_gpu_99_1_0"}, nil},
		{"member with another GPU's code", []byte(archiveMagic + member("64.12.60.7", string(gpuELF(acmG10Config)))), []string{"64.12.60.7 spir64_gen intel_gpu_pvc"},
			[]string{"member \"64.12.60.7\": named for intel_gpu_pvc, but its code is for intel_gpu_acm_g10 (12.55.8)"}},
		{"unknown format in a library, compressed", descriptorWith(t, "text of no format"), []string{" spir64_gen "},
			[]string{"descriptor at address 0x400258, offset 0x218: image for \"spir64_gen\" in an unknown format"}},
		{"bitcode in an object", gpuObject(t, "BC\xc0\xde and more"), []string{" spir64_gen "},
			[]string{"section \".llvm.offloading\", offset 0xd0: LLVM bitcode for \"spir64_gen-unknown-unknown\" without a GPU"}},
		{"another GPU's code in a library", namedGPU(t, "intel_gpu_acm_g10", string(gpuELF(pvcConfig))), []string{" spir64_gen intel_gpu_acm_g10"},
			[]string{"section \".llvm.offloading\", offset 0xe8: named for intel_gpu_acm_g10, but its code is for intel_gpu_pvc (12.60.7)"}},
		{"another GPU's code under a target", object(testSection{name: ".llvm.offloading", typ: 1, content: container(t, "intel_gpu_acm_g10", "", string(gpuELF(pvcConfig)))}),
			[]string{" intel_gpu_acm_g10 "}, []string{"section \".llvm.offloading\", offset 0xc8: named for intel_gpu_acm_g10, but its code is for intel_gpu_pvc (12.60.7)"}},
		{"code for a device of the user", namedGPU(t, "my_gpu", string(gpuELF(pvcConfig))), []string{" spir64_gen my_gpu"}, nil},
		{"the GPU's code under ocloc's name", namedGPU(t, "acm-g10", string(gpuELF(acmG10Config))), []string{" spir64_gen acm-g10"}, nil},
		{"code of a family's first member", namedGPU(t, "intel_gpu_acm_g11", string(gpuELF(acmG10Config))), []string{" spir64_gen intel_gpu_acm_g11"}, nil},
		{"family with a member's code", []byte(archiveMagic + member("64.dg2", string(gpuELF(acmG10Config)))), []string{"64.dg2 spir64_gen intel_gpu_dg2"}, nil},
		{"unknown GPU", gpuObject(t, gpuArchive("64.99.1.2", "64.12.60.7")), []string{"64.99.1.2 spir64_gen intel_gpu_99_1_2", "64.12.60.7 spir64_gen intel_gpu_pvc"},
			[]string{"member \"64.99.1.2\": unknown GPU \"99.1.2\""}},
		{"two different members for a GPU", gpuObject(t, gpuArchive("64.12.55.8", "64.acm-g10")), []string{"64.12.55.8 spir64_gen intel_gpu_acm_g10"},
			[]string{"member \"64.acm-g10\": second code for intel_gpu_acm_g10"}},
		{"two equal members for a GPU", gpuObject(t, archiveMagic+member("64.12.55.8", "same")+member("64.12.55.8", "same")), []string{"64.12.55.8 spir64_gen intel_gpu_acm_g10"}, nil},
		{"archive in an archive", gpuObject(t, archiveMagic+member("64.pvc", gpuArchive("64.pvc"))+member("64.lnl", "x")), []string{"64.lnl spir64_gen intel_gpu_lnl_m"},
			[]string{"member \"64.pvc\": an archive inside an archive of ocloc"}},
		{"IR that is not SPIR-V", gpuObject(t, gpuArchive("64.pvc", "generic_ir")), []string{"64.pvc spir64_gen intel_gpu_pvc"}, []string{"member \"generic_ir\": starts with "}},
		{"unknown member", gpuObject(t, gpuArchive("64.pvc", "notes.txt")), []string{"64.pvc spir64_gen intel_gpu_pvc"}, []string{"member \"notes.txt\": unknown member"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := testkit.Must(parse(test.data))(t)
			if got := targets(f); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			for i, w := range f.Warnings {
				if i >= len(test.warnings) || !strings.HasPrefix(w, test.warnings[i]) {
					t.Errorf("unexpected warning %q", w)
				}
			}
			if len(f.Warnings) < len(test.warnings) {
				t.Errorf("warnings %q, want %q", f.Warnings, test.warnings)
			}
		})
	}
}

// TestGPUCodeProperties checks that archive members keep the program's metadata for the image.
func TestGPUCodeProperties(t *testing.T) {
	f := testkit.Must(parse(descriptorWith(t, gpuArchive("64.pvc", "64.bmg"))))(t)
	if len(f.Images) != 2 {
		t.Fatalf("got %q", targets(f))
	}
	for _, img := range f.Images {
		if !slices.Equal(img.Entries, []string{"_ZTS1A"}) || img.CompileOptions != "-cl-opt" || img.LinkOptions != "-l" || len(img.Properties.Sets()) != 1 {
			t.Errorf("%v: entries %q, options %q and %q, %d sets", img.Origin, img.Entries, img.CompileOptions, img.LinkOptions, len(img.Properties.Sets()))
		}
		if img.Origin.Address == 0 || img.CompileTarget != img.Arch {
			t.Errorf("%v: target %q, architecture %q", img.Origin, img.CompileTarget, img.Arch)
		}
	}
}

func TestGPUCodeErrors(t *testing.T) {
	wide := gpuELF(pvcConfig)
	at := bytes.Index(wide, []byte("IntelGT\x00")) - 12
	longValue, shortOwner := slices.Clone(wide), slices.Clone(wide)
	binary.LittleEndian.PutUint32(longValue[at+4:], 1<<31)
	binary.LittleEndian.PutUint32(shortOwner[at+4:], 3)
	whole := gpuArchive("64.pvc")
	for name, data := range map[string][]byte{
		"truncated member":               gpuObject(t, whole[:len(whole)-4]),
		"truncated member, compressed":   descriptorWith(t, whole[:len(whole)-4]),
		"truncated header":               gpuObject(t, whole[:30]),
		"archive without code":           gpuObject(t, archiveMagic),
		"note past the end":              longValue,
		"note past the end, in a file":   gpuObject(t, string(longValue)),
		"three-byte product config":      shortOwner,
		"note past the end, in a member": []byte(archiveMagic + member("64.pvc", string(longValue))),
	} {
		var format *FormatError
		if f, err := parse(data); !errors.As(err, &format) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}
