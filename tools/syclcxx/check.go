package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rules-sycl/rules_sycl/internal/cli"
	"github.com/rules-sycl/rules_sycl/tools/internal/buildstep"
)

// printVersion prints the versions of DPC++ and syclc++. The version of DPC++ comes first because
// build systems that recognize the name DPC++ take the first number for its version.
func (c *compiler) printVersion(ctx context.Context) error {
	var host bytes.Buffer
	if err := c.runHost(ctx, &host, c.env.Stderr, []string{"--version"}); err != nil {
		return err
	}
	own := fmt.Sprintf("%s %s without a device compiler; install it with 'pip install dpcpp-cpp-rt'", name, cli.Version)
	if d, err := findDPCPP(c.line.DPCPP); err == nil {
		own = fmt.Sprintf("DPC++ %s (%s %s) in %s", d.version, name, cli.Version, d.dir)
	}
	_, err := fmt.Fprintf(c.env.Stdout, "%s\n%s", own, host.Bytes())
	return err
}

// check reports which components are installed and which are missing, and compiles one kernel.
func (c *compiler) check(ctx context.Context) error {
	missing := false
	say := func(what, found string, err error, need bool) {
		mark := "yes"
		if err != nil {
			mark, found = "no ", err.Error()
			missing = missing || need
		}
		fmt.Fprintf(c.env.Stdout, "%s  %-22s %s\n", mark, what, found)
	}
	d, err := findDPCPP(c.line.DPCPP)
	found := ""
	if err == nil {
		found = strings.TrimSpace(d.version + " " + d.dir)
	}
	say("DPC++", found, err, true)
	h, err := findHost(c.line.HostCompiler)
	found = ""
	if err == nil {
		found = h.path + firstLine(ctx, h.path)
	}
	say("host compiler", found, err, true)
	driver, err := c.driver()
	say("driver", driver, err, true)
	headers, err := c.headers()
	say("host headers", headers, err, true)
	for _, program := range []struct{ name, path, use string }{
		{"ocloc", c.line.Ocloc, "images for Intel GPUs, ahead of time (package intel-ocloc, or " + oclocReleases + ")"},
		{"llvm-link", "", `-fsycl-rdc; run pip install "syclcxx[llvm]"`},
		{"opt", "", `specialization constants; run pip install "syclcxx[llvm]"`},
	} {
		path, err := findProgram(program.name, program.path)
		if err != nil {
			err = fmt.Errorf("not found, or too old; needed for %s", program.use)
		}
		say(program.name, path, err, false)
	}
	if missing {
		return cli.No(nil)
	}
	c.host, c.dpcpp = h, d
	if err := c.checkCompile(ctx); err != nil {
		return err
	}
	fmt.Fprintln(c.env.Stdout, "yes  a kernel compiles and links")
	if icd := filepath.Join(d.dir, "lib", "libintelocl.so"); exists(icd) && os.Getenv("OCL_ICD_FILENAMES") == "" {
		fmt.Fprintf(c.env.Stdout, "     To run programs on the CPU: export OCL_ICD_FILENAMES=%s\n", icd)
	}
	return nil
}

// findProgram returns the given path of ocloc or an LLVM program, or searches for the program.
func findProgram(name, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if name == "ocloc" {
		return exec.LookPath(name)
	}
	found, err := findLLVM(name, "llvm-dis")
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// firstLine returns the first line of a program's version output, preceded by a space.
func firstLine(ctx context.Context, program string) string {
	var out bytes.Buffer
	if err := buildstep.Run(ctx, nil, &out, io.Discard, program, "--version"); err != nil {
		return ""
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return " (" + line + ")"
}

const checked = `#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  q.single_task([=] { *p = 1; }).wait();
}
`

// checkCompile compiles and links a program with a kernel.
func (c *compiler) checkCompile(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "syclcxx")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "check.cpp")
	if err := os.WriteFile(source, []byte(checked), 0o666); err != nil {
		return err
	}
	args := []string{source, "-o", filepath.Join(dir, "check")}
	for flag, value := range map[string]string{
		"--dpcpp=": c.line.DPCPP, "--driver=": c.line.Driver, "--host-headers=": c.line.HostHeaders, "-fsycl-host-compiler=": c.line.HostCompiler,
	} {
		if value != "" {
			args = append(args, flag+value)
		}
	}
	return do(ctx, c.env, args)
}
