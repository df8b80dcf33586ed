package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/internal/outfile"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// An installation is a directory that contains DPC++: a Python environment, a oneAPI compiler or a
// build of intel/llvm.
type installation struct {
	dir     string
	library string // libsycl-jit
	version string // for example 2026.2.0, or "" if unknown
}

// runtimeMajor is the version of the libsycl that the host headers are for, as in its file name.
const runtimeMajor = "9"

// places yields the directories to search for DPC++, in order of preference.
func places(yield func(dir string) bool) {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil && !yield(filepath.Dir(filepath.Dir(self))) {
			return
		}
	}
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX", "CMPLR_ROOT"} {
		if dir := os.Getenv(variable); dir != "" && !yield(dir) {
			return
		}
	}
	if prefix, err := exec.Command("python3", "-c", "import sys; print(sys.prefix)").Output(); err == nil && !yield(strings.TrimSpace(string(prefix))) {
		return
	}
	yield("/opt/intel/oneapi/compiler/latest")
}

// findDPCPP locates DPC++. Its error lists the searched directories, or what the chosen one lacks.
func findDPCPP(chosen string) (*installation, error) {
	if chosen != "" {
		d, err := open(chosen)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("--dpcpp=%s: %w", chosen, err))
		}
		return d, nil
	}
	var tried []string
	for dir := range places {
		if d, err := open(dir); err == nil {
			return d, nil
		}
		tried = append(tried, dir)
	}
	return nil, cli.BadInput(fmt.Errorf("DPC++ not found in %s; run 'pip install dpcpp-cpp-rt' or set --dpcpp=DIRECTORY", strings.Join(tried, ", ")))
}

// open returns the installation in a directory.
func open(dir string) (*installation, error) {
	d := &installation{dir: dir}
	libraries, _ := filepath.Glob(filepath.Join(globbed(dir), "lib", "libsycl-jit.so*"))
	for _, file := range libraries {
		if !strings.HasSuffix(file, ".py") {
			d.library = file
		}
	}
	switch {
	case d.library == "":
		return nil, errors.New("no lib/libsycl-jit.so; run 'pip install dpcpp-cpp-rt'")
	case !exists(filepath.Join(dir, "include/sycl/sycl.hpp")):
		return nil, errors.New("no include/sycl/sycl.hpp; run 'pip install dpcpp-cpp-rt'")
	case !exists(filepath.Join(dir, "lib/libsycl.so."+runtimeMajor)):
		return nil, fmt.Errorf("no lib/libsycl.so.%s; syclc++ needs DPC++ 2026", runtimeMajor)
	}
	d.version = version(dir)
	return d, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// globbed escapes a path for use in a glob pattern.
func globbed(path string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(path, `\$0`)
}

var (
	wheel  = regexp.MustCompile(`/intel_sycl_rt-(\d+\.\d+\.\d+)\.dist-info$`)
	oneAPI = regexp.MustCompile(`/compiler/(\d+\.\d+)(\.\d+)?$`)
)

// version returns the version of the DPC++ in a directory.
func version(dir string) string {
	for _, pattern := range []string{"lib/python*/site-packages/intel_sycl_rt-*.dist-info", "licenses/intel_sycl_rt-*.txt"} {
		found, _ := filepath.Glob(filepath.Join(globbed(dir), pattern))
		for _, file := range found {
			file = strings.Replace(strings.TrimSuffix(file, ".txt"), "licenses/", "", 1)
			if m := wheel.FindStringSubmatch(strings.TrimSuffix(file, ".dist-info") + ".dist-info"); m != nil {
				return m[1]
			}
		}
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		if m := oneAPI.FindStringSubmatch(real); m != nil {
			return m[1] + cmp.Or(m[2], ".0")
		}
	}
	return ""
}

// number returns the value of __INTEL_LLVM_COMPILER, or 0 if the version is unknown.
func (d *installation) number() int {
	value := 0
	parts := strings.Split(d.version, ".")
	for i, factor := range []int{10000, 100, 1} {
		if len(parts) != 3 {
			return 0
		}
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return 0
		}
		value += n * factor
	}
	return value
}

// A host is the host compiler.
type host struct {
	path  string
	clang bool
}

// hostVariable is the environment variable that selects the host compiler, for build systems that
// cannot pass an option.
const hostVariable = "SYCLCXX_HOST_COMPILER"

// findHost locates the host compiler.
func findHost(chosen string) (*host, error) {
	by := "-fsycl-host-compiler=" + chosen
	if chosen == "" {
		chosen = os.Getenv(hostVariable)
		by = hostVariable + "=" + chosen
	}
	if chosen != "" {
		path, err := exec.LookPath(chosen)
		if err != nil {
			return nil, cli.BadInput(fmt.Errorf("%s: program not found", by))
		}
		if machine, err := exec.Command(path, "-dumpmachine").Output(); strings.HasPrefix(by, hostVariable) && (err != nil || len(machine) == 0) {
			return nil, cli.BadInput(fmt.Errorf("%s: not a C++ compiler; use g++ or clang++", by))
		}
		return &host{path: path, clang: isClang(path)}, nil
	}
	for _, name := range []string{"g++", "clang++", "c++"} {
		if path, err := exec.LookPath(name); err == nil {
			return &host{path: path, clang: isClang(path)}, nil
		}
	}
	if path := pipClang(); path != "" {
		return &host{path: path, clang: true}, nil
	}
	return nil, cli.BadInput(errors.New(`no host C++ compiler in PATH; install g++ or clang++, or run pip install "syclcxx[llvm]"`))
}

// programDirs returns the program directories of Python environments: the one with syclc++, and
// the active one.
func programDirs() []string {
	var dirs []string
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			dirs = append(dirs, filepath.Dir(self))
		}
	}
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(variable); dir != "" {
			dirs = append(dirs, filepath.Join(dir, "bin"))
		}
	}
	return dirs
}

// pipClang returns the clang++ of a Python environment, or "" if there is none.
func pipClang() string {
	for _, dir := range programDirs() {
		clang := filepath.Join(dir, "clang++")
		if numbered, _ := filepath.Glob(filepath.Join(globbed(dir), "clang-[0-9]*")); len(numbered) > 0 && !exists(clang) {
			// Wheels cannot contain symbolic links. The environment creates them when its Python
			// first starts.
			exec.Command(filepath.Join(dir, "python"), "-c", "").Run()
		}
		if path, err := exec.LookPath(clang); err == nil {
			return path
		}
	}
	return ""
}

// findClang returns the path of an installed clang++, or "".
func findClang() string {
	for _, name := range []string{"clang++", "clang++-23", "clang++-22", "clang++-21"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return pipClang()
}

// clangAdvice returns how to use clang as the host compiler: the option for an installed one, or
// how to install one.
func clangAdvice() string {
	if path := findClang(); path != "" {
		return "-fsycl-host-compiler=" + path
	}
	return `pip install "syclcxx[llvm]"`
}

// findLLVM returns the paths of the named LLVM programs. It uses the first release in PATH or in a
// Python environment that can read DPC++'s bitcode.
func findLLVM(names ...string) ([]string, error) {
	paths, err := buildstep.FindLLVMIn(append(filepath.SplitList(os.Getenv("PATH")), programDirs()...), oldestLLVM, names...)
	if err != nil {
		return nil, fmt.Errorf(`%w; run pip install "syclcxx[llvm]"`, err)
	}
	return paths, nil
}

// isClang reports whether a compiler is clang. It runs the compiler, because a name such as c++
// does not identify it.
func isClang(path string) bool {
	base := filepath.Base(path)
	switch {
	case strings.Contains(base, "clang"), strings.HasPrefix(base, "ic"):
		return true
	case strings.Contains(base, "g++"), strings.Contains(base, "gcc"):
		return false
	}
	out, err := exec.Command(path, "--version").Output()
	return err == nil && strings.Contains(string(out), "clang")
}

// driver returns the path of the program that runs libsycl-jit.
func (c *compiler) driver() (string, error) {
	return c.part(c.line.Driver, "driver", "--driver")
}

// headers returns the directory of the headers that override libsycl's.
func (c *compiler) headers() (string, error) {
	return c.part(c.line.HostHeaders, "include", "--host-headers")
}

// part returns the path of a part of syclc++: chosen, or a path in ../lib/syclc++.
func (c *compiler) part(chosen, part, flag string) (string, error) {
	path := chosen
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return "", err
		}
		if self, err = filepath.EvalSymlinks(self); err != nil {
			return "", err
		}
		path = filepath.Join(filepath.Dir(filepath.Dir(self)), "lib", name, part)
	}
	if !exists(path) {
		return "", cli.BadInput(fmt.Errorf("%s, a part of %s, is missing; unpack the complete archive, or set %s=", path, name, flag))
	}
	return path, nil
}

var unrecognized = regexp.MustCompile(`error: unrecognized command[- ]line option '([^']+)'`)

// noteOptions prints a note for each option that g++ does not support, after it has failed.
func (c *compiler) noteOptions(ctx context.Context) {
	dir, remove, err := outfile.TempDir()
	if err != nil {
		return
	}
	defer remove()
	var log bytes.Buffer
	cmd := cli.Program(ctx, c.host.path, append(c.forHost(c.line.Host), "-fsyntax-only", "-x", "c++", os.DevNull)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "LC_ALL=C"), &log
	if cmd.Run() == nil {
		return
	}
	noted := make(map[string]bool)
	for _, m := range unrecognized.FindAllStringSubmatch(log.String(), -1) {
		if noted[m[1]] {
			continue
		}
		noted[m[1]] = true
		c.env.Notef("", "g++ does not support %s; %s", m[1], c.optionAdvice(ctx, dir, m[1]))
	}
}

// optionAdvice returns what to do about an option that g++ does not support. It only advises a
// compiler that accepts the option.
func (c *compiler) optionAdvice(ctx context.Context, dir, option string) string {
	device := c.deviceAccepts(ctx, dir, option)
	clang := device
	if path := findClang(); path != "" {
		clang = buildstep.Run(ctx, nil, io.Discard, io.Discard, path, "-fsyntax-only", "-x", "c++", os.DevNull, option) == nil
	}
	switch {
	case device && clang:
		return fmt.Sprintf("remove it, use -Xarch_device %s for device code only, or use clang (%s)", option, clangAdvice())
	case device:
		return fmt.Sprintf("remove it, or use -Xarch_device %s for device code only", option)
	case clang:
		return fmt.Sprintf("remove it, or use clang (%s)", clangAdvice())
	case strings.HasPrefix(option, "-std="):
		return "use a standard that it supports, such as -std=c++20"
	}
	return "remove it"
}

// deviceAccepts reports whether DPC++ is installed and accepts an option for device code.
func (c *compiler) deviceAccepts(ctx context.Context, dir, option string) bool {
	d, err := c.installed()
	if err != nil {
		return false
	}
	driver, err := c.driver()
	if err != nil {
		return false
	}
	source := filepath.Join(dir, "empty.cpp")
	return os.WriteFile(source, nil, 0o666) == nil &&
		buildstep.Run(ctx, nil, io.Discard, io.Discard, driver, "compile", "--library", d.library, "--output", filepath.Join(dir, "empty.bc"), source, "--", option) == nil
}

// runHost runs the host compiler.
func (c *compiler) runHost(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	return c.runHostWith(ctx, c.env.Stdin, stdout, stderr, args)
}

// runHostWith runs the host compiler with the given standard input.
func (c *compiler) runHostWith(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) error {
	if c.printCommand(append([]string{c.host.path}, args...)) {
		return nil
	}
	if c.line.Verbose && c.line.Mode != modeHostOnly { // CMake and Meson parse directories from its output
		args = append([]string{"-v"}, args...)
	}
	cmd := cli.Program(ctx, c.host.path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if c.scratch != "" { // removing the directory also removes files of a killed compiler
		cmd.Env = append(os.Environ(), "TMPDIR="+c.scratch)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return errPrinted
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %v", c.host.path, err)
	}
	return err
}
