package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestLinkDepfile checks the name and the target of the dependency file of a source that is compiled
// and linked in one command.
func TestLinkDepfile(t *testing.T) {
	gxx := testkit.Program(t, "g++")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "a.cpp", "#include \"a.hpp\"\nint main() {}\n")
	testkit.WriteFile(t, "a.hpp", "")
	testkit.WriteFile(t, "b.cpp", "")
	testkit.WriteFile(t, "out dir/README", "")
	for _, test := range []struct{ options, output, file, want string }{
		{"-MMD a.cpp", "prog", "prog.d", "prog: a.cpp a.hpp"},
		{"-MMD a.cpp", "out dir/prog.exe", "out dir/prog.d", "out\\ dir/prog.exe: a.cpp a.hpp"},
		{"-MMD a.cpp", "", "a.d", "a.o: a.cpp a.hpp"},
		{"-MMD a.cpp b.cpp", "prog", "a.d", "prog: a.cpp a.hpp"},
		{"-MMD -MF c.d -MT x a.cpp", "prog", "c.d", "x: a.cpp a.hpp"},
	} {
		args := append([]string{"-fno-sycl", "-fsycl-host-compiler=" + gxx}, strings.Fields(test.options)...)
		if test.output != "" {
			args = append(args, "-o", test.output)
		}
		var log bytes.Buffer
		if code := run(t.Context(), &cli.Env{Stdout: &log, Stderr: &log}, args); code != 0 {
			t.Fatalf("%q: exit code %d\n%s", args, code, log.String())
		}
		if got := strings.TrimSpace(testkit.ReadFile(t, test.file)); got != test.want {
			t.Errorf("%q: %s has %q, want %q", args, test.file, got, test.want)
		}
		testkit.NoError(t, os.Remove(test.file))
	}
}

// TestAssemblyDepfile checks that the target of the dependency file of -S is the object, as for
// g++ and clang++, unless -o names the assembler source.
func TestAssemblyDepfile(t *testing.T) {
	gxx := testkit.Program(t, "g++")
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "a.cpp", "int main() {}\n")
	for args, want := range map[string]string{
		"-S -MMD -MF d a.cpp":        "a.o: a.cpp",
		"-S -MMD -MF d a.cpp -o b.s": "b.s: a.cpp",
	} {
		var log bytes.Buffer
		if code := run(t.Context(), &cli.Env{Stdout: &log, Stderr: &log}, append([]string{"-fsycl-host-compiler=" + gxx, "--dpcpp=none"}, strings.Fields(args)...)); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", args, code, log.String())
		}
		if got := strings.TrimSpace(testkit.ReadFile(t, "d")); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// TestAuxiliaryFiles checks that sources that are compiled and linked in one command have the same
// auxiliary files as without syclc++.
func TestAuxiliaryFiles(t *testing.T) {
	for host, options := range map[string]string{
		"g++":     "-g -ftest-coverage -fstack-usage",
		"clang++": "-g -ftest-coverage -fstack-usage -gsplit-dwarf -ftime-trace -fsave-optimization-record",
	} {
		t.Run(host, func(t *testing.T) {
			path := testkit.Program(t, host)
			for _, output := range []string{"", "-o out/prog", "-o out/prog.exe"} {
				args := strings.Fields(options + " a.cpp src/b.cc " + output)
				written := func(compile func()) (names []string) {
					t.Chdir(t.TempDir())
					testkit.WriteFile(t, "a.cpp", "int main() {}\n")
					testkit.WriteFile(t, "src/b.cc", "int b() { return 1; }\n")
					testkit.WriteFile(t, "out/README", "")
					compile()
					testkit.NoError(t, filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
						names = append(names, name)
						return err
					}))
					return names
				}
				want := written(func() {
					if log, err := exec.Command(path, args...).CombinedOutput(); err != nil {
						t.Fatalf("%q: %v\n%s", args, err, log)
					}
				})
				got := written(func() {
					var log bytes.Buffer
					if code := run(t.Context(), &cli.Env{Stdout: &log, Stderr: &log}, append([]string{"-fsycl-host-compiler=" + path, "--dpcpp=none"}, args...)); code != 0 {
						t.Fatalf("%q: exit code %d\n%s", args, code, log.String())
					}
				})
				if !slices.Equal(got, want) {
					t.Errorf("%q: files\n%q, want\n%q", args, got, want)
				}
			}
		})
	}
}

// TestLinkNotes checks the notes that syclc++ adds to linker errors.
func TestLinkNotes(t *testing.T) {
	linker := filepath.Join(t.TempDir(), "linker")
	testkit.NoError(t, os.WriteFile(linker, []byte("#!/bin/sh\necho \"$1\" >&2\nexit 1\n"), 0o755))
	for _, test := range []struct {
		options, message, want string
	}{
		{"", "ld.lld: error: unable to find library -lomp", "run 'pip install intel-openmp'"},
		{"-static", "ld.lld: error: undefined symbol: sycl::_V1::event::wait()", "use -static-libstdc++ -static-libgcc instead of -static"},
		{"-static", "a.cpp:(.text+0x275): undefined reference to `sycl::_V1::event::wait()'", "use -static-libstdc++ -static-libgcc instead of -static"},
		{"", "multiple definition of `sycl_kernel_is_defined_twice_K'", "rename one of them"},
		{"", "multiple definition of `sycl_virtual_function_is_defined_twice__ZN1S1fEv_01'", "compile and link these sources with -fsycl-rdc"},
		{"-static-pie", "ld.lld: error: undefined symbol: sycl::_V1::event::wait()", "instead of -static or -static-pie"},
		{"-static", "ld.lld: error: undefined symbol: f", ""},
		{"", "ld.lld: error: undefined symbol: sycl::_V1::event::wait()", ""},
	} {
		var log bytes.Buffer
		c := &compiler{line: &commandLine{Link: strings.Fields(test.options)}, host: &host{path: linker, clang: true}, env: &cli.Env{Stdout: &log, Stderr: &log}}
		err := c.link(t.Context(), []string{test.message})
		note := strings.TrimPrefix(log.String(), test.message+"\n")
		if err == nil || !strings.Contains(note, test.want) || (note == "") != (test.want == "") {
			t.Errorf("%s: %s: %v, note %q, want %q", test.options, test.message, err, note, test.want)
		}
	}
}

// TestOwnLibraries checks that a link with -nostdlib, which libtool uses for C++ libraries, has the run
// path of libsycl but not the library.
func TestOwnLibraries(t *testing.T) {
	dir := t.TempDir()
	runPath := "-Wl,-rpath," + filepath.Join(dir, "lib")
	for option, want := range map[string][]string{"-nostdlib": {runPath}, "-nostdlib -static": nil, "-nostdlib -r": nil} {
		c := &compiler{line: &commandLine{SYCL: true, Link: strings.Fields(option)}, dpcpp: &installation{dir: dir}}
		if got, err := c.libraryOptions(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", option, got, err, want)
		}
	}
}

// TestStaticPrograms checks that static programs are not linked against libsycl, a shared library.
func TestStaticPrograms(t *testing.T) {
	for option, linked := range map[string]bool{"-static": false, "-static-pie": false, "-static-libgcc": true} {
		c := &compiler{line: &commandLine{SYCL: true, Link: []string{option}}, dpcpp: &installation{dir: "/dpcpp"}}
		if options, err := c.libraryOptions(); err != nil || (options != nil) != linked {
			t.Errorf("%s: %q, %v", option, options, err)
		}
	}
}

// TestOpenMP checks that clang without an OpenMP library links Intel's library from pip.
func TestOpenMP(t *testing.T) {
	dir := t.TempDir()
	clang := func(name, prints string) *host {
		path := filepath.Join(dir, name)
		testkit.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho "+prints+"\n"), 0o755))
		return &host{path: path, clang: true}
	}
	without, with := clang("without", "libomp.so"), clang("with", "/usr/lib/llvm/lib/libomp.so")
	pip, plain := filepath.Join(dir, "pip"), filepath.Join(dir, "plain")
	testkit.NoError(t, os.MkdirAll(filepath.Join(pip, "lib"), 0o777))
	testkit.WriteFile(t, filepath.Join(pip, "lib/libiomp5.so"), "")
	const replaced = "-O2 -fopenmp=libiomp5 -LPIP/lib -Wl,-rpath,PIP/lib"
	for _, test := range []struct {
		host           *host
		dpcpp, options string
		want           string
	}{
		{without, pip, "-O2 -fopenmp", replaced},
		{with, pip, "-O2 -fopenmp", "-O2 -fopenmp"},
		{without, plain, "-O2 -fopenmp", "-O2 -fopenmp"},
		{without, pip, "-O2 -fopenmp-simd", "-O2 -fopenmp-simd"},
		{without, pip, "-fopenmp=libgomp", "-fopenmp=libgomp"},
	} {
		c := &compiler{line: &commandLine{}, host: test.host, dpcpp: &installation{dir: test.dpcpp}}
		got := strings.ReplaceAll(strings.Join(c.openMP(strings.Fields(test.options)), " "), pip, "PIP")
		if got != test.want {
			t.Errorf("%s with %s: %s, want %s", test.options, filepath.Base(test.host.path), got, test.want)
		}
	}
	testkit.NoError(t, os.MkdirAll(filepath.Join(pip, "opt/compiler/include"), 0o777))
	testkit.WriteFile(t, filepath.Join(pip, "opt/compiler/include/omp.h"), "")
	line := testkit.Must(parseLine([]string{"-fopenmp", "a.cpp"}))(t)
	for dir, want := range map[string]string{pip: "-idirafter " + pip + "/opt/compiler/include", plain: ""} {
		c := &compiler{line: line, host: without, dpcpp: &installation{dir: dir}}
		if got := strings.Join(c.openMPHeaders(), " "); got != want {
			t.Errorf("headers in %s: %s, want %s", filepath.Base(dir), got, want)
		}
	}
}

// TestExplainMissing checks that a failed device link is explained by libraries that the host linker
// does not find, which may define the device functions.
func TestExplainMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	linker := testkit.Script(t, "ld", "echo '/usr/bin/ld: cannot find -lmissing: No such file' >&2; echo 'collect2: error' >&2; exit 1")
	undefined := errors.New("undefined device function")
	for _, test := range []struct {
		missing, printed string
		want             error
	}{
		{"-lmissing", "/usr/bin/ld: cannot find -lmissing: No such file\n", errPrinted},
		{"-lgomp", "", undefined},
	} {
		var log bytes.Buffer
		c := &compiler{line: &commandLine{}, env: &cli.Env{Stderr: &log}, host: &host{path: linker}}
		if err := c.explainMissing(t.Context(), nil, []string{test.missing}, undefined); err != test.want || log.String() != test.printed {
			t.Errorf("%s: %v, %q", test.missing, err, log.String())
		}
	}
}

// TestSavedObject checks the names that g++ 12 and clang++ 23 give to the object of k.cpp.
func TestSavedObject(t *testing.T) {
	for options, want := range map[string]struct{ gcc, clang string }{
		"-o out/prog":                  {"", ""},
		"-save-temps":                  {"a-k.o", "k.o"},
		"-o out/prog -save-temps":      {"out/prog-k.o", "k.o"},
		"-o out/prog -save-temps=obj":  {"out/prog-k.o", "out/k.o"},
		"-o out/prog.exe --save-temps": {"out/prog-k.o", "k.o"},
	} {
		line, err := parseLine(strings.Fields("k.cpp " + options))
		testkit.NoError(t, err)
		gcc, clang := (&compiler{line: line, host: &host{"g++", false}}).savedObject("k"), (&compiler{line: line, host: &host{"clang++", true}}).savedObject("k")
		if gcc != want.gcc || clang != want.clang {
			t.Errorf("%s: g++ %q, clang++ %q; want %q and %q", options, gcc, clang, want.gcc, want.clang)
		}
	}
}
