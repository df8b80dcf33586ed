package hostbin

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/requirement"
)

// dpctlEnv is the environment variable with the path of a dpctl wheel, or of a directory with its
// files: Python modules that DPC++ linked.
const dpctlEnv = "HOSTBIN_DPCTL"

// eachLibrary reads the libraries of a wheel, or of a directory with its files.
func eachLibrary(t *testing.T, name string, use func(path string, data []byte, f *File)) {
	t.Helper()
	tree := os.DirFS(name)
	if info := testkit.Must(os.Stat(name))(t); !info.IsDir() {
		z := testkit.Must(zip.OpenReader(name))(t)
		defer z.Close()
		tree = z
	}
	testkit.NoError(t, fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, ".so") {
			return err
		}
		data, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		f, err := parse(data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		use(path, data, f)
		return nil
	}))
}

func TestDPCPPLibraries(t *testing.T) {
	name := os.Getenv(dpctlEnv)
	if name == "" {
		t.Skipf("%s does not name a wheel of dpctl or a directory with its files", dpctlEnv)
	}
	var files, images, empty, sets, properties, kernels int
	eachLibrary(t, name, func(path string, data []byte, f *File) {
		files++
		// A library that registers images has a descriptor.
		if registers := bytes.Contains(data, []byte("__sycl_register_lib")); registers != (len(f.Images) > 0) {
			t.Errorf("%s: %d images, registers any: %v", path, len(f.Images), registers)
		}
		for _, img := range f.Images {
			images++
			kernels += len(img.Entries)
			head := make([]byte, 4)
			if img.Size() > 0 {
				if _, err := img.ReadAt(head, 0); err != nil {
					t.Errorf("%s: %v: %v", path, img.Origin, err)
				}
			}
			// A library without kernels has an image without code.
			if len(img.Entries) == 0 {
				empty++
			}
			if img.Triple != "spir64" || string(head) != "\x03\x02\x23\x07" {
				t.Errorf("%s: %v: image for %q starts with %x", path, img.Origin, img.Triple, head)
			}
			for _, s := range img.Properties.Sets() {
				sets++
				for _, p := range s.Properties() {
					properties++
					v, err := propset.Describe(s.Name, p.Key, p.Value)
					if err != nil || !v.Known {
						t.Errorf("%s: %v: set %s, key %s: %+v, %v", path, img.Origin, s.Name, p.Key, v, err)
					}
				}
			}
		}
	})
	t.Logf("%d files, %d images (%d without kernels), %d property sets, %d properties, %d kernels", files, images, empty, sets, properties, kernels)
	if images == 0 || kernels == 0 {
		t.Error("no images or no kernels found")
	}
}

// releasesEnv is the environment variable with the paths of two wheels, separated by a colon. DPC++
// before 2026 compiled the first and DPC++ 2026 the second: dpctl 0.21.1, and dpnp 0.20.0, which
// has dpctl's kernels in a different namespace.
const releasesEnv = "HOSTBIN_RELEASES"

// TestReleasesAgree reads the same kernels compiled by two releases, with different aspect
// numbers.
func TestReleasesAgree(t *testing.T) {
	before, after, ok := strings.Cut(os.Getenv(releasesEnv), ":")
	if !ok {
		t.Skipf("%s does not name two wheels", releasesEnv)
	}
	older, newer := aspectsOfWheel(t, before), aspectsOfWheel(t, after)
	same, atomics := 0, 0
	for kernel, want := range older {
		got, ok := newer[strings.ReplaceAll(kernel, "5dpctl6tensor", "4dpnp6tensor")]
		switch {
		case !ok:
		case !slices.Equal(got, want):
			t.Errorf("%s needs %v in one release and %v in the other", kernel, want, got)
		default:
			same++
			if slices.Contains(got, aspect.Atomic64) {
				atomics++
			}
		}
	}
	t.Logf("%d kernels need the same, %d of them atomic64", same, atomics)
	if same < 10_000 || atomics < 100 {
		t.Errorf("only %d common kernels, of which %d need atomic64", same, atomics)
	}
}

// aspectsOfWheel returns the aspects that each kernel of a wheel needs.
func aspectsOfWheel(t *testing.T, name string) map[string][]aspect.Aspect {
	t.Helper()
	needs := map[string][]aspect.Aspect{}
	eachLibrary(t, name, func(_ string, _ []byte, f *File) {
		for _, img := range f.Images {
			q := testkit.Must(requirement.FromProperties(img.Properties))(t)
			for _, kernel := range img.Entries {
				needs[kernel] = q.Aspects
			}
		}
	})
	return needs
}

func command(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

func content(t *testing.T, img *Image) string {
	t.Helper()
	data := testkit.Must(img.Data())(t)
	return string(data)
}

func TestClangObjects(t *testing.T) {
	clang := testkit.Program(t, "clang")
	packager := testkit.Program(t, "clang-offload-packager")
	ar := testkit.Program(t, "llvm-ar")
	dir := t.TempDir()
	for _, target := range []string{"x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"} {
		t.Run(target, func(t *testing.T) {
			in := func(name string) string { return filepath.Join(dir, target+"-"+name) }
			testkit.WriteFile(t, in("a.spv"), "\x03\x02\x23\x07 spirv")
			testkit.WriteFile(t, in("b.bin"), "native")
			testkit.WriteFile(t, in("a.c"), "int main(void) { return 0; }\n")
			command(t, packager, "-o", in("images"), "--image=file="+in("a.spv")+",triple=spir64-unknown-unknown,arch=,kind=sycl", "--image=file="+in("b.bin")+",triple=spir64_gen-unknown-unknown,arch=pvc,kind=sycl")
			command(t, clang, "--target="+target, "-c", "-o", in("a.o"), in("a.c"), "-Xclang", "-fembed-offload-object="+in("images"))
			command(t, ar, "rcs", in("a.a"), in("a.o"), in("a.c"))
			for _, name := range []string{in("a.o"), in("a.a")} {
				f := testkit.Must(Open(name))(t)
				defer f.Close()
				if len(f.Images) != 2 {
					t.Fatalf("%s: %d images, want 2", name, len(f.Images))
				}
				a, b := f.Images[0], f.Images[1]
				if a.Triple != "spir64-unknown-unknown" || a.Arch != "" || a.Model != "sycl" || content(t, a) != "\x03\x02\x23\x07 spirv" {
					t.Errorf("%s: %+v", name, a)
				}
				if b.Triple != "spir64_gen-unknown-unknown" || b.Arch != "pvc" || content(t, b) != "native" {
					t.Errorf("%s: %+v", name, b)
				}
				if member := a.Origin.Member; (member != "") != (name == in("a.a")) {
					t.Errorf("%s: member %q", name, member)
				}
			}
		})
	}
}

func TestClangBundles(t *testing.T) {
	clang := testkit.Program(t, "clang")
	bundler := testkit.Program(t, "clang-offload-bundler")
	objcopy := testkit.Program(t, "llvm-objcopy")
	dir := t.TempDir()
	// The bundler searches for objcopy under this name only.
	testkit.NoError(t, os.Symlink(objcopy, filepath.Join(dir, "llvm-objcopy")))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	in := func(name string) string { return filepath.Join(dir, name) }
	testkit.WriteFile(t, in("a.c"), "int main(void) { return 0; }\n")
	testkit.WriteFile(t, in("gfx.bc"), "BC\xc0\xde bitcode")
	testkit.WriteFile(t, in("sm.bc"), "BC\xc0\xde more bitcode")
	command(t, clang, "--target=x86_64-unknown-linux-gnu", "-c", "-o", in("host.o"), in("a.c"))
	command(t, clang, "--target=x86_64-unknown-linux-gnu", "-c", "-emit-llvm", "-o", in("host.bc"), in("a.c"))
	testkit.WriteFile(t, in("host.ll"), "; the host\n")
	bundle := func(name, typ, host string, args ...string) {
		command(t, append([]string{bundler, "-type=" + typ,
			"-targets=host-x86_64-unknown-linux-gnu,hip-amdgcn-amd-amdhsa--gfx906,openmp-nvptx64-nvidia-cuda--sm_80",
			"-input=" + in(host), "-input=" + in("gfx.bc"), "-input=" + in("sm.bc"), "-output=" + in(name)}, args...)...)
	}
	tests := []struct{ name, typ, host, version string }{
		{"object", "o", "host.o", ""},
		{"bitcode", "bc", "host.bc", ""},
		{"precompiled header", "gch", "host.bc", ""},
		{"LLVM IR", "ll", "host.ll", ""},
		{"assembler", "s", "host.ll", ""},
		{"C++", "ii", "host.ll", ""},
		{"C", "i", "host.ll", ""},
		{"make rules", "d", "host.ll", ""},
		{"compressed, version 2", "bc", "host.bc", "2"},
		{"compressed, version 3", "bc", "host.bc", "3"},
		{"compressed text", "ll", "host.ll", "3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			name := strings.ReplaceAll(test.name, " ", "-")
			if test.version == "" {
				bundle(name, test.typ, test.host)
			} else {
				t.Setenv("COMPRESSED_BUNDLE_FORMAT_VERSION", test.version)
				bundle(name, test.typ, test.host, "-compress")
			}
			f := testkit.Must(Open(in(name)))(t)
			defer f.Close()
			if len(f.Images) != 2 {
				t.Fatalf("%d images, want 2", len(f.Images))
			}
			a, b := f.Images[0], f.Images[1]
			if a.Model != "hip" || a.Triple != "amdgcn-amd-amdhsa" || a.Arch != "gfx906" || content(t, a) != "BC\xc0\xde bitcode" {
				t.Errorf("%+v", a)
			}
			if b.Model != "openmp" || b.Triple != "nvptx64-nvidia-cuda" || b.Arch != "sm_80" || content(t, b) != "BC\xc0\xde more bitcode" {
				t.Errorf("%+v", b)
			}
			text := strings.Contains("ll s ii i d", test.typ)
			if (a.Stated == offload.Text) != text || (b.Stated == offload.Text) != text {
				t.Errorf("kinds %v and %v", a.Stated, b.Stated)
			}
			data := testkit.Must(os.ReadFile(in(name)))(t)
			if compressed := bytes.HasPrefix(data, []byte("CCOB")); compressed != (test.version != "") {
				t.Errorf("compressed: %v", compressed)
			}
		})
	}
}

// openMPSource has a kernel whose device is the host.
const openMPSource = `
#pragma omp declare target
int counter;
#pragma omp end declare target
int twice(int *x) {
#pragma omp target map(tofrom: x[0:4])
  { x[0] = 2 * x[1]; counter++; }
  return x[0];
}
`

func TestClangOpenMP(t *testing.T) {
	clang := testkit.Program(t, "clang")
	wrapper := testkit.Program(t, "clang-linker-wrapper")
	ld := testkit.Program(t, "ld")
	nothing := testkit.Program(t, "true")
	const linux, windows = "x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"
	compile := func(target string, args ...string) {
		command(t, append([]string{clang, "--target=" + target, "-O1", "-fopenmp", "-fopenmp-targets=" + linux, "-o", "a.o", "a.c", "-c"}, args...)...)
	}
	tests := []struct {
		name    string
		build   func(t *testing.T) // writes out
		entries bool               // the entries exist, or are in objects that are not linked yet
	}{
		{"shared library", func(t *testing.T) {
			compile(linux, "-fPIC")
			command(t, clang, "--target="+linux, "-fPIC", "-shared", "-nostdlib", "-fopenmp", "-fopenmp-targets="+linux, "-o", "out", "a.o")
		}, true},
		{"shared library without symbols", func(t *testing.T) {
			compile(linux, "-fPIC")
			command(t, clang, "--target="+linux, "-fPIC", "-shared", "-nostdlib", "-s", "-fopenmp", "-fopenmp-targets="+linux, "-o", "out", "a.o")
		}, true},
		{"executable", func(t *testing.T) {
			compile(linux)
			command(t, clang, "--target="+linux, "-no-pie", "-nostdlib", "-Wl,-e,twice", "-Wl,--unresolved-symbols=ignore-all", "-fopenmp", "-fopenmp-targets="+linux, "-o", "out", "a.o")
		}, true},
		{"partially linked object", func(t *testing.T) {
			compile(linux, "-fPIC")
			command(t, wrapper, "--host-triple="+linux, "--linker-path="+ld, "--relocatable", "-r", "-o", "out", "a.o")
		}, false},
		{"object for Windows", func(t *testing.T) {
			compile(windows)
			command(t, wrapper, "--host-triple="+windows, "--linker-path="+nothing, "--save-temps", "-o", "a.exe", "a.o")
			testkit.NoError(t, os.Rename("a.exe.openmp.image.wrapper.o", "out"))
		}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "a.c", openMPSource)
			test.build(t)
			f := testkit.Must(Open("out"))(t)
			defer f.Close()
			if len(f.Images) != 1 {
				t.Fatalf("%d images, want 1", len(f.Images))
			}
			img := f.Images[0]
			if img.Model != "openmp" || img.Triple != linux || img.Stated != offload.Native || !strings.HasPrefix(content(t, img), "\x7fELF") {
				t.Errorf("%s image for %s, %v", img.Model, img.Triple, img.Stated)
			}
			if img.Origin.Address == 0 || !isOffloadSection(img.Origin.Section) {
				t.Errorf("found at %v, want both a descriptor and a section", img.Origin)
			}
			if names := strings.Join(img.Entries, " "); strings.Contains(names, "_twice_") != test.entries || strings.Contains(names, "counter") {
				t.Errorf("entries %q", names)
			}
		})
	}
}

// lookalikeSource has a table that differs from an OpenMP descriptor only in the symbols that it
// imports.
const lookalikeSource = `
extern char a, b, c, d;
static const char text[] = "begin, end";
static const struct { const char *begin, *end, *entries, *entries_end; } images[] = {{text, text + 5, &c, &d}};
static const struct { int count; const void *images, *entries, *entries_end; } descriptor = {1, images, &a, &b};
const void *reference(void) { return &descriptor; }
`

func TestLookalikes(t *testing.T) {
	clang := testkit.Program(t, "clang")
	for _, target := range []string{"x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc"} {
		for _, test := range []struct {
			name, source string
			images       int
		}{
			{"different symbols", lookalikeSource, 0},
			{"the same symbols", strings.Replace(lookalikeSource, "&c, &d", "&a, &b", 1), 1},
		} {
			t.Run(test.name+" for "+target, func(t *testing.T) {
				t.Chdir(t.TempDir())
				testkit.WriteFile(t, "a.c", test.source)
				command(t, clang, "--target="+target, "-O1", "-c", "-o", "a.o", "a.c")
				f := testkit.Must(Open("a.o"))(t)
				defer f.Close()
				if len(f.Images) != test.images {
					t.Errorf("%d images, want %d", len(f.Images), test.images)
				}
			})
		}
	}
}

func TestOclocArchive(t *testing.T) {
	ocloc := testkit.Program(t, "ocloc")
	clang := testkit.Program(t, "clang")
	translator := testkit.Program(t, "llvm-spirv")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "k.cl", "kernel void add(global int *a) { a[0] += 1; }\n")
	command(t, clang, "-cl-std=CL2.0", "--target=spir64-unknown-unknown", "-O1", "-c", "-emit-llvm", "-o", "k.bc", "k.cl")
	command(t, translator, "-o", "k.spv", "k.bc")
	command(t, ocloc, "compile", "-spirv_input", "-file", "k.spv", "-device", "pvc,tgl", "-output_no_suffix", "-output", "fat")
	f := testkit.Must(Open("fat"))(t)
	defer f.Close()
	want := []string{"64.12.60.7 intel_gpu_pvc native \x7fELF", "64.12.0.0 intel_gpu_tgllp native \x7fELF", "generic_ir  SPIR-V \x03\x02\x23\x07"}
	var got []string
	for _, img := range f.Images {
		got = append(got, fmt.Sprintf("%s %s %v %.4s", img.Origin.Member, img.Arch, img.Stated, content(t, img)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// descriptorSource has the descriptor table of an image in the offload wrapper's form, version 2.
const descriptorSource = `
struct entry { void *addr; const char *name; unsigned long long size; int flags, reserved; };
struct property { const char *name; const void *value; unsigned type; unsigned long long size; };
struct set { const char *name; const struct property *begin, *end; };
struct image {
  unsigned short version; unsigned char kind, format;
  const char *target, *compile, *link, *manifest, *manifest_end, *start, *end;
  const struct entry *entries, *entries_end;
  const struct set *sets, *sets_end;
};
struct descriptor { unsigned short version, count; const struct image *images; void *begin, *end; };
static const char code[] = "code of the device";
static const struct entry entries[] = {{0, "_ZTS1A", 0, 0, 0}, {0, "_ZTS1B", 0, 0, 0}};
static const char target[] = {104, 0, 0, 0, 0, 0, 0, 0, 'i', 'n', 't', 'e', 'l', '_', 'g', 'p', 'u', '_', 'p', 'v', 'c'};
static const struct property properties[] = {{"compile_target", target, 2, 21}, {"reqd_sub_group_size", 0, 1, 16}};
static const struct set sets[] = {{"SYCL/device requirements", properties, properties + 2}};
static const struct image images[] = {{2, 4, 1, "spir64_gen", "", "", 0, 0, code, code + 18, entries, entries + 2, sets, sets + 1}};
static const struct descriptor descriptor = {1, 1, images, 0, 0};
const void *reference(void) { return &descriptor; }
`

func TestLinkedDescriptors(t *testing.T) {
	clang := testkit.Program(t, "clang")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	testkit.WriteFile(t, in("d.c"), descriptorSource)
	// There are more sections than the header of a regular COFF object can count.
	var many strings.Builder
	for i := range 66000 {
		fmt.Fprintf(&many, `".section .s%d,\"dr\"\n.byte 1\n"`+"\n", i)
	}
	testkit.WriteFile(t, in("sections.h"), "__asm__("+many.String()+");\n")
	const x86, arm = "--target=x86_64-unknown-linux-gnu", "--target=aarch64-unknown-linux-gnu"
	const windows, windowsARM = "--target=x86_64-pc-windows-msvc", "--target=aarch64-pc-windows-msvc"
	tests := []struct {
		name string
		args []string
		lld  bool
	}{
		{"object", []string{x86, "-O2", "-c"}, false},
		{"position-independent object", []string{x86, "-O2", "-fPIC", "-c"}, false},
		{"object for Arm", []string{arm, "-O2", "-fPIC", "-c"}, false},
		{"object for Windows", []string{windows, "-O2", "-c"}, false},
		{"object for Windows with a section for each variable", []string{windows, "-g", "-O0", "-fdata-sections", "-c"}, false},
		{"object for Windows on Arm", []string{windowsARM, "-O2", "-c"}, false},
		{"large object for Windows", []string{windows, "-O2", "-c", "-include", "sections.h"}, false},
		{"shared library", []string{x86, "-O2", "-fPIC", "-shared", "-nostdlib"}, false},
		{"shared library without symbols", []string{x86, "-O2", "-fPIC", "-shared", "-nostdlib", "-s"}, false},
		{"executable", []string{x86, "-O2", "-no-pie", "-nostdlib", "-Wl,-e,reference"}, false},
		{"position-independent executable", []string{x86, "-O2", "-fPIE", "-pie", "-nostdlib", "-Wl,-e,reference"}, false},
		{"packed relative relocations", []string{x86, "-O2", "-fPIC", "-shared", "-nostdlib", "-Wl,-z,pack-relative-relocs"}, false},
		{"shared library of lld", []string{x86, "-O2", "-fPIC", "-shared", "-nostdlib", "-fuse-ld=lld"}, true},
		{"shared library for Arm", []string{arm, "-O2", "-fPIC", "-shared", "-nostdlib", "-fuse-ld=lld"}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.lld {
				testkit.Program(t, "ld.lld")
			}
			out := filepath.Join(t.TempDir(), "out")
			command(t, append([]string{clang, in("d.c"), "-o", out}, test.args...)...)
			f := testkit.Must(Open(out))(t)
			defer f.Close()
			const want = `: sycl spir64_gen/intel_gpu_pvc native "code of the device" [_ZTS1A _ZTS1B]`
			if got := describe(t, f); len(got) != 1 || got[0] != want {
				t.Fatalf("got %q, want %s", got, want)
			}
			if v, _ := f.Images[0].Properties.Set(propset.DeviceRequirements).Get("reqd_sub_group_size"); !v.Equal(propset.Uint(16)) {
				t.Errorf("reqd_sub_group_size %v", v)
			}
		})
	}
}
