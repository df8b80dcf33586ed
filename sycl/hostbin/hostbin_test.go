package hostbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"

	"github.com/klauspost/compress/zstd"

	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

func parse(data []byte) (*File, error) { return NewFile(bytes.NewReader(data), int64(len(data))) }

// describe returns a line for each image.
func describe(t testing.TB, f *File) []string {
	t.Helper()
	var lines []string
	for _, img := range f.Images {
		data := testkit.Must(img.Data())(t)
		place := img.Origin.Member + ":" + img.Origin.Section
		lines = append(lines, fmt.Sprintf("%s %s %s/%s %v %q %v", place, img.Model, img.Triple, img.Arch, img.Stated, data, img.Entries))
	}
	return lines
}

// two returns a program with two images in one descriptor, preceded by words that resemble a
// descriptor.
func two(start uint64, version, kind int, newEntries bool) *program {
	p := &program{start: start}
	p.words(1|1<<16, p.text("no image"), 0, 0)
	a := p.image(version, kind, 2, newEntries, "spir64", []byte("spirv"), "_ZTS1A", "_ZTS1B")
	b := p.image(version, kind, 1, newEntries, "spir64_gen", []byte("native"))
	p.descriptor(2, append(a, b...)...)
	return p
}

func TestDescriptorTables(t *testing.T) {
	const start = elfBase + elfStart
	tests := []struct {
		name string
		data []byte
	}{
		{"shared library with relocations", two(start, 2, 4, false).linked(3, true)},
		{"shared library with pointers in place", two(start, 2, 4, false).linked(3, false)},
		{"shared library with text relocations", readOnly(two(start, 2, 4, false).linked(3, true))},
		{"executable", two(start, 2, 4, false).linked(2, false)},
		{"executable with constant descriptors", readOnly(two(start, 2, 4, false).linked(2, false))},
		{"version 3 with old entries", two(start, 3, 4, false).linked(3, true)},
		{"version 3 with new entries", two(start, 3, 8, true).linked(3, true)},
		{"object", two(0, 2, 4, false).relocatable()},
		{"object with many sections", manySections(two(0, 2, 4, false))},
		{"Windows program", two(peBase+0x1000, 2, 4, false).pe()},
		{"Windows program of version 3", two(peBase+0x1000, 3, 8, true).pe()},
		{"Windows object", two(0, 2, 4, false).coffRelocatable(coffAMD64, 1)},
		{"Windows object for Arm", two(0, 3, 8, true).coffRelocatable(coffARM64, 14)},
		{"Windows object with many relocations", manyRelocations(two(0, 2, 4, false).coffRelocatable(coffAMD64, 1))},
	}
	want := []string{
		`: sycl spir64/intel_gpu_pvc SPIR-V "spirv" [_ZTS1A _ZTS1B]`,
		`: sycl spir64_gen/intel_gpu_pvc native "native" []`,
	}
	properties := new(propset.Registry)
	set := properties.Add(propset.DeviceRequirements)
	set.Put("aspects", propset.Uint32s(5, 6))
	set.Put("compile_target", propset.String("intel_gpu_pvc"))
	set.Put("reqd_sub_group_size", propset.Uint(16))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := testkit.Must(parse(test.data))(t)
			if got := describe(t, f); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for _, img := range f.Images {
				if img.CompileOptions != "-cl-opt" || img.LinkOptions != "-l" {
					t.Errorf("options %q and %q", img.CompileOptions, img.LinkOptions)
				}
				if !img.Properties.Equal(properties) {
					t.Errorf("properties:\n%s", img.Properties)
				}
				at := img.Origin.Offset
				if data, _ := img.Data(); !bytes.HasPrefix(test.data[at:], data) {
					t.Errorf("image is not at %#x", at)
				}
			}
		})
	}
}

// openMP returns a program with an OpenMP descriptor, preceded by words that resemble one.
func openMP(start uint64, newEntries bool) *program {
	p := &program{start: start}
	text := p.text("no image")
	near, _ := p.words(text, text+1, text, text+2)
	p.words(1, near, text, text+1)
	p.words(1, 0, 0, 0)
	strings, _ := p.words(text, text+4, text, text+32-8)
	p.words(1, strings, text, text+32-8)
	p.openMP(newEntries, "first", "second")
	return p
}

func TestOpenMPDescriptors(t *testing.T) {
	const start = elfBase + elfStart
	tests := []struct {
		name string
		data []byte
	}{
		{"shared library with relocations", openMP(start, true).linked(3, true)},
		{"shared library with pointers in place", openMP(start, true).linked(3, false)},
		{"old entries", openMP(start, false).linked(3, true)},
		{"old entries with pointers in place", openMP(start, false).linked(2, false)},
		{"object", openMP(0, true).relocatable()},
		{"Windows program", openMP(peBase+0x1000, true).pe()},
		{"Windows object", openMP(0, false).coffRelocatable(coffAMD64, 1)},
	}
	want := []string{
		`: openmp / unknown "first" [__omp_offloading_a]`,
		`: openmp / unknown "second" [__omp_offloading_a]`,
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := testkit.Must(parse(test.data))(t)
			if got := describe(t, f); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func TestBundles(t *testing.T) {
	binaryForm := bundle("sycl-nvptx64-nvidia-cuda-sm_80", "ptx")
	text := textBundle(";", "host-x86_64-unknown-linux-gnu-", "; the host\n", "sycl-spir64-unknown-unknown-", "; __CLANG_OFFLOAD_BUNDLE__ is no mark\n", "hip-amdgcn-amd-amdhsa--gfx906", "")
	long := strings.Repeat("word\n", 1<<16)
	const ptx = `: sycl nvptx64-nvidia-cuda/sm_80 unknown "ptx" []`
	ir := []string{
		`: sycl spir64-unknown-unknown/ text "; __CLANG_OFFLOAD_BUNDLE__ is no mark\n" []`,
		`: hip amdgcn-amd-amdhsa/gfx906 text "" []`,
	}
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"LLVM IR", []byte(text), ir},
		{"C++", []byte(textBundle("//", "sycl-spir64", "int i;")), []string{`: sycl spir64/ text "int i;" []`}},
		{"assembler", []byte(textBundle("#", "sycl-spir64", long)), []string{fmt.Sprintf(": sycl spir64/ text %q []", long)}},
		{"zlib of version 1", compress(t, 1, 0, binaryForm), []string{ptx}},
		{"zlib of version 2", compress(t, 2, 0, binaryForm), []string{ptx}},
		{"zlib of version 3", compress(t, 3, 0, binaryForm), []string{ptx}},
		{"zstd of version 2", compress(t, 2, 1, binaryForm), []string{ptx}},
		{"zstd of version 3", compress(t, 3, 1, binaryForm), []string{ptx}},
		{"compressed text", compress(t, 2, 1, []byte(text)), ir},
		{"member of an archive", []byte(archiveMagic + member("a/", "ab") + member("c/", string(compress(t, 2, 1, binaryForm)))), []string{"c" + ptx}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := testkit.Must(parse(test.data))(t)
			if got := describe(t, f); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			for n := range min(len(test.data), 1000) {
				if _, err := parse(test.data[:n]); err == nil && bytes.HasPrefix(test.data, []byte("CCOB")) {
					t.Errorf("no error when truncated to %d bytes", n)
				}
			}
		})
	}
}

func TestCompressedImage(t *testing.T) {
	w := testkit.Must(zstd.NewWriter(nil, zstd.WithSingleSegment(true)))(t)
	frame := w.EncodeAll([]byte("spirv"), nil)
	build := func(frame []byte) []byte {
		p := &program{start: elfBase + elfStart}
		p.descriptor(1, p.image(2, 4, compressed, false, "spir64", frame)...)
		return p.linked(3, true)
	}
	f, err := parse(build(frame))
	testkit.NoError(t, err)
	if got := describe(t, f); len(got) != 1 || !strings.Contains(got[0], `"spirv"`) {
		t.Errorf("got %q", got)
	}
	f, err = parse(build(frame[:len(frame)-3]))
	testkit.NoError(t, err)
	var fault *FormatError
	if _, err := f.Images[0].Data(); !errors.As(err, &fault) {
		t.Errorf("damaged frame: %v", err)
	}
	if _, err := parse(build([]byte("no frame at all"))); !errors.As(err, &fault) {
		t.Errorf("missing frame: %v", err)
	}
}

// containers returns two containers back to back.
func containers(t testing.TB) []byte {
	a := container(t, "spir64-unknown-unknown", "generic", "spirv")
	for len(a)%8 != 0 {
		a = append(a, 0)
	}
	return append(a, container(t, "spir64_gen-unknown-unknown", "pvc", "native")...)
}

// bundle returns the binary format of clang-offload-bundler with one image.
func bundle(id, code string) []byte {
	b := []byte(offload.BundleMagic)
	ids := []string{"host-x86_64-unknown-linux-gnu", id}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(ids)))
	at := len(b) + 48 + len(ids[0]) + len(ids[1])
	for i, id := range ids {
		size := []int{4, len(code)}[i]
		b = binary.LittleEndian.AppendUint64(b, uint64(at))
		b = binary.LittleEndian.AppendUint64(b, uint64(size))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(id)))
		b = append(b, id...)
		at += size
	}
	return append(append(b, "host"...), code...)
}

func fatObject(name, content string) []byte {
	return object(testSection{name: offload.BundleMagic + "host-x86_64-unknown-linux-gnu", typ: 1, content: []byte{0}}, testSection{name: name, typ: 1, content: []byte(content)})
}

func archives(t testing.TB) map[string]string {
	fat := string(fatObject(offload.BundleMagic+"sycl-spir64", "bitcode"))
	generic := object(testSection{name: "SPIRV Object", typ: sectionSPIRV, content: []byte("spirv")})
	binary.LittleEndian.PutUint16(generic[18:], 0)
	return map[string]string{
		"GNU archive": archiveMagic + member("/", "\x00\x00\x00\x00") + member("//", "a_very_long_name.o/\n") + member("/0", fat) + member("readme.txt/", "text") + member("short.o/", fat),
		"BSD archive": archiveMagic + member("__.SYMDEF", "\x00\x00\x00\x00") + member("#1/20", "a_very_long_name.o\x00\x00"+fat),
		"nested":      archiveMagic + member("inner.a/", archiveMagic+member("a.o/", fat)),
		"ocloc":       archiveMagic + member("pad_0", "") + member("64.12.60.7", "zebin") + member("64.skl", "other") + member("generic_ir", string(generic)),
		"bare IR":     archiveMagic + member("generic_ir", "\x03\x02\x23\x07"),
		"empty":       archiveMagic,
	}
}

func TestSectionsAndArchives(t *testing.T) {
	two := []string{
		`:.llvm.offloading sycl spir64-unknown-unknown/ unknown "spirv" []`,
		`:.llvm.offloading sycl spir64_gen-unknown-unknown/pvc unknown "native" []`,
	}
	ar := archives(t)
	const section = ":" + offload.BundleMagic
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"ELF object", object(testSection{name: ".llvm.offloading", typ: 0x6fff4c0b, content: containers(t)}), two},
		{"COFF object", coffObject(".llvm.offloading", containers(t)), two},
		{"only containers", containers(t), []string{strings.Replace(two[0], ".llvm.offloading", "", 1), strings.Replace(two[1], ".llvm.offloading", "", 1)}},
		{"fat object", fatObject(offload.BundleMagic+"sycl-spir64-unknown-unknown", "bitcode"), []string{section + `sycl-spir64-unknown-unknown sycl spir64-unknown-unknown/ unknown "bitcode" []`}},
		{"fat COFF object", coffObject(offload.BundleMagic+"sycl-spir64", []byte("bitcode")), []string{section + `sycl-spir64 sycl spir64/ unknown "bitcode" []`}},
		{"fat object with an architecture", fatObject(offload.BundleMagic+"hip-amdgcn-amd-amdhsa--gfx90a:xnack+", "code"), []string{section + `hip-amdgcn-amd-amdhsa--gfx90a:xnack+ hip amdgcn-amd-amdhsa/gfx90a:xnack+ unknown "code" []`}},
		{"bundle", bundle("sycl-nvptx64-nvidia-cuda-sm_80", "ptx"), []string{`: sycl nvptx64-nvidia-cuda/sm_80 unknown "ptx" []`}},
		{"object without images", object(testSection{name: ".text", typ: 1, content: []byte{0xc3}}), nil},
		{"GNU archive", []byte(ar["GNU archive"]), []string{
			"a_very_long_name.o" + section + `sycl-spir64 sycl spir64/ unknown "bitcode" []`,
			"short.o" + section + `sycl-spir64 sycl spir64/ unknown "bitcode" []`,
		}},
		{"BSD archive", []byte(ar["BSD archive"]), []string{"a_very_long_name.o" + section + `sycl-spir64 sycl spir64/ unknown "bitcode" []`}},
		{"archive in an archive", []byte(ar["nested"]), []string{"inner.a/a.o" + section + `sycl-spir64 sycl spir64/ unknown "bitcode" []`}},
		{"ocloc archive", []byte(ar["ocloc"]), []string{
			`64.12.60.7: sycl spir64_gen-unknown-unknown/intel_gpu_pvc native "zebin" []`,
			`64.skl: sycl spir64_gen-unknown-unknown/intel_gpu_skl native "other" []`,
			`generic_ir: sycl spir64_gen-unknown-unknown/ SPIR-V "spirv" []`,
		}},
		{"ocloc archive with bare SPIR-V", []byte(ar["bare IR"]), []string{`generic_ir: sycl spir64_gen-unknown-unknown/ SPIR-V "\x03\x02#\a" []`}},
		{"empty archive", []byte(ar["empty"]), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := testkit.Must(parse(test.data))(t)
			if got := describe(t, f); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			// Truncation is an error or makes no difference. It must not cause a panic.
			for n := range test.data {
				_, _ = parse(test.data[:n])
			}
		})
	}
}

// TestContainerStrings checks that an image retains only the strings of its entry that are used,
// and that these count toward the limit.
func TestContainerStrings(t *testing.T) {
	file := func(key string) []byte {
		images := make([]offload.Image, 65)
		for i := range images {
			images[i] = offload.Image{OffloadKind: offload.SYCL, Content: strings.NewReader("x"), Strings: []offload.String{{Key: key, Value: strings.Repeat("x", 1<<20)}}}
		}
		var b bytes.Buffer
		testkit.NoError(t, offload.Write(&b, images, offload.Options{Version: 2}))
		return b.Bytes()
	}
	for _, key := range []string{"compile-opts", "link-opts", "arch", "triple"} {
		if _, err := parse(file(key)); err == nil || !strings.Contains(err.Error(), "the names and values are too long") {
			t.Errorf("%s: error %v", key, err)
		}
	}
	f := testkit.Must(parse(file("comment")))(t)
	for _, img := range f.Images {
		if _, kept := img.Source.(*offload.Entry); kept {
			t.Fatal("entry retained")
		}
	}
}

func TestIdentifiers(t *testing.T) {
	tests := []struct{ id, model, triple, arch string }{
		{"sycl-spir64", "sycl", "spir64", ""},
		{"sycl-spir64-unknown-unknown", "sycl", "spir64-unknown-unknown", ""},
		{"sycl-spir64-unknown-unknown-unknown-", "sycl", "spir64-unknown-unknown", ""},
		{"sycl-spir64_gen-unknown-unknown-intel_gpu_pvc", "sycl", "spir64_gen-unknown-unknown", "intel_gpu_pvc"},
		{"sycl-spir64_gen-unknown-unknown-pvc", "sycl", "spir64_gen-unknown-unknown", "pvc"},
		{"sycl-spir64-unknown-unknown-pvc", "sycl", "spir64-unknown-unknown-pvc", ""},
		{"host-x86_64-unknown-linux-gnu", "host", "x86_64-unknown-linux-gnu", ""},
		{"hip-amdgcn-amd-amdhsa--gfx906", "hip", "amdgcn-amd-amdhsa", "gfx906"},
		{"openmp-nvptx64-nvidia-cuda-unknown-sm_80", "openmp", "nvptx64-nvidia-cuda", "sm_80"},
		{"sycl", "sycl", "", ""},
	}
	for _, test := range tests {
		model, triple, arch := parseID(test.id)
		if model != test.model || triple != test.triple || arch != test.arch {
			t.Errorf("%s: %s, %s, %s", test.id, model, triple, arch)
		}
	}
}

// TestMemoryPlace checks that an empty array may start where a segment ends.
func TestMemoryPlace(t *testing.T) {
	m := memory{segments: []segment{{address: 0x10, section: section{offset: 8, size: 4}}, {address: 0x20, section: section{offset: 12, size: 8}}}}
	for _, test := range []struct {
		address, size uint64
		want          int64
		ok            bool
	}{{0x0f, 1, 0, false}, {0x10, 4, 8, true}, {0x10, 5, 0, false}, {0x13, 1, 11, true}, {0x14, 0, 12, true}, {0x14, 1, 0, false}, {0x15, 0, 0, false}, {0x20, 8, 12, true}} {
		if at, ok := m.place(test.address, test.size); at != test.want || ok != test.ok {
			t.Errorf("%d bytes at %#x: got %d, %t", test.size, test.address, at, ok)
		}
	}
}

func TestErrors(t *testing.T) {
	const start = elfBase + elfStart
	// change builds a library with one image, whose words f changes first.
	change := func(f func(p *program, image []any)) []byte {
		p := &program{start: start}
		image := p.image(2, 4, 2, false, "spir64", []byte("spirv"), "_ZTS1A")
		f(p, image)
		p.descriptor(1, image...)
		return p.linked(3, true)
	}
	sets := func(words ...any) []byte {
		return change(func(p *program, image []any) {
			begin, end := p.words(words...)
			name := p.text("SYCL/misc properties")
			image[10], image[11] = p.words(name, begin, end)
		})
	}
	outside := pointer(0x10)
	fat := fatObject(offload.BundleMagic+"sycl-spir64", "bitcode")
	ccob := compress(t, 2, 1, bundle("sycl-spir64", "bitcode"))
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "unknown file format; expected ELF, COFF"},
		{"text", []byte("#include <sycl/sycl.hpp>\n"), "OffloadBinary container; pass a program, a library, an object or an archive"},
		{"a pointer of Git LFS", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n"), "offset 0x0: this is a Git LFS pointer instead of the file; run 'git lfs pull' to fetch the file"},
		{"thin archive", []byte("!<thin>\n"), "whose members are other files; pass these files instead"},
		{"compressed bundle", []byte("CCOB\x02\x00"), "header of the compressed bundle"},
		{"invalid class of an ELF file", edit(fat, 4, 3), "the ELF file has class 3 and byte order 1; only 64-bit little-endian files are supported"},
		{"invalid size of a section header", edit(fat, 58, 1), "section headers is 1, want 64"},
		{"section headers past the end", edit(fat, 40, 0xff, 0xff, 0xff), fmt.Sprintf("section headers at 0xffffff reach past the end of the ELF file at %#x; the file is truncated; copy, build or download it again ('git lfs pull' for Git LFS)", len(fat))},
		{"missing section of names", edit(fat, 62, 9), "; the file is damaged or from an unsupported compiler; rebuild or download it again"},
		{"identifier without a target", fatObject(offload.BundleMagic+"sycl", "bitcode"), "is not KIND-TRIPLE"},
		{"broken container", object(testSection{name: ".llvm.offloading", typ: 1, content: []byte("\x10\xff\x10\xad")}), `OffloadBinary container in section ".llvm.offloading": file too short for the header: 4 bytes, want 32; the file is damaged`},
		{"target out of range", change(func(_ *program, image []any) { image[2] = outside }), "compile options is at address 0x10"},
		{"image out of range", change(func(_ *program, image []any) { image[7] = image[7].(pointer) + 1<<20 }), "bytes of an image"},
		{"image that ends before it starts", change(func(_ *program, image []any) { image[6], image[7] = image[7], image[6] }), "bytes of an image"},
		{"partial entry", change(func(_ *program, image []any) { image[9] = image[9].(pointer) - 8 }), "not a multiple of 32"},
		{"entries out of range", change(func(_ *program, image []any) { image[8] = outside }), "table of entries"},
		{"property sets out of range", change(func(_ *program, image []any) { image[10] = outside }), "table of property sets"},
		{"unknown property type", sets(pointer(start), 0, 3, 0), "unknown type 3"},
		{"33-bit number", sets(pointer(start), 0, 1, 1<<32), "is not a 32-bit number"},
		{"byte array without a length", sets(pointer(start), pointer(start), 2, 7), "byte array of 7 bytes"},
		{"byte array out of range", sets(pointer(start), outside, 2, 8), "byte array of 8 bytes (including its 8-byte length) at address 0x10"},
		{"byte array with the wrong length", sets(pointer(start), pointer(start), 2, 8), "declares"},
		{"too many property sets", change(func(p *program, image []any) {
			image[10], image[11] = p.words(slices.Repeat([]any{p.text("name"), 0, 0}, maxSets+1)...)
		}), "(limit 1024)"},
		{"key out of range", sets(outside, 0, 1, 1), "key of a property is at address 0x10"},
		{"too many images", func() []byte {
			p := &program{start: start}
			p.descriptor(2, p.image(2, 4, 2, false, "spir64", []byte("spirv"))...)
			return p.linked(3, true)
		}(), "image 1 of 2 in a descriptor"},
		{"symbol without its section", func() []byte {
			b := manySections(two(0, 2, 4, false))
			return edit(b, len(b)-8-elfSection+4, 1)
		}(), "the section of symbol 1 is missing in the table of sections, which has 0 bytes"},
		{"two symbol tables", object(
			testSection{name: ".data", typ: 1, flags: sectionAllocate, content: make([]byte, 8)},
			testSection{name: ".rela.data", typ: sectionRela, link: 3, info: 1, content: make([]byte, elfRela)},
			testSection{name: ".symtab", typ: sectionSymbols, content: make([]byte, elfSymbol)},
			testSection{name: ".rela.data", typ: sectionRela, link: 5, info: 1, content: make([]byte, elfRela)},
			testSection{name: ".symtab", typ: sectionSymbols, content: make([]byte, elfSymbol)},
		), "relocations refer to two symbol tables, sections 5 and 3"},
		{"relocations out of range", func() []byte {
			data := two(start, 2, 4, false).linked(3, true)
			return edit(data, len(data)-36, 1)
		}(), "relocations"},
		{"invalid archive header", []byte(archiveMagic + strings.Repeat("x", memberHeader)), "ends with"},
		{"archive member past the end", []byte(archiveMagic + member("a", "b")[:memberHeader]), "reaches past the end"},
		{"archive name out of range", []byte(archiveMagic + member("/7", "b")), "not in the list of names"},
		{"archives in archives", nestedArchives(6), "nested too deeply (limit 4)"},
		{"bundle with too many entries", append([]byte(offload.BundleMagic), 0xff, 0xff, 0, 0, 0, 0, 0, 0), "cannot have 65535 entries"},
		{"unterminated text", []byte(textBundle(";", "sycl-spir64", "x")[:70]), "unterminated part for"},
		{"text after the last part", []byte(textBundle(";", "sycl-spir64", "x") + "more"), `unexpected "more" in the bundle`},
		{"text with a long identifier", []byte(textBundle(";", strings.Repeat("x", 257), "x")), "short identifier"},
		{"text without a target", []byte(textBundle(";", "sycl", "x")), "is not KIND-TRIPLE"},
		{"compressed bundle of version 4", edit(ccob, 4, 4), "compressed bundle version 4"},
		{"unknown compression method", edit(ccob, 6, 2), "unsupported compression method 2"},
		{"wrong size of a compressed bundle", append(bytes.Clone(ccob), 0), "the compressed bundle should have"},
		{"wrong inflated size", edit(ccob, 12, 1), "inflates to more than the 1 bytes"},
		{"inflated size of a decompression bomb", edit(ccob, 15, 0x20), "refused as a decompression bomb"},
		{"inflated size above the limit", edit(ccob, 15, 0x80), "exceeds the limit of"},
		{"excessive inflated size", edit(compress(t, 3, 1, []byte("bundle")), 23, 0xff), "exceeds the limit of"},
		{"wrong checksum of a compressed bundle", edit(ccob, 16, 1, 2, 3), "does not have the checksum 010203"},
		{"damaged stream", edit(ccob, 24, 0), "the compressed bundle: zstd"},
		{"compressed text that is not a bundle", compress(t, 2, 1, []byte("text")), "not an offload bundle"},
		{"doubly compressed bundle", compress(t, 2, 1, ccob), "not an offload bundle"},
		{"invalid compressed bundle", compress(t, 2, 1, bundle("sycl", "x")), "in the inflated bundle: "},
		{"OpenMP images with different entries", func() []byte {
			p := &program{start: start}
			names, end := p.words(0, p.text("name"), 0, 0)
			images, _ := p.words(names, names+1, names, end, names, names+1, names, names)
			p.words(2, images, names, end)
			return p.linked(3, true)
		}(), "image 1 of 2 of an OpenMP descriptor has different entries"},
		{"too many OpenMP images", func() []byte {
			p := &program{start: start}
			names, end := p.words(0, p.text("name"), 0, 0)
			images, _ := p.words(names, names+1, names, end)
			p.words(1<<16, images, names, end)
			return p.linked(3, true)
		}(), "the bytes of an image"},
		{"COFF relocation past its section", func() []byte {
			data := two(0, 2, 4, false).coffRelocatable(coffAMD64, 1)
			return edit(data, int(le.Uint32(data[coffHeader+24:])), 0xff, 0xff, 0xff)
		}(), "past the end of its section"},
		{"COFF relocation without a symbol", func() []byte {
			data := two(0, 2, 4, false).coffRelocatable(coffAMD64, 1)
			return edit(data, int(le.Uint32(data[coffHeader+24:]))+4, 2)
		}(), "refers to symbol 2, but the file has 2 symbols"},
		{"COFF relocations past the end", edit(two(0, 2, 4, false).coffRelocatable(coffAMD64, 1), coffHeader+24, 0xff, 0xff, 0xff), "relocations at 0xffffff reach past"},
		{"COFF symbols past the end", edit(two(0, 2, 4, false).coffRelocatable(coffAMD64, 1), 12, 0xff, 0xff), "65535 symbols reach past"},
		{"invalid member", []byte(archiveMagic + member("bad.o", string(edit(fat, 4, 3)))), `member "bad.o"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse(test.data)
			testkit.BlamesInput(t, err, test.want)
			// An error found by following a pointer names the location of the image.
			if fault := (*FormatError)(nil); bytes.HasPrefix(test.data, []byte("\x7fELF")) && errors.As(err, &fault) && fault.Offset == 0 {
				t.Errorf("%v: missing offset", err)
			}
		})
	}
}

func edit(data []byte, offset int, b ...byte) []byte {
	data = bytes.Clone(data)
	copy(data[offset:], b)
	return data
}

// TestForeign checks that files that no SYCL compiler writes have no images, and are not errors:
// they occur next to SYCL programs.
func TestForeign(t *testing.T) {
	fat := fatObject(offload.BundleMagic+"sycl-spir64", "bitcode")
	for _, test := range []struct {
		name string
		data []byte
		want string
	}{
		{"32-bit ELF", edit(fat, 4, 1), "32-bit ELF file"},
		{"32-bit big-endian ELF", edit(fat, 4, 1, 2), "32-bit ELF file"},
		{"big-endian ELF", edit(fat, 5, 2), "big-endian ELF file"},
		{"32-bit ELF with nothing after the header", []byte("\x7fELF\x01\x01"), "32-bit ELF file"},
		{"32-bit PE", edit(two(peBase+0x1000, 2, 4, false).pe(), 0x44+20, 0x0b, 0x01), "32-bit PE file"},
		{"32-bit member", []byte(archiveMagic + member("a.o", string(edit(fat, 4, 1)))), "32-bit ELF file"},
	} {
		if f := testkit.Must(parse(test.data))(t); len(f.Images) != 0 || f.Foreign != test.want {
			t.Errorf("%s: %d images, %q, want %q", test.name, len(f.Images), f.Foreign, test.want)
		}
	}
}

func nestedArchives(depth int) []byte {
	data := archiveMagic
	for range depth {
		data = archiveMagic + member("a.a/", data)
	}
	return []byte(data)
}

func FuzzNewFile(f *testing.F) {
	const start = elfBase + elfStart
	f.Add(two(start, 2, 4, false).linked(3, true))
	f.Add(two(start, 3, 8, true).linked(2, false))
	f.Add(two(0, 2, 4, false).relocatable())
	f.Add(manySections(two(0, 2, 4, false)))
	f.Add(two(peBase+0x1000, 2, 4, false).pe())
	f.Add(two(0, 2, 4, false).coffRelocatable(coffAMD64, 1))
	f.Add(manyRelocations(two(0, 3, 8, true).coffRelocatable(coffARM64, 14)))
	f.Add(openMP(start, true).linked(3, true))
	f.Add(openMP(start, false).linked(2, false))
	f.Add(openMP(0, true).relocatable())
	f.Add(openMP(0, false).coffRelocatable(coffAMD64, 1))
	f.Add([]byte(textBundle(";", "host-x86_64", "", "sycl-spir64", "; IR\n")))
	for _, version := range []uint16{1, 2, 3} {
		f.Add(compress(f, version, version%2, bundle("sycl-spir64", "bitcode")))
	}
	f.Add(object(testSection{name: ".llvm.offloading", typ: 1, content: containers(f)}))
	f.Add(coffObject(".llvm.offloading", containers(f)))
	f.Add(fatObject(offload.BundleMagic+"sycl-spir64", "bitcode"))
	f.Add(bundle("sycl-nvptx64-nvidia-cuda-sm_80", "ptx"))
	for _, data := range archives(f) {
		f.Add([]byte(data))
		f.Add(gpuObject(f, data))
	}
	f.Add(gpuELF(pvcConfig))
	f.Add(gpuObject(f, string(gpuELF(pvcConfig))))
	f.Add(object(testSection{name: ".llvm.offloading", typ: 1, content: containers(f)},
		testSection{name: ".rodata", typ: 1, flags: 2, content: append(gpuELF(pvcConfig), "__kernel void k() {}"...)}))
	f.Add(descriptorWith(f, gpuArchive("64.bmg", "64.12.60.7", "64.99.1.2", "readme")))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(data)
		if err != nil {
			var fault *FormatError
			if !errors.As(err, &fault) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, img := range file.Images {
			if err := img.Properties.Validate(); err != nil {
				t.Fatalf("%v: %v", img.Origin, err)
			}
			if img.Origin.Offset < 0 || img.Origin.Offset > int64(len(data)) {
				t.Fatalf("%v out of range of %d bytes", img.Origin, len(data))
			}
			if img.Size() > 1<<20 {
				continue
			}
			b := make([]byte, img.Size())
			if n, err := img.ReadAt(b, 0); n != len(b) {
				var fault *FormatError
				if !errors.As(err, &fault) {
					t.Fatalf("%v: %d of %d bytes: %v", img.Origin, n, len(b), err)
				}
			}
		}
	})
}
