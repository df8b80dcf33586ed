package main

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestDeviceDigest checks that inputs that only the device compile reads change the preprocessed
// source.
func TestDeviceDigest(t *testing.T) {
	t.Chdir(t.TempDir())
	const source = "#include <sycl/sycl.hpp>\n#ifdef __SYCL_DEVICE_ONLY__\n#include \"device.hpp\"\n#endif\n"
	digest := func(header string, options ...string) string {
		testkit.WriteFile(t, "a.cpp", source)
		testkit.WriteFile(t, "device.hpp", header)
		line := testkit.Must(parseLine(append(options, "-E", "a.cpp")))(t)
		c := &compiler{line: line, dpcpp: &installation{version: "2026.2.0"}}
		return testkit.Must(c.deviceDigest(*line.Words[0].Input))(t)
	}
	plain := digest("int i;\n")
	if again := digest("int i;\n"); again != plain {
		t.Errorf("two digests of one source: %s and %s", plain, again)
	}
	for name, other := range map[string]string{
		"header":        digest("int j;\n"),
		"-Xarch_device": digest("int i;\n", "-Xarch_device", "-DTILE=8"),
		"front end":     digest("int i;\n", "-Xsycl-target-frontend", "-DTILE=8"),
		"targets":       digest("int i;\n", "-fsycl-targets=intel_gpu_pvc"),
		"rdc":           digest("int i;\n", "-fsycl-rdc"),
		"split":         digest("int i;\n", "-fsycl-device-code-split=off"),
		"backend":       digest("int i;\n", "-Xs", "-cl-x"),
	} {
		if other == plain {
			t.Errorf("%s does not change the digest", name)
		}
	}
}

// TestListsFiles checks which options make -E write something other than source code.
func TestListsFiles(t *testing.T) {
	for option, want := range map[string]bool{"-M": true, "-MM": true, "-dM": true, "-Wp,-dM": true, "-dD": false, "-dI": false, "-P": false} {
		line := testkit.Must(parseLine([]string{"-E", option, "a.cpp"}))(t)
		if got := (&compiler{line: line}).listsFiles(); got != want {
			t.Errorf("%s: %t, want %t", option, got, want)
		}
	}
}

// TestCheckMark checks that preprocessed or assembler source without its device code is rejected,
// even on standard input, and that the compiler gets the complete input if there is no mark.
func TestCheckMark(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "good.ii", "int main() {}\n// rules_sycl host code \n")
	testkit.WriteFile(t, "good.S", "# comment\n# rules_sycl\n")
	testkit.WriteFile(t, "bad.ii", "int main() {}\n#pragma rules_sycl host code 0123\n")
	testkit.WriteFile(t, "bad.s", strings.Repeat("x", 10000)+"\n# rules_sycl host code 0123\n")
	testkit.WriteFile(t, "clang.s", "\t# rules_sycl host code\n\tret\n")
	testkit.WriteFile(t, "bad.S", "# rules_sycl host code 0123\n")
	testkit.WriteFile(t, "bad.sx", "# rules_sycl host code 0123\n")
	testkit.WriteFile(t, "bad.cpp", "#pragma rules_sycl host code 0123\n")
	host := testkit.Script(t, "host", `for last; do :; done; [ "$last" = - ] && cat; exit 0`)
	for _, name := range []string{"good.ii", "good.S", "bad.ii", "bad.s", "clang.s", "bad.S", "bad.sx", "bad.cpp"} {
		text := testkit.ReadFile(t, name)
		for _, args := range []string{name, "-x " + languages[filepath.Ext(name)] + " -", "-x " + languages[filepath.Ext(name)] + " -MMD -MF d -MT x -"} {
			var out, log bytes.Buffer
			env := &cli.Env{Stdin: strings.NewReader(text), Stdout: &out, Stderr: &log}
			code := run(t.Context(), env, append([]string{"-fsycl-host-compiler=" + host, "--dpcpp=none", "-o", "a.o", "-c"}, strings.Fields(args)...))
			input := args[strings.LastIndex(args, " ")+1:]
			rejected := code == cli.ExitBadInput && strings.Contains(log.String(), input+": contains only the host code of a SYCL source; compile the source itself with -c")
			if good := strings.HasPrefix(name, "good"); rejected == good || good && code != 0 {
				t.Errorf("%s of %s: exit code %d\n%s", args, name, code, log.String())
			} else if good && input == stdin && out.String() != text {
				t.Errorf("%s of %s: the compiler got %q", args, name, out.String())
			}
		}
	}
}

// TestHeaderMark checks that host compilers copy the mark of the headers of syclc++ to the files that
// -save-temps writes.
func TestHeaderMark(t *testing.T) {
	header := testkit.ReadFile(t, "../../rules/dpcpp/host/sycl/detail/kernel_desc.hpp")
	for _, program := range []string{"g++", "clang++"} {
		t.Run(program, func(t *testing.T) {
			path := testkit.Program(t, program)
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "front/sycl/detail/kernel_desc.hpp", header)
			testkit.WriteFile(t, "dpcpp/sycl/detail/kernel_desc.hpp", "namespace sycl { inline namespace _V1 { namespace detail { struct kernel_param_desc_t { int a, b, c; }; } } }\n")
			testkit.WriteFile(t, "a.cpp", "#include <sycl/detail/kernel_desc.hpp>\nint main() {}\n")
			cmd := exec.Command(path, "-std=c++17", "-Werror", "-Wall", "-Wextra", "-DRULES_SYCL_TABLE", "-isystem", "front", "-isystem", "dpcpp", "-save-temps", "-c", "a.cpp")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, name := range []string{"a.ii", "a.s"} {
				if err := new(compiler).checkMark(lineInput{Path: name}); err == nil {
					t.Errorf("%s has no mark:\n%s", name, testkit.ReadFile(t, name))
				}
			}
		})
	}
}

// TestSIMDHeader checks that only clang includes DPC++'s header for explicit SIMD.
func TestSIMDHeader(t *testing.T) {
	header := testkit.ReadFile(t, "../../rules/dpcpp/host/sycl/ext/intel/esimd.hpp")
	for program, want := range map[string]string{"g++": "error: #error explicit SIMD requires clang", "clang++": "error: included"} {
		t.Run(program, func(t *testing.T) {
			path := testkit.Program(t, program)
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "front/sycl/ext/intel/esimd.hpp", header)
			testkit.WriteFile(t, "dpcpp/sycl/ext/intel/esimd.hpp", "#error included\n")
			testkit.WriteFile(t, "a.cpp", "#include <sycl/ext/intel/esimd.hpp>\n")
			out, _ := exec.Command(path, "-isystem", "front", "-isystem", "dpcpp", "-fsyntax-only", "a.cpp").CombinedOutput()
			if strings.Count(string(out), "error:") != 1 || !strings.Contains(string(out), want) {
				t.Errorf("want %s\n%s", want, out)
			}
		})
	}
}

// TestSystemFiles checks that the innermost search directory determines whether a file is a system
// header, as for gcc's -MMD.
func TestSystemFiles(t *testing.T) {
	t.Setenv("CPATH", "/usr/include/mine")
	t.Setenv("CPLUS_INCLUDE_PATH", "/env")
	line := testkit.Must(parseLine(strings.Fields("--host-headers=/ -I/usr/src/app/inc -I /opt/dpcpp/app -isystem /third -iquote q -isystem/third2 -I/third/own -I/usr/include -isystem/deep/x/y -isystem/deep -I/deep/x -c a.cpp")))(t)
	c := &compiler{line: line, dpcpp: &installation{dir: "/opt/dpcpp"}, gccDir: "/opt/gcc/lib/gcc/x86_64-linux-gnu/16", ownHeaders: "/opt/llvm/lib/clang/23/include"}
	line.HostHeaders = t.TempDir()
	isSystem := testkit.Must(c.systemFiles())(t)
	var got []string
	for file := range strings.FieldsSeq(`/usr/include/stdio.h /usr/include/mine/a.h /usr/src/app/inc/mine.h /usr/src/app/other.h /opt/dpcpp/include/sycl/sycl.hpp
		/opt/dpcpp/app/mine.h /opt/gcc/lib/gcc/x86_64-linux-gnu/16/include/stddef.h /opt/gcc/include/c++/16/vector /opt/llvm/lib/clang/23/include/stddef.h /opt/llvm/a.h /third/a.h /third/own/a.h /third2/a.h /env/a.h a.h q/a.h
		/deep/a.h /deep/x/a.h /deep/x/y/a.h`) {
		if isSystem(file) {
			got = append(got, file)
		}
	}
	want := strings.Fields("/usr/include/stdio.h /opt/dpcpp/include/sycl/sycl.hpp /opt/gcc/lib/gcc/x86_64-linux-gnu/16/include/stddef.h /opt/gcc/include/c++/16/vector /opt/llvm/lib/clang/23/include/stddef.h /third/a.h /third2/a.h /env/a.h /deep/a.h /deep/x/y/a.h")
	if !slices.Equal(got, want) {
		t.Errorf("system files:\n got %q\nwant %q", got, want)
	}
}

// TestMapped checks that the last matching rule is used, as in gcc.
func TestMapped(t *testing.T) {
	line := testkit.Must(parseLine(strings.Fields("-ffile-prefix-map=/src=a -fdebug-prefix-map=/src/lib=b -fmacro-prefix-map=/src/x=c -c a.cpp")))(t)
	c := &compiler{line: line}
	for name, want := range map[string]string{"/src/lib/a.cpp": "b/a.cpp", "/src/x/a.cpp": "a/x/a.cpp", "/other/a.cpp": "/other/a.cpp"} {
		if got := c.mapped(name, "-fdebug-prefix-map="); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestFindHost(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	testkit.Script(t, dir+"/mycc", "echo x86_64-linux-gnu")
	testkit.Script(t, dir+"/broken", "exit 1")
	for name, want := range map[string]string{"mycc": "", "broken": "SYCLCXX_HOST_COMPILER=broken: not a C++ compiler", "missing": "SYCLCXX_HOST_COMPILER=missing: program not found"} {
		t.Setenv(hostVariable, name)
		h, err := findHost("")
		if want == "" && (err != nil || h.path != dir+"/mycc") {
			t.Errorf("%s: %v, %v", name, h, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || cli.ExitCode(err) != cli.ExitBadInput) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if h, err := findHost("mycc"); err != nil || h.path != dir+"/mycc" {
		t.Errorf("an option beside the variable: %v, %v", h, err)
	}
}

// TestMapCommandLines checks that debug information of device code does not depend on the directory
// of the build if the command line maps it.
func TestMapCommandLines(t *testing.T) {
	image := func(dir string) string {
		dir = filepath.Join(t.TempDir(), dir)
		code := testkit.SPIRV("k")
		for _, text := range []string{" -fsycl-device-only -I" + dir + "/include -ffile-prefix-map=" + dir + "=.", "a.cpp"} {
			text += strings.Repeat("\x00", 4-len(text)%4)
			code = binary.LittleEndian.AppendUint32(code, uint32(len(text)/4+2)<<16|7) // OpString
			code = append(binary.LittleEndian.AppendUint32(code, 1), text...)
		}
		testkit.WriteFile(t, dir+"/0.spv", string(code))
		table := testkit.WriteFile(t, dir+"/all.table", "[Code]\n"+dir+"/0.spv\n")
		line := testkit.Must(parseLine([]string{"-g", "-ffile-prefix-map=" + dir + "=.", "-c", "a.cpp"}))(t)
		s := &imageSet{compiler: &compiler{line: line}}
		if !line.DebugInfo || !s.hasPrefixMap() {
			t.Fatal("the options have no effect")
		}
		if err := s.mapCommandLines(table); err != nil {
			t.Fatal(err)
		}
		return testkit.ReadFile(t, dir+"/0.spv")
	}
	one, two := image("one"), image("longer")
	if one != two || !strings.Contains(one, " -I./include -ffile-prefix-map=.=.\x00") || !strings.Contains(one, "a.cpp") {
		t.Errorf("the images of two directories are\n%q\n%q", one, two)
	}
}
