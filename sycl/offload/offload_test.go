package offload

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// vector returns a file of testdata, which holds lines of hexadecimal digits.
func vector(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".hex"))
	testkit.NoError(t, err)
	data, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	testkit.NoError(t, err)
	return data
}

var vectorNames = []string{"offload_binary_v1_one_entry", "v1_in_offload_binary_v1", "v1_in_offload_binary_v2", "v2"}

func readAll(data []byte) ([]*File, error) {
	return ReadAll(bytes.NewReader(data), int64(len(data)))
}

func image(t testing.TB, e *Entry) string {
	t.Helper()
	data, err := io.ReadAll(io.NewSectionReader(e, 0, e.Size()))
	testkit.NoError(t, err)
	return string(data)
}

func images(files []*File) []Image {
	var list []Image
	for _, f := range files {
		for _, e := range f.Entries {
			list = append(list, Image{e.ImageKind, e.OffloadKind, e.Flags, e.Strings, e})
		}
	}
	return list
}

func write(t testing.TB, o Options, list ...Image) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.NoError(t, Write(&b, list, o))
	return b.Bytes()
}

func TestReadVersion1(t *testing.T) {
	files, err := readAll(vector(t, "offload_binary_v1_one_entry"))
	testkit.NoError(t, err)
	if len(files) != 1 || len(files[0].Entries) != 1 {
		t.Fatalf("got %d containers", len(files))
	}
	f, e := files[0], files[0].Entries[0]
	if f.Version != 1 || f.Size != 152 || f.Compression != Uncompressed {
		t.Errorf("container: %+v", f)
	}
	if e.ImageKind != KindNone || e.OffloadKind != SYCL || e.Flags != 0 || e.Offset != 0x90 || e.Size() != 7 {
		t.Errorf("entry: %+v", e)
	}
	if want := []String{{"arch", ""}, {"triple", "spir64-unknown-unknown"}}; !slices.Equal(e.Strings, want) {
		t.Errorf("strings: %q, want %q", e.Strings, want)
	}
	if got := image(t, e); got != "AAAAAAA" {
		t.Errorf("image: %q", got)
	}
	if v, ok := e.String("triple"); v != "spir64-unknown-unknown" || !ok {
		t.Errorf("triple: %q, %v", v, ok)
	}
	if v, ok := e.String("Triple"); ok {
		t.Errorf("Triple: %q", v)
	}
}

func TestReadVersion2(t *testing.T) {
	files, err := readAll(vector(t, "v2"))
	testkit.NoError(t, err)
	var got []string
	for _, e := range files[0].Entries {
		role, _ := e.String("role")
		got = append(got, fmt.Sprintf("%v %v %s %d strings, %d bytes", e.ImageKind, e.OffloadKind, role, len(e.Strings), e.Size()))
	}
	want := []string{
		"syclbin sycl global_metadata 2 strings, 36 bytes",
		"syclbin sycl am_metadata 3 strings, 26 bytes",
		"syclbin sycl ir 5 strings, 106 bytes",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVectorsRoundTrip(t *testing.T) {
	for _, name := range vectorNames {
		t.Run(name, func(t *testing.T) {
			data := vector(t, name)
			files, err := readAll(data)
			testkit.NoError(t, err)
			got := write(t, Options{Version: files[0].Version}, images(files)...)
			if !bytes.Equal(got, data) {
				t.Errorf("written:\n%swant:\n%s", hex.Dump(got), hex.Dump(data))
			}
		})
	}
}

// sample returns images with strings that share suffixes, and images without strings.
func sample(size int) []Image {
	noise := make([]byte, size)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.UintN(4))
	}
	return []Image{
		{KindSPIRV, SYCL, 0, []String{{"triple", "spir64-unknown-unknown"}, {"arch", ""}}, bytes.NewReader(noise)},
		{KindObject, OpenMP, 1, []String{{"arch", "unknown"}, {"own", "-unknown"}}, strings.NewReader("object")},
		{KindNone, NoOffload, 0, nil, strings.NewReader("")},
		{KindSYCLBIN, SYCL, 0, []String{{"", ""}, {"triple", "nvptx64-nvidia-cuda"}}, strings.NewReader("x")},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, o := range []Options{{}, {Version: 1}, {Version: 2}, {Version: 3}, {Version: 3, Compression: Zlib}, {Version: 3, Compression: Zstd}} {
		t.Run(fmt.Sprint(o.Version, o.Compression), func(t *testing.T) {
			in := sample(300_000)
			data := write(t, o, in...)
			if len(data)%8 != 0 {
				t.Errorf("%d bytes are not a multiple of 8", len(data))
			}
			if o.Compression != Uncompressed && len(data) > 200_000 {
				t.Errorf("%d bytes after compression", len(data))
			}
			if again := write(t, o, in...); !bytes.Equal(data, again) {
				t.Error("writing again produced different bytes")
			}
			// Consecutive containers are read in order.
			files, err := readAll(append(slices.Clone(data), data...))
			testkit.NoError(t, err)
			out := images(files)
			if len(out) != 2*len(in) {
				t.Fatalf("%d images", len(out))
			}
			for i, got := range out {
				want := in[i%len(in)]
				if got.ImageKind != want.ImageKind || got.OffloadKind != want.OffloadKind || got.Flags != want.Flags || !slices.Equal(got.Strings, want.Strings) {
					t.Errorf("entry %d: %+v, want %+v", i, got, want)
				}
				a, _ := io.ReadAll(io.NewSectionReader(got.Content, 0, got.Content.Size()))
				b, _ := io.ReadAll(io.NewSectionReader(want.Content, 0, want.Content.Size()))
				if !bytes.Equal(a, b) {
					t.Errorf("entry %d: image differs", i)
				}
			}
			if files[0].Compression != o.Compression {
				t.Errorf("compression %v", files[0].Compression)
			}
		})
	}
}

func TestStringsShareTheirEnds(t *testing.T) {
	table := new(stringTable)
	for _, s := range []string{"unknown", "arch", "", "spir64-unknown-unknown", "-unknown", "known", "search"} {
		table.add(s)
	}
	table.finish()
	want := "\x00spir64-unknown-unknown\x00search\x00"
	if string(table.data) != want {
		t.Errorf("table %q, want %q", table.data, want)
	}
	for s, at := range table.offsets {
		if got := table.data[at : int(at)+len(s)+1]; string(got) != s+"\x00" {
			t.Errorf("%q has offset %d, which contains %q", s, at, got)
		}
	}
	if table.offsets[""] != 0 {
		t.Errorf("offset of the empty string: %d", table.offsets[""])
	}
}

// put returns data with a 64-bit number at an offset replaced.
func put(data []byte, offset int, n uint64) []byte {
	data = slices.Clone(data)
	binary.LittleEndian.PutUint64(data[offset:], n)
	return data
}

func TestReadErrors(t *testing.T) {
	one := vector(t, "offload_binary_v1_one_entry") // entry at 0x20, strings at 0x48
	many := vector(t, "v2")                         // 3 entries at 0x20, strings from 0x98
	const past = 1 << 20
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"an empty file", nil, "offset 0x0: file too short for the header: 0 bytes"},
		{"a different magic number", []byte("\x7fELF and so on"), "offset 0x0: starts with 7f454c46, not with the magic bytes 10ff10ad"},
		{"only the magic number", []byte(Magic), "file too short for the header: 4 bytes, want 32"},
		{"version 0", put(one, 4, 0x98<<32), "offset 0x4: unsupported version 0"},
		{"version 4", put(one, 4, 0x98<<32|4), "unsupported version 4; expected 1, 2 or 3"},
		{"a size below the header size", put(one, 8, 31), "offset 0x8: the size of the container, 31, is smaller than its header"},
		{"a size past the end", put(one, 8, 153), "only 152 bytes; the file is truncated; copy, build or download it again ('git lfs pull' for Git LFS)"},
		{"an excessive size", put(one, 8, 1<<63), "offset 0x8: the size of the container, 9223372036854775808, is beyond any file"},
		{"entries past the end", put(one, 16, past), "offset 0x10: 1 entries at 0x100000 reach past the end"},
		{"entries in the header", put(one, 16, 24), "the entries, at 0x18, overlap the header"},
		{"an entry size of 0", put(one, 24, 0), "offset 0x18: the size of an entry is 0, want 40"},
		{"more entries than fit", put(many, 24, 1<<60), "entries at 0x20 reach past the end"},
		{"an image offset past the end", put(one, 0x38, past), "offset 0x38: the image of entry 0, 7 bytes at 0x100000, reaches past the end of the container at 0x98; the file is damaged or from an unsupported compiler; rebuild or download it again"},
		{"an image size past the end", put(one, 0x40, 9), "the image of entry 0, 9 bytes at 0x90, reaches past the end of the container at 0x98"},
		{"an image size that overflows", put(one, 0x40, 1<<63-1), "the image of entry 0, 9223372036854775807 bytes at 0x90"},
		{"an image over the header", put(one, 0x38, 8), "the image of entry 0 overlaps the header"},
		{"an image over the strings", put(one, 0x38, 0x50), "the image of entry 0 overlaps the string list of entry 0"},
		{"overlapping images", put(many, 0x60, 0x1f8), "offset 0x1f8: the image of entry 1 overlaps the image of entry 0"},
		{"strings past the end", put(one, 0x28, past), "offset 0x28: the 2 strings of entry 0, listed at 0x100000, reach past the end"},
		{"more strings than fit", put(one, 0x30, 1<<60), "strings of entry 0, listed at 0x48, reach past the end"},
		{"a key past the end", put(one, 0x48, past), "offset 0x48: the key, at 0x100000, is past the end"},
		{"a value past the end", put(one, 0x50, past), `offset 0x50: the value of "arch", at 0x100000, is past the end`},
		{"an unterminated value", func() []byte {
			b := put(one, 0x50, 0x97) // the padding after the image
			b[0x97] = 'x'
			return b
		}(), `the value of "arch", at 0x97, does not end`},
		{"a value past the end", put(many, 0xa8, past), `the value of "sycl_format_version", 1048576 bytes at 0x1f0, reaches past the end`},
		{"garbage after the container", append(slices.Clone(one), "garbage!"...), "offset 0x98: starts with 67617262"},
		{"garbage in the padding", append(put(one, 8, 0x97)[:0x97], 'x'), "offset 0x97: bytes other than 0 between the end of a container"},
		{"a truncated second container", append(slices.Clone(one), one[:40]...), "offset 0xa0: the size of the container is 152, but there are only 40 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readAll(test.data)
			var format *FormatError
			if !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestAccepted(t *testing.T) {
	one := vector(t, "offload_binary_v1_one_entry")
	runtimeForm := append(slices.Clone(one[:0x48]), "AAAAAAA"...) // no strings, no padding
	runtimeForm = put(put(put(put(runtimeForm, 8, 0x4f), 0x28, 0x48), 0x30, 0), 0x38, 0x48)
	tests := []struct {
		name string
		data []byte
		want int // images
	}{
		{"an undefined offload kind", put(one, 0x20, 5<<16), 1},
		{"an image directly after its entry, without padding", runtimeForm, 1},
		{"two such images, with padding between them", append(append(slices.Clone(runtimeForm), 0), one...), 2},
		{"no entries", put(put(vector(t, "v2"), 24, 0), 8, 32)[:32], 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files, err := readAll(test.data)
			testkit.NoError(t, err)
			if got := len(images(files)); got != test.want {
				t.Errorf("%d images, want %d", got, test.want)
			}
		})
	}
}

// compressed returns a version 3 container with chosen header numbers around a
// zstd or zlib stream of n zeros.
func compressed(t testing.TB, c Compression, n int, inflated uint64) []byte {
	var stream bytes.Buffer
	z, err := compressor(&stream, c)
	testkit.NoError(t, err)
	io.CopyN(z, zeros{}, int64(n))
	z.Close()
	b := append(make([]byte, 40), stream.Bytes()...)
	copy(b, Magic)
	b[4] = 3
	b[16] = 40
	b = put(b, 8, uint64(len(b)))
	return put(b, 32, inflated)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestCompressedErrors(t *testing.T) {
	cut := compressed(t, Zlib, 1000, 1040)
	cut = put(cut, 8, uint64(len(cut)-8))[:len(cut)-8]
	junk := append(compressed(t, Zlib, 1000, 1040), "junk"...)
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"a bomb with its true size", compressed(t, Zstd, 1000, 900<<20), "refused as a decompression bomb"},
		{"a bomb above the limit", compressed(t, Zstd, 1000, 1<<40), "exceeds the limit of 1073741824 bytes"},
		{"a bomb with a false size", compressed(t, Zstd, 256<<20, 1000), "inflates to more than the 1000 bytes of its header"},
		{"a zlib bomb with a false size", compressed(t, Zlib, 64<<20, 1000), "inflates to more than the 1000 bytes"},
		{"less content than stated", compressed(t, Zstd, 1000, 2000), "inflates to less than the 2000 bytes"},
		{"an inflated size below the header size", compressed(t, Zstd, 0, 39), "is smaller than the header"},
		{"a truncated stream", cut, "zlib: unexpected EOF"},
		{"entries not after the header", put(compressed(t, Zlib, 1000, 1040), 16, 48), "are at 0x30, not after the header"},
		{"bytes after the stream", put(junk, 8, uint64(len(junk))), "bytes follow the end of the compressed data"},
		{"neither zlib nor zstd", append(put(compressed(t, Zlib, 0, 100), 8, 48)[:40], "no zlib!"...), "zlib: invalid header"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var err error
			if n := allocated(func() { _, err = readAll(test.data) }); n > 24<<20 {
				t.Errorf("%d bytes allocated for an input of %d", n, len(test.data))
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
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

func TestManyEqualStrings(t *testing.T) {
	// 200,000 strings that are suffixes of one long text would take 20 GiB.
	const count, text = 200_000, 200_000
	data := write(t, Options{Version: 2}, Image{Strings: make([]String, count), Content: strings.NewReader(strings.Repeat("x", text))})
	list := int(binary.LittleEndian.Uint64(data[0x28:]))
	from := binary.LittleEndian.Uint64(data[0x38:])
	for i := range count {
		binary.LittleEndian.PutUint64(data[list+24*i+8:], from+uint64(i))
		binary.LittleEndian.PutUint64(data[list+24*i+16:], uint64(text-i))
	}
	_, err := readAll(data)
	if err == nil || !strings.Contains(err.Error(), "the strings are too long (limit 67108864 bytes)") {
		t.Errorf("error %v", err)
	}
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

func TestDamagedContainers(t *testing.T) {
	data := map[string][]byte{
		"zlib": write(t, Options{Version: 3, Compression: Zlib}, sample(60)...),
		"zstd": write(t, Options{Version: 3, Compression: Zstd}, sample(60)...),
	}
	for _, name := range vectorNames {
		data[name] = vector(t, name)
	}
	for name, data := range data {
		t.Run(name, func(t *testing.T) {
			walk(data, func(b []byte) {
				files, err := readAll(b)
				var format *FormatError
				if err != nil && !errors.As(err, &format) {
					t.Fatalf("error of type %T: %v", err, err)
				}
				for _, f := range files {
					for _, e := range f.Entries {
						if n := len(image(t, e)); int64(n) != e.Size() {
							t.Fatalf("image of %d bytes, want %d", n, e.Size())
						}
					}
				}
			})
		})
	}
}

func TestWriteErrors(t *testing.T) {
	content := strings.NewReader("x")
	tests := []struct {
		name   string
		o      Options
		images []Image
		want   string
	}{
		{"no images", Options{}, nil, "offload binary: no images"},
		{"version 4", Options{Version: 4}, []Image{{Content: content}}, "cannot write version 4"},
		{"compressed version 2", Options{Version: 2, Compression: Zlib}, []Image{{Content: content}}, "version 2 does not support compression"},
		{"NUL in a key", Options{}, []Image{{Strings: []String{{"a\x00", ""}}, Content: content}}, `the string "a\x00" contains a NUL byte`},
		{"NUL in a version 1 value", Options{Version: 1}, []Image{{Strings: []String{{"a", "\x00"}}, Content: content}}, "which version 1 does not support there"},
		{"an image shorter than its size", Options{}, []Image{{Content: short{content}}}, "the image ended after 1 of its 9 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := Write(io.Discard, test.images, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	if data := write(t, Options{Version: 2}, Image{Strings: []String{{"a", "b\x00c"}}, Content: content}); !bytes.Contains(data, []byte("\x00b\x00c\x00")) {
		t.Error("version 2 did not write a value with NUL")
	}
}

type short struct{ io.ReaderAt }

func (short) Size() int64 { return 9 }

// TestSameBytesAsLLVM compares the output with LLVM's packager. Its later versions, named
// llvm-offload-binary, write version 2 or 3.
func TestSameBytesAsLLVM(t *testing.T) {
	tool := testkit.Program(t, "clang-offload-packager")
	dir := t.TempDir()
	args := []string{"-o", filepath.Join(dir, "out")}
	for i, arch := range []string{"", "generic", "unknown", "64-unknown-unknown"} {
		name := filepath.Join(dir, fmt.Sprintf("image%d.bin", i))
		testkit.NoError(t, os.WriteFile(name, bytes.Repeat([]byte{byte(i + 1)}, 7*i+1), 0o666))
		args = append(args, fmt.Sprintf("--image=file=%s,triple=spir64-unknown-unknown,arch=%s,kind=sycl", name, arch))
	}
	if out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "out"))
	testkit.NoError(t, err)
	files, err := readAll(want)
	testkit.NoError(t, err)
	if got := write(t, Options{Version: files[0].Version}, images(files)...); !bytes.Equal(got, want) {
		t.Errorf("written:\n%swant:\n%s", hex.Dump(got), hex.Dump(want))
	}
}

func FuzzReadAll(f *testing.F) {
	for _, name := range vectorNames {
		f.Add(vector(f, name))
	}
	f.Add(write(f, Options{Version: 3, Compression: Zlib}, sample(100)...))
	f.Add(write(f, Options{Version: 3, Compression: Zstd}, sample(100)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := readAll(data)
		if err != nil {
			return
		}
		list := images(files)
		if len(list) == 0 {
			return
		}
		// Containers that were read can be written and read again, and are unchanged.
		again, err := readAll(write(t, Options{Version: 2}, list...))
		testkit.NoError(t, err)
		if len(again) != 1 || len(again[0].Entries) != len(list) {
			t.Fatalf("%d entries are read as %d", len(list), len(again[0].Entries))
		}
		for i, e := range again[0].Entries {
			if !slices.Equal(e.Strings, list[i].Strings) || e.Size() != list[i].Content.Size() {
				t.Fatalf("entry %d changed", i)
			}
		}
	})
}

func TestAlign(t *testing.T) {
	const most = math.MaxInt64 &^ (alignment - 1)
	for n, want := range map[int64]int64{0: 0, 1: 8, 8: 8, most - 7: most, most: most, most + 1: 0, math.MaxInt64: 0} {
		if got := align(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
