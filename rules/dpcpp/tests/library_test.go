package dpcpp

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/sycl/propset"
	"github.com/rules-sycl/rules_sycl/sycl/spirv"
)

// library returns the path of DPC++'s library, which SYCL_JIT_LIBRARY names: without it
// the test is skipped.
func library(t testing.TB) string {
	t.Helper()
	path := os.Getenv("SYCL_JIT_LIBRARY")
	if path == "" {
		t.Skip("SYCL_JIT_LIBRARY does not name libsycl-jit.so")
	}
	return path
}

// sources is a program with kernels of all kinds.
var sources = map[string]string{
	"app/kernels.cpp": `#include <sycl/sycl.hpp>

#include <cassert>
#include <cmath>

#include "../math/tenth.hpp"

class Own;
class Helper;
class Group;
class Brain;

sycl::ext::oneapi::experimental::device_global<int[4]> counters;

void kernels(sycl::queue &q, float *p, double *d, sycl::ext::oneapi::bfloat16 *b) {
  q.parallel_for<Own>(sycl::range<1>(64), [=](sycl::id<1> i) {
    if (i == 3)
      d[i] = 2 * d[i];
  });
  q.submit([&](sycl::handler &h) {
    h.parallel_for<Helper>(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> i) {
      counters[0] = 1;
      p[i.get_global_id(0)] = math::tenth<double>(p[3]);
    });
  });
  q.parallel_for<Group>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> i) [[sycl::reqd_work_group_size(64)]] {
    assert(p[1] > 0);
    p[0] = std::sin(sycl::reduce_over_group(i.get_group(), p[i.get_global_id(0)], sycl::plus<>()));
  });
  q.single_task<Brain>([=] { b[0] = p[0]; });
  q.parallel_for(sycl::range<2>(64, 3), [=](sycl::id<2> i) { p[i[0]] = std::lgamma(p[4]); });
}
`,
	"math/tenth.hpp": `#pragma once
namespace math {
template <class T>
float tenth(float x) {
  return static_cast<float>(
      x * static_cast<T>(0.1));
}
}
`,
}

// places are the options with which SPIR-V states where kernels are.
var places = []string{"-Xclang", "-debug-info-kind=line-tables-only", "-Xclang", "-dwarf-version=4", "-fdebug-info-for-profiling",
	"-ffile-compilation-dir=.", "-Xclang", "-fdebug-compilation-dir=."}

func writeSources(t testing.TB, dir string) {
	t.Helper()
	for name, text := range sources {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, name, text)
	}
}

// must runs the driver, which must succeed and print nothing.
func must(t testing.TB, driver string, args ...string) {
	t.Helper()
	if code, stdout, stderr := run(t, driver, args...); code != 0 || stdout+stderr != "" {
		t.Fatalf("%q: exit %d\n%s%s", args, code, stdout, stderr)
	}
}

func TestLibraryIsKnown(t *testing.T) {
	must(t, usersDriver(t), "check", "--library", library(t))
}

// TestLibrary compiles a source in two directories, in one step and in two, with equal results.
func TestLibrary(t *testing.T) {
	driver, library := usersDriver(t), library(t)
	all := map[string]string{} // the files of the first run
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "somewhere", "else")} {
		writeSources(t, dir)
		t.Chdir(dir)
		must(t, driver, append([]string{"build", "--library", library, "--output", "k.bc", "--output-dir", "built", "--header", "k.h", "--footer", "k.f", "--depfile", "k.d",
			"app/kernels.cpp", "--", "-O2"}, places...)...)
		must(t, driver, "post-link", "--library", library, "--output-dir", "images", "k.bc")
		files := []string{"k.bc", "k.h", "k.f", "k.d"}
		for name := range strings.FieldsSeq(names(t, "images")) {
			files = append(files, "images/"+name, "built/"+name)
		}
		for _, name := range files {
			text := read(t, name)
			if other, ok := all[name]; ok && other != text {
				t.Errorf("%s depends on the directory", name)
			}
			if strings.Contains(text, dir) {
				t.Errorf("%s names the directory", name)
			}
			all[name] = text
		}
	}
	if len(all) < 4+2*(3*4+1) {
		t.Errorf("%d files", len(all))
	}
	if got, want := names(t, "built"), names(t, "images"); got != want {
		t.Fatalf("in one step the images are %s, in two %s", got, want)
	}
	for name := range strings.FieldsSeq(names(t, "built")) {
		if withoutNames(read(t, "built/"+name)) != withoutNames(all["images/"+name]) {
			t.Errorf("%s is another one when the images are made in one step", name)
		}
	}
	checkHeader(t, all["k.h"])
	checkDepfile(t, all["k.d"])
	checkImages(t)
}

// TestLibraryInclude tests options that include files before the source, from the directory or the include path.
func TestLibraryInclude(t *testing.T) {
	driver, library := usersDriver(t), library(t)
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "k.cpp", "#if A + B + C != 6\n#error a file is missing\n#endif\n")
	write(t, "a.hpp", "#define A 1\n")
	write(t, "b.hpp", "#define B A + 1\n")
	write(t, "c.hpp", "#define C 3\n")
	if err := os.Mkdir("include", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("b.hpp", "include/b.hpp"); err != nil {
		t.Fatal(err)
	}
	must(t, driver, "compile", "--library", library, "--output", "k.bc", "--depfile", "k.d", "k.cpp", "--",
		"-include", "a.hpp", "-includeb.hpp", "-Iinclude", "-imacros", "c.hpp")
	for _, name := range []string{"a.hpp", "include/b.hpp", "c.hpp"} {
		if text := read(t, "k.d"); !strings.Contains(text, name) {
			t.Errorf("%s is not among the dependencies: %q", name, text)
		}
	}
	code, _, stderr := run(t, driver, "compile", "--library", library, "--output", "k.bc", "k.cpp", "--", "-include", "lost.hpp")
	if code != 1 || !strings.Contains(stderr, "'lost.hpp' file not found") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}

// TestLibraryCompare checks that macros are compared in a user's directory include/sycl, and not in
// libsycl's.
func TestLibraryCompare(t *testing.T) {
	driver, library := usersDriver(t), library(t)
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("own/include/sycl", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(filepath.Dir(library)), "dpcpp"); err != nil {
		t.Fatal(err)
	}
	write(t, "own/include/sycl/own.hpp", "#ifdef OWN\n#endif\n")
	write(t, "k.cpp", "#include <sycl/sycl.hpp>\n#include \"own/include/sycl/own.hpp\"\n")
	must(t, driver, "compile", "--library", library, "--output", "k.bc", "--compare", "compare.h", "--depfile", "k.d",
		"k.cpp", "--", "-std=c++17", "-isystem", "dpcpp/include")
	if rule := read(t, "k.d"); !strings.Contains(rule, "dpcpp/include/sycl/sycl.hpp") {
		t.Fatalf("another sycl.hpp was read:\n%s", rule)
	}
	text := read(t, "compare.h")
	if !strings.Contains(text, "own/include/sycl/own.hpp") || strings.Contains(text, "dpcpp/include") {
		t.Errorf("got\n%s", text)
	}
}

// TestLibraryClasses checks that the header describes the classes of kernels with lambdas, and lists
// the files that have kernels or lambdas.
func TestLibraryClasses(t *testing.T) {
	driver, library := usersDriver(t), library(t)
	t.Chdir(t.TempDir())
	write(t, "make.hpp", "inline auto make(int n) { return [=](int i) { return i * n; }; }\n")
	write(t, "none.hpp", "inline int none(const int *list, int i) { return list[i]; }\n")
	write(t, "kernel.hpp", "struct Class { int *p; void operator()() const { *p = 1; } };\n")
	write(t, "k.cpp", `#include "kernel.hpp"
#include "make.hpp"
#include "none.hpp"
#include <sycl/sycl.hpp>
template <class... T>
void pack(sycl::queue &q, int *out, T... v) {
  q.single_task<class Pack>([=] { ((out[0] += v), ...); });
}
void f(sycl::queue &q, int *out) {
  const int step = 4;
  auto g = make(3);
  q.single_task<class Lambda>([=] { const int &s = step; out[0] = g(s); });
  q.parallel_for<class Range>(64, [=](sycl::id<1> i) { out[i] = g(2); });
  q.parallel_for(64, [=](sycl::id<1> i) { out[i] = g(3); });
  q.single_task(Class{out});
  pack(q, out, 'a', 2, 3L);
}
`)
	rounded := []string{ // not with -O0
		"// Class of _ZTSN4sycl3_V16detail18RoundedRangeKernelINS0_4itemILi1ELb1EEELi1EZ1fRNS0_5queueEPiEUlNS0_2idILi1EEEE0_EE: 24{UserRange@0:8 KernelFunc@8:16{out@0:8 g@8:4{n@0:4}}}",
		"// Class of _ZTSN4sycl3_V16detail19__pf_kernel_wrapperIZ1fRNS0_5queueEPiE5RangeEE: 24{UserRange@0:8 KernelFunc@8:16{out@0:8 g@8:4{n@0:4}}}",
	}
	unrounded := []string{
		"// Class of _ZTSZ1fRN4sycl3_V15queueEPiE5Range: 16{out@0:8 g@8:4{n@0:4}}",
		"// Class of _ZTSZ1fRN4sycl3_V15queueEPiE6Lambda: 24{step@0c:4 out@8:8 g@16:4{n@0:4}}",
		"// Class of _ZTSZ1fRN4sycl3_V15queueEPiEUlNS0_2idILi1EEEE0_: 16{out@0:8 g@8:4{n@0:4}}",
		// All elements have the offset and size of the element that comes first.
		"// Class of _ZTSZ4packIJcilEEvRN4sycl3_V15queueEPiDpT_E4Pack: 24{out@0:8 v@8:8 v@8:8 v@8:8}",
		"// File k.cpp",
		"// File kernel.hpp",
		"// File make.hpp",
	}
	for _, options := range [][]string{{"-O2"}, {"-O0"}, {"-O2", "-g"}, {"-O0", "-g"}} {
		args := append([]string{"build", "--library", library, "--output", "k.bc", "--output-dir", "images", "--header", "k.h", "--depfile", "k.d",
			"k.cpp", "--", "-std=c++17", "-Xclang", "-debug-info-kind=limited", "-fdebug-info-for-profiling"}, options...)
		must(t, driver, args...)
		var got []string
		for line := range strings.Lines(read(t, "k.h")) {
			if strings.HasPrefix(line, "// Class of ") || strings.HasPrefix(line, "// File ") && !strings.HasPrefix(line, "// File /") {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
		}
		want := unrounded
		if options[0] != "-O0" {
			want = slices.Concat(rounded, unrounded)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got\n%s", options, strings.Join(got, "\n"))
		}
	}
}

// withoutNames returns SPIR-V without OpName, and other text as it is. The library names
// blocks that it makes itself when it has read bitcode, and not right after clang.
func withoutNames(text string) string {
	data := []byte(text)
	const header, opName = 20, 5
	if len(data) < header || binary.LittleEndian.Uint32(data) != 0x07230203 {
		return text
	}
	kept := data[:header:header]
	for data = data[header:]; len(data) >= 4; {
		word := binary.LittleEndian.Uint32(data)
		n := min(max(4*int(word>>16), 4), len(data))
		if word&0xffff != opName {
			kept = append(kept, data[:n]...)
		}
		data = data[n:]
	}
	return string(kept)
}

func checkHeader(t *testing.T, header string) {
	t.Helper()
	for _, name := range []string{"class Own;", "class Brain;"} {
		if !strings.Contains(header, name) {
			t.Errorf("the integration header lacks %q", name)
		}
	}
}

func checkDepfile(t *testing.T, text string) {
	t.Helper()
	words := strings.Fields(strings.ReplaceAll(text, "\\\n", " "))
	if len(words) < 10 || words[0] != "device:" || words[1] != "app/kernels.cpp" {
		t.Fatalf("dependencies: %.200q", text)
	}
	own := 0
	for _, file := range words[1:] {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("it depends on %v", err)
		}
		if strings.HasSuffix(file, "math/tenth.hpp") {
			own++
		}
	}
	if own != 1 {
		t.Errorf("the header of the source is there %d times", own)
	}
}

// checkImages checks the files in the directory images: every image is SPIR-V, and its property
// file is as this project writes it.
func checkImages(t *testing.T) {
	t.Helper()
	var kernels, libraries []string
	for line := range strings.Lines(read(t, "images/images.table")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "[") {
			continue
		}
		m, err := spirv.Parse([]byte(read(t, "images/"+cells[0])))
		if err != nil {
			t.Fatalf("%s: %v", cells[0], err)
		}
		text := read(t, "images/"+cells[1])
		r, err := propset.Parse(cells[1], []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := r.MarshalText(); err != nil || string(again) != text {
			t.Errorf("%s is %q, %v when this project writes it, not %q", cells[1], again, err, text)
		}
		listed := 0
		for _, p := range r.Set(propset.KernelNames).Properties() {
			if m.Kernel(p.Key) == nil {
				t.Errorf("%s names the kernel %s, which is not in the SPIR-V", cells[1], p.Key)
			}
			if !strings.Contains("\n"+read(t, "images/"+cells[2]), "\n"+p.Key+"\n") {
				t.Errorf("%s lacks the kernel %s", cells[2], p.Key)
			}
			kernels = append(kernels, p.Key)
			listed++
		}
		if listed == 0 {
			libraries = append(libraries, cells[0])
		}
	}
	for _, want := range []string{"_ZTS3Own", "_ZTS6Helper", "_ZTS5Group", "_ZTS5Brain"} {
		found := false
		for _, k := range kernels {
			found = found || k == want
		}
		if !found {
			t.Errorf("there is no kernel %s among %q", want, kernels)
		}
	}
	if len(libraries) != 2 {
		t.Errorf("the libraries are %q, want two for bfloat16", libraries)
	}
}

// TestLibraryOptimization checks the optimization level with -g. Without the driver, the library of
// DPC++ 2026.2 uses -O0 whatever the level is.
func TestLibraryOptimization(t *testing.T) {
	driver, library := usersDriver(t), library(t)
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "#include <sycl/sycl.hpp>\nvoid f(sycl::queue &q, float *p) { q.single_task<class K>([=] { p[0] = 1; }); }\n")
	for options, want := range map[string]bool{"-g": false, "-O2 -g": true, "-g -Os": true, "-O2 -O0 -g": false} {
		args := append([]string{"build", "--library", library, "--output", "k.bc", "--output-dir", "images", "k.cpp", "--"}, strings.Fields(options)...)
		must(t, driver, args...)
		if got := !neverOptimized(read(t, "images/0.spv")); got != want {
			t.Errorf("%q: optimized = %t, want %t", options, got, want)
		}
	}
}

// neverOptimized reports whether a SPIR-V module has a function that must not be optimized.
func neverOptimized(text string) bool {
	const header, opFunction, optNone = 20, 54, 0x10000
	for data := []byte(text)[header:]; len(data) >= 20; {
		word := binary.LittleEndian.Uint32(data)
		if word&0xffff == opFunction && binary.LittleEndian.Uint32(data[12:])&optNone != 0 {
			return true
		}
		data = data[min(max(4*int(word>>16), 4), len(data)):]
	}
	return false
}

// TestLibraryDebug checks that debug information does not contain names that differ between runs.
func TestLibraryDebug(t *testing.T) {
	driver, library := usersDriver(t), library(t)
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "#include <sycl/sycl.hpp>\nvoid f(sycl::queue &q, float *p) { q.single_task<class K>([=] { p[0] = 1; }); }\n")
	var bitcode [2]string
	for i := range bitcode {
		must(t, driver, "compile", "--library", library, "--output", "k.bc", "--header", "k.h", "--footer", "k.f", "--depfile", "k.d", "k.cpp", "--", "-g")
		bitcode[i] = read(t, "k.bc")
	}
	if bitcode[0] != bitcode[1] {
		t.Error("the bitcode of two runs differs")
	}
}

// TestLibraryMessages checks that messages of the real library are printed in the same way as the
// messages of the stand-in.
func TestLibraryMessages(t *testing.T) {
	driver, library := usersDriver(t), library(t)
	const include = "#include <sycl/sycl.hpp>\n"
	for name, test := range map[string]struct {
		source  string
		options []string
		code    int
		want    []string
	}{
		"an error":         {source: "int x = y;\n", code: 1, want: []string{"k.cpp:1:9: error: use of undeclared identifier 'y'\n"}},
		"a warning":        {source: "int f() { int x; return 1; }\n", options: []string{"-Wall"}, want: []string{"k.cpp:1:15: warning: unused variable 'x'"}},
		"Werror":           {source: "int f() { int x; return 1; }\n", options: []string{"-Wall", "-Werror"}, code: 1, want: []string{"k.cpp:1:15: error: unused variable 'x'"}},
		"a header":         {source: include + "sycl::vec<int, 3> v = nullptr;\n", code: 1, want: []string{"sycl/", "k.cpp:2:19: error: "}},
		"an unnamed one":   {source: include + "void f(sycl::queue &q) { q.single_task([] {}); }\n", options: []string{"-fno-sycl-unnamed-lambda"}, code: 1, want: []string{"note: name the kernel"}},
		"no C++ library":   {source: include, options: []string{"--sysroot=/nonexistent"}, code: 1, want: []string{"file not found", "note: the headers of the C++ standard library were not found"}},
		"a newer header":   {source: "#include <sycl/ext/future.hpp>\n", code: 1, want: []string{"has no header <sycl/ext/future.hpp>"}},
		"unknown option":   {source: include, options: []string{"-fno-such-option"}, code: 1, want: []string{"unknown argument: '-fno-such-option'", "note: the device compiler does not support this option"}},
		"rejected option":  {source: include, options: []string{"-c"}, code: 2, want: []string{"error: Option '-c'", "note: the build controls this option"}},
		"missing value":    {source: include, options: []string{"-I"}, code: 2, want: []string{"error: User option '-I'"}},
		"undefined device": {source: include + "SYCL_EXTERNAL void g();\nvoid f(sycl::queue &q) { q.single_task<class K>([] { g(); }); }\n"},
		"nothing":          {source: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "k.cpp", test.source)
			code, _, stderr := run(t, driver, append([]string{"compile", "--library", library, "--output", "k.bc", "k.cpp", "--"}, test.options...)...)
			if code != test.code || test.want == nil && stderr != "" {
				t.Errorf("exit %d\n%s", code, stderr)
			}
			for _, want := range test.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("got\n%swant %q", stderr, want)
				}
			}
			if strings.Contains(stderr, "/sycl-jit-toolchain/") || strings.Contains(stderr, "Detailed information") {
				t.Errorf("got\n%s", stderr)
			}
			if _, err := os.Stat("k.bc"); (err == nil) != (code == 0) {
				t.Errorf("exit %d, and the output: %v", code, err)
			}
		})
	}
}

// TestLibraryBitcode tests that invalid and damaged bitcode is an error.
func TestLibraryBitcode(t *testing.T) {
	driver, library := usersDriver(t), library(t)
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "#include <sycl/sycl.hpp>\nvoid f(sycl::queue &q, float *p) { q.single_task<class K>([=] { p[0] = 1; }); }\n")
	must(t, driver, "compile", "--library", library, "--output", "k.bc", "k.cpp")
	bitcode := read(t, "k.bc")
	for name, text := range map[string]string{
		"text": "define void @f()", "the signature": "BC\xc0\xde", "cut": bitcode[:len(bitcode)/2], "zeros": "BC\xc0\xde" + strings.Repeat("\x00", 4000),
		"a cut-off end": bitcode[:len(bitcode)-4], "noise": "BC\xc0\xde" + strings.Repeat("\x37\xa1\x05\xee", 1000),
	} {
		write(t, "bad.bc", text)
		code, _, stderr := run(t, driver, "post-link", "--library", library, "--output-dir", "out", "bad.bc")
		if code != 3 && code != 4 || !strings.Contains(stderr, "bad.bc: error: ") {
			t.Errorf("%s: exit %d\n%s", name, code, stderr)
		}
		if got := names(t, "."); got != "bad.bc k.bc k.cpp" {
			t.Errorf("%s: files: %s", name, got)
		}
	}
}
