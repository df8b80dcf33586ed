package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// sharedLibrary is an ELF file whose descriptor table has SPIR-V and code for
// one GPU, with the same kernels and property sets.
func sharedLibrary(t *testing.T) string {
	t.Helper()
	data, err := hex.DecodeString(strings.Join(strings.Fields(string(file(t, filepath.Join(testdata, "host.so.hex")))), ""))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func arMember(name, content string) string {
	return fmt.Sprintf("%-48s%-10d`\n%s%s", name, len(content), content, "\n"[:len(content)%2])
}

func container(t *testing.T, images ...offload.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := offload.Write(&b, images, offload.Options{Version: 2}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func offloadImage(kind offload.OffloadKind, triple, arch, code string) offload.Image {
	return offload.Image{OffloadKind: kind, Strings: []offload.String{{Key: "triple", Value: triple}, {Key: "arch", Value: arch}}, Content: strings.NewReader(code)}
}

func TestImportDescriptorTable(t *testing.T) {
	folder(t, map[string]string{"libk.so": sharedLibrary(t)})
	ok(t, "import", "--output=k.syclbin", "--state=object", "libk.so")
	f, err := syclbin.Open("k.syclbin")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.State != syclbin.Object || len(f.Modules) != 1 {
		t.Fatalf("state %v, %d modules", f.State, len(f.Modules))
	}
	m := f.Modules[0]
	if got := strings.Join(m.Kernels(), " "); got != "_ZTS1A _ZTS1B" {
		t.Errorf("kernels %s", got)
	}
	if len(m.IR) != 1 || len(m.Native) != 1 {
		t.Fatalf("%d IR modules and %d native images instead of one of each", len(m.IR), len(m.Native))
	}
	if ir := m.IR[0]; ir.Triple() != "spir64-unknown-unknown" || ir.Format() != syclbin.FormatSPIRV {
		t.Errorf("IR module: %v for %s", ir.Format(), ir.Triple())
	}
	if native := m.Native[0]; native.Triple() != "spir64_gen-unknown-unknown" || native.Arch() != "intel_gpu_pvc" {
		t.Errorf("native image for %s, %s", native.Triple(), native.Arch())
	}
	ok(t, "verify", "k.syclbin")
}

func TestImportSeveral(t *testing.T) {
	folder(t, map[string]string{
		"ocloc.ar": "!<arch>\n" + arMember("pad_0", "") + arMember("64.12.60.7", "pvc") + arMember("64.12.55.8", "acm"),
		"images": container(t,
			offloadImage(offload.SYCL, "nvptx64-nvidia-cuda", "", ".version 8.0\n"),
			offloadImage(offload.SYCL, "spir64_gen-unknown-unknown", "bdw", ""),
			offloadImage(offload.OpenMP, "nvptx64-nvidia-cuda", "sm_80", "cubin"),
		),
		"lib.a": "!<arch>\n" + arMember("libk.so/", sharedLibrary(t)),
	})
	code, _, stderr := run(t, "import", "--output=k.syclbin", "ocloc.ar", "images", "lib.a")
	for _, want := range []string{
		"the image for spir64_gen-unknown-unknown has no bytes and is left out",
		"an image of openmp for nvptx64-nvidia-cuda is left out: a SYCLBIN is for SYCL",
		"kernel-names-missing",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in\n%s", want, stderr)
		}
	}
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	f, err := syclbin.Open("k.syclbin")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []string
	for i, m := range f.Modules {
		for _, img := range m.Images() {
			got = append(got, fmt.Sprintf("%d %v %s %s %d", i, img.Kind, img.Triple(), img.Arch(), img.Size()))
		}
	}
	want := []string{
		"0 native device code image spir64_gen-unknown-unknown 12.60.7 3",
		"0 native device code image spir64_gen-unknown-unknown 12.55.8 3",
		"1 IR module nvptx64-nvidia-cuda  13",
		"2 IR module spir64-unknown-unknown  8",
		"2 native device code image spir64_gen-unknown-unknown intel_gpu_pvc 6",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The same files make the same bytes.
	run(t, "import", "--output=again.syclbin", "ocloc.ar", "images", "lib.a")
	if !bytes.Equal(file(t, "k.syclbin"), file(t, "again.syclbin")) {
		t.Error("the second import has other bytes")
	}
}

func TestImportSYCLBIN(t *testing.T) {
	folder(t, split)
	run(t, append([]string{"pack", "--output=k.syclbin"}, splitTables...)...)
	run(t, "import", "--output=same.syclbin", "k.syclbin")
	if !bytes.Equal(file(t, "k.syclbin"), file(t, "same.syclbin")) {
		t.Error("the images of a SYCLBIN make another SYCLBIN")
	}
}

func TestImportRefuses(t *testing.T) {
	folder(t, map[string]string{
		"empty.a": "!<arch>\n",
		"thin.a":  "!<thin>\n",
		"text":    "text",
		"openmp":  container(t, offloadImage(offload.OpenMP, "nvptx64-nvidia-cuda", "sm_80", "cubin")),
		"broken":  sharedLibrary(t)[:700],
	})
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no file", nil, 2, "no file is given"},
		{"no output", []string{"--output=", "empty.a"}, 2, "--output is missing"},
		{"a state that is none", []string{"--state=done", "empty.a"}, 2, "--state"},
		{"no images", []string{"empty.a"}, 3, "empty.a: no device images: looked for sections .llvm.offloading"},
		{"thin archive", []string{"thin.a"}, 3, "name those files instead"},
		{"no host file", []string{"text"}, 3, "text: host binary: offset 0x0: the file is none of ELF"},
		{"images of others", []string{"openmp"}, 3, "none of the 1 device images can be taken"},
		{"cut short", []string{"broken"}, 3, "broken: host binary: offset"},
		{"missing", []string{"missing"}, 3, "missing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, _, stderr := run(t, append([]string{"import", "--output=k.syclbin"}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d instead of %d, want %q in\n%s", code, test.code, test.want, stderr)
			}
			if _, err := os.Stat("k.syclbin"); err == nil {
				t.Error("a file was written")
			}
		})
	}
}
