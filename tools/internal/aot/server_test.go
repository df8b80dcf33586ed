package aot

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// TestMain lets the test binary act as ocloc: as a server if a library is preloaded, unless
// OCLOC_IS overrides that. It records each start, and each compilation, in the directory
// OCLOC_NOTES.
func TestMain(m *testing.M) {
	notes := os.Getenv("OCLOC_NOTES")
	if notes == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("LD_PRELOAD") == "" {
		note(notes, "program", strings.Join(os.Args[1:], " "))
		code, printed := fakeOcloc(os.Args, "program")
		fmt.Print(printed)
		os.Exit(code)
	}
	note(notes, "server", strings.Join(os.Args[1:], " "))
	is := os.Getenv("OCLOC_IS")
	if is == "no server" {
		fmt.Println("Usage: ocloc COMMAND")
		os.Exit(0)
	}
	if is == "hangs when it starts" {
		time.Sleep(time.Hour)
	}
	fmt.Print("ocloc-server 1\n")
	in := bufio.NewReader(os.Stdin)
	for {
		args, ok := readRequest(in)
		if !ok {
			os.Exit(0)
		}
		note(notes, "served", strings.Join(args[1:], " "))
		code, printed := fakeOcloc(args, "server")
		switch is {
		case "dies":
			os.Exit(139)
		case "refuses":
			code, printed = -11, "no libigc"
		case "hangs":
			time.Sleep(time.Hour)
		case "no number":
			fmt.Print("0 many\n")
			continue
		case "too much":
			fmt.Print("0 99999999999\n")
			continue
		}
		fmt.Printf("%d %d\n%s", code, len(printed), printed)
	}
}

// readRequest reads arguments up to an empty one.
func readRequest(in *bufio.Reader) (args []string, ok bool) {
	for {
		arg, err := in.ReadString(0)
		if err != nil {
			return nil, false
		}
		if arg == "\x00" {
			return args, true
		}
		args = append(args, strings.TrimSuffix(arg, "\x00"))
	}
}

// fakeOcloc writes the value of by, the kind of process that compiles, to the file that the last
// argument names.
func fakeOcloc(args []string, by string) (code int, printed string) {
	if args[1] == "ids" {
		return 0, "1.2.3\n"
	}
	in, err := os.ReadFile(args[slices.Index(args, "-file")+1])
	if err != nil || string(in) == "bad" {
		return 245, "error: in kernel k\n"
	}
	if err := os.WriteFile(args[len(args)-1], []byte(by), 0o644); err != nil {
		return 1, err.Error()
	}
	return 0, "warning of " + by + "\n"
}

func note(dir, kind, text string) {
	f, err := os.OpenFile(filepath.Join(dir, kind), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		fmt.Fprintln(f, text)
		f.Close()
	}
}

// countNotes returns the number of notes of a kind.
func countNotes(t *testing.T, kind string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("notes", kind))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

// modules writes SPIR-V modules and a table to a new directory, and returns options that compile
// them with the fake ocloc.
func modules(t *testing.T, is string, texts ...string) Options {
	t.Helper()
	t.Chdir(t.TempDir())
	testkit.NoError(t, os.Mkdir("notes", 0o755))
	self, err := os.Executable()
	testkit.NoError(t, err)
	t.Setenv("OCLOC_NOTES", "notes")
	t.Setenv("OCLOC_IS", is)
	table := "[Code]\n"
	for i, text := range texts {
		name := fmt.Sprintf("%d.spv", i)
		testkit.WriteFile(t, name, text)
		table += name + "\n"
	}
	testkit.WriteFile(t, "k.table", table)
	return Options{Ocloc: self, Server: "server.so", CodeDir: "bin", Targets: []Target{{Device: "pvc", Table: "k.table", Output: "out.table"}}}
}

// atOnce is the maximum number of images that an action compiles concurrently.
var atOnce = min(runtime.GOMAXPROCS(0), 4)

// TestServer checks which kind of process compiles each module, and the number of processes.
func TestServer(t *testing.T) {
	for is, test := range map[string]struct {
		by      string
		servers int // maximum number of servers: one for each concurrent compilation
		runs    int // number of times that the ocloc program runs
	}{
		"":          {"server", atOnce, 0},
		"no server": {"program", atOnce, 6},
		"dies":      {"program", atOnce, 6},
		"refuses":   {"program", atOnce, 6},
		"no number": {"program", atOnce, 6},
		"too much":  {"program", atOnce, 6},
	} {
		t.Run("it "+is, func(t *testing.T) {
			o := modules(t, is, "a", "b", "c", "d", "e", "f")
			var log strings.Builder
			testkit.NoError(t, Run(t.Context(), &log, o))
			for i := range 6 {
				if got := testkit.ReadFile(t, fmt.Sprintf("bin/%d.bin", i)); got != test.by {
					t.Errorf("image %d is of the %s, want %s", i, got, test.by)
				}
			}
			if got := strings.Count(log.String(), "warning of "+test.by); got != 6 {
				t.Errorf("log %q", log.String())
			}
			if servers, runs := countNotes(t, "server"), countNotes(t, "program"); servers < 1 || servers > test.servers || runs != test.runs {
				t.Errorf("%d servers and %d runs of the program, want at most %d and %d", servers, runs, test.servers, test.runs)
			}
		})
	}
}

// TestServers checks that servers outlive a run, except for one that rejected a module.
func TestServers(t *testing.T) {
	o := modules(t, "", "a", "b", "c", "d")
	o.Servers = NewServers(t.Context(), atOnce)
	defer o.Servers.Close()
	k := kindOf(o.Server, o.Ocloc)
	for range 3 {
		testkit.NoError(t, Run(t.Context(), &strings.Builder{}, o))
	}
	servers := len(o.Servers.idle[k])
	if got := countNotes(t, "server"); servers < 1 || servers > atOnce || got != servers {
		t.Errorf("%d servers wait, %d were started, want at most %d", servers, got, atOnce)
	}
	if got := countNotes(t, "served"); got != 12 {
		t.Errorf("%d modules were compiled by servers, want 12", got)
	}

	// The ocloc program reports why a module is rejected. A server compiles the next module again.
	testkit.WriteFile(t, "0.spv", "bad")
	o.Targets[0].Table = "bad.table"
	testkit.WriteFile(t, "bad.table", "[Code]\n0.spv\n")
	err := Run(t.Context(), &strings.Builder{}, o)
	var refused *buildstep.Error
	if !errors.As(err, &refused) || refused.Code != 245 || refused.Output != "error: in kernel k\n" {
		t.Errorf("got %v", err)
	}
	if n := len(o.Servers.idle[k]); n != servers-1 {
		t.Errorf("%d servers wait after a refusal, want %d", n, servers-1)
	}
	testkit.WriteFile(t, "0.spv", "good")
	if err := Run(t.Context(), &strings.Builder{}, o); err != nil || testkit.ReadFile(t, "bin/0.bin") != "server" {
		t.Errorf("%v, image of %s", err, testkit.ReadFile(t, "bin/0.bin"))
	}
}

// TestKilledServers checks that new servers replace servers that were killed while idle.
func TestKilledServers(t *testing.T) {
	o := modules(t, "", "a", "b", "c", "d")
	o.Servers = NewServers(t.Context(), atOnce)
	defer o.Servers.Close()
	k := kindOf(o.Server, o.Ocloc)
	testkit.NoError(t, Run(t.Context(), io.Discard, o))
	for _, s := range o.Servers.idle[k] {
		s.end()
	}
	testkit.NoError(t, Run(t.Context(), io.Discard, o))
	if served, runs := countNotes(t, "served"), countNotes(t, "program"); served != 8 || runs != 0 || o.Servers.unfit[k] {
		t.Errorf("servers compiled %d modules, the program %d, unfit %v", served, runs, o.Servers.unfit[k])
	}
}

// TestChangedLibrary checks that after a compiler library has changed, servers that loaded the old
// library are not used, and images that they compiled are not reused.
func TestChangedLibrary(t *testing.T) {
	o := modules(t, "", "a")
	t.Setenv("LD_LIBRARY_PATH", t.TempDir())
	o.Servers, o.Cache = NewServers(t.Context(), 1), buildstep.NewCache(1<<20)
	defer o.Servers.Close()
	library := filepath.Join(os.Getenv("LD_LIBRARY_PATH"), "libigc.so.2.40")
	for i, test := range []struct {
		change          func()
		servers, served int
	}{
		{func() { testkit.WriteFile(t, library, "old") }, 1, 1},
		{func() {}, 1, 1}, // the image is in the cache
		{func() { testkit.WriteFile(t, library, "newer") }, 2, 2},
		{func() { // a new file of the same size
			testkit.WriteFile(t, library+".new", "other")
			os.Rename(library+".new", library)
		}, 3, 3},
		{func() { os.Remove(library) }, 4, 4},
		{func() {}, 4, 4},
	} {
		test.change()
		testkit.NoError(t, Run(t.Context(), io.Discard, o))
		if servers, served := countNotes(t, "server"), countNotes(t, "served"); servers != test.servers || served != test.served {
			t.Errorf("run %d: %d servers and %d compiled modules, want %d and %d", i, servers, served, test.servers, test.served)
		}
	}
}

// TestIdleServers checks that idle servers exit.
func TestIdleServers(t *testing.T) {
	o := modules(t, "", "a", "b")
	o.Servers = NewServers(t.Context(), atOnce)
	defer o.Servers.Close()
	o.Servers.wait = time.Millisecond
	testkit.NoError(t, Run(t.Context(), io.Discard, o))
	k := kindOf(o.Server, o.Ocloc)
	waiting := func() int {
		o.Servers.mu.Lock()
		defer o.Servers.mu.Unlock()
		return len(o.Servers.idle[k])
	}
	for deadline := time.Now().Add(time.Minute); waiting() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d servers wait", waiting())
		}
	}
}

// TestDebugInfo checks that a separate process compiles a module with debug information.
func TestDebugInfo(t *testing.T) {
	o := modules(t, "", "a", "OpenCL.DebugInfo.100", "NonSemantic.Shader.DebugInfo.200", "SPIRV.debug")
	testkit.NoError(t, Run(t.Context(), &strings.Builder{}, o))
	var by []string
	for i := range 4 {
		by = append(by, testkit.ReadFile(t, fmt.Sprintf("bin/%d.bin", i)))
	}
	if !slices.Equal(by, []string{"server", "program", "program", "program"}) {
		t.Errorf("compiled by %q", by)
	}
}

// TestKnownImages checks how many modules are compiled in a second run.
func TestKnownImages(t *testing.T) {
	for name, test := range map[string]struct {
		kept     *buildstep.Cache
		change   func(o *Options)
		compiled int // number of modules compiled in the second run
	}{
		"nothing changed":  {buildstep.NewCache(1 << 20), func(*Options) {}, 0},
		"nothing is kept":  {nil, func(*Options) {}, 4},
		"one module":       {buildstep.NewCache(1 << 20), func(*Options) { testkit.WriteFile(t, "2.spv", "x") }, 1},
		"another device":   {buildstep.NewCache(1 << 20), func(o *Options) { o.Targets[0].Device = "dg2" }, 4},
		"another use":      {buildstep.NewCache(1 << 20), func(o *Options) { o.Library = true }, 4},
		"equal modules":    {buildstep.NewCache(1 << 20), func(*Options) { testkit.WriteFile(t, "2.spv", "a") }, 0},
		"another compiler": {buildstep.NewCache(1 << 20), func(o *Options) { o.Ocloc = link(t, o.Ocloc) }, 4},
		"a newer compiler": {buildstep.NewCache(1 << 20), func(o *Options) { touch(t, "ocloc") }, 4},
	} {
		t.Run(name, func(t *testing.T) {
			o := modules(t, "", "a", "b", "c", "d")
			o.Ocloc = testkit.Script(t, "ocloc", `exec "`+o.Ocloc+`" "$@"`)
			o.Servers, o.Cache = NewServers(t.Context(), atOnce), test.kept
			defer o.Servers.Close()
			var first, again strings.Builder
			testkit.NoError(t, Run(t.Context(), &first, o))
			test.change(&o)
			testkit.NoError(t, os.RemoveAll("bin"))
			testkit.NoError(t, Run(t.Context(), &again, o))
			if got := countNotes(t, "served") - 4; got != test.compiled {
				t.Errorf("compiled %d modules again, want %d", got, test.compiled)
			}
			for i := range 4 {
				if got := testkit.ReadFile(t, fmt.Sprintf("bin/%d.bin", i)); got != "server" {
					t.Errorf("image %d is %q", i, got)
				}
			}
			if first.String() != again.String() {
				t.Errorf("printed %q, then %q", &first, &again)
			}
		})
	}
}

// touch makes a file look newer.
func touch(t *testing.T, name string) {
	t.Helper()
	later := time.Now().Add(time.Hour)
	testkit.NoError(t, os.Chtimes(name, later, later))
}

// link returns another path of a program.
func link(t *testing.T, program string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other")
	testkit.NoError(t, os.Symlink(program, path))
	return path
}

// TestServerEnds checks that an interrupted run does not wait for its server to finish.
func TestServerEnds(t *testing.T) {
	for _, is := range []string{"hangs", "hangs when it starts"} {
		o := modules(t, is, "a")
		// As in a worker, the servers outlive the run.
		o.Servers = NewServers(t.Context(), atOnce)
		defer o.Servers.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if err := Run(ctx, &strings.Builder{}, o); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v", is, err)
		}
	}
}

func TestPreloadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b")
	testkit.NoError(t, os.Mkdir(dir, 0o755))
	for _, test := range []struct{ path, want string }{
		{"/lib/x.so", "/lib/x.so"}, {"/a:b/x.so", ""}, {"/a b/x.so", ""}, {"a b/x.so", ""},
	} {
		if got, err := preloadable(test.path); got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v", test.path, got, err)
		}
	}
	t.Chdir(dir)
	for _, test := range []struct{ path, want string }{{"x.so", "./x.so"}, {"y/x.so", "./y/x.so"}} {
		if got, err := preloadable(test.path); got != test.want || err != nil {
			t.Errorf("%s: %q, %v", test.path, got, err)
		}
	}
}

// library returns the library of rules/ocloc, built by Bazel or by the host's C compiler.
func library(t *testing.T) string {
	t.Helper()
	if path, bazel := os.LookupEnv("OCLOC_SERVER"); bazel {
		return filepath.Join(os.Getenv("TEST_SRCDIR"), path)
	}
	source, err := filepath.Abs(filepath.Join("..", "..", "..", "rules", "ocloc", "server.c"))
	testkit.NoError(t, err)
	path := filepath.Join(t.TempDir(), "server.so")
	if out, err := exec.Command(testkit.Program(t, "cc"), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", source, "-o", path, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestLibrary checks that a program like ocloc becomes a server, with the library that it was
// linked with.
func TestLibrary(t *testing.T) {
	server := library(t)
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "lib.c", `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int oclocInvoke(unsigned n, const char **a) {
  static int calls;
  fprintf(stderr, "!%s", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "");
  printf("call %d:", ++calls);
  for (unsigned i = 1; i < n; i++) printf(" %s", a[i]);
  return strcmp(a[1], "no") ? 0 : -11;
}
`)
	testkit.WriteFile(t, "main.c", "int oclocInvoke(unsigned, const char **);\nint main(int n, const char **a) { return oclocInvoke(n, a); }\n")
	cc := testkit.Program(t, "cc")
	for _, args := range [][]string{
		{"-shared", "-fPIC", "lib.c", "-o", "libocloc.so"},
		{"main.c", "-o", "ocloc", "-L.", "-locloc", "-Wl,-rpath,$ORIGIN"},
	} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	// A script that starts ocloc also works.
	testkit.WriteFile(t, "script", "#!/bin/sh\nexec ./ocloc \"$@\"\n")
	testkit.NoError(t, os.Chmod("script", 0o755))
	for _, ocloc := range []string{"./ocloc", "./script"} {
		s, err := start(t.Context(), t.Context(), kindOf(server, ocloc))
		testkit.NoError(t, err)
		long := strings.Repeat("x", 100_000)
		for i, test := range []struct {
			arg  string
			code int
		}{{"a", 0}, {"no", -11}, {long, 0}, {"a b\n", 0}} {
			code, printed, err := s.request([]string{"ocloc", test.arg})
			// A program that writes to a file prints in the same order.
			if want := fmt.Sprintf("!call %d: %s", i+1, test.arg); code != test.code || string(printed) != want || err != nil {
				t.Errorf("%s: %d, %.60q, %v; want %d, %.60q", ocloc, code, printed, err, test.code, want)
			}
		}
		if _, _, err := s.request(slices.Repeat([]string{"a"}, 5000)); err == nil {
			t.Error("a request with too many arguments was served")
		}
		s.end()
	}
	if _, err := start(t.Context(), t.Context(), kindOf(server, "/bin/ls")); err == nil {
		t.Error("ls is a server")
	}
}

// TestRealServer checks that a server and the ocloc program write the same images, byte for byte.
func TestRealServer(t *testing.T) {
	ocloc, server := testkit.Program(t, "ocloc"), library(t)
	clang, llvmSPIRV := testkit.Program(t, "clang"), testkit.Program(t, "llvm-spirv")
	t.Chdir(t.TempDir())
	table := "[Code]\n"
	for i := range 6 {
		name := fmt.Sprintf("k%d", i)
		testkit.WriteFile(t, name+".cl", fmt.Sprintf(`
float sum(global const float *a, int n) {
  float s = %d;
  for (int i = 0; i < n; i++) s = fma(s, a[i], sin(a[i]));
  return s;
}
kernel void %s(global float *a, local float *l, int n) {
  size_t i = get_global_id(0);
  l[get_local_id(0)] = a[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[i] = sum(a, n) + l[(get_local_id(0) + %d) %% get_local_size(0)];
}
`, i, name, i))
		for _, args := range [][]string{
			{clang, "-x", "cl", "-cl-std=CL3.0", "-target", "spir64", "-O2", "-emit-llvm", "-c", name + ".cl", "-o", name + ".bc"},
			{llvmSPIRV, name + ".bc", "-o", name + ".spv"},
		} {
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		table += name + ".spv\n"
	}
	testkit.WriteFile(t, "k.table", table)
	servers := NewServers(t.Context(), atOnce)
	defer servers.Close()
	for _, library := range []string{"", server} {
		o := Options{Ocloc: ocloc, Server: library, Servers: servers, CodeDir: "program"}
		if library != "" {
			o.CodeDir = "server"
		}
		for _, device := range []string{"pvc", "bmg-g21", "ptl-h"} {
			o.Targets = append(o.Targets, Target{Device: device, Table: "k.table", Output: o.CodeDir + "." + device})
		}
		testkit.NoError(t, Run(t.Context(), &strings.Builder{}, o))
	}
	k := kindOf(server, ocloc)
	if len(servers.idle[k]) == 0 || servers.unfit[k] {
		t.Error("no server compiled anything")
	}
	images, err := filepath.Glob("program/*.bin")
	if err != nil || len(images) != 3*6 {
		t.Fatalf("%d images, want 18 (%v)", len(images), err)
	}
	for _, image := range images {
		if testkit.ReadFile(t, image) != testkit.ReadFile(t, filepath.Join("server", filepath.Base(image))) {
			t.Errorf("%s differs", image)
		}
	}

	// After the first server has rejected a module, the ocloc program reports why.
	testkit.WriteFile(t, "k.table", "[Code]\nk0.spv\nbad.spv\n")
	testkit.WriteFile(t, "bad.spv", "no SPIR-V")
	err = Run(t.Context(), &strings.Builder{}, Options{
		Ocloc: ocloc, Server: server, Servers: servers, CodeDir: "bad", Targets: []Target{{Device: "pvc", Table: "k.table", Output: "bad.table"}},
	})
	var refused *buildstep.Error
	if !errors.As(err, &refused) || servers.unfit[k] {
		t.Errorf("got %v; unfit: %v", err, servers.unfit[k])
	}
}

// TestSameBytes checks that an image with debug information has the same bytes in every run and
// every directory.
func TestSameBytes(t *testing.T) {
	ocloc, server := testkit.Program(t, "ocloc"), library(t)
	module := testkit.ReadFile(t, filepath.Join("..", "..", "..", "sycl", "spirv", "testdata", "kernels.spv"))
	t.Chdir(t.TempDir())
	if !hasDebugInfo([]byte(module)) {
		t.Fatal("the module has no debug information")
	}
	// The flag that atFixedAddresses sets, as seen by a process that inherits it.
	fixed := exec.Command("/bin/sh", "-c", "test $((0x$(cat /proc/self/personality) & 0x40000)) != 0")
	if err := atFixedAddresses(fixed.Run); err != nil {
		t.Skip("this system lets no process turn off address space randomization for another one")
	}
	var first string
	for _, dir := range []string{"a", "ab", "abcdefg", "abcdefghijklmnopqrstuv", strings.Repeat("long", 50), "a"} {
		testkit.WriteFile(t, dir+"/k.spv", module)
		testkit.WriteFile(t, dir+"/k.table", "[Code]\n"+dir+"/k.spv\n")
		o := Options{Ocloc: ocloc, Server: server, CodeDir: dir + "/bin", Targets: []Target{{Device: "pvc", Table: dir + "/k.table", Output: "out.table"}}}
		testkit.NoError(t, Run(t.Context(), io.Discard, o))
		image := testkit.ReadFile(t, dir+"/bin/k.bin")
		first = cmp.Or(first, image)
		if image != first {
			t.Errorf("the image in %s differs", dir)
		}
	}
}

func TestPadded(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "a/b", "x")
	absolute, err := filepath.Abs("a/b")
	testkit.NoError(t, err)
	for _, path := range []string{"a/b", "./a/b", "../" + filepath.Base(filepath.Dir(filepath.Dir(absolute))) + "/a/b", absolute} {
		if p := padded(path); len(p) != 1024 || testkit.ReadFile(t, p) != "x" {
			t.Errorf("%s: %d bytes", path, len(p))
		}
	}
	if long := strings.Repeat("a", 1100); padded(long) != "./"+long {
		t.Error("a long path changed")
	}
}
