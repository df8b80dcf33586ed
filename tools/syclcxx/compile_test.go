package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// TestReleaseOfPrograms checks that programs may need the aspects of the runtime that they are compiled
// for.
func TestReleaseOfPrograms(t *testing.T) {
	for version, want := range map[string]string{"2026.2.0": "2026.2", "2026.1.2": "2026.0", "2026.0.0": "2026.0", "2025.3.1": "2026.0", "2027.1.0": "2026.0", "": "2026.0"} {
		if got := (&installation{version: version}).release().Name; got != want {
			t.Errorf("version %q: %s, want %s", version, got, want)
		}
	}
}

func TestClangOnlyOptions(t *testing.T) {
	line := testkit.Must(parseLine([]string{"-O3", "-fhonor-nans", "-fapprox-func", "-Xclang", "-fsycl-x", "--gcc-toolchain=", "--gcc-install-dir=/gcc", "x.cpp"}))(t)
	for _, tt := range []struct {
		host       host
		gccDir     string
		want, link string
		device     bool
	}{
		{host{"g++", false}, "/lib/gcc", "-O3 -fno-finite-math-only", "-O3 -fno-finite-math-only", false},
		{host{"clang++", true}, "", "-O3 -fhonor-nans -fapprox-func -Xclang -fsycl-x --gcc-toolchain= --gcc-install-dir=/gcc", "-O3 -fhonor-nans -fapprox-func --gcc-toolchain= --gcc-install-dir=/gcc", true},
	} {
		c := &compiler{line: line, host: &tt.host, gccDir: tt.gccDir, dpcpp: new(installation)}
		if got := strings.Join(c.hostOptions(), " "); got != tt.want {
			t.Errorf("%s: the host compile has %s, want %s", tt.host.path, got, tt.want)
		}
		if got := strings.Join(c.forHost(line.Link), " "); got != tt.link {
			t.Errorf("%s: the link has %s, want %s", tt.host.path, got, tt.link)
		}
		options := (&compilation{compiler: c}).deviceOptions(nil)
		if got := slices.Contains(options, "--gcc-install-dir=/gcc"); got != tt.device || !slices.Contains(options, "-fsycl-x") || !slices.Contains(options, "-fhonor-nans") {
			t.Errorf("%s: the device compile has %q", tt.host.path, options)
		}
		if tt.gccDir != "" && !slices.Contains(options, "--gcc-install-dir="+tt.gccDir) {
			t.Errorf("%s: the device compile has %q", tt.host.path, options)
		}
	}
}

// TestOptionsForGCC checks what g++ gets for clang's options. clang++ gets them unchanged.
func TestOptionsForGCC(t *testing.T) {
	for option, want := range map[string]string{
		"-fno-honor-nans":             "",
		"-fno-vectorize":              "-fno-tree-loop-vectorize",
		"-fslp-vectorize":             "-ftree-slp-vectorize",
		"-fveclib=SVML":               "",
		"-gline-tables-only":          "-g1",
		"-g3":                         "-g3",
		"-fdebug-info-for-profiling":  "",
		"-fstandalone-debug":          "",
		"-fcolor-diagnostics":         "-fdiagnostics-color=always",
		"-fno-color-diagnostics":      "-fdiagnostics-color=never",
		"-ferror-limit=0":             "-fmax-errors=0",
		"-fconstexpr-steps=9000000":   "-fconstexpr-ops-limit=9000000",
		"-fconstexpr-depth=900":       "-fconstexpr-depth=900",
		"-fbracket-depth=900":         "",
		"-Qunused-arguments":          "",
		"-fclang-abi-compat=17":       "-fclang-abi-compat=17",
		"-fcolor-diagnostics-of-mine": "-fcolor-diagnostics-of-mine",
	} {
		line := testkit.Must(parseLine([]string{option, "x.cpp"}))(t)
		for _, clang := range []bool{false, true} {
			wanted := want
			if clang {
				wanted = option
			}
			c := &compiler{line: line, host: &host{clang: clang}}
			if got := strings.Join(c.hostOptions(), " "); got != wanted {
				t.Errorf("%s, clang %v: the host compile has %q, want %q", option, clang, got, wanted)
			}
		}
	}
}

// TestSystemHeaders checks that the device compilation reads DPC++'s include directory as a directory of system headers, even
// if no option names it.
func TestSystemHeaders(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "dpcpp/include/sycl/sycl.hpp", "")
	testkit.WriteFile(t, "own/a.hpp", "")
	testkit.NoError(t, os.Symlink("dpcpp", "link"))
	t.Setenv("CPATH", "dpcpp/include:own")
	line := testkit.Must(parseLine(strings.Fields("-Iown -I dpcpp/include -Ilink/include -I dpcpp/include/sycl -isystem own -Imissing a.cpp")))(t)
	u := &compilation{compiler: &compiler{line: line, host: &host{"clang++", true}, dpcpp: &installation{dir: "dpcpp"}}}
	got := strings.Join(u.deviceOptions(nil), " ")
	want := "-Iown -isystem dpcpp/include -isystem link/include -I dpcpp/include/sycl -isystem own -Imissing -isystem dpcpp/include -I own -idirafter dpcpp/include -x c++"
	if !strings.HasSuffix(got, " "+want) {
		t.Errorf("the device compile has %s, want %s", got, want)
	}
}

// TestWrappedDebugInfo checks that debug information of a source that the host compiler reads through
// the wrapper does not contain the name of the scratch directory, which differs between compiles.
func TestWrappedDebugInfo(t *testing.T) {
	for _, program := range []string{"g++", "clang++"} {
		t.Run(program, func(t *testing.T) {
			path := testkit.Program(t, program)
			t.Chdir(t.TempDir())
			testkit.WriteFile(t, "a.cpp", "int a() { return b() + B; }\n")
			var objects []string
			for range 2 {
				dir := t.TempDir()
				testkit.WriteFile(t, dir+"/header.h", "inline int b() { return __LINE__; }\n#define B 1\n")
				testkit.WriteFile(t, dir+"/footer.h", "int c() { return b(); }\n")
				line := testkit.Must(parseLine(strings.Fields("-g3 -gdwarf-4 --host-headers=. -c a.cpp")))(t) // DWARF 5 has a digest of the wrapper, which clang omits for SYCL headers
				c := &compiler{line: line, env: &cli.Env{}, host: &host{path, program == "clang++"}, dpcpp: &installation{dir: "dpcpp"}}
				u := &compilation{compiler: c, source: "a.cpp", dir: dir, wrapped: true}
				testkit.NoError(t, u.writeWrapper())
				var log bytes.Buffer
				if err := u.compileHost(t.Context(), &log); err != nil {
					t.Fatalf("%v\n%s", err, log.String())
				}
				objects = append(objects, testkit.ReadFile(t, dir+"/host.o"))
				if strings.Contains(objects[0], dir) {
					t.Errorf("the object contains %s", dir)
				}
			}
			if objects[0] != objects[1] {
				t.Error("two compiles wrote different objects")
			}
		})
	}
}

// TestMayGoFirst checks for which sources the host compile does not wait for the device compile.
func TestMayGoFirst(t *testing.T) {
	for _, test := range []struct {
		options, text string
		want          bool
	}{
		{"-O2", "int main() {}", true},
		{"-frtti", "int main() {}", true},
		{"-fno-rtti", "int main() {}", false},
		{"-O2", "constexpr sycl::specialization_id<int> size;", false},
		{"-O2", "device_global<int> counter;", false},
	} {
		line := testkit.Must(parseLine([]string{test.options, "-c", "a.cpp"}))(t)
		u := &compilation{compiler: &compiler{line: line}}
		if got := u.mayGoFirst([]byte(test.text)); got != test.want {
			t.Errorf("%s, %s: got %t", test.options, test.text, got)
		}
	}
}

// TestWriteDepfile checks that a dependency file has the files of both compiles once, without the
// files that syclc++ writes.
func TestWriteDepfile(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "headers/x.hpp", "")
	testkit.WriteFile(t, "scratch/host.d", "x: scratch/before.h scratch/header.h a.cpp \\\n  b.hpp dpcpp/include/sycl/sycl.hpp d\\\\\\ e.hpp\n")
	testkit.WriteFile(t, "scratch/device.d", "x: a.cpp ./b.hpp c.hpp headers/x.hpp d/\\ e.hpp\n") // clang replaces backslashes
	for option, want := range map[string]string{
		"-MD":  "a.o: \\\n  a.cpp \\\n  b.hpp \\\n  dpcpp/include/sycl/sycl.hpp \\\n  d\\\\\\ e.hpp \\\n  c.hpp \\\n  headers/x.hpp \\\n  own.yaml\n",
		"-MMD": "a.o: \\\n  a.cpp \\\n  b.hpp \\\n  d\\\\\\ e.hpp \\\n  c.hpp \\\n  own.yaml\n",
	} {
		line := testkit.Must(parseLine(strings.Fields("--host-headers=headers -fsycl-device-config-file=own.yaml -c a.cpp " + option)))(t)
		u := &compilation{compiler: &compiler{line: line, dpcpp: &installation{dir: "dpcpp"}}, source: "a.cpp", dir: "scratch", depfile: line.Depfile, output: beside("a.o", "a.cpp")}
		var out outfile.Group
		testkit.NoError(t, u.writeDepfile(&out))
		testkit.NoError(t, out.Commit())
		if got := testkit.ReadFile(t, "a.d"); got != want {
			t.Errorf("%s: got %q, want %q", option, got, want)
		}
		var stdout bytes.Buffer
		u.env, u.depfile.File = &cli.Env{Stdout: &stdout}, "-"
		if err := u.writeDepfile(&out); err != nil || stdout.String() != want {
			t.Errorf("%s -MF -: got %q, %v, want %q", option, stdout.String(), err, want)
		}
	}
}

// TestEnvironmentDepfile checks that the dependency file of g++'s environment variables is appended to.
func TestEnvironmentDepfile(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "headers/x.hpp", "")
	testkit.WriteFile(t, "scratch/host.d", "x: a.cpp dpcpp/include/sycl/sycl.hpp\n")
	testkit.WriteFile(t, "scratch/device.d", "x: a.cpp c.hpp\n")
	for _, test := range []struct{ variable, value, want string }{
		{"DEPENDENCIES_OUTPUT", "all.d", "a.o: \\\n  a.cpp \\\n  c.hpp\n"},
		{"DEPENDENCIES_OUTPUT", "all.d x y", "x y: \\\n  a.cpp \\\n  c.hpp\n"},
		{"SUNPRO_DEPENDENCIES", "all.d x", "x: \\\n  a.cpp \\\n  dpcpp/include/sycl/sycl.hpp \\\n  c.hpp\n"},
		{"SUNPRO_DEPENDENCIES", "", ""},
	} {
		t.Run(test.variable+" "+test.value, func(t *testing.T) {
			t.Setenv(test.variable, test.value)
			testkit.WriteFile(t, "all.d", "old: file\n")
			depfile := environmentDepfile("src/a.cpp")
			line := testkit.Must(parseLine([]string{"--host-headers=headers", "-c", "a.cpp"}))(t)
			u := &compilation{compiler: &compiler{line: line, dpcpp: &installation{dir: "dpcpp"}}, source: "a.cpp", dir: "scratch", depfile: depfile, output: beside("x.o", "a.cpp")}
			if depfile.Write {
				testkit.NoError(t, u.writeDepfile(new(outfile.Group)))
			}
			if got := testkit.ReadFile(t, "all.d"); got != "old: file\n"+test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestWrapperNames(t *testing.T) {
	for source, want := range map[string]bool{"a.cpp": true, `sp ace's\.cpp`: true, `q"uote.cpp`: false, "new\nline.cpp": false} {
		u := &compilation{compiler: &compiler{line: new(commandLine)}, source: source, dir: t.TempDir()}
		if err := u.writeWrapper(); (err == nil) != want {
			t.Errorf("%q: %v", source, err)
		}
	}
}

func TestNoteNames(t *testing.T) {
	for log, want := range map[string]string{
		"a.cpp:2:1: error: definition with same mangled name '_ZTSN3lib1NIfEE' as another definition\n": "a.cpp: note: two kernels have the name 'lib::N<float>'; rename one of them\n",
		"a.cpp:2:1: error: definition with same mangled name '_Z1fv' as another definition\n":           "",
	} {
		var notes bytes.Buffer
		u := &compilation{compiler: &compiler{env: &cli.Env{Stderr: &notes}}, source: "a.cpp"}
		u.noteNames([]byte(log))
		if notes.String() != want {
			t.Errorf("%s: got %q, want %q", log, notes.String(), want)
		}
	}
}
