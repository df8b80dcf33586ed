package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rules-sycl/rules_sycl/internal/testkit"
)

// The programs of an installation are this test under their names. With the driver of
// libsycl-jit they do what DPC++'s do; without it they write fixed text. Each notes what
// it was called with in NAME.calls beside itself.
var standIns = map[string]func(args []string) error{
	"clang++":        clangStandIn,
	"llvm-link":      linkStandIn,
	"sycl-post-link": postLinkStandIn,
	"llvm-spirv":     translateStandIn,
}

// The environment of the stand-ins: the driver of libsycl-jit and the library.
const driverVariable, libraryVariable = "STANDIN_DRIVER", "STANDIN_LIBRARY"

func TestMain(m *testing.M) {
	name := filepath.Base(os.Args[0])
	if name == "dpcppdriver" {
		main()
	}
	standIn, ok := standIns[name]
	if !ok {
		os.Unsetenv("TEST_WORKSPACE") // with it, a Go test of Bazel changes its folder
		os.Exit(m.Run())
	}
	err := note(os.Args[0], os.Args[1:])
	if err == nil {
		err = standIn(os.Args[1:])
	}
	var failed *exec.ExitError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &failed):
		os.Exit(failed.ExitCode())
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	os.Exit(1)
}

func note(program string, args []string) error {
	f, err := os.OpenFile(program+".calls", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, strings.Join(args, " "))
	return err
}

// install makes an installation in a folder and returns the file that says where it is.
func install(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"bin", "lib"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name := range standIns {
		if err := os.Symlink(self, filepath.Join(dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"crt", "complex", "complex-fp64", "cmath", "cmath-fp64", "imf", "imf-fp64", "imf-bf16"} {
		testkit.WriteFile(t, filepath.Join(dir, "lib", "libsycl-"+name+".bc"), "library")
	}
	return testkit.WriteFile(t, filepath.Join(dir, "installation.json"), strings.ReplaceAll(
		`{"clang++": "D/bin/clang++", "llvm-link": "D/bin/llvm-link", "sycl-post-link": "D/bin/sycl-post-link", "llvm-spirv": "D/bin/llvm-spirv", "libraries": "D/lib"}`, "D", dir))
}

// driver runs the driver of libsycl-jit.
func driver(command string, args ...string) error {
	cmd := exec.Command(os.Getenv(driverVariable), append([]string{command, "--library", os.Getenv(libraryVariable)}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func real() bool { return os.Getenv(driverVariable) != "" }

// parse returns the values of flags, takes the switches away and returns the rest. An
// argument that is none of them and begins with '-' is refused as LLVM's programs do it.
func parse(args, switches, flags []string) (values map[string]string, rest []string, err error) {
	values = map[string]string{}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch {
		case slices.Contains(switches, args[i]):
			values[args[i]] = "set"
		case joined && slices.Contains(flags, name+"="):
			values[name+"="] = value
		case slices.Contains(flags, args[i]) && i+1 < len(args):
			values[args[i]] = args[i+1]
			i++
		case strings.HasPrefix(args[i], "-"):
			return nil, nil, fmt.Errorf("Unknown command line argument '%s'.  Try: 'program --help'", args[i])
		default:
			rest = append(rest, args[i])
		}
	}
	return values, rest, nil
}

func clangStandIn(args []string) error {
	fixed := []string{"-fsycl", "-fsycl-device-only", "-fsycl-targets=spir64", "-fno-sycl-instrument-device-code", "-Qunused-arguments", "-c", "-emit-llvm"}
	if len(args) < len(fixed) || !slices.Equal(args[:len(fixed)], fixed) {
		return fmt.Errorf("not a device compile: %q", args)
	}
	var out, source, header, footer, depfile string
	args = args[len(fixed):]
	for len(args) > 1 && source == "" {
		switch args[0] {
		case "-Xclang":
			if file, ok := strings.CutPrefix(args[1], "-fsycl-int-header="); ok {
				header = file
			} else if file, ok := strings.CutPrefix(args[1], "-fsycl-int-footer="); ok {
				footer = file
			}
			args = args[2:]
		case "-MD":
			args = args[1:]
		case "-MF":
			depfile, args = args[1], args[2:]
		case "-MT":
			args = args[2:]
		case "-o":
			out, source, args = args[1], args[2], args[3:]
		default:
			return fmt.Errorf("unknown argument: '%s'", args[0])
		}
	}
	if real() {
		command := []string{"--output", out}
		if header != "" {
			command = append(command, "--header", header, "--footer", footer)
		}
		if depfile != "" {
			command = append(command, "--depfile", depfile)
		}
		return driver("compile", append(append(command, source, "--"), args...)...)
	}
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if strings.Contains(string(data), "#error") {
		fmt.Fprintf(os.Stderr, "%s:1:2: error: no\n", source)
		return errors.New("1 error generated.")
	}
	return writeAll(map[string]string{out: "bitcode", header: "header", footer: "footer", depfile: "k.bc: " + source + " \\\n  sub/../used.hpp /usr/include/math.h\n"})
}

func linkStandIn(args []string) error {
	values, inputs, err := parse(args, []string{"-only-needed", "--suppress-warnings"}, []string{"-o"})
	if err != nil {
		return err
	}
	for _, name := range inputs[1:] {
		if data, err := os.ReadFile(name); err != nil || string(data) != "library" {
			return fmt.Errorf("%s: not a device library: %q, %v", name, data, err)
		}
	}
	data, err := os.ReadFile(inputs[0]) // libsycl-jit links its own libraries later
	if err != nil {
		return err
	}
	return writeAll(map[string]string{values["-o"]: string(data)})
}

func postLinkStandIn(args []string) error {
	switches := []string{"-O2", "-device-globals", "-properties", "-allow-device-image-dependencies", "-emit-only-kernels-as-entry-points",
		"-emit-param-info", "-emit-program-metadata", "-emit-kernel-names", "-symbols", "-emit-exported-symbols", "-emit-imported-symbols", "-split-esimd", "-lower-esimd"}
	values, inputs, err := parse(args, switches, []string{"-o", "-split=", "-spec-const=", "--device-lib-dir="})
	if err != nil {
		return err
	}
	table := values["-o"]
	prefix := strings.TrimSuffix(table, ".table")
	if !real() {
		const kernel = "_ZTSZ5checkE16rules_sycl_check"
		return writeAll(map[string]string{
			prefix + "_0.bc": "BC\x03\x02\x23\x07code", prefix + "_0.prop": "[SYCL/kernel names]\n" + kernel + "=1|1\n", prefix + "_0.sym": kernel + "\n",
			table: "[Code|Properties|Symbols]\n" + prefix + "_0.bc|" + prefix + "_0.prop|" + filepath.Base(prefix) + "_0.sym\n",
		})
	}
	made := prefix + ".made"
	command := []string{"--output-dir", made, inputs[0], "--"}
	for option, mode := range splitModes {
		if mode == values["-split="] {
			command = append(command, "-fsycl-device-code-split="+option)
		}
	}
	if values["-allow-device-image-dependencies"] != "" {
		command = append(command, "-fsycl-allow-device-image-dependencies")
	}
	if err := driver("post-link", command...); err != nil {
		return err
	}
	images, err := filepath.Glob(filepath.Join(made, "*.spv"))
	if err != nil {
		return err
	}
	files := map[string]string{table: "[Code|Properties|Symbols]\n"}
	for i := range images {
		for from, to := range map[string]string{".spv": ".bc", ".prop": ".prop", ".sym": ".sym"} {
			data, err := os.ReadFile(filepath.Join(made, strconv.Itoa(i)+from))
			if err != nil {
				return err
			}
			if to == ".bc" {
				data = append([]byte("BC"), data...)
			}
			files[fmt.Sprintf("%s_%d%s", prefix, i, to)] = string(data)
		}
		files[table] += strings.ReplaceAll(fmt.Sprintf("P_%[1]d.bc|P_%[1]d.prop|P_%[1]d.sym\n", i), "P", prefix)
	}
	return writeAll(files)
}

func translateStandIn(args []string) error {
	values, inputs, err := parse(args, nil, []string{"-o", "-spirv-max-version=", "-spirv-debug-info-version=", "-spirv-allow-unknown-intrinsics=", "-spirv-ext="})
	if err != nil {
		return err
	}
	data, err := os.ReadFile(inputs[0])
	if err != nil {
		return err
	}
	code, ok := strings.CutPrefix(string(data), "BC")
	if !ok {
		return errors.New("Fails to load bitcode: file doesn't start with bitcode header")
	}
	return writeAll(map[string]string{values["-o"]: code})
}

func writeAll(files map[string]string) error {
	for name, text := range files {
		if name == "" {
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
