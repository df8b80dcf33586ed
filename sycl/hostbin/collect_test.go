package hostbin

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

func image(model, triple, arch, code string, entries ...string) *Image {
	return &Image{Model: model, Triple: triple, Arch: arch, Entries: entries, Properties: new(propset.Registry), Source: strings.NewReader(code)}
}

func TestAdd(t *testing.T) {
	text := image("sycl", "spir64", "", "; text")
	text.Stated = offload.Text
	for _, test := range []struct {
		name     string
		images   []*Image
		modules  int
		repeated int
		leftOut  []string
	}{
		{"IR of the same kernels for two targets becomes one module",
			[]*Image{image("sycl", "spir64", "", "IR", "k"), image("sycl", "nvptx64", "", "IR", "k")}, 1, 0, nil},
		{"different kernels become a different module",
			[]*Image{image("sycl", "spir64", "", "IR", "k"), image("sycl", "spir64", "", "IR", "l")}, 2, 0, nil},
		{"native code becomes a separate module",
			[]*Image{image("sycl", "spir64", "", "IR", "k"), image("sycl", "spir64_gen", "intel_gpu_pvc", "code", "k")}, 2, 0, nil},
		{"equal images are merged",
			[]*Image{image("sycl", "spir64", "", "IR", "k"), image("sycl", "spir64", "", "IR", "k"), image("sycl", "spir64", "", "RI", "k"), image("sycl", "spir64", "", "IR", "k")}, 2, 2, nil},
		{"unsupported images",
			[]*Image{image("openmp", "spir64", "", "IR"), image("hip", "amdgcn", "", "code"), image("hip", "spirv64-amd-amdhsa", "", "IR"), image("cuda", "", "", "code"),
				image("hipv4", "amdgcn", "", "code"), image("offload kind 3", "amdgcn", "", "code"), image("sycl", "spir64", "", ""), text}, 0, 0,
			[]string{"the image for spir64 is OpenMP code and is omitted: only SYCL code is supported", "the image for amdgcn is HIP code and is omitted: only SYCL code is supported",
				"the image for spirv64-amd-amdhsa is HIP code and is omitted: only SYCL code is supported", "an image is CUDA code and is omitted: only SYCL code is supported",
				"the image for amdgcn is HIP code and is omitted: only SYCL code is supported", "the image for amdgcn is HIP code and is omitted: only SYCL code is supported",
				"the image for spir64 is empty and is omitted", "the image for spir64 is text and is omitted: only compiled code is supported"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b syclbin.Builder
			r := testkit.Must(Collect(&b, &File{Images: test.images}, "host"))(t)
			var reasons []string
			for _, l := range r.Omitted {
				reasons = append(reasons, l.Reason)
			}
			if n := len(b.File(syclbin.Executable).Modules); n != test.modules || r.Taken != len(test.images)-len(test.leftOut) || r.Repeated != test.repeated || !slices.Equal(reasons, test.leftOut) {
				t.Errorf("%d modules, %d taken, %d of them repeated, omitted %q", n, r.Taken, r.Repeated, reasons)
			}
		})
	}
}

// TestIsIR checks that an image for Intel GPUs is IR only if its bytes are.
func TestIsIR(t *testing.T) {
	for _, test := range []struct {
		triple, arch, code string
		want               bool
	}{
		{"spir64", "", "IR", true},
		{"spir64_gen", "", "IR", false},
		{"spir64_gen", "", string(testkit.SPIRV("k")), true},
		{"spir64_gen", "intel_gpu_pvc", "IR", false},
	} {
		img := image("sycl", test.triple, test.arch, test.code)
		if got := isIR(offload.Detect(img, img.Size()), img); got != test.want {
			t.Errorf("%q for %s %s: %v", test.code, test.triple, test.arch, got)
		}
	}
}

// TestKernelEntries checks that entries for exported functions are not kernels.
func TestKernelEntries(t *testing.T) {
	exported := func(names ...string) *propset.Registry {
		r := new(propset.Registry)
		for _, name := range names {
			r.Add(propset.ExportedSymbols).Put(name, propset.Uint(1))
		}
		return r
	}
	spirv := string(testkit.SPIRV("k"))
	for name, test := range map[string]struct {
		code       string
		properties *propset.Registry
		entries    []string
		want       []string
	}{
		"SPIR-V and exported symbols":         {spirv, exported("__devicelib_assert_fail"), []string{"__devicelib_assert_fail", "k"}, []string{"k"}},
		"SPIR-V without exported symbols":     {spirv, exported(), []string{"k", "__itt_offload_wi_start"}, []string{"k"}},
		"an exported symbol that is a kernel": {spirv, exported("k"), []string{"k"}, []string{"k"}},
		"only functions":                      {spirv, exported("f", "g"), []string{"f", "g"}, nil},
		"unreadable SPIR-V":                   {spirv[:30], exported("f"), []string{"f", "k"}, []string{"k"}},
		"code with unknown kernels":           {"code", exported("f"), []string{"f", "k"}, []string{"k"}},
		"PTX":                                 {".version 7.8\n.func f() {}\n.entry k() {}", exported(), []string{"f", "k"}, []string{"k"}},
	} {
		t.Run(name, func(t *testing.T) {
			img := image("sycl", "spir64", "", test.code, test.entries...)
			img.Properties = test.properties
			var b syclbin.Builder
			testkit.Must(Collect(&b, &File{Images: []*Image{img}}, "host"))(t)
			if got := b.File(syclbin.Executable).Modules[0].Kernels(); !slices.Equal(got, test.want) {
				t.Errorf("kernels %q, want %q", got, test.want)
			}
		})
	}
}

// TestAddOptions checks that options in the descriptor of an image become a property set of its
// module.
func TestAddOptions(t *testing.T) {
	with, without := image("sycl", "spir64", "", "IR", "k"), image("sycl", "spir64", "", "IR", "k")
	with.CompileOptions, with.LinkOptions = "-ze-intel-greater-than-4GB-buffer-required", "-l"
	var b syclbin.Builder
	testkit.Must(Collect(&b, &File{Images: []*Image{with, without}}, "host"))(t)
	modules := b.File(syclbin.Executable).Modules
	if len(modules) != 2 {
		t.Fatalf("got %d modules, want one per set of options", len(modules))
	}
	if got := propset.JITOptionsOf(modules[0].Metadata); got != (propset.JITOptions{Compile: with.CompileOptions, Link: "-l"}) {
		t.Errorf("options %+v", got)
	}
	if modules[1].Metadata.Set(propset.JITOptionsSet) != nil {
		t.Errorf("image without options has the property set:\n%s", modules[1].Metadata)
	}
}

// TestAddOnlyOptions checks that options do not make images without metadata forms of one module.
func TestAddOnlyOptions(t *testing.T) {
	a, b := image("sycl", "nvptx64", "", "BC\xc0\xde1"), image("sycl", "spir64", "", "BC\xc0\xde2")
	a.CompileOptions, b.CompileOptions = "-g", "-g"
	a.Origin.Member, b.Origin.Member = "a.o", "b.o"
	var builder syclbin.Builder
	testkit.Must(Collect(&builder, &File{Images: []*Image{a, b}}, "host"))(t)
	if n := len(builder.File(syclbin.Executable).Modules); n != 2 {
		t.Errorf("got %d modules for two archive members", n)
	}
}

// TestAddErrors checks that an error in an image has its location, and is an input error.
func TestAddErrors(t *testing.T) {
	var broken *spirv.FormatError
	var metadata *propset.SyntaxError
	for _, test := range []struct {
		name string
		img  *Image
		kind any
	}{
		{"truncated SPIR-V", image("sycl", "spir64", "", "\x03\x02\x23\x07"), &broken},
		{"a kernel without a name", image("sycl", "spir64", "", "IR", ""), &metadata},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.img.Origin = Origin{Member: "a.o", Offset: 64}
			_, err := Collect(new(syclbin.Builder), &File{Images: []*Image{test.img}}, "host")
			var bad interface{ BadInput() }
			if !errors.As(err, test.kind) || !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), `member "a.o", offset 0x40: `) ||
				!strings.HasSuffix(err.Error(), "; the image is damaged or from an unsupported compiler; rebuild or download the file again") {
				t.Errorf("got %v", err)
			}
		})
	}
}
