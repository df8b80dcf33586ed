// Package dpcpp holds the program of rules/dpcpp, which is written in C++, against a
// stand-in for DPC++'s library and, where there is one, against the library itself.
package dpcpp

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/sycl/propset"
)

// buildDir is the directory in which programs are built.
var buildDir string

func TestMain(m *testing.M) {
	var err error
	if buildDir, err = os.MkdirTemp("", "dpcpp"); err == nil {
		err = os.Chmod(buildDir, 0o755) // for any user
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// Memory from the library is never freed, and its crashes terminate only the driver's child.
	os.Setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0")
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// built returns the path of the driver or of the stand-in: what Bazel built, or what the
// machine's C++ compiler makes of the source.
func built(t testing.TB, variable, source string, options ...string) string {
	t.Helper()
	if path, bazel := os.LookupEnv(variable); bazel {
		return filepath.Join(os.Getenv("TEST_SRCDIR"), path)
	}
	path := filepath.Join(buildDir, variable)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	args := append([]string{"-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", path, "-ldl"}, options...)
	if out, err := exec.Command(testkit.Program(t, "c++"), args...).CombinedOutput(); err != nil {
		t.Fatalf("c++ %q: %v\n%s", args, err, out)
	}
	return path
}

// driver returns the path of the driver, with sanitizers.
func driver(t testing.TB) string {
	t.Helper()
	return built(t, "DPCPP_SANITIZED_DRIVER", "../driver.cpp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
}

// usersDriver returns the path of the driver as users have it.
func usersDriver(t testing.TB) string {
	t.Helper()
	return built(t, "DPCPP_DRIVER", "../driver.cpp")
}

func fake(t testing.TB) string {
	t.Helper()
	return built(t, "DPCPP_FAKE_JIT", "../fake_jit.cpp", "-fPIC", "-shared", "-Wl,-soname,libsycl-jit.so.99.1")
}

// run runs the driver in the current directory.
func run(t testing.TB, driver string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := exec.Command(driver, args...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if c.ProcessState == nil || c.ProcessState.ExitCode() < 0 {
		t.Fatalf("%q: %v\n%s", args, err, &errs)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

func write(t testing.TB, name, text string) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	testkit.NoError(t, err)
	return string(data)
}

// names lists the files in a directory, or returns "" if it does not exist.
func names(t testing.TB, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestCompile(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	const source = "options\nlog k.cpp:1:2: warning: narrow\n"
	write(t, "k.cpp", source)
	code, stdout, stderr := run(t, driver, "compile", "--library", fake, "--output=k.bc", "--header", "k.h", "--footer", "k.f",
		"--depfile", "k.d", "k.cpp", "--", "-DX=1", "-O2", "--output")
	if code != 0 || stdout != "" {
		t.Fatalf("exit %d, %q\n%s", code, stdout, stderr)
	}
	// Outputs are in their places only when all is done.
	const want = `option -Xclang
option -O2
option -fsycl-device-code-split=off
option -Xclang
option -fsycl-int-header=/proc/self/fd/40/1
option -Xclang
option -fsycl-int-footer=/proc/self/fd/41/2
option -MD
option -MF
option /proc/self/fd/42/3
option -MT
option device
option -DX=1
option -O2
option --output
k.cpp:1:2: warning: narrow
`
	if stderr != want {
		t.Errorf("got\n%swant\n%s", stderr, want)
	}
	if got := names(t, "."); got != "k.bc k.cpp k.d k.f k.h" {
		t.Errorf("files: %s", got)
	}
	if bitcode, header, footer := read(t, "k.bc"), read(t, "k.h"), read(t, "k.f"); bitcode != "BC\xc0\xde"+source || header != source || footer != source {
		t.Errorf("got %q, %q, %q", bitcode, header, footer)
	}
	// What is in the library's memory is no file to depend on.
	if got := read(t, "k.d"); got != "out: \\\n  a\\ b.cpp \\\n  c.hpp \\\n  /new\nline.hpp\n" {
		t.Errorf("dependencies: %q", got)
	}
}

// TestKernelNames checks that kernels whose names are not valid C++ are described by symbol.
func TestKernelNames(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	const source = `template <> struct KernelInfo<::app::Scale> {
  static constexpr const char* getName() { return "_ZTSN3app5ScaleE"; }
};
template <> struct KernelInfo<const const class K *> {
  static constexpr const char* getName() { return "_ZTSKPK1K"; }
};
template <> struct KernelInfo<int S::*> {
  static constexpr const char* getName() { return "_ZTSM1Si"; }
};
template <> struct KernelInfo<const class K *> {
  static constexpr const char* getName() { return "_ZTSPK1K"; }
};
template <> struct KernelInfo<const class Named *> {
  static constexpr const char* getName() { return "_ZTSKP5Named"; }
};
template <> struct KernelInfo<class VPK *> {
  static constexpr const char* getName() { return "_ZTSP3VPK"; }
};
template <> struct KernelInfo<::a::b::MainKrn<Named, static_cast<::a::strategy>(1), int *>> {
  static constexpr const char* getName() { return "_ZTSN1a1b7MainKrnIZ4mainE5NamedLNS_8strategyE1EJPiEEE"; }
};
template <> struct KernelInfo<int S::*> {
`
	write(t, "k.cpp", source)
	if code, _, stderr := run(t, driver, "compile", "--library", fake, "--output=k.bc", "--header", "k.h", "k.cpp", "--"); code != 0 {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	want := strings.Replace(source, "KernelInfo<const const class K *>", "KernelInfoData<'_', 'Z', 'T', 'S', 'K', 'P', 'K', '1', 'K'>", 1)
	want = strings.Replace(want, "KernelInfo<int S::*>", "KernelInfoData<'_', 'Z', 'T', 'S', 'M', '1', 'S', 'i'>", 1)
	want = strings.Replace(want, "KernelInfo<const class Named *>", "KernelInfoData<'_', 'Z', 'T', 'S', 'K', 'P', '5', 'N', 'a', 'm', 'e', 'd'>", 1)
	if got := read(t, "k.h"); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestInclude checks the spelling of -include, because the library ignores the spelling of
// clang's driver but accepts the spelling of clang -cc1.
func TestInclude(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "options\n")
	for options, want := range map[string]string{
		"-include a.hpp -w":                                   "-Xclang -include -Xclang a.hpp -w",
		"-includea.hpp -include b.hpp":                        "-Xclang -include -Xclang a.hpp -Xclang -include -Xclang b.hpp",
		"--include a.hpp --include=b.hpp":                     "-Xclang -include -Xclang a.hpp -Xclang -include -Xclang b.hpp",
		"-Xclang -include -Xclang a.hpp -w":                   "-Xclang -include -Xclang a.hpp -w",
		"-Xpreprocessor -includea.hpp":                        "-Xpreprocessor -includea.hpp",
		"-mllvm -O2 -include -include":                        "-mllvm -O2 -Xclang -include -Xclang -include",
		"-imacros a.hpp -include-pch a --include-directory=d": "-imacros a.hpp -include-pch a --include-directory=d",
		"-include": "-include",
	} {
		code, _, stderr := run(t, driver, append([]string{"compile", "--library", fake, "--output=k.bc", "k.cpp", "--"}, strings.Fields(options)...)...)
		got := strings.Join(strings.Split(strings.TrimSuffix(stderr, "\n"), "\noption ")[1:], " ")
		if code != 0 || got != want {
			t.Errorf("%s: exit %d, %q, want %q", options, code, got, want)
		}
	}
}

func TestUnused(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "")
	write(t, "headers", "c.hpp\na b.cpp\n./d.hpp\noptions.txt\ntxt\n\nwith=comma,list.txt\nmodule.map\n")
	for _, command := range [][]string{{"compile"}, {"build", "--output-dir=images"}} {
		code, _, stderr := run(t, driver, append(command, "--library", fake, "--output=k.bc", "--candidates=headers", "--unused="+command[0], "k.cpp",
			"--", "-fprofile-list=./options.txt", "-fsanitize-ignorelist=with=comma,list.txt", "-fmodule-file=m:module.map", "-DX=")...)
		if code != 0 {
			t.Fatalf("exit %d\n%s", code, stderr)
		}
		// Compilers do not list files of options.
		if got := read(t, command[0]); got != "./d.hpp\ntxt\n" {
			t.Errorf("%s: unused: %q", command[0], got)
		}
	}
}

func TestUndeclared(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "")
	write(t, "headers", "./a b.cpp\n")
	for inputs, want := range map[string]string{
		"k.cpp\nc.hpp\n": "",
		"k.cpp\nc.h\n":   "error: undeclared inclusion of 'c.hpp'\nnote: changes to it would not trigger a rebuild; add it to hdrs or srcs, ",
	} {
		write(t, "inputs", inputs)
		code, _, stderr := run(t, driver, "compile", "--library", fake, "--output=k.bc", "--candidates=headers", "--inputs=inputs", "--unused=k.unused", "k.cpp", "--")
		if want == "" && code != 0 || want != "" && (code != 1 || !strings.Contains(stderr, want)) {
			t.Errorf("%q: exit %d, %s", inputs, code, stderr)
		}
	}
}

func TestPostLink(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	text := "image 2\nset SYCL/misc properties\nnumber optLevel 2\nimage 2\nsymbol _ZTS1K\nsymbol _ZTS1L\nset z\nset a\n"
	text += "number most 4294967295\nnumber least 0\n"
	want := new(propset.Registry)
	want.Add("z")
	want.Add("a").Put("most", propset.Uint(1<<32-1))
	want.Add("a").Put("least", propset.Uint(0))
	for n := range 20 {
		data := bytes.Repeat([]byte{0x81, 0xfe, 0x35}, 7)[:n]
		text += fmt.Sprintf("bytes b%d %s\n", n, hex.EncodeToString(data))
		want.Add("a").Put(fmt.Sprintf("b%d", n), propset.Bytes(data))
	}
	write(t, "k.bc", "BC\xc0\xde"+text)
	write(t, "k.cpp", text)
	for _, args := range [][]string{{"post-link", "k.bc"}, {"build", "k.cpp"}} {
		if code, _, stderr := run(t, driver, args[0], "--library", fake, "--output-dir", args[0]+"/", args[1], "--"); code != 0 || stderr != "" {
			t.Fatalf("exit %d\n%s", code, stderr)
		}
		dir := args[0]
		if got := names(t, dir); got != "0.prop 0.spv 0.sym 1.prop 1.spv 1.sym images.table" {
			t.Errorf("%s: files: %s", dir, got)
		}
		if got := read(t, dir+"/images.table"); got != "[Code|Properties|Symbols]\n0.spv|0.prop|0.sym\n1.spv|1.prop|1.sym\n" {
			t.Errorf("%s: table: %q", dir, got)
		}
		if got := read(t, dir+"/0.sym") + read(t, dir+"/0.prop") + read(t, dir+"/1.sym"); got != "[SYCL/misc properties]\noptLevel=1|2\n_ZTS1K\n_ZTS1L\n" {
			t.Errorf("%s: got %q", dir, got)
		}
		wanted, err := want.MarshalText()
		testkit.NoError(t, err)
		if got := read(t, dir+"/1.prop"); got != string(wanted) {
			t.Errorf("%s: properties:\n%swant\n%s", dir, got, wanted)
		}
		if got := read(t, dir+"/0.spv"); !strings.HasPrefix(got, "\x03\x02\x23\x07") {
			t.Errorf("%s: code: %q", dir, got)
		}
	}

	write(t, "none.bc", "BC\xc0\xde")
	if code, _, stderr := run(t, driver, "post-link", "--library", fake, "--output-dir", "none", "none.bc"); code != 0 {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	if got := read(t, "none/images.table"); got != "[Code|Properties|Symbols]\n" || names(t, "none") != "images.table" {
		t.Errorf("table: %q, files: %s", got, names(t, "none"))
	}
}

// failed wraps clang's messages in the same way as the library.
func failed(lines ...string) string {
	return "code 1\nlog Device compilation failed\nlog Detailed information:\nlog \\t" + strings.Join(lines, "\nlog ") + "\n"
}

// TestMessages tests that the library's messages look like clang's, with advice.
func TestMessages(t *testing.T) {
	driver, fake := driver(t), fake(t)
	const memory = "/sycl-jit-toolchain//bin/compiler/../../include/"
	const bug = "note: the compiler crashed, which is a bug even if the source is invalid; try a different release of DPC++ or -O1, and report it at " +
		"https://github.com/intel/llvm/issues\n"
	const noMemory = "note: out of memory; run fewer compilers at the same time\n"
	const library = "note: the headers of the C++ standard library were not found; install g++, or set --sysroot= or --gcc-install-dir=\n"
	for name, test := range map[string]struct {
		source string
		code   int
		want   string
	}{
		"an error":   {failed("k.cpp:1:9: error: use of undeclared identifier 'y'"), 1, "k.cpp:1:9: error: use of undeclared identifier 'y'\n"},
		"no wrapper": {"code 1\nlog k.cpp:1:9: error: no\n", 1, "k.cpp:1:9: error: no\n"},
		"the library's own headers": {
			failed("In file included from "+memory+"sycl/sycl.hpp:49:", memory+"sycl/queue.hpp:12:3: error: no '"+memory+"std/experimental/simd.hpp' and /sycl-jit-toolchain//lib"), 1,
			"In file included from <sycl/sycl.hpp>:49:\n<sycl/queue.hpp>:12:3: error: no '<std/experimental/simd.hpp>' and /sycl-jit-toolchain//lib\n",
		},
		"an unnamed kernel": {
			failed("k.cpp:1:9: error: unnamed type '(lambda at k.cpp:1:1)' is invalid; provide a kernel name, or use '-fsycl-unnamed-lambda' to enable unnamed kernel lambdas"), 1,
			"k.cpp:1:9: error: unnamed type '(lambda at k.cpp:1:1)' is invalid; provide a kernel name, or use '-fsycl-unnamed-lambda' to enable unnamed kernel lambdas\n" +
				"note: name the kernel, as in q.parallel_for<class Name>(...), or compile the host code with clang 21 or newer\n",
		},
		"no C++ library":    {failed("<sycl/sycl.hpp>:53:10: fatal error: 'algorithm' file not found"), 1, "<sycl/sycl.hpp>:53:10: fatal error: 'algorithm' file not found\n" + library},
		"a misspelt header": {failed("k.cpp:1:10: fatal error: 'cmat' file not found"), 1, "k.cpp:1:10: fatal error: 'cmat' file not found\n"},
		"a header of a newer release": {
			failed("k.cpp:1:10: fatal error: 'sycl/ext/new.hpp' file not found"), 1,
			"k.cpp:1:10: fatal error: 'sycl/ext/new.hpp' file not found\nnote: libsycl-jit.so.99.1 has no header <sycl/ext/new.hpp>; it may belong to a newer release of DPC++\n",
		},
		"an unknown option": {
			failed("error: unknown argument: '-fno-plt'"), 1,
			"error: unknown argument: '-fno-plt'\nnote: the device compiler does not support this option; pass it to the host compiler only\n",
		},
		"a rejected option": {
			"code 2\nlog Parsing of user arguments failed\nlog Detailed information:\nlog \\tOption '-c' is not supported for SYCL runtime compilation\n", 2,
			"error: Option '-c' is not supported for SYCL runtime compilation\nnote: the build controls this option; remove it\n",
		},
		"a later step":    {"code 1\nlog Post-link phase failed\nlog Detailed information:\nlog \\t`invoke_simd` calls detected\n", 1, "error: `invoke_simd` calls detected\n"},
		"an unknown code": {"code 7\n", 3, "error: the driver cannot read the result of libsycl-jit.so.99.1\n"},
		"what it prints":  {"print odd\nprint warning: Undefined function f found in . This may result in runtime errors.\n", 0, "odd\n"},
		"a crash":         {"print Stack dump:\ndie 11\n", 4, "Stack dump:\nk.cpp: error: the device compiler libsycl-jit.so.99.1 ended by signal 11 (Segmentation fault) while compiling\n" + bug},
		"it gives up":     {"print LLVM ERROR: odd\ndie 6\n", 4, "LLVM ERROR: odd\nk.cpp: error: the device compiler libsycl-jit.so.99.1 ended by signal 6 (Aborted) while compiling\n" + bug},
		"it exits":        {"exit 1\n", 4, "k.cpp: error: the device compiler libsycl-jit.so.99.1 ended by exit code 1 while compiling\n" + bug},
		"an extension": {
			"print odd\nprint RequiresExtension: Feature requires the following SPIR-V extension:\nprint  SPV_INTEL_split_barrier\nexit 18\n", 1,
			"odd\nk.cpp: error: the code needs the SPIR-V extension SPV_INTEL_split_barrier, which DPC++'s compiler library libsycl-jit.so.99.1 does not enable; remove the code that uses it\n",
		},
		"one of several extensions": {
			"print RequiresExtension: Feature requires the following SPIR-V extension:\nprint One of the following extensions: SPV_EXT_float8, SPV_INTEL_int4 should be enabled to process conversion builtins\nexit 18\n", 1,
			"k.cpp: error: the code needs one of the SPIR-V extensions SPV_EXT_float8, SPV_INTEL_int4, which DPC++'s compiler library libsycl-jit.so.99.1 does not enable; remove the code that uses it\n",
		},
		"no extension":     {"print RequiresExtension: Feature requires the following SPIR-V extension:\nexit 18\n", 4, "RequiresExtension: Feature requires the following SPIR-V extension:\nk.cpp: error: the device compiler libsycl-jit.so.99.1 ended by exit code 18 while compiling\n" + bug},
		"it says it is ok": {"exit 0\n", 4, "k.cpp: error: the device compiler libsycl-jit.so.99.1 ended by exit code 0 while compiling\n" + bug},
		"killed":           {"die 9\n", 4, "k.cpp: error: the device compiler libsycl-jit.so.99.1 ended by signal 9 (Killed) while compiling\n" + noMemory},
		"out of memory":    {"print LLVM ERROR: out of memory\ndie 6\n", 4, "LLVM ERROR: out of memory\nk.cpp: error: the device compiler libsycl-jit.so.99.1 ended by signal 6 (Aborted) while compiling\n" + noMemory},
		"a NUL byte":       {"int a;\x00", 3, "k.cpp: error: NUL byte at offset 6\n"},
		"a format":         {"image 3\n", 3, "k.cpp: error: the compiler returned an image that is not SPIR-V\n"},
		"a key":            {"image 2\nset S\nnumber a=b 1\n", 3, "error: the compiler returned the name 'a=b', which cannot be written to a file\n"},
		"a set":            {"image 2\nset S]\n", 3, "error: the compiler returned the name 'S]', which cannot be written to a file\n"},
		"a symbol":         {"image 2\nsymbol a\tb\n", 3, "error: the compiler returned the name 'a\tb', which cannot be written to a file\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "k.cpp", test.source)
			code, _, stderr := run(t, driver, "build", "--library", fake, "--output-dir", "out", "k.cpp", "--")
			if code != test.code || stderr != test.want {
				t.Errorf("exit %d\n%swant %d\n%s", code, stderr, test.code, test.want)
			}
			if got := names(t, "."); test.code != 0 && got != "k.cpp" {
				t.Errorf("files are left: %s", got)
			}
		})
	}
}

// TestOldOutputs tests that a failure does not change existing outputs.
func TestOldOutputs(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	for _, name := range []string{"k.bc", "k.h", "k.f", "k.d"} {
		write(t, name, "old")
	}
	for name, source := range map[string]string{"an error": failed("k.cpp:1:9: error: no"), "a crash": "die 11\n", "no bitcode, no header": "code 1\n"} {
		write(t, "k.cpp", source)
		if code, _, stderr := run(t, driver, "compile", "--library", fake, "--output", "k.bc", "--header", "k.h", "--footer", "k.f", "--depfile", "k.d", "k.cpp"); code == 0 {
			t.Errorf("%s: exit 0\n%s", name, stderr)
		}
		if got := read(t, "k.bc") + read(t, "k.h") + read(t, "k.f") + read(t, "k.d"); got != "oldoldoldold" {
			t.Errorf("%s: the outputs are %q", name, got)
		}
		if got := names(t, "."); got != "k.bc k.cpp k.d k.f k.h" {
			t.Errorf("%s: files: %s", name, got)
		}
	}
}

func TestBadInput(t *testing.T) {
	driver, fake := driver(t), fake(t)
	t.Chdir(t.TempDir())
	write(t, "k.cpp", "")
	write(t, "empty.bc", "")
	write(t, "text.bc", "define void @f()")
	write(t, "file", "")
	compile := func(args ...string) []string { return append([]string{"compile", "--library", fake}, args...) }
	link := func(args ...string) []string { return append([]string{"post-link", "--library", fake}, args...) }
	const help = "\nnote: see 'driver --help'\n"
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"nothing":                  {nil, 2, "driver: error: missing command; expected compile, post-link, build or check" + help},
		"unknown command":          {[]string{"link"}, 2, "driver: error: unknown command 'link'; expected compile, post-link, build or check" + help},
		"part of a command":        {[]string{"post"}, 2, "driver: error: unknown command 'post'; expected compile, post-link, build or check" + help},
		"no library":               {[]string{"check"}, 2, "driver: error: --library is required" + help},
		"no output":                {compile("k.cpp"), 2, "driver: error: --output is required" + help},
		"no directory":             {link("k.bc"), 2, "driver: error: --output-dir is required" + help},
		"no input":                 {compile("--output", "k.bc", "--", "k.cpp"), 2, "driver: error: missing input file" + help},
		"no value":                 {compile("--output", "--", "k.cpp"), 2, "driver: error: --output requires a value" + help},
		"an empty value":           {compile("--output=", "k.cpp"), 2, "driver: error: --output requires a value" + help},
		"another's flag":           {link("--output-dir", "out", "--header", "h", "k.bc"), 2, "driver: error: unknown flag --header of 'post-link'; clang options follow --" + help},
		"a response file":          {compile("--output", "k.bc", "k.cpp", "--", "-O2", "@list"), 2, "driver: error: the option '@list' is a response file, which DPC++'s library does not support; pass the options themselves" + help},
		"cached headers":           {compile("--output", "k.bc", "k.cpp", "--", "--persistent-auto-pch=pch"), 2, "driver: error: the option '--persistent-auto-pch=pch' reuses headers across compilations, which can miss changes in headers; remove it" + help},
		"a flag of clang":          {compile("--output", "k.bc", "-O2", "k.cpp"), 2, "driver: error: unknown flag -O2 of 'compile'; clang options follow --" + help},
		"two inputs":               {compile("--output", "k.bc", "k.cpp", "l.cpp"), 2, "driver: error: unexpected argument 'l.cpp'" + help},
		"an input":                 {[]string{"check", "--library", fake, "k.cpp"}, 2, "driver: error: unexpected argument 'k.cpp'" + help},
		"missing source":           {compile("--output", "k.bc", "lost.cpp"), 3, "lost.cpp: error: No such file or directory\n"},
		"a directory":              {compile("--output", "k.bc", "."), 3, ".: error: is a directory; expected a file\n"},
		"empty bitcode":            {link("--output-dir", "out", "empty.bc"), 3, "empty.bc: error: empty file; expected bitcode\n"},
		"no bitcode":               {link("--output-dir", "out", "text.bc"), 3, "text.bc: error: libsycl-jit.so.99.1 cannot read the bitcode: Invalid bitcode signature\nnote: it reads bitcode of its own LLVM release and of older releases\n"},
		"missing output dir":       {compile("--output", "no/k.bc", "k.cpp"), 4, "no/k.bc: error: directory no does not exist\n"},
		"the output dir is a file": {append([]string{"build", "--library", fake}, "--output-dir", "file", "k.cpp"), 4, "file: error: Not a directory\n"},
		"missing library":          {[]string{"check", "--library", "lost.so"}, 4, "lost.so: error: No such file or directory\n"},
		"not a library":            {[]string{"check", "--library", "k.cpp"}, 3, "k.cpp: error: not a shared library, or truncated\n"},
		"not the interface":        {[]string{"check", "--library", fake}, 3, fake + ": error: libsycl-jit.so.99.1 does not return the image of a kernel in the expected form\nnote: the driver supports DPC++ 2025.3 to 2026.2\n"},
		"the source is missing":    {compile("--output", "k.bc", ""), 2, "driver: error: missing input file" + help},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(t, driver, test.args...)
			if code != test.code || !strings.HasPrefix(stderr, test.want) || stdout != "" {
				t.Errorf("exit %d\n%s%swant %d\n%s", code, stdout, stderr, test.code, test.want)
			}
			if got := names(t, "."); got != "empty.bc file k.cpp text.bc" {
				t.Errorf("files: %s", got)
			}
		})
	}
}

// TestAnotherLibrary tests that a library other than the device compiler is rejected.
func TestAnotherLibrary(t *testing.T) {
	driver := driver(t)
	t.Chdir(t.TempDir())
	write(t, "other.cpp", "int other() { return 1; }\n")
	if out, err := exec.Command(testkit.Program(t, "c++"), "-shared", "-fPIC", "-o", "other.so", "other.cpp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, _, stderr := run(t, driver, "check", "--library", "other.so")
	if want := "other.so: error: not libsycl-jit: no function compileSYCL\n"; code != 3 || stderr != want {
		t.Errorf("exit %d\n%swant 3\n%s", code, stderr, want)
	}
	write(t, "part.so", read(t, "other.so")[:1000])
	code, _, stderr = run(t, driver, "check", "--library", "part.so")
	if want := "part.so: error: not a shared library, or truncated\n"; code != 3 || stderr != want {
		t.Errorf("exit %d\n%swant 3\n%s", code, stderr, want)
	}
}

func TestHelp(t *testing.T) {
	driver := driver(t)
	for _, flag := range []string{"--help", "-h"} {
		code, stdout, stderr := run(t, driver, flag)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "driver compile --library") {
			t.Errorf("%s: exit %d\n%s%s", flag, code, stdout, stderr)
		}
	}
}
