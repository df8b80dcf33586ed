package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// An installation is where the parts of an installed DPC++ are. It is written as JSON:
//
//	{"clang++": "/opt/dpcpp/bin/clang++", …, "libraries": "/opt/dpcpp/lib"}
type installation struct {
	Clang     string `json:"clang++"` // or icpx
	Link      string `json:"llvm-link"`
	PostLink  string `json:"sycl-post-link"`
	Translate string `json:"llvm-spirv"`
	Libraries string `json:"libraries"` // folder of the device libraries, libsycl-*.bc
}

// setupInstallation declares the flag that names the file with an installation. It has
// the name that the driver of libsycl-jit gives to the library.
func setupInstallation(fs *flag.FlagSet, file *string) {
	fs.StringVar(file, "library", "", "the JSON `file` that says where the programs are (required)")
}

func readInstallation(name string) (*installation, error) {
	if name == "" {
		return nil, cli.Usagef("--library is missing")
	}
	data, err := cli.ReadInput(name, "the JSON file that says where the programs are", 1<<20)
	if err != nil {
		return nil, err
	}
	d := new(installation)
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(d); err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: this does not say where an installed DPC++ is: %w", name, err))
	}
	for _, p := range []struct{ name, path string }{
		{"clang++", d.Clang}, {"llvm-link", d.Link}, {"sycl-post-link", d.PostLink},
		{"llvm-spirv", d.Translate}, {"libraries", d.Libraries},
	} {
		if p.path == "" {
			return nil, cli.BadInput(fmt.Errorf("%s: there is no path for %s", name, p.name))
		}
	}
	return d, nil
}

// deviceLibraries are linked to device code, in this order, as DPC++ does it. From the
// fallbacks on there are only those that a release has: 2026 has them in the others.
var deviceLibraries = []string{
	"crt", "complex", "complex-fp64", "cmath", "cmath-fp64", "imf", "imf-fp64", "imf-bf16",
	"fallback-cassert", "fallback-cstring", "fallback-complex", "fallback-complex-fp64",
	"fallback-cmath", "fallback-cmath-fp64", "fallback-imf", "fallback-imf-fp64", "fallback-imf-bf16",
}

// deviceLibraryFiles returns the device libraries that the installation has.
func (d *installation) deviceLibraryFiles() ([]string, error) {
	var files []string
	for _, name := range deviceLibraries {
		file := d.libraryFile(name)
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		} else if !strings.HasPrefix(name, "fallback-") {
			return nil, cli.BadInput(fmt.Errorf("%s is not there: install all of DPC++, with its device libraries", file))
		}
	}
	return files, nil
}

func (d *installation) libraryFile(name string) string {
	return filepath.Join(d.Libraries, "libsycl-"+name+".bc")
}

// run runs a program. An error names the input, which is to blame when the program says no.
func run(ctx context.Context, env *cli.Env, input, program string, args ...string) error {
	if _, err := os.Stat(program); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is not there anymore: install DPC++ again, or give its folder as path of sycl.dpcpp", program)
	}
	err := buildstep.Run(ctx, nil, nil, env.Stderr, program, args...)
	var failed *buildstep.Error
	if !errors.As(err, &failed) {
		return err
	}
	if failed.Code != 1 { // it did not end by itself
		return fmt.Errorf("%w, or try another release of DPC++", buildstep.Fault(fmt.Sprintf("%s: %v", input, failed)))
	}
	return fmt.Errorf("%s: %w", input, failed)
}

// runTool is run for a program that the user gives no options to: when it does not take
// one, it is of another release.
func runTool(ctx context.Context, env *cli.Env, input, program string, args ...string) error {
	err := run(ctx, env, input, program, args...)
	var failed *buildstep.Error
	if !errors.As(err, &failed) {
		return err
	}
	if flag := refusedFlag(failed.Output, args); flag != "" {
		return cli.BadInput(fmt.Errorf("%s does not take %s: it is of a release that rules_sycl does not know, which knows 2025.3 to 2026.2. It says:\n%s",
			program, flag, strings.TrimSpace(failed.Output)))
	}
	return err
}

// refusedFlag returns the argument that a program of LLVM says it does not know, "" when
// it says something else.
func refusedFlag(output string, args []string) string {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		name = strings.TrimLeft(name, "-")
		if strings.Contains(output, "Unknown command line argument '"+arg+"'") || strings.Contains(output, "for the --"+name+" option: ") {
			return arg
		}
	}
	for _, name := range spirvExtensions {
		if strings.Contains(output, "'"+name+"'") && strings.Contains(output, "nknown") {
			return name
		}
	}
	return ""
}
