package syclbin

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// vector returns a file of testdata, which holds lines of hexadecimal digits.
func vector(t testing.TB, name string) []byte {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join("testdata", name+".hex")))(t)
	data := testkit.Must(hex.DecodeString(strings.Join(strings.Fields(string(text)), "")))(t)
	return data
}

// vectors are files with the same content.
var vectors = []struct {
	name string
	o    Options // that write the file
}{
	{"v1_bare", Options{Bare: true}},
	{"v1_in_offload_binary_v1", Options{}},
	{"v1_in_offload_binary_v2", Options{Release: release.Newest()}},
	{"v2", Options{Version: 2}},
}

const spirvHead = "\x03\x02\x23\x07\x00\x00\x01\x00\x00\x00" // the image of the vectors

func read(data []byte) (*File, error) { return NewFile(bytes.NewReader(data), int64(len(data))) }

func readLenient(data []byte) (*File, error) {
	return NewLenientFile(bytes.NewReader(data), int64(len(data)))
}

func mustRead(t testing.TB, data []byte) *File {
	t.Helper()
	f := testkit.Must(read(data))(t)
	return f
}

func write(t testing.TB, f *File, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.NoError(t, Write(&b, f, o))
	return b.Bytes()
}

func content(t testing.TB, i *Image) string {
	t.Helper()
	data := testkit.Must(i.Data())(t)
	return string(data)
}

func TestReadVectors(t *testing.T) {
	places := map[string][3]Range{ // global, abstract module and image
		"v1_bare":                 {{0x78, 36}, {0x9c, 26}, {0x110, 10}},
		"v1_in_offload_binary_v1": {{0xc8, 36}, {0xec, 26}, {0x160, 10}},
		"v1_in_offload_binary_v2": {{0xc8, 36}, {0xec, 26}, {0x160, 10}},
		"v2":                      {{0x1f8, 36}, {0x21c, 26}, {0x296, 10}},
	}
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			data := vector(t, v.name)
			f := mustRead(t, data)
			if want := max(v.o.Version, 1); f.Version != want || f.State != Object || len(f.Modules) != 1 {
				t.Fatalf("version %d, %v, %d modules", f.Version, f.State, len(f.Modules))
			}
			m := f.Modules[0]
			if len(m.IR) != 1 || len(m.Native) != 0 || !slices.Equal(m.Kernels(), []string{"K"}) {
				t.Fatalf("module: %d IR, %d native, kernels %q", len(m.IR), len(m.Native), m.Kernels())
			}
			img := m.IR[0]
			typ, ok := img.Type()
			if img.Triple() != "spir64-unknown-unknown" || img.Arch() != "" || typ != SPIRV || !ok || img.Format() != offload.SPIRV {
				t.Errorf("image: %q %q %v %v %v", img.Triple(), img.Arch(), typ, ok, img.Format())
			}
			if got := content(t, img); got != spirvHead {
				t.Errorf("bytes %q", got)
			}
			if got := [3]Range{f.GlobalRange, m.MetadataRange, img.Range}; got != places[v.name] {
				t.Errorf("ranges %#x, want %#x", got, places[v.name])
			}
			if found := Verify(f); len(found) != 1 || found[0].ID != kernelPrefix.ID {
				t.Errorf("found %v", found)
			}
			v.o.KeepOrder, v.o.Unrecorded = true, true
			if got := write(t, f, v.o); !bytes.Equal(got, data) {
				t.Errorf("written:\n%swant:\n%s", hex.Dump(got), hex.Dump(data))
			}
		})
	}
}

func registry(t testing.TB, text string) *propset.Registry {
	t.Helper()
	r := testkit.Must(propset.Parse("", []byte(text)))(t)
	return r
}

// A samplePart is an image of the sample, with the metadata of its split module.
type samplePart struct {
	metadata *propset.Registry
	image    *Image
}

func sampleParts(t testing.TB) []samplePart {
	first := registry(t, "[SYCL/kernel names]\nA=1|1\n[SYCL/device requirements]\naspects=2|AAAAAAAAAAA\n")
	second := registry(t, "[SYCL/kernel names]\nB=1|1\n")
	return []samplePart{
		{first, NewIR(SPIRV, "spir64-unknown-unknown", strings.NewReader(spirvHead))},
		{second, NewIR(SPIRV, "spir64-unknown-unknown", strings.NewReader(spirvHead+"second"))},
		{first, NewIR(PTX, "nvptx64-nvidia-cuda", strings.NewReader(".version 8.0\n"))},
		{first, NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("\x7fELF"+strings.Repeat("x", 5000)))},
		{second, NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("12345"))},
		{new(propset.Registry), NewNative("sm_80", "nvptx64-nvidia-cuda", strings.NewReader(""))},
	}
}

// sample returns a file with several modules of several images, some of them empty.
func sample(t testing.TB) *File {
	f := &File{Version: 1, State: Executable, Global: new(propset.Registry)}
	modules := map[*propset.Registry]*Module{}
	for _, p := range sampleParts(t) {
		m := modules[p.metadata]
		if m == nil {
			m = &Module{Metadata: p.metadata}
			modules[p.metadata] = m
			f.Modules = append(f.Modules, m)
		}
		if p.image.Kind == IRModule {
			m.IR = append(m.IR, p.image)
		} else {
			m.Native = append(m.Native, p.image)
		}
	}
	return f
}

// built returns the Builder's file for the images of sample.
func built(t testing.TB) *File {
	t.Helper()
	var b Builder
	for _, p := range sampleParts(t) {
		testkit.NoError(t, b.Add("", p.metadata, p.image))
	}
	return b.File(Executable)
}

// describe returns the content of a file as text, for comparisons.
func describe(t testing.TB, f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", f.State)
	for _, m := range f.Modules {
		text, _ := m.Metadata.MarshalText()
		fmt.Fprintf(&b, "module\n%s", text)
		for _, i := range m.Images() {
			typ, _ := i.Type()
			fmt.Fprintf(&b, "%v %q %q %v %q\n", i.Kind, i.Triple(), i.Arch(), typ, content(t, i))
		}
	}
	return b.String()
}

var allOptions = []Options{
	{}, {Bare: true}, {Container: 1}, {Container: 1, ImageKind: offload.KindSPIRV}, {Container: 3},
	{Container: 3, Compression: offload.Zlib}, {Container: 3, Compression: offload.Zstd}, {Version: 2},
}

func TestRoundTrip(t *testing.T) {
	in := sample(t)
	for _, m := range in.Modules {
		m.Metadata.Sort()
	}
	want := describe(t, in)
	for _, o := range allOptions {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			data := write(t, in, o)
			if len(data)%8 != 0 {
				t.Errorf("size %d is not a multiple of 8", len(data))
			}
			f := mustRead(t, data)
			if got := describe(t, f); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if o.Bare != (f.Container == 0) || o.Container != 0 && f.Container != o.Container {
				t.Errorf("container %d", f.Container)
			}
			if again := write(t, f, o); !bytes.Equal(data, again) {
				t.Error("writing the file that was read changed it")
			}
			if o.Compression == offload.Uncompressed {
				last := f.Modules[1].Native[0].Range
				if got := string(data[last.Offset : last.Offset+last.Size]); got != "12345" {
					t.Errorf("bytes in the range of an image: %q", got)
				}
			}
		})
	}
}

func TestBuilderMergesForms(t *testing.T) {
	f := built(t)
	var got []string
	for _, m := range f.Modules {
		got = append(got, fmt.Sprintf("%v %d %d", m.Kernels(), len(m.IR), len(m.Native)))
	}
	if want := []string{"[A] 0 1", "[B] 0 1", "[] 0 1", "[A] 2 0", "[B] 1 0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBuilderIdentity(t *testing.T) {
	ab := registry(t, "[S]\na=1|1\nb=1|2\n")
	ba := registry(t, "[S]\nb=1|2\na=1|1\n")
	other := registry(t, "[S]\na=1|1\nb=1|3\n")
	ir := func() *Image { return NewIR(SPIRV, "spir64-unknown-unknown", strings.NewReader("")) }
	native := func() *Image { return NewNative("pvc", "spir64_gen-unknown-unknown", strings.NewReader("")) }
	type add struct {
		key string
		r   *propset.Registry
		img *Image
	}
	ptx := func() *Image { return NewIR(PTX, "nvptx64-nvidia-cuda", strings.NewReader("")) }
	tests := []struct {
		name string
		adds []add
		want []string // IR and native images of each module
	}{
		{"a different order of keys is the same module", []add{{"", ab, ir()}, {"", ba, ptx()}}, []string{"2 0"}},
		{"a different value is a different module", []add{{"", ab, ir()}, {"", other, ptx()}}, []string{"1 0", "1 0"}},
		{"a different key is a different module", []add{{"x", ab, ir()}, {"y", ab, ptx()}}, []string{"1 0", "1 0"}},
		{"two images for one triple are two modules", []add{{"", ab, ir()}, {"", ab, ir()}}, []string{"1 0", "1 0"}},
		{"equal modules are paired in order", []add{{"", ab, ir()}, {"", ab, ir()}, {"", ab, ptx()}, {"", ab, ptx()}}, []string{"2 0", "2 0"}},
		{"native images are separate and come first", []add{{"", ab, ir()}, {"", ab, native()}, {"", ab, native()}}, []string{"0 1", "0 1", "1 0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b Builder
			for _, a := range test.adds {
				testkit.NoError(t, b.Add(a.key, a.r, a.img))
			}
			var got []string
			for _, m := range b.File(Object).Modules {
				got = append(got, fmt.Sprintf("%d %d", len(m.IR), len(m.Native)))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestDistinguishImages checks compile_target, the property by which the runtime distinguishes
// images.
func TestDistinguishImages(t *testing.T) {
	var targets []string
	for _, m := range built(t).Modules {
		targets = append(targets, requirement.CompileTarget(m.Metadata))
	}
	if want := []string{"intel_gpu_pvc", "intel_gpu_pvc", "sm_80", "", ""}; !slices.Equal(targets, want) {
		t.Errorf("compile targets %q, want %q", targets, want)
	}
}

func TestSeparate(t *testing.T) {
	f := built(t)
	if before := describe(t, f); f.Separate() != 0 || describe(t, f) != before {
		t.Error("Separate changed a file without need")
	}
	want := describe(t, f)
	mixed := sample(t) // all forms in one module
	mixed.Global = f.Global
	found := map[string]int{}
	for _, f := range Verify(mixed) {
		found[f.ID]++
	}
	if found[nativeTargets.ID] != 3 || found[irCompileTarget.ID] != 0 {
		t.Errorf("found %v", found)
	}
	if n := mixed.Separate(); n != 3 {
		t.Errorf("%d images moved, want 3", n)
	}
	if got := describe(t, mixed); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	lost := &File{State: Executable, Global: f.Global, Modules: []*Module{{Metadata: f.Modules[0].Metadata, IR: f.Modules[3].IR}}}
	if found := Verify(lost); !slices.ContainsFunc(found, func(f Finding) bool { return f.ID == irCompileTarget.ID }) {
		t.Errorf("IR with a compile target: %v", found)
	}
	if n := lost.Separate(); n != 1 || requirement.CompileTarget(lost.Modules[0].Metadata) != "" {
		t.Errorf("%d", n)
	}
}

// TestReleases writes a file with 64-bit atomics for each release and reads it.
func TestReleases(t *testing.T) {
	for _, tt := range []struct {
		release   *release.Release
		number    uint32
		container uint32
		kind      offload.ImageKind
	}{
		{release.Before2026(), 28, 1, 6}, {release.Default(), 27, 1, 7}, {release.Newest(), 27, 2, 7}, {nil, 27, 1, 7},
	} {
		for _, unrecorded := range []bool{false, true} {
			q := requirement.Requirements{Aspects: []aspect.Aspect{aspect.FP64, aspect.Atomic64}}
			metadata := new(propset.Registry)
			q.Put(metadata)
			in := &File{State: Executable, Modules: []*Module{{Metadata: metadata, IR: []*Image{NewIR(SPIRV, "spir64", strings.NewReader(spirvHead))}}}}
			data := write(t, in, Options{Release: tt.release, Unrecorded: unrecorded})
			if text := "aspects=" + propset.Uint32s(6, tt.number).String(); !bytes.Contains(data, []byte(text)) {
				t.Errorf("%v: missing %s", tt.release, text)
			}
			f := mustRead(t, data)
			if f.Container != tt.container || f.ImageKind != tt.kind {
				t.Errorf("%v: container %d, kind %d", tt.release, f.Container, f.ImageKind)
			}
			got, err := requirement.FromProperties(f.Modules[0].Metadata)
			if err != nil || !slices.Equal(got.Aspects, q.Aspects) {
				t.Errorf("%v: read %v, %v", tt.release, got, err)
			}
			states := !unrecorded || tt.release == release.Before2026()
			if f.StatesRelease() != states {
				t.Errorf("%v: states its release: %v", tt.release, f.StatesRelease())
			}
			if a, ok := f.AmbiguousAspect(); ok == states || ok && a != aspect.Atomic64 {
				t.Errorf("%v: ambiguous: %v, %v", tt.release, a, ok)
			}
			// A caller can set the release of a file that does not state it.
			f.AssumeRelease(release.Before2026())
			got, _ = requirement.FromProperties(f.Modules[0].Metadata)
			if want := []aspect.Aspect{aspect.FP64, release.Before2026().Aspect(27)}; !states && !slices.Equal(got.Aspects, want) || states && !slices.Equal(got.Aspects, q.Aspects) {
				t.Errorf("%v: assumed a different release, read %v", tt.release, got.Aspects)
			}
		}
	}
	f := sample(t)
	(&requirement.Requirements{Aspects: []aspect.Aspect{aspect.ExtOneAPIIPCEvent}}).Put(f.Modules[1].Metadata)
	testkit.Fails(t, Write(io.Discard, f, Options{}), "abstract module 1: the runtime of release 2026.0 does not support aspect ext_oneapi_ipc_event")
	if err := Write(io.Discard, f, Options{Release: release.Newest()}); err != nil {
		t.Error(err)
	}
}

func TestWriteSorts(t *testing.T) {
	f := sample(t)
	f.Modules[0].Metadata = registry(t, "[Z]\nb=1|1\na=1|1\n[A]\nk=1|1\n")
	data := string(write(t, f, Options{}))
	if !strings.Contains(data, "[A]\nk=1|1\n[Z]\na=1|1\nb=1|1\n") {
		t.Error("sets and keys not sorted")
	}
	if data := string(write(t, f, Options{KeepOrder: true})); !strings.Contains(data, "[Z]\nb=1|1\na=1|1\n[A]\nk=1|1\n") {
		t.Error("order of sets and keys changed")
	}
	if f.Modules[0].Metadata.Sets()[0].Name != "Z" {
		t.Error("Write changed the metadata")
	}
}

func TestWrittenFileState(t *testing.T) {
	f := mustRead(t, vector(t, "v1_bare"))
	f.State = Input
	if got := mustRead(t, write(t, f, Options{})); got.State != Input {
		t.Errorf("state %v", got.State)
	}
	f.State, f.Global = NoState, registry(t, "[Other]\nk=1|1\n")
	got := mustRead(t, write(t, f, Options{Unrecorded: true}))
	if got.State != NoState || !got.Global.Equal(f.Global) {
		t.Errorf("state %v, global metadata %q", got.State, got.Global)
	}
}

func TestWriteErrors(t *testing.T) {
	f := sample(t)
	tests := []struct {
		o    Options
		want string
	}{
		{Options{Version: 3}, "cannot write version 3"},
		{Options{Version: 2, Bare: true}, "version 2 is a container"},
		{Options{Version: 2, Container: 1}, "version 2 is a container of version 2"},
		{Options{Bare: true, Container: 2}, "a bare file cannot have a container"},
		{Options{Container: 4}, "cannot write version 4"},
	}
	for _, test := range tests {
		testkit.Fails(t, Write(io.Discard, f, test.o), test.want)
	}
	f.Modules[1].Metadata.Add(propset.KernelNames).Put("a=b", propset.Uint(1))
	testkit.Fails(t, Write(io.Discard, f, Options{}), "metadata of abstract module 1")
	broken := sample(t)
	broken.Modules[0].IR[0].Source = io.NewSectionReader(strings.NewReader("abc"), 0, 10)
	for _, o := range []Options{{Bare: true}, {}, {Version: 2}} {
		testkit.Fails(t, Write(io.Discard, broken, o), "ended after 3 of its 10 bytes")
	}
}

func put32(data []byte, at int, n uint32) []byte {
	data = slices.Clone(data)
	binary.LittleEndian.PutUint32(data[at:], n)
	return data
}

func put64(data []byte, at int, n uint64) []byte {
	data = slices.Clone(data)
	binary.LittleEndian.PutUint64(data[at:], n)
	return data
}

// TestContainerErrors checks that an error in a container has the type of all file errors, and its
// location.
func TestContainerErrors(t *testing.T) {
	data := write(t, sample(t), Options{})
	_, err := read(put64(data, 8, 1<<63))
	var fault *FormatError
	if !errors.As(err, &fault) || fault.Offset != 8 {
		t.Errorf("%#v", err)
	}
	if inner := (*offload.FormatError)(nil); !errors.As(err, &inner) || err.Error() != inner.Error() {
		t.Errorf("%v: not the container's error", err)
	}
}

func TestVersion1Errors(t *testing.T) {
	bare := vector(t, "v1_bare") // abstract module header at 0x38, IR module header at 0x58
	two := write(t, sample(t), Options{Bare: true})
	moduleAt := func(i int) int { return fileHeaderSize + headerSize*i }
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"an empty file", nil, "neither a SYCLBIN file"},
		{"text", []byte("hello, world"), "offset 0x0: starts with 68656c6c6f2c2077, which is neither"},
		{"a Git LFS pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n"), "offset 0x0: this is a Git LFS pointer instead of the file; run 'git lfs pull'"},
		{"a magic number in the wrong byte order", append([]byte("SYBI"), bare[4:]...), `"SYBI", but a SYCLBIN file starts with "IBYS"`},
		{"an ELF file", []byte("\x7fELF\x02\x01\x01\x00"), "this is an ELF, not a SYCLBIN file; convert it with packager import"},
		{"a SPIR-V module", []byte(spirvHead), "this is SPIR-V, not a SYCLBIN file"},
		{"a truncated header", bare[:55], "file too short for the header: 55 bytes"},
		{"version 0", put32(bare, 4, 0), "offset 0x4: the version is 0"},
		{"version 2", put32(bare, 4, 2), "offset 0x4: the version is 2"},
		{"more headers than fit", put32(bare, 8, 1<<32-1), "offset 0x8: 4294967295 abstract modules, 1 IR modules and 0 native images have more headers"},
		{"counts that would overflow 32 bits", put32(put32(bare, 8, 1<<31), 12, 1<<31), "have more headers"},
		{"a metadata table past the end", put64(bare, 24, 1<<20), "offset 0x18: the metadata table, 1048576 bytes at 0x78, reaches past the end"},
		{"a metadata table that overflows when it is aligned", put64(bare, 24, 1<<64-1), "the metadata table, 18446744073709551615 bytes"},
		{"a binary table past the end", put64(bare, 32, 17), "offset 0x20: the binary table, 17 bytes at 0x110, reaches past the end of the file at 0x120"},
		{"a binary table that overflows", put64(bare, 32, 1<<64-1), "the binary table, 18446744073709551615 bytes"},
		{"global metadata past the table", put64(bare, 48, 0x97), "offset 0x28: the global metadata, 151 bytes at 0x0 of the metadata table, reach past its end at 0x96"},
		{"global metadata that overflows", put64(put64(bare, 40, 1<<63), 48, 1<<63), "global metadata, 9223372036854775808 bytes at 0x8000000000000000"},
		{"module metadata past the table", put64(bare, moduleAt(0), 0x90), "offset 0x38: the metadata of abstract module 0, 26 bytes at 0x90"},
		{"IR metadata past the table", put64(bare, 0x58, 0x90), "offset 0x58: the metadata of IR module 0"},
		{"IR bytes past the table", put64(bare, 0x70, 11), "offset 0x68: the bytes of IR module 0, 11 bytes at 0x0 of the binary table"},
		{"overlapping metadata", put64(bare, moduleAt(0), 0), "the metadata of abstract module 0 overlap the global metadata"},
		{"overlapping bytes", put64(two, moduleAt(4)+16, 3), "overlap the bytes of IR module 0 in the binary table"},
		{"an IR index past the IR modules", put32(bare, 0x4c, 1), "offset 0x4c: abstract module 0 has the IR modules 1 to 1, but the file has 1"},
		{"an IR index that overflows", put32(bare, 0x4c, 1<<32-1), "abstract module 0 has the IR modules 4294967295 to 4294967295"},
		{"a native index past the images", put32(bare, 0x50, 1), "offset 0x54: abstract module 0 has the native device code images 0 to 0, but the file has 0"},
		{"an IR module without an owner", put32(bare, 0x48, 0), "IR module 0 belongs to no abstract module"},
		{"an image of two modules", put32(two, moduleAt(1)+20, 1), "offset 0x6c: IR module 1 belongs to abstract module 0 and to abstract module 1; the counts are consistent"},
		{"an image of two modules, and an image without an owner", put32(put32(two, moduleAt(1)+20, 0), moduleAt(1)+16, 2), "IR module 0 belongs to abstract module 0 and to abstract module 1"},
		{"metadata that is not a property set", func() []byte { b := slices.Clone(bare); b[0x78] = 'x'; return b }(), "offset 0x78: global metadata: line 1: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(test.data)
			var format *FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// firstIndicesZero returns a file as written by compilers that do not advance first indices.
func firstIndicesZero(t *testing.T) []byte {
	data := write(t, sample(t), Options{Bare: true})
	for i := range 3 {
		data = put32(put32(data, fileHeaderSize+32*i+20, 0), fileHeaderSize+32*i+28, 0)
	}
	return data
}

func TestLenientReaderRepairs(t *testing.T) {
	data := firstIndicesZero(t)
	if _, err := read(data); err == nil || !strings.Contains(err.Error(), "does not advance first indices") {
		t.Errorf("strict: error %v", err)
	}
	f, err := readLenient(data)
	testkit.NoError(t, err)
	in := sample(t)
	for _, m := range in.Modules {
		m.Metadata.Sort()
	}
	if got, want := describe(t, f), describe(t, in); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if ids := findingIDs(f.Findings); !slices.Equal(ids, []string{"first-index", "first-index"}) {
		t.Errorf("found %v", f.Findings)
	}

	// A file with inconsistent counts is not repaired.
	if _, err := readLenient(put32(data, fileHeaderSize+16, 1)); err == nil {
		t.Error("no error for inconsistent counts")
	}

	// Images without a module are omitted.
	bare := vector(t, "v1_bare")
	f, err = readLenient(put32(bare, 0x48, 0))
	if err != nil || len(f.Modules[0].IR) != 0 || !slices.Equal(findingIDs(f.Findings), []string{"unreferenced-header"}) {
		t.Errorf("%+v, %v", f, err)
	}

	// Surplus characters in metadata are dropped.
	surplus := bytes.Replace(bare, []byte("state=1|1"), []byte("state=1|01")[:9], 1)
	copy(surplus[0x78+len("[SYCLBIN/global metadata]\n"):], "stat=1|01")
	if _, err := read(surplus); err == nil {
		t.Error("no error for a number with a leading zero")
	}
	f, err = readLenient(surplus)
	if err != nil || !slices.Equal(findingIDs(f.Findings), []string{"metadata-text"}) {
		t.Errorf("%+v, %v", f, err)
	}
}

func findingIDs(list []Finding) []string {
	var ids []string
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	return ids
}

// v2Entry returns an entry of a version 2 file, in the form for tests.
func v2Entry(role, body string, own ...string) offload.Image {
	strs := []offload.String{{Key: "sycl_format_version", Value: "2"}, {Key: "role", Value: role}}
	for i := 0; i < len(own); i += 2 {
		strs = append(strs, offload.String{Key: own[i], Value: own[i+1]})
	}
	return offload.Image{ImageKind: offload.KindSYCLBIN, OffloadKind: offload.SYCL, Strings: strs, Content: strings.NewReader(body)}
}

func prefixed(metadata, body string) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(len(metadata)))) + metadata + body
}

func container(t testing.TB, version uint32, images ...offload.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.NoError(t, offload.Write(&b, images, offload.Options{Version: version}))
	return b.Bytes()
}

const (
	globalText = "[SYCLBIN/global metadata]\nstate=1|1\n"
	irText     = "[SYCLBIN/ir module metadata]\ntype=1|0\n"
	nativeText = "[SYCLBIN/native device code image metadata]\narch=2|IAAAAAAAAAAE\n"
)

func TestVersion2EntriesInAnyOrder(t *testing.T) {
	f := mustRead(t, container(t, 2,
		v2Entry("native", prefixed(nativeText, "n"), "am_index", "1", "arch", "\x10", "triple", ""),
		v2Entry("ir", prefixed(irText, "first"), "am_index", "0", "ir_type", "0", "triple", ""),
		v2Entry("am_metadata", "[S]\nk=1|1\n", "am_index", "1"),
		v2Entry("global_metadata", globalText),
		v2Entry("ir", prefixed(irText, "second"), "am_index", "0", "ir_type", "0", "triple", ""),
		v2Entry("am_metadata", "", "am_index", "0"),
	))
	want := "object\nmodule\nIR module \"\" \"\" SPIR-V \"first\"\nIR module \"\" \"\" SPIR-V \"second\"\n" +
		"module\n[S]\nk=1|1\nnative device code image \"\" \"\\x10\" SPIR-V \"n\"\n"
	if got := describe(t, f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(f.Findings) != 0 {
		t.Errorf("found %v", f.Findings)
	}
}

func TestVersion2Errors(t *testing.T) {
	global := v2Entry("global_metadata", globalText)
	meta := v2Entry("am_metadata", "", "am_index", "0")
	kind := global
	kind.ImageKind = offload.KindObject
	noRole := v2Entry("", "")
	noRole.Strings = nil
	newer := v2Entry("global_metadata", globalText)
	newer.Strings[0].Value = "3"
	tests := []struct {
		name   string
		images []offload.Image
		want   string
	}{
		{"a different image kind", []offload.Image{kind}, "entry 0 of a version 2 file is of kind 1 (object), not of kind 7"},
		{"two global entries", []offload.Image{global, global}, "entry 1 is a second global_metadata entry"},
		{"no global entry", []offload.Image{meta}, "missing global_metadata entry"},
		{"an entry without a role", []offload.Image{global, noRole}, "entry 1 of a version 2 file has no role"},
		{"an unknown role", []offload.Image{global, v2Entry("other", "")}, `entry 1 has the unknown role "other"`},
		{"no module index", []offload.Image{global, v2Entry("am_metadata", "")}, `entry 1 has the am_index "", which is not a number`},
		{"a module index with a sign", []offload.Image{global, v2Entry("am_metadata", "", "am_index", "+0")}, `am_index "+0", which is not a number`},
		{"a large module index", []offload.Image{global, v2Entry("am_metadata", "", "am_index", "2")}, "am_index 2, but there are only 2 entries"},
		{"a module index with many digits", []offload.Image{global, v2Entry("am_metadata", "", "am_index", "99999999999999999999")}, "which is not a number"},
		{"two metadata entries", []offload.Image{global, meta, meta}, "entry 2 is a second am_metadata entry for abstract module 0"},
		{"no metadata entry", []offload.Image{global, v2Entry("ir", prefixed(irText, ""), "am_index", "0")}, "abstract module 0 has entry 1, but no am_metadata entry"},
		{"a gap in the indices", []offload.Image{global, v2Entry("am_metadata", "", "am_index", "1")}, "missing entry for abstract module 0, although a later module has one"},
		{"no space for the metadata size", []offload.Image{global, meta, v2Entry("ir", "1234567", "am_index", "0")}, "7 bytes, too few for the size of its metadata"},
		{"metadata larger than the image", []offload.Image{global, meta, v2Entry("ir", "\xff\xff\xff\xff\xff\xff\xff\xff", "am_index", "0")}, "metadata of entry 2, 18446744073709551615 bytes, is larger"},
		{"bad metadata", []offload.Image{global, meta, v2Entry("ir", prefixed("x", ""), "am_index", "0")}, "metadata of entry 2: line 1"},
		{"a newer format", []offload.Image{newer}, `unsupported SYCLBIN version "3"; expected 2 in this layout`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(container(t, 2, test.images...))
			var format *FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestRecognition(t *testing.T) {
	bare := string(vector(t, "v1_bare"))
	wrapped := func(kind offload.ImageKind, body string) offload.Image {
		return offload.Image{ImageKind: kind, OffloadKind: 5, Content: strings.NewReader(body)}
	}
	draft := offload.Image{ImageKind: offload.KindSPIRV, Strings: []offload.String{{Key: "SYCLBIN/global metadata", Value: "state=1|1"}}, Content: strings.NewReader(spirvHead)}
	tests := []struct {
		name    string
		data    []byte
		modules int
		found   []string
		want    string // error
	}{
		{"the kind of older DPC++ releases", container(t, 1, wrapped(6, bare)), 1, nil, ""},
		{"that kind in a newer container", container(t, 2, wrapped(6, bare)), 1, []string{"container-kind"}, ""},
		{"no kind", container(t, 2, wrapped(0, bare)), 1, []string{"container-kind"}, ""},
		{"container version 3", container(t, 3, wrapped(7, bare)), 1, []string{"container-version"}, ""},
		{"two files in one container", container(t, 2, wrapped(7, bare), wrapped(7, bare)), 2, []string{"container-several"}, ""},
		{"two containers", container(t, 1, wrapped(7, bare), wrapped(7, bare)), 2, []string{"container-several"}, ""},
		{"preceding entries", container(t, 2, wrapped(1, "x"), wrapped(7, bare)), 1, []string{"container-several"}, ""},
		{"following entries", container(t, 2, wrapped(7, bare), wrapped(1, "x")), 1, []string{"container-several"}, ""},
		{"two contradicting files", container(t, 2, wrapped(7, bare), wrapped(7, strings.Replace(bare, "state=1|1", "state=1|2", 1))), 0, nil, "different global metadata"},
		{"the draft", container(t, 2, draft), 0, nil, "unsupported draft of the SYCLBIN format"},
		{"not a SYCLBIN", container(t, 2, wrapped(6, spirvHead)), 0, nil, "without SYCLBIN content: its first image is SPIR-V"},
		{"an invalid file in a container", container(t, 1, wrapped(7, bare[:60])), 0, nil, "syclbin: offset 0x58: 1 abstract"},
		{"a truncated container", container(t, 1, wrapped(7, bare))[:100], 0, nil, "the file is truncated; copy, build or download it again"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := read(test.data)
			if testkit.Fails(t, err, test.want) {
				return
			}
			if len(f.Modules) != test.modules || !slices.Equal(findingIDs(f.Findings), test.found) {
				t.Errorf("%d modules, found %v", len(f.Modules), f.Findings)
			}
		})
	}
}

// sparse is a large file in which almost all pages are zero.
type sparse struct {
	pages map[int64][]byte
	size  int64
	read  int64
}

const page = 1 << 12

func (s *sparse) ReadAt(b []byte, offset int64) (n int, err error) {
	for n < len(b) && offset < s.size {
		m := min(int64(len(b)-n), page-offset%page, s.size-offset)
		if p := s.pages[offset/page]; p != nil {
			copy(b[n:n+int(m)], p[offset%page:])
		} else {
			clear(b[n : n+int(m)])
		}
		n += int(m)
		offset += m
	}
	s.read += int64(n)
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (s *sparse) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		m := min(int64(len(b)), page-s.size%page)
		if p := s.pages[s.size/page]; p != nil || !bytes.Equal(b[:m], zeros[:m]) {
			if p == nil {
				p = make([]byte, page)
				s.pages[s.size/page] = p
			}
			copy(p[s.size%page:], b[:m])
		}
		s.size += m
		b = b[m:]
	}
	return n, nil
}

func (s *sparse) Size() int64 { return s.size }

var zeros [page]byte

func TestListingALargeFileIsCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 4 GiB of zeros three times")
	}
	const modules, total = 10_000, 4 << 30
	var b Builder
	for i := range modules {
		r := new(propset.Registry)
		r.Add(propset.KernelNames).Put(fmt.Sprintf("_ZTS6kernel%d", i), propset.Uint(1))
		r.Add(propset.DeviceRequirements).Put("aspects", propset.Uint32s(5))
		testkit.NoError(t, b.Add("", r, NewIR(SPIRV, "spir64-unknown-unknown", &sparse{size: total/modules + 1})))
	}
	for _, o := range []Options{{Bare: true}, {}, {Version: 2}} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			file := &sparse{pages: make(map[int64][]byte)}
			if n := allocated(func() {
				testkit.NoError(t, Write(file, b.File(Object), o))
			}); n > 256<<20 {
				t.Errorf("writing allocated %d MiB", n>>20)
			}
			if file.size < total {
				t.Fatalf("file of %d bytes", file.size)
			}
			var f *File
			var err error
			file.read = 0
			n := allocated(func() { f, err = NewFile(file, file.size) })
			testkit.NoError(t, err)
			if len(f.Modules) != modules || f.Modules[modules-1].Kernels()[0] != "_ZTS6kernel9999" || f.Modules[modules-1].IR[0].Size() != total/modules+1 {
				t.Errorf("%d modules", len(f.Modules))
			}
			if n > 96<<20 || file.read > 16<<20 {
				t.Errorf("reading allocated %d MiB and read %d MiB", n>>20, file.read>>20)
			}
			t.Logf("%d MiB allocated and %d KiB read for %d MiB", n>>20, file.read>>10, file.size>>20)
		})
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// walk calls check with every truncation of data and with every byte changed in
// several ways.
func walk(data []byte, check func([]byte)) {
	for n := range data {
		check(data[:n])
	}
	for i, old := range data {
		for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff, old + 1, old - 1, old ^ 0x20} {
			if b != old {
				changed := slices.Clone(data)
				changed[i] = b
				check(changed)
			}
		}
	}
}

// check reads data strictly and leniently, and uses the result in every way.
func check(t testing.TB, data []byte) {
	for _, open := range []func([]byte) (*File, error){read, readLenient} {
		f, err := open(data)
		if err != nil {
			if bad := (interface{ BadInput() })(nil); !errors.As(err, &bad) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			continue
		}
		Verify(f)
		want := describe(t, f)
		for _, o := range []Options{{Bare: true, KeepOrder: true}, {Version: 2, KeepOrder: true}} {
			again, err := read(write(t, f, o))
			if err != nil {
				t.Fatalf("cannot read the written file: %v", err)
			}
			if got := describe(t, again); got != want {
				t.Fatalf("got\n%s\nwant\n%s", got, want)
			}
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			data := vector(t, v.name)
			count := 0
			n := allocated(func() {
				walk(data, func(b []byte) { check(t, b); count++ })
			})
			if each := n / uint64(count); each > 256<<10 {
				t.Errorf("%d bytes allocated per file, for %d files of %d bytes", each, count, len(data))
			}
		})
	}
}

func FuzzNewFile(f *testing.F) {
	for _, v := range vectors {
		f.Add(vector(f, v.name))
	}
	for _, o := range allOptions {
		f.Add(write(f, sample(f), o))
	}
	f.Fuzz(func(t *testing.T, data []byte) { check(t, data) })
}

// TestAddOnce checks that only the first of several equal images is kept.
func TestAddOnce(t *testing.T) {
	ab := registry(t, "[S]\na=1|1\nb=1|2\n")
	ba := registry(t, "[S]\nb=1|2\na=1|1\n")
	other := registry(t, "[S]\na=1|1\nb=1|3\n")
	ir := func(code string) *Image { return NewIR(SPIRV, "spir64-unknown-unknown", strings.NewReader(code)) }
	native := func(arch, code string) *Image {
		return NewNative(arch, "spir64_gen-unknown-unknown", strings.NewReader(code))
	}
	var b Builder
	for _, test := range []struct {
		name string
		key  string
		r    *propset.Registry
		img  *Image
		kept bool
	}{
		{"the first", "k", ab, ir("one"), true},
		{"the same", "k", ab, ir("one"), false},
		{"the same with a different order of keys", "k", ba, ir("one"), false},
		{"different bytes", "k", ab, ir("two"), true},
		{"the different bytes again", "k", ab, ir("two"), false},
		{"a different size", "k", ab, ir("three"), true},
		{"a different property value", "k", other, ir("one"), true},
		{"a different key", "l", ab, ir("one"), true},
		{"native code with the same bytes", "k", ab, native("pvc", "one"), true},
		{"native code for a different device", "k", ab, native("acm", "one"), true},
		{"the same native code", "k", ab, native("pvc", "one"), false},
	} {
		kept, err := b.AddOnce(test.key, test.r, test.img)
		if err != nil || kept != test.kept {
			t.Errorf("%s: %v, %v", test.name, kept, err)
		}
	}
	images := 0
	for _, m := range b.File(Executable).Modules {
		images += len(m.Images())
	}
	if images != 7 {
		t.Errorf("%d images", images)
	}
}
