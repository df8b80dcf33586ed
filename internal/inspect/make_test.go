package inspect

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/report"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
)

// kernels is a SPIR-V module with kernels.
var kernels []byte

func TestMain(m *testing.M) {
	var err error
	if kernels, err = os.ReadFile("../../sycl/spirv/testdata/kernels.spv"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// object returns an offload binary with images for SYCL or a different programming model.
func object(t testing.TB, kind offload.OffloadKind, code ...[]byte) []byte {
	t.Helper()
	var images []offload.Image
	for _, c := range code {
		images = append(images, offload.Image{OffloadKind: kind, Strings: []offload.String{{Key: "triple", Value: "spir64-unknown-unknown"}, {Key: "arch", Value: ""}}, Content: bytes.NewReader(c)})
	}
	return []byte(testkit.Written(t, func(w io.Writer) error { return offload.Write(w, images, offload.Options{Version: 2}) }))
}

// bundle returns an object with native code for a GPU.
func bundle(t testing.TB, arch, code string) []byte {
	t.Helper()
	image := offload.Image{OffloadKind: offload.SYCL, Strings: []offload.String{{Key: "triple", Value: "spir64_gen-unknown-unknown"}, {Key: "arch", Value: arch}}, Content: strings.NewReader(code)}
	return []byte(testkit.Written(t, func(w io.Writer) error { return offload.Write(w, []offload.Image{image}, offload.Options{Version: 2}) }))
}

func syclbinFile(t testing.TB) []byte {
	t.Helper()
	var b syclbin.Builder
	meta := new(propset.Registry)
	meta.Add(propset.KernelNames).Put("_ZTS1K", propset.Uint(1))
	testkit.NoError(t, b.Add("k", meta, syclbin.NewNative("intel_gpu_pvc", "spir64_gen-unknown-unknown", strings.NewReader("native"))))
	return []byte(testkit.Written(t, func(w io.Writer) error { return syclbin.Write(w, b.File(syclbin.Executable), syclbin.Options{}) }))
}

func arFile(name string, content []byte) []byte {
	return fmt.Appendf(nil, "!<arch>\n%-48s%-10d`\n%s%s", name+"/", len(content), content, "\n"[:len(content)%2])
}

// A member is a member of an archive.
type member struct {
	name string
	data []byte
}

func zipFileOf(t testing.TB, method uint16, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for _, m := range members {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: method})
		if err == nil {
			_, err = f.Write(m.data)
		}
		testkit.NoError(t, err)
	}
	testkit.NoError(t, w.Close())
	return b.Bytes()
}

func tarFileOf(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		err := w.WriteHeader(&tar.Header{Name: m.name, Typeflag: tar.TypeReg, Size: int64(len(m.data)), Mode: 0o644})
		if err == nil {
			_, err = w.Write(m.data)
		}
		testkit.NoError(t, err)
	}
	testkit.NoError(t, w.Close())
	return b.Bytes()
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func zstdOf(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	testkit.NoError(t, err)
	return w.EncodeAll(data, nil)
}

// enter writes files to a new directory and makes it the current directory.
func enter(t testing.TB, files map[string][]byte) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range files {
		testkit.WriteFile(t, name, data)
	}
}

// makeReport makes a report, and returns it and the output on standard error.
func makeReport(ctx context.Context, o Options) (r *report.Report, stderr string, err error) {
	var log bytes.Buffer
	programs, err := Reports(ctx, &cli.Env{Tool: "compat", Stderr: &log}, o)
	if err == nil {
		r, err = report.Merge(programs...)
	}
	return r, log.String(), err
}

// programs returns the labels of the programs of a report, and the files of its images.
func programs(r *report.Report) (labels, files []string) {
	for i := range r.Kernels {
		labels = append(labels, r.Targets[r.Kernels[i].Target])
	}
	for _, k := range r.ImageKinds {
		for _, f := range k.Files {
			files = append(files, r.Files[f].Name)
		}
	}
	slices.Sort(labels)
	slices.Sort(files)
	return slices.Compact(labels), slices.Compact(files)
}

func TestFiles(t *testing.T) {
	obj := object(t, offload.SYCL, kernels)
	other := bundle(t, "intel_gpu_pvc", "other code")
	text := []byte("no code")
	zipped := zipFileOf(t, zip.Deflate, member{"lib/k.so", obj}, member{"README", text})
	for _, test := range []struct {
		name   string
		files  map[string][]byte
		args   []string
		labels []string
		in     []string // files of images; nil for the labels
		stderr string   // part of standard error
	}{
		{"an offload binary", map[string][]byte{"k.o": obj}, []string{"k.o"}, []string{"k.o"}, nil, ""},
		{"the ./ of a name", map[string][]byte{"k.o": obj}, []string{"./k.o"}, []string{"k.o"}, nil, ""},
		{"an archive of objects", map[string][]byte{"k.a": arFile("k.o", obj)}, []string{"k.a"}, []string{"k.a"}, nil, ""},
		{"a SYCLBIN is a program without a name", map[string][]byte{"k.syclbin": syclbinFile(t)}, []string{"k.syclbin"}, []string{""}, []string{}, ""},
		{"a SYCLBIN with SPIR-V and an empty table", map[string][]byte{"k.syclbin": syclbinFile(t), "k.spv": kernels, "e.table": nil}, []string{"k.syclbin", "k.spv", "e.table"}, []string{""}, []string{}, ""},
		{"a SYCLBIN and a program", map[string][]byte{"k.syclbin": syclbinFile(t), "k.o": obj}, []string{"k.syclbin", "k.o"}, []string{"k.o", "k.syclbin"}, nil, ""},
		{"a file and its directory", map[string][]byte{"out/k.syclbin": syclbinFile(t)}, []string{"out"}, []string{"out/k.syclbin"}, nil, ""},
		{"files in a directory", map[string][]byte{"out/b/k.so.1.2": obj, "out/a.o": obj, "out/text": text, "out/empty": nil}, []string{"out"}, []string{"out/a.o", "out/b/k.so"}, []string{"out/a.o", "out/b/k.so.1.2"}, "compat: note: skipped 2 files without device images\n"},
		{"patterns", map[string][]byte{"out/b/k.so": obj, "out/a.o": obj, "out/test/t.so": obj}, []string{"out/**/*.so", "!out/test/**"}, []string{"out/b/k.so"}, nil, ""},
		{"files excluded from a directory", map[string][]byte{"out/b/k.so": obj, "out/test/t.so": obj}, []string{"out", "!**/t.so"}, []string{"out/b/k.so"}, nil, ""},
		{"an excluded directory", map[string][]byte{"out/b/k.so": obj, "out/test/t.so": obj}, []string{"out", "!./out/test"}, []string{"out/b/k.so"}, nil, ""},
		{"an exclusion without a match", map[string][]byte{"k.so": obj}, []string{"k.so", "!test/**"}, []string{"k.so"}, nil, "compat: note: !test/** excludes no file\n"},
		{"a file with two names", map[string][]byte{"out/k.so": obj}, []string{"out", "out/k.so", "**/*.so"}, []string{"out/k.so"}, nil, ""},
		{"a file whose name is a command of a runner", map[string][]byte{"k.o": obj, "##[error]x": text}, []string{"k.o", "##[error]x"}, []string{"k.o"}, nil, "#\\u{23}[error]x: note: no device images\n"},
		{"a file next to a text", map[string][]byte{"k.o": obj, "text": text}, []string{"k.o", "text"}, []string{"k.o"}, nil, "text: note: no device images\n"},
		{"a pattern without a match", map[string][]byte{"k.so": obj}, []string{"*.so", "*.dll"}, []string{"k.so"}, nil, "compat: note: no file matches *.dll\n"},
		{"tables found by patterns", map[string][]byte{"out/k.table": []byte("[Code]\nout/k.spv\n"), "out/k.spv": kernels, "out/no.json": []byte("[1]")}, []string{"out/*.table", "out/*.json"}, []string{"out/k.table"}, nil, "skipped 1 file without"},
		{"a zip archive", map[string][]byte{"out/p.zip": zipped}, []string{"out/p.zip"}, []string{"out/p.zip/lib/k.so"}, nil, "skipped 1 file without"},
		{"a tar archive", map[string][]byte{"p.tar": tarFileOf(t, member{"./lib/k.so", obj}, member{"../k.o", obj})}, []string{"p.tar"}, []string{"p.tar/k.o", "p.tar/lib/k.so"}, []string{"p.tar/../k.o", "p.tar/./lib/k.so"}, ""},
		{"a compressed tar archive", map[string][]byte{"p.tgz": gzipped(tarFileOf(t, member{"k.so", obj}))}, []string{"p.tgz"}, []string{"p.tgz/k.so"}, nil, ""},
		{"a conda package", map[string][]byte{"p.conda": zipFileOf(t, zip.Store, member{"pkg.tar.zst", zstdOf(t, tarFileOf(t, member{"k.so", obj}))})}, []string{"p.conda"}, []string{"p.conda/pkg.tar.zst/k.so"}, nil, ""},
		{"a zip archive with zstd", map[string][]byte{"p.zip": zipFileOf(t, zstd.ZipMethodWinZip, member{"k.so", obj})}, []string{"p.zip"}, []string{"p.zip/k.so"}, nil, ""},
		{"a wheel", map[string][]byte{"dist/my_pkg-1.2-cp311-cp311-linux_x86_64.whl": zipFileOf(t, zip.Deflate,
			member{"my_pkg/k.so.3", obj}, member{"my_pkg-1.2.data/data/lib/l.so", obj}, member{"my_pkg.libs/liba-0a1b2c3d.so.5", obj})},
			[]string{"dist"}, []string{"my_pkg/data/lib/l.so", "my_pkg/my_pkg.libs/liba.so", "my_pkg/my_pkg/k.so"},
			[]string{"dist/my_pkg-1.2-cp311-cp311-linux_x86_64.whl/my_pkg-1.2.data/data/lib/l.so", "dist/my_pkg-1.2-cp311-cp311-linux_x86_64.whl/my_pkg.libs/liba-0a1b2c3d.so.5", "dist/my_pkg-1.2-cp311-cp311-linux_x86_64.whl/my_pkg/k.so.3"}, ""},
		{"wheels with the same code are one program", map[string][]byte{"p-1-cp310-cp310-any.whl": zipFileOf(t, zip.Deflate, member{"k.so", obj}), "p-1-cp311-cp311-any.whl": zipFileOf(t, zip.Deflate, member{"k.so", obj})},
			[]string{"*.whl"}, []string{"p/k.so"}, []string{"p-1-cp310-cp310-any.whl/k.so", "p-1-cp311-cp311-any.whl/k.so"}, ""},
		{"wheels with different code are several programs", map[string][]byte{"p-1-cp310-cp310-any.whl": zipFileOf(t, zip.Deflate, member{"k.so", obj}), "p-1-cp311-cp311-any.whl": zipFileOf(t, zip.Deflate, member{"k.so", object(t, offload.SYCL, kernels, []byte("\x03\x02\x23\x07\x00\x04\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"))})},
			[]string{"*.whl"}, []string{"p (cp310-cp310-any)/k.so", "p (cp311-cp311-any)/k.so"}, []string{"p-1-cp310-cp310-any.whl/k.so", "p-1-cp311-cp311-any.whl/k.so"}, ""},
		{"a highly compressible tar archive", map[string][]byte{"p.tgz": gzipped(tarFileOf(t, member{"k.so", slices.Concat(arFile("k.o", obj), arFile("pad", make([]byte, 60<<20))[8:])}))}, []string{"p.tgz"}, []string{"p.tgz/k.so"}, nil, ""},
		{"a compressed text in a wheel in a zip archive", map[string][]byte{"all.zip": zipFileOf(t, zip.Store, member{"p-1-cp310-cp310-any.whl", zipFileOf(t, zip.Deflate, member{"k.so", obj}, member{"man.1.gz", gzipped(text)}, member{"empty.gz", gzipped(nil)})})},
			[]string{"all.zip"}, []string{"p/k.so"}, []string{"all.zip/p-1-cp310-cp310-any.whl/k.so"}, "compat: note: skipped 2 files without device images\n"},
		{"a wheel in a zip archive", map[string][]byte{"all.zip": zipFileOf(t, zip.Store, member{"dist/p-1-cp310-cp310-any.whl", zipFileOf(t, zip.Deflate, member{"k.so", obj})})},
			[]string{"all.zip"}, []string{"p/k.so"}, []string{"all.zip/dist/p-1-cp310-cp310-any.whl/k.so"}, ""},
		{"omitted images", map[string][]byte{"k.o": obj, "omp.o": object(t, offload.OpenMP, kernels, []byte("x"), []byte("y"))}, []string{"k.o", "omp.o"}, []string{"k.o"}, nil, "omp.o: note: the image for spir64-unknown-unknown is OpenMP code and is omitted: only SYCL code is supported (3 images)\n"},
		{"repeated images", map[string][]byte{"k.o": object(t, offload.SYCL, kernels, kernels, kernels), "l.o": obj}, []string{"k.o", "l.o"}, []string{"k.o", "l.o"}, nil,
			"compat: note: 2 of 4 device images duplicate others in their file (same bytes, target and property sets); the report lists each once\n"},
		{"only native code", map[string][]byte{"n.o": other, "k.o": obj}, []string{"n.o", "k.o"}, []string{"k.o"}, []string{"k.o", "n.o"}, ""},
		{"a name that is a command", map[string][]byte{"p.zip": zipFileOf(t, zip.Store, member{"a\n::error::k.so", obj})}, []string{"p.zip"}, []string{`p.zip/a\u{a}::error::k.so`}, []string{"p.zip/a\n::error::k.so"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			enter(t, test.files)
			r, stderr, err := makeReport(t.Context(), Options{Files: test.args})
			testkit.NoError(t, err)
			labels, files := programs(r)
			if test.in == nil {
				test.in = test.labels
			}
			if !slices.Equal(labels, test.labels) || !slices.Equal(files, test.in) {
				t.Errorf("programs %q, files %q\nwant     %q, files %q", labels, files, test.labels, test.in)
			}
			if test.stderr == "" && stderr != "" || !strings.Contains(stderr, test.stderr) {
				t.Errorf("standard error: %s\nwant: %s", stderr, test.stderr)
			}
			text := testkit.Written(t, r.Encode)
			again, _, err := makeReport(t.Context(), Options{Files: test.args})
			testkit.NoError(t, err)
			if testkit.Written(t, again.Encode) != text {
				t.Error("the same files result in a different report")
			}
			if _, err := report.Decode("again", strings.NewReader(text)); err != nil {
				t.Errorf("cannot read the report: %v", err)
			}
		})
	}
}

// patched returns a zip archive whose members are marked as encrypted, or with a different
// compression method.
func patched(archive []byte, flags, method byte) []byte {
	archive = bytes.Clone(archive)
	for _, header := range []struct {
		start string
		at    int
	}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} {
		for i := 0; ; i += len(header.start) {
			next := bytes.Index(archive[i:], []byte(header.start))
			if next < 0 {
				break
			}
			i += next
			archive[i+header.at] |= flags
			if method != 0 {
				archive[i+header.at+2] = method
			}
		}
	}
	return archive
}

// TestUnreadableFiles checks that an unreadable file is an error if it was named or if the check is
// strict, and otherwise a warning.
func TestUnreadableFiles(t *testing.T) {
	obj := object(t, offload.SYCL, kernels)
	broken := arFile("k.o", obj[:len(obj)/2])
	deep := zipFileOf(t, zip.Store, member{"b.zip", zipFileOf(t, zip.Store, member{"c.zip", zipFileOf(t, zip.Store, member{"k.so", obj})})})
	for _, test := range []struct {
		name  string
		file  string
		data  []byte
		whole bool // whether the error is in the file itself, not in a member
		want  string
	}{
		{"a truncated object", "b.a", broken, true, "b.a: "},
		{"a truncated archive", "b.zip", zipFileOf(t, zip.Store, member{"k.so", obj})[:len(obj)], true, "b.zip: zip: not a valid zip file; the archive is damaged or truncated; copy, build or download it again"},
		{"a truncated compressed archive", "b.tgz", gzipped(tarFileOf(t, member{"k.so", obj}))[:2000], false, "b.tgz"},
		{"a broken member", "b.zip", zipFileOf(t, zip.Deflate, member{"b.a", broken}), false, "b.zip/b.a: "},
		{"an encrypted member", "b.zip", patched(zipFileOf(t, zip.Store, member{"k.so", obj}), 1, 0), false, "b.zip/k.so: the member is encrypted; unpack it"},
		{"an unknown compression method", "b.zip", patched(zipFileOf(t, zip.Store, member{"k.so", obj}), 0, 14), false, "b.zip/k.so: the member is compressed with the unsupported method 14; unpack it"},
		{"a wrong checksum", "b.zip", bytes.Replace(zipFileOf(t, zip.Store, member{"k.so", obj}), []byte("spir64"), []byte("spir65"), 1), false, "b.zip/k.so: zip: checksum error; the archive is damaged"},
		{"too deeply nested archives", "b.zip", deep, false, "b.zip/b.zip/c.zip: archives can be nested only two deep"},
		{"a too deeply nested compressed tar archive", "b.zip", zipFileOf(t, zip.Store, member{"b.zip", zipFileOf(t, zip.Store, member{"c.tgz", gzipped(tarFileOf(t, member{"k.so", obj}))})}), false, "b.zip/b.zip/c.tgz: archives can be nested only two deep"},
		{"a decompression bomb", "b.zip", zipFileOf(t, zip.Deflate, member{"k.so", append([]byte("\x7fELF"), make([]byte, 200<<20)...)}), false, "refused as a decompression bomb"},
		{"a decompression bomb in a tar archive", "b.tgz", gzipped(tarFileOf(t, member{"k.so", append([]byte("\x7fELF"), make([]byte, 200<<20)...)})), false, "refused as a decompression bomb"},
		{"a pointer of Git LFS", "b.so", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n"), true, "b.so: this is a Git LFS pointer instead of the file; run 'git lfs pull' to fetch the file"},
		{"a Debian package", "b.deb", []byte("!<arch>\ndebian-binary   0           0     0     100644  4         `\n2.0\n"), true, "b.deb: Debian packages are not supported; unpack it"},
		{"an RPM package", "b.rpm", []byte("\xed\xab\xee\xdb\x03\x00"), true, "b.rpm: RPM packages are not supported; unpack it"},
		{"a 7z archive", "b.7z", []byte("7z\xbc\xaf\x27\x1c\x00\x04"), true, "b.7z: 7z archives are not supported; unpack it"},
		{"a file compressed with xz", "b.tar.xz", []byte("\xfd7zXZ\x00..."), true, "b.tar.xz: xz compression is not supported"},
	} {
		t.Run(test.name, func(t *testing.T) {
			enter(t, map[string][]byte{"out/k.o": obj, "out/" + test.file: test.data})
			r, stderr, err := makeReport(t.Context(), Options{Files: []string{"out"}})
			testkit.NoError(t, err)
			if labels, _ := programs(r); !slices.Equal(labels, []string{"out/k.o"}) || !strings.Contains(stderr, "compat: warning: out/"+strings.TrimSuffix(test.want, "out/")) && !strings.Contains(stderr, test.want) || !strings.Contains(stderr, "the file is omitted") {
				t.Errorf("programs %q, standard error: %s", labels, stderr)
			}
			if _, _, err := makeReport(t.Context(), Options{Files: []string{"out"}, Strict: true}); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) {
				t.Errorf("strict: %v", err)
			}
			_, stderr, err = makeReport(t.Context(), Options{Files: []string{"out/k.o", "out/" + test.file}})
			if isError := err != nil; test.whole != isError && test.file != "b.tgz" {
				t.Errorf("named: %v, %s", err, stderr)
			}
			if _, _, err := makeReport(t.Context(), Options{Files: []string{"out/" + test.file}}); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) {
				t.Errorf("alone: %v", err)
			}
		})
	}
}

// TestForeignFiles checks that a directory can contain files that no SYCL compiler writes, such as
// the 32-bit launchers of Python packages.
func TestForeignFiles(t *testing.T) {
	obj := object(t, offload.SYCL, kernels)
	pe := append([]byte("MZ"), make([]byte, 300)...)
	pe[0x3c] = 64
	copy(pe[64:], "PE\x00\x00\x4c\x01")
	pe[64+4+20], pe[64+4+21] = 0x0b, 0x01
	for _, test := range []struct{ name, file, data, note, named string }{
		{"a 32-bit ELF file", "b.o", "\x7fELF\x01\x01\x01", "skipped 1 file without device images", "out/b.o: no device images: 32-bit ELF file"},
		{"a big-endian ELF file", "b.o", "\x7fELF\x02\x02\x01", "skipped 1 file without device images", "out/b.o: no device images: big-endian ELF file"},
		{"a 32-bit PE file", "cli-32.exe", string(pe), "skipped 1 file without device images", "out/cli-32.exe: no device images: 32-bit PE file"},
		{"a thin archive", "libb.a", "!<thin>\n", "out/libb.a: note: this is a thin archive, whose members are other files; pass these files too", "out/libb.a: host binary: offset 0x0: this is a thin archive"},
	} {
		t.Run(test.name, func(t *testing.T) {
			enter(t, map[string][]byte{"out/k.o": obj, "out/" + test.file: []byte(test.data)})
			r, stderr, err := makeReport(t.Context(), Options{Files: []string{"out"}, Strict: true})
			testkit.NoError(t, err)
			if labels, _ := programs(r); !slices.Equal(labels, []string{"out/k.o"}) || !strings.Contains(stderr, test.note) {
				t.Errorf("programs %q, standard error: %s", labels, stderr)
			}
			if _, _, err := makeReport(t.Context(), Options{Files: []string{"out/" + test.file}}); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.named) {
				t.Errorf("named: %v", err)
			}
		})
	}
}

// TestNoScratchDir checks that a failure to unpack a member is a system error, not an error in the
// archive, and ends the run.
func TestNoScratchDir(t *testing.T) {
	obj := object(t, offload.SYCL, kernels)
	large := make([]byte, inMemory+1)
	copy(large, obj)
	for name, data := range map[string][]byte{
		"k.zip":    zipFileOf(t, zip.Store, member{"k.so", large}),
		"k.tar.gz": gzipped(tarFileOf(t, member{"k.so", large})),
	} {
		enter(t, map[string][]byte{"out/k.o": obj, "out/" + name: data})
		t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
		t.Setenv("TMP", os.Getenv("TMPDIR"))
		_, stderr, err := makeReport(t.Context(), Options{Files: []string{"out"}})
		if cli.ExitCode(err) != cli.ExitFailure || !strings.Contains(err.Error(), "set TMPDIR") {
			t.Errorf("%s: %v, %s", name, err, stderr)
		}
	}
}

// TestUnreadableDirectory checks that unreadable entries of a directory are reported as not
// checked.
func TestUnreadableDirectory(t *testing.T) {
	enter(t, map[string][]byte{"out/k.o": object(t, offload.SYCL, kernels)})
	testkit.Unlistable(t, "out/locked")
	for _, files := range [][]string{{"out"}, {"out/**"}, {"out", "!out/k.o"}} {
		if _, _, err := makeReport(t.Context(), Options{Files: files, Strict: true}); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "out/locked/ddd") {
			t.Errorf("%q: %v", files, err)
		}
	}
	r, stderr, err := makeReport(t.Context(), Options{Files: []string{"out"}})
	if err != nil || !strings.Contains(stderr, "compat: warning: out/locked/ddd") {
		t.Fatalf("%v, standard error: %s", err, stderr)
	}
	if labels, _ := programs(r); !slices.Equal(labels, []string{"out/k.o"}) {
		t.Errorf("programs %q", labels)
	}
	if _, _, err := makeReport(t.Context(), Options{Files: []string{"out", "!out/locked/**"}, Strict: true}); err != nil {
		t.Errorf("excluding the directory: %v", err)
	}
}

// TestFewLines checks that thousands of omissions are reported in a few lines.
func TestFewLines(t *testing.T) {
	files := map[string][]byte{"k.o": object(t, offload.SYCL, kernels)}
	for i := range 100 {
		files[fmt.Sprintf("omp%d.o", i)] = object(t, offload.OpenMP, []byte("x"))
		files[fmt.Sprintf("cut%d.spv", i)] = []byte("\x03\x02\x23\x07")
	}
	enter(t, files)
	_, stderr, err := makeReport(t.Context(), Options{Files: []string{"."}})
	if err != nil || strings.Count(stderr, "\n") != 43 || !strings.Contains(stderr, "note: 80 more: the file cannot be read and is omitted") {
		t.Errorf("%v, %d lines:\n%s", err, strings.Count(stderr, "\n"), stderr)
	}
}

// TestLinks checks that links are followed within a directory, but not out of it. A link and its
// target count as one file.
func TestLinks(t *testing.T) {
	obj := object(t, offload.SYCL, kernels)
	enter(t, map[string][]byte{"out/libk.so.1.2": obj, "secret/s.so": object(t, offload.SYCL, kernels, kernels)})
	testkit.Link(t, "libk.so.1.2", "out/libk.so")
	testkit.Link(t, "../secret/s.so", "out/s.so")
	testkit.Link(t, "../secret", "out/folder")
	testkit.Link(t, ".", "out/loop")
	r, stderr, err := makeReport(t.Context(), Options{Files: []string{"out"}})
	testkit.NoError(t, err)
	labels, files := programs(r)
	if !slices.Equal(labels, []string{"out/libk.so"}) || !slices.Equal(files, []string{"out/libk.so"}) || !strings.Contains(stderr, "out: note: skipped symbolic links that dangle or lead out of the directory: 1") {
		t.Errorf("programs %q, files %q, standard error %s", labels, files, stderr)
	}
	// Patterns of confined files do not follow such links, either.
	t.Chdir("out")
	if _, stderr, err := makeReport(t.Context(), Options{Files: []string{"*.so"}, Confined: true}); err != nil || !strings.Contains(stderr, "*.so: note: skipped symbolic links that dangle or lead out of the directory: 1") {
		t.Errorf("%v, %s", err, stderr)
	}
	if _, _, err := makeReport(t.Context(), Options{Files: []string{"s*"}, Confined: true}); cli.ExitCode(err) != cli.ExitBadInput || err.Error() != "s*: found only symbolic links that dangle or lead out of the directory: 1; copy the files into it" {
		t.Errorf("got %v", err)
	}
	if _, _, err := makeReport(t.Context(), Options{Files: []string{"s.so"}, Confined: true}); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "leads out of the workspace") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"../secret/s.so", filepath.Join(t.TempDir(), "x")} {
		if _, _, err := makeReport(t.Context(), Options{Files: []string{name}, Confined: true}); cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOneProgram checks that files with a label form one program: a device may use the images of
// any file.
func TestOneProgram(t *testing.T) {
	enter(t, map[string][]byte{"k.o": object(t, offload.SYCL, kernels), "k.syclbin": syclbinFile(t)})
	r, _, err := makeReport(t.Context(), Options{Files: []string{"k.o", "k.syclbin"}, Label: "//demo:k", Devices: []string{"intel_gpu_pvc"}})
	testkit.NoError(t, err)
	if labels, files := programs(r); !slices.Equal(labels, []string{"//demo:k"}) || !slices.Equal(files, []string{"k.o"}) {
		t.Errorf("programs %q, files %q", labels, files)
	}
	// The labels of files do not depend on the location of the build.
	dir, err := filepath.Abs(".")
	testkit.NoError(t, err)
	t.Chdir(t.TempDir())
	r, _, err = makeReport(t.Context(), Options{Files: []string{dir}})
	testkit.NoError(t, err)
	base := filepath.Base(dir)
	if labels, _ := programs(r); !slices.Equal(labels, []string{base + "/k.o", base + "/k.syclbin"}) {
		t.Errorf("programs %q", labels)
	}
}

// TestArchivesWithoutFiles checks that archives without files are reported, at any nesting depth.
func TestArchivesWithoutFiles(t *testing.T) {
	dirs := zipFileOf(t, zip.Store, member{"a/", nil}, member{"a/b/", nil})
	for name, data := range map[string][]byte{
		"nothing.zip": zipFileOf(t, zip.Store), "folders.zip": dirs, "nothing.tar": tarFileOf(t, []member{}...), "nothing.tgz": gzipped(make([]byte, 1024)),
	} {
		enter(t, map[string][]byte{name: data})
		want := name + ": the archive has no files: looked for"
		switch { // tar archives are recognized by their first member
		case name == "nothing.tar":
			want = name + ": no device images"
		case strings.HasPrefix(name, "nothing.t"):
			want = name + ": the compressed file is not a tar archive; unpack it and pass the content"
		}
		if _, _, err := makeReport(t.Context(), Options{Files: []string{name}}); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	enter(t, map[string][]byte{"k.o": object(t, offload.SYCL, kernels), "out.zip": zipFileOf(t, zip.Store, member{"folders.zip", dirs})})
	if _, stderr, err := makeReport(t.Context(), Options{Files: []string{"k.o", "out.zip"}}); err != nil || !strings.Contains(stderr, "skipped 1 file without device images") {
		t.Errorf("%v, %s", err, stderr)
	}
}

func TestPanicNamesItsFile(t *testing.T) {
	j := &job{file: &file{name: "out/k.so"}, work: func() []outcome { panic("wrong") }}
	if list := j.run(); len(list) != 1 || list[0].err.Error() != "out/k.so: internal error: wrong" || cli.ExitCode(list[0].err) != cli.ExitFailure {
		t.Errorf("got %+v", list)
	}
}

// TestFirstReason checks that if all images are omitted, the message contains the first reason.
func TestFirstReason(t *testing.T) {
	enter(t, map[string][]byte{"a.o": object(t, offload.OpenMP, kernels), "b.o": object(t, offload.SYCL, nil)})
	_, stderr, err := makeReport(t.Context(), Options{Files: []string{"a.o", "b.o"}})
	const want = "no device image can be used: the image for spir64-unknown-unknown is OpenMP code and is omitted: only SYCL code is supported; name the programs, "
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.HasPrefix(err.Error(), want) || !strings.Contains(stderr, "b.o: note: ") {
		t.Errorf("%v, %s", err, stderr)
	}
}

// TestNoKernels checks that device code without kernels, such as numba-dpex's, is not an error, and
// that a message explains why there are no kernels.
func TestNoKernels(t *testing.T) {
	t.Chdir(t.TempDir())
	module := binary.LittleEndian.AppendUint32(nil, 0x07230203)
	for _, word := range []uint32{0x10000, 0, 1, 0} {
		module = binary.LittleEndian.AppendUint32(module, word)
	}
	testkit.WriteFile(t, "none.spv", module)
	testkit.WriteFile(t, "some.spv", testkit.SPIRV("k"))
	const note = "none.spv: note: no kernels in the device code of 1 file; "
	if r, stderr, err := makeReport(t.Context(), Options{Files: []string{"none.spv"}}); err != nil || len(r.Kernels) > 0 || !strings.Contains(stderr, note) {
		t.Errorf("%q, %v", stderr, err)
	}
	if _, stderr, err := makeReport(t.Context(), Options{Files: []string{"none.spv", "some.spv"}}); err != nil || stderr != "" {
		t.Errorf("%q, %v", stderr, err)
	}
}
