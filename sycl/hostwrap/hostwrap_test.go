package hostwrap

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/aspect"
	"github.com/rules-sycl/rules_sycl/sycl/hostbin"
	"github.com/rules-sycl/rules_sycl/sycl/offload"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/release"
	"github.com/rules-sycl/rules_sycl/sycl/srcloc"
)

func properties(t *testing.T, lines ...string) *propset.Registry {
	t.Helper()
	r, err := propset.Parse("test", []byte(strings.Join(lines, "\n")))
	testkit.NoError(t, err)
	return r
}

// small has a property of each type.
func small(t *testing.T) []Image {
	r := properties(t, "[SYCL/device requirements]", "reqd_sub_group_size=1|16")
	r.Add(propset.DeviceRequirements).Put("aspects", propset.Uint32s(uint32(aspect.FP64), uint32(aspect.Atomic64)))
	return []Image{
		{File: "k_0.spv", Target: "spir64", Format: offload.SPIRV, Entries: []string{"_ZTS1A", "_ZTS1B"}, Properties: r},
		{File: "a \"b\"\\\n.bin", Target: "spir64_gen", Format: offload.Native},
	}
}

func write(t *testing.T, images []Image, r *release.Release) string {
	t.Helper()
	var b strings.Builder
	testkit.NoError(t, Write(&b, images, nil, r))
	return b.String()
}

func TestSource(t *testing.T) {
	for _, r := range []*release.Release{release.Before2026(), release.Newest()} {
		testkit.Golden(t, "small_"+r.Name+".s", write(t, small(t), r))
	}
}

// TestRoundTrip checks that package hostbin finds the images in the output of the assembler and the
// linker.
func TestRoundTrip(t *testing.T) {
	for _, tool := range []string{"cc", "clang"} {
		for _, r := range release.All() {
			t.Run(tool+"/"+r.Name, func(t *testing.T) {
				images := small(t)
				images[0].Properties.Add("SYCL/misc properties") // a set without properties
				other := properties(t, "[SYCL/x]", "n=1|4294967295", "none=1|0")
				other.Add("SYCL/x").Put("bits", propset.Bits([]byte{0xff, 0x01}, 9))
				other.Add("SYCL/x").Put("nothing", propset.Bytes(nil))
				other.Add("SYCL/x").Put("long", propset.Bytes(bytes.Repeat([]byte("\x00\xff\"\\\n7"), 50)))
				other.Add("[odd] \t\u00e4\"\\").Put("key 8\u00e4\"\\1", propset.String("9"))
				images[1].Properties = other
				images[1].Options = propset.JITOptions{Compile: "-ze-opt-level=2 -g", Link: "-l \"x\""}
				images = append(images, Image{File: "c.bc", Target: "spir64_x86_64", Format: offload.Bitcode, Entries: []string{"k\u00e4 \"\\8\tname"}})
				// One image is directly followed by other data.
				contents := [][]byte{bytes.Repeat([]byte("0123456789abcdef"), 1000), []byte("x"), []byte("\x00\x01\xff")}
				compare(t, link(t, tool, images, contents, r), images, contents)
			})
		}
	}
}

// link builds a shared library with images with these contents, and opens it.
func link(t *testing.T, tool string, images []Image, contents [][]byte, r *release.Release) *hostbin.File {
	t.Helper()
	path := testkit.Program(t, tool)
	dir := t.TempDir()
	for i, img := range images {
		put(t, filepath.Join(dir, img.File), contents[i])
	}
	put(t, filepath.Join(dir, "wrapped.s"), []byte(write(t, images, r)))
	cmd := exec.Command(path, "-shared", "-Wl,-z,text", "-Wl,--fatal-warnings", "-o", "libwrapped.so", "wrapped.s")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := hostbin.Open(filepath.Join(dir, "libwrapped.so"))
	testkit.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t *testing.T, name string, data []byte) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(name, data, 0o644))
}

func compare(t *testing.T, f *hostbin.File, images []Image, contents [][]byte) {
	t.Helper()
	if len(f.Images) != len(images) {
		t.Fatalf("%d images, want %d", len(f.Images), len(images))
	}
	for i, got := range f.Images {
		want := images[i]
		data, err := got.Data()
		if err != nil || !bytes.Equal(data, contents[i]) {
			t.Errorf("image %d: %d bytes, want %d; %v", i, len(data), len(contents[i]), err)
		}
		if got.Model != "sycl" || got.Triple != want.Target || got.Stated != want.Format || got.CompileOptions != want.Options.Compile || got.LinkOptions != want.Options.Link {
			t.Errorf("image %d: %+v", i, got)
		}
		if !slices.Equal(got.Entries, want.Entries) {
			t.Errorf("image %d: entries %q, want %q", i, got.Entries, want.Entries)
		}
		if want.Properties == nil {
			want.Properties = new(propset.Registry)
		}
		if !got.Properties.Equal(want.Properties) {
			t.Errorf("image %d: properties\n%s\nwant\n%s", i, got.Properties, want.Properties)
		}
	}
}

// TestLarge checks that large images are in a section that linkers place outside of the range that
// code can address.
func TestLarge(t *testing.T) {
	images := small(t)
	for i := range images {
		images[i].Large = true
	}
	if text := write(t, images, release.Newest()); strings.Count(text, ".lrodata,\"al\"") != 2 {
		t.Errorf("got\n%s", text)
	}
	contents := [][]byte{[]byte("0123456789abcdef"), []byte("x")}
	compare(t, link(t, "cc", images, contents, release.Newest()), images, contents)
}

// TestCalls checks that a program calls each of the two functions once per object, before
// constructors and after destructors.
func TestCalls(t *testing.T) {
	path := testkit.Program(t, "cc")
	dir := t.TempDir()
	put(t, filepath.Join(dir, "image"), []byte("image"))
	source := write(t, []Image{{File: "image", Target: "spir64", Format: offload.SPIRV}}, release.Newest())
	put(t, filepath.Join(dir, "one.s"), []byte(source))
	put(t, filepath.Join(dir, "two.s"), []byte(source))
	put(t, filepath.Join(dir, "main.c"), []byte(`
#include <stdint.h>
#include <stdio.h>
struct images { uint16_t version, count; const void *images; };
void __sycl_register_lib(const struct images *d) { printf("register %d %d\n", d->version, d->count); }
void __sycl_unregister_lib(const struct images *d) { printf("unregister %d %d\n", d->version, d->count); }
__attribute__((constructor)) static void before(void) { puts("constructor"); }
__attribute__((destructor)) static void after(void) { puts("destructor"); }
int main(void) { puts("main"); }
`))
	for _, flags := range [][]string{{"-pie", "-fPIE"}, {"-no-pie"}} {
		cmd := exec.Command(path, append(flags, "-o", "main", "main.c", "one.s", "two.s")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command(filepath.Join(dir, "main")).Output()
		const want = "register 1 1\nregister 1 1\nconstructor\nmain\ndestructor\nunregister 1 1\nunregister 1 1\n"
		if err != nil || string(out) != want {
			t.Errorf("%q: %v\n%swant\n%s", flags, err, out, want)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	needs := func(a aspect.Aspect) *propset.Registry {
		r := new(propset.Registry)
		r.Add(propset.DeviceRequirements).Put("aspects", propset.Uint32s(uint32(a)))
		return r
	}
	badKey := new(propset.Registry)
	badKey.Add("set").Put("a\nb", propset.Uint(1))
	good := Image{File: "f", Target: "spir64", Format: offload.SPIRV}
	for _, c := range []struct {
		name, want string
		change     func(*Image)
	}{
		{"no file", "missing file name", func(i *Image) { i.File = "" }},
		{"file", "the file name contains a NUL", func(i *Image) { i.File = "a\x00" }},
		{"target", `the target "" is empty or contains a NUL`, func(i *Image) { i.Target = "" }},
		{"format", "the runtime does not support the format PTX", func(i *Image) { i.Format = offload.PTX }},
		{"empty name", `the kernel name "" is empty or contains a NUL`, func(i *Image) { i.Entries = []string{""} }},
		{"bad name", `the kernel name "a\x00b" is empty or contains a NUL`, func(i *Image) { i.Entries = []string{"a\x00b"} }},
		{"twice", `duplicate kernel "a"`, func(i *Image) { i.Entries = []string{"a", "b", "a"} }},
		{"key", "line break", func(i *Image) { i.Properties = badKey }},
		{"aspect", "the runtime of release 2025.3 does not support aspect", func(i *Image) { i.Properties = needs(99) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			img := good
			c.change(&img)
			err := Write(io.Discard, []Image{good, img}, nil, release.Before2026())
			var bad *ImageError
			if !errors.As(err, &bad) || bad.File != img.File || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if err := Write(io.Discard, slices.Repeat([]Image{good}, maxImages+1), nil, release.Newest()); err == nil {
		t.Errorf("no error for %d images", maxImages+1)
	}
	var none strings.Builder
	if err := Write(&none, nil, nil, release.Newest()); err != nil || strings.Contains(none.String(), "__sycl") {
		t.Errorf("without images: %v\n\n%s", err, &none)
	}
	if err := Write(broken{}, small(t), nil, release.Newest()); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestKernelsWithOneName checks that linkers accept kernels with one name in two objects of a
// program if they have the same location, as in a header, and otherwise report the kernel.
func TestKernelsWithOneName(t *testing.T) {
	at := func(file string, line uint32) []Image {
		image := Image{File: "k.spv", Target: "spir64", Format: offload.SPIRV, Entries: []string{"_ZTS5Twice"}, Properties: new(propset.Registry)}
		srcloc.Put(image.Properties, "_ZTS5Twice", srcloc.Kernel{Location: srcloc.Location{Path: file, Line: line}})
		return []Image{image}
	}
	const header = "lib/twice.hpp"
	linkers := []string{"bfd"}
	for _, linker := range []string{"gold", "lld", "mold"} {
		if _, err := exec.LookPath("ld." + linker); err == nil {
			linkers = append(linkers, linker)
		}
	}
	for _, tool := range []string{"cc", "clang"} {
		compiler := testkit.Program(t, tool)
		for name, test := range map[string]struct {
			other []Image
			links bool
		}{
			"the same location":                        {at(header, 7), true},
			"the same header in a different directory": {at("bin/_virtual_includes/lib/twice.hpp", 7), true},
			"a different line":                         {at(header, 8), false},
			"a different file":                         {at("lib/other.cpp", 7), false},
			"an unknown location":                      {at("", 0), true},
			"a different kernel at the same location":  {append(at(header, 7), Image{File: "k.spv", Target: "spir64", Format: offload.SPIRV, Entries: []string{"other"}}), true},
		} {
			t.Run(tool+"/"+name, func(t *testing.T) {
				dir := t.TempDir()
				put(t, filepath.Join(dir, "k.spv"), []byte("spirv"))
				put(t, filepath.Join(dir, "a.s"), []byte(write(t, at(header, 7), release.Newest())))
				put(t, filepath.Join(dir, "b.s"), []byte(write(t, test.other, release.Newest())))
				for _, linker := range linkers {
					cmd := exec.Command(compiler, "-shared", "-Wl,--fatal-warnings", "-fuse-ld="+linker, "-o", "lib.so", "a.s", "b.s")
					cmd.Dir = dir
					out, err := cmd.CombinedOutput()
					if test.links != (err == nil) {
						t.Errorf("%s: %v\n%s", linker, err, out)
					}
					if err != nil && !strings.Contains(string(out), "sycl_kernel_is_defined_twice__ZTS5Twice") {
						t.Errorf("%s: message\n%s", linker, out)
					}
				}
			})
		}
	}
	err := Write(io.Discard, append(at(header, 7), at("lib/other.cpp", 9)...), nil, release.Newest())
	if err == nil || err.Error() != `image "k.spv": the kernel "Twice" of lib/other.cpp:9 is also defined at lib/twice.hpp:7: the runtime would confuse them; give them different names` {
		t.Errorf("in one object: %v", err)
	}
}

// TestGroupsOfKernels checks that the section group of a kernel is named by a global symbol.
// llvm-strip turns groups with local names into groups that linkers do not compare.
func TestGroupsOfKernels(t *testing.T) {
	for _, tool := range []string{"cc", "clang"} {
		t.Run(tool, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "k.spv"), []byte("spirv"))
			put(t, filepath.Join(dir, "a.s"), []byte(write(t, defined("twice.hpp", 1), release.Newest())))
			cmd := exec.Command(testkit.Program(t, tool), "-c", "a.s")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			object, err := elf.Open(filepath.Join(dir, "a.o"))
			if err != nil {
				t.Fatal(err)
			}
			defer object.Close()
			symbols, err := object.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			groups := 0
			for _, section := range object.Sections {
				if section.Type != elf.SHT_GROUP {
					continue
				}
				groups++
				name := symbols[section.Info-1] // Symbols omits the first one
				if elf.ST_BIND(name.Info) == elf.STB_LOCAL || elf.ST_VISIBILITY(name.Other) != elf.STV_HIDDEN {
					t.Errorf("the group's symbol %s: binding %v, visibility %v", name.Name, elf.ST_BIND(name.Info), elf.ST_VISIBILITY(name.Other))
				}
			}
			if groups == 0 {
				t.Error("no group")
			}
		})
	}
}

// TestKernelInOneHeader checks that the directory of a header, which depends on how it is included,
// does not distinguish kernels with the same name.
func TestKernelInOneHeader(t *testing.T) {
	for file, ok := range map[string]bool{"lib/k.hpp": true, "bin/_virtual_includes/lib/k.hpp": true, "lib/other.hpp": false} {
		var images []Image
		for _, path := range []string{"lib/k.hpp", file} {
			image := Image{File: "k.spv", Target: "spir64", Format: offload.SPIRV, Entries: []string{"_ZTS1K"}, Properties: new(propset.Registry)}
			srcloc.Put(image.Properties, "_ZTS1K", srcloc.Kernel{Location: srcloc.Location{Path: path, Line: 7}})
			images = append(images, image)
		}
		if err := Write(io.Discard, images, nil, release.Newest()); ok != (err == nil) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// defined returns an image of a kernel with a known location and digest.
func defined(file string, digest uint32) []Image { return definedAs("_ZTS4Step", file, digest) }

// definedAs returns the same for a kernel with the given symbol.
func definedAs(symbol, file string, digest uint32) []Image {
	image := Image{File: "k.spv", Target: "spir64", Format: offload.SPIRV, Entries: []string{symbol}, Properties: new(propset.Registry)}
	srcloc.Put(image.Properties, symbol, srcloc.Kernel{Location: srcloc.Location{Path: file, Line: 7}})
	image.Properties.Add(propset.KernelDigests).Put(symbol, propset.Uint(digest))
	return []Image{image}
}

// groups returns the section group of each symbol that a program may define only once.
func groups(images []Image) map[string]string {
	var b strings.Builder
	if err := Write(&b, images, nil, release.Newest()); err != nil {
		panic(err)
	}
	groups := map[string]string{}
	for _, m := range regexp.MustCompile(`,(sycl_kernel_[^,]*),comdat\n(?:.*\n)*?\t\.globl (\S+)`).FindAllStringSubmatch(b.String(), -1) {
		groups[m[2]] = m[1]
	}
	return groups
}

// conflict reports whether two objects define a symbol in different groups.
func conflict(a, b map[string]string) bool {
	for symbol, group := range a {
		if other, ok := b[symbol]; ok && other != group {
			return true
		}
	}
	return false
}

// TestKernelsInOneSource checks a source that is compiled twice, which can have two kernels with
// the same name at one location.
func TestKernelsInOneSource(t *testing.T) {
	header := func(kind string) []Kernel {
		return []Kernel{{Name: "_ZTS4Step", Type: "Step", Location: srcloc.Location{Path: "a.cpp", Line: 7}, Size: 8, NumParameters: 1, Parameters: []Parameter{{kind, 8, 0}}}}
	}
	place := func(images []Image, kernels []Kernel) string {
		var b strings.Builder
		testkit.NoError(t, Write(&b, images, kernels, release.Newest()))
		_, rest, _ := strings.Cut(b.String(), "@progbits,sycl_kernel_")
		group, _, _ := strings.Cut(rest, ",")
		return group
	}
	for name, tt := range map[string]struct {
		a, b string
		same bool
	}{
		"the same code":              {place(defined("a.cpp", 1), nil), place(defined("a.cpp", 1), nil), true},
		"different code":             {place(defined("a.cpp", 1), nil), place(defined("a.cpp", 2), nil), false},
		"the same code of two files": {place(defined("a.cpp", 2), nil), place(defined("b.cpp", 2), nil), true},
		"partial digests":            {place(defined("a.cpp", 3), nil), place(defined("b.cpp", 3), nil), false},
		"two headers":                {place(defined("a.hpp", 2), nil), place(defined("b.hpp", 2), nil), false},
		"different code of a header": {place(defined("a.hpp", 1), nil), place(defined("a.hpp", 2), nil), true},
		"several digests":            {place(append(defined("a.cpp", 1), defined("a.cpp", 2)...), nil), place(append(defined("a.cpp", 3), defined("a.cpp", 4)...), nil), true},
		"a parameter of a kernel":    {place(nil, header("pointer")), place(nil, header("std_layout")), false},
		"the same parameters":        {place(nil, header("pointer")), place(nil, header("pointer")), true},
		"a digest with parameters":   {place(defined("a.cpp", 1), header("pointer")), place(defined("a.cpp", 2), header("pointer")), false},
	} {
		if tt.a == "" || (tt.a == tt.b) != tt.same {
			t.Errorf("%s: groups %q and %q", name, tt.a, tt.b)
		}
	}
	for symbol, internal := range map[string]bool{
		"_ZTSZL4stepRN4sycl3_V15queueEEUlvE_":                true, // static void step(queue &)
		"_ZTSZN2ns3subL4stepERN4sycl3_V15queueEE4Name":       true,
		"_ZTSZN12_GLOBAL__N_14stepERN4sycl3_V15queueEEUlvE_": true,
		"_ZTSZL4stepIiEvRN4sycl3_V15queueEEUlvE_":            true, // template <class T> static void step(queue &)
		"_ZTSZ4stepRN4sycl3_V15queueEEUlvE_":                 false,
		"_ZTSZN2ns4stepILi3EEEvRN4sycl3_V15queueEEUlvE_":     false,
		"_ZTS4StepIL4Kind1EE":                                false, // Step<Kind(1)>
	} {
		sameLevel, otherLevel := definedAs(symbol, "a.hpp", 4), definedAs(symbol, "a.hpp", 4)
		otherLevel[0].Properties.Add(propset.MiscProperties).Put("optLevel", propset.Uint(2))
		a, b, c := groups(definedAs(symbol, "a.hpp", 2)), groups(sameLevel), groups(otherLevel)
		if len(a) == 0 || conflict(a, b) != internal || conflict(a, c) || conflict(a, groups(definedAs(symbol, "a.hpp", 2))) {
			t.Errorf("different code of %s in a header: groups %q, %q and %q", symbol, a, b, c)
		}
	}
	testkit.NoError(t, Write(io.Discard, append(defined("a.cpp", 2), defined("b.cpp", 2)...), nil, release.Newest()))
	err := Write(io.Discard, nil, append(header("pointer"), header("std_layout")...), release.Newest())
	if err == nil || !strings.Contains(err.Error(), `the kernel "Step" of a.cpp:7 is defined twice with different code`) {
		t.Errorf("got %v", err)
	}
}

// TestKernelsInTwoLibraries checks that a process that loads two libraries with different kernels
// of the same name exits with a message.
func TestKernelsInTwoLibraries(t *testing.T) {
	include := testkit.Must(filepath.Abs("../../rules/dpcpp/host"))(t)
	const source = `#include <rules_sycl/clash.hpp>
extern "C" void __sycl_register_lib(const void *) {}
extern "C" void __sycl_unregister_lib(const void *) {}
`
	for _, tool := range []string{"g++", "clang++"} {
		compiler := testkit.Program(t, tool)
		dir := t.TempDir()
		put(t, filepath.Join(dir, "k.spv"), []byte("spirv"))
		put(t, filepath.Join(dir, "a.cpp"), []byte(source))
		put(t, filepath.Join(dir, "main.cpp"), []byte(source+`#include <dlfcn.h>
int main(int count, char **names) {
  for (int i = 1; i < count; i++)
    if (!dlopen(names[i], RTLD_NOW | RTLD_LOCAL)) return std::puts(dlerror()), 2;
}
`))
		run := func(argv ...string) (string, error) {
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		for name, images := range map[string][]Image{"a1": defined("a.cpp", 2), "b1": defined("b.cpp", 2), "a2": defined("a.cpp", 4), "h1": defined("h.hpp", 2), "h2": defined("h.hpp", 4), "b3": defined("b.cpp", 5), "a3": defined("a.cpp", 5), "none": nil} {
			put(t, filepath.Join(dir, name+".s"), []byte(write(t, images, release.Newest())))
			for _, argv := range [][]string{
				{compiler, "-std=c++17", "-Wall", "-Werror", "-fPIC", "-I" + include, "-Wl,--gc-sections", "-shared", "-o", name + ".so", "a.cpp", name + ".s"},
				{compiler, "-std=c++17", "-O2", "-I" + include, "-o", "main_" + name, "main.cpp", name + ".s", "-ldl"},
			} {
				if out, err := run(argv...); err != nil {
					t.Fatalf("%q: %v\n%s", argv, err, out)
				}
			}
		}
		for _, tt := range []struct {
			program string
			loaded  []string
			starts  bool
		}{
			{"main_none", []string{"./a1.so", "./b1.so", "./none.so"}, true}, // the same code
			{"main_none", []string{"./a1.so", "./a2.so"}, false},
			{"main_none", []string{"./a3.so", "./b3.so"}, false}, // partial digests
			{"main_none", []string{"./h1.so", "./h2.so"}, true},  // a header, optimized in two ways
			{"main_none", []string{"./h1.so", "./a2.so"}, false},
			{"main_a1", []string{"./a1.so"}, true},
			{"main_a1", []string{"./a2.so"}, false},
		} {
			out, err := run(append([]string{"./" + tt.program}, tt.loaded...)...)
			if (err == nil) != tt.starts || !tt.starts && !(strings.Contains(out, "Step (a.cpp:7)") && strings.Contains(out, "have different kernels with the same name")) {
				t.Errorf("%s: %s %q: %v\n%s", tool, tt.program, tt.loaded, err, out)
			}
		}
	}
}

// TestKernelsOfTwoTypes checks that a program exits with a message if its sources use one kernel
// name for function objects of two types.
func TestKernelsOfTwoTypes(t *testing.T) {
	include := testkit.Must(filepath.Abs("../../rules/dpcpp/host"))(t)
	const header = `#include <rules_sycl/one_type.hpp>
template <class K> const char *rules_sycl::device_name() { return "_ZTS4Step"; }
template <class K, class Function> void submit(Function) { (void)&rules_sycl::OneType<K, Function>::here; }
class Step;
template <class T> class Named;
template <class T> void run(T *p) { submit<Step>([=] { *p = T(2); }); }
template <class T> void named(T *p) { submit<Named<T>>([=] { *p = T(2); }); }
`
	for _, tool := range []string{"g++", "clang++"} {
		compiler := testkit.Program(t, tool)
		for name, tt := range map[string]struct {
			a, b string
			ends bool
		}{
			"one instance":         {"void a(int *p) { run(p); }", "void b(int *p) { run(p); }", false},
			"two instances":        {"void a(int *p) { run(p); }", "void b(double *p) { run(p); }", true},
			"names with arguments": {"void a(int *p) { named(p); }", "void b(double *p) { named(p); }", false},
			"numbers of lambdas":   {"static auto f = [] { submit<Step>([] {}); };\nvoid a() { f(); }", "[[maybe_unused]] auto g = [] {};\nstatic auto f = [] { submit<Step>([] {}); };\nvoid b() { f(); }", false},
			"two classes":          {"struct A { void operator()() const {} };\nvoid a() { submit<Step>(A()); }", "struct B { void operator()() const {} };\nvoid b() { submit<Step>(B()); }", true},
			"an unnamed kernel":    {"void a(int *p) { auto f = [=] { *p = 1; }; submit<decltype(f)>(f); }", "void b(long *p) { auto f = [=] { *p = 1; }; submit<decltype(f)>(f); }", false},
			"a different order":    {"void a(double *p) { run(p); }\nvoid c(int *p) { named(p); }", "void b(double *p) { named(p); run(p); }", false},
		} {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "a.cpp"), []byte(header+tt.a))
			put(t, filepath.Join(dir, "b.cpp"), []byte(header+tt.b+"\nint main() {}\n"))
			run := func(argv ...string) (string, error) {
				cmd := exec.Command(argv[0], argv[1:]...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			common := []string{compiler, "-std=c++17", "-Wall", "-Werror", "-O1", "-I" + include}
			for _, options := range [][]string{
				{"a.cpp", "b.cpp", "-o", "main"},
				{"-shared", "-fPIC", "a.cpp", "-o", "liba.so"},
				{"b.cpp", "-Wl,--no-as-needed", "-L.", "-la", "-Wl,-rpath," + dir, "-o", "main_shared"},
			} {
				if out, err := run(append(slices.Clone(common), options...)...); err != nil {
					t.Fatalf("%s: %s: %v\n%s", tool, name, err, out)
				}
			}
			for _, program := range []string{"./main", "./main_shared"} {
				out, err := run(program)
				if (err != nil) != tt.ends || tt.ends && !strings.HasPrefix(out, "rules_sycl: two kernels have the name 'Step', and the runtime would run only one: ") {
					t.Errorf("%s: %s: %s: %v\n%s", tool, name, program, err, out)
				}
			}
		}
	}
}

// TestVirtualFunctions checks that a virtual function is in only one image per device, because the
// runtime links all images of a set.
func TestVirtualFunctions(t *testing.T) {
	image := func(target, device, name string) Image {
		r := new(propset.Registry)
		r.Add(propset.VirtualFunctions).Put(propset.VirtualFunctionsSet, propset.String("set"))
		if device != "" {
			r.Add(propset.DeviceRequirements).Put("compile_target", propset.String(device))
		}
		return Image{File: "f.spv", Target: target, Format: offload.SPIRV, Entries: []string{name}, Properties: r}
	}
	const name = "_ZNK5Shape4areaEv"
	devices := []Image{image("spir64", "", name), image("spir64_gen", "intel_gpu_pvc", name), image("spir64_gen", "intel_gpu_bmg_g21", name), image("spir64", "", "other")}
	source := write(t, devices, release.Newest())
	if got := strings.Count(source, "sycl_virtual_function_is_defined_twice_"+name+":"); got != 1 {
		t.Errorf("%d symbols", got)
	}
	err := Write(io.Discard, append(devices, image("spir64", "", name)), nil, release.Newest())
	if want := `image "f.spv": the virtual function "Shape::area() const" is also in an image of a different source, and the runtime links both; link the device code of the sources with rdc = True (syclc++: -fsycl-rdc)`; err == nil || err.Error() != want {
		t.Errorf("in one object: %v", err)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f.spv"), []byte("spirv"))
	put(t, filepath.Join(dir, "a.s"), []byte(source))
	put(t, filepath.Join(dir, "b.s"), []byte(source))
	put(t, filepath.Join(dir, "c.s"), []byte(write(t, []Image{image("spir64", "", "another")}, release.Newest())))
	for other, links := range map[string]bool{"b.s": false, "c.s": true} {
		cmd := exec.Command(testkit.Program(t, "cc"), "-shared", "-Wl,--fatal-warnings", "-o", "lib.so", "a.s", other)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if links != (err == nil) || !links && !strings.Contains(string(out), "sycl_virtual_function_is_defined_twice_"+name) {
			t.Errorf("%s: %v\n%s", other, err, out)
		}
	}
}

// TestKernelsWithOneClass checks that kernels with the same class in two objects conflict,
// regardless of their symbols and of whether they have code.
func TestKernelsWithOneClass(t *testing.T) {
	cc := testkit.Program(t, "cc")
	of := func(symbol, class, file string, line uint32) Kernel {
		return Kernel{Name: symbol, Type: class, Location: srcloc.Location{Path: file, Line: line, Column: 5}}
	}
	const reduction = "_ZTSN4sycl3_V16detail9reduction7MainKrnI1KEE"
	reduced := func(function, file string, line uint32) []Image {
		symbol := reduction + function
		image := Image{File: "k.spv", Target: "spir64", Format: offload.SPIRV, Entries: []string{symbol}, Properties: new(propset.Registry)}
		srcloc.Put(image.Properties, symbol, srcloc.Kernel{Location: srcloc.Location{Path: file, Line: line}})
		return []Image{image}
	}
	for name, test := range map[string]struct {
		first, second Kernel
		images        [2][]Image
		symbol        string // defined twice; "" if the program links
	}{
		"of two functions":                     {first: of("_ZTSZ1fvE1K", "K", "a.cpp", 3), second: of("_ZTSZ1gvE1K", "K", "b.cpp", 3), symbol: "K"},
		"of two lines":                         {first: of("_ZTS1K", "K", "a.cpp", 3), second: of("_ZTS1K", "K", "a.cpp", 4), symbol: "K"},
		"of a header":                          {first: of("_ZTSZ1fvE1K", "K", "a.hpp", 3), second: of("_ZTSZ1fvE1K", "K", "a.hpp", 3)},
		"a template":                           {first: of("_ZTS1KIiE", "K<int>", "a.cpp", 3), second: of("_ZTS1KIiE", "K<int>", "b.cpp", 3), symbol: "K_int__"},
		"a different instance of the template": {first: of("_ZTS1KIiE", "K<int>", "a.cpp", 3), second: of("_ZTS1KIlE", "K<long>", "b.cpp", 3)},
		"by class and by symbol":               {first: of("_ZTS1K", "K", "a.cpp", 3), second: of("_ZTS1K", "", "b.cpp", 3), symbol: "_ZTS1K"},
		"similar names":                        {first: of("_ZTSN1n1KE", "n::K", "a.cpp", 3), second: of("_ZTS4n__K", "n__K", "b.cpp", 3)},
		"unnamed kernels":                      {first: of("_ZTSZ1fvEUlvE_", "", "a.cpp", 3), second: of("_ZTSZ1fvEUlvE_", "", "b.cpp", 3), symbol: "_ZTSZ1fvEUlvE_"},
		"of unnamed namespaces":                {first: of("_ZTSN12_GLOBAL__N_11KE", "K", "a.cpp", 3), second: of("_ZTSN12_GLOBAL__N_11KE", "K", "b.cpp", 3), symbol: "_ZTSN12_GLOBAL__N_11KE"},
		"of an unnamed namespace":              {first: of("_ZTSN12_GLOBAL__N_11KE", "K", "a.cpp", 3), second: of("_ZTS1K", "K", "b.cpp", 3)},
		"reductions":                           {of(reduction+"f", "R<K>", "reduction.hpp", 9), of(reduction+"g", "R<K>", "reduction.hpp", 9), [2][]Image{reduced("f", "a.cpp", 3), reduced("g", "b.cpp", 3)}, "R_K__"},
		"one reduction of a header":            {of(reduction+"f", "R<K>", "reduction.hpp", 9), of(reduction+"f", "R<K>", "reduction.hpp", 9), [2][]Image{reduced("f", "a.hpp", 3), reduced("f", "a.hpp", 3)}, ""},
		"reductions without a location":        {of(reduction+"f", "R<K>", "reduction.hpp", 9), of(reduction+"f", "R<K>", "reduction.hpp", 9), [2][]Image{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "k.spv"), []byte("spirv"))
			for i, k := range []Kernel{test.first, test.second} {
				var b strings.Builder
				testkit.NoError(t, Write(&b, test.images[i], []Kernel{k}, release.Newest()))
				put(t, filepath.Join(dir, []string{"a.s", "b.s"}[i]), []byte(b.String()))
			}
			cmd := exec.Command(cc, "-shared", "-Wl,--fatal-warnings", "-o", "lib.so", "a.s", "b.s")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if (test.symbol == "") != (err == nil) || err != nil && !strings.Contains(string(out), "sycl_kernel_is_defined_twice_"+test.symbol) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}

	// Two kernels in one object, with the path in the code.
	image := Image{File: "k.spv", Target: "spir64", Format: offload.SPIRV, Entries: []string{"_ZTSZ1fvE1K"}, Properties: new(propset.Registry)}
	srcloc.Put(image.Properties, "_ZTSZ1fvE1K", srcloc.Kernel{Location: srcloc.Location{Path: "lib/a.cpp", Line: 4}})
	err := Write(io.Discard, []Image{image}, []Kernel{of("_ZTSZ1fvE1K", "K", "a.cpp", 3), of("_ZTSZ1gvE1K", "K", "b.cpp", 3)}, release.Newest())
	if err == nil || err.Error() != `the kernel "K" of b.cpp:3:5 is also defined at lib/a.cpp:3:5: the runtime would confuse them; give them different names` {
		t.Errorf("in one object: %v", err)
	}
}

// TestKernelsWithoutImage checks that kernels without an image are registered with libsycl.
func TestKernelsWithoutImage(t *testing.T) {
	image := Image{File: "k.spv", Target: "spir64", Format: offload.SPIRV, Entries: []string{"_ZTS1A"}}
	for name, test := range map[string]struct {
		images  []Image
		kernels []string
		want    []string // the names in the placeholder; nil for no placeholder
	}{
		"all with an image":           {[]Image{image}, []string{"_ZTS1A"}, nil},
		"no kernels":                  {[]Image{image}, nil, nil},
		"nothing":                     {nil, nil, nil},
		"one of two without an image": {[]Image{image}, []string{"_ZTS1B", "_ZTS1A"}, []string{"_ZTS1B"}},
		"two without an image":        {nil, []string{"_ZTS1B", "_ZTS1A"}, []string{"_ZTS1A", "_ZTS1B"}},
		"a header's kernel, twice":    {nil, []string{"_ZTS1A", "_ZTS1A"}, []string{"_ZTS1A"}},
		"a name with a NUL":           {nil, []string{"_ZTS1A\x00"}, nil},
	} {
		var kernels []Kernel
		for _, k := range test.kernels {
			kernels = append(kernels, Kernel{Name: k})
		}
		for _, r := range []string{"2025.3", "2026.2"} {
			var b strings.Builder
			testkit.NoError(t, Write(&b, test.images, kernels, testkit.Must(release.Parse(r))(t)))
			_, placeholder, found := strings.Cut(b.String(), "# Kernels without a device image.")
			if found != (test.want != nil) {
				t.Errorf("%s, %s: placeholder: %t", name, r, found)
			}
			var got []string
			for _, k := range []string{"_ZTS1A", "_ZTS1B"} {
				if strings.Count(placeholder, `.asciz "`+k+`"`) == 1 {
					got = append(got, k)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s, %s: %q, want %q", name, r, got, test.want)
			}
		}
	}
}
