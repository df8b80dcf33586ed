package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/syclbin"
	"github.com/rules-sycl/rules_sycl/tools/internal/bundle"
)

// TestReadsSYCL checks that a source is SYCL if it or a project header includes a header of
// libsycl.
func TestReadsSYCL(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"direct.cpp":          "#include <vector>\n# include  <sycl/sycl.hpp>\n",
		"old.cpp":             "#include <CL/sycl.hpp>\n",
		"plain.cpp":           "#include <vector>\n#include \"plain.hpp\"\nint sycl;\n",
		"plain.hpp":           "#pragma once\n#include \"plain.hpp\"\n",
		"nested.cpp":          "#include \"lib/a.hpp\"\n",
		"lib/a.hpp":           "#include \"b.hpp\"\n",
		"lib/b.hpp":           "#if 0\n#include <sycl/sycl.hpp>\n#endif\n",
		"folder.cpp":          "#include <c.hpp>\n",
		"include/c.hpp":       "#include <oneapi/dpl/algorithm>\n",
		"macro.cpp":           "#define H <vector>\n#include H\n",
		"named.cpp":           "int main() {}\n",
		"include/prelude.hpp": "#include <sycl/sycl.hpp>\n",
		"before.cpp":          "/* comment */ #include <sycl/sycl.hpp>\n",
		"between.cpp":         "# /* comment */ include /* comment */ <sycl/sycl.hpp>\n",
		"after.cpp":           "/* comment\n */ #include <sycl/sycl.hpp>\n",
		"digraph.cpp":         "%:include <sycl/sycl.hpp>\n",
		"installed.cpp":       "#include <installed.hpp>\n",
		"simd.cpp":            "#include <std/experimental/simd.hpp>\n",
		"limits.cpp":          "#include <limits.h>\n#include <boost.hpp>\n",
		"next.cpp":            "#include_next <vector>\n/*\n#include's name is a comment\n*/\n",
		"macronext.cpp":       "#include_next HEADER\n",

		"root/usr/include/installed.hpp":          "#include <inner.hpp>\n",
		"root/usr/local/include/inner.hpp":        "#include <sycl/queue.hpp>\n",
		"root/usr/include/limits.h":               "/* This administrivia gets added to the beginning and end\n#include's protect themselves. */\n#include_next <limits.h>\n",
		"root/usr/include/boost.hpp":              "# include BOOST_USER_CONFIG\n",
		"dpcpp/lib/libsycl-jit.so":                "",
		"dpcpp/lib/libsycl.so.9":                  "",
		"dpcpp/include/sycl/sycl.hpp":             "",
		"dpcpp/include/std/experimental/simd.hpp": "#include <sycl/ext/simd.hpp>\n",
	} {
		testkit.WriteFile(t, name, text)
	}
	absolute := testkit.Must(filepath.Abs("include/prelude.hpp"))(t)
	for _, test := range []struct {
		source, options string
		want            bool
	}{
		{"direct.cpp", "", true},
		{"direct.cpp", "-fno-sycl", false},
		{"old.cpp", "", true},
		{"plain.cpp", "", false},
		{"nested.cpp", "", true},
		{"folder.cpp", "", false},
		{"folder.cpp", "-Iinclude", true},
		{"folder.cpp", "-isystem include", true},
		{"macro.cpp", "", true},
		{"named.cpp", "", false},
		{"named.cpp", "-include include/prelude.hpp", true},
		{"named.cpp", "-include " + absolute, true}, // CMake's name for precompiled headers
		{"named.cpp", "-includeinclude/prelude.hpp", true},
		{"named.cpp", "-x assembler", false},
		{"before.cpp", "", true},
		{"between.cpp", "", true},
		{"after.cpp", "", true},
		{"digraph.cpp", "", true},
		{"installed.cpp", "", false},
		{"installed.cpp", "--sysroot=root", true},
		{"simd.cpp", "--dpcpp=dpcpp", true},
		{"limits.cpp", "--sysroot=root", false}, // macros in system headers are not SYCL headers
		{"limits.cpp", "-Iroot/usr/include", true},
		{"next.cpp", "", false},
		{"macronext.cpp", "", true},
		{"folder.cpp", "-cxx-isystem include", true},
		{"-", "-x c++", false},
		{"include/prelude.hpp", "", true},
		{"plain.hpp", "-x c++-header", false},
	} {
		args := append(strings.Fields(test.options), "-c", test.source)
		line := testkit.Must(parseLine(args))(t)
		c := &compiler{line: line}
		got, err := c.readsSYCL(*line.Words[len(line.Words)-1].Input)
		if err != nil || got != test.want {
			t.Errorf("%s: %t, %v, want %t", strings.Join(args, " "), got, err, test.want)
		}
	}
}

// recorded returns a record in the format of writeBitcode.
func recorded(source, bitcode, header string) []byte {
	out := []byte(recordMagic)
	for _, part := range []string{source, bitcode, header} {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(part)))
	}
	out = append(out, source+bitcode+header...)
	return append(out, make([]byte, -len(out)&7)...)
}

// TestWriteBitcode checks that the assembler source of device code names the source, refers to the
// symbol of the device link, and does not make the program's stack executable.
func TestWriteBitcode(t *testing.T) {
	dir := t.TempDir()
	u := &compilation{compiler: &compiler{line: &commandLine{}}, source: "a \"b\".cpp", dir: dir}
	testkit.NoError(t, u.writeBitcode(dir+"/images.s"))
	text := testkit.ReadFile(t, dir+"/images.s")
	for _, want := range []string{`.ascii "a \"b\".cpp"`, ".quad " + linkedSymbol + "\n", ".section .note.GNU-stack,\"\",@progbits\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	testkit.NoError(t, defineLinked(dir+"/images.s"))
	if text := testkit.ReadFile(t, dir+"/images.s"); !strings.Contains(text, ".weak "+linkedSymbol+"\n.hidden "+linkedSymbol+"\n"+linkedSymbol+":\n") {
		t.Errorf("%s does not define the symbol", text)
	}
}

func TestRecords(t *testing.T) {
	two := slices.Concat(recorded("a.cpp", "BC\xc0\xdeabc", ""), recorded("b.cpp", "BC\xc0\xde", "// header\n"))
	list, err := records(two)
	if err != nil || len(list) != 2 || string(list[0].bitcode) != "BC\xc0\xdeabc" || string(list[1].source) != "b.cpp" || string(list[1].header) != "// header\n" {
		t.Errorf("got %v, %v", list, err)
	}
	for _, test := range []struct {
		data []byte
		want string
	}{
		{nil, ""},
		{two[:20], "no device code at offset 0 of section rules_sycl_bitcode"},
		{append([]byte("other   "), two[8:]...), "no device code at offset 0"},
		{append(slices.Clone(recorded("a.cpp", "x", "")), "rest"...), "no device code at offset 40"},
		{two[:36], "is truncated: needs 5 bytes at offset 0, but has 4"},
	} {
		_, err := records(test.data)
		if got := fmt.Sprint(err); (err == nil) != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%q: %v, want %q", test.data, err, test.want)
		}
	}
}

// objectWith returns an ELF object with device code.
func objectWith(code []byte) []byte {
	const header, section = 64, 64
	names := "\x00" + bitcodeSection + "\x00"
	var b bytes.Buffer
	for _, part := range []any{
		elf.Header64{
			Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
			Type:  uint16(elf.ET_REL), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
			Shoff: uint64(header + len(names) + len(code)), Ehsize: header, Shentsize: section, Shnum: 3, Shstrndx: 1,
		},
		[]byte(names), code,
		[3]elf.Section64{
			{}, {Type: uint32(elf.SHT_STRTAB), Off: header, Size: uint64(len(names))},
			{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: uint64(header + len(names)), Size: uint64(len(code))},
		},
	} {
		binary.Write(&b, binary.LittleEndian, part) // writing to a buffer cannot fail
	}
	return b.Bytes()
}

// TestUnpack extracts device code from objects and archives. Members with the same code as an
// object or an earlier member are omitted.
func TestUnpack(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "1.o", string(objectWith(recorded("a.cpp", "one", "// 1\n"))))
	testkit.WriteFile(t, "2.o", string(objectWith(slices.Concat(recorded("b.cpp", "two", ""), recorded("a.cpp", "three", "// 3\n")))))
	testkit.WriteFile(t, "text.o", "not an object")
	testkit.WriteFile(t, "dir/3.o", string(objectWith(recorded("c.cpp", "four", ""))))
	one, other := testkit.ReadFile(t, "1.o"), string(objectWith(recorded("a.cpp", "five", "")))
	testkit.WriteFile(t, "libx.a", archiveMagic+member("1.o/", len(one), one)+member("x.o/", len(other), other))
	testkit.WriteFile(t, "liby.a", archiveMagic+member("y.o/", len(other), other))
	c := &compiler{line: &commandLine{}}
	sources, headers, err := c.unpack([]linkedFile{{path: "libx.a"}, {path: "liby.a"}, {path: "1.o"}, {path: "missing.o"}, {path: "text.o"}, {path: "2.o"}, {path: "dir/3.o"}, {path: "liby.a", whole: true}}, "dir")
	testkit.NoError(t, err)
	var got []string
	for i, s := range sources {
		got = append(got, fmt.Sprintf("%s %t: %s%s", s.Source, s.Member, testkit.ReadFile(t, s.File), testkit.ReadFile(t, headers[i])))
	}
	if want := []string{
		"a.cpp in 1.o false: one// 1\n", "b.cpp in 2.o false: two", "a.cpp in 2.o false: three// 3\n",
		"c.cpp false: four", "a.cpp in liby.a(y.o) false: five",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(slices.Concat(recorded("a.cpp", "abc", ""), recorded("b.cpp", "", "h")))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := records(data)
		size := 0
		for _, r := range list {
			size += 32 + len(r.source) + len(r.bitcode) + len(r.header)
		}
		if err == nil && size > len(data) {
			t.Errorf("%d bytes from %d", size, len(data))
		}
	})
}

// Objects other than ELF files are left to the linker.
func FuzzReadObject(f *testing.F) {
	f.Add([]byte("!<arch>\na.o/            0           0     0     644     4         `\nabcd"))
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "a.o")
		testkit.NoError(t, os.WriteFile(name, data, 0o666))
		if object, err := readObject(linkedFile{path: name}, libsycl); err == nil && len(object.code) > 0 && !bytes.Contains(data, []byte(recordMagic)) {
			t.Errorf("device code of nothing: %v", object.code)
		}
	})
}

// TestErrors checks the exit code and the message of errors that are found without a compiler.
func TestErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	program := testkit.Must(exec.LookPath("true"))(t)
	t.Setenv("PATH", "") // without ocloc
	testkit.WriteFile(t, "a.cpp", "#include <sycl/sycl.hpp>\n")
	testkit.WriteFile(t, "plain.cpp", "int x;\n")
	testkit.WriteFile(t, "old/lib/libsycl-jit.so", "")
	testkit.WriteFile(t, "old/include/sycl/sycl.hpp", "")
	testkit.WriteFile(t, "old/lib/libsycl.so.8", "")
	testkit.WriteFile(t, "new/lib/libsycl-jit.so", "")
	testkit.WriteFile(t, "new/include/sycl/sycl.hpp", "")
	testkit.WriteFile(t, "new/lib/libsycl.so.9", "")
	testkit.WriteFile(t, "a.o", "")
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"", cli.ExitUsage, "syclc++: error: no input files"},
		{"-fsycl-host-compiler=no-such-compiler -c a.cpp", cli.ExitBadInput, "-fsycl-host-compiler=no-such-compiler: program not found"},
		{"--dpcpp=missing -c a.cpp", cli.ExitBadInput, "--dpcpp=missing: no lib/libsycl-jit.so; run 'pip install dpcpp-cpp-rt'"},
		{"--dpcpp=old -c a.cpp", cli.ExitBadInput, "--dpcpp=old: no lib/libsycl.so.9; syclc++ needs DPC++ 2026"},
		{"--dpcpp=new -fpreview-breaking-changes a.o", cli.ExitBadInput, "-fpreview-breaking-changes: no new/lib/libsycl-preview.so.9; install DPC++ with this library"},
		{"--ocloc=missing -fsycl-targets=intel_gpu_pvc -c a.cpp", cli.ExitBadInput, "--ocloc=missing: program not found"},
		{"-fsycl-targets=spir64,intel_gpu_pvc -c a.cpp", cli.ExitFailure, "-fsycl-targets=intel_gpu_pvc: cannot find ocloc, the compiler for Intel GPUs, in PATH; install it (package intel-ocloc, or https://github.com/intel/compute-runtime/releases)"},
		{"-fsycl-targets=nvptx64-nvidia-cuda -c a.cpp", cli.ExitUsage, "use spir64, which is compiled at run time, or intel_gpu_* targets"},
		{"-fsycl-targets=nvptx64-nvidia-cuda -c plain.cpp", cli.ExitUsage, "nvptx64-nvidia-cuda: unsupported target"},
		{"-fsycl-targets=nvptx64-nvidia-cuda a.o", cli.ExitUsage, "nvptx64-nvidia-cuda: unsupported target"},
		{"-c a.o", cli.ExitUsage, "a.o: warning: linker input unused because linking is not done\nsyclc++: error: no sources to compile; add -x c++"},
		{"-c missing.cpp", cli.ExitBadInput, "missing.cpp: file not found"},
		{"-c plain.cpp missing.o", cli.ExitBadInput, "missing.o: file not found"},
		{"-c plain.cpp -o plain.cpp", cli.ExitUsage, "-o plain.cpp: the input file plain.cpp is the same as the output file"},
		{"plain.cpp a.o -o ./a.o", cli.ExitUsage, "-o ./a.o: the input file a.o is the same as the output file"},
		{"a.o missing.a", cli.ExitBadInput, "missing.a: file not found"},
	} {
		var stderr bytes.Buffer
		args := strings.Fields(test.args)
		if !strings.Contains(test.args, "host-compiler") { // this system may have none
			args = append([]string{"-fsycl-host-compiler=" + program}, args...)
		}
		code := run(t.Context(), &cli.Env{Stdout: &stderr, Stderr: &stderr}, args)
		if code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: exit code %d, want %d\n%s", test.args, code, test.code, stderr.String())
		}
	}
}

// TestHiddenSYCL checks that a source whose headers turn out to include SYCL headers is compiled as
// SYCL, whichever files its dependency file lists.
func TestHiddenSYCL(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	testkit.WriteFile(t, "plain.cpp", "#include <string.h>\nint main() {}\n")
	testkit.WriteFile(t, "hidden.cpp", "#inc\\\nlude <sycl/sycl.hpp>\nint main() {}\n")
	testkit.WriteFile(t, "dpcpp/include/sycl/sycl.hpp", "#include <sycl/detail/a.hpp>\n")
	testkit.WriteFile(t, "headers/sycl/detail/a.hpp", "")
	testkit.WriteFile(t, "dpcpp/lib/libsycl-jit.so", "")
	testkit.WriteFile(t, "dpcpp/lib/libsycl.so.9", "")
	common := []string{"-fsycl-host-compiler=" + testkit.Program(t, "g++"), "--dpcpp=dpcpp", "--host-headers=" + dir + "/headers", "--driver=" + testkit.Script(t, "driver", "echo compiled as SYCL >&2; exit 1")}
	for _, options := range []string{"", "-MD", "-MMD", "-MMD -MF own.d -MP", "-MD -MF /dev/null", "-Wp,-MMD,own.d"} {
		for source, want := range map[string]bool{"plain.cpp": false, "hidden.cpp": true} {
			var log bytes.Buffer
			code := run(t.Context(), &cli.Env{Stdout: &log, Stderr: &log}, slices.Concat(common, strings.Fields(options), []string{"-c", source, "-o", "a.o"}))
			_, err := os.Stat("a.o")
			if sycl := strings.Contains(log.String(), "compiled as SYCL"); sycl != want || (code != 0) != want || (err != nil) != want {
				t.Errorf("%s -c %s: exit code %d, %v\n%s", options, source, code, err, log.String())
			}
			os.Remove("a.o")
		}
	}
	for _, test := range []struct{ args, input, want string }{
		{"-MMD -MF own.d -c -x c++ - -o a.o", "hidden.cpp", "cannot compile SYCL from standard input"},
		{"-MMD -MF own.d -c -x c++ - -o a.o", "plain.cpp", ""},
		{"-E hidden.cpp", "", "#pragma rules_sycl host code "},
		{"-S hidden.cpp -MMD -MF own.d -o /dev/stdout", "", ""},
		{"-S hidden.cpp -o -", "", "# rules_sycl host code "},
		{"-MM hidden.cpp", "", "hidden.o: hidden.cpp\n"},
	} {
		var log bytes.Buffer
		input := ""
		if test.input != "" {
			input = testkit.ReadFile(t, test.input)
		}
		run(t.Context(), &cli.Env{Stdin: strings.NewReader(input), Stdout: &log, Stderr: &log}, slices.Concat(common, strings.Fields(test.args)))
		if !strings.Contains(log.String(), test.want) || test.want == "" && strings.Contains(log.String(), "error") {
			t.Errorf("%s: want %s\n%s", test.args, test.want, log.String())
		}
	}
}

// TestUnsupportedOptions checks that an error of g++ about an option is followed by advice, which
// only names compilers that accept the option.
func TestUnsupportedOptions(t *testing.T) {
	t.Chdir(t.TempDir())
	accepts := "case \"$*\" in *-fno-%s*) exit 0;; esac; exit 1"
	clang := testkit.Script(t, "clang++", fmt.Sprintf(accepts, "[bc]"))
	driver := testkit.Script(t, "driver", fmt.Sprintf(accepts, "[bd]"))
	gxx := testkit.Program(t, "g++")
	t.Setenv("PATH", filepath.Dir(clang)+":"+os.Getenv("PATH"))
	for _, file := range []string{"dpcpp/lib/libsycl-jit.so", "dpcpp/lib/libsycl.so.9", "dpcpp/include/sycl/sycl.hpp"} {
		testkit.WriteFile(t, file, "")
	}
	testkit.WriteFile(t, "a.cpp", "int main() {}\n")
	testkit.WriteFile(t, "b.cpp", "int main() { return undeclared; }\n")
	for _, test := range []struct{ args, want string }{
		{"-c a.cpp -fno-such-option -O2", "syclc++: note: g++ does not support -fno-such-option; remove it\n"},
		{"-c a.cpp -fno-bo", "remove it, use -Xarch_device -fno-bo for device code only, or use clang (-fsycl-host-compiler=" + clang + ")\n"},
		{"-c a.cpp -std=c++2x", "g++ does not support -std=c++2x; use a standard that it supports, such as -std=c++20\n"},
		{"-c a.cpp -fno-cl", "remove it, or use clang (-fsycl-host-compiler=" + clang + ")\n"},
		{"-c a.cpp -fno-de", "remove it, or use -Xarch_device -fno-de for device code only\n"},
		{"-c b.cpp", ""},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), &cli.Env{Tool: name, Stdout: &stderr, Stderr: &stderr}, append([]string{"-fsycl-host-compiler=" + gxx, "--dpcpp=dpcpp", "--driver=" + driver}, strings.Fields(test.args)...))
		if _, note, _ := strings.Cut(stderr.String(), "syclc++: note: "); code != cli.ExitNo || (note != "") != (test.want != "") || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: exit code %d\n%s", test.args, code, stderr.String())
		}
	}
}

// TestLinkSYCLBINs checks that -fsycl-link merges several SYCLBINs into one, in the state that
// -fsyclbin= names.
func TestLinkSYCLBINs(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, kernel := range []string{"a", "b"} {
		testkit.WriteFile(t, kernel+".spv", string(testkit.SPIRV("__sycl_kernel_"+kernel)))
		testkit.NoError(t, bundle.Pack(t.Context(), &cli.Env{Stderr: io.Discard}, bundle.PackOptions{
			Output: kernel + ".syclbin", Format: syclbin.Options{Version: 1}, State: syclbin.Object,
			Images: []bundle.Image{{Code: kernel + ".spv", Triple: "spir64-unknown-unknown"}},
		}))
	}
	testkit.WriteFile(t, "c.o", "no SYCLBIN")
	for _, test := range []struct {
		line, want string
		code       int
	}{
		{"a.syclbin b.syclbin -fsycl-link -o all.syclbin", "executable", 0},
		{"a.syclbin b.syclbin -fsycl-link -fsyclbin=object -o all.syclbin", "object", 0},
		{"a.syclbin b.syclbin -fsycl-link", "-fsycl-link: -o is required to link SYCLBINs", cli.ExitUsage},
		{"a.syclbin c.o -fsycl-link -o all.syclbin", "c.o: -fsycl-link can link SYCLBINs only with SYCLBINs", cli.ExitUsage},
		{"a.syclbin -fsyclbin -o all.syclbin", "-fsyclbin requires C++ sources; to link SYCLBINs, use -fsycl-link", cli.ExitUsage},
	} {
		line, err := parseLine(strings.Fields(test.line))
		testkit.NoError(t, err)
		var log bytes.Buffer
		c := &compiler{line: line, env: &cli.Env{Stdout: &log, Stderr: &log}}
		err = c.program(t.Context())
		if cli.ExitCode(err) != test.code || test.code != 0 && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\n%s", test.line, err, log.String())
			continue
		}
		if test.code != 0 {
			continue
		}
		f := testkit.Must(syclbin.Open("all.syclbin"))(t)
		defer f.Close()
		var kernels []string
		for _, m := range f.Modules {
			kernels = append(kernels, m.Kernels()...)
		}
		slices.Sort(kernels)
		if f.State.String() != test.want || !slices.Equal(kernels, []string{"__sycl_kernel_a", "__sycl_kernel_b"}) {
			t.Errorf("%s: state %v with kernels %q, want state %s", test.line, f.State, kernels, test.want)
		}
	}
}

// TestCompileOutputs compiles a SYCL source with a stand-in for the device compiler, and checks what
// depends on neither compiler.
func TestCompileOutputs(t *testing.T) {
	gxx, dir := testkit.Program(t, "g++"), t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"dpcpp/lib/libsycl-jit.so": "", "dpcpp/lib/libsycl.so.9": "", "dpcpp/include/sycl/sycl.hpp": "", "headers/sycl/x.hpp": "",
		"1/a.cpp": "#include <sycl/sycl.hpp>\nint f() { return 1; }\n", "2/a.cpp": "#include <sycl/sycl.hpp>\nint f() { return 1; }\n",
	} {
		testkit.WriteFile(t, name, text)
	}
	driver := testkit.Script(t, "driver", `while [ "$1" != -- ]; do case $1 in
--output-dir) mkdir -p "$2"; echo '[Code|Properties|Symbols]' > "$2/images.table";;
--output) out=$2; : > "$2";;
--header|--footer) : > "$2";;
--depfile) echo device: a.cpp > "$2";;
esac; shift; done
echo "$@" | grep -o 'unique-prefix=[^ ]*' > "$out"`)
	compile := func(code int, args string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		common := []string{"-fsycl-host-compiler=" + gxx, "--dpcpp=" + dir + "/dpcpp", "--driver=" + driver, "--host-headers=" + dir + "/headers"}
		if got := run(t.Context(), &cli.Env{Tool: name, Stdout: &stdout, Stderr: &stderr}, append(common, strings.Fields(args)...)); got != code {
			t.Fatalf("%s: exit code %d, want %d\n%s", args, got, code, stderr.String())
		}
		return stdout.String() + stderr.String()
	}
	if got := compile(0, "-c 1/a.cpp -o -"); !strings.HasPrefix(got, "\x7fELF") {
		t.Errorf("-o - prints %.20q", got)
	}
	if got := compile(0, "-Wa,-aln -c 1/a.cpp"); !strings.Contains(got, "_Z1fv:") {
		t.Errorf("-Wa,-aln prints %.20q", got)
	}
	if got := compile(cli.ExitUsage, "-m32 -c 1/a.cpp"); !strings.Contains(got, "-m32: libsycl is a 64-bit library") {
		t.Errorf("-m32: %s", got)
	}
	if got := compile(0, "-E -MMD -MF d 1/a.cpp -o a.ii") + testkit.ReadFile(t, "d"); got != "a.o: 1/a.cpp\n" {
		t.Errorf("-E -MMD: %q", got)
	}
	for _, temporary := range []string{filepath.Join(dir, "gone"), filepath.Join(dir, "1/a.cpp")} {
		t.Setenv("TMPDIR", temporary)
		compile(0, "-c 1/a.cpp")
	}
	for _, options := range []string{"-g -ffile-prefix-map=", "-fsycl-rdc -fdebug-prefix-map="} {
		var objects []string
		for _, source := range []string{"1", "2"} {
			compile(0, options+dir+"/"+source+"=. -I"+dir+"/"+source+" -c "+dir+"/"+source+"/a.cpp -o "+source+".o")
			objects = append(objects, testkit.ReadFile(t, source+".o"))
		}
		if objects[0] != objects[1] {
			t.Errorf("%s: the objects of two directories differ", options)
		}
	}
}
